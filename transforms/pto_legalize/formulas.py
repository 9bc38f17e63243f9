"""The table of the functions that PTO lacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .functions import erf, erfc, exp2, expm1, log1p, power, sign, tanh
from .trigonometric import cos, sin
from .values import Value

FORMULAS: Mapping[str, Callable[..., Value]] = {
    "exp2": exp2,
    "tanh": tanh,
    "erf": erf,
    "erfc": erfc,
    "sign": sign,
    "expm1": expm1,
    "log1p": log1p,
    "pow": power,
    "sin": sin,
    "cos": cos,
}
"""The formula of each function, by its name in `tiny`."""
