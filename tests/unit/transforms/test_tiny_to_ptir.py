"""`tiny-to-ptir` on programs that `ptir-to-tiny` does not generate: formulas, views and contractions."""

from __future__ import annotations

from random import Random

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import ptir
from ptir.dialects.common.shapes import element, shape
from ptir.dialects.ptir import DotGeneralOp
from ptir.semantics.arrays.scalars import Array, numpy_dtype
from ptir.semantics.interpreter import call


def back(text: str) -> tuple[ModuleOp, ModuleOp]:
    """Returns the program before and after the pass, which must leave no tiny op."""
    module = ptir.parse(text)
    after = ptir.PassManager("tiny-to-ptir").run(module.clone())
    assert not [op for op in after.walk() if op.name.startswith("tiny.")], after
    return module, after


def same(text: str, *arrays: Array) -> ModuleOp:
    """Returns the program after the pass. Requires the same results, bit for bit, except for bits of NaNs and signs of zeros."""
    before, after = back(text)
    for x, y in zip(call(before, "f", *arrays), call(after, "f", *arrays), strict=True):
        assert (x.dtype, x.shape) == (y.dtype, y.shape)
        wide = [v if v.dtype.kind in "cbiu" else v.astype(np.float64) for v in (x, y)]
        np.testing.assert_array_equal(*wide)
    return after


# --- words that ptir lacks ----------------------------------------------------------------------

FLOATS = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("fn", ["relu", "gelu", "silu"])
def test_formulas(fn: str, dtype: str):
    rng = np.random.default_rng(1)
    special = [0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 0.5, 60000, -60000]
    x = np.concatenate([special, rng.standard_normal(400) * 4, rng.standard_normal(88) * 100]).astype(FLOATS[dtype])
    t = f"tensor<500x{dtype}>"
    same(f"func.func @f(%x: {t}) -> {t} {{ %0 = tiny.unary {fn} %x : {t} -> {t} func.return %0 : {t} }}", x)


def test_relu_of_integers():
    t = "tensor<5xsi8>"
    text = f"func.func @f(%x: {t}) -> {t} {{ %0 = tiny.unary relu %x : {t} -> {t} func.return %0 : {t} }}"
    same(text, np.array([-128, -1, 0, 1, 127], np.int8))


def test_tf32_alone_is_arithmetic_on_bits():
    edges = np.array([0, 0x7F7FEFFF, 0x7F7FF000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x7F800001, 0xFF800000, 0x00000FFF,
                      0x00001000, 0x00001001, 0x80001000, 0x3F801000, 0x3F800FFF], np.uint32)  # fmt: skip
    bits = np.concatenate([edges, np.random.default_rng(0).integers(0, 2**32, 2000, np.uint32)])
    t = f"tensor<{len(bits)}xf32>"
    text = f"func.func @f(%x: {t}) -> {t} {{ %0 = tiny.unary tf32 %x : {t} -> {t} func.return %0 : {t} }}"
    after = same(text, bits.view(np.float32))
    assert "ptir.extensions" in after.attributes


# --- views --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_views(seed: int):
    rng = Random(seed)
    of = [rng.randint(1, 4) for _ in range(rng.randint(0, 3))]
    x = np.arange(int(np.prod(of)), dtype=np.int32).reshape(of)
    to = [rng.randint(1, 3) for _ in range(rng.randint(0, 4))]
    offset = rng.randrange(x.size)
    strides, room = [], x.size - 1 - offset
    for size in to:
        strides.append(rng.randint(0, room // max(1, size - 1)) if size > 1 else rng.randint(0, 5))
        room -= strides[-1] * (size - 1)
    source, result = ("tensor<" + "".join(f"{n}x" for n in s) + "i32>" for s in (of, to))
    text = f"""func.func @f(%x: {source}) -> {result} {{
      %0 = tiny.movement view %x offset {offset} strides {strides} : {source} -> {result}
      func.return %0 : {result}
    }}"""
    after = same(text, x)
    index = sum((s * i for s, i in zip(strides, np.indices(to), strict=True)), start=np.full(to, offset))
    np.testing.assert_array_equal(call(after, "f", x)[0], x.reshape(-1)[index])


@pytest.mark.parametrize(
    ("offset", "strides", "to", "name"),
    [
        (7, [6, 1], "2x3", "ptir.slice"),
        (0, [6, 1], "4x6", "ptir.slice"),
        (7, [0, 1], "1x5", "ptir.slice"),
        (7, [6, 1], "2x6", "ptir.take"),  # extends beyond the end of a row
        (7, [12, 1], "2x3", "ptir.take"),
        (7, [1], "3", "ptir.take"),
    ],
)
def test_a_view_with_the_operands_strides_is_a_slice(offset: int, strides: list[int], to: str, name: str):
    text = f"""func.func @f(%x: tensor<4x6xf32>) -> tensor<{to}xf32> {{
      %0 = tiny.movement view %x offset {offset} strides {strides} : tensor<4x6xf32> -> tensor<{to}xf32>
      func.return %0 : tensor<{to}xf32>
    }}"""
    after = same(text, np.arange(24, dtype=np.float32).reshape(4, 6))
    assert name in {op.name for op in after.walk()}
    assert ("ptir.take" in str(after)) == (name == "ptir.take")


# --- contractions -------------------------------------------------------------------------------


def product(
    left: str, right: str, axes: list[int], dtype: str = "f32", multiplied: str = "f64", accum: str = "f32"
) -> str:
    """Returns the program Σ a · b, whose factors are cast to `multiplied`."""
    sides = [tuple(int(n) for n in side.split("x")) for side in (left, right)]
    sizes = np.broadcast_shapes(*sides)
    kept = [n for a, n in enumerate(sizes) if a not in axes]
    full = "tensor<" + "".join(f"{n}x" for n in sizes) + f"{multiplied}>"
    out = "tensor<" + "".join(f"{n}x" for n in kept) + f"{accum}>"
    a, b, c, d = (f"tensor<{side}x{t}>" for t in (dtype, multiplied) for side in (left, right))
    return f"""func.func @f(%a: {a}, %b: {b}) -> {out} {{
      %c = tiny.unary cast %a : {a} -> {c}
      %d = tiny.unary cast %b : {b} -> {d}
      %p = tiny.binary mul %c, %d : ({c}, {d}) -> {full}
      %r = tiny.reduce sum %p axes {axes} accum {accum} : {full} -> {out}
      func.return %r : {out}
    }}"""


def inputs(module: ModuleOp) -> list[Array]:
    rng = np.random.default_rng(3)
    function = next(op for op in module.walk() if isinstance(op, FuncOp))
    return [rng.integers(-5, 6, shape(a)).astype(numpy_dtype(element(a))) for a in function.body.block.args]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("4x8x1", "1x8x2"),
        ("4x1x3", "2x1"),
        ("3", "4x2x3"),
        ("1x1x1", "4x2x3"),
        ("4x0x3", "1x3"),
        ("4x2x3", "4x2x3"),
        ("1", "1"),
    ],
)
@pytest.mark.parametrize("axes", [[0], [1], [2], [0, 2], [0, 1, 2]])
@pytest.mark.parametrize(
    ("dtype", "multiplied", "accum"), [("f32", "f64", "f32"), ("f16", "f32", "f16"), ("si8", "si32", "si32")]
)
def test_summed_products_are_contractions(
    left: str, right: str, axes: list[int], dtype: str, multiplied: str, accum: str
):
    axes = [a for a in axes if a < max(len(left.split("x")), len(right.split("x")))]
    text = product(left, right, axes, dtype, multiplied, accum)
    after = same(text, *inputs(ptir.parse(text)))
    assert sum(isinstance(op, DotGeneralOp) for op in after.walk()) == 1
    assert not [op.name for op in after.walk() if op.name in ("ptir.mul", "ptir.reduce")]


@pytest.mark.parametrize(
    ("dtype", "multiplied", "accum"),
    [("f32", "f32", "f32"), ("f16", "f16", "f32"), ("si8", "si8", "si32"), ("f64", "f32", "f32")],
)
def test_products_that_round_or_wrap_elsewhere_are_no_contraction(dtype: str, multiplied: str, accum: str):
    """`dot_general` multiplies f32 in f64, f16 and bf16 in f32, si8 in the accumulator's type."""
    text = product("3x4", "3x4", [1], dtype, multiplied, accum)
    _, after = back(text)
    assert {"ptir.mul", "ptir.reduce"} <= {op.name for op in after.walk()}
    a = np.arange(12).reshape(3, 4).astype(numpy_dtype(element(next(iter(ptir.parse(text).ops)).body.block.args[0])))
    same(text, a * a, a * a)


@pytest.mark.parametrize("fn", ["tf32", "cast"])
def test_factors_that_were_rounded_stay_so(fn: str):
    """To tf32, which a contraction does itself, or by casts that are not exact; one of them has another use."""
    dtype = {"tf32": "f32", "cast": "f64"}[fn]
    text = f"""func.func @f(%a: tensor<9x{dtype}>, %b: tensor<9x{dtype}>) -> (tensor<f32>, tensor<9xf32>) {{
      %0 = tiny.unary {fn} %a : tensor<9x{dtype}> -> tensor<9xf32>
      %1 = tiny.unary {fn} %b : tensor<9x{dtype}> -> tensor<9xf32>
      %p = tiny.binary mul %0, %1 : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
      %r = tiny.reduce sum %p axes [0] accum f32 : tensor<9xf32> -> tensor<f32>
      func.return %r, %1 : tensor<f32>, tensor<9xf32>
    }}"""
    a, b = np.ones(9), np.array([1, -1, 0, 0, 0, 0, 0, 0, 0])
    a[0] += {"tf32": 2**-12, "cast": 2**-30}[fn]  # rounding loses this difference; without it, it would be the sum
    after = same(text, *(x.astype(FLOATS[dtype]) for x in (a, b)))
    assert ("precision tf32" in str(after)) == (fn == "tf32")
