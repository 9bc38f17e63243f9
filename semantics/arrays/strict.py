"""
Strict floats (`dialects/tiny/strict.py`): elementary functions that are correctly rounded, and sums that are sequential, rounded after each
step.

A step rounds the exact sum of the accumulator and a term once, also where the term is wider, as the exact product of a fused multiply-add
is. The steps run in Python, each on all elements of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod, sqrt

import numpy as np

from ...elementary.evaluation import correctly_rounded
from .scalars import BFLOAT16, FUNCTIONS, Array, DType, Function, cast, is_float, narrow, widen

F32 = np.dtype(np.float32)
FORMATS = {F32: "f32", np.dtype(np.float16): "f16", BFLOAT16: "bf16"}
"""The formats of elementary functions by type."""
ELEMENTARY = ("exp", "exp2", "expm1", "log", "log1p", "sin", "cos", "tanh", "erf", "erfc", "rsqrt", "pow")


def _elementary(name: str) -> Function:
    def apply(*args: Array) -> Array:
        dtype = args[0].dtype
        if dtype not in FORMATS:
            return FUNCTIONS[name](*args)
        return correctly_rounded(name, FORMATS[dtype], *map(widen, args)).astype(F32).astype(dtype)

    return apply


def _in_f32(formula: Callable[[Array], Array]) -> Function:
    """Returns a formula whose steps are each rounded in f32, and whose result is rounded to the operand's type."""

    def apply(x: Array) -> Array:
        with np.errstate(all="ignore"):
            return cast(formula(x.astype(F32)), x.dtype)

    return apply


def _sigmoid(x: Array) -> Array:
    return 1 / (_elementary("exp")(-x) + F32.type(1))


def _gelu(x: Array) -> Array:
    half, root = F32.type(0.5), F32.type(sqrt(0.5))
    return x * half * (_elementary("erf")(x * root) + F32.type(1))


STRICT_FUNCTIONS: Mapping[str, Function] = {
    **FUNCTIONS,
    **{name: _elementary(name) for name in ELEMENTARY},
    "logistic": _in_f32(_sigmoid),
    "silu": _in_f32(lambda x: x * _sigmoid(x)),
    "gelu": _in_f32(_gelu),
}
"""The elementwise functions of strict floats, by the names of `scalars.py`."""


def rounded_sum(a: Array, b: Array, dtype: DType) -> Array:
    """Returns the exact sum of floats, rounded once to `dtype`: if that is narrower than f64, the sum is rounded to odd first."""
    a, b = widen(a), widen(b)
    total = np.asarray(a + b)
    if dtype == np.float64:
        return total
    back = total - a
    rest = (a - (total - back)) + (b - back)
    inexact = np.isfinite(total) & (rest != 0) & (total.view(np.int64) & 1 == 0)
    return narrow(np.where(inexact, np.nextafter(total, np.copysign(np.inf, rest)), total), dtype)


def rounded_product(a: Array, b: Array, dtype: DType) -> Array:
    """Returns the product of floats of type `dtype`, rounded once."""
    return narrow(np.asarray(widen(a) * widen(b)), dtype)


def reduce(kind: str, x: Array, axes: Sequence[int], accum: DType) -> Array:
    """Adds or multiplies the elements of `x` over `axes`, in row-major order of these axes, in the type `accum`."""
    order = sorted(axes)
    kept = [a for a in range(x.ndim) if a not in order]
    terms = x.transpose([*order, *kept]).reshape(prod(x.shape[a] for a in order), *(x.shape[a] for a in kept))
    return fold(kind, terms, terms.shape[1:], accum)


def fold(kind: str, terms: Iterable[Array], shape: tuple[int, ...], accum: DType, start: Array | None = None) -> Array:
    """Adds or multiplies `terms`, arrays of a shape, one after the other. The accumulator is `start`; by default 0, or 1 for a product."""
    step: Callable[[Array, Array, DType], Array] = rounded_sum if kind == "sum" else rounded_product
    total = np.full(shape, kind == "mul").astype(accum) if start is None else start
    with np.errstate(all="ignore"):
        for term in terms:
            total = step(total, term, accum)
    return total


def sum_of_products(lhs: Array, lhs_axes: str, rhs: Array, rhs_axes: str, out: str, accum: DType) -> Array:
    """
    Returns Σ lhs · rhs over the axes that are not in `out`, in the order of their letters. Products of floats of at most 32 bits are
    exact; those of f64 are rounded.
    """
    summed = sorted({*lhs_axes, *rhs_axes} - {*out})

    def aligned(x: Array, axes: str) -> Array:
        order = [*summed, *out]
        x = widen(x).transpose([axes.index(a) for a in order if a in axes])
        return np.expand_dims(x, [k for k, a in enumerate(order) if a not in axes])

    left, right = aligned(lhs, lhs_axes), aligned(rhs, rhs_axes)
    count = len(summed)
    steps = np.broadcast_shapes(left.shape[:count], right.shape[:count])
    left, right = (np.broadcast_to(x, steps + x.shape[count:]) for x in (left, right))
    shape = np.broadcast_shapes(left.shape[count:], right.shape[count:])
    return fold("sum", (left[at] * right[at] for at in np.ndindex(steps)), shape, accum)


def is_strict(kind: str, accum: DType) -> bool:
    """Returns whether strict floats specify the order of a reduction."""
    return kind in ("sum", "mul") and is_float(accum)


def differs(a: Array, b: Array) -> Array:
    """Returns where arrays of one type differ in a bit. All NaNs are equal."""
    word = np.dtype(f"u{a.dtype.itemsize}")
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    wrong = np.asarray(a.view(word) != b.view(word))
    return wrong & ~(np.isnan(widen(a)) & np.isnan(widen(b))) if is_float(a.dtype) else wrong
