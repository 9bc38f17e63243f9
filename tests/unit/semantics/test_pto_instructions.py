"""`semantics/pto`: the meaning of instructions, valid regions included, and the errors of undefined programs."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import IndexType, f32

import ptir
from ptir.dialects import pto
from ptir.errors import PtirError
from ptir.semantics.arrays.rounding import convert
from ptir.semantics.errors import (
    ArgumentMismatch,
    DivisionByZero,
    IndexOutOfRange,
    InvalidValidRegion,
    NoBounds,
    NotInterpreted,
    UnspecifiedElement,
    WindowOutside,
)
from ptir.semantics.interpreter import call
from ptir.semantics.pto.partial import Partial
from tests.pto_programs.generator import FAMILIES, Options, program
from tests.pto_programs.oracle import converted
from tests.pto_programs.run import run


@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_of_ops_agrees_with_the_oracle(family: str):
    """The first random program that has ops of the family: small tiles, most of which have a dynamic valid region."""
    needs = ("reduction", family) if family == "broadcast" else (family,)
    options = Options(steps=4, dynamic=0.5, rows=(1, 8), columns=(32,), families=needs)
    assert any(run(ptir.parse(case.text), case.args) for case in (program(seed, options) for seed in range(5)))


def test_an_exact_program_has_the_results_of_numpy():
    text = """
func.func @f(%x: !pto.memref<20x32xi32>, %y: !pto.memref<20x32xi32>, %s: i32) {
  %c0 = pto.constant 0 : index
  %c8 = pto.constant 8 : index
  %c20 = pto.constant 20 : index
  scf.for %i = %c0 to %c20 step %c8 {
    %left = pto.subi %c20, %i : index
    %v = arith.minsi %left, %c8 : index
    %in = pto.memref.subview %x[%i, 0] [%v, 32] [1, 1] : pto.memref<20x32xi32> to pto.memref<?x32xi32, strided<[32, 1], offset: ?>>
    %t, %e = pto.tile.load %in[0, 0] {valid = [%v, 32]} : pto.memref<?x32xi32, strided<[32, 1], offset: ?>>, tile<8x32xi32>,
      !pto.event<producer = #pto.op<TLOAD>>
    %u, %f = pto.tile.muls %t, %s wait(%e) : tile<8x32xi32>, i32, !pto.event<producer = #pto.op<TMULS>>
    pto.sync wait(%f)
    pto.sync.op #pto.op<TMULS>
    %r = pto.tile.rowmax %u : tile<8x32xi32> -> tile<8x1xi32>
    %z = pto.tile.rowexpandsub %u, %r : tile<8x32xi32>, tile<8x1xi32>
    %w = pto.tile.assign %z at [%i] : tile<8x32xi32>
    pto.tile.prefetch %y : pto.memref<20x32xi32>
    pto.tile.store %w, %y[%i, 0] : pto.memref<20x32xi32>, tile<8x32xi32>
  }
  func.return
}"""
    x, y = np.random.default_rng(0).integers(-99, 99, (20, 32)).astype(np.int32), np.zeros((20, 32), np.int32)
    assert call(ptir.parse(text), "f", x, y, -3) == ()
    np.testing.assert_array_equal(y, -3 * x - (-3 * x).max(1, keepdims=True))


def test_store_fp_scales_and_saturates():
    text = """
func.func @f(%a: !pto.memref<2x32xf32>, %s: !pto.memref<1x32xf32>, %y: !pto.memref<4x32xi8>) {
  %0 = pto.tile.load %a[0, 0] : pto.memref<2x32xf32>, tile<2x32xf32, #pto.tile_info<loc=Acc>>
  %1 = pto.tile.load %s[0, 0] : pto.memref<1x32xf32>, tile<1x32xf32, #pto.tile_info<loc=Scale>>
  pto.tile.store.fp %0, %1, %y[1, 0] {valid = [2, 8]} 
    : pto.memref<4x32xi8>, tile<2x32xf32, #pto.tile_info<loc=Acc>>, tile<1x32xf32, #pto.tile_info<loc=Scale>>
  func.return
}"""
    a = np.tile(np.array([2.5, -3.5, 1000, np.nan, 0.5, 1.5, -1000, 7], np.float32), (2, 4))
    y, s = np.full((4, 32), 9, np.int8), np.arange(1, 33, dtype=np.float32)[None]
    s[0, :8] = [1, 1, 1, 1, 1, 1, 1, 0.5]
    call(ptir.parse(text), "f", a, s, y)
    assert y[1:3, :8].tolist() == [[2, -4, 127, 0, 0, 2, -128, 4]] * 2
    assert (y[0] == 9).all() and (y[3] == 9).all() and (y[:, 8:] == 9).all()


def test_microscaling():
    """Each block of 32 elements of a row of a, and of a column of b, has a scale."""
    text = """
func.func @f(%a: !pto.memref<2x64xf8E4M3FN>, %as: !pto.memref<2x2xf8E8M0FNU>,
    %b: !pto.memref<64x3xf8E5M2>, %bs: !pto.memref<2x3xf8E8M0FNU>, %y: !pto.memref<2x3xf32>) {
  %0 = pto.tile.load %a[0, 0] : pto.memref<2x64xf8E4M3FN>, tile<2x64xf8E4M3FN, #pto.tile_info<loc=Left>>
  %1 = pto.tile.load %as[0, 0] : pto.memref<2x2xf8E8M0FNU>, tile<2x2xf8E8M0FNU, #pto.tile_info<loc=Scale>>
  %2 = pto.tile.load %b[0, 0] {valid = [64, 2]} : pto.memref<64x3xf8E5M2>, tile<64x3xf8E5M2, #pto.tile_info<loc=Right>>
  %3 = pto.tile.load %bs[0, 0] : pto.memref<2x3xf8E8M0FNU>, tile<2x3xf8E8M0FNU, #pto.tile_info<loc=Scale>>
  %4 = pto.tile.matmul.mx %0, %1, %2, %3 : tile<2x64xf8E4M3FN, #pto.tile_info<loc=Left>>, tile<2x2xf8E8M0FNU, #pto.tile_info<loc=Scale>>,
    tile<64x3xf8E5M2, #pto.tile_info<loc=Right>>, tile<2x3xf8E8M0FNU, #pto.tile_info<loc=Scale>> -> tile<2x3xf32, #pto.tile_info<loc=Acc>>
  pto.tile.store %4, %y[0, 0] : pto.memref<2x3xf32>, tile<2x3xf32, #pto.tile_info<loc=Acc>>
  func.return
}"""
    rng = np.random.default_rng(0)
    a, b = (
        rng.integers(-4, 5, s).astype(t)
        for s, t in (((2, 64), ml_dtypes.float8_e4m3fn), ((64, 3), ml_dtypes.float8_e5m2))
    )
    scales = [np.exp2(rng.integers(-3, 4, s)).astype(ml_dtypes.float8_e8m0fnu) for s in ((2, 2), (2, 3))]
    y = np.zeros((2, 3), np.float32)
    checked = run(ptir.parse(text), (a, scales[0], b, scales[1], y))
    assert checked == ["pto.tile.matmul.mx"]
    wide = [x.astype(np.float64) for x in (a, scales[0], b, scales[1])]
    want = sum(
        (wide[0][:, k : k + 32] * wide[1][:, [k // 32]]) @ (wide[2][k : k + 32] * wide[3][[k // 32]]) for k in (0, 32)
    )
    np.testing.assert_array_equal(y[:, :2], want[:, :2])
    assert (y[:, 2] == 0).all()


@pytest.mark.parametrize("mode", ["CAST_RINT", "CAST_ROUND", "CAST_FLOOR", "CAST_CEIL", "CAST_TRUNC"])
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2, np.int8, np.uint8])
def test_rounding_modes(mode: str, dtype: Any):
    """Against exact arithmetic: random numbers, ties and their neighbors, zeros, infinities, numbers out of range."""
    t = np.dtype(dtype)
    near = np.arange(-20, 20, dtype=np.float32) / 4
    ties = np.nextafter(near, np.float32(np.inf)), np.nextafter(near, np.float32(-np.inf))
    big = [0.0, -0.0, np.inf, -np.inf, 300.0, -300.0, 1e38, -1e38, 65519.0, 65520.0, 1e-8, -1e-8, 57344.0, 65535.9]
    steps = (1 + np.arange(64) / 2**11).astype(np.float32)
    x = np.concatenate([near, *ties, np.array(big, np.float32), steps, steps / 4, -steps * 3])
    got = convert(x, t, mode)
    for value, out in zip(x.tolist(), got.tolist(), strict=True):
        assert out == converted(value, t, mode), (value, mode)


def test_integers_round_to_floats():
    x = np.array([2049, 2050, 2051, -2049, -2051, 70000, 5], np.int32)
    for mode in ("CAST_RINT", "CAST_ROUND", "CAST_FLOOR", "CAST_CEIL", "CAST_TRUNC"):
        got = convert(x, np.dtype(np.float16), mode).tolist()
        assert got == [converted(v, np.dtype(np.float16), mode) for v in x.tolist()]


def test_integers_of_64_bits_stay_exact():
    x = np.array([2**53 + 1, -5], np.int64)
    assert convert(x, np.dtype(np.uint64), "CAST_RINT").tolist() == [2**53 + 1, 0]


# --- errors ---------------------------------------------------------------------------------------------

HEAD = "func.func @f(%x: !pto.memref<16x32xf32>, %y: !pto.memref<16x32xf32>, %n: index, %i: !pto.memref<16x32xi32>) {\n"
LOAD = "  %t = pto.tile.load %x[0, 0] {valid = [%n, 32]} : pto.memref<16x32xf32>, tile<8x32xf32>\n"
STORE = "  pto.tile.store %u, %y[0, 0] : pto.memref<16x32xf32>, tile<8x32xf32>\n"


def execute(body: str, n: int = 4, x: Any = None, i: Any = None) -> Any:
    x = np.arange(512, dtype=np.float32).reshape(16, 32) if x is None else x
    i = np.zeros((16, 32), np.int32) if i is None else i
    y = np.zeros((16, 32), np.float32)
    call(ptir.parse(f"{HEAD}{body}  func.return\n}}\n"), "f", x, y, n, i)
    return y


def wrong(kind: type[PtirError], message: str, body: str, **options: Any) -> PtirError:
    with pytest.raises(kind, match=message) as info:
        execute(body, **options)
    assert info.value.op is not None
    return info.value


WIDER = "  %u = pto.tile.exp %t {valid = [5, 32]} : tile<8x32xf32>\n"


def test_a_store_of_poison_is_reported_with_its_cause():
    error = wrong(UnspecifiedElement, r"element \[4, 0\] of the tile is unspecified", LOAD + WIDER + STORE)
    assert error.op is not None and error.op.name == "pto.tile.store"
    ((cause, _),) = error.notes
    assert cause.name == "pto.tile.load"
    assert execute(LOAD + WIDER + STORE, n=5)[:5].all() and not execute(LOAD + WIDER + STORE, n=5)[5:].any()


def test_a_store_may_store_less_than_is_valid_but_not_more():
    less = STORE.replace("[0, 0] :", "[0, 0] {valid = [%n, 32]} :").replace("%u", "%t")
    assert execute(LOAD + less)[3].all()
    more = less.replace("[%n, 32]", "[5, 32]")
    wrong(UnspecifiedElement, r"element \[4, 0\]", LOAD + more)


@pytest.mark.parametrize(
    "body",
    [
        "  %r = pto.tile.rowsum %t {valid = [5, 1]} : tile<8x32xf32> -> tile<8x1xf32>\n"
        "  %u = pto.tile.rowexpand %r : tile<8x1xf32> -> tile<8x32xf32>\n",
        "  %v = pto.tile.reshape %t : tile<8x32xf32> -> tile<4x64xf32>\n  %u = pto.tile.reshape %v : tile<4x64xf32> -> tile<8x32xf32>\n",
        "  %v = pto.tile.trans %t {valid = [32, 5]} : tile<8x32xf32> -> tile<32x8xf32>\n"
        "  %u = pto.tile.trans %v : tile<32x8xf32> -> tile<8x32xf32>\n",
        "  %v, %k = pto.tile.sort32 %t {valid = [5, 32]} : tile<8x32xf32> -> tile<8x32xf32>, tile<8x32xui32>\n"
        "  %u = pto.tile.abs %v : tile<8x32xf32>\n",
        "  %u = pto.tile.partadd %t, %t {valid = [5, 32]} : tile<8x32xf32>\n",
        "  %v = pto.tile.extract %t[3, 0] {valid = [2, 32]} : tile<8x32xf32> -> tile<2x32xf32>\n  %e = pto.tile.expands 0.0 : f32 : tile<8x32xf32>\n"
        "  %u = pto.tile.insert %v, %e[3, 0] : tile<2x32xf32>, tile<8x32xf32>\n",
        "  %j = pto.tile.load %i[0, 0] : pto.memref<16x32xi32>, tile<8x32xi32>\n"
        "  %u = pto.tile.scatter %t, %j : tile<8x32xf32>, tile<8x32xi32> -> tile<8x32xf32>\n",
        "  %p = pto.tile.load %x[0, 0] {valid = [%n, 16]} : pto.memref<16x32xf32>, tile<8x16xf32>\n"
        "  %z = pto.tile.expands 1.0 : f32 : tile<16x32xf32>\n"
        "  %l = pto.tile.mov.v2l %p {valid = [5, 16]} : tile<8x16xf32> -> tile<8x16xf32, #pto.tile_info<loc=Left>>\n"
        "  %r = pto.tile.mov.v2r %z : tile<16x32xf32> -> tile<16x32xf32, #pto.tile_info<loc=Right>>\n"
        "  %m = pto.tile.matmul %l, %r : tile<8x16xf32, #pto.tile_info<loc=Left>>, tile<16x32xf32, #pto.tile_info<loc=Right>>\n"
        "    -> tile<8x32xf32, #pto.tile_info<loc=Acc>>\n"
        "  %u = pto.tile.mov.a2v %m : tile<8x32xf32, #pto.tile_info<loc=Acc>> -> tile<8x32xf32>\n",
    ],
)  # fmt: skip
def test_poison_propagates(body: str):
    wrong(UnspecifiedElement, "is unspecified, but is used here", LOAD + body + STORE)


def test_what_follows_the_valid_region_is_not_poison():
    body = "  %v = pto.tile.adds %t, %s : tile<8x32xf32>, f32\n  %u = pto.tile.relu %v : tile<8x32xf32>\n"
    y = execute("  %s = pto.constant 1.0 : f32\n" + LOAD + body + STORE)
    np.testing.assert_array_equal(y[:4], np.arange(1, 129).reshape(4, 32))
    assert not y[4:].any()


def test_a_fused_product_and_sum_is_valid_where_its_operands_are():
    """It has no `valid` of its own."""
    y = execute(LOAD + "  %u = pto.tile.fma %t, %t, %t : tile<8x32xf32>\n" + STORE)
    x = np.arange(128, dtype=np.float32).reshape(4, 32)
    np.testing.assert_array_equal(y[:4], x * x + x)
    assert not y[4:].any()


@pytest.mark.parametrize("n", [0, 9, -1])
def test_a_valid_region_lies_in_the_tile(n: int):
    wrong(InvalidValidRegion, f"'valid' is {n} along axis 0 in this run", LOAD, n=n)


@pytest.mark.parametrize(
    ("message", "body"),
    [
        ("a window of size 8 at offset 9 exceeds axis 0, which has 16", "  %t = pto.tile.load %x[%n, 0] : pto.memref<16x32xf32>, tile<8x32xf32>\n"),
        ("a window of size 8 at offset 9 exceeds axis 0, which has 10",
         "  %v = pto.memref.subview %x[0, 0] [10, 16] [1, 2] : pto.memref<16x32xf32> to pto.memref<10x16xf32, strided<[32, 2]>>\n"
         "  %t = pto.tile.load %v[%n, 0] : pto.memref<10x16xf32, strided<[32, 2]>>, tile<8x8xf32>\n"),
        ("a window of size 8 at offset 9 exceeds axis 0, which has 16",
         "  %v = pto.memref.subview %x[%n, 0] [8, 16] [1, 2] : pto.memref<16x32xf32> to pto.memref<8x16xf32, strided<[32, 2], offset: ?>>\n"),
        ("a window of size 0 at offset 0 exceeds axis 0, which has 16",
         "  %z = pto.constant 0 : index\n"
         "  %v = pto.memref.subview %x[0, 0] [%z, 32] [2, 1] : pto.memref<16x32xf32> to pto.memref<?x32xf32, strided<[64, 1]>>\n"),
        ("a window of size 8 at offset 9 exceeds axis 0, which has 16",
         "  %t = pto.tile.load %x[0, 0] : pto.memref<16x32xf32>, tile<16x32xf32>\n"
         "  %u = pto.tile.extract %t[%n, 0] : tile<16x32xf32> -> tile<8x32xf32>\n"),
    ],
)  # fmt: skip
def test_windows_lie_in_their_arrays(message: str, body: str):
    wrong(WindowOutside, message, body, n=9)


@pytest.mark.parametrize("n", [0, -1])
def test_a_view_has_steps_forward(n: int):
    view = "  %v = pto.memref.subview %x[0, 0] [8, 16] [1, %n] : pto.memref<16x32xf32> to pto.memref<8x16xf32, strided<[32, ?]>>\n"
    wrong(WindowOutside, "a window of size", view, n=n)


GATHER = (
    "  %t = pto.tile.load %x[0, 0] : pto.memref<16x32xf32>, tile<8x32xf32>\n"
    "  %j = pto.tile.load %i[0, 0] {valid = [%n, 32]} : pto.memref<16x32xi32>, tile<8x32xi32>\n"
    "  %u = pto.tile.gather %t, %j : tile<8x32xf32>, tile<8x32xi32> -> tile<8x32xf32>\n"
)


def test_an_index_is_in_range_unless_it_is_poison():
    i = np.zeros((16, 32), np.int32)
    i[4:] = 9999
    assert not execute(GATHER + STORE, i=i).any()
    wrong(IndexOutOfRange, "index 9999 is out of range: the tile has 256 elements", GATHER, i=i, n=5)
    unsigned = "  %k = pto.tile.bitcast %j : tile<8x32xi32> -> tile<8x32xui32>\n"
    body = (
        GATHER.replace("  %u", unsigned + "  %u")
        .replace("%t, %j", "%t, %k")
        .replace("xi32> -> tile<8x32xf", "xui32> -> tile<8x32xf")
    )
    assert not execute(body + STORE, i=i).any()
    wider = body.replace("%t, %k :", "%t, %k {valid = [5, 32]} :")
    wrong(UnspecifiedElement, r"element \[4, 0\]", wider + STORE, i=i)
    i[:] = 8
    wrong(
        IndexOutOfRange, "index 8 is out of range: the result has 8 rows", GATHER.replace("gather", "scatter"), i=i, n=8
    )
    i[:] = -1
    wrong(IndexOutOfRange, "index -1 is out of range", GATHER.replace("gather", "scatter"), i=i, n=8)


def test_offsets_of_blocks():
    body = GATHER.replace("tile<8x32xi32>", "tile<8x4xi32>").replace("gather", "gatherb").replace("[%n, 32]", "[%n, 4]")
    i = np.tile(np.arange(0, 512, 128, dtype=np.int32), (16, 8))
    y = execute(body + STORE, i=i)
    np.testing.assert_array_equal(y[0], np.concatenate([np.arange(k, k + 8) for k in (0, 32, 64, 96)]))
    i[0, 0] = 2
    wrong(IndexOutOfRange, "index 2 is out of range: a block of 32 bytes begins at a multiple of 4", body, i=i)
    i[0, 0] = 4 * (256 - 8)
    assert execute(body + STORE, i=i)[0, 7] == 255
    i[0, 0] += 4
    wrong(IndexOutOfRange, "index 996 is out of range", body, i=i)


def test_poison_of_blocks_is_that_of_their_row_and_place():
    """Indices 0 to 2 of the row are specified, and one element of the second block is not."""
    body = (
        "  %t = pto.tile.load %x[0, 0] {valid = [1, 12]} : pto.memref<16x32xf32>, tile<1x32xf32>\n"
        "  %j = pto.tile.load %i[0, 0] {valid = [1, 3]} : pto.memref<16x32xi32>, tile<1x4xi32>\n"
        "  %u = pto.tile.gatherb %t, %j : tile<1x32xf32>, tile<1x4xi32> -> tile<1x32xf32>\n"
        "  pto.tile.store %u, %y[0, 0] {valid = [1, COUNT]} : pto.memref<16x32xf32>, tile<1x32xf32>\n"
    )
    i = np.zeros((16, 32), np.int32)
    i[0, :3] = 0, 0, 32
    np.testing.assert_array_equal(
        execute(body.replace("COUNT", "20"), i=i)[0, :20], [*range(8), *range(8), *range(8, 12)]
    )
    wrong(UnspecifiedElement, r"element \[0, 20\]", body.replace("COUNT", "21"), i=i)


def test_an_integer_divisor_is_not_zero():
    head = "  %j = pto.tile.load %i[0, 0] {valid = [%n, 32]} : pto.memref<16x32xi32>, tile<8x32xi32>\n"
    divide = "  %q = pto.tile.rem %j, %j : tile<8x32xi32>\n"
    i = np.ones((16, 32), np.int32)
    i[4:] = 0
    execute(head + divide, i=i)
    wrong(DivisionByZero, "division by zero", head + divide, i=i, n=5)
    scalar = "  %c = pto.constant 0 : i32\n  %q = pto.tile.divs %j, %c : tile<8x32xi32>, i32\n"
    wrong(DivisionByZero, "division by zero", head + scalar, i=i)
    poison = (
        "  %p = pto.tile.extract %j[6, 0] {valid = [2, 32]} : tile<8x32xi32> -> tile<2x32xi32>\n"
        "  %c = pto.constant 0 : i32\n  %q = pto.tile.divs %p, %c : tile<2x32xi32>, i32\n"
    )
    wrong(DivisionByZero, "division by zero", head + poison, i=i)


def test_a_float_divided_by_zero_is_infinite():
    zero = "  %z = pto.constant 0.0 : f32\n"
    body = zero + LOAD + "  %u = pto.tile.divs %t, %z : tile<8x32xf32>, f32\n" + STORE
    assert np.isinf(execute(body, n=8)[:8].reshape(-1)[1:]).all()


def test_lists_are_merged_only_if_they_are_sorted():
    body = (
        "  %a = pto.tile.load %x[0, 0] : pto.memref<16x32xf32>, tile<1x32xf32>\n"
        "  %b = pto.tile.load %x[1, 0] : pto.memref<16x32xf32>, tile<1x32xf32>\n"
        "  %m = pto.tile.mrgsort %b, %a : tile<1x32xf32>, tile<1x32xf32> -> tile<1x64xf32>\n"
        "  %u = pto.tile.extract %m[0, 16] : tile<1x64xf32> -> tile<1x32xf32>\n"
        "  pto.tile.store %u, %y[0, 0] : pto.memref<16x32xf32>, tile<1x32xf32>\n"
    )
    np.testing.assert_array_equal(execute(body)[0], np.arange(16, 48))
    x = np.arange(512, dtype=np.float32)[::-1].reshape(16, 32).copy()
    wrong(UnspecifiedElement, "unspecified", body, x=x)


def test_merged_lists_are_specified_as_far_as_they_reach():
    body = (
        "  %a = pto.tile.load %x[0, 0] {valid = [1, 20]} : pto.memref<16x32xf32>, tile<1x32xf32>\n"
        "  %b = pto.tile.load %x[1, 0] : pto.memref<16x32xf32>, tile<1x32xf32>\n"
        "  %m = pto.tile.mrgsort %a, %b {valid = [1, 64]} : tile<1x32xf32>, tile<1x32xf32> -> tile<1x64xf32>\n"
        "  %u = pto.tile.extract %m[0, 32] : tile<1x64xf32> -> tile<1x32xf32>\n"
        "  pto.tile.store %u, %y[0, 0] {valid = [1, COUNT]} : pto.memref<16x32xf32>, tile<1x32xf32>\n"
    )
    np.testing.assert_array_equal(execute(body.replace("COUNT", "20"))[0, :20], np.arange(44, 64))
    wrong(UnspecifiedElement, r"element \[0, 20\]", body.replace("COUNT", "21"))


@pytest.mark.parametrize("last", [6, 14, 22, 30])
def test_each_block_of_a_list_is_sorted(last: int):
    body = (
        "  %a = pto.tile.load %x[0, 0] : pto.memref<16x32xf32>, tile<1x32xf32>\n"
        "  %m = pto.tile.mrgsort %a {blockLen = 8} : tile<1x32xf32> -> tile<1x32xf32>\n"
        "  pto.tile.store %m, %y[0, 0] : pto.memref<16x32xf32>, tile<1x32xf32>\n"
    )
    x = np.arange(512, dtype=np.float32).reshape(16, 32)
    np.testing.assert_array_equal(execute(body, x=x)[0], x[0])
    x[0, last] += 9
    wrong(UnspecifiedElement, "unspecified", body, x=x)


def test_what_has_no_meaning_is_refused():
    unknown = "  %t = pto.tile.expands 1.0 : f32 : tile<?x32xf32>\n"
    wrong(NotInterpreted, "the sizes of .* are not known", unknown)
    run_of = "  %r = pto.tile.rowsum %t run 4 : tile<8x32xf32> -> tile<8x8xf32>\n"
    wrong(NotInterpreted, "partial results of rows are of whole tiles", LOAD + run_of)
    cast = "  %v = builtin.unrealized_conversion_cast %x : !pto.memref<16x32xf32> to memref<16x32xf32>\n"
    wrong(NotInterpreted, "a cast to .* has no meaning here", cast)


def test_arguments_of_tile_programs():
    module = ptir.parse(HEAD.replace("%n: index", "%n: index, %s: f32") + "  func.return\n}\n")
    x, i = np.zeros((16, 32), np.float32), np.zeros((16, 32), np.int32)
    assert call(module, "f", x, x, 4, np.float32(1), i) == ()
    for args in (
        (x, x, 4.0, np.float32(1), i),
        (x, x, 4, 1, i),
        (x, x[:8], 4, np.float32(1), i),
        (x, x, x, np.float32(1), i),
    ):
        with pytest.raises(ArgumentMismatch):
            call(module, "f", *args)


def test_bounds_of_tile_programs_of_pto_are_refused():
    module = ptir.parse(
        "func.func @f(%x: !pto.memref<8x8xf32>) {\n  %t = pto.tile.load %x[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>\n  func.return\n}\n"
    )
    with pytest.raises((NoBounds, NotInterpreted)):
        ptir.bounds(module, np.zeros((8, 8), np.float32))


def test_a_tile_that_is_returned_has_the_bits_of_poison():
    module = ptir.parse(
        "func.func @f(%n: index) -> !pto.tile<4x8xf32> {\n"
        "  %t = pto.tile.expands 1.0 : f32 {valid = [%n, 8]} : tile<4x8xf32>\n  func.return %t : !pto.tile<4x8xf32>\n}\n"
    )
    (tile,) = call(module, "f", 3)
    assert (tile[:3] == 1).all() and np.isnan(tile[3]).all()
    text = "func.func @f() -> !pto.tile<4x8xi32> {\n  %t = pto.tile.expands -1 : i32 : tile<4x8xi32>\n  func.return %t : !pto.tile<4x8xi32>\n}\n"
    assert (call(ptir.parse(text), "f")[0] == -1).all()


@pytest.mark.parametrize("layout", ["ND", "DN"])
def test_an_array_is_viewed_in_a_layout(layout: str):
    array, view = "memref<4x8xf32>", f"pto.memref<8x4xf32, {{layout = #pto.layout<{layout}>}}>"
    text = f"""
func.func @f(%x: {array}, %y: !pto.memref<8x4xf32>) {{
  %v = builtin.unrealized_conversion_cast %x : {array} to !{view}
  %t = pto.tile.load %v[0, 0] : {view}, tile<8x4xf32>
  pto.tile.store %t, %y[0, 0] : pto.memref<8x4xf32>, tile<8x4xf32>
  func.return
}}"""
    x, y = np.arange(32, dtype=np.float32).reshape(4, 8), np.zeros((8, 4), np.float32)
    run(ptir.parse(text), (x, y))
    np.testing.assert_array_equal(y, x.T if layout == "DN" else x.reshape(8, 4))


def test_scalars_wrap():
    text = """
func.func @f(%a: index, %b: i8) -> (index, i8, i8, i8) {
  %c = pto.constant 100 : i8
  %0 = pto.muli %a, %a : index
  %1 = pto.addi %b, %c : i8
  %2 = pto.subi %1, %c : i8
  %3 = pto.muli %b, %c : i8
  func.return %0, %1, %2, %3 : index, i8, i8, i8
}"""
    got = call(ptir.parse(text), "f", 2**40, 100)
    assert [int(v) for v in got] == [0, -56, 100, 16]


def test_a_constant_has_its_type():
    text = "func.func @f() -> f16 {\n  %0 = pto.constant 0.1 : f16\n  func.return %0 : f16\n}"
    (got,) = call(ptir.parse(text), "f")
    assert got.dtype == np.float16 and got == np.float16(0.1)


def test_the_oracle_rounds_exactly():
    assert converted(2.5, np.dtype(np.int8), "CAST_RINT") == 2 and converted(2.5, np.dtype(np.int8), "CAST_ROUND") == 3
    assert converted(float(Fraction(2049)), np.dtype(np.float16), "CAST_CEIL") == 2050


@pytest.mark.parametrize(
    "body",
    [
        "  %a = pto.tile.load %x[0, 0] {valid = [%n, 5]} : pto.memref<16x32xf32>, tile<8x8xf32, #pto.tile_info<loc=Left>>\n"
        "  %b = pto.tile.load %x[0, 0] {valid = [5, 7]} : pto.memref<16x32xf32>, tile<8x8xf32, #pto.tile_info<loc=Right>>\n"
        "  %z = pto.tile.load %x[0, 0] {valid = [8, 3]} : pto.memref<16x32xf32>, tile<8x8xf32, #pto.tile_info<loc=Acc>>\n"
        "  %c = pto.tile.matmul.acc %z, %a, %b : tile<8x8xf32, #pto.tile_info<loc=Acc>>, tile<8x8xf32, #pto.tile_info<loc=Left>>,\n"
        "    tile<8x8xf32, #pto.tile_info<loc=Right>> -> tile<8x8xf32, #pto.tile_info<loc=Acc>>\n",
        "  %a = pto.tile.load %x[0, 0] {valid = [1, 20]} : pto.memref<16x32xf32>, tile<1x32xf32>\n"
        "  %b = pto.tile.load %x[1, 0] {valid = [1, %n]} : pto.memref<16x32xf32>, tile<1x32xf32>\n"
        "  %c = pto.tile.mrgsort %b, %a : tile<1x32xf32>, tile<1x32xf32> -> tile<1x64xf32>\n",
        "  %a = pto.tile.load %x[0, 0] : pto.memref<16x32xf32>, tile<1x32xf32>\n"
        "  %b = pto.tile.mrgsort %a {blockLen = 2} : tile<1x32xf32> -> tile<1x32xf32>\n"
        "  %c = pto.tile.mrgsort %a {blockLen = 2, valid = [1, 16]} : tile<1x32xf32> -> tile<1x32xf32>\n"
        "  %d = pto.tile.abs %a {valid = [1, 23]} : tile<1x32xf32>\n"
        "  %e = pto.tile.mrgsort %d {blockLen = 2} : tile<1x32xf32> -> tile<1x32xf32>\n"
        "  %p = pto.tile.load %x[0, 0] {valid = [1, 20]} : pto.memref<16x32xf32>, tile<1x32xf32>\n"
        "  %q = pto.tile.abs %p {valid = [1, 23]} : tile<1x32xf32>\n"
        "  %f = pto.tile.mrgsort %q, %a : tile<1x32xf32>, tile<1x32xf32> -> tile<1x64xf32>\n",
        "  %a = pto.tile.load %x[0, 0] {valid = [%n, 32]} : pto.memref<16x32xf32>, tile<8x32xf32>\n"
        "  %b = pto.tile.mov.v2l %a : tile<8x32xf32> -> tile<8x32xf32, #pto.tile_info<loc=Left>>\n"
        "  %c = pto.tile.mov.v2r %a : tile<8x32xf32> -> tile<8x32xf32, #pto.tile_info<loc=Right>>\n"
        "  %d = pto.tile.mov.v2a %a : tile<8x32xf32> -> tile<8x32xf32, #pto.tile_info<loc=Acc>>\n",
        "  %a = pto.tile.expands 1.0 : f8E4M3FN {valid = [%n, 32]} : tile<8x32xf8E4M3FN>\n"
        "  %b = pto.tile.expands 1.0 : f8E4M3FN {valid = [32, 5]} : tile<32x16xf8E4M3FN>\n"
        "  %s = pto.tile.expands 1.0 : f8E8M0FNU : tile<8x1xf8E8M0FNU>\n"
        "  %t = pto.tile.expands 1.0 : f8E8M0FNU : tile<1x16xf8E8M0FNU>\n"
        "  %c = pto.tile.matmul.mx %a, %s, %b, %t : tile<8x32xf8E4M3FN>, tile<8x1xf8E8M0FNU>, tile<32x16xf8E4M3FN>,\n"
        "    tile<1x16xf8E8M0FNU> -> tile<8x16xf32>\n"
        "  pto.tile.store %c, %y[0, 0] {valid = [%n, 5]} : pto.memref<16x32xf32>, tile<8x16xf32>\n",
        "  %m = pto.tile.load %x[0, 0] {valid = [%n, 32]} : pto.memref<16x32xf32>, tile<8x32xf32, #pto.tile_info<loc=Mat>>\n"
        "  %d = pto.tile.mov.m2v %m : tile<8x32xf32, #pto.tile_info<loc=Mat>> -> tile<8x32xf32>\n",
    ],
)  # fmt: skip
def test_valid_regions_that_random_programs_seldom_have(body: str):
    x = np.arange(512, dtype=np.float32).reshape(16, 32)
    assert run(ptir.parse(f"{HEAD}{body}  func.return\n}}\n"), (x, x.copy(), 4, np.zeros((16, 32), np.int32)))


def test_ops_are_built_with_valid_regions_and_events():
    t, n = pto.TileType((8, 8), f32), test.TestOp(result_types=[IndexType(), pto.MemRefType((8, 8), f32)])
    load = pto.LoadOp(n.results[1], [0, 0], t, valid=[n.results[0], 8], event=pto.EventType("TLOAD"))
    store = pto.StoreOp(load.result, n.results[1], [0, 0], valid=[4, 8], waits=[load.results[1]])
    for op in (load, store, plain := pto.LoadOp(n.results[1], [0, n.results[0]], t)):
        op.verify()
    assert re.search(r"\{valid = \[%\d, 8\]\}", str(load)) and "valid" not in str(plain)
    assert re.search(r"wait\(%\d\) \{valid = \[4, 8\]\}", str(store))


def test_a_partial_tile_is_an_array_of_its_type():
    tile = Partial(np.ones((2, 4), np.float16), (2, 3), np.zeros((2, 4), np.int32))
    assert np.asarray(tile).dtype == np.float16 and np.asarray(tile, np.float64).dtype == np.float64


def test_strict_products_are_added_one_after_the_other():
    """Halves of the last place are lost in f32, and not in a sum that is rounded once; integers wrap in any order."""
    text = """
module attributes {ptir.strict_floats} { func.func @f(%x: !pto.memref<1x3xf32>, %i: !pto.memref<1x3xi8>, %k: i32)
    -> (!pto.tile<1x1xf32>, !pto.tile<1x1xi32>) {
  %a = pto.tile.load %x[0, 0] : pto.memref<1x3xf32>, tile<1x3xf32>
  %b = pto.tile.expands 1.0 : f32 : tile<3x1xf32>
  %z = pto.tile.expands 1.0 : f32 : tile<1x1xf32>
  %r = pto.tile.matmul.acc %z, %a, %b : tile<1x1xf32>, tile<1x3xf32>, tile<3x1xf32> -> tile<1x1xf32>
  %c = pto.tile.load %i[0, 0] : pto.memref<1x3xi8>, tile<1x3xi8>
  %d = pto.tile.expands 3 : i8 : tile<3x1xi8>
  %s = pto.tile.expands %k : i32 : tile<1x1xi32>
  %t = pto.tile.matmul.acc %s, %c, %d : tile<1x1xi32>, tile<1x3xi8>, tile<3x1xi8> -> tile<1x1xi32>
  func.return %r, %t : !pto.tile<1x1xf32>, !pto.tile<1x1xi32>
} }"""
    x, i = np.full((1, 3), 2**-24, np.float32), np.array([[5, 7, 9]], np.int8)
    for source, want in ((text, 1), (text.replace("attributes {ptir.strict_floats}", ""), 1 + 2**-22)):
        product, wrapped = call(ptir.parse(source), "f", x, i, 2**31 - 1)
        assert product.item() == want and wrapped.item() == -(2**31) + 62


def test_numbers_of_each_kind():
    text = """
func.func @f(%k: i64) -> (!pto.tile<1x4xi64>, !pto.tile<1x2xcomplex<f32>>, !pto.tile<1x4xi32>, index, index) {
  %a = pto.tile.expands %k : i64 : tile<1x4xi64>
  %b = pto.tile.expands [1.0 : f32, 2.0 : f32] : tile<1x2xcomplex<f32>>
  %one = pto.tile.expands 1.0 : f32 : tile<1x4xf32>
  %bits = pto.tile.bitcast %one : tile<1x4xf32> -> tile<1x4xi32>
  %c = pto.constant 3 : index
  %five = pto.constant 5 : index
  %d = pto.addi %c, %five : index
  %e = pto.subi %d, %c : index
  func.return %a, %b, %bits, %d, %e : !pto.tile<1x4xi64>, !pto.tile<1x2xcomplex<f32>>, !pto.tile<1x4xi32>, index, index
}"""
    a, b, bits, d, e = call(ptir.parse(text), "f", 2**62 + 1)
    assert bits.tolist() == [[0x3F800000] * 4]
    assert a.tolist() == [[2**62 + 1] * 4] and b.tolist() == [[1 + 2j] * 2] and (d, e) == (8, 5)
