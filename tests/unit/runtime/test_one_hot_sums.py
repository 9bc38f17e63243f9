"""Sums of rows with one term that is not zero: kernels load it at the position that a number for each row gives."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.runtime.devices import Emulator
from ptir.semantics.errors import DivisionByZero

PICK = """
func.func @pick(%x: tensor<{m}x{n}x{dtype}>, %at: tensor<{m}x1x{index}>) -> (tensor<{m}x1x{dtype}>, tensor<{m}x1x{dtype}>) {{
  %i = ptir.iota axis 1 : tensor<{m}x{n}x{index}>
  %t = ptir.broadcast_to %at : tensor<{m}x1x{index}> -> tensor<{m}x{n}x{index}>
  %hit = ptir.compare eq %t, %i : tensor<{m}x{n}x{index}> -> tensor<{m}x{n}xi1>
  %c = ptir.constant dense<{zero}> : tensor<{dtype}>
  %z = ptir.broadcast_to %c : tensor<{dtype}> -> tensor<{m}x{n}x{dtype}>
  %v = ptir.select %hit, %x, %z : tensor<{m}x{n}xi1>, tensor<{m}x{n}x{dtype}>
  %s = ptir.reduce sum %v axes [1] keepdims accum {accum} : tensor<{m}x{n}x{dtype}> -> tensor<{m}x1x{dtype}>
  %max = ptir.reduce max %x axes [1] keepdims : tensor<{m}x{n}x{dtype}> -> tensor<{m}x1x{dtype}>
  func.return %s, %max : tensor<{m}x1x{dtype}>, tensor<{m}x1x{dtype}>
}}
"""
NUMPY: dict[str, Any] = {
    "f32": np.float32, "bf16": ml_dtypes.bfloat16, "si32": np.int32, "f64": np.float64, "si64": np.int64, "ui32": np.uint32
}  # fmt: skip


def compiled(source: str, arch: str) -> tuple[Any, str]:
    """Returns a program, and the text of its kernels."""
    program = ptir.compile(source, arch=arch, device=Emulator())
    return program, str(program.program.module)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("m", "n", "dtype", "index", "arch"),
    [
        (9, 40, "f32", "si32", "sm80"),
        (5, 1000, "bf16", "si64", "sm80"),
        (9, 1003, "f32", "ui32", "sm90"),
        (5, 301, "si32", "si32", "sm90"),
        (3, 4104, "bf16", "si32", "sm80"),
        (1, 17000, "f32", "si64", "sm90"),  # streamed
        (4, 200, "f64", "si32", "sm90"),
    ],
)
def test_elements(m: int, n: int, dtype: str, index: str, arch: str):
    """The element at the position, whatever NaN and infinities are elsewhere, or 0 for a position outside of the row. -0 + 0 is 0."""
    rng = np.random.default_rng(n)
    whole = dtype.startswith("si")
    x = rng.integers(-1000, 1000, (m, n)).astype(NUMPY[dtype])
    at = rng.integers(0, n, (m, 1)).astype(NUMPY[index])
    ends: list[int] = [n - 1, n, 0, 2**31 - 1, n + 5, *([-1, -(2**31)] if index != "ui32" else [])]
    at[:, 0] = [*ends, *at[len(ends) :, 0]][:m]
    if not whole:
        x[:, 1::7], x[:, 2::7], x[:, 3::7] = np.nan, np.inf, -0.0
    inside = (at >= 0) & (at < n)
    want = np.where(inside, np.take_along_axis(x, np.where(inside, at, 0).astype(np.int64), 1), 0).astype(
        NUMPY[dtype]
    ) + NUMPY[dtype](0)
    accum = dtype if whole or dtype == "f64" else "f32"
    source = PICK.format(m=m, n=n, dtype=dtype, index=index, accum=accum, zero=0 if whole else "0.0")
    program, module = compiled(source, arch)
    assert module.count("arith.cmpi eq") == 1
    assert "row_reduce sum" not in module
    got, _ = program(x, at)
    np.testing.assert_array_equal(got.astype(np.float64), want.astype(np.float64))
    assert not np.signbit(got[got == 0]).any()


HITS = """
func.func @f(%x: tensor<3x40xsi32>, %at: tensor<3x40xsi32>, %by: tensor<3x40xsi32>) -> tensor<3xsi32> {
  %i = ptir.iota axis 1 : tensor<3x40xsi32>
  %hit = ptir.compare eq %at, %i : tensor<3x40xsi32> -> tensor<3x40xi1>
  %z = ptir.constant dense<0> : tensor<3x40xsi32>
  %q = ptir.div %x, %by : tensor<3x40xsi32>
  %v = ptir.select %hit, %q, %z : tensor<3x40xi1>, tensor<3x40xsi32>
  %s = ptir.reduce sum %v axes [1] : tensor<3x40xsi32> -> tensor<3xsi32>
  func.return %s : tensor<3xsi32>
}"""


def test_a_position_for_each_column_may_select_several_terms():
    program, _ = compiled(HITS.replace("ptir.div", "ptir.mul"), "sm80")
    x, at = (np.random.default_rng(k).integers(0, 40, (3, 40)).astype(np.int32) for k in range(2))
    at[:, ::3] = np.arange(40)[::3]
    (got,) = program(x, at, np.ones_like(x))
    assert np.array_equal(got, np.where(at == np.arange(40), x, 0).sum(axis=1))


def test_a_term_that_is_not_selected_may_fail():
    """Here each row has one position, so that kernels would load one term: none may be divided by zero."""
    source = HITS.replace("%at: tensor<3x40", "%p: tensor<3x1").replace(
        "%hit =", "%at = ptir.broadcast_to %p : tensor<3x1xsi32> -> tensor<3x40xsi32>\n  %hit ="
    )
    program, _ = compiled(source, "sm80")
    x, at, by = np.ones((3, 40), np.int32), np.full((3, 1), 7, np.int32), np.ones((3, 40), np.int32)
    assert np.array_equal(program(x, at, by)[0], [1, 1, 1])
    by[1, 30] = 0
    with pytest.raises(DivisionByZero):
        program(x, at, by)


LOSS = """
func.func @loss(%x: tensor<{whole}xbf16>, %at: tensor<{once}xsi8>) -> tensor<{once}xf32> {{
  %w = ptir.cast %x : tensor<{whole}xbf16> -> tensor<{whole}xf32>
  %max = ptir.reduce max %w axes [1] keepdims : tensor<{whole}xf32> -> tensor<{once}xf32>
  %maxes = ptir.broadcast_to %max : tensor<{once}xf32> -> tensor<{whole}xf32>
  %d = ptir.sub %w, %maxes : tensor<{whole}xf32>
  %e = ptir.exp %d : tensor<{whole}xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims accum f32 : tensor<{whole}xf32> -> tensor<{once}xf32>
  %log = ptir.log %sum : tensor<{once}xf32>
  %logs = ptir.broadcast_to %log : tensor<{once}xf32> -> tensor<{whole}xf32>
  %p = ptir.sub %d, %logs : tensor<{whole}xf32>
  %i = ptir.iota axis 1 : tensor<{whole}xsi32>
  %wide = ptir.cast %at : tensor<{once}xsi8> -> tensor<{once}xsi32>
  %t = ptir.broadcast_to %wide : tensor<{once}xsi32> -> tensor<{whole}xsi32>
  %hit = ptir.compare eq %i, %t : tensor<{whole}xsi32> -> tensor<{whole}xi1>
  %c = ptir.constant dense<0.0> : tensor<f32>
  %z = ptir.broadcast_to %c : tensor<f32> -> tensor<{whole}xf32>
  %v = ptir.select %hit, %p, %z : tensor<{whole}xi1>, tensor<{whole}xf32>
  %s = ptir.reduce sum %v axes [1] keepdims accum f32 : tensor<{whole}xf32> -> tensor<{once}xf32>
  func.return %s : tensor<{once}xf32>
}}
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("sizes", "arch", "kernels"),
    [
        ((6, 200), "sm80", 1),
        ((6, 1001), "sm90", 1),
        ((32, 16400), "sm80", 1),  # streamed: one pass, as the term needs none
        ((2, 21, 40), "sm90", 1),  # adjacent rows
        ((2, 1100, 32), "sm80", 5),  # adjacent rows that no block holds: kernels of columns
    ],
)
def test_logarithms_of_softmax(sizes: tuple[int, ...], arch: str, kernels: int):
    """The term is a function of reductions of its row; lanes compute it once a row, so that no row of differences is held for it."""
    n, once = sizes[1], (sizes[0], 1, *sizes[2:])
    rng = np.random.default_rng(n)
    x = (3 * rng.standard_normal(sizes)).astype(ml_dtypes.bfloat16)
    at = rng.integers(-2, min(n + 2, 127), once).astype(np.int8)
    source = LOSS.format(whole="x".join(map(str, sizes)), once="x".join(map(str, once)))
    program, module = compiled(source, arch)
    assert (module.count("gpu.func"), module.count("arith.cmpi eq")) == (kernels, 1)
    (got,) = program(x, at)
    wide = x.astype(np.float64)
    logs = wide - wide.max(1, keepdims=True)
    logs -= np.log(np.exp(logs).sum(1, keepdims=True))
    want = np.where((at >= 0) & (at < n), np.take_along_axis(logs, np.clip(at, 0, n - 1).astype(np.int64), 1), 0)
    np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-5)
