"""
Sums of products over labelled axes, one type wider than the accumulator, without the M×K×N intermediate.

All interpreters need it: `ptir.dot_general` is one, so is a `tiny` mul that only feeds a reduce, and so is a
`matmul.acc`. An operand names each of its axes by a letter; letters in `out` are kept, in that order, all others are
summed over. The work is one batched `matmul`, so memory is that of operands and result.
"""

from __future__ import annotations

import numpy as np

from .scalars import Array, DType, is_complex, is_float, widen

WIDEST = np.dtype(np.longdouble)
"""Wider than float64 on x86 and on Linux; where it is not, sums in f64 carry float64's own error."""
LARGEST_EXACT = 1 << 53
"""Integers up to this magnitude are exact in float64."""
_WIDER = {np.dtype(np.float64): WIDEST, np.dtype(np.complex128): np.dtype(np.clongdouble)}


def summands(x: Array, accum: DType) -> Array:
    """
    The values of `x` in the type in which a sum for `accum` is taken: float64 or complex128, one wider where `accum` is
    just that, or int64 modulo 2⁶⁴, whatever the sign of either type.
    """
    wide = widen(x)
    if is_float(accum) or is_complex(accum):
        return wide.astype(_WIDER.get(accum, wide.dtype), copy=False)
    return wide.astype(np.int64, copy=False)


def contract(lhs: Array, lhs_axes: str, rhs: Array, rhs_axes: str, out: str) -> Array:
    """
    Σ lhs · rhs, as `np.einsum(f"{lhs_axes},{rhs_axes}->{out}", lhs, rhs)`, for distinct letters per operand.

    Operands are what `summands` gives, both of one type; integers wrap modulo 2⁶⁴, which keeps them exact modulo 2^w for
    every narrower w.
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
    """Sums over the axes that neither the other operand nor the result has."""
    private = tuple(i for i, a in enumerate(axes) if a not in used)
    if not private:
        return x, axes
    with np.errstate(all="ignore"):
        return np.asarray(x.sum(axis=private)), "".join(a for a in axes if a in used)


def _matmul(lhs: Array, rhs: Array) -> Array:
    """`lhs @ rhs`; integers whose sums float64 holds are multiplied in it, which is many times faster."""
    if lhs.dtype.kind == "i" and lhs.size and rhs.size:
        most = [max(-int(x.min()), int(x.max())) for x in (lhs, rhs)]
        if most[0] * most[1] * lhs.shape[-1] <= LARGEST_EXACT:
            return np.matmul(lhs.astype(np.float64), rhs.astype(np.float64)).astype(np.int64)
    return np.matmul(lhs, rhs)
