"""Sums of rows with one term that is not zero: kernels load it at the position that a number for each row gives."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.runtime.devices import Emulator

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


LOSS = """
func.func @loss(%x: tensor<6x{n}xbf16>, %at: tensor<6x1xsi32>) -> tensor<6x1xf32> {{
  %w = ptir.cast %x : tensor<6x{n}xbf16> -> tensor<6x{n}xf32>
  %max = ptir.reduce max %w axes [1] keepdims : tensor<6x{n}xf32> -> tensor<6x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<6x1xf32> -> tensor<6x{n}xf32>
  %d = ptir.sub %w, %maxes : tensor<6x{n}xf32>
  %e = ptir.exp %d : tensor<6x{n}xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims accum f32 : tensor<6x{n}xf32> -> tensor<6x1xf32>
  %log = ptir.log %sum : tensor<6x1xf32>
  %logs = ptir.broadcast_to %log : tensor<6x1xf32> -> tensor<6x{n}xf32>
  %p = ptir.sub %d, %logs : tensor<6x{n}xf32>
  %i = ptir.iota axis 1 : tensor<6x{n}xsi32>
  %t = ptir.broadcast_to %at : tensor<6x1xsi32> -> tensor<6x{n}xsi32>
  %hit = ptir.compare eq %i, %t : tensor<6x{n}xsi32> -> tensor<6x{n}xi1>
  %c = ptir.constant dense<0.0> : tensor<f32>
  %z = ptir.broadcast_to %c : tensor<f32> -> tensor<6x{n}xf32>
  %v = ptir.select %hit, %p, %z : tensor<6x{n}xi1>, tensor<6x{n}xf32>
  %s = ptir.reduce sum %v axes [1] keepdims accum f32 : tensor<6x{n}xf32> -> tensor<6x1xf32>
  func.return %s : tensor<6x1xf32>
}}
"""


@pytest.mark.parametrize(("n", "arch"), [(200, "sm80"), (1001, "sm90"), (2048, "sm80")])
def test_logarithms_of_softmax(n: int, arch: str):
    """The term is a function of reductions of its row; lanes compute it once a row, so that no row of differences is held for it."""
    rng = np.random.default_rng(n)
    x = (3 * rng.standard_normal((6, n))).astype(ml_dtypes.bfloat16)
    at = np.array([[0], [n - 1], [5], [-1], [n], [n // 2]], np.int32)
    program, module = compiled(LOSS.format(n=n), arch)
    assert "arith.index_cast" in module
    (got,) = program(x, at)
    wide = x.astype(np.float64)
    logs = wide - wide.max(1, keepdims=True)
    logs -= np.log(np.exp(logs).sum(1, keepdims=True))
    want = np.where((at >= 0) & (at < n), np.take_along_axis(logs, np.clip(at, 0, n - 1), 1), 0)
    np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-5)
