"""
Sums of products over labeled axes, computed one type wider than the accumulator and without the M×K×N intermediate.

All interpreters use these functions: for `ptir.dot_general`, for a `tiny` mul that a reduce sums, and for `matmul.acc`. A letter
names each axis of an operand. The axes whose letters are in `out` are kept, in that order; all others are summed over.

`sum_of_products` rounds, or wraps, each product to its argument `product`, a type. If all products are known to be exact in
that type, a batched `matmul` computes the sum; otherwise, a loop over the summed axes does. Neither stores the products.
"""

from __future__ import annotations

from typing import Any, cast

import ml_dtypes
import numpy as np

from .scalars import Array, DType, bit_width, integer_range, is_complex, is_float, narrow, widen

WIDEST = np.dtype(np.longdouble)
"""The type in which f64 values are summed. It is wider than float64 on x86 and on Linux; elsewhere these sums round as float64."""

LARGEST_EXACT = 1 << 53
"""Largest magnitude up to which all integers are exact in float64."""

_WIDER = {np.dtype(np.float64): WIDEST, np.dtype(np.complex128): np.dtype(np.clongdouble)}


def summands(x: Array, accum: DType) -> Array:
    """
    Converts `x` to the type in which sums for `accum` are computed: float64 or complex128 (if `accum` is itself that type, a
    wider one), and int64 modulo 2⁶⁴ for integers of any signedness.
    """
    wide = widen(x)
    if is_float(accum) or is_complex(accum):
        return wide.astype(_WIDER.get(accum, wide.dtype), copy=False)
    return wide.astype(np.int64, copy=False)


def sum_of_products(
    lhs: Array, lhs_axes: str, rhs: Array, rhs_axes: str, out: str, *, product: DType, accum: DType
) -> Array:
    """Returns Σ lhs · rhs: each product is rounded, or wrapped, to `product`, and their sum once to `accum`."""
    summed = [a for a in dict.fromkeys(lhs_axes + rhs_axes) if a not in out]
    # `contract` sums an axis of one operand before it multiplies, which is wrong for floats: x·inf + x·0 is not x·(inf + 0), and
    # -1·1 + -1·-1 is +0, but -1·(1 - 1) is -0.
    shared = not is_float(product) or all(a in lhs_axes and a in rhs_axes for a in summed)
    if shared and _changes_no_product(lhs, rhs, product, accum):
        return narrow(contract(summands(lhs, accum), lhs_axes, summands(rhs, accum), rhs_axes, out), accum)

    def aligned(x: Array, axes: str) -> Array:
        order = [*summed, *out]
        x = x.transpose([axes.index(a) for a in order if a in axes])
        return np.expand_dims(x, [k for k, a in enumerate(order) if a not in axes])

    left, right = aligned(lhs, lhs_axes), aligned(rhs, rhs_axes)
    steps = np.broadcast_shapes(left.shape[: len(summed)], right.shape[: len(summed)])
    shape = np.broadcast_shapes(left.shape[len(summed) :], right.shape[len(summed) :])
    left, right = (np.broadcast_to(x, steps + x.shape[len(summed) :]) for x in (left, right))
    total = np.zeros(shape, summands(np.zeros((), product), accum).dtype)
    with np.errstate(all="ignore"):
        for step in np.ndindex(steps):
            total += summands(narrow(np.asarray(widen(left[step]) * widen(right[step])), product), accum)
    return narrow(total, accum)


def _changes_no_product(lhs: Array, rhs: Array, product: DType, accum: DType) -> bool:
    """Whether every product of these values is exact in `product`, or at least in the bits that `accum` keeps."""
    if not (lhs.size and rhs.size):
        return True
    if is_complex(product):
        return False
    if not is_float(product):
        low, high = integer_range(product)
        (a, b), (c, d) = ((int(x.min()), int(x.max())) for x in (lhs, rhs))
        ends = (a * c, a * d, b * c, b * d)
        return bit_width(product) >= bit_width(accum) or (low <= min(ends) and max(ends) <= high)
    info = cast(Any, ml_dtypes).finfo(product)  # the stubs are incomplete
    (bits, least, most), (other_bits, other_least, other_most) = map(_digits, (lhs, rhs))
    return (
        bits + other_bits <= info.nmant + 1
        and least + other_least >= int(info.minexp) - int(info.nmant)
        and most + other_most <= int(info.maxexp)
    )


def _digits(x: Array) -> tuple[int, int, int]:
    """
    Returns, over all finite values, the maximum number of significant bits, the exponent of the lowest significant bit, and an
    exponent e such that all magnitudes are below 2^e.
    """
    wide = widen(x)
    fraction, exponent = np.frexp(wide[np.isfinite(wide) & (wide != 0)])
    if not fraction.size:
        return 0, 0, 0
    digits = np.abs(np.ldexp(fraction, 53)).astype(np.int64)
    trailing = np.log2((digits & -digits).astype(np.float64)).astype(np.int64)
    return 53 - int(trailing.min()), int((exponent - 53 + trailing).min()), int(exponent.max())


def contract(lhs: Array, lhs_axes: str, rhs: Array, rhs_axes: str, out: str) -> Array:
    """
    Computes `np.einsum(f"{lhs_axes},{rhs_axes}->{out}", lhs, rhs)`, for distinct letters per operand.

    The operands are results of `summands`, of one type. Integers wrap modulo 2⁶⁴, so they are exact modulo 2^w for every
    narrower w.
    """
    lhs, lhs_axes = _sum_private(lhs, lhs_axes, rhs_axes + out)
    rhs, rhs_axes = _sum_private(rhs, rhs_axes, lhs_axes + out)
    batch = [a for a in out if a in lhs_axes and a in rhs_axes]
    left = [a for a in out if a in lhs_axes and a not in rhs_axes]
    right = [a for a in out if a in rhs_axes and a not in lhs_axes]
    summed = [a for a in lhs_axes if a not in out]
    sizes = dict(zip(lhs_axes + rhs_axes, lhs.shape + rhs.shape, strict=True))

    def matrices(x: Array, axes: str, *groups: list[str]) -> Array:
        moved = np.transpose(x, [axes.index(a) for group in groups for a in group])
        return moved.reshape([int(np.prod([sizes[a] for a in group], dtype=np.int64)) for group in groups])

    with np.errstate(all="ignore"):
        product = _matmul(matrices(lhs, lhs_axes, batch, left, summed), matrices(rhs, rhs_axes, batch, summed, right))
    order = [*batch, *left, *right]
    return product.reshape([sizes[a] for a in order]).transpose([order.index(a) for a in out])


def _sum_private(x: Array, axes: str, used: str) -> tuple[Array, str]:
    """Sums over the axes that are not in `used`, which only this operand has. Returns the sums and their axes."""
    private = tuple(i for i, a in enumerate(axes) if a not in used)
    if not private:
        return x, axes
    with np.errstate(all="ignore"):
        return np.asarray(x.sum(axis=private)), "".join(a for a in axes if a in used)


def _matmul(lhs: Array, rhs: Array) -> Array:
    """Computes `lhs @ rhs`. Integers are multiplied as float64 if all sums are exact there, which is many times faster."""
    if lhs.dtype.kind == "i" and lhs.size and rhs.size:
        most = [max(-int(x.min()), int(x.max())) for x in (lhs, rhs)]
        if most[0] * most[1] * lhs.shape[-1] <= LARGEST_EXACT:
            return np.matmul(lhs.astype(np.float64), rhs.astype(np.float64)).astype(np.int64)
    return np.matmul(lhs, rhs)
