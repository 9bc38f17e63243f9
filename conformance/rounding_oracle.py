"""
The oracle of elementary functions: the C library's binary64 functions, whose error is below 2^-47, and where that does not decide the
rounding, 300-bit arithmetic of mpmath. Neither shares code with `elementary/`.
"""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from ..elementary.rounding import ROUNDED
from ..semantics.arrays.special_functions import erf, erfc
from .errors import MissingOracle

Array = npt.NDArray[Any]
MARGIN = 2.0**-47
"""More than the relative error of each function of `NEAR`."""


@cache
def mpmath() -> Any:
    """Returns the library. Raises `MissingOracle`."""
    try:
        return import_module("mpmath")
    except ImportError as error:
        raise MissingOracle(problem=f"mpmath is not installed ({error})") from error


EXACT: dict[str, Callable[..., Any]] = {
    "exp2": lambda mp, x: mp.mpf(2) ** x,
    "log2": lambda mp, x: mp.log(x) / mp.log(2),
    "sigmoid": lambda mp, x: 1 / (1 + mp.exp(-x)),
    "rsqrt": lambda mp, x: 1 / mp.sqrt(x),
    "cbrt": lambda mp, x: mp.sign(x) * mp.cbrt(abs(x)),
    "pow": lambda mp, x, y: mp.power(x, y),
}
"""The functions that mpmath has under another name."""
NEAR: dict[str, Callable[..., Array]] = {
    **{name: getattr(np, name) for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "cbrt")},
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    "sigmoid": lambda x: 1.0 / (1.0 + np.exp(-x)),
    "erf": erf,
    "erfc": erfc,
    "rsqrt": lambda x: 1.0 / np.sqrt(x),
    "pow": np.power,
}
PRECISION = {"f32": 24, "f16": 11, "bf16": 8}
SMALLEST = {"f32": -149, "f16": -24, "bf16": -133}
LARGEST = {"f32": 128, "f16": 16, "bf16": 128}


def exact(name: str, *operands: float) -> Any:
    """Returns the value with at least 300 bits, whatever cancels."""
    mp = mpmath()
    with mp.workprec(500):
        numbers = [mp.mpf(x) for x in operands]
        return mp.re(EXACT[name](mp, *numbers) if name in EXACT else getattr(mp, name)(*numbers))


def rounded(value: Any, format: str) -> float:
    """Returns a number of mpmath, or a fraction, that is not 0, rounded to a format, to nearest with ties to even."""
    if isinstance(value, Fraction):
        return _rounded_fraction(value, format)
    mp = mpmath()
    with mp.workprec(500):
        exponent = mp.frexp(value)[1]
        unit = max(exponent - PRECISION[format], SMALLEST[format])
        count = int(mp.nint(mp.ldexp(value, -unit)))
        result = mp.ldexp(count, unit)
        size = abs(result) if abs(result) < mp.mpf(2) ** LARGEST[format] else mp.inf
        return math.copysign(float(size), mp.sign(value))


def _rounded_fraction(value: Fraction, format: str) -> float:
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()  # or one more
    exponent += size >= Fraction(2) ** exponent
    unit = max(exponent - PRECISION[format], SMALLEST[format])
    count = round(size / Fraction(2) ** unit)  # to nearest, ties to even
    result = math.ldexp(count, unit) if count.bit_length() + unit <= LARGEST[format] else math.inf
    return math.copysign(result, value)


def expected(name: str, format: str, *operands: Array) -> Array:
    """Returns the correctly rounded results as float64. The operands are of one dimension."""
    with np.errstate(all="ignore"):
        near = NEAR[name](*operands)
        low, high = (ROUNDED[format](near * (1 + s * MARGIN)) for s in (-1, 1))
        tiny = (near != 0) & (np.abs(near) < 2.0**-1000)
        unsure = np.isfinite(near) & ((low != high) | tiny) & (near != 0)
        result = ROUNDED[format](near)
    for k in np.flatnonzero(unsure):
        result[k] = rounded(exact(name, *(float(a[k]) for a in operands)), format)
    return result


def differences(got: Array, want: Array) -> Array:
    """Returns the indices of the results that differ in value or in the sign of zero; NaN equals NaN."""
    same = (got == want) & (np.signbit(got) == np.signbit(want)) | (got != got) & (want != want)
    return np.flatnonzero(~same)
