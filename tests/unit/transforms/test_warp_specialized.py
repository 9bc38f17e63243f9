"""
The warp-specialized template with pinned plans: all types and layouts, TMA or copies by threads, roles, clusters, orders, split-K,
stream-K and epilogues, compiled and run in the emulator, which reports races and other faults.

Inputs are integers whose sums are exact, so that results equal NumPy's, bit for bit, with any plan.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import ptir
from ptir.analysis.regions.kernel_space import kernel_space
from ptir.backends.cuda import sass
from ptir.backends.cuda.emit import emit_cuda
from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.plan.schedule import Cache, Schedule, Vectorize
from ptir.dialects.region import RegionKernelOp
from ptir.emulator.engine.report import Report
from ptir.emulator.errors import EmulatorFault
from ptir.errors import PlanMismatch
from ptir.passes.manager import PassManager
from ptir.planning.epilogue import epilogue_labels
from ptir.planning.rules import tails
from ptir.runtime.compile import Program, compile_module
from ptir.runtime.devices import Emulator
from ptir.runtime.execute import execute
from ptir.targets.machines import MACHINES
from tests.grid.machines import NUMPY, Bounded, Dot, Exact, Machine, Text, tf32

pytestmark = pytest.mark.sampled(4)

Size = tuple[int, int, int]
Array = Any


@dataclass(frozen=True)
class Kind:
    """The element types of a multiplication."""

    left: str
    right: str
    accum: str = "f32"
    precision: str = ""

    @property
    def bytes(self) -> int:
        return np.dtype(NUMPY[self.left]).itemsize


KINDS = {
    "bf16": Kind("bf16", "bf16"),
    "f16": Kind("f16", "f16"),
    "tf32": Kind("f32", "f32", precision="tf32"),
    "e4m3": Kind("f8E4M3FN", "f8E4M3FN"),
    "e5m2": Kind("f8E5M2", "f8E5M2"),
    "e4m3 x e5m2": Kind("f8E4M3FN", "f8E5M2"),
    "e5m2 x e4m3": Kind("f8E5M2", "f8E4M3FN"),
    "i8": Kind("i8", "i8", "i32"),
    "ui8": Kind("ui8", "ui8", "i32"),
    "i8 x ui8": Kind("i8", "ui8", "i32"),
    "ui8 x i8": Kind("ui8", "i8", "i32"),
}
ROW_BYTES = 128


# --- epilogues ------------------------------------------------------------------------------------

Epilogue = Callable[[Machine, Any, "Case"], Any]


def plain(on: Machine, c: Any, case: Case) -> Any:
    return c


def biased(on: Machine, c: Any, case: Case) -> Any:
    return on.binary("add", c, on.spread(on.argument((case.size[1],), case.kind.accum), c))


def row_biased(on: Machine, c: Any, case: Case) -> Any:
    return on.binary("add", c, on.spread(on.argument((case.size[0], 1), case.kind.accum), c))


def relu(on: Machine, c: Any, case: Case) -> Any:
    c = biased(on, c, case)
    return on.binary("maximum", c, on.number(0, c))


def residual(on: Machine, c: Any, case: Case) -> Any:
    """Adds a residual of the result's type."""
    r = on.argument((*case.batch, *case.size[:2]), case.result)
    return on.binary("add", biased(on, c, case), r if case.result == case.kind.accum else on.cast(r, case.kind.accum))


def tanh(on: Machine, c: Any, case: Case) -> Any:
    return on.unary("tanh", on.binary("mul", c, on.number(1 / 64, c)))


def two(on: Machine, c: Any, case: Case) -> Any:
    """Returns two results: with a bias, and its relu."""
    c = biased(on, c, case)
    return c, on.binary("maximum", c, on.number(0, c))


def turned(on: Machine, c: Any, case: Case) -> Any:
    return on.turn(biased(on, c, case))


# --- cases ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """
    A program and the plan of its kernel. `a` and `b` say what is contiguous: `k`, or the other axis; `out` is the type of
    the result if not that of the sums; `fields` are further fields of the plan. BK is a row of 128 bytes if left out.
    """

    dtype: str = "bf16"
    size: Size = (128, 128, 192)
    tile: tuple[int, ...] = (128, 64)
    warp: tuple[int, int] = (64, 64)
    a: str = "k"
    b: str = "n"
    stages: int = 3
    out: str | None = None
    epilogue: Epilogue = plain
    batch: tuple[int, ...] = ()
    stride: str = "row"
    fields: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def kind(self) -> Kind:
        return KINDS[self.dtype]

    @property
    def result(self) -> str:
        return self.out or self.kind.accum

    @property
    def whole_tile(self) -> Size:
        bm, bn, *bk = self.tile
        return bm, bn, bk[0] if bk else ROW_BYTES // self.kind.bytes

    def program(self, on: Machine) -> tuple[Any, ...]:
        (m, n, k), t = self.size, self.kind
        x = on.argument((*self.batch, *((m, k) if self.a == "k" else (k, m))), t.left)
        w = on.argument((*self.batch, *((k, n) if self.b == "n" else (n, k))), t.right)
        sums = Dot(len(self.batch), (int(self.a == "k"), int(self.b == "k")), t.accum, t.accum, t.precision)
        c = self.epilogue(on, on.dot(x, w, sums), self)
        results = c if isinstance(c, tuple) else (c,)
        return tuple(r if self.out is None else on.cast(r, self.out) for r in results)

    @property
    def text(self) -> str:
        return (on := Text()).finish(*self.program(on))

    def module(self) -> ModuleOp:
        """Returns the program's region with the plan."""
        module = PassManager("ptir-to-tiny,form-regions").run(ptir.parse(self.text))
        (kernel,) = (op for op in module.walk() if isinstance(op, RegionKernelOp))
        space, labels = kernel_space(kernel), epilogue_labels(kernel, kernel_space(kernel))
        kernel.plan = ScheduleAttr(
            Schedule(
                **{
                    "arch": "sm90",
                    "tile": self.whole_tile,
                    "stages": self.stages,
                    "warp_tile": f"{self.warp[0]}x{self.warp[1]}",
                    "roles": "cooperative",
                    "cache": (Cache(tensor="A"), Cache(tensor="B")),
                    "vectorize": Vectorize(axis="m.i.i" if self.stride == "col" else "n.i.i", width=8),
                    "predicate_tail": tails(self.whole_tile, space),
                    "epilogue": labels,
                    "layout_hints": {"C_stride": self.stride},
                }
                | self.fields
            )
        )
        return module

    @cached_property
    def compiled(self) -> Program:
        return compile_module(self.module(), "sm90")

    def arrays(self) -> list[Array]:
        """Returns integers, which are small enough in the operands that sums are exact."""
        (on := Text()).finish(*self.program(on))
        rng = np.random.default_rng(0)
        reach = {"i8": (-128, 128), "ui8": (0, 256)}
        return [rng.integers(*reach.get(a.dtype, (-4, 5)), a.sizes).astype(NUMPY[a.dtype]) for a in on.arguments]

    def run(self, seed: int | None = None, program: Program | None = None) -> tuple[tuple[Array, ...], Report]:
        device = Emulator(seed=seed)
        got = execute(program or self.compiled, self.arrays(), device)
        (report,) = device.reports
        return got, report

    def agrees(self, seed: int | None = None, program: Program | None = None) -> Report:
        """Requires NumPy's result. The emulator raises on races and other faults."""
        got, report = self.run(seed, program)
        for mine, want in zip(got, self.program(Exact(self.arrays())), strict=True):
            assert (mine.dtype, mine.shape) == (want.dtype, want.shape)
            np.testing.assert_array_equal(mine.astype(np.float64), want.astype(np.float64), str(self))
        return report


def lanes(report: Report, *prefixes: str) -> int:
    """Returns the number of lanes that execute instructions with these prefixes."""
    return sum(count for name, count in report.opcodes.items() if name.startswith(prefixes))


def multiprocessors(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """Makes the sm90 machines have this number of multiprocessors, each of which runs one block at a time."""
    for name, machine in MACHINES.items():
        if machine.arch == "sm90":
            monkeypatch.setitem(MACHINES, name, replace(machine, multiprocessors=count))


TMA_LOAD, TMA_STORE = "cp.async.bulk.tensor.2d.shared", "cp.async.bulk.tensor.2d.global"
MULTICAST = "multicast::cluster"
LAYOUTS = [("k", "n"), ("m", "n"), ("k", "k"), ("m", "k")]

# --- types and layouts ----------------------------------------------------------------------------


EVERY_LAYOUT = [(dtype, *layout) for dtype in ("bf16", "tf32", "e4m3", "i8") for layout in LAYOUTS]
SOME_LAYOUT = [(dtype, *LAYOUTS[k % 4]) for k, dtype in enumerate(KINDS) if (dtype, "k", "k") not in EVERY_LAYOUT]


@pytest.mark.sampled(12)
@pytest.mark.parametrize(("dtype", "a", "b"), EVERY_LAYOUT + SOME_LAYOUT)
def test_types_and_layouts(dtype: str, a: str, b: str):
    """wgmma reads MN-major 16-bit operands directly; threads transpose those of other types."""
    case = Case(dtype, (128, 64, 640 // KINDS[dtype].bytes // 2), a=a, b=b)
    report = case.agrees()
    assert lanes(report, "wgmma.mma_async") and not lanes(report, "mma.sync", "ldmatrix")
    copied = case.kind.bytes != 2 and (a, b) != ("k", "k")
    assert bool(lanes(report, TMA_LOAD)) == (not copied or (a, b) != ("m", "n"))
    assert ("fence.proxy.async" in case.compiled.cuda) or not copied


@pytest.mark.sampled(8)
@pytest.mark.parametrize("dtype", KINDS)
def test_types_with_tails(dtype: str):
    """Whole 16-byte rows, yet no whole tile along any axis."""
    each = 16 // KINDS[dtype].bytes
    Case(dtype, (72 + each, 40 + each, 5 * each * 5), a="k", b="k").agrees()


@pytest.mark.sampled(8)
@pytest.mark.parametrize("dtype", KINDS)
def test_rows_that_are_not_of_16_bytes_are_copied_by_threads(dtype: str):
    a, b = LAYOUTS[list(KINDS).index(dtype) % 4]
    case = Case(dtype, (70, 67, 137), a=a, b=b)
    report = case.agrees()
    assert not lanes(report, TMA_LOAD) and lanes(report, "fence.proxy.async")


@pytest.mark.parametrize(("dtype", "bytes_"), [("bf16", 4), ("f16", 8), ("i8", 4)])
def test_rows_of_few_bytes_are_copied_in_chunks(dtype: str, bytes_: int):
    """cp.async moves what alignment allows."""
    size = KINDS[dtype].bytes
    case = Case(dtype, (70, 40, (16 * 9 + bytes_) // size), a="k", b="k")
    report = case.agrees()
    chunk = {name: counts.bytes["copy"] for name, counts in report.by_opcode.items() if name.startswith("cp.async.ca")}
    assert chunk and not lanes(report, TMA_LOAD)
    assert f", {bytes_}" in case.compiled.cuda


@pytest.mark.parametrize(("size", "a", "b"), [((70, 131, 136), "k", "n"), ((67, 72, 136), "m", "n")])
def test_one_operand_by_tma_and_the_other_by_threads(size: Size, a: str, b: str):
    case = Case(size=size, a=a, b=b)
    report = case.agrees(3)
    assert lanes(report, TMA_LOAD) and lanes(report, "fence.proxy.async")


@pytest.mark.parametrize("b", ["n", "k"])
def test_f32_operands_are_rounded_to_tf32(b: str):
    """Rounding is to ten fraction bits, to nearest. Threads copy operands stored along n, TMA the others."""
    case, rng = Case("tf32", (64, 64, 64), tile=(64, 64), b=b), np.random.default_rng(3)
    x, w = np.zeros((64, 64), np.float32), rng.standard_normal((64, 64)).astype(np.float32)
    x[np.arange(64), rng.integers(0, 64, 64)] = 1
    (got,) = execute(case.compiled, [x, w if b == "n" else w.T.copy()], Emulator())
    np.testing.assert_array_equal(got, x @ tf32(w))


# --- sizes ----------------------------------------------------------------------------------------

SIZES = {
    "smaller than a tile": (40, 24, 32),
    "two elements": (1, 2, 1),
    "two rows": (2, 72, 80),  # one row of such weights is a reduction of rows
    "one column": (72, 1, 80),
    "an outer product": (72, 80, 1),
    "one row more than a tile": (129, 64, 64),
    "one column more than a tile": (128, 65, 64),
    "one of k more than a step": (128, 64, 65),
    "tails everywhere": (150, 70, 130),
    "aligned tails": (136, 72, 200),
    "many steps": (64, 64, 1024),
}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", SIZES)
def test_sizes(name: str):
    a, b = LAYOUTS[list(SIZES).index(name) % 4]
    Case(size=SIZES[name], a=a, b=b).agrees()


@pytest.mark.parametrize(("batch", "size", "out"), [((3,), (72, 40, 72), "bf16"), ((2, 3), (35, 33, 41), None)])
def test_batches(batch: tuple[int, ...], size: Size, out: str | None):
    """A tail of one batch must not reach into the next."""
    Case(size=size, batch=batch, out=out, b="k").agrees()


def offset(text: str, row: int, column: int, more: tuple[int, int]) -> str:
    """Returns the tile program with a larger left operand, of which it reads the part from `row` and `column` on."""
    (m, k) = (int(n) for n in re.search(r"%a0: memref<(\d+)x(\d+)x", text).groups())  # pyright: ignore[reportOptionalMemberAccess]
    text = text.replace(f"memref<{m}x{k}xbf16>", f"memref<{m + more[0]}x{k + more[1]}xbf16>")
    return text.replace("[(i0), (i2)]", f"[({row} + i0), ({column} + i2)]")


@pytest.mark.parametrize(("row", "column", "more", "tma"), [(3, 8, (5, 16), True), (2, 3, (5, 16), False)])
def test_a_part_of_a_matrix(row: int, column: int, more: tuple[int, int], tma: bool):
    """TMA sees the part as an array of its own: what lies behind it in memory is not read."""
    case = Case(size=(72, 64, 104), tile=(64, 64))
    lowered = PassManager("region-to-pto").run(case.module())
    program = compile_module(ptir.parse(offset(str(lowered), row, column, more)), "sm90")
    (m, _, k), (x, w) = case.size, case.arrays()
    large = np.full((m + more[0], k + more[1]), np.nan, x.dtype)
    large[row : row + m, column : column + k] = x
    device = Emulator()
    (got,) = execute(program, [large, w], device)
    np.testing.assert_array_equal(got, x.astype(np.float32) @ w.astype(np.float32))
    assert ("map_a" in program.cuda) == tma


# --- results --------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(136, 72, 64), (133, 67, 64)], ids=["whole rows", "odd rows"])
@pytest.mark.parametrize("out", [None, "f16", "f8E4M3FN"])
def test_types_of_results(out: str | None, size: Size):
    """16 bits and the sums themselves leave by TMA if their rows are of 16 bytes, all else by the lanes."""
    case = Case(size=size, out=out, a="m", b="k")
    report = case.agrees()
    assert bool(lanes(report, TMA_STORE)) == (size[1] == 72 and out != "f8E4M3FN")


@pytest.mark.parametrize("out", [None, "i8"])
def test_types_of_integer_results(out: str | None):
    def clamped(on: Machine, c: Any, case: Case) -> Any:
        low, high = on.number(-128, c), on.number(127, c)
        return on.binary("minimum", on.binary("maximum", c, low), high)

    Case("i8", (136, 72, 128), b="k", out=out, epilogue=clamped).agrees()


def test_integer_sums_as_floats():
    def scaled(on: Machine, c: Any, case: Case) -> Any:
        c = on.cast(c, "f32")
        return on.binary("mul", c, on.number(0.125, c))

    report = Case("i8", (136, 72, 128), b="k", epilogue=scaled).agrees()
    assert lanes(report, TMA_STORE)


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("out", "stride"), [(None, "row"), ("bf16", "row"), ("bf16", "col")])
@pytest.mark.parametrize("epilogue", [row_biased, relu, residual, turned], ids=lambda e: e.__name__)
def test_epilogues(epilogue: Epilogue, out: str | None, stride: str):
    tile, warp = ((64, 128), (64, 64)) if stride == "col" else ((128, 64), (64, 64))
    Case(size=(136, 72, 64), tile=tile, warp=warp, out=out, epilogue=epilogue, stride=stride).agrees()


@pytest.mark.parametrize(("size", "out"), [((136, 72, 64), None), ((136, 72, 64), "bf16"), ((133, 67, 64), "bf16")])
def test_two_results(size: Size, out: str | None):
    Case(size=size, epilogue=two, out=out).agrees()


def test_two_results_of_two_types():
    def narrow_too(on: Machine, c: Any, case: Case) -> Any:
        c = biased(on, c, case)
        return c, on.cast(c, "bf16")

    report = Case(size=(136, 72, 64), epilogue=narrow_too).agrees()
    assert lanes(report, TMA_STORE)


@pytest.mark.parametrize("out", [None, "bf16"])
def test_a_function_is_as_exact_as_it_says(out: str | None):
    case = Case(size=(72, 80, 64), epilogue=tanh, out=out)
    (got,), _ = case.run()
    (want,) = case.program(Bounded(case.arrays(), exact_sums=True))
    assert (np.abs(got.astype(want.value.dtype) - want.value) <= want.off).all()


TILES = {
    "staged in one panel": ({"epilogue_tile": (64, 16)}, "bf16"),
    "staged in rows of 64 bytes": ({"epilogue_tile": (64, 32)}, "bf16"),
    "staged in two panels": ({"epilogue_tile": (64, 128)}, "bf16"),
    "staged f32": ({"epilogue_tile": (64, 16)}, None),
    "staged f32 in two panels": ({"epilogue_tile": (64, 64)}, None),
    "staged f32 in four panels": ({"epilogue_tile": (64, 128)}, None),
}


@pytest.mark.parametrize("name", TILES)
def test_epilogue_tiles(name: str):
    """However results are staged, each element is stored once."""
    fields, out = TILES[name]
    case = Case(size=(72, 104, 64), tile=(64, 128), warp=(64, 128), out=out, fields=fields)
    report = case.agrees()
    assert report.bytes["async_store"] == 72 * 104 * np.dtype(NUMPY[case.result]).itemsize


# --- roles ----------------------------------------------------------------------------------------

COOPERATIVE = {
    "one of 64 rows": ((64, 64), (64, 64)),
    "one of 128 rows": ((128, 64), (128, 64)),
    "two of 64 rows": ((128, 64), (64, 64)),
    "two of 128 rows": ((256, 64), (128, 64)),
    "three of 64 rows": ((192, 64), (64, 64)),
    "three of 128 rows": ((384, 32), (128, 32)),
    "64 x 256 each": ((128, 256), (64, 256)),
    "8 columns": ((64, 8), (64, 8)),
}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", COOPERATIVE)
def test_cooperative_consumers(name: str):
    tile, warp = COOPERATIVE[name]
    out = (None, "bf16")[list(COOPERATIVE).index(name) // 2 % 2]
    case = Case(size=(tile[0] + 72, tile[1] + 8, 136), tile=tile, warp=warp, b="k", out=out)
    report = case.agrees(1)
    assert lanes(report, "setmaxnreg.dec") == (
        0 if tile == warp else lanes(report, "setmaxnreg.inc") * warp[0] // tile[0]
    )


@pytest.mark.parametrize(
    ("warp", "size", "out"),
    [
        ((16, 64), (19, 200, 136), None),
        ((16, 64), (13, 200, 136), "bf16"),
        ((8, 64), (7, 133, 72), "bf16"),
        ((24, 128), (50, 136, 72), "bf16"),
        ((32, 128), (32, 256, 72), "f16"),
    ],
)
def test_the_result_turned(warp: tuple[int, int], size: Size, out: str | None):
    """Few rows along m become columns of wgmma."""
    Case(size=size, tile=(warp[0], 128), warp=warp, stride="col", out=out, b="k").agrees(1)


def pingpong(size: Size, fields: dict[str, Any] | None = None, **changes: Any) -> Case:
    return Case(size=size, tile=(64, 64), fields={"roles": "pingpong"} | (fields or {}), **changes)


PINGPONG = {
    "one tile": pingpong((64, 64, 128)),
    "one tile, one step": pingpong((64, 64, 64)),
    "two tiles": pingpong((128, 64, 128)),
    "three tiles, one step": pingpong((192, 64, 64)),
    "five tiles": pingpong((64, 320, 192), out="bf16"),
    "six tiles, tails": pingpong((130, 120, 72), epilogue=relu),
    "many steps": pingpong((128, 64, 1024), stages=2),
    "fewer steps than stages": pingpong((192, 64, 128), stages=6),
    "as many steps as stages": pingpong((192, 64, 192), stages=3, out="bf16"),
    "copied by threads": pingpong((131, 67, 133)),
    "one copied by threads": pingpong((128, 67, 136)),
    "fp8": pingpong((128, 128, 384), dtype="e4m3", b="k"),
    "turned": pingpong((70, 190, 136), stride="col", out="bf16"),
}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", PINGPONG)
def test_pingpong(name: str, monkeypatch: pytest.MonkeyPatch):
    """Many rounds of one block, or as many blocks as tiles."""
    blocks = (1, 132)[list(PINGPONG).index(name) % 2]
    multiprocessors(monkeypatch, blocks)
    replace(PINGPONG[name]).agrees(blocks)


@pytest.mark.campaign
@pytest.mark.parametrize("cluster", [(2, 1), (2, 2)])
def test_pingpong_in_clusters(cluster: tuple[int, int], monkeypatch: pytest.MonkeyPatch):
    multiprocessors(monkeypatch, 4)
    pingpong((200, 300, 136), {"cluster": cluster}).agrees(1)


def alternating(size: Size, fields: dict[str, Any] | None = None, **changes: Any) -> Case:
    return Case(size=size, fields={"accumulators": 2} | (fields or {}), **{"tile": (128, 64), **changes})


ALTERNATING = {
    "one tile, one step": (1, alternating((128, 64, 64))),
    "one tile": (132, alternating((120, 40, 136))),
    "two tiles": (1, alternating((256, 64, 128), out="bf16")),
    "three tiles, one step": (1, alternating((384, 64, 64))),
    "three tiles of two blocks": (2, alternating((384, 64, 320), stages=4)),
    "five tiles, tails": (1, alternating((128, 300, 200), out="bf16", epilogue=relu)),
    "six tiles of two blocks": (2, alternating((384, 128, 192), stages=2)),
    "seven tiles of three blocks": (3, alternating((128, 448, 448), stages=3, b="k")),
    "copied by threads": (1, alternating((259, 67, 203))),
    "copied by threads to two slots": (1, alternating((259, 67, 203), stages=2)),
    "one copied by threads": (2, alternating((257, 131, 136))),
    "a cluster": (2, alternating((512, 136, 200), {"cluster": (2, 1)}, out="bf16")),
    "one warpgroup": (1, alternating((192, 64, 136), tile=(64, 64))),
    "128 rows each": (1, alternating((512, 64, 136), tile=(256, 64), warp=(128, 64))),
    "turned": (1, alternating((140, 190, 136), tile=(64, 128), stride="col", out="bf16")),
    "unrolled": (1, alternating((256, 64, 512), {"unroll": {"k.o": 2}}, stages=2)),
    "integers": (1, alternating((256, 64, 384), dtype="i8", b="k")),
    "two results": (1, alternating((384, 72, 64), epilogue=two)),
    "batches": (2, alternating((136, 72, 72), batch=(3,))),
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", ALTERNATING)
def test_accumulators_alternate(name: str, monkeypatch: pytest.MonkeyPatch):
    """Even and odd numbers of tiles of a block, one included, and k of one step and more; the schedule is drawn."""
    blocks, case = ALTERNATING[name]
    multiprocessors(monkeypatch, blocks)
    replace(case).agrees(list(ALTERNATING).index(name))


@pytest.mark.campaign
@pytest.mark.parametrize("stages", [2, 3, 4, 5])
def test_accumulators_alternate_at_every_position_of_the_ring(stages: int, monkeypatch: pytest.MonkeyPatch):
    multiprocessors(monkeypatch, 1)
    for tiles, steps in product(range(1, 5), range(1, 7)):
        alternating((tiles * 64, 64, steps * 64), tile=(64, 64), stages=stages).agrees(tiles + steps)


def test_accumulators_do_not_alternate_if_fp8_products_are_promoted():
    with pytest.raises(
        PlanMismatch, match="accumulators is 2, but fp8 products are promoted between the wgmmas of a tile"
    ):
        replace(alternating((128, 64, 128), dtype="e4m3", b="k")).compiled  # noqa: B018


def test_wgmmas_of_the_next_tile_run_under_an_epilogue(monkeypatch: pytest.MonkeyPatch):
    """Between the wgmmas of the next tile and the wait for them, the SASS stores a tile; ptxas neither spills nor serializes."""
    multiprocessors(monkeypatch, 1)
    binary = alternating((512, 128, 512), tile=(128, 128), warp=(64, 128), out="bf16", stages=4).compiled.binary
    (used,), (function,) = binary.kernels.values(), sass.instructions(binary.cubin).values()
    assert not (used.spill_stores or used.spill_loads or binary.remarks)
    pending, stored_under = False, 0
    for instruction in function:
        if instruction.name == "HGMMA":
            pending = True
        elif instruction.opcode.startswith("WARPGROUP.DEPBAR"):
            pending = False
        stored_under += pending and instruction.name == "STSM"
    assert stored_under == 2 * 8, "two epilogues of the loop; the third one is the last tile's"


# --- the ring -------------------------------------------------------------------------------------


@pytest.mark.sampled(8)
@pytest.mark.parametrize("stages", range(2, 9))
def test_depths(stages: int, monkeypatch: pytest.MonkeyPatch):
    """Every slot is used more than once, and the ring goes on from tile to tile."""
    multiprocessors(monkeypatch, 2)
    Case(size=(192, 128, 320), tile=(64, 64), stages=stages, b="k").agrees(stages)


@pytest.mark.parametrize("bytes_", [32, 64, 256, 384])
@pytest.mark.parametrize(("a", "b"), [("k", "n"), ("m", "k")], ids=lambda axis: str(axis))
def test_rows_of_shared_memory(bytes_: int, a: str, b: str):
    """Panels of 32, 64 and 128 bytes, and several."""
    side = bytes_ // 2
    tile = (64, side if b == "n" else 64, side)
    Case(size=(64, 136, 160), tile=tile, warp=tile[:2], a=a, b=b, stages=2).agrees()


@pytest.mark.parametrize(("blocks", "out"), [(1, None), (3, "bf16"), (5, None)])
def test_blocks_take_tile_after_tile(blocks: int, out: str | None, monkeypatch: pytest.MonkeyPatch):
    multiprocessors(monkeypatch, blocks)
    case = Case(size=(200, 136, 136), tile=(64, 64), out=out, epilogue=relu)
    report = case.agrees(blocks)
    assert lanes(report, "mbarrier.init") == blocks * 2 * case.stages


# --- clusters -------------------------------------------------------------------------------------

CLUSTERS = [(2, 1), (1, 2), (2, 2), (4, 1), (1, 4), (4, 2), (2, 4)]


def clustered(cluster: tuple[int, int], **changes: Any) -> Case:
    return Case(size=(384, 192, 72), fields={"cluster": cluster, **changes.pop("fields", {})}, **changes)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("cluster", CLUSTERS, ids=str)
def test_clusters_share_what_they_load(cluster: tuple[int, int]):
    """3 x 3 tiles, so that some blocks of a cluster have none: they load for their neighbours all the same."""
    a, b = LAYOUTS[CLUSTERS.index(cluster) % 4]
    case = clustered(cluster, a=a, b=b)
    report = case.agrees()
    assert sum(n for name, n in report.opcodes.items() if MULTICAST in name)
    boxes = re.findall(r"tensor_map<(\d+)x(\d+)xbf16", str(case.compiled.module))
    (bm, bn, bk), (cm, cn) = case.whole_tile, cluster
    rows = {bm // cn if a == "k" else bk // cn, bn // cm if b == "k" else bk // cm}
    assert {int(rows) for rows, columns in boxes} == rows and {int(columns) for rows, columns in boxes} == {64}


@pytest.mark.parametrize(("cluster", "seed"), [((2, 1), 0), ((2, 1), 1), ((2, 2), 2)], ids=str)
def test_clusters_under_any_schedule(cluster: tuple[int, int], seed: int, monkeypatch: pytest.MonkeyPatch):
    multiprocessors(monkeypatch, 5)
    clustered(cluster, out="bf16", epilogue=relu, stages=2).agrees(seed)


@pytest.mark.parametrize("dtype", ["e4m3", "i8", "tf32"])
def test_clusters_of_other_types(dtype: str):
    case = clustered((2, 1), dtype=dtype, b="k")
    replace(case, size=(384, 100, 96)).agrees()


@pytest.mark.parametrize(
    ("cluster", "size"),
    [((2, 1), (200, 131, 136)), ((1, 2), (200, 131, 136)), ((2, 1), (203, 136, 136)), ((2, 2), (203, 131, 133))],
    ids=str,
)
def test_clusters_with_copies_by_threads(cluster: tuple[int, int], size: Size):
    """What threads copy is not shared, what TMA loads beside it is."""
    a = "k" if size[0] == 200 else "m"
    Case(size=size, a=a, fields={"cluster": cluster}).agrees(2)


def test_clusters_share_no_batch():
    """A block of a cluster has the same batch as its neighbours."""
    Case(size=(200, 72, 72), batch=(3,), fields={"cluster": (2, 1)}).agrees()


# --- orders ---------------------------------------------------------------------------------------

ORDERS = ["row", "col", "grouped_1", "grouped_2", "grouped_3", "grouped_4", "grouped_8"]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("order", ORDERS)
def test_orders(order: str, monkeypatch: pytest.MonkeyPatch):
    """Each tile once, in any order."""
    multiprocessors(monkeypatch, 2)
    for down, across in ((1, 5), (5, 1), (5, 3))[ORDERS.index(order) % 2 :: 2]:
        Case(size=(down * 64 - 3, across * 64 - 3, 16), tile=(64, 64, 16), fields={"order": order}).agrees()


@pytest.mark.parametrize("order", ["col", "grouped_2", "grouped_4", "hilbert_2"])
def test_orders_of_clusters(order: str, monkeypatch: pytest.MonkeyPatch):
    multiprocessors(monkeypatch, 4)
    size = (500, 120, 16) if order == "hilbert_2" else (300, 136, 16)
    Case(size=size, tile=(64, 64, 16), batch=(2,), fields={"order": order, "cluster": (2, 1)}).agrees()


@pytest.mark.campaign
def test_an_order_is_what_it_says(monkeypatch: pytest.MonkeyPatch):
    """One block takes the tiles; the trace of what it stores differs, its amount does not."""
    multiprocessors(monkeypatch, 1)
    traces: dict[str, int] = {}
    for order in ("row", "col", "grouped_1", "grouped_2", "grouped_4", "hilbert_2", "hilbert_4"):
        case, device = Case(size=(256, 256, 16), tile=(64, 64, 16), fields={"order": order}), Emulator(trace=True)
        execute(case.compiled, case.arrays(), device)
        traces[order] = device.reports[0].trace
    assert traces["row"] == traces["grouped_1"] and traces["col"] == traces["grouped_4"]
    assert len(set(traces.values())) == 5


# --- sums that blocks share -----------------------------------------------------------------------


def summed(how: str, split: int = 1, **fields: Any) -> dict[str, Any]:
    return {"algo_choice": {"matmul": how}, "split": split, **fields}


SPLITS = {
    "serial 2": summed("splitk_serial", 2),
    "serial 4": summed("splitk_serial", 4),
    "parallel 2": summed("splitk_parallel", 2),
    "parallel 4": summed("splitk_parallel", 4),
    "stream-k": summed("stream_k"),
    "serial, cluster": summed("splitk_serial", 2, cluster=(2, 1)),
    "parallel, cluster": summed("splitk_parallel", 4, cluster=(1, 2)),
    "stream-k, cluster": summed("stream_k", cluster=(2, 1)),
    "stream-k, grouped": summed("stream_k", order="grouped_2"),
    "stream-k, a curve": summed("stream_k", order="hilbert_2"),
}


@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", SPLITS)
def test_sums_that_blocks_share(name: str, monkeypatch: pytest.MonkeyPatch):
    """7 steps of 4 tiles, on fewer blocks than there is work and on more; the schedule is drawn."""
    for blocks in (6, 132)[SPLITS[name].get("cluster") is not None :]:
        multiprocessors(monkeypatch, blocks)
        case = Case(size=(128, 64, 448), tile=(64, 32), warp=(64, 32), out="bf16", epilogue=relu, fields=SPLITS[name])
        case.agrees(blocks)


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("name", "size", "a"),
    [
        ("serial 2", (131, 67, 259), "k"),
        ("parallel 2", (136, 67, 260), "m"),
        ("stream-k", (131, 67, 259), "k"),
        ("stream-k", (136, 72, 260), "m"),
    ],
)
def test_shared_sums_with_tails(name: str, size: Size, a: str, monkeypatch: pytest.MonkeyPatch):
    multiprocessors(monkeypatch, 3)
    Case(size=size, a=a, fields=SPLITS[name]).agrees(1)


@pytest.mark.parametrize(("name", "dtype"), [("serial 4", "ui8"), ("parallel 4", "tf32"), ("stream-k", "e5m2")])
def test_shared_sums_of_other_types(name: str, dtype: str, monkeypatch: pytest.MonkeyPatch):
    multiprocessors(monkeypatch, 5)
    k = 4 * ROW_BYTES // KINDS[dtype].bytes
    Case(dtype, (128, 96, k), b="k", tile=(128, 32), warp=(64, 32), fields=SPLITS[name]).agrees(2)


@pytest.mark.parametrize("name", ["serial 2", "parallel 2", "stream-k"])
def test_shared_sums_turned(name: str, monkeypatch: pytest.MonkeyPatch):
    multiprocessors(monkeypatch, 5)
    fields, tile, warp = SPLITS[name], (16, 128), (16, 64)
    Case(size=(13, 200, 384), tile=tile, warp=warp, stride="col", out="bf16", fields=fields).agrees(1)


# --- structure ------------------------------------------------------------------------------------


def main_loop(ptx: str) -> list[str]:
    """Returns the instructions between the first and the last wgmma."""
    lines = ptx.splitlines()
    found = [k for k, line in enumerate(lines) if "wgmma.mma_async" in line]
    return lines[found[0] : found[-1] + 1]


STRUCTURES = {
    "cooperative": Case(size=(256, 64, 256), out="bf16", epilogue=relu),
    "pingpong": pingpong((128, 128, 256), out="bf16"),
    "cluster": Case(size=(384, 128, 136), fields={"cluster": (2, 1)}),
    "copies": Case(size=(131, 67, 133)),
}


@pytest.mark.parametrize("name", STRUCTURES)
def test_consumers_wait_at_mbarriers_only(name: str):
    """
    No barrier of the block or of a warpgroup delays the multiplications, and accumulators are not set to zero in a separate pass.
    """
    program = STRUCTURES[name].compiled
    assert not [line for line in main_loop(program.binary.ptx) if re.search(r"\bbar(rier)?\.", line)]
    assert program.cuda.count("wgmma_fence();") == 1
    assert not re.search(r"acc\[.*\] = 0", program.cuda)


def test_each_box_is_loaded_once_and_stored_once():
    """A panel of A and B is 64 elements wide: B of 64 columns has one, a result of 128 bytes a row too."""
    case = Case(size=(256, 128, 256), out="bf16")
    report = case.agrees()
    tiles, steps = 4, 4
    assert lanes(report, TMA_LOAD) == tiles * steps * 2
    assert lanes(report, TMA_STORE) == tiles * 2 * 4  # warpgroups, warps
    assert lanes(report, "mbarrier.arrive.expect_tx") == tiles * steps
    assert lanes(report, "wgmma.mma_async") == tiles * steps * 4 * 256
    assert report.bytes["async_load"] == tiles * steps * (128 + 64) * 64 * 2
    assert report.bytes["async_store"] == 256 * 128 * 2
    assert not lanes(report, "ld.global", "st.global", "cp.async.ca", "cp.async.cg")


EPILOGUE_BUGS = {
    "elements are not fenced": (r"fence_async\(\);\n", ""),
    "a store does not wait for the warp": (r"(fence_async\(\);\s*)__syncwarp\(\);", r"\1"),
    "a buffer that is read is filled": (r"bulk_wait_read<1>\(\);(\s*\}\s*__syncwarp)", r"bulk_wait_read<2>();\1"),
    "a warp does not wait for its thread's store": (r"(bulk_wait_read<1>\(\);\s*\}\s*)__syncwarp\(\);", r"\1"),
    "another warp's rows": (r"warp_row = \(warp % 4\)", "warp_row = (warp % 4 ^ 1)"),
    "the last store is not waited for": (r"bulk_wait_read<0>\(\);", ""),
}
"""Replacements in the text of a kernel."""


@pytest.mark.parametrize("name", EPILOGUE_BUGS)
def test_bugs_in_the_epilogue_are_noticed(name: str, monkeypatch: pytest.MonkeyPatch):
    """Two buffers for four epilogue tiles, and one block for two tiles: every buffer is filled again, in a tile and in the next."""
    multiprocessors(monkeypatch, 1)
    case = Case(size=(64, 128, 64), out="bf16", tile=(64, 64), fields={"epilogue_tile": (64, 16)})
    pattern, replacement = EPILOGUE_BUGS[name]
    text, count = re.subn(pattern, replacement, case.compiled.cuda)
    assert count
    changed = replace(case.compiled, cuda=text, binary=compile_cuda(text, "sm_90a", allow_remarks=True))
    with pytest.raises((EmulatorFault, AssertionError)):
        case.agrees(program=changed)


@pytest.mark.parametrize("stride", ["row", "col"])
def test_staged_results_of_16_bits_have_no_bank_conflicts(stride: str):
    case = Case("f16", (128, 128, 64), tile=(64, 64), out="f16", stride=stride)
    report = case.agrees()
    assert lanes(report, "stmatrix") and report.bank_conflicts == 0


@pytest.mark.parametrize("columns", [64, 48])
def test_staged_results_of_32_bits_have_no_bank_conflicts(columns: int):
    report = Case("bf16", (128, columns, 64), tile=(64, columns), warp=(64, columns), b="k").agrees()
    assert lanes(report, "st.shared.v2") and report.bank_conflicts == 0


@pytest.mark.parametrize("name", STRUCTURES)
def test_the_printed_nv_module_gives_the_same_cuda(name: str):
    module = PassManager("region-to-pto,pto-to-nv").run(STRUCTURES[name].module())
    text = str(module)
    again = ptir.parse(text)
    assert str(again) == text and emit_cuda(again).text == emit_cuda(module).text


@pytest.mark.parametrize("seed", [1])
@pytest.mark.parametrize("name", STRUCTURES)
def test_any_schedule_gives_the_same_bits(name: str, seed: int, monkeypatch: pytest.MonkeyPatch):
    multiprocessors(monkeypatch, 2)
    replace(STRUCTURES[name]).agrees(seed)


# --- plans that nobody thought of -----------------------------------------------------------------


def random_case(seed: int) -> Case:
    """Returns a random case: a legal plan that fits, for a problem of a few tiles."""
    rng = np.random.default_rng(seed)

    def pick(*values: Any) -> Any:
        return values[rng.integers(len(values))]

    while True:
        dtype, a, b, stride = pick(*KINDS), pick("k", "m"), pick("n", "k"), pick("row", "col")
        size, roles = KINDS[dtype].bytes, pick("cooperative", "cooperative", "pingpong")
        rows, columns = pick(64, 64, 128), pick(8, 16, 24, 32, 64, 96, 128)
        consumers = 1 if roles == "pingpong" else pick(1, 2, 3)
        bk = pick(32, 64, 128, 256) // size
        computed = (rows * consumers, columns)
        tile = (*(computed[::-1] if stride == "col" else computed), bk)
        warp = (columns, rows) if stride == "col" else (rows, columns)
        cluster = pick((1, 1), (2, 1), (1, 2), (2, 2))
        how, split = pick(
            ("implicit_gemm", 1), ("implicit_gemm", 1), ("splitk_serial", 2), ("splitk_parallel", 2), ("stream_k", 1)
        )
        shared_sums = how != "implicit_gemm"
        aligned = 16 // size if rng.integers(3) else 1
        m, n, k = (int(rng.integers(1, 150 // aligned)) * aligned for _ in range(3))
        k *= pick(1, 1, 4)
        a_row, b_row = (tile[2] if a == "k" or size != 2 else tile[0]), (tile[2] if b == "k" or size != 2 else tile[1])
        a_rows = tile[0] if a_row == tile[2] else tile[2]
        b_rows = tile[1] if b_row == tile[2] else tile[2]
        swizzled = all(r * size in (32, 64) or r * size % 128 == 0 for r in (a_row, b_row))
        shares = a_rows % (8 * cluster[1]) == 0 and b_rows % (8 * cluster[0]) == 0
        steps = -(-k // bk)
        fills = -(-steps // -(-steps // split)) == split
        tiles = -(-m // tile[0]), -(-n // tile[1])
        divides = not shared_sums or (tiles[0] % cluster[0] == 0 and tiles[1] % cluster[1] == 0)
        narrow = KINDS[dtype].accum != "i32" or columns in (8, 24) or columns % 16 == 0
        stages = pick(2, 3, 4, 6)
        fits = (
            stages * sum(tile[:2]) * bk * size <= 96 * 1024 and rows * columns * (2 if "e" in dtype else 1) <= 128 * 96
        )
        if swizzled and shares and fills and divides and narrow and fits and not (shared_sums and roles == "pingpong"):
            break
    order = pick("row", "col", f"grouped_{cluster[0] * pick(1, 2, 3)}")
    out = pick(None, None, "bf16", "f16") if KINDS[dtype].accum == "f32" else None
    epilogue = pick(plain, plain, relu, residual, two, turned)
    fields = {"roles": roles, "cluster": cluster, "order": order, "split": split, "algo_choice": {"matmul": how}}
    return Case(dtype, (m, n, k), tile, warp, a, b, stages, out, epilogue, pick((), (), (2,)), stride, fields)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(10))
def test_random_plans(seed: int, monkeypatch: pytest.MonkeyPatch):
    multiprocessors(monkeypatch, (4, 7, 132)[seed % 3])
    random_case(seed).agrees(seed if seed % 2 else None)
