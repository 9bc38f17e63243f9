"""Quotients by one divisor (`backends/cuda/prelude/quotients.py`): correctly rounded, for all significands and for special operands."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import ptir
from ptir.runtime.devices import Emulator

BITS = 24
"""Bits of a significand of f32."""
NEAR = 8
"""Quotients within so many units of 2^-49 of a midpoint can be rounded wrongly; others are too far from it for their error."""


def near_midpoints(divisors: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """
    Returns all significands a, with their divisors b, for which a / b is nearly the midpoint of two floats: a * 2^k - b * m = d for an
    odd m of 25 bits, a small d, and k = 24 or 25, as a is at least b or below. If b = odd * 2^z, d is a multiple of 2^z, and
    m = -d / 2^z / odd modulo 2^(k - z).
    """
    found: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    for z in range(BITS):
        b = divisors[divisors & -divisors == 1 << z]
        odd = b >> z
        inverse = odd.copy()
        for _ in range(5):  # Newton's iteration doubles the number of right bits
            inverse = inverse * (2 - odd * inverse) & (1 << 32) - 1
        for k, d in ((k, d) for k in (BITS, BITS + 1) for d in range(-NEAR, NEAR + 1) if d and d % (1 << z) == 0):
            modulus = 1 << k - z
            first = (-d >> z) * inverse & modulus - 1
            for m in (first + step for step in range(0, 1 << BITS + 1, modulus)):
                a = (b * m + d) >> k
                whole = (a << k) == b * m + d
                right = whole & (m & 1 == 1) & (m >> BITS == 1) & (a >> BITS - 1 == 1)
                found.append((a[right], b[right]))
    return np.concatenate([a for a, _ in found]), np.concatenate([b for _, b in found])


def fma(x: NDArray[np.float32], y: NDArray[np.float32], z: NDArray[np.float32]) -> NDArray[np.float32]:
    """Returns x * y + z, rounded once: the product is exact in f64, and the sum is rounded to odd before it is rounded to f32."""
    product, addend = x.astype(np.float64) * y, z.astype(np.float64)
    total = product + addend
    part = total - product
    error = (product - (total - part)) + (addend - part)
    bits = total.view(np.int64)
    even = (error != 0) & (bits & 1 == 0)
    away = np.signbit(error) == np.signbit(total)
    return (bits + np.where(even, np.where(away, 1, -1), 0)).view(np.float64).astype(np.float32)


def check_significands(divisors: NDArray[np.int64]) -> int:
    """Compares the quotients nearest to midpoints with NumPy's, and returns how many there are."""
    a, b = (v.astype(np.float32) for v in near_midpoints(divisors))
    r = np.float32(1) / b
    product = a * r
    got = fma(-fma(b, product, -a), r, product)
    np.testing.assert_array_equal(got, a / b)
    return len(a)


def test_significands():
    """The divisors that are least, largest, and some between them."""
    between = np.random.default_rng(0).integers(1 << BITS - 1, 1 << BITS, 20_000)
    ends = [np.arange(n, n + 1000) for n in (1 << BITS - 1, (1 << BITS) - 1000)]
    assert check_significands(np.unique(np.concatenate([between, *ends]))) > 50_000


@pytest.mark.campaign
def test_all_significands():
    """All divisors: 4 seconds."""
    step = 1 << 16
    count = sum(check_significands(np.arange(n, n + step)) for n in range(1 << BITS - 1, 1 << BITS, step))
    assert count > 1 << 24


SPECIALS = np.array(
    [0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 2.0**-126, 3.4028235e38, 1, -1, 2.0**126, 2.0**127, 2.0**-100, 2 - 2.0**-23],
    np.float32,
)  # fmt: skip
PROGRAM = """
func.func @quotients(%x: tensor<{m}x{n}xf32>, %s: tensor<{m}x1xf32>) -> (tensor<{m}x{n}xf32>, tensor<{m}x1xf32>) {{
  %t = ptir.broadcast_to %s : tensor<{m}x1xf32> -> tensor<{m}x{n}xf32>
  %y = ptir.div %x, %t : tensor<{m}x{n}xf32>
  %z = ptir.reduce max %y axes [1] keepdims : tensor<{m}x{n}xf32> -> tensor<{m}x1xf32>
  func.return %y, %z : tensor<{m}x{n}xf32>, tensor<{m}x1xf32>
}}
"""


def any_floats(rng: np.random.Generator, *shape: int) -> NDArray[np.float32]:
    """Returns floats of any exponent: with random significands, with the least or largest one, and subnormal ones."""
    exponents, signs = rng.integers(0, 255, shape), rng.integers(0, 2, shape)
    significands = rng.integers(0, 1 << 23, shape)
    ends = np.where(rng.integers(0, 2, shape) == 1, 0, (1 << 23) - 1)
    significands = np.where(rng.integers(0, 4, shape) == 0, ends, significands)
    return (signs << 31 | exponents << 23 | significands).astype(np.uint32).view(np.float32)


@pytest.mark.parametrize(("n", "arch"), [(256, "sm80"), (301, "sm90"), (128, "sm90")])
def test_kernels(n: int, arch: str):
    """Quotients have the bits of NumPy's, in vectors that are divided one by one and in others; NaNs may have any bits."""
    rng, m = np.random.default_rng(n), 128
    x, s = any_floats(rng, m, n), any_floats(rng, m, 1)
    usual = rng.integers(0, 2, m) == 1  # rows of the usual numbers, some zeros among them
    x[usual] = rng.standard_normal((usual.sum(), n)).astype(np.float32)
    x[usual] = np.where(rng.integers(0, 20, (usual.sum(), n)) == 0, np.copysign(0, x[usual]), x[usual])
    s[usual] = abs(rng.standard_normal((usual.sum(), 1)).astype(np.float32))
    s[: len(SPECIALS), 0] = SPECIALS
    x[::3, : len(SPECIALS)] = SPECIALS
    x[1::5, : n // 2] = np.float32(-0.0)
    program = ptir.compile(PROGRAM.format(m=m, n=n), arch=arch, device=Emulator())
    assert "divide_by" in program.cuda
    got, _ = program(x, s)
    with np.errstate(all="ignore"):
        want = x / s
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    number = ~np.isnan(want)
    np.testing.assert_array_equal(got.view(np.uint32)[number], want.view(np.uint32)[number])
