"""
Functions on float64 (and complex128) arrays that NumPy lacks, or has in another sense.

`erf` is within 3 ulp and `erfc` within 4 (measured against 40 digits, as `tests/unit/semantics/test_special_functions.py` does in
part). Two polynomials suffice:

    erf x  = x · P(x²)                                   |x| ≤ 1/2
    erfc x = e^(-x²) · Q((x - 4) / (x + 3)) / (x + 3)     x ≥ 1/2, down to the smallest subnormal

P and Q interpolate at Chebyshev nodes; their coefficients were computed with 60 digits. That e^(x²) · erfc x is so tame a
function of a fraction of x is Schonfelder's observation (*Chebyshev expansions for the error and related functions*, Math.
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
"""P, lowest power first."""
_FAR = (
    0.9589962033754298, -0.6277955952806216, 0.34605620908993506, -0.15596654978028518,
    0.054131908250099954, -0.012338549339439208, 0.0005752798952552469, 0.0007631143572737314,
    -0.00023152720573910412, -2.5286301290564375e-05, 2.7642501912840815e-05, -6.85781211576008e-07,
    -3.1782182545177525e-06, 2.779686565866179e-07, 4.06905595416937e-07, -3.9870594991391545e-08,
    -5.755692246039212e-08, 3.5138625208774858e-09, 7.745006981734328e-09, -1.5949971407381857e-11,
    -6.708208084596168e-10, -3.414193891926718e-11,
)
"""Q, lowest power first."""
# fmt: on
_FARTHEST = 27.5
"""Beyond, erfc is less than half of the smallest subnormal."""
_BLOCK = 8192
"""Elements that are worked on at once: a polynomial goes over them many times, and they stay in the cache."""


def _polynomial(coefficients: Sequence[float], x: Array) -> Array:
    """Horner's rule."""
    out = np.full_like(x, coefficients[-1])
    for c in coefficients[-2::-1]:
        out *= x
        out += c
    return out


def _erf_near(x: Array) -> Array:
    return x * _polynomial(_NEAR, x * x)


def _erfc_far(x: Array) -> Array:
    """Of x ≥ 1/2. The square is cut in two so that its rounding does not grow in the exponent."""
    high = np.ldexp(np.rint(np.ldexp(x, 20)), -20)
    power = np.exp(-high * high) * np.exp((high - x) * (high + x))
    return power * (_polynomial(_FAR, (x - 4.0) / (x + 3.0)) / (x + 3.0))


def _in_blocks(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """An elementwise function, some elements at a time."""

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
    """The error function."""
    size = np.abs(x)
    far = np.copysign(1.0 - _erfc_far(np.clip(size, 0.5, 6.0)), x)  # from 6 on it is 1
    return np.where(size <= 0.5, _erf_near(np.clip(x, -0.5, 0.5)), far)


@_in_blocks
def erfc(x: Array) -> Array:
    """1 - erf."""
    size = np.abs(x)
    far = _erfc_far(np.clip(size, 0.5, _FARTHEST))
    near = 1.0 - _erf_near(np.clip(x, -0.5, 0.5))
    return np.where(size <= 0.5, near, np.where(x < 0, 2.0 - far, far))


def logistic(x: Array) -> Array:
    """1 / (1 + e^-x); of real numbers by powers of numbers below zero, which do not overflow."""
    if x.dtype.kind == "c":
        return np.reciprocal(1.0 + np.exp(-x))
    power = np.exp(-np.abs(x))
    return np.where(x < 0, power, 1.0) / (1.0 + power)


def relu(x: Array) -> Array:
    """max(x, 0); NaN is itself, and -0 becomes +0."""
    return maximum(x, np.zeros((), x.dtype))


def gelu(x: Array) -> Array:
    """x/2 · (1 + erf(x/√2)), by erfc, which loses nothing where erf is near -1. At -Inf the formula is NaN."""
    return x * 0.5 * erfc(x * -np.sqrt(0.5))


def silu(x: Array) -> Array:
    """x · logistic(x). At -Inf the formula is NaN."""
    return x * logistic(x)


def rsqrt(x: Array) -> Array:
    return np.reciprocal(np.sqrt(x))


def sign(x: Array) -> Array:
    """-1, 0 or 1, and of complex numbers x / |x|; zeros and NaN are themselves."""
    return np.where(x == 0, x, np.sign(x))


def power(base: Array, exponent: Array) -> Array:
    """
    IEEE 754 `pow`; integers wrap modulo 2⁶⁴, and a negative exponent makes anything but 1 and -1 zero.

    NumPy multiplies and divides where it sees one exponent for all elements. Here each has its own, so that the bits of an
    element do not depend on how the exponents lie in memory.
    """
    if base.dtype.kind not in "iu":
        base, exponent = np.broadcast_arrays(base, exponent)
        return np.asarray(np.power(np.atleast_1d(base), np.atleast_1d(exponent).copy()).reshape(base.shape))
    unit = (base == 1) | (base == base.dtype.type(-1)) if base.dtype.kind == "i" else base == 1
    negative = exponent < 0
    return np.where(negative & ~unit, base.dtype.type(0), np.power(base, np.where(negative, exponent & 1, exponent)))


def maximum(a: Array, b: Array) -> Array:
    """IEEE 754-2019 `maximum`: NaN if either is, and +0 above -0 (adding two zeros gives just that)."""
    out = np.maximum(a, b)
    return np.where((a == 0) & (b == 0), a + b, out) if out.dtype.kind == "f" else out


def minimum(a: Array, b: Array) -> Array:
    return np.negative(maximum(np.negative(a), np.negative(b))) if a.dtype.kind == "f" else np.minimum(a, b)


def divide(a: Array, b: Array) -> Array:
    """IEEE division; of integers the quotient cut off toward zero. Raises `ZeroDivisionError` on integers."""
    if a.dtype.kind not in "iu":
        return np.divide(a, b)
    _refuse_zero(b)
    quotient, rest = np.floor_divide(a, b), np.remainder(a, b)
    return quotient + ((rest != 0) & ((a < 0) != (b < 0))).astype(quotient.dtype)


def remainder(a: Array, b: Array) -> Array:
    """What `divide` leaves, with the sign of `a`; exact on floats. Raises `ZeroDivisionError` on integers."""
    if a.dtype.kind in "iu":
        _refuse_zero(b)
    return np.fmod(a, b)


def _refuse_zero(divisor: Array) -> None:
    if np.any(divisor == 0):
        raise ZeroDivisionError("integer division by zero")


def tf32(x: Array, tie: float = 0.5) -> Array:
    """
    The nearest value with f32's 8 bits of exponent and 10 of fraction; ties go away from zero, what is too large
    becomes infinite, subnormals are multiples of 2⁻¹³⁶. As `cvt.rna.tf32.f32` (PTX ISA §9.7.9.21), which nvcc compiles
    to an addition of half a step to the bits and a mask. A `tie` a little below a half sends ties toward zero.
    """
    _, exponent = np.frexp(x)
    step = np.ldexp(1.0, np.maximum(exponent, -125) - 11)
    rounded = np.copysign(np.floor(np.abs(x) / step + tie) * step, x)
    return np.where(np.abs(rounded) >= 2.0**128, np.copysign(np.inf, x), rounded)


def log1p(x: Array) -> Array:
    """NumPy's, which on complex numbers rounds the sum: |1 + x|² is 1 + (2 + re) re + im², whose logarithm loses nothing."""
    if x.dtype.kind != "c":
        return np.log1p(x)
    re, im = np.real(x), np.imag(x)
    near = np.maximum(np.abs(re), np.abs(im)) < 0.5
    modulus = np.where(near, np.log1p((2 + re) * re + im * im) / 2, np.log(np.hypot(1 + re, im)))
    return np.stack([modulus, np.arctan2(im, 1 + re)], axis=-1).view(np.complex128)[..., 0]
