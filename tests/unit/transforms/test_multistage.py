"""
The multistage template with pinned plans: all element types, operand layouts, warp tiles, numbers of stages, bufferings and vector
widths, on sizes with tails, compiled and run in the emulator.

Inputs are integers whose sums are exact, so that results equal NumPy's, bit for bit, with any plan. Two tests use numbers that
tf32 does not represent, to see whether operands are rounded.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from dataclasses import replace as changed
from operator import add, floordiv, mod, mul, sub
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Operation, SSAValue

import ptir
from ptir.backends.cuda.emit import emit_cuda
from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.plan.schedule import Cache, LocalEdge, Schedule, Vectorize
from ptir.dialects.region import RegionKernelOp
from ptir.passes.manager import PassManager
from ptir.planning.tile_order import positions
from ptir.runtime.compile import compile_module
from ptir.runtime.devices import Emulator
from ptir.runtime.execute import execute
from ptir.targets.mma import MMAS, Mma

pytestmark = pytest.mark.sampled(4)

Size = tuple[int, int, int]
NUMPY: dict[str, Any] = {
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f32": np.float32,
    "tf32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "ui8": np.uint8,
    "i32": np.int32,
}
INSTRUCTION = {
    "bf16": "m16n8k16",
    "f16": "m16n8k16",
    "tf32": "m16n8k8",
    "f32": "fma",
    "f64": "m8n8k4",
    "i8": "m16n8k32",
    "ui8": "m16n8k32",
}
ACCUM = {"m16n8k32": "i32", "m8n8k4": "f64"}


@dataclass(frozen=True)
class Case:
    """
    A contraction and its plan. `a` and `b` name the contiguous axis of each operand, `fast` the axis along which warps are
    adjacent.
    """

    dtype: str
    size: Size
    tile: Size
    warp: tuple[int, int]
    stages: int = 3
    a: str = "k"
    b: str = "n"
    double: bool = True
    width: int = 8
    swizzle: tuple[bool, bool] = (True, True)
    fast: str = "n"
    stride: str = "row"
    order: str = "row"
    swapped: bool = False
    unrolled: bool = False

    @property
    def mma(self) -> Mma:
        return MMAS[INSTRUCTION[self.dtype]]

    @property
    def element(self) -> str:
        return "f32" if self.dtype == "tf32" else self.dtype

    @property
    def accum(self) -> str:
        return ACCUM.get(self.mma.name, "f32")

    @property
    def text(self) -> str:
        m, n, k = self.size
        left, right = (f"{m}x{k}", f"{k}x{n}")
        left, right = (left if self.a == "k" else f"{k}x{m}"), (right if self.b == "n" else f"{n}x{k}")
        x, w, y = f"tensor<{left}x{self.element}>", f"tensor<{right}x{self.element}>", f"tensor<{m}x{n}x{self.accum}>"
        axes = f"contract [{int(self.a == 'k')}] x [{int(self.b == 'k')}]"
        precision = "precision tf32 " if self.dtype == "tf32" else ""
        return f"""
        func.func @g(%x: {x}, %w: {w}) -> {y} {{
          %0 = ptir.dot_general %x, %w {axes} accum {self.accum} out {self.accum} {precision}: ({x}, {w}) -> {y}
          func.return %0 : {y}
        }}"""

    @property
    def plan(self) -> Schedule:
        axes = zip(("m.i.i", "n.i.i", "k.i.i"), self.size, self.tile, strict=True)
        fast, slow = ("n", "m") if self.fast == "n" else ("m", "n")
        edges = tuple(LocalEdge(source=s, target="sum", buffer="reg", depth=2) for s in "AB") if self.double else ()
        return Schedule(
            arch="sm80",
            tile=self.tile,
            stages=self.stages,
            warp_tile=f"{self.warp[0]}x{self.warp[1]}",
            order=self.order,
            unroll={"k.o": self.stages} if self.unrolled else {},
            bind={
                "m.o": f"block.{'yx'[self.swapped]}",
                "n.o": f"block.{'xy'[self.swapped]}",
                f"{slow}.i.o": "warp.y",
                f"{fast}.i.o": "warp.x",
            },
            cache=(Cache(tensor="A"), Cache(tensor="B")),
            vectorize=Vectorize(axis="m.i.i" if self.stride == "col" else "n.i.i", width=self.width),  # pyright: ignore[reportArgumentType]
            predicate_tail=tuple(axis for axis, size, step in axes if size % step),
            layout_hints={"A_swizzle": self.swizzle[0], "B_swizzle": self.swizzle[1], "C_stride": self.stride},
            algo_choice={"matmul": "implicit_gemm"},
            local_edges=edges,
        )

    def module(self, pipeline: str = "") -> ModuleOp:
        """Returns the program's region with the plan, after further passes."""
        module = PassManager("ptir-to-tiny,form-regions").run(ptir.parse(self.text))
        (kernel,) = (op for op in module.walk() if isinstance(op, RegionKernelOp))
        kernel.plan = ScheduleAttr(self.plan)
        return PassManager(pipeline).run(module) if pipeline else module

    def turned(self, x: Any, w: Any) -> tuple[Any, Any]:
        """Returns the matrices in the layouts that the program expects, from M x K and K x N."""
        return (x if self.a == "k" else x.T.copy()), (w if self.b == "n" else w.T.copy())

    def run(self, x: Any, w: Any, seed: int | None = None) -> tuple[Any, Emulator]:
        device = Emulator(seed=seed)
        (got,) = execute(compile_module(self.module(), "sm80"), list(self.turned(x, w)), device)
        return got, device

    def agrees(self, seed: int = 0) -> Emulator:
        """Requires NumPy's result on integers. The emulator raises on races and other faults."""
        (m, n, k), rng = self.size, np.random.default_rng(seed)
        low, high = {"i8": (-128, 128), "ui8": (0, 256)}.get(self.dtype, (-4, 5))
        x, w = (rng.integers(low, high, s) for s in ((m, k), (k, n)))
        got, device = self.run(x.astype(NUMPY[self.dtype]), w.astype(NUMPY[self.dtype]), seed)
        np.testing.assert_array_equal(got, (x @ w).astype(NUMPY[self.accum]), str(self), strict=True)
        return device


# --- every element type, every layout -------------------------------------------------------------

TILES: dict[str, tuple[Size, tuple[int, int]]] = {
    "bf16": ((64, 64, 32), (32, 32)),
    "f16": ((64, 32, 64), (16, 16)),
    "tf32": ((32, 32, 16), (16, 16)),
    "f32": ((32, 32, 16), (32, 8)),
    "f64": ((16, 32, 16), (8, 16)),
    "i8": ((64, 64, 64), (16, 32)),
    "ui8": ((64, 64, 64), (32, 32)),
}
LAYOUTS = [("k", "n"), ("m", "n"), ("k", "k"), ("m", "k")]


@pytest.mark.sampled(18)
@pytest.mark.parametrize(("a", "b"), LAYOUTS, ids=lambda axis: str(axis))
@pytest.mark.parametrize("dtype", TILES)
def test_types_and_layouts(dtype: str, a: str, b: str):
    """If memory is aligned and swizzled, there are no bank conflicts."""
    tile, warp = TILES[dtype]
    case = Case(dtype, (64, 64, 128), tile, warp, a=a, b=b, stages=3 + (a == b))
    assert case.agrees().reports[0].bank_conflicts == 0


@pytest.mark.sampled(2)
@pytest.mark.parametrize("dtype", TILES)
def test_types_with_tails(dtype: str):
    tile, warp = TILES[dtype]
    a, b = LAYOUTS[list(TILES).index(dtype) % 4]
    Case(dtype, (50, 35, 75), tile, warp, a=a, b=b, stages=2, width=1).agrees()


PLANS = {
    "two elements": Case("bf16", (1, 2, 1), (16, 16, 32), (16, 16)),
    "two elements of f64": Case("f64", (2, 1, 1), (8, 8, 8), (8, 8), b="k", stages=2),
    "two bytes": Case("ui8", (1, 2, 1), (16, 16, 64), (16, 8), b="k", width=1),
    "tails everywhere": Case("bf16", (150, 70, 130), (64, 64, 32), (32, 32), width=2),
    "odd tails": Case("f16", (33, 27, 65), (32, 32, 32), (16, 16), a="m", b="k", width=1),
    "odd tails, one buffer": Case("f16", (33, 27, 65), (32, 32, 16), (16, 16), double=False, width=1),
    "one buffer": Case("bf16", (64, 64, 96), (64, 64, 32), (32, 32), double=False),
    "an odd number of steps": Case("tf32", (40, 24, 56), (16, 32, 8), (16, 16), b="k", double=False),
    "two stages": Case("bf16", (64, 32, 256), (32, 32, 64), (16, 16), stages=2),
    "four stages": Case("f16", (64, 32, 256), (32, 32, 32), (16, 16), stages=4),
    "five stages, one tile": Case("bf16", (32, 32, 32), (32, 32, 32), (16, 16), stages=5),
    "five stages, three tiles": Case("bf16", (32, 32, 96), (32, 32, 32), (16, 16), stages=5, double=False),
    "warps of 8 columns": Case("bf16", (64, 32, 64), (64, 32, 32), (32, 8)),
    "warps of 24 columns": Case("f16", (70, 48, 72), (32, 48, 32), (16, 24), b="k"),
    "warps of 64 x 64": Case("bf16", (128, 64, 64), (128, 64, 32), (64, 64)),
    "a warp of 16 x 64": Case("f16", (16, 64, 64), (16, 64, 32), (16, 64)),
    "warps of 48 rows": Case("bf16", (96, 32, 64), (96, 32, 32), (48, 16)),
    "warps of a column follow each other": Case("bf16", (64, 64, 64), (64, 64, 32), (16, 32), fast="m"),
    "no swizzle": Case("bf16", (64, 64, 64), (64, 64, 32), (32, 32), swizzle=(False, False)),
    "B alone swizzled": Case("f16", (64, 64, 64), (64, 64, 32), (32, 32), swizzle=(False, True), b="k"),
    "single stores": Case("bf16", (64, 64, 64), (64, 64, 32), (32, 32), width=1),
    "two lines a row": Case("bf16", (64, 128, 96), (64, 128, 32), (32, 32)),
    "four lines a row, columns of A too": Case("f16", (128, 256, 64), (128, 256, 32), (64, 64), a="m"),
    "a step for each slot": Case("bf16", (40, 64, 480), (32, 32, 32), (16, 16), unrolled=True),
    "a step for each slot, one buffer": Case("f16", (32, 48, 250), (32, 16, 32), (16, 16), double=False, unrolled=True),
    "a step for each slot, few steps": Case("bf16", (32, 32, 64), (32, 32, 32), (16, 16), stages=4, unrolled=True),
    "a step for each slot, elements": Case(
        "tf32", (40, 24, 56), (16, 32, 8), (16, 16), b="k", double=False, unrolled=True
    ),
    "groups of tiles": Case("bf16", (150, 70, 64), (32, 32, 32), (16, 16), order="grouped_2"),
    "curves of tiles": Case("bf16", (120, 250, 64), (32, 32, 32), (16, 16), order="hilbert_4"),
    "columns of tiles": Case("bf16", (96, 150, 64), (32, 32, 32), (16, 16), order="col", swapped=True),
    "stores of two": Case("bf16", (64, 64, 64), (64, 64, 32), (32, 32), width=2),
    "stores of four": Case("bf16", (64, 64, 64), (64, 64, 32), (32, 16), width=4),
    "columns of the result": Case("bf16", (64, 96, 64), (64, 32, 32), (32, 16), stride="col"),
    "columns of the result, tails": Case("f16", (70, 35, 50), (32, 64, 32), (8, 32), stride="col", a="m", b="k"),
    "columns of f64": Case("f64", (24, 20, 12), (16, 8, 8), (16, 8), stride="col", width=2, double=False, b="k"),
    "rows of 8 bytes in memory": Case("i8", (20, 8, 40), (16, 16, 64), (16, 16)),
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", PLANS)
def test_plans(name: str):
    PLANS[name].agrees(1)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("a", "b", "k", "double"),
    [
        ("k", "n", 224, True),
        ("m", "n", 152, True),
        ("k", "k", 256, True),
        ("m", "k", 186, False),
        ("k", "n", 90, False),
    ],
)
def test_steps_for_each_slot(a: str, b: str, k: int, double: bool):
    """The last iteration has one, two or three steps; k has tails."""
    case = Case("bf16", (32, 32, k), (32, 32, 32), (16, 32), a=a, b=b, width=2, double=double, unrolled=True)
    assert case.agrees().reports[0].bank_conflicts == 0


@pytest.mark.parametrize("name", ["no swizzle", "B alone swizzled"])
def test_the_swizzle_is_there_for_the_banks(name: str):
    case = PLANS[name]
    assert case.agrees().reports[0].bank_conflicts > 0
    assert changed(case, swizzle=(True, True)).agrees().reports[0].bank_conflicts == 0


# --- numbers that tf32 cannot hold ----------------------------------------------------------------


def selection(m: int, k: int, rng: np.random.Generator) -> Any:
    """Returns a matrix with a single 1 in each row, so that products with it are exact."""
    x = np.zeros((m, k), np.float32)
    x[np.arange(m), rng.integers(0, k, m)] = 1
    return x


def to_tf32(x: Any) -> Any:
    """Rounds to ten fraction bits, to nearest, ties away from zero."""
    return ((x.view(np.uint32) + 0x1000) & np.uint32(0xFFFFE000)).view(np.float32)


@pytest.mark.parametrize("b", ["n", "k"])
@pytest.mark.parametrize("dtype", ["tf32", "f32"])
def test_f32_operands_are_rounded_only_for_tf32(dtype: str, b: str):
    rng = np.random.default_rng(3)
    case = Case(dtype, (20, 24, 40), (32, 32, 16), (16, 16), b=b)
    x, w = selection(20, 40, rng), rng.standard_normal((40, 24)).astype(np.float32)
    w[:, 0] = 1 + np.arange(40) * np.float32(2**-11)  # half of them in the middle of two tf32 numbers
    got, _ = case.run(x, w)
    want = x @ (to_tf32(w) if dtype == "tf32" else w)
    np.testing.assert_array_equal(got, want, strict=True)
    assert (to_tf32(w) != w).any()


@pytest.mark.parametrize("a", ["k", "m"])
def test_the_left_operand_is_rounded_too(a: str):
    rng = np.random.default_rng(4)
    case = Case("tf32", (20, 24, 40), (32, 32, 16), (16, 16), a=a)
    x, w = rng.standard_normal((20, 40)).astype(np.float32), selection(24, 40, rng).T.copy()
    np.testing.assert_array_equal(case.run(x, w)[0], to_tf32(x) @ w, strict=True)


# --- plans that nobody thought of -----------------------------------------------------------------


def random_case(seed: int) -> Case:
    """Returns a random case with a legal plan that fits."""
    rng = np.random.default_rng(seed)

    def pick(*values: Any) -> Any:
        return values[rng.integers(len(values))]

    while True:
        dtype, a, b, stride = pick(*TILES), pick("k", "m"), pick("n", "k"), pick("row", "col")
        mma, each = MMAS[INSTRUCTION[dtype]], np.dtype(NUMPY[dtype]).itemsize
        rows, columns = mma.m * pick(1, 2, 3, 4), mma.n * pick(1, 2, 3, 4, 8)
        warp = (columns, rows) if stride == "col" else (rows, columns)
        tile = warp[0] * pick(1, 2, 4), warp[1] * pick(1, 2, 4), mma.k * pick(1, 2, 3, 4, 8)
        stages, size = pick(2, 3, 4, 5), tuple(int(rng.integers(1, 80)) for _ in range(3))
        warps = tile[0] // warp[0] * (tile[1] // warp[1])
        row_a, row_b = (tile[2] if a == "k" else tile[0]) * each, (tile[1] if b == "n" else tile[2]) * each
        whole = all(row >= 16 and row & (row - 1) == 0 for row in (row_a, row_b))
        if (
            whole
            and warps <= 8
            and rows * columns <= 1024
            and stages * tile[2] * (tile[0] + tile[1]) * each <= 96 * 1024
        ):
            break
    return Case(
        dtype,
        size,
        tile,
        warp,
        stages=stages,
        a=a,
        b=b,
        stride=stride,
        double=tile[2] // mma.k % 2 == 0 and bool(rng.integers(3)),
        width=pick(1, 2, 4, 8) if each < 4 else pick(1, 2),
        swizzle=(bool(rng.integers(4)), bool(rng.integers(4))),
        fast=pick("n", "m"),
        unrolled=bool(rng.integers(2)),
    )


def tile_of_block(ops: Iterable[Operation], block: dict[str, int]) -> dict[str, int]:
    """Returns the named results of the index arithmetic at the head of a kernel, for the block with these numbers."""
    known: dict[SSAValue, int] = {}
    for op in ops:
        values = [known.get(v, -1) for v in op.operands]
        match op:
            case arith.ConstantOp(value=IntegerAttr() as number):
                known[op.result] = number.value.data
            case gpu.BlockIdOp():
                known[op.result] = block[op.dimension.data.value]
            case arith.AddiOp() | arith.SubiOp() | arith.MuliOp() | arith.DivUIOp() | arith.RemUIOp():
                of = {"addi": add, "subi": sub, "muli": mul, "divui": floordiv, "remui": mod}[
                    op.name.removeprefix("arith.")
                ]
                known[op.result] = of(*values) if values[1] or of in (add, sub, mul) else -1
            case arith.CmpiOp():
                known[op.result] = int(
                    values[0] == values[1] if op.predicate.value.data == 0 else values[0] < values[1]
                )
            case arith.SelectOp():
                known[op.result] = values[1] if values[0] else values[2]
            case _:
                pass
    return {value.name_hint: number for value, number in known.items() if value.name_hint is not None}


@pytest.mark.parametrize("swapped", (False, True))
@pytest.mark.parametrize("order", ("grouped_2", "grouped_3", "grouped_8", "col", "hilbert_2", "hilbert_4"))
def test_blocks_take_tiles_in_the_order(order: str, swapped: bool):
    """The tiles of all blocks, by their numbers, are the planner's positions."""
    for down, across in ((4, 8), (12, 4)) if "hilbert" in order else ((5, 3), (2, 7)):
        size = (down * 32 - 3, across * 32 - 3, 32)
        case = Case("bf16", size, (32, 32, 32), (16, 16), width=1, order=order, swapped=swapped)
        module = case.module("plan-regions{arch=sm80},region-to-pto,pto-to-nv")
        (function,) = (op for op in module.walk() if isinstance(op, gpu.FuncOp))
        wide = down if swapped else across
        blocks = [{"x": place % wide, "y": place // wide, "z": 0} for place in range(down * across)]
        tiles = [tile_of_block(function.body.block.ops, block) for block in blocks]
        rows, columns = positions(order, down, across)
        assert [(t["m"], t["n"]) for t in tiles] == [(32 * i, 32 * j) for i, j in zip(rows, columns, strict=True)]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("seed", range(12))
def test_random_plans(seed: int):
    random_case(seed).agrees(seed)


# --- the text -------------------------------------------------------------------------------------

TEXTS = {
    "double buffering": PLANS["tails everywhere"],
    "one buffer": PLANS["odd tails, one buffer"],
    "no tensor core": Case("f32", (40, 24, 50), (32, 32, 16), (16, 16)),
    "exchange": PLANS["warps of 64 x 64"],
}
LOWER = "region-to-pto,pto-to-nv"


@pytest.mark.parametrize("name", TEXTS)
def test_the_printed_nv_module_gives_the_same_cuda(name: str):
    """Names of values, comments and the plan are in the text of the IR."""
    module = TEXTS[name].module(LOWER)
    cuda = emit_cuda(module).text
    text = str(module)
    again = ptir.parse(text)
    assert "// main loop" in cuda and "constexpr int" in cuda
    assert emit_cuda(again).text == cuda
    assert str(again) == text
    generic = PassManager([]).run(again)
    assert emit_cuda(generic).text == cuda


@pytest.mark.campaign
@pytest.mark.parametrize("level", ["region-to-pto", LOWER])
def test_another_process_prints_the_same_cuda(level: str, tmp_path: Any):
    """The CUDA does not depend on the hash seed: half of the passes run here, the rest in a new process."""
    case = TEXTS["exchange"]
    file = tmp_path / "half.mlir"
    file.write_text(str(case.module(level)))
    rest = "pto-to-nv" if level == "region-to-pto" else ""
    script = (
        "import sys, ptir; from ptir.backends.cuda.emit import emit_cuda; "
        f"m = ptir.parse(open(sys.argv[1]).read()); m = ptir.PassManager({rest!r}).run(m) if {rest!r} else m; "
        "sys.stdout.write(emit_cuda(m).text)"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", script, str(file)],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "4711")
    }
    assert texts == {emit_cuda(case.module(LOWER)).text}
