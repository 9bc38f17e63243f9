"""Sums of strict floats are those of exact arithmetic, rounded after each step in the specified order."""

from __future__ import annotations

from fractions import Fraction
from math import floor, inf, isfinite, log2

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.semantics.arrays import strict

RANDOM = np.random.default_rng(22)
DIGITS = {"float32": (24, -149), "float16": (11, -24), "bfloat16": (8, -133)}
"""The digits of a type, and the exponent of its smallest number."""


def rounded(exact: Fraction, dtype: str) -> Fraction:
    """Returns a fraction rounded to nearest even, without overflow."""
    digits, least = DIGITS[dtype]
    if not exact:
        return exact
    exponent = floor(log2(abs(exact.numerator)) - log2(exact.denominator))
    exponent += (abs(exact) >= Fraction(2) ** (exponent + 1)) - (abs(exact) < Fraction(2) ** exponent)
    unit = Fraction(2) ** max(exponent - digits + 1, least)
    return round(exact / unit) * unit


def numbers(shape: tuple[int, ...], dtype: object = np.float32, spread: int = 30) -> np.ndarray:
    """Returns numbers of widely different sizes, some of them subnormal."""
    return (RANDOM.standard_normal(shape) * np.exp2(RANDOM.integers(-spread, 5, shape))).astype(dtype)


def products_in_order(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Returns x · w, a fused multiply-add after the other."""
    out = np.zeros((len(x), w.shape[1]), np.float32)
    for i, j in np.ndindex(out.shape):
        total = Fraction(0)
        for k in range(len(w)):
            total = rounded(total + Fraction(float(x[i, k])) * Fraction(float(w[k, j])), "float32")
        out[i, j] = float(total)
    return out


def test_a_step_rounds_once():
    """Also halfway between two floats, where rounding twice would be wrong."""
    accumulators = np.concatenate([numbers((200,)), np.float32([1, 1, -1])])
    terms = np.concatenate([numbers((200,), np.float64), [2.0**-24 + 2.0**-60, 2.0**-24, 2.0**-24 - 2.0**-60]])
    got = strict.rounded_sum(accumulators, terms, np.dtype(np.float32))
    want = [
        float(rounded(Fraction(float(a)) + Fraction(float(b)), "float32"))
        for a, b in zip(accumulators, terms, strict=True)
    ]
    assert got.tolist() == want


def test_a_step_of_f16_and_bf16_rounds_once():
    for dtype in (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)):
        a, b = numbers((200,), dtype, 8), numbers((200,), dtype, 8)
        got = strict.rounded_sum(a, b, dtype).astype(np.float64)
        want = [float(rounded(Fraction(float(x)) + Fraction(float(y)), dtype.name)) for x, y in zip(a, b, strict=True)]
        assert got.tolist() == want


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
def test_contractions_are_sequential(dtype: str):
    x, w = (numbers(shape, {"f32": np.float32, "bf16": ml_dtypes.bfloat16}[dtype], 70) for shape in ((3, 17), (17, 4)))
    a, b = f"tensor<3x17x{dtype}>", f"tensor<17x4x{dtype}>"
    op = f"%0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : ({a}, {b}) -> tensor<3x4xf32>"
    text = f"func.func @f(%x: {a}, %w: {b}) -> tensor<3x4xf32> {{\n{op}\nfunc.return %0 : tensor<3x4xf32>\n}}"
    (got,) = ptir.reference(text, x, w, strict=True)
    assert got.tolist() == products_in_order(x, w).tolist()
    module = ptir.parse("builtin.module attributes {ptir.strict_floats} {" + text + "}")
    (tiny,) = ptir.reference(ptir.PassManager("ptir-to-tiny").run(module), x, w)
    assert got.tolist() == tiny.tolist()


def test_axes_are_contracted_in_the_written_order():
    x, w = numbers((5, 2, 6)), numbers((6, 5, 3))
    types = "(tensor<5x2x6xf32>, tensor<6x5x3xf32>) -> tensor<2x3xf32>"
    text = f"""func.func @f(%x: tensor<5x2x6xf32>, %w: tensor<6x5x3xf32>) -> tensor<2x3xf32> {{
      %0 = ptir.dot_general %x, %w contract [2, 0] x [0, 1] out f32 : {types}
      func.return %0 : tensor<2x3xf32>
    }}"""
    (got,) = ptir.reference(text, x, w, strict=True)
    assert got.tolist() == products_in_order(x.transpose(1, 2, 0).reshape(2, 30), w.reshape(30, 3)).tolist()


def test_reductions_are_sequential():
    x = numbers((4, 5, 3))
    text = """func.func @f(%x: tensor<4x5x3xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
      %0 = ptir.reduce sum %x axes [2, 0] : tensor<4x5x3xf32> -> tensor<5xf32>
      %1 = ptir.reduce mul %x axes [0, 2] : tensor<4x5x3xf32> -> tensor<5xf32>
      func.return %0, %1 : tensor<5xf32>, tensor<5xf32>
    }"""
    module = ptir.parse("builtin.module attributes {ptir.strict_floats, ptir.extensions} {" + text + "}")
    sums, products = ptir.reference(module, x)
    for j in range(5):
        total, product = Fraction(0), Fraction(1)
        for i, k in np.ndindex(4, 3):  # the axes in ascending order, whatever the order in the op
            total = rounded(total + Fraction(float(x[i, j, k])), "float32")
            product = rounded(product * Fraction(float(x[i, j, k])), "float32")
        assert (sums[j], products[j]) == (float(total), float(product))


def test_a_sum_is_not_that_of_another_order():
    text = """func.func @f(%x: tensor<3xf32>) -> tensor<f32> {
      %0 = ptir.reduce sum %x axes [0] : tensor<3xf32> -> tensor<f32>
      func.return %0 : tensor<f32>
    }"""
    x = np.float32([1, 2**-24, 2**-24])
    assert ptir.reference(text, x, strict=True)[0] == 1
    assert ptir.reference(text, x)[0] == 1 + 2**-23


def test_infinities_and_subnormal_numbers():
    big = np.float32([3e38, 3e38, -3e38])
    assert strict.reduce("sum", big, (0,), np.dtype(np.float32)) == inf
    small = np.float32([1e-45, 1e-45])
    assert strict.reduce("sum", small, (0,), np.dtype(np.float32)) == np.float32(3e-45) > 0
    assert isfinite(strict.reduce("sum", -big, (0,), np.dtype(np.float64)))


def test_bits_that_differ():
    a, b = np.float32([0.0, np.nan, 1]), np.float32([-0.0, -np.nan, 1])
    assert strict.differs(a, b).tolist() == [True, False, False]
    assert strict.differs(np.int32([1, 2]), np.int32([1, 3])).tolist() == [False, True]
