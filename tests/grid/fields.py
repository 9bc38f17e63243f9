"""
Varies each field of a plan by itself: the code and some counters must change, the results must not.

A row of `VARIATIONS` has the changes to the plan `BASE`, the counters that must differ, and the reason why. Counters do not
differ if work is only distributed differently. Fields that have a single legal value for this kernel are in `REFUSED`, with values
that must raise errors. Fields that only describe what the kernel does anyway are in `STATED`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.plan.schedule import Cache, Fuse, LocalEdge, Vectorize
from ptir.dialects.region import RegionKernelOp
from ptir.emulator.engine.report import Report
from ptir.planning.multistage.rules import fragment_edges
from ptir.planning.rules import NEST
from ptir.runtime.compile import compile_module
from ptir.runtime.devices import Emulator
from ptir.runtime.execute import execute
from ptir.runtime.launch import Launch

from .check import arrays_of, text_of
from .machines import Array
from .plans import planned
from .points import Point

POINT = Point("128x128x128", "bf16", "rr", "bias_relu", "row")
BASE: Mapping[str, Any] = {
    "tile": (64, 32, 32),
    "stages": 3,
    "warp_tile": "32x16",
    "bind": {"m.o": "block.y", "n.o": "block.x", "m.i.o": "warp.y", "n.i.o": "warp.x"},
    "cache": (Cache(tensor="A"), Cache(tensor="B")),
    "vectorize": Vectorize(axis="n.i.i", width=4),
    "predicate_tail": (),
    "layout_hints": {"A_swizzle": True, "B_swizzle": True, "C_stride": "row"},
    "algo_choice": {"matmul": "implicit_gemm"},
    "local_edges": (*fragment_edges(), LocalEdge(source="sum", target="add")),
}


class Recorder(Emulator):
    """An emulator that records its launches."""

    def __init__(self) -> None:
        super().__init__()
        self.launches: list[Launch] = []

    def run(self, binary: Any, launch: Launch, arrays: Any) -> None:
        self.launches.append(launch)
        super().run(binary, launch, arrays)


@dataclass(frozen=True)
class Run:
    """The code, counters and result of one plan."""

    cuda: str
    ptx: str
    report: Report
    launch: Launch
    registers: int
    result: Array


def run(changes: Mapping[str, Any], point: Point = POINT) -> Run:
    """Compiles and runs the point's program under `BASE` with these changes, on integers."""
    plan, device = {**BASE, **changes}, Recorder()
    module = planned(text_of(point), point.plan, point.arch)
    (kernel,) = (op for op in module.ops if isinstance(op, RegionKernelOp))
    assert kernel.plan is not None
    arch = plan.get("arch", "sm80")
    kernel.plan = ScheduleAttr(replace(kernel.plan.schedule(), **plan))
    program = compile_module(module, arch)
    (result,) = execute(program, arrays_of(point, 0, integers=True), device)
    (report,), (launch,) = device.reports, device.launches
    (used,) = program.binary.kernels.values()
    return Run(program.cuda, program.binary.ptx, report, launch, used.registers, result)


Shows = Callable[[Run], Any]


def lanes(*prefixes: str) -> Shows:
    """Returns the number of lanes that execute instructions whose opcodes have these prefixes."""
    return lambda run: sum(count for name, count in run.report.opcodes.items() if name.startswith(prefixes))


def moved(level: str) -> Shows:
    """Returns the number of bytes moved by accesses of one kind."""
    return lambda run: run.report.bytes[level]


def conflicts(run: Run) -> int:
    return run.report.conflicts


def requests(run: Run) -> int:
    """Returns the number of accesses of global memory, each by a warp."""
    return run.report.requests


def instructions(run: Run) -> int:
    return run.report.lane_instructions


def grid(run: Run) -> Any:
    return run.launch.grid


def block(run: Run) -> Any:
    return run.launch.block


def shared(run: Run) -> int:
    """Returns the bytes of shared memory of a block."""
    return run.launch.shared


def registers(run: Run) -> int:
    return run.registers


def written(opcode: str) -> Shows:
    """Returns the number of instructions of an opcode in the code."""
    return lambda run: run.ptx.count(f"{opcode}.")


def target(run: Run) -> str:
    return next(line for line in run.ptx.splitlines() if line.startswith(".target"))


@dataclass(frozen=True)
class Variation:
    """`changes` to the base plan, the counters `shows` that must differ, and the reason why."""

    changes: Mapping[str, Any]
    shows: tuple[Shows, ...]
    why: str


def _bind(**swapped: str) -> dict[str, Any]:
    return {"bind": {**BASE["bind"], **{name.replace("_", "."): to for name, to in swapped.items()}}}


def _hints(**hints: bool | str) -> dict[str, Any]:
    return {"layout_hints": {**BASE["layout_hints"], **hints}}


SPLIT = {"split": 2, "algo_choice": {"matmul": "splitk_serial"}}

VARIATIONS = {
    "arch": Variation({"arch": "sm90"}, (target,), "the same kernel for another machine"),
    "tile: BM": Variation({"tile": (128, 32, 32)}, (grid, block, moved("copy")), "fewer blocks copy B"),
    "tile: BN": Variation({"tile": (64, 64, 32)}, (grid, block, moved("copy")), "fewer blocks copy A"),
    "tile: BK": Variation(
        {"tile": (64, 32, 64)},
        (shared, lanes("cp.async.wait_group"), lanes("bar.sync")),
        "half as many steps, each with a wait and a barrier",
    ),
    "stages": Variation({"stages": 4}, (shared, lanes("cp.async.commit_group")), "one more slot and one more group"),
    "warp_tile": Variation(
        {"warp_tile": "32x32"},
        (block, moved("shared_load"), lanes("ldmatrix")),
        "half as many warps load the fragments of A",
    ),
    "split": Variation({**SPLIT, "split": 4}, (grid, moved("global_load")), "four parts of a step each"),
    "bind: blocks": Variation(_bind(m_o="block.x", n_o="block.y"), (grid,), "blockIdx.x counts rows of tiles"),
    "bind: warps": Variation(
        _bind(m_i_o="warp.x", n_i_o="warp.y"), (), "neighbouring warps share columns: the same work, by others"
    ),
    "reorder": Variation({"reorder": ("n.o", "m.o")}, (), "blocks take tiles along m first: the same work, by others"),
    "fuse": Variation(
        {
            "fuse": (Fuse(axes=("m.o", "n.o"), into="tile"),),
            "bind": {"tile": "block.x", "m.i.o": "warp.y", "n.i.o": "warp.x"},
        },
        (grid,),
        "the grid has one axis",
    ),
    "unroll": Variation({"unroll": {"k.o": 2}}, (written("mma"), written("ldmatrix")), "two steps are written out"),
    "cache.pingpong": Variation(
        {
            "cache": (Cache(tensor="A", pingpong=False), Cache(tensor="B", pingpong=False)),
            "stages": 1,
            "local_edges": (),
        },
        (shared, lanes("bar.sync")),
        "one slot, with a barrier before it is filled and one before it is read",
    ),
    "vectorize: width": Variation(
        {"vectorize": Vectorize(axis="n.i.i", width=2)},
        (lanes("st.global.v4"), lanes("st.global.v2"), lanes("shfl"), requests),
        "stores of 8 bytes need no exchange among lanes",
    ),
    "predicate_tail: m": Variation(
        {"predicate_tail": ("m.i.i",)}, (lanes("setp"), instructions), "rows are guarded that need not be"
    ),
    "predicate_tail: n": Variation(
        {"predicate_tail": ("n.i.i",)}, (lanes("setp"), instructions), "columns are guarded that need not be"
    ),
    "predicate_tail: k": Variation(
        {"predicate_tail": ("k.i.i",)}, (), "steps are guarded that need not be, as NVRTC finds"
    ),
    "layout_hints: A_swizzle": Variation(_hints(A_swizzle=False), (conflicts,), "rows of A fall on the same banks"),
    "layout_hints: B_swizzle": Variation(_hints(B_swizzle=False), (conflicts,), "rows of B fall on the same banks"),
    "layout_hints: C_stride": Variation(
        {**_hints(C_stride="col"), "vectorize": Vectorize(axis="m.i.i", width=4)},
        (lanes("st.global.v4"), lanes("st.global.f32"), requests),
        "lanes hold neighbours along m, which are none in memory",
    ),
    "algo_choice: serial": Variation(
        SPLIT, (grid, lanes("ld.acquire"), moved("global_load")), "parts are added in turn: each waits for a counter"
    ),
    "algo_choice: parallel": Variation(
        {**SPLIT, "algo_choice": {"matmul": "splitk_parallel"}},
        (grid, lanes("atom"), moved("global_atomic")),
        "the last part to arrive, by an atomic counter, adds them all",
    ),
    "local_edges: A and B": Variation(
        {"local_edges": (LocalEdge(source="sum", target="add"),)},
        (registers, lanes("cp.async.wait_group")),
        "one buffer of each fragment, and no waiting ahead of the loop",
    ),
}

STATED: Mapping[str, Mapping[str, Any]] = {
    "local_edges: sum": {"local_edges": fragment_edges()},
    "local_edges: names": {
        "local_edges": (
            *fragment_edges(),
            LocalEdge(source="sum_k", target="relu"),
            LocalEdge(source="bias", target="max"),
        )
    },
    "local_edges: rings": {
        "local_edges": (*fragment_edges(), LocalEdge(source="A", target="sum", buffer="smem_ring", depth=3))
    },
    "reorder": {"reorder": NEST},
    "epilogue: the specification's words": {"epilogue": ("bias", "relu")},
    "epilogue": {"epilogue": ("add", "max")},
}
"""Values without effect: accumulators are always in registers at the epilogue, and the region's ops define what it computes."""

REFUSED: Mapping[str, Mapping[str, Any]] = {
    "cache: one operand": {"cache": (Cache(tensor="A"),)},
    "cache.at": {"cache": (Cache(tensor="A", at="k.o"), Cache(tensor="B"))},
    "cache.pingpong": {"cache": (Cache(tensor="A", pingpong=False), Cache(tensor="B", pingpong=False))},
    "vectorize.axis": {"vectorize": Vectorize(axis="m.i.i", width=4)},
    "predicate_tail": {"predicate_tail": ("k.o",)},
    "bind: one axis": {"bind": {**BASE["bind"], "m.o": "block.x"}},
    "bind: unknown": {"bind": {**BASE["bind"], "k.o": "block.z"}},
    "epilogue": {"epilogue": ("add",)},
    "reorder": {"reorder": ("k.o", "m.o")},
    "reorder: and bind": {"reorder": ("m.o", "n.o"), "bind": {**BASE["bind"], "m.o": "block.x", "n.o": "block.y"}},
    "fuse": {"fuse": (Fuse(axes=("m.i.o", "n.i.o"), into="warp"),)},
    "fuse: without bind": {"fuse": (Fuse(axes=("m.o", "n.o"), into="tile"),)},
    "unroll": {"unroll": {"m.o": 2}},
    "layout_hints": {"layout_hints": {"A_swizzle": "row"}},
    "algo_choice": {"algo_choice": {"matmul": "implicit_gemm", "conv": "direct"}},
    "local_edges: one fragment": {"local_edges": fragment_edges()[:1]},
    "local_edges.depth": {"local_edges": (LocalEdge(source="A", target="sum", buffer="smem_ring", depth=2),)},
    "local_edges.buffer": {"local_edges": (LocalEdge(source="sum", target="add", buffer="smem_ring"),)},
    "split: empty parts": {**SPLIT, "split": 3},
    "warp_tile": {"warp_tile": "8x32"},
}
