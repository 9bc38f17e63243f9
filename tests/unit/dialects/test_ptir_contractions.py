"""Contractions on all kinds of element types, compared with Python's integers, rationals and complex numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptir.semantics.errors import SizeMismatch
from ptir.semantics.interpreter import call

from ..builders.amount import examples
from ..builders.ptir_oracle import (
    COMPLEX,
    FLOATS,
    INTEGERS,
    agree,
    array,
    integers,
    near,
    nearest,
    numbers,
    parse,
    run,
    spell,
    wrap,
)


def matmul(a: list[Any], b: list[Any], m: int, k: int, n: int) -> list[Any]:
    return [sum(a[i * k + x] * b[x * n + j] for x in range(k)) for i in range(m) for j in range(n)]


@pytest.mark.sampled(2)
@settings(max_examples=examples(8))
@given(seed=st.integers(0, 999), sizes=st.tuples(*[st.integers(0, 4)] * 3))
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_contractions_wrap(dtype: str, seed: int, sizes: tuple[int, int, int]):
    m, k, n = sizes
    rng = np.random.default_rng(seed)
    some = np.array(integers(dtype, 8, seed), object)
    a, b = ([int(v) for v in rng.choice(some, size)] for size in (m * k, k * n))
    types = (m, k), (k, n), (m, n)
    t = [spell(s, dtype) for s in types]
    wide = spell(types[2], "si64")
    args = [(array(a, dtype).reshape(m, k), dtype), (array(b, dtype).reshape(k, n), dtype)]
    same, widened = run(
        args,
        (f"ptir.dot_general %a, %b contract [-1] x [-2] : ({t[0]}, {t[1]}) -> {t[2]}", t[2]),
        (f"ptir.dot_general %a, %b contract [1] x [0] accum si64 out si64 : ({t[0]}, {t[1]}) -> {wide}", wide),
    )
    want = matmul(a, b, m, k, n)
    agree(same, [wrap(v, dtype) for v in want])
    agree(widened, [wrap(v, "si64") for v in want])


def test_large_integers_are_exact():
    """Just beyond what float64 holds, and just inside."""
    for big in (2**26, 2**27 - 1, 2**31 - 1):
        a = np.array([[big, 1, -1]], np.int64)
        (got,) = run(
            [(a, "si64"), (a.T.copy(), "si64")],
            (
                "ptir.dot_general %a, %b contract [1] x [0] : (tensor<1x3xsi64>, tensor<3x1xsi64>) -> tensor<1x1xsi64>",
                "tensor<1x1xsi64>",
            ),
        )
        assert int(got[0, 0]) == big * big + 2
    a = np.array([[-(2**63), 1]], np.int64)
    (got,) = run(
        [(a, "si64"), (a.T.copy(), "si64")],
        (
            "ptir.dot_general %a, %b contract [1] x [0] : (tensor<1x2xsi64>, tensor<2x1xsi64>) -> tensor<1x1xsi64>",
            "tensor<1x1xsi64>",
        ),
    )
    assert int(got[0, 0]) == 1


@pytest.mark.parametrize("dtype", FLOATS)
def test_float_contractions_round_twice_at_most(dtype: str):
    """Products are exact; the sum is rounded to f32 (f64 if the operands are), then to the result's type."""
    rng = np.random.default_rng(0)
    a, b = ([nearest(float(v), dtype) for v in rng.integers(-60, 60, 12) / 16] for _ in "ab")
    t, r = spell([3, 4], dtype), spell([3, 3], dtype)
    args = [(array(a, dtype).reshape(3, 4), dtype), (array(b, dtype).reshape(3, 4), dtype)]
    (got,) = run(args, (f"ptir.dot_general %a, %b contract [1] x [1] : ({t}, {t}) -> {r}", r))
    sums = [sum(Fraction(a[i * 4 + k]) * Fraction(b[j * 4 + k]) for k in range(4)) for i in range(3) for j in range(3)]
    assert numbers(got) == [nearest(nearest(v, "f64" if dtype == "f64" else "f32"), dtype) for v in sums]


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_contractions(dtype: str):
    rng = np.random.default_rng(0)
    a, b = ([complex(x, y) for x, y in rng.integers(-9, 9, (12, 2)) / 4] for _ in "ab")
    t = spell([2, 3, 2], dtype), spell([2, 2, 3], dtype), spell([2, 3, 3], dtype)
    args = [(array(a, dtype).reshape(2, 3, 2), dtype), (array(b, dtype).reshape(2, 2, 3), dtype)]
    (got,) = run(
        args, (f"ptir.dot_general %a, %b batch [-3] x [0] contract [2] x [-2] : ({t[0]}, {t[1]}) -> {t[2]}", t[2])
    )
    near(got, [v for g in range(2) for v in matmul(a[g * 6 : g * 6 + 6], b[g * 6 : g * 6 + 6], 3, 2, 3)], 0.0)


def test_pairs_of_a_run_must_be_of_one_size():
    module = parse("""func.func @f(%a: tensor<?x2x?xf32>, %b: tensor<?x?x3xf32>) -> tensor<?x2x3xf32> {
      %0 = ptir.dot_general %a, %b batch [0] x [0] contract [2] x [1] : (tensor<?x2x?xf32>, tensor<?x?x3xf32>) -> tensor<?x2x3xf32>
      func.return %0 : tensor<?x2x3xf32> }""")
    a = np.ones((5, 2, 4), np.float32)
    assert call(module, "f", a, np.ones((5, 4, 3), np.float32))[0].shape == (5, 2, 3)
    with pytest.raises(SizeMismatch, match=r"rhs along its contract axes has size \[1\]"):
        call(module, "f", a, np.ones((5, 1, 3), np.float32))
    with pytest.raises(SizeMismatch, match=r"rhs along its batch axes has size \[1\]"):
        call(module, "f", a, np.ones((1, 4, 3), np.float32))


def test_fp8_pairs_and_signs_meet():
    e4m3, e5m2 = np.array([[448, -0.5]], ml_dtypes.float8_e4m3fn), np.array([[64], [2]], ml_dtypes.float8_e5m2)
    (got,) = run([(e4m3, "f8E4M3FN"), (e5m2, "f8E5M2")],
                 ("ptir.dot_general %a, %b contract [1] x [0] accum f32 out f32 : (tensor<1x2xf8E4M3FN>, tensor<2x1xf8E5M2>) -> tensor<1x1xf32>",
                  "tensor<1x1xf32>"))  # fmt: skip
    assert float(got[0, 0]) == 448 * 64 - 1
    (got,) = run([(np.array([[255]], np.uint8), "ui8"), (np.array([[-128]], np.int8), "si8")],
                 ("ptir.dot_general %a, %b contract [1] x [0] accum si32 out si32 : (tensor<1x1xui8>, tensor<1x1xsi8>) -> tensor<1x1xsi32>",
                  "tensor<1x1xsi32>"))  # fmt: skip
    assert int(got[0, 0]) == -32640


def test_tf32_rounds_both_operands_first():
    """To 10 bits of fraction, ties away from zero; the sum is f32's."""
    half = 2.0**-11
    a = np.array([[1 + half], [-1 - half], [1 + half - 2.0**-23], [1 + 3 * half]], np.float32)
    b = np.array([[1.0, 1 + half]], np.float32)
    ty = "(tensor<4x1xf32>, tensor<1x2xf32>) -> tensor<4x2xf32>"
    dot = "ptir.dot_general %a, %b contract [1] x [0] accum f32 out f32"
    whole, rounded = run(
        [(a, "f32"), (b, "f32")],
        (f"{dot} : {ty}", "tensor<4x2xf32>"),
        (f"{dot} precision tf32 : {ty}", "tensor<4x2xf32>"),
    )
    up = 1 + 2 * half
    assert [float(v) for v in whole[:, 0]] == [float(v) for v in a[:, 0]]
    assert rounded.astype(float).tolist() == [[v, float(np.float32(v * up))] for v in (up, -up, 1.0, 1 + 4 * half)]
