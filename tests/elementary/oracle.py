"""
What the functions are compared with: the C library's binary64 functions, whose error is below 2^-47, and where that does not decide the
rounding, 300-bit arithmetic of mpmath. Neither has anything to do with `elementary/`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import numpy.typing as npt

from ptir.elementary.rounding import ROUNDED
from ptir.semantics.arrays.special_functions import erf, erfc

Array = npt.NDArray[Any]
MARGIN = 2.0**-47
"""More than the relative error of each function of `NEAR`."""

EXACT: dict[str, Callable[..., Any]] = {
    "exp": mp.exp,
    "exp2": lambda x: mp.mpf(2) ** x,
    "expm1": mp.expm1,
    "log": mp.log,
    "log2": lambda x: mp.log(x) / mp.log(2),
    "log10": mp.log10,
    "log1p": mp.log1p,
    "sin": mp.sin,
    "cos": mp.cos,
    "tan": mp.tan,
    "sinh": mp.sinh,
    "cosh": mp.cosh,
    "tanh": mp.tanh,
    "sigmoid": lambda x: 1 / (1 + mp.exp(-x)),
    "erf": mp.erf,
    "erfc": mp.erfc,
    "rsqrt": lambda x: 1 / mp.sqrt(x),
    "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)),
    "pow": mp.power,
}
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
    with mp.workprec(500):
        return mp.re(EXACT[name](*map(mp.mpf, operands)))


def rounded(value: Any, format: str) -> float:
    """Returns a value rounded to a format, to nearest with ties to even."""
    with mp.workprec(500):
        exponent = mp.frexp(value)[1]
        unit = max(exponent - PRECISION[format], SMALLEST[format])
        count = int(mp.nint(mp.ldexp(value, -unit)))
        result = mp.ldexp(count, unit)
        return float(mp.sign(value) * mp.inf if abs(result) >= mp.mpf(2) ** LARGEST[format] else result)


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
