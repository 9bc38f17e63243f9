"""
Numbers for oracles: integers as Python's own, floats as intervals in long double, roundings by their definition.

An oracle says of each element which values are right: `Want(low, high)`, rounded to the result's type. Rounding is
monotone, so a computation whose error is at most e ends between the roundings of v - e and v + e; where nothing is lost
the two are one. Nothing here calls `ptir.semantics`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..dtypes import COMPLEX, FLOATS, NUMPY, integer_range

WIDE = np.longdouble
EPS = WIDE(2) ** -63 if np.finfo(WIDE).nmant >= 63 else WIDE(2) ** -52
"""Half a unit of the wide type's last place, times two."""

FORMATS = {
    "f8E4M3FN": (4, -6, 448.0),
    "f8E5M2": (3, -14, 57344.0),
    "bf16": (8, -126, float(2.0**127 * (2 - 2.0**-7))),
    "f16": (11, -14, 65504.0),
    "f32": (24, -126, float(2.0**127 * (2 - 2.0**-23))),
    "f64": (53, -1022, float(np.finfo(np.float64).max)),
}
"""Precision in bits, least exponent of a normal number, the largest value."""


def wide(x: Any) -> Any:
    """A float array in long double, which holds all of its values; a complex one in the complex type of long double."""
    with np.errstate(all="ignore"):
        if np.asarray(x).dtype.kind == "c":
            return np.asarray(x).astype(np.clongdouble)
        return np.asarray(x).astype(np.float64).astype(WIDE)


def whole(x: Any) -> Any:
    """An integer array as Python integers."""
    x = np.asarray(x)
    carrier = np.uint64 if x.dtype.kind == "u" or x.dtype.name == "uint4" else np.int64
    return np.asarray(x.astype(carrier), dtype=object)


def nearest(x: Any, name: str) -> Any:
    """The nearest value of float type `name`, ties to even, as long double; what is too large is infinite, or NaN in f8E4M3FN."""
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
    """Python integers modulo 2^w, in the type's range."""
    low, high = integer_range(name)
    return each(lambda v: (v - low) % (high - low + 1) + low, x)


def each(f: Any, *arrays: Any) -> Any:
    """`f` on each element of object arrays of one shape, as an object array."""
    first = np.asarray(arrays[0], dtype=object)
    out = np.empty(first.shape, dtype=object)
    flat = out.reshape(-1)
    for k, values in enumerate(zip(*(np.asarray(a, dtype=object).reshape(-1) for a in arrays), strict=True)):
        flat[k] = f(*values)
    return out


def converted(low: Any, high: Any, source: str, dtype: str) -> tuple[Any, Any]:
    """The contract's cast of an interval: floats in long double, integers as Python's, i1 as bool."""
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
    """Integers of at most 64 bits, which long double holds exactly."""
    out = each(lambda v: WIDE(v >> 32) * WIDE(2**32) + WIDE(v & (2**32 - 1)), x)
    return out.astype(WIDE)


@dataclass
class Want:
    """What a tensor must be: between `low` and `high`, both of which are values of the type `dtype`."""

    low: Any
    high: Any
    dtype: str
    free: Any = None
    """Where anything is right: an intermediate value left every type's range on the way."""

    def problem(self, got: Any) -> str | None:
        """Why `got` is not that, or None."""
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
        """Complex results carry an error relative to their size; `high` is that error. Infinities and NaN: any of them."""
        low, x = np.asarray(self.low, np.clongdouble), wide(got)
        with np.errstate(all="ignore"):
            odd = ~np.isfinite(low) | ~np.isfinite(x)
            step = 2.0**-23 if self.dtype == "complex<f32>" else 2.0**-51
            error = np.broadcast_to(np.asarray(self.high, WIDE), low.shape)
            tiny = 2.0**-126 if self.dtype == "complex<f32>" else 2.0**-1022  # quotients may lose what is below
            return odd | (np.abs(x - low) <= step * np.abs(low) + error + tiny)


Oracle = Callable[[Any, Any, Any], "list[Want | None]"]
"""What the results must be: of the op, its arguments, and what came out, which only says what `?` was. None for anything."""


def _same(a: Any, b: Any) -> bool:
    return bool(a == b) or (a != a and b != b)


def exactly(x: Any, dtype: str) -> Want:
    """An array whose elements were only moved."""
    x = np.asarray(x)
    if dtype in COMPLEX:
        return Want(wide(x), 0, dtype)
    if dtype in FLOATS:
        return Want(wide(x), wide(x), dtype)
    return Want(x, x, dtype) if dtype == "i1" else Want(whole(x), whole(x), dtype)


def about(x: Any, dtype: str, error: Any = 0) -> Want:
    """A float that was computed with at most this error, and rounded once."""
    return Want(nearest(x - error, dtype), nearest(x + error, dtype), dtype)
