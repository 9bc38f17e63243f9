"""
Functions on float64 (and complex128) arrays that NumPy does not have, or defines differently.

The error of `erf` is at most 3 ulp, that of `erfc` at most 4 ulp, measured against 40 digits (in part by
`tests/unit/semantics/test_special_functions.py`). They use two polynomials:

    erf x  = x · P(x²)                                   |x| ≤ 1/2
    erfc x = e^(-x²) · Q((x - 4) / (x + 3)) / (x + 3)     x ≥ 1/2, down to the smallest subnormal

P and Q interpolate at Chebyshev nodes; their coefficients were computed with 60 digits. Schonfelder observed that
e^(x²) · erfc x is a smooth function of a fraction of x (*Chebyshev expansions for the error and related functions*, Math.
Comp. 32, 1978).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# fmt: off
_NEAR = (
    1.1283791670955126, -0.37612638903183476, 0.11283791670925353, -0.026866170632887928,
    0.00522397737302147, -0.0008548297753674966, 0.00012053335124353741, -1.4845849259707869e-05,
    1.4725865480556744e-06,
)
"""Coefficients of P, lowest power first."""
_FAR = (
    0.9589962033754298, -0.6277955952806216, 0.34605620908993506, -0.15596654978028518,
    0.054131908250099954, -0.012338549339439208, 0.0005752798952552469, 0.0007631143572737314,
    -0.00023152720573910412, -2.5286301290564375e-05, 2.7642501912840815e-05, -6.85781211576008e-07,
    -3.1782182545177525e-06, 2.779686565866179e-07, 4.06905595416937e-07, -3.9870594991391545e-08,
    -5.755692246039212e-08, 3.5138625208774858e-09, 7.745006981734328e-09, -1.5949971407381857e-11,
    -6.708208084596168e-10, -3.414193891926718e-11,
)
"""Coefficients of Q, lowest power first."""
# fmt: on
_FARTHEST = 27.5
"""The x beyond which erfc x is less than half of the smallest subnormal, and rounds to 0."""
_BLOCK = 8192
"""The number of elements processed at once, so that they stay in the cache while a polynomial is evaluated."""


def _polynomial(coefficients: Sequence[float], x: Array) -> Array:
    """Evaluates a polynomial by Horner's rule."""
    out = np.full_like(x, coefficients[-1])
    for c in coefficients[-2::-1]:
        out *= x
        out += c
    return out


def _erf_near(x: Array) -> Array:
    return x * _polynomial(_NEAR, x * x)


def _erfc_far(x: Array) -> Array:
    """Returns erfc for x ≥ 1/2. Splitting x keeps the rounding error of x² out of the exponent."""
    high = np.ldexp(np.rint(np.ldexp(x, 20)), -20)
    power = np.exp(-high * high) * np.exp((high - x) * (high + x))
    return power * (_polynomial(_FAR, (x - 4.0) / (x + 3.0)) / (x + 3.0))


def _in_blocks(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Applies an elementwise function to a block of elements at a time."""

    def apply(x: Array) -> Array:
        x = np.asarray(x)
        flat, out = x.reshape(-1), np.empty(x.size, x.dtype)
        with np.errstate(all="ignore"):
            for start in range(0, x.size, _BLOCK):
                out[start : start + _BLOCK] = function(flat[start : start + _BLOCK])
        return out.reshape(x.shape)

    return apply


@_in_blocks
def erf(x: Array) -> Array:
    """Returns the error function of `x`."""
    size = np.abs(x)
    far = np.copysign(1.0 - _erfc_far(np.clip(size, 0.5, 6.0)), x)  # from 6 on it is 1
    return np.where(size <= 0.5, _erf_near(np.clip(x, -0.5, 0.5)), far)


@_in_blocks
def erfc(x: Array) -> Array:
    """Returns the complementary error function, 1 - erf(x)."""
    size = np.abs(x)
    far = _erfc_far(np.clip(size, 0.5, _FARTHEST))
    near = 1.0 - _erf_near(np.clip(x, -0.5, 0.5))
    return np.where(size <= 0.5, near, np.where(x < 0, 2.0 - far, far))


def logistic(x: Array) -> Array:
    """Returns 1 / (1 + e^-x). For real numbers the exponents are negative, so that nothing overflows."""
    if x.dtype.kind == "c":
        return np.reciprocal(1.0 + np.exp(-x))
    power = np.exp(-np.abs(x))
    return np.where(x < 0, power, 1.0) / (1.0 + power)


def relu(x: Array) -> Array:
    """Returns max(x, 0). NaN is preserved; -0 becomes +0."""
    return maximum(x, np.zeros((), x.dtype))


def gelu(x: Array) -> Array:
    """Returns x/2 · (1 + erf(x/√2)), by erfc to avoid cancellation where erf is near -1. At -Inf it is NaN."""
    return x * 0.5 * erfc(x * -np.sqrt(0.5))


def silu(x: Array) -> Array:
    """Returns x · logistic(x). At -Inf it is NaN."""
    return x * logistic(x)


def rsqrt(x: Array) -> Array:
    return np.reciprocal(np.sqrt(x))


def sign(x: Array) -> Array:
    """Returns -1, 0 or 1; for complex numbers, x / |x|. Preserves NaN and the signs of zeros and of the parts."""
    if x.dtype.kind != "c":
        return np.where(x == 0, x, np.sign(x))
    large = np.isfinite(x) & (np.maximum(np.abs(np.real(x)), np.abs(np.imag(x))) > 2.0**1022)
    out = np.sign(np.where(large, x / 2, x))  # where |x| overflows, NumPy's sign is not x / |x|
    parts = [np.copysign(part(out), part(x)) for part in (np.real, np.imag)]  # NumPy loses the sign of -0
    return np.stack(parts, -1).view(x.dtype)[..., 0]


def power(base: Array, exponent: Array) -> Array:
    """
    Returns IEEE 754 `pow`. Integers wrap modulo 2⁶⁴; a negative exponent gives 0 for bases other than 1 and -1.

    NumPy computes a power by multiplications if one exponent is broadcast to all elements, and some C libraries return NaN for
    a signaling NaN to the power 0. Operands are multiplied by 1 here, which copies them and makes their NaNs quiet, so that the
    bits of a result depend neither on the memory layout nor on the machine.
    """
    if base.dtype.kind not in "iu":
        base, exponent = np.broadcast_arrays(base, exponent)
        base, exponent = base * base.dtype.type(1), exponent * exponent.dtype.type(1)
        return np.asarray(np.power(np.atleast_1d(base), np.atleast_1d(exponent)).reshape(base.shape))
    unit = (base == 1) | (base == base.dtype.type(-1)) if base.dtype.kind == "i" else base == 1
    negative = exponent < 0
    return np.where(negative & ~unit, base.dtype.type(0), np.power(base, np.where(negative, exponent & 1, exponent)))


def maximum(a: Array, b: Array) -> Array:
    """Returns IEEE 754-2019 `maximum`: NaN if an operand is NaN, and +0 > -0 (the sum of two zeros is their maximum)."""
    out = np.maximum(a, b)
    return np.where((a == 0) & (b == 0), a + b, out) if out.dtype.kind == "f" else out


def minimum(a: Array, b: Array) -> Array:
    return np.negative(maximum(np.negative(a), np.negative(b))) if a.dtype.kind == "f" else np.minimum(a, b)


def divide(a: Array, b: Array) -> Array:
    """Returns the IEEE quotient. For integers, truncates it toward zero, and raises `ZeroDivisionError`."""
    if a.dtype.kind not in "iu":
        return np.divide(a, b)
    _refuse_zero(b)
    quotient, rest = np.floor_divide(a, b), np.remainder(a, b)
    return quotient + ((rest != 0) & ((a < 0) != (b < 0))).astype(quotient.dtype)


def remainder(a: Array, b: Array) -> Array:
    """
    Returns the remainder of the division truncated toward zero, which has the sign of `a` and is exact. Raises
    `ZeroDivisionError` for integers.
    """
    if a.dtype.kind in "iu":
        _refuse_zero(b)
    return np.fmod(a, b)


def _refuse_zero(divisor: Array) -> None:
    if np.any(divisor == 0):
        raise ZeroDivisionError("integer division by zero")


def tf32(x: Array, tie: float = 0.5) -> Array:
    """
    Rounds to the nearest tf32 value (8 bits of exponent, 10 of fraction), ties away from zero, as `cvt.rna.tf32.f32` does (PTX
    ISA §9.7.9.21; nvcc compiles it to adding half a unit to the bits, then masking). Values that are too large become infinite;
    subnormals are multiples of 2⁻¹³⁶. With a `tie` slightly below 0.5, ties are rounded toward zero.
    """
    _, exponent = np.frexp(x)
    step = np.ldexp(1.0, np.maximum(exponent, -125) - 11)
    rounded = np.copysign(np.floor(np.abs(x) / step + tie) * step, x)
    return np.where(np.abs(rounded) >= 2.0**128, np.copysign(np.inf, x), rounded)


def log1p(x: Array) -> Array:
    """Returns log(1 + x). For complex x, |1 + x|² = 1 + (2 + re) re + im² avoids NumPy's rounding of the sum 1 + x."""
    if x.dtype.kind != "c":
        return np.log1p(x)
    re, im = np.real(x), np.imag(x)
    size = np.maximum(np.abs(re), np.abs(im))
    scale = np.where(size > 2.0**1022, 0.5, 1.0)  # so that the modulus does not overflow
    whole = np.log(np.hypot((1 + re) * scale, im * scale)) - np.log(scale)
    modulus = np.where(size < 0.5, np.log1p((2 + re) * re + im * im) / 2, whole)
    return np.stack([modulus, np.arctan2(im, 1 + re)], axis=-1).view(np.complex128)[..., 0]
