"""Functions of tile ops as PTX, in the emulator, against the interpreter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import Interpreter, PythonValues
from xdsl.ir import Operation

import ptir
from ptir.dialects import pto
from ptir.runtime.tiles import PtxTiles
from ptir.semantics.arrays.scalars import numpy_dtype
from ptir.semantics.interpreter import call_on, interpreter
from ptir.semantics.pto.partial import Partial, box
from ptir.transforms.pto_to_nv.functions import FunctionKernel
from tests.pto_programs.ptx import CASES, verdict
from tests.unit.semantics.test_pto_each_op import LOADS, arguments, ops

TARGET = "module attributes {pto.target = #pto.target<sm80>} {\n"
TOLERANCE = {np.float32: 2e-6, np.float64: 1e-12, np.float16: 2e-3, ml_dtypes.bfloat16: 2e-2}
"""The relative error of a function in the elements of a type."""


def check(text: str, args: Sequence[Any]) -> None:
    """Asserts that the PTX of a function @f computes the arrays that the interpreter does."""
    module = ptir.parse(text)
    want, got = ([np.array(a) if isinstance(a, np.ndarray) else a for a in args] for _ in range(2))
    call_on(interpreter(module), module, "f", want)
    PtxTiles.compile(module).call("f", got, seed=1)
    for k, (a, b) in enumerate(zip(got, want, strict=True)):
        if isinstance(b, np.ndarray):
            tolerance = TOLERANCE.get(b.dtype.type, 0)
            values = [x.astype(np.float64) if tolerance else x for x in (a, b)]
            np.testing.assert_allclose(*values, rtol=tolerance, atol=tolerance, err_msg=f"argument {k}")


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=pytest.mark.sampled(5)) for seed in range(10)])
@pytest.mark.parametrize("kind", CASES)
def test_random_programs(kind: str, seed: int):
    text, args = CASES[kind](seed)
    assert verdict(text, args, seed) == "equal"


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=pytest.mark.sampled(5)) for seed in range(10, 15)])
@pytest.mark.parametrize("kind", CASES)
def test_random_programs_in_place(kind: str, seed: int, monkeypatch: pytest.MonkeyPatch):
    """Results have the memory of operands, as in programs whose tiles do not fit otherwise."""
    storages = FunctionKernel.storages
    monkeypatch.setattr(FunctionKernel, "storages", lambda kernel, in_place: storages(kernel, in_place=True))
    text, args = CASES[kind](seed)
    assert verdict(text, args, seed) == "equal"


class Unspecified(Interpreter.Listener):
    """Collects the names of tiles that have poison in their valid region."""

    def __init__(self) -> None:
        self.names: set[str | None] = set()

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        for value, tile in zip(op.results, results, strict=True):
            if isinstance(tile, Partial) and tile.causes[box(tile.valid)].any():
                self.names.add(value.name_hint)


def stored(module: ModuleOp, lines: Sequence[str]) -> tuple[str, list[Any]]:
    """Returns the function of those lines that do not depend on poison, which stores its results, and the arrays to which it does."""
    machine, poison = interpreter(module), Unspecified()
    machine.listeners = (*machine.listeners, poison)
    call_on(machine, module, "f", arguments())
    kept: list[str] = []
    for line in lines:
        names = re.findall(r"%(\w+)", line)
        poison.names |= {n for n in names[:1] if poison.names & set(names)}
        kept += [line] * (names[0] not in poison.names)
    params, stores, arrays = [], [], []
    for value in (r for op in module.walk() for r in op.results):
        t, name = value.type, value.name_hint or ""
        if isinstance(t, pto.TileType) and re.fullmatch(r"[rc]\d+", name) and name not in poison.names:
            memref = f"pto.memref<{t.sizes[0]}x{t.sizes[1]}x{t.element_type}>"
            params.append(f", %y{name}: !{memref}")
            stores.append(f"pto.tile.store %{name}, %y{name}[0, 0] : {memref}, {str(t).removeprefix('!pto.')}")
            arrays.append(np.zeros(t.sizes, numpy_dtype(t.element_type)))
    head = HEAD.replace(") {", f"{''.join(params)}) {{")
    return "\n".join([TARGET, head, *kept, *stores, "func.return", "}", "}"]), arrays


HEAD, *ROWS = LOADS.strip().splitlines()


@pytest.mark.parametrize("part", [pytest.param(part, marks=pytest.mark.sampled(4)) for part in range(8)])
def test_each_op(part: int):
    """The results of ops on tiles of which some elements are not valid."""
    found = list(enumerate(ops()))[part::8]
    rows = ROWS + [f"  %r{n}{', %c' + str(n) if 'sort32' in op else ''} = pto.tile.{op}" for n, op in found]
    text, arrays = stored(ptir.parse("\n".join([HEAD, *rows, "func.return", "}"])), rows)
    assert len(arrays) > 10
    check(text, (*arguments(), *arrays))


def function(params: str, *lines: str) -> str:
    return "\n".join([f"{TARGET}func.func @f({params}) {{", *lines, "func.return", "}", "}"])


HARD = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    0.5,
    2.5,
    -2.5,
    65504.0,
    65519.9,
    65520.0,
    -1e6,
    3e-8,
    -3e-8,
    6e-8,
    1e-30,
    1 + 2**-11,
    1 + 2**-10 + 2**-11,
]
HARD += [
    np.inf,
    -np.inf,
    np.nan,
    2049.0,
    2051.0,
    -2049.0,
    300.5,
    -0.49999997,
    127.5,
    -128.5,
    4096.25,
    0.1,
    1e38,
    -1e38,
    33.3,
]
MODES = ("RINT", "ROUND", "FLOOR", "CEIL", "TRUNC")


@pytest.mark.parametrize("source", ["f32", "i32"])
def test_conversions_round_as_their_modes_say(source: str):
    x = np.array([HARD], "f4") if source == "f32" else np.arange(-16, 16, dtype="i4")[None] * 134217727 + 2**24 + 1
    targets = ["f16", "i16", "ui8"] if source == "f32" else ["f32", "f16"]
    lines, params, arrays = (
        [f"%x = pto.tile.load %a[0, 0] : pto.memref<1x32x{source}>, tile<1x32x{source}>"],
        "",
        list[Any](),
    )
    for k, (target, mode) in enumerate((t, m) for t in targets for m in MODES):
        params += f", %y{k}: !pto.memref<1x32x{target}>"
        mode = f"{{rmode = #pto.round_mode<CAST_{mode}>}}"
        lines += [f"%t{k} = pto.tile.cvt %x {mode} : tile<1x32x{source}> -> tile<1x32x{target}>",
                  f"pto.tile.store %t{k}, %y{k}[0, 0] : pto.memref<1x32x{target}>, tile<1x32x{target}>"]  # fmt: skip
        arrays.append(
            np.zeros((1, 32), {"f": "f", "i": "i", "u": "u"}[target[0]] + str(int(re.sub(r"\D", "", target)) // 8))
        )
    text = function(f"%a: !pto.memref<1x32x{source}>{params}", *lines)
    module = ptir.parse(text)
    want, got = ([x, *(np.copy(a) for a in arrays)] for _ in range(2))
    call_on(interpreter(module), module, "f", want)
    PtxTiles.compile(module).call("f", got)
    for a, b in zip(got, want, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("dtype", [np.float64, ml_dtypes.bfloat16, np.uint8, np.int64, np.uint16])
def test_element_types(dtype: Any):
    t = {"float64": "f64", "bfloat16": "bf16"}.get(
        np.dtype(dtype).name, np.dtype(dtype).name.replace("uint", "ui").replace("int", "i")
    )
    is_float = t in ("f64", "bf16")
    word = "exp" if is_float else "not"
    s = t.removeprefix("u")
    x = (np.arange(96).reshape(3, 4, 8) % 7 / (8 if is_float else 1)).astype(dtype)
    text = function(
        f"%x: !pto.memref<3x4x8x{t}>, %s: {s}, %y: !pto.memref<4x4x8x{t}>, %z: !pto.memref<3x4x1x{t}>, %w: !pto.memref<8x{t}>",
        f"%a = pto.tile.load %x[0, 0, 0] {{valid = [3, 4, 7]}} : pto.memref<3x4x8x{t}>, tile<3x4x8x{t}>",
        f"%b = pto.tile.{word} %a : tile<3x4x8x{t}>",
        f"%c = pto.tile.adds %b, %s : tile<3x4x8x{t}>, {s}",
        f"%d = pto.tile.div %a, %c : tile<3x4x8x{t}>",
        f"%r = pto.tile.rowsum %c : tile<3x4x8x{t}> -> tile<3x4x1x{t}>",
        f"pto.tile.store %d, %y[1, 0, 0] : pto.memref<4x4x8x{t}>, tile<3x4x8x{t}>",
        f"pto.tile.store %r, %z[0, 0, 0] : pto.memref<3x4x1x{t}>, tile<3x4x1x{t}>",
        f"%one = pto.tile.expands %s : {s} : tile<8x{t}>",
        f"pto.tile.store %one, %w[0] : pto.memref<8x{t}>, tile<8x{t}>",
    )
    scalar = np.asarray(2, dtype)[()] if is_float else 20
    check(text, (x, scalar, np.zeros((4, 4, 8), dtype), np.zeros((3, 4, 1), dtype), np.zeros(8, dtype)))


def test_products_of_narrow_floats_and_of_columns_in_memory():
    left = np.arange(-16, 16).reshape(4, 8) / 8
    text = function(
        "%x: !pto.memref<4x8xf8E4M3FN>, %w: !pto.memref<8x4xbf16, {layout = #pto.layout<DN>}>, %y: !pto.memref<4x4xf32>, %z: !pto.memref<4x4xf32>",
        "%a = pto.tile.load %x[0, 0] : pto.memref<4x8xf8E4M3FN>, tile<4x8xf8E4M3FN>",
        "%at = pto.tile.trans %a : tile<4x8xf8E4M3FN> -> tile<8x4xf8E4M3FN>",
        "%m = pto.tile.matmul %a, %at : tile<4x8xf8E4M3FN>, tile<8x4xf8E4M3FN> -> tile<4x4xf32>",
        "%b = pto.tile.load %w[0, 0] : pto.memref<8x4xbf16, {layout = #pto.layout<DN>}>, tile<8x4xbf16>",
        "%c = pto.tile.cvt %b : tile<8x4xbf16> -> tile<8x4xf32>",
        "%d = pto.tile.trans %c : tile<8x4xf32> -> tile<4x8xf32>",
        "%n = pto.tile.matmul.acc %m, %d, %c precision tf32 : tile<4x4xf32>, tile<4x8xf32>, tile<8x4xf32> -> tile<4x4xf32>",
        "pto.tile.store %m, %y[0, 0] : pto.memref<4x4xf32>, tile<4x4xf32>",
        "pto.tile.store %n, %z[0, 0] : pto.memref<4x4xf32>, tile<4x4xf32>",
    )
    w = np.linspace(-1, 1, 32).astype(ml_dtypes.bfloat16).reshape(4, 8).T
    check(text, (left.astype(ml_dtypes.float8_e4m3fn), w, np.zeros((4, 4), "f4"), np.zeros((4, 4), "f4")))


def test_arrays_of_dynamic_size_and_square_ones_in_column_major_order():
    """An array is transposed if its type says so, whatever its sizes."""
    square = "pto.memref<8x8xf32, {layout = #pto.layout<DN>}>"
    text = function(
        f"%x: !pto.memref<?x8xf32>, %w: !{square}, %y: !pto.memref<?x8xf32>",
        "%a = pto.tile.load %x[1, 0] : pto.memref<?x8xf32>, tile<4x8xf32>",
        f"%b = pto.tile.load %w[2, 0] : {square}, tile<4x8xf32>",
        "%c = pto.tile.sub %a, %b : tile<4x8xf32>",
        "pto.tile.store %c, %y[2, 0] : pto.memref<?x8xf32>, tile<4x8xf32>",
        f"pto.tile.store %c, %w[4, 0] : {square}, tile<4x8xf32>",
    )
    x, w = np.arange(48, dtype="f4").reshape(6, 8), np.arange(64, dtype="f4").reshape(8, 8) ** 2
    check(text, (x, w, np.zeros((7, 8), "f4")))


def test_loops_exchange_tiles_and_pass_on_valid_regions():
    """Two tiles change places in each iteration, with other numbers of valid rows; numbers are computed beside them."""
    tile, array = "tile<8x8xf32>", "pto.memref<8x8xf32>"
    text = function(
        f"%x: !{array}, %n: index, %k: i32, %y: !{array}, %z: !{array}",
        "%c0 = pto.constant 0 : index", "%c1 = pto.constant 1 : index", "%c3 = pto.constant 3 : index",
        "%k1 = pto.constant -1 : i32",
        f"%a = pto.tile.load %x[0, 0] {{valid = [%n, 8]}} : {array}, {tile}",
        f"%b = pto.tile.load %x[0, 0] {{valid = [5, 3]}} : {array}, {tile}",
        f"%p, %q, %j, %m = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %a, %t = %b, %l = %k, %h = %c0)"
        f" -> (!pto.{tile}, !pto.{tile}, i32, index) {{",
        f"  %u = pto.tile.neg %s : {tile}",
        "  %l1 = pto.muli %l, %k1 : i32",
        "  %below = pto.subi %h, %c3 : index",
        "  %wraps = arith.cmpi ugt, %below, %c3 : index",
        "  %h1 = arith.select %wraps, %i, %h : index",
        f"  scf.yield %t, %u, %l1, %h1 : !pto.{tile}, !pto.{tile}, i32, index",
        "}",
        f"pto.tile.store %p, %y[0, 0] : {array}, {tile}",
        f"pto.tile.store %q, %z[0, 0] : {array}, {tile}",
        "%f = pto.tile.expands %j : i32 : tile<1x1xi32>", "%g = pto.tile.cvt %f : tile<1x1xi32> -> tile<1x1xf32>",
        f"pto.tile.store %g, %y[7, %m] : {array}, tile<1x1xf32>",
    )  # fmt: skip
    x = np.arange(64, dtype="f4").reshape(8, 8)
    check(text, (x, 2, 7, np.zeros((8, 8), "f4"), np.zeros((8, 8), "f4")))
