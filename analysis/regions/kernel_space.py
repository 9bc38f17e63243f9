"""
The index space that a kernel tiles, derived from the kernel's body.

```
      contraction:   (outer…, m, n, k)      one m and one n axis are tiled; k axes become one; the others are outer
      rows:          (outer…, m, n)         n along the rows that the kernel reduces; the others number rows, m adjacent ones if
                                            these, not the elements of a row, are contiguous in memory; not for strict sums
      windows:       (outer…, m, n, k)      a contraction whose m numbers windows of its result, then their elements, as the kernel reduces them
      others:        (outer…, m, n)         the outputs' axes; adjacent ones are merged where addresses allow it
```

Each kind has a module: `contraction_space.py`, `row_space.py` and `elementwise_space.py`. Axes are merged in all of them where no address
then divides (`axis_groups.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import islpy as isl
from xdsl.ir import SSAValue

from ...dialects import region, tiny
from ...dialects.common.shapes import shape
from ...errors import Unsupported
from ..index import affine
from ..index.book import index_book
from ..index.info import Access
from ..index.static_sizes import require_elements, require_sizes, results_of
from ..manager import analysis
from .addresses import linear_address, stride
from .attention import Attention, attentions
from .chained import Chained, chained_products
from .contraction import contractions
from .contraction_space import are_joined, chained_space, contraction_space, member_space, window_space
from .elementwise_space import output_space
from .kernel_ops import is_atomic_scatter, require_in_kernel
from .leaf_accesses import leaf_accesses
from .members import Members, members_in
from .places import is_leaf
from .row_space import row_space
from .slices import Slicer
from .space import KernelSpace
from .windows import Window


def kernel_space(kernel: region.RegionKernelOp, by_rows: bool | None = None) -> KernelSpace:
    """
    Returns the tile space. Raises `Unsupported` if the body exceeds what the kernel templates can compute. A kernel that reduces rows has the
    space of rows if `by_rows`, otherwise that of its results; by default, its plan decides.
    """
    ops = list(kernel.body.block.ops)
    require_sizes(results_of(ops), kernel)
    for op in ops:
        require_elements(op.results, op)
    found = list(contractions(kernel).values())
    chained = chained_of(kernel)
    if len(found) > 1 and not chained:
        raise Unsupported(
            found[-1].op,
            what="a second contraction in one region",
            need="split the region here: one kernel computes one contraction",
        )
    if chained:
        found = [*(c.product for c in chained), *chained[0].inner]
    interior = {op for c in found for op in (c.op, *c.interior)}
    for op in ops:
        if op not in interior and not isinstance(op, region.LoadOp):  # the types of loads are checked at their users
            require_in_kernel(op)
    if by_rows is None:
        by_rows = kernel.plan is None or kernel.plan.schedule().holds_rows
    by_rows &= not any(map(tiny.keeps_order, ops))
    return (_space_of_rows(kernel) if by_rows else None) or _tile_space(kernel)


@analysis
def _tile_space(kernel: region.RegionKernelOp) -> KernelSpace:
    book, found = index_book(kernel), contractions(kernel)
    if chained := chained_of(kernel):
        return chained_space(*chained)
    for contraction in found.values():
        slicer = Slicer(book, found, windows=True)
        slices = [slicer.slice(value, ()) for value in stored_values(kernel)]
        if slices[0].window is not None and isinstance(window := slicer.window(slices[0].window), Window):
            return window_space(book, window)
        for maps in slices[0].anchors.values():
            if len(maps) > 1 and isinstance(found := members_in(slices[0].sizes, maps, contraction), Members):
                return member_space(book, contraction, found)
        of_rows = any(s.reduced_anchors and not s.cuts for s in slices)
        return replace(contraction_space(book, contraction), of_rows=of_rows)
    for op in kernel.body.block.ops:
        if is_atomic_scatter(op):
            return output_space(index_book(kernel), [op.updates, op.indices], op)
    return output_space(index_book(kernel), stored_values(kernel))


@analysis
def _space_of_rows(kernel: region.RegionKernelOp) -> KernelSpace | None:
    """Returns the space of the rows that a kernel without a contraction reduces, or None if the kernel reduces no rows."""
    if contractions(kernel) or chained_of(kernel):
        return None
    slicer = Slicer(index_book(kernel), {})
    slices = [slicer.slice(value, ()) for value in stored_values(kernel)]
    if any(s.cuts or s.loops for s in slices) or all(s.rows is None or s.by_columns for s in slices):
        return None
    return row_space(index_book(kernel), slices)


def chained_of(kernel: region.RegionKernelOp) -> Sequence[Chained]:
    """
    Returns the chained products that compute all contractions of a kernel, the one with most inner products first; none if there are other
    contractions, or just one.
    """
    found = contractions(kernel)
    for every in (attentions(kernel), chained_products(kernel)):
        inner = {c.out for chained in every.values() for c in chained.inner}
        last = sorted((c for out, c in every.items() if out not in inner), key=lambda c: -len(c.inner))
        stored = all(isinstance(c, Attention) or all(is_leaf(leaf.value) for leaf in c.slice.leaves) for c in last)
        if last and {*inner, *(c.product.out for c in last)} >= set(found) and stored and are_joined(last):
            return last
    return ()


def output_maps(space: KernelSpace, root: SSAValue) -> Sequence[isl.MultiAff]:
    """
    Returns the maps from the space without k to the axes of a stored value, each of which reaches a part of its elements. Empty if
    the value does not correspond to the space.
    """
    if space.contraction is None:
        return space.outputs.get(root, ())
    if space.members is not None:
        return [affine.compose(piece, space.start_map, space.points) for piece in space.members.pieces]
    if root in space.starts:
        return [space.start_map]
    starts = dict.fromkeys(space.starts, space.start_map)
    if space.window is not None and space.window_points is not None:
        reduced = space.window.op.result
        leading = affine.make_map(len(space.window.sizes), [f"i{k}" for k in range(len(shape(reduced)))])
        starts[reduced] = affine.compose(leading, space.window_points, space.points)
    if space.attention is not None:
        starts |= dict.fromkeys(space.attention.rows, space.of_rows_of_scores)
    of_root = Access(root, affine.identity(len(shape(root))))
    leaves = leaf_accesses(of_root, shape(root), space.book, lambda value: value in starts)
    outside = [
        at for at, read in leaves if len(read) == len(shape(root)) and at.value in starts
    ]  # not read by reductions
    if not outside or any(not affine.equal_on(shape(root), at.map, outside[0].map) for at in outside):
        return []
    back = affine.inverse(outside[0].map, shape(root), shape(outside[0].value))
    return [] if back is None else [affine.compose(back, starts[outside[0].value], space.points)]


def contiguous_axis(kernel: region.RegionKernelOp, space: KernelSpace) -> str | None:
    """
    Returns which of m and n is contiguous in memory in the kernel's first output, or None. Plans follow it: `C_stride =
    "row"` stores vectors along n, "col" along m.
    """
    root = stored_values(kernel)[0]
    at = next(iter(output_maps(space, root)), None)
    if at is None:
        return None
    address = linear_address(shape(root), at, space.points)
    for axis, name in ((space.outer + 1, "n"), (space.outer, "m")):
        if space.points[axis] > 1 and stride(address, axis) == 1:
            return name
    return None


def stored_values(kernel: region.RegionKernelOp) -> list[SSAValue]:
    """Returns the values that the kernel stores."""
    last = kernel.body.block.last_op
    return list(last.operands) if last is not None else []
