"""
Numbers for oracles: Python integers, intervals of floats in long double, and roundings by their definition.

An oracle states which values of each element are right: `Want(low, high)`, rounded to the result's type. Rounding is monotone, so
the result of a computation whose error is at most e lies between the roundings of v - e and v + e. For exact computations, these
are equal. Nothing here calls `ptir.semantics`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..dtypes import COMPLEX, FLOATS, NUMPY, integer_range

WIDE = np.longdouble
EPS = WIDE(2) ** -63 if np.finfo(WIDE).nmant >= 63 else WIDE(2) ** -52
"""Twice the unit roundoff of the wide type, or more."""

FORMATS = {
    "f8E4M3FN": (4, -6, 448.0),
    "f8E5M2": (3, -14, 57344.0),
    "bf16": (8, -126, float(2.0**127 * (2 - 2.0**-7))),
    "f16": (11, -14, 65504.0),
    "f32": (24, -126, float(2.0**127 * (2 - 2.0**-23))),
    "f64": (53, -1022, float(np.finfo(np.float64).max)),
}
"""For each float type: the precision in bits, the least exponent of a normal number, and the largest value."""


def wide(x: Any) -> Any:
    """Converts floats to long double, which is exact; complex numbers to the complex type of long double."""
    with np.errstate(all="ignore"):
        if np.asarray(x).dtype.kind == "c":
            return np.asarray(x).astype(np.clongdouble)
        return np.asarray(x).astype(np.float64).astype(WIDE)


def whole(x: Any) -> Any:
    """Converts an integer array to Python integers."""
    x = np.asarray(x)
    carrier = np.uint64 if x.dtype.kind == "u" or x.dtype.name == "uint4" else np.int64
    return np.asarray(x.astype(carrier), dtype=object)


def nearest(x: Any, name: str) -> Any:
    """Rounds to the nearest value of float type `name`, ties to even, in long double. Overflow is infinite, or NaN in f8E4M3FN."""
    precision, least, largest = FORMATS[name]
    x = np.asarray(x, WIDE)
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(np.where(np.isfinite(x), x, 0))
        quantum = np.ldexp(WIDE(1), np.maximum(exponent - 1, least) - precision + 1)
        out = np.where(np.isfinite(x), np.rint(x / quantum) * quantum, x)
        beyond = np.where(np.abs(out) > largest, np.copysign(WIDE(np.inf), x), out)
    if name == "f8E4M3FN":
        beyond = np.where(np.isinf(beyond), WIDE(np.nan), beyond)
    return beyond


def wrapped(x: Any, name: str) -> Any:
    """Wraps Python integers modulo 2^w into the type's range."""
    low, high = integer_range(name)
    return each(lambda v: (v - low) % (high - low + 1) + low, x)


def each(f: Any, *arrays: Any) -> Any:
    """Applies `f` to corresponding elements of object arrays of one shape. Returns an object array."""
    first = np.asarray(arrays[0], dtype=object)
    out = np.empty(first.shape, dtype=object)
    flat = out.reshape(-1)
    for k, values in enumerate(zip(*(np.asarray(a, dtype=object).reshape(-1) for a in arrays), strict=True)):
        flat[k] = f(*values)
    return out


def converted(low: Any, high: Any, source: str, dtype: str) -> tuple[Any, Any]:
    """Casts the ends of an interval as in the contract. Floats are in long double, integers are Python's, i1 is bool."""
    return _cast(low, source, dtype), _cast(high, source, dtype)


def _cast(x: Any, source: str, dtype: str) -> Any:
    if dtype in COMPLEX:
        part = "f32" if dtype == "complex<f32>" else "f64"
        out = np.empty(np.shape(x), np.clongdouble)
        out.real, out.imag = nearest(x.real, part), nearest(x.imag, part)
        return out
    if source == dtype:
        return x
    if dtype == "i1":
        return x != 0 if source in FLOATS else each(lambda v: v != 0, x).astype(bool)
    if source == "i1":
        x = np.asarray(x, bool).astype(int).astype(object)
    if dtype in FLOATS:
        if source in FLOATS:
            return nearest(x, dtype)
        return nearest(_longdouble(x), dtype)
    least, most = integer_range(dtype)

    def to_integer(v: Any) -> int:
        if source in FLOATS:
            if np.isnan(v):
                return 0
            if np.isinf(v):
                return most if v > 0 else least
        return min(max(int(v), least), most)

    return each(to_integer, x)


def _longdouble(x: Any) -> Any:
    """Converts integers of at most 64 bits to long double, which is exact."""
    out = each(lambda v: WIDE(v >> 32) * WIDE(2**32) + WIDE(v & (2**32 - 1)), x)
    return out.astype(WIDE)


@dataclass
class Want:
    """The expected tensor: its elements lie between `low` and `high`, which are values of type `dtype`."""

    low: Any
    high: Any
    dtype: str
    free: Any = None
    """The mask of elements that may have any value, because an intermediate value exceeds the range of all types."""

    def problem(self, got: Any) -> str | None:
        """Returns why `got` is wrong, or None if it is right."""
        got = np.asarray(got)
        if got.dtype != NUMPY[self.dtype]:
            return f"the element type is {got.dtype}, not {self.dtype}"
        if got.shape != np.shape(self.low):
            return f"the shape is {got.shape}, not {np.shape(self.low)}"
        right = self._right(got) if self.free is None else self._right(got) | np.asarray(self.free)
        if np.all(right):
            return None
        at = tuple(int(i) for i in np.argwhere(~right)[0])
        low, high = np.asarray(self.low)[at], np.asarray(self.high)[at]
        return f"element {list(at)} is {got[at]}, not {low}" + ("" if _same(low, high) else f" to {high}")

    def _right(self, got: Any) -> Any:
        if self.dtype == "i1":
            return got == np.asarray(self.low, bool)
        if self.dtype in FLOATS:
            low, high, x = np.asarray(self.low, WIDE), np.asarray(self.high, WIDE), wide(got)
            with np.errstate(all="ignore"):
                inside = (low <= x) & (x <= high) | (x == low) | (x == high)
            return inside | np.isnan(x) & (np.isnan(low) | np.isnan(high))
        if self.dtype in COMPLEX:
            return self._near(got)
        return np.asarray(each(lambda a, low, high: low <= a <= high, whole(got), self.low, self.high), bool)

    def _near(self, got: Any) -> Any:
        """
        Returns where complex results are right: their error is bounded by a few units of their magnitude, plus `high`. Where
        infinities or NaN occur, any result is accepted.
        """
        low, x = np.asarray(self.low, np.clongdouble), wide(got)
        with np.errstate(all="ignore"):
            odd = ~np.isfinite(low) | ~np.isfinite(x)
            step = 2.0**-23 if self.dtype == "complex<f32>" else 2.0**-51
            error = np.broadcast_to(np.asarray(self.high, WIDE), low.shape)
            tiny = 2.0**-126 if self.dtype == "complex<f32>" else 2.0**-1022  # quotients may lose smaller numbers
            return odd | (np.abs(x - low) <= step * np.abs(low) + error + tiny)


Oracle = Callable[[Any, Any, Any], "list[Want | None]"]
"""
Returns the expected results of an op. Its parameters are the op, its arguments, and the results, from which it only takes dynamic
sizes. None stands for a result that is not checked.
"""


def _same(a: Any, b: Any) -> bool:
    return bool(a == b) or (a != a and b != b)


def exactly(x: Any, dtype: str) -> Want:
    """Expects exactly these elements."""
    x = np.asarray(x)
    if dtype in COMPLEX:
        return Want(wide(x), 0, dtype)
    if dtype in FLOATS:
        return Want(wide(x), wide(x), dtype)
    return Want(x, x, dtype) if dtype == "i1" else Want(whole(x), whole(x), dtype)


def about(x: Any, dtype: str, error: Any = 0) -> Want:
    """Expects floats that are computed with at most this error and then rounded once."""
    return Want(nearest(x - error, dtype), nearest(x + error, dtype), dtype)
