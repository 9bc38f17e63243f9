"""
Interval extensions of the elementwise functions in `scalars.py`.

The extensions do not round: `Interval.rounded` adds the rounding error. `EXACT` lists the functions that a machine computes
exactly, and `TRANSCENDENTAL` the errors of the functions that it approximates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from ..arrays import scalars
from ..arrays.float_formats import smallest_normal
from ..arrays.scalars import WIDE_BINARY, WIDE_UNARY, Array, DType, is_float
from ..arrays.special_functions import tf32
from ..errors import NoBounds
from .intervals import Interval, from_candidates, hull, predicate


def is_exact(name: str, args: Sequence[Interval], dtype: DType) -> Array:
    """
    Returns the mask of elements at which `add`, `sub` or `mul` of single values is exact in `dtype`, so that no machine rounds it,
    even if it fuses ops. The error of a float64 sum is computed by Knuth's TwoSum; a float64 product of narrower values is exact.
    """
    if name not in ("add", "sub", "mul") or not is_float(dtype) or dtype == np.float64:
        return np.zeros((), bool)
    a, b = args[0].lo, -args[1].lo if name == "sub" else args[1].lo
    single = np.isfinite(a) & np.isfinite(b)
    for x in args:
        single = single & (x.lo == x.hi) & ~x.nan
    with np.errstate(all="ignore"):
        value = a * b if name == "mul" else a + b
        lost = np.zeros(()) if name == "mul" else (a - (value - (value - a))) + (b - (value - a))
        return single & (lost == 0) & (scalars.cast(value, dtype).astype(np.float64) == value)


# --- unary --------------------------------------------------------------------------------------


def _ends(name: str) -> Callable[[Interval], Interval]:
    """Returns the interval extension of a monotone function, which evaluates it at the end points."""
    function = WIDE_UNARY[name]
    return lambda x: from_candidates([function(x.lo), function(x.hi)], x.nan, x.dtype)


def _tf32(x: Interval) -> Interval:
    """Rounds to the nearest tf32 value, with ties in either direction: how TMA rounds ties is not documented."""
    ties = (0.5, 0.5 - 2.0**-14)  # f32 has 13 bits more: only ties are affected
    return from_candidates([tf32(end, tie) for end in (x.lo, x.hi) for tie in ties], x.nan, x.dtype)


def _above(name: str, least: float = 0.0) -> Callable[[Interval], Interval]:
    """Returns the interval extension of a function that is monotone from `least` on, and NaN below it."""
    function = WIDE_UNARY[name]

    def apply(x: Interval) -> Interval:
        only_nan = np.isnan(x.lo) | (x.hi < least)
        low, high = np.maximum(x.lo, least), np.maximum(x.hi, least)
        # An interval does not distinguish -0 from +0, but rsqrt does: both infinities are possible.
        with np.errstate(all="ignore"):
            ends = [function(np.where(only_nan, np.nan, end)) for end in (low, high)]
        if name == "rsqrt":
            ends.append(np.where(x.may_be(0.0), -np.inf, ends[0]))
        out = from_candidates(ends, x.nan | (x.lo < least), x.dtype)
        return replace(out, nan=out.nan | only_nan)

    return apply


def _wave(name: str, crest: float) -> Callable[[Interval], Interval]:
    """Returns the interval extension of sine or cosine, which is 1 at `crest` turns (modulo 1) and -1 half a turn later."""
    function = WIDE_UNARY[name]

    def apply(x: Interval) -> Interval:
        with np.errstate(all="ignore"):
            turns = [end / (2 * np.pi) - crest for end in (x.lo, x.hi)]
            # Beyond 2⁴⁰ the division no longer locates an end within its turn.
            lost = (np.maximum(np.abs(x.lo), np.abs(x.hi)) > 2.0**40) & (x.lo != x.hi)
            up, down = (lost | (np.floor(turns[1] - at) > np.floor(turns[0] - at)) for at in (0.0, 0.5))
            out = from_candidates([function(x.lo), function(x.hi)], x.nan | np.isinf(x.lo) | np.isinf(x.hi), x.dtype)
        return replace(out, lo=np.where(down, -1.0, out.lo), hi=np.where(up, 1.0, out.hi))

    return apply


def _abs(x: Interval) -> Interval:
    low = np.where((x.lo < 0) & (x.hi > 0), 0.0, np.minimum(np.abs(x.lo), np.abs(x.hi)))
    return replace(x, lo=low, hi=np.maximum(np.abs(x.lo), np.abs(x.hi)))


def _flushed(name: str) -> Callable[[Interval], Interval]:
    """
    Returns the extension of a monotone function whose subnormal values may be 0: `ex2.approx.ftz.f32` flushes them, and
    `1 / (1 + exp(-x))` is 0 where the exponential overflows.
    """

    def apply(x: Interval) -> Interval:
        out = _ends(name)(x)
        least = smallest_normal(np.dtype(np.float64 if x.dtype == np.float64 else np.float32))
        return replace(out, lo=np.where(out.lo < least, 0.0, out.lo))

    return apply


def _recip(x: Interval) -> Interval:
    return divide(Interval.of(np.ones((), x.dtype)), x)


UNARY: Mapping[str, Callable[[Interval], Interval]] = MappingProxyType(
    {
        "neg": lambda x: replace(x, lo=-x.hi, hi=-x.lo),
        "abs": _abs,
        "exp": _ends("exp"),
        "log": _above("log"),
        "tanh": _ends("tanh"),
        "erf": _ends("erf"),
        "sqrt": _above("sqrt"),
        "rsqrt": _above("rsqrt"),
        "recip": _recip,
        "tf32": _tf32,
        "sin": _wave("sin", 0.25),
        "cos": _wave("cos", 0.0),
        "log1p": _above("log1p", -1.0),
        **{name: _ends(name) for name in ("relu", "floor", "ceil", "round", "sign", "expm1", "erfc")},
        "exp2": _flushed("exp2"),
        "logistic": _flushed("logistic"),
    }
)

EXACT = frozenset({"neg", "abs", "relu", "max", "min", "where", "tf32", "floor", "ceil", "round", "sign"})
"""Functions to whose interval extension no rounding error is added."""

TRANSCENDENTAL: Mapping[str, float] = MappingProxyType(
    {
        **dict.fromkeys(("exp", "exp2", "log", "tanh", "erf", "rsqrt", "sin", "cos", "log1p", "expm1"), 2.0),
        **dict.fromkeys(("erfc", "pow", "logistic"), 4.0),
    }
)
"""Maximum errors in ulp of f32, as the CUDA C++ Programming Guide gives them."""

RANGES: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "exp": (0.0, np.inf),
        "exp2": (0.0, np.inf),
        "expm1": (-1, np.inf),
        "erfc": (0, 2),
        "logistic": (0, 1),
        **dict.fromkeys(("tanh", "erf", "sin", "cos"), (-1, 1)),
    }
)
"""Ranges of functions. No implementation leaves them, whatever its error."""


# --- binary -------------------------------------------------------------------------------------


def _corners(name: str) -> Callable[[Interval, Interval], Interval]:
    """Returns the interval extension of a function that is monotone in each operand: the hull of its values at the corners."""
    function = WIDE_BINARY[name]

    def apply(a: Interval, b: Interval) -> Interval:
        with np.errstate(all="ignore"):
            candidates = [function(x, y) for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
        return from_candidates(candidates, a.nan | b.nan, a.dtype)

    return apply


def multiply(a: Interval, b: Interval) -> Interval:
    out = _corners("mul")(a, b)
    unbounded = a.may_be(0.0) & (np.isinf(b.lo) | np.isinf(b.hi)) | b.may_be(0.0) & (np.isinf(a.lo) | np.isinf(a.hi))
    return _with_zero(replace(out, nan=out.nan | unbounded), unbounded & ~(a.exact & b.exact))


def divide(a: Interval, b: Interval) -> Interval:
    out = _corners("div")(a, b)
    crosses = b.may_be(0.0) & (b.lo != b.hi)
    lo, hi = np.where(crosses, -np.inf, out.lo), np.where(crosses, np.inf, out.hi)
    out = Interval(lo, hi, out.nan | a.may_be(0.0) & b.may_be(0.0), a.dtype)
    return _with_zero(out, (np.isinf(b.lo) | np.isinf(b.hi)) & ~a.exact)


def _with_zero(x: Interval, where: Array) -> Interval:
    """
    Extends the intervals to 0 at `where`. An infinite end also stands for finite values: their products with 0 are 0, and
    quotients by them approach 0, although the corner itself is NaN.
    """
    lo, hi = (np.where(where, end(x_end, 0.0), x_end) for end, x_end in ((np.fmin, x.lo), (np.fmax, x.hi)))
    return replace(x, lo=lo, hi=hi)


def _ordered(name: str) -> Callable[[Interval, Interval], Interval]:
    """Returns the interval extension of max or min, which is monotone in both operands, and NaN if an operand is."""
    function = WIDE_BINARY[name]
    return lambda a, b: Interval(function(a.lo, b.lo), function(a.hi, b.hi), a.nan | b.nan, a.dtype)


def _power(a: Interval, b: Interval) -> Interval:
    """
    Evaluates the corners. Raises `NoBounds` unless the base is positive, or base and exponent are exact. The sign of a base that is
    zero may still be open.
    """
    if not bool(np.all((a.lo > 0) | (a.exact & b.exact))):
        raise NoBounds(what="a power whose base is uncertain and not positive")
    with np.errstate(all="ignore"):
        bases, exponent = (np.where(a.nan, np.nan, end) for end in (a.lo, a.hi)), np.where(b.nan, np.nan, b.lo)
        low, high = (WIDE_BINARY["pow"](base, exponent) for base in bases)
        out = _corners("pow")(a, b)  # pow(NaN, 0) and pow(1, NaN) are 1
    exact = a.exact & b.exact
    lo, hi = np.where(exact, np.fmin(low, high), out.lo), np.where(exact, np.fmax(low, high), out.hi)
    return Interval(lo, hi, np.where(exact, np.isnan(low), out.nan), a.dtype)


def _remainder(a: Interval, b: Interval) -> Interval:
    if not bool(np.all(a.exact & b.exact)):
        raise NoBounds(what="a remainder of values that are not exact")
    return _corners("remainder")(a, b)


def logic(name: str, a: Interval, b: Interval) -> Interval:
    """Returns `and`, `or` or `xor` of predicates."""
    if name == "xor":
        return predicate((a.hi != b.lo) | (a.lo != b.hi), (a.lo == b.lo) | (a.hi == b.hi) | ~(a.exact & b.exact))
    return BINARY["min" if name == "and" else "max"](a, b)


BINARY: Mapping[str, Callable[[Interval, Interval], Interval]] = MappingProxyType(
    {
        "add": _corners("add"),
        "sub": _corners("sub"),
        "mul": multiply,
        "div": divide,
        "max": _ordered("max"),
        "min": _ordered("min"),
        "pow": _power,
        "remainder": _remainder,
    }
)


# --- predicates ---------------------------------------------------------------------------------


def compare(name: str, a: Interval, b: Interval) -> Interval:
    """Returns the predicate of a comparison, uncertain where the intervals overlap. On NaN, all but `ne` are false."""
    if name in ("gt", "ge"):
        return compare({"gt": "lt", "ge": "le"}[name], b, a)
    nan = a.nan | b.nan
    if name in ("lt", "le"):
        function = scalars.COMPARE[name]
        return predicate(function(a.lo, b.hi), ~function(a.hi, b.lo) | nan)
    same = (a.lo == a.hi) & (b.lo == b.hi) & (a.lo == b.lo) & ~nan
    meet = (a.lo <= b.hi) & (b.lo <= a.hi)
    return predicate(meet, ~same) if name == "eq" else predicate(~same, meet)


def select(pred: Interval, on_true: Interval, on_false: Interval) -> Interval:
    """Selects an operand where the predicate is certain, and returns the hull of both where it is not."""
    both = hull(on_true, on_false)
    yes, no = pred.lo == 1, pred.hi == 0

    def choose(t: Array, f: Array, either: Array) -> Array:
        return np.where(yes, t, np.where(no, f, either))

    return Interval(
        choose(on_true.lo, on_false.lo, both.lo),
        choose(on_true.hi, on_false.hi, both.hi),
        choose(on_true.nan, on_false.nan, both.nan),
        on_true.dtype,
    )
