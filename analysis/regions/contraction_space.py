"""
The spaces of contractions, `(outer…, m, n, k)`, and of chained products.

Axes of one class are merged if every operand's address stays free of divisions. Axes that do not merge so, such as the images, rows and
columns of a convolution, become one m, too, if tiles along the longest of them would be short or partly empty, or if addresses divide k
anyway: they then divide m, too, once a tile and row. The contracted axes always become one k. If the kernel reduces windows of the result,
m numbers the windows, and their elements within them.
Spec: `tensor-compiler.ja §3.5` (`lhs_idx`, `rhs_idx`, `out_idx`, `reduce_idx`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

import islpy as isl

from ...dialects.common.shapes import shape
from ..index import affine
from ..index.book import IndexBook
from .addresses import is_affine, linear_address
from .axis_groups import INDEX_LIMIT, axes_of_groups, merged_groups, stays_affine, widest
from .chained import Chained
from .contraction import Contraction
from .leaf_accesses import operand_leaves
from .members import Members
from .space import KernelSpace
from .windows import Window

TILE_ROWS = 128
"""The rows of a large tile of a contraction: shorter tiles read the other operand more often."""


def contraction_space(book: IndexBook, c: Contraction) -> KernelSpace:
    reads = [
        (shape(leaf.value), leaf.map, c.sizes)
        for operand in (c.lhs, c.rhs)
        for leaf in operand_leaves(operand, book, c.sizes)
        if leaf.value is operand.value or is_affine(linear_address(shape(leaf.value), leaf.map, c.sizes))
    ]
    batch, ms, ns, ks = (merged_groups(c.sizes, axes, reads, shape(c.out)) for axes in (c.batch, c.m, c.n, c.k))
    divides = [
        not stays_affine(c.k, shape(operand.value), operand.map, c.sizes) for operand in (c.lhs, c.rhs)
    ]  # whether k divides addresses of the operand, so that TMA's tiled mode cannot load it
    ms, ns = (_joined(groups, c.sizes, always) for groups, always in zip((ms, ns), divides, strict=True))
    m, n = widest(ms, c.sizes), widest(ns, c.sizes)
    k = tuple(a for g in ks for a in g)
    outer = [g for g in (*batch, *ms, *ns) if g not in (m, n)]
    order = [*outer, m, n, k]
    sizes = tuple(prod(c.sizes[a] for a in g) for g in order)
    iteration = axes_of_groups(order, sizes, c.sizes)
    rank = len(shape(c.out))
    kept = order[:-1]
    start_map = axes_of_groups(kept, sizes[:-1], c.sizes[:rank])
    return KernelSpace(book, c, c.out, sizes, iteration, start_map)


def member_space(book: IndexBook, c: Contraction, members: Members) -> KernelSpace:
    """Returns the space of a contraction whose epilogue combines members of its batch, which are not an axis of the space."""
    sizes = tuple(1 if axis == members.axis else size for axis, size in enumerate(c.sizes))
    batch = tuple(axis for axis in c.batch if axis != members.axis)
    return replace(contraction_space(book, replace(c, sizes=sizes, batch=batch)), members=members)


def window_space(book: IndexBook, w: Window) -> KernelSpace:
    """Returns the space of a contraction of which windows are reduced: the elements of a window are adjacent along m."""
    c, ns = w.contraction, [(axis,) for axis in w.n]
    n = widest(ns, w.sizes)
    m = (*w.m, *w.axes)
    wide = tuple(axis for axis in c.k if c.sizes[axis] > 1)
    rank, kept = len(w.sizes), len(shape(c.out))
    k = tuple(rank + axis - kept for axis in wide)
    every = (*w.sizes, *c.sizes[kept:])
    order = [*((axis,) for axis in w.batch), *(g for g in ns if g != n), m, n, k]
    sizes = tuple(prod(every[axis] for axis in g) for g in order)
    split = axes_of_groups(order, sizes, every)
    kept_axes, k_axes = (
        affine.make_map(len(every), [f"i{a}" for a in axes]) for axes in (range(rank), range(rank, len(every)))
    )
    whole = affine.compose(w.at, kept_axes, every).flat_range_product(k_axes)
    iteration = affine.compose(whole, split, sizes)
    points = axes_of_groups(order[:-1], sizes[:-1], w.sizes)
    start_map = affine.compose(w.at, points, sizes[:-1])
    return KernelSpace(book, c, c.out, sizes, iteration, start_map, window=w, window_points=points)


def chained_space(a: Chained, *others: Chained) -> KernelSpace:
    """
    Returns the space of an attention or of another chained product, whose m is the longest axis along which rows of its weights vary, but
    nothing that the keys are. The `others` have the same space.
    """
    c = a.product
    batch, ms, ns = ([(axis,) for axis in axes if c.sizes[axis] > 1] for axes in (c.batch, c.m, c.n))
    m, n = widest([g for g in ms if a.only_rows_vary(g[0])], c.sizes), widest(ns, c.sizes)
    k = tuple(axis for axis in c.k if c.sizes[axis] > 1)
    order = [*(g for g in (*batch, *ms) if g != m), m, n, k]
    sizes = tuple(prod(c.sizes[axis] for axis in g) for g in order)
    iteration = axes_of_groups(order, sizes, c.sizes)
    reads = [affine.compose(each.product.rhs.map, iteration, sizes) for each in (a, *others)]
    for inner in a.inner:
        at, rank = affine.compose(a.at_of(inner), iteration, sizes), inner.rank
        for side in (inner.lhs, inner.rhs):  # the head is not an axis of the space: it is 0 here
            head = affine.make_map(rank, [*(f"i{k}" for k in range(rank)), "0"])
            reads.append(affine.compose(affine.compose(side.map, head, inner.sizes[:rank]), at, sizes))
    factors = [_factors(axis, n, reads) if axis < len(sizes) - 3 else (n,) for axis, n in enumerate(sizes)]
    numbered = iter(range(sum(map(len, factors))))
    split = [tuple(next(numbered) for _ in each) for each in factors]
    whole, sizes = sizes, tuple(n for each in factors for n in each)
    parts = affine.make_map(len(sizes), [_joined_axis(axes, sizes) for axes in split])
    iteration = affine.compose(iteration, parts, sizes)
    start_map = axes_of_groups(order[:-1], whole[:-1], c.sizes[: c.rank])
    points = affine.make_map(len(sizes) - 1, [_joined_axis(axes, sizes) for axes in split[:-1]])
    start_map = affine.compose(start_map, points, sizes[:-1])
    return KernelSpace(a.book, c, c.out, sizes, iteration, start_map, chained=(a, *others))


def are_joined(chained: Sequence[Chained]) -> bool:
    """Whether one kernel can compute chained products: their weights have the same rows, and their results equally many columns."""
    return have_same_rows(chained) and len({each.product.sizes for each in chained}) == 1


def have_same_rows(chained: Sequence[Chained]) -> bool:
    """Whether one of some chained products reads the inner ones of all, and the others read theirs at the same points."""
    b = max(chained, key=lambda each: len(each.inner))
    sizes = [b.product.sizes[axis] for axis in (*b.product.batch, *b.product.m, *b.product.k)]
    return {c.out for c in b.inner} >= {c.out for each in chained for c in each.inner} and all(
        (each.product.batch, each.product.m, each.product.n, each.product.k)
        == (b.product.batch, b.product.m, b.product.n, b.product.k)
        and [each.product.sizes[axis] for axis in (*b.product.batch, *b.product.m, *b.product.k)] == sizes
        and all(affine.equal_on(b.product.sizes, each.at_of(c), b.at_of(c)) for c in each.inner)
        for each in chained
    )


def _factors(axis: int, size: int, reads: Sequence[isl.MultiAff]) -> tuple[int, ...]:
    """Returns the sizes into which an axis is split, so that maps that divide its index by the number of a group are free of divisions."""
    divs = [
        at.get_at(k).get_div(d)
        for at in reads
        for k in range(at.dim(isl.dim_type.out))
        for d in range(at.get_at(k).dim(isl.dim_type.div))
    ]
    divisors = {int(d.get_denominator_val().to_python()) for d in divs if d.involves_dims(isl.dim_type.in_, axis, 1)}
    out, rest = list[int](), size
    for divisor in sorted(divisors, reverse=True):
        if rest % divisor == 0 and divisor < rest:
            out.append(rest // divisor)
            rest = divisor
    return (*out, rest)


def _joined_axis(axes: Sequence[int], sizes: Sequence[int]) -> str:
    """Returns the index of an axis that is split into `axes`, in row-major order."""
    return " + ".join(f"{prod(sizes[b] for b in axes if b > a)} i{a}" for a in axes)


def _joined(groups: list[tuple[int, ...]], sizes: Sequence[int], always: bool) -> list[tuple[int, ...]]:
    """
    Joins all groups to one, unless tiles along the widest one are long and at most an eighth of their rows is empty; if `always`, also
    then.
    """
    longest = prod(sizes[a] for a in widest(groups, sizes))
    rows = -(-longest // TILE_ROWS) * TILE_ROWS
    whole = tuple(a for group in groups for a in group)
    if len(groups) < 2 or (8 * rows <= 9 * longest and not always) or prod(sizes[a] for a in whole) >= INDEX_LIMIT:
        return groups
    return [whole]
