"""Ops of SM90: constructors match the printed form, legal kernels are accepted, and malformed text causes no traceback."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from xdsl.ir import Operation
from xdsl.utils.exceptions import ParseError

import ptir
from ptir.analysis.nv.cluster_values import ClusterValues
from ptir.analysis.nv.in_flight import check_in_flight
from ptir.dialects import nv
from ptir.dialects.common.syntax import ints
from ptir.errors import PtirError
from ptir.text.errors import VerifierCrashed
from ptir.text.verify import find_failures

from ..builders.amount import examples

SM90 = Path(__file__).resolve().parents[2] / "filecheck" / "nv" / "sm90.mlir"
TEXT = re.sub(r"(?m)^ *//.*\n", "", SM90.read_text("utf-8"))


def place(op: Any, prefix: str = "") -> tuple[Any, Any, Any]:
    return tuple(getattr(op, prefix + name) for name in ("slot", "row", "column"))  # pyright: ignore[reportReturnType]


REBUILT: dict[type[Operation], Callable[[Any], Operation]] = {
    nv.MbarrierOp: lambda o: nv.MbarrierOp(o.offset.value.data, o.result.type),
    nv.MbarrierInitOp: lambda o: nv.MbarrierInitOp(o.barriers, o.arrivals.value.data),
    nv.MbarrierInitFenceOp: lambda o: nv.MbarrierInitFenceOp(),
    nv.PrefetchMapOp: lambda o: nv.PrefetchMapOp(o.map),
    nv.ExpectTxOp: lambda o: nv.ExpectTxOp(o.barriers, o.slot, o.bytes.value.data),
    nv.ArriveOp: lambda o: nv.ArriveOp(o.barriers, o.slot, o.block),
    nv.WaitOp: lambda o: nv.WaitOp(o.barriers, o.slot, o.parity),
    nv.TmaLoadOp: lambda o: nv.TmaLoadOp(o.map, o.at, o.smem, place(o), o.barriers, o.barrier, o.mask, o.filter),
    nv.TmaStoreOp: lambda o: nv.TmaStoreOp(o.smem, place(o), o.map, o.at),
    nv.BulkCommitOp: lambda o: nv.BulkCommitOp(),
    nv.BulkWaitReadOp: lambda o: nv.BulkWaitReadOp(o.pending.value.data),
    nv.FenceAsyncOp: lambda o: nv.FenceAsyncOp(),
    nv.TensorMapOp: lambda o: nv.TensorMapOp(
        o.memref, o.offset.value.data, ints(o.sizes), ints(o.strides), o.result.type
    ),
    nv.WgmmaFenceOp: lambda o: nv.WgmmaFenceOp(),
    nv.WgmmaCommitOp: lambda o: nv.WgmmaCommitOp(),
    nv.WgmmaWaitOp: lambda o: nv.WgmmaWaitOp(o.pending.value.data),
    nv.WgmmaMmaOp: lambda o: nv.WgmmaMmaOp(
        o.acc, o.a, place(o, "a_"), o.a_layout.data, o.b, place(o, "b_"), o.b_layout.data, o.accumulate
    ),
    nv.WgmmaFragOp: lambda o: nv.WgmmaFragOp(o.acc, o.a, o.b, place(o, "b_"), o.b_layout.data, o.accumulate),
    nv.PromoteOp: lambda o: nv.PromoteOp(o.part, o.acc),
    nv.StoreMatrixOp: lambda o: nv.StoreMatrixOp(o.frag, o.first.value.data, o.layout.data, o.smem, place(o)),
    nv.SetMaxRegistersOp: lambda o: nv.SetMaxRegistersOp(o.registers.value.data),
    nv.WarpgroupOp: lambda o: nv.WarpgroupOp(),
    nv.WarpOp: lambda o: nv.WarpOp(),
    nv.WarpSyncOp: lambda o: nv.WarpSyncOp(),
    nv.BarrierOp: lambda o: nv.BarrierOp(o.id.value.data, o.threads.value.data),
    nv.ClusterRankOp: lambda o: nv.ClusterRankOp(),
    nv.ClusterSyncOp: lambda o: nv.ClusterSyncOp(),
    nv.LaunchOp: lambda o: nv.LaunchOp(
        o.kernel, ints(o.grid), ints(o.block), o.shared.value.data, o.arguments, ints(o.cluster)
    ),
}


def test_what_python_builds_is_what_text_reads():
    seen = set[type[Operation]]()
    for op in ptir.parse(TEXT).walk():
        if type(op) in REBUILT:
            seen.add(type(op))
            new = REBUILT[type(op)](op)
            assert (list(new.operands), new.properties) == (list(op.operands), op.properties), op.name
            assert [r.type for r in new.results] == [r.type for r in op.results]
    assert seen == set(REBUILT)


def test_regions_of_statements_are_built():
    for op in list(ptir.parse(TEXT).walk()):
        if isinstance(op, nv.RoleOp):
            assert op.threads == op.end.value.data - op.first.value.data
            new = nv.RoleOp(op.label.data, op.first.value.data, op.end.value.data, op.body.clone())
            assert new.properties == op.properties
        if isinstance(op, nv.SingleOp):
            assert nv.SingleOp(op.who.data, op.body.clone()).properties == op.properties


# --- what must not be refused -------------------------------------------------------------------------

SMEM = """
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    %full = nv.mbarrier at 196608 : !nv.mbarrier<4>"""
MMA = (
    "nv.wgmma.mma {}, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, "
    "!nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>"
)
PROMOTE = "nv.promote %acc to %acc2 : !nv.frag<64x128xf32, C of m64k16>, !nv.frag<64x128xf32, C of m64k16>"
LOAD = (
    "nv.tma_load %t[%c0, %c0] to %sa[{}, %c0, %c0] signal %full[{}]{} : !nv.tensor_map<128x64xbf16, b128>, "
    "!nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>"
)


ARGUMENTS = {
    "%t": "!nv.tensor_map<128x64xbf16, b128>",
    "%u": "!nv.tensor_map<64x64xbf16, b128>",
    "%count": "memref<6xi32>",
    "%source": "memref<64x64xbf16>",
}


def kernel(body: str, arrivals: int | None = None, cluster: int = 1) -> str:
    """Returns a kernel with a producer and two consumer warpgroups; `body` contains the roles."""
    constants = "".join(f"\n    %c{n} = arith.constant {n} : index" for n in (0, 1, 2, 3, 4, 32, 128))
    init = ""
    if arrivals is not None:
        init = f"""
    nv.single block {{
      nv.mbarrier.init %full arrivals {arrivals} : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }}
    nv.cluster.sync"""
    return f"""
"gpu.module"() <{{sym_name = "kernels"}}> ({{
  "gpu.func"() <{{function_type = ({", ".join(ARGUMENTS.values())}) -> (), kernel}}> ({{
  ^bb0({", ".join(f"{name}: {type_}" for name, type_ in ARGUMENTS.items())}):{constants}{SMEM}{init}
{body}
    nv.cluster.sync
    "gpu.return"() : () -> ()
  }}) {{sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>, "nv.cluster" = array<i64: {cluster}, 1, 1>}} : () -> ()
}}) : () -> ()
"""


def consumers(body: str) -> str:
    fragments = "".join(f"%{n} = nv.frag : !nv.frag<64x128xf32, C of m64k16>\n" for n in ("acc", "acc2"))
    return "nv.role consumer threads 128 to 384 {\n" + fragments + body + "\n}"


def producer(body: str) -> str:
    return "nv.role producer threads 0 to 128 {\n" + body + "\n}"


def loop(body: str, counter: str = "%i", end: str = "%c4") -> str:
    return f"scf.for {counter} = %c0 to {end} step %c1 {{\n{body}\n}}"


def condition(body: str, value: str) -> str:
    return f"%p = arith.cmpi eq, {value}, %c0 : index\nscf.if %p {{\n{body}\n}}"


def single(body: str, who: str = "role") -> str:
    return f"nv.single {who} {{\n{body}\n}}"


def lines(*parts: str) -> str:
    return "\n".join(parts)


WAIT, ARRIVE = (
    "nv.mbarrier.wait %full[{}] parity %c0 : !nv.mbarrier<4>",
    "nv.mbarrier.arrive %full[{}] : !nv.mbarrier<4>",
)
THREAD = '%tid = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index'
COPY = (
    'nv.cp_async %source[%c0, %c0] to %sc[%c0] address <"{ [i0, i1] -> [(64i0 + i1)] }"> in [64, 64] dims [0, 1] guard [] '
    "bytes 16 : memref<64x64xbf16>, !nv.smem<2x64x64xbf16, b128>"
)
HALF = "%half = nv.frag : !nv.frag<64x64xbf16, C of m64k16>"
SYNC = "nv.barrier 1 threads 128"
STAGE = (
    "nv.stmatrix %half column 0 ND to %sc[%c0, %c0, %c0] : !nv.frag<64x64xbf16, C of m64k16>, "
    "!nv.smem<2x64x64xbf16, b128>"
)
STORE = single(
    "nv.tma_store %sc[%c0, %c0, %c0] to %u[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, "
    "!nv.tensor_map<64x64xbf16, b128>\nnv.bulk.commit",
    "warpgroup",
)
FENCE, COMMIT = "nv.wgmma.fence", "nv.wgmma.commit"
GROUP, OTHER = lines(FENCE, MMA.format("%acc"), COMMIT), lines(FENCE, MMA.format("%acc2"), COMMIT)

LEGAL = {
    "one sum in flight over the back edge": kernel(
        consumers(lines(loop(lines(GROUP, "nv.wgmma.wait 1")), "nv.wgmma.wait 0", PROMOTE))
    ),
    "two sums in flight inside one iteration": kernel(
        consumers(loop(lines(GROUP, OTHER, "nv.wgmma.wait 1", "nv.wgmma.wait 0", PROMOTE)))
    ),
    "a chain of groups on one sum": kernel(consumers(lines(GROUP, GROUP, "nv.wgmma.wait 1", "nv.wgmma.wait 0", PROMOTE))),
    "the older of two groups has ended": kernel(
        consumers(lines(OTHER, GROUP, "nv.wgmma.wait 1", PROMOTE.replace("%acc2", "%x").replace("%acc", "%acc2"), "nv.wgmma.wait 0"))
        .replace("%acc2 = nv.frag", "%x = nv.frag : !nv.frag<64x128xf32, C of m64k16>\n%acc2 = nv.frag")
    ),
    "both ways have waited": kernel(
        consumers(lines(GROUP, condition("nv.wgmma.wait 0\n} else {\nnv.wgmma.wait 0", "%c0"), PROMOTE))
    ),
    "a warpgroup alone": kernel(
        consumers(lines("%g = nv.warpgroup", condition(lines("nv.barrier 1 threads 128", GROUP, "nv.wgmma.wait 0"), "%g")))
    ),
    "the number of a warpgroup, computed": kernel(
        consumers(lines(THREAD, "%g = arith.divui %tid, %c128 : index", condition(lines(FENCE), "%g")))
    ),
    "the number of a block": kernel(
        consumers(lines("%r = nv.cluster.rank", condition("nv.semaphore.acquire %count[%c0] for %c0 : memref<6xi32>", "%r"))),
        cluster=2,
    ),
    "what is the same in all threads": kernel(
        consumers(
            lines(
                "%last = nv.arrive_last %count[%c0] of 2 : memref<6xi32>",
                "scf.if %last {\nnv.semaphore.acquire %count[%c0] for %c0 : memref<6xi32>\n}",
            )
        )
    ),
    "threads of conditions that are for each": kernel(
        consumers(lines(THREAD, condition("nv.fence_async", "%tid"))),
    ),
    "copies of the next slot between the fence and the arrival": kernel(
        consumers(loop(lines(COPY, "nv.fence_async", COPY, ARRIVE.format("%i")))), 256
    ),
    "an arrival of one thread, which copied nothing": kernel(
        consumers(lines(COPY, single(ARRIVE.format("%c0")))), 1
    ),
    "copies that no wgmma reads": kernel(
        consumers(
            lines(
                "%x = nv.smem at 196736 : !nv.smem<2x64x64xbf16, xor>",
                COPY.replace("%sc", "%x").replace("b128>", "xor>"),
                ARRIVE.format("%c0"),
            )
        ),
        256,
    ),
    "a fence on one way": kernel(
        consumers(lines(COPY, condition("nv.fence_async", "%c0"), ARRIVE.format("%c0"))), 256
    ),
    "a store that has been read": kernel(
        consumers(
            lines(
                HALF,
                loop(lines(single("nv.bulk.wait_read 0", "warpgroup"), SYNC, STAGE, "nv.fence_async", SYNC, STORE)),
                single("nv.bulk.wait_read 0", "warpgroup"),
            )
        )
    ),
    "a store of which one way has waited": kernel(
        consumers(
            lines(
                HALF,
                STORE,
                condition(lines(single("nv.bulk.wait_read 0", "warpgroup"), SYNC), "%c0"),
                STAGE,
                single("nv.bulk.wait_read 0", "warpgroup"),
            )
        )
    ),
    "a store of which the other way has waited": kernel(
        consumers(
            lines(
                HALF,
                STORE,
                condition(
                    lines("nv.fence_async", "} else {", single("nv.bulk.wait_read 0", "warpgroup"), SYNC), "%c0"
                ),
                STAGE,
                single("nv.bulk.wait_read 0", "warpgroup"),
            )
        )
    ),
    "copies on one way": kernel(consumers(lines(condition(COPY, "%c0"), ARRIVE.format("%c0"))), 256),
    # arrivals that cannot be counted
    "a slot of each warpgroup": kernel(
        consumers(lines("%g = nv.warpgroup", WAIT.format("%g"), single(ARRIVE.format("%g"), "warpgroup"))), 1
    ),
    "some threads": kernel(
        consumers(lines(THREAD, WAIT.format("%c0"), condition(ARRIVE.format("%c0"), "%tid"))), 1
    ),
    "one warpgroup": kernel(
        consumers(
            lines("%g = nv.warpgroup", WAIT.format("%c0"), condition(single(ARRIVE.format("%c0"), "warpgroup"), "%g"))
        ),
        1,
    ),
    "one slot, phase after phase": kernel(
        consumers(loop(lines(WAIT.format("%c0"), single(ARRIVE.format("%c0"))))), 2
    ),
    "one slot, phase after phase, under a condition": kernel(
        consumers(
            lines(
                '%b = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index',
                loop(lines(WAIT.format("%c0"), condition(single(ARRIVE.format("%c0")), "%b"))),
            )
        ),
        2,
    ),
    "two phases in turn": kernel(
        consumers(lines(*(lines(WAIT.format("%c0"), single(ARRIVE.format("%c0"))) for _ in range(2)))), 1
    ),
    "a block that the kernel computes of what is not known": kernel(
        consumers(
            lines(
                '%b = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index',
                WAIT.format("%c0"),
                single("nv.mbarrier.arrive %full[%c1] at %b : !nv.mbarrier<4>"),
            )
        ),
        2,
        cluster=2,
    ),
    "all to the first block": kernel(
        consumers(
            lines(WAIT.format("%c0"), single("nv.mbarrier.arrive %full[%c1] at %c0 : !nv.mbarrier<4>", "warpgroup"))
        ),
        4,
        cluster=2,
    ),
    "two that take turns": kernel(
        lines(
            producer(single(lines(WAIT.format("%c0"), ARRIVE.format("%c0")))),
            consumers(single(lines(WAIT.format("%c0"), ARRIVE.format("%c0")))),
        ),
        1,
    ),
    "threads that copy, and bytes": kernel(
        producer(
            loop(
                lines(
                    WAIT.format("%i"),
                    single(lines("nv.mbarrier.expect_tx %full[%i] bytes 16384 : !nv.mbarrier<4>", LOAD.format("%i", "%i", ""))),
                    "nv.fence_async",
                    ARRIVE.format("%i"),
                )
            )
        ),
        129,
    ),
    "the first slots one by one, the others in a loop": kernel(
        producer(
            single(
                lines(
                    *(
                        lines(f"nv.mbarrier.expect_tx %full[{s}] bytes 16384 : !nv.mbarrier<4>", LOAD.format(s, s, ""))
                        for s in ("%c0", "%c1")
                    ),
                    loop(
                        lines(
                            WAIT.format("%i"),
                            "nv.mbarrier.expect_tx %full[%i] bytes 16384 : !nv.mbarrier<4>",
                            LOAD.format("%i", "%i", ""),
                        )
                    ),
                )
            )
        ),
        1,
    ),
    "a mask of the row of the cluster": kernel(
        producer(
            single(
                lines(
                    "%r = nv.cluster.rank",
                    "%row = arith.divui %r, %c2 : index",
                    "%first = arith.cmpi eq, %row, %c0 : index",
                    "%c12 = arith.constant 12 : index",
                    "%mask = arith.select %first, %c3, %c12 : index",
                    "nv.mbarrier.expect_tx %full[%c0] bytes 32768 : !nv.mbarrier<4>",
                    LOAD.format("%c0", "%c0", " multicast %mask"),
                )
            )
        ),
        1,
        cluster=4,
    ),
    "bytes of a condition that is not known": kernel(
        producer(
            single(
                lines(
                    '%b = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index',
                    "nv.mbarrier.expect_tx %full[%c0] bytes 512 : !nv.mbarrier<4>",
                    condition(LOAD.format("%c0", "%c0", ""), "%b"),
                )
            )
        ),
        1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LEGAL)
def test_a_legal_kernel_is_not_refused(name: str):
    assert [str(error) for _, error in find_failures(ptir.parse(LEGAL[name]))] == []


def test_a_sum_touched_in_flight_is_found_whatever_stands_around():
    """The same ops in a block, a loop or a conditional: only the wait matters."""
    for around in (lambda body: body, loop, lambda body: condition(body, "%c0")):
        good = kernel(consumers(around(lines(GROUP, "nv.wgmma.wait 0", PROMOTE))))
        bad = kernel(consumers(around(lines(GROUP, PROMOTE, "nv.wgmma.wait 0"))))
        assert not find_failures(ptir.parse(good))
        ((op, error),) = find_failures(ptir.parse(bad))
        assert op.name == "nv.role" and isinstance(error, PtirError)
        assert error.op is not None and error.op.name == "nv.promote"


def test_numbers_of_a_rank():
    text = kernel(
        consumers(
            lines(
                "%r = nv.cluster.rank",
                "%a = arith.addi %r, %c3 : index",
                "%q = arith.divui %a, %c2 : index",
                "%m = arith.remui %a, %c4 : index",
                "%s = arith.shli %c1, %m : index",
                "%l = arith.cmpi ult, %q, %c2 : index",
                "%x = arith.select %l, %s, %q : index",
                "%z = arith.divui %a, %c0 : index",
                "%n = arith.subi %c0, %c1 : index",
            )
        ),
        cluster=4,
    )
    values = {r.name_hint: r for op in ptir.parse(text).walk() for r in op.results}
    for rank in range(4):
        a = rank + 3
        got = {name: ClusterValues(rank).evaluate(values[name]) for name in "aqmslxzn"}
        x = 1 << a % 4 if a // 2 < 2 else a // 2
        assert got == {
            "a": a,
            "q": a // 2,
            "m": a % 4,
            "s": 1 << a % 4,
            "l": a // 2 < 2,
            "x": x,
            "z": None,
            "n": None,
        }


# --- broken text --------------------------------------------------------------------------------------


NUMBERS = ("0", "-1", "1", "3", "64", "128", "4096", str(2**40), str(2**70))
NAMES = tuple(sorted(set(re.findall(r"%\w+", TEXT))))


def edited(text: str, random_: random.Random) -> str:
    """Applies one to three random edits: removes, duplicates or swaps lines, or replaces numbers and names."""
    rows = text.split("\n")
    for _ in range(random_.randint(1, 3)):
        i, j = random_.randrange(len(rows)), random_.randrange(len(rows))
        match random_.randrange(5):
            case 0:
                del rows[i]
            case 1:
                rows.insert(j, rows[i])
            case 2:
                rows[i], rows[j] = rows[j], rows[i]
            case 3:
                rows[i] = re.sub(r"(?<![%\w])\d+", lambda m: random_.choice((m[0], *NUMBERS)), rows[i])
            case _:
                rows[i] = re.sub(r"%\w+", lambda m: random_.choice((m[0], *NAMES)), rows[i])
    return "\n".join(rows)


@pytest.mark.sampled(9)
@pytest.mark.parametrize("seed", range(8))
def test_broken_text_gives_errors_with_a_code(seed: int):
    random_ = random.Random(seed)
    for _ in range(examples(40)):
        text = edited(TEXT, random_)
        try:
            failures = find_failures(ptir.parse(text))
        except (PtirError, ParseError):
            continue
        assert not any(isinstance(error, VerifierCrashed) for _, error in failures), text


def test_the_checks_take_a_kernel_as_long_as_it_is():
    """Nested loops are visited a few times each, not once per path."""
    body = lines(GROUP, "nv.wgmma.wait 1")
    for depth in range(40):
        body = loop(body, f"%i{depth}")
    (role,) = [
        op for op in ptir.parse(kernel(consumers(lines(body, "nv.wgmma.wait 0")))).walk() if isinstance(op, nv.RoleOp)
    ]
    check_in_flight(role.body.block)
