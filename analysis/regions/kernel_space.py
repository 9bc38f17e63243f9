"""
The index space that a kernel tiles, derived from the kernel's body.

```
      contraction:   (outer…, m, n, k)      one m and one n axis are tiled; k axes become one; the others are outer
      rows:          (outer…, m, n)         n along the rows that the kernel reduces; the others number rows, m adjacent ones if
                                            these, not the elements of a row, are contiguous in memory
      others:        (outer…, m, n)         the outputs' axes; adjacent ones are merged where addresses allow it
```

Axes of one class are merged (`B×S` rows of a `[B, S, K]` operand become one `m`) if isl proves that every operand's address
stays free of divisions. Axes that do not merge so, such as the images, rows and columns of a convolution, become one m, too, if
tiles along the longest of them would be short or partly empty, or if addresses divide k anyway: they then divide m, too, once a tile
and row. The contracted axes always become one k.
Spec: `tensor-compiler.ja §3.5` (`lhs_idx`, `rhs_idx`, `out_idx`, `reduce_idx`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import prod
from typing import cast

import islpy as isl
from xdsl.ir import SSAValue

from ...dialects import ptir, region, tiny
from ...dialects.common.shapes import element, shape
from ...errors import Unsupported
from ...targets.architectures import WARPGROUP
from ...targets.mma import element_bytes
from ..index import affine
from ..index.book import LEAVES, IndexBook, index_book
from ..index.info import Access
from ..index.positions import Positions
from ..index.static_sizes import require_elements, require_sizes, results_of
from ..manager import analysis
from .addresses import SECTOR, is_affine, linear_address, operand_reads, stride
from .attention import Attention, attentions
from .chained import Chained, chained_products
from .contraction import Contraction, contractions
from .kernel_ops import is_atomic_scatter, require_in_kernel
from .pieces import pieces
from .rows import Rows, along
from .slices import Slice, Slicer, is_leaf

TILE_ROWS = 128
"""The rows of a large tile of a contraction: shorter tiles read the other operand more often."""
INDEX_LIMIT = 2**31 - 2**16
"""
Axes are merged only if the size of the result is below this. Kernels use 32-bit indices, and the last tile may extend beyond
the axis.
"""


@dataclass(frozen=True)
class KernelSpace:
    """
    The tile space of a kernel. Its `sizes` are in the order outer…, m, n and, for a contraction, k. `start` is the contraction's
    result, from which the epilogue starts, or the kernel's first output. `start_map` maps the space without k to the axes
    of `start`. `iteration` maps the whole space to the iteration axes of the contraction; without a contraction, it is
    `start_map`.
    """

    book: IndexBook
    contraction: Contraction | None
    start: SSAValue
    sizes: tuple[int, ...]
    iteration: isl.MultiAff
    start_map: isl.MultiAff
    outputs: dict[SSAValue, tuple[isl.MultiAff, ...]] = field(default_factory=dict[SSAValue, tuple[isl.MultiAff, ...]])
    """
    Without a contraction, the maps from the space to each output: one per piece (`pieces.py`), which together reach every element
    once. The map of an output with one element per row does not depend on n. A scatter has those of its updates and indices instead.
    """
    of_rows: bool = False
    """Whether n is the axis along which the kernel reduces rows."""
    adjacent: bool = False
    """Whether elements of adjacent rows, along m, are contiguous in memory, and not those of a row."""
    chained: tuple[Chained, ...] = ()
    """The chained products, whose spaces are the same: m are the rows of their weights, n the columns of the results, k is summed."""

    @property
    def attention(self) -> Attention | None:
        """The attention whose second product is `contraction`: m are its queries, n the columns of the values, k the keys."""
        return next((c for c in self.chained if isinstance(c, Attention)), None)

    @property
    def starts(self) -> tuple[SSAValue, ...]:
        """The results of the contractions from which the epilogue starts, or the kernel's first output."""
        return tuple(c.product.out for c in self.chained) or (self.start,)

    @property
    def outer(self) -> int:
        """The number of axes before m."""
        return len(self.sizes) - (3 if self.contraction else 2)

    @property
    def of_scores(self) -> tuple[tuple[int, ...], isl.MultiAff]:
        """The space of the weights of chained products, outer…, m and k, and the map from it to the iteration axes of the contraction."""
        outer = self.outer
        sizes = (*self.sizes[: outer + 1], self.k)
        into = affine.make_map(outer + 2, [*(f"i{axis}" for axis in range(outer + 1)), "0", f"i{outer + 1}"])
        return sizes, affine.compose(self.iteration, into, sizes)

    @property
    def of_rows_of_scores(self) -> isl.MultiAff:
        """The map from the space without k to the axes of the maximum and the sum of an attention's scores."""
        return self.rows_through(cast(Attention, self.attention).rows_at)

    def rows_through(self, at: isl.MultiAff) -> isl.MultiAff:
        """Returns a map from the iteration axes of the contraction, from the space without k instead, at the first k."""
        into = affine.make_map(self.outer + 2, [*(f"i{axis}" for axis in range(self.outer + 2)), "0"])
        return affine.compose(affine.compose(at, self.iteration, self.sizes), into, self.points)

    @property
    def points(self) -> tuple[int, ...]:
        """The sizes without k."""
        return self.sizes[: self.outer + 2]

    @property
    def m(self) -> int:
        return self.sizes[self.outer]

    @property
    def n(self) -> int:
        return self.sizes[self.outer + 1]

    @property
    def k(self) -> int:
        return self.sizes[self.outer + 2] if self.contraction else 1


def kernel_space(kernel: region.RegionKernelOp) -> KernelSpace:
    """Returns the tile space. Raises `Unsupported` if the body exceeds what the kernel templates can compute."""
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
    by_rows = kernel.plan is None or kernel.plan.schedule().holds_rows
    return (_space_of_rows(kernel) if by_rows else None) or _tile_space(kernel)


@analysis
def _tile_space(kernel: region.RegionKernelOp) -> KernelSpace:
    book, found = index_book(kernel), contractions(kernel)
    if chained := chained_of(kernel):
        return chained_space(*chained)
    for contraction in found.values():
        slicer = Slicer(book, found)
        slices = [slicer.slice(value, ()) for value in stored_values(kernel)]
        of_rows = any(s.reduced_anchors and not s.cuts for s in slices)
        return replace(_contraction_space(book, contraction), of_rows=of_rows)
    for op in kernel.body.block.ops:
        if is_atomic_scatter(op):
            return _output_space(index_book(kernel), [op.updates, op.indices], op)
    return _output_space(index_book(kernel), stored_values(kernel))


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
    if root in space.starts:
        return [space.start_map]
    starts = dict.fromkeys(space.starts, space.start_map)
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


def _contraction_space(book: IndexBook, c: Contraction) -> KernelSpace:
    reads = [
        (shape(leaf.value), leaf.map, c.sizes)
        for operand in (c.lhs, c.rhs)
        for leaf in operand_leaves(operand, book, c.sizes)
        if leaf.value is operand.value or is_affine(linear_address(shape(leaf.value), leaf.map, c.sizes))
    ]
    batch, ms, ns, ks = (_merge(c.sizes, axes, reads, shape(c.out)) for axes in (c.batch, c.m, c.n, c.k))
    divides = [
        not _stays_affine(c.k, shape(operand.value), operand.map, c.sizes) for operand in (c.lhs, c.rhs)
    ]  # whether k divides addresses of the operand, so that TMA's tiled mode cannot load it
    ms, ns = (_joined(groups, c.sizes, always) for groups, always in zip((ms, ns), divides, strict=True))
    m, n = _widest(ms, c.sizes), _widest(ns, c.sizes)
    k = tuple(a for g in ks for a in g)
    outer = [g for g in (*batch, *ms, *ns) if g not in (m, n)]
    order = [*outer, m, n, k]
    sizes = tuple(prod(c.sizes[a] for a in g) for g in order)
    iteration = _axes_of_groups(order, sizes, c.sizes)
    rank = len(shape(c.out))
    kept = order[:-1]
    start_map = _axes_of_groups(kept, sizes[:-1], c.sizes[:rank])
    return KernelSpace(book, c, c.out, sizes, iteration, start_map)


def chained_space(a: Chained, *others: Chained) -> KernelSpace:
    """
    Returns the space of an attention or of another chained product, whose m is the longest axis along which rows of its weights vary, but
    nothing that the keys are. The `others` have the same space.
    """
    c = a.product
    batch, ms, ns = ([(axis,) for axis in axes if c.sizes[axis] > 1] for axes in (c.batch, c.m, c.n))
    m, n = _widest([g for g in ms if a.only_rows_vary(g[0])], c.sizes), _widest(ns, c.sizes)
    k = tuple(axis for axis in c.k if c.sizes[axis] > 1)
    order = [*(g for g in (*batch, *ms) if g != m), m, n, k]
    sizes = tuple(prod(c.sizes[axis] for axis in g) for g in order)
    iteration = _axes_of_groups(order, sizes, c.sizes)
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
    start_map = _axes_of_groups(order[:-1], whole[:-1], c.sizes[: c.rank])
    points = affine.make_map(len(sizes) - 1, [_joined_axis(axes, sizes) for axes in split[:-1]])
    start_map = affine.compose(start_map, points, sizes[:-1])
    return KernelSpace(a.book, c, c.out, sizes, iteration, start_map, chained=(a, *others))


def are_joined(chained: Sequence[Chained]) -> bool:
    """Whether one kernel can compute chained products: one reads all their inner ones, and the others at the same points of its space."""
    b = max(chained, key=lambda each: len(each.inner))
    return {c.out for c in b.inner} >= {c.out for each in chained for c in each.inner} and all(
        each.product.sizes == b.product.sizes
        and (each.product.batch, each.product.m, each.product.n, each.product.k)
        == (b.product.batch, b.product.m, b.product.n, b.product.k)
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


def _output_space(
    book: IndexBook, stored: Sequence[SSAValue], scatter: ptir.ScatterReduceOp | None = None
) -> KernelSpace:
    """
    Returns the space of outputs of one shape, or of equal pieces of it (`pieces.py`). The outputs of a `scatter` are its updates and
    their indices.
    """
    start, positions = stored[0], Positions(book)
    whole = tuple(shape(start))
    outputs = [root for root in stored if tuple(shape(root)) == whole]
    conditions = [where for where, space in _reads_of(outputs, book, positions)[1] if len(space) == len(whole)]
    sizes, maps = pieces(conditions, whole)
    if not _are_long(start, sizes, maps[0]) or any(book[value].reduced for value in book) or scatter is not None:
        sizes, maps = whole, [affine.identity(len(whole))]
    reads, conditions = _reads_of(outputs, book, positions, sizes, maps)
    if scatter is not None:
        at = affine.make_map(len(sizes), ["0" if a == scatter.axis() else f"i{a}" for a in range(len(sizes))])
        reads.append((shape(scatter.result), at, sizes))
    groups = _merge(sizes, tuple(range(len(sizes))), reads, sizes, conditions)
    n = groups[-1] if groups else ()
    m = _rows_axis(groups[:-1], sizes, prod(sizes[a] for a in n))
    order = [*(g for g in groups[:-1] if g is not m), m, n]
    space = tuple(prod(sizes[a] for a in g) for g in order)
    axes = _axes_of_groups(order, space, sizes)
    found = tuple(affine.compose(at, axes, space) for at in maps)
    return KernelSpace(book, None, start, space, found[0], found[0], dict.fromkeys(outputs, found))


def _rows_axis(groups: Sequence[tuple[int, ...]], sizes: Sequence[int], columns: int) -> tuple[int, ...]:
    """Returns the group that a tile has as its rows: the innermost, or the widest if tiles of that would leave threads idle."""
    m = groups[-1] if groups else ()
    return m if columns * prod(sizes[a] for a in m) >= WARPGROUP else _widest(groups, sizes)


def _are_long(root: SSAValue, sizes: Sequence[int], at: isl.MultiAff) -> bool:
    """Whether the contiguous elements of a piece with these sizes, through the map `at` of the piece, fill a sector of memory."""
    run = 1
    for axis in reversed(range(len(sizes))):
        step = int(at.get_at(axis).get_coefficient_val(isl.dim_type.in_, axis).to_python())
        run *= sizes[axis] if step == 1 else 1
        if sizes[axis] != shape(root)[axis]:
            break
    return run * element_bytes(element(root)) >= SECTOR


def _reads_of(
    roots: Sequence[SSAValue],
    book: IndexBook,
    positions: Positions,
    sizes: Sequence[int] | None = None,
    maps: Sequence[isl.MultiAff] = (),
) -> tuple[list[Read], list[Condition]]:
    """
    Returns the reads from which outputs are computed (of arrays, and of positions), and the conditions on positions that select
    between values. The maps of both start from pieces of `sizes`, by default from the whole outputs.
    """
    reads: list[Read] = []
    conditions: list[Condition] = []
    for root in roots:
        for piece in maps or [affine.identity(len(shape(root)))]:
            reads.append((tuple(shape(root)), piece, tuple(sizes or shape(root))))
            start = Access(root, piece), tuple(sizes or shape(root))
            leaves = leaf_accesses(*start, book, lambda value: positions.condition(value) is not None, positions)
            for at, space in leaves:
                owner = at.value.owner
                if (where := positions.condition(at.value)) is not None:
                    conditions.append((where.preimage_multi_aff(at.map), space))
                elif isinstance(owner, tiny.IotaOp):
                    index = affine.make_map(len(shape(at.value)), [f"i{owner.axis()}"])
                    reads.append(((shape(at.value)[owner.axis()],), affine.compose(index, at.map, space), space))
                elif not isinstance(owner, tiny.ConstOp):
                    reads.append((tuple(shape(at.value)), at.map, space))
    return reads, conditions


def row_space(book: IndexBook, slices: Sequence[Slice]) -> KernelSpace | None:
    """Returns the space of the rows that slices share, or None if they share none."""
    by_length = [s for s in slices if s.rows is not None]
    first = next((s for s in by_length if s.rows is not None and s.rows.columns), next(iter(by_length), None))
    if first is None or (rows := first.rows) is None or any(s.rows.length != rows.length for s in by_length if s.rows):
        return None
    sizes = first.sizes
    reads = [(shape(leaf.value), leaf.at, leaf.space) for leaf in first.leaves]
    groups = _merge(sizes, rows.rows, reads, sizes)
    m = next((g for g in groups if first.adjacent in g), None) or _rows_axis(groups, sizes, rows.length)
    order = [*(g for g in groups if g is not m), m, rows.columns]
    points = (*(prod(sizes[a] for a in g) for g in order[:-1]), rows.length)
    start_map = _axes_of_groups(order, points, sizes)
    outputs = {first.root: start_map}
    aligned, waiting = [first], [s for s in slices if s is not first]
    for known in aligned:
        for s in list(waiting):
            at = _aligned(known, s, outputs[known.root], points)
            if at is not None and _reaches_once(at, points, s.sizes):
                outputs[s.root] = at
                aligned.append(s)
                waiting.remove(s)
    if waiting:
        return None
    every = {s.root: (affine.compose(s.start, outputs[s.root], points),) for s in slices}
    (start_map,) = every[first.root]
    return KernelSpace(book, None, first.root, points, start_map, start_map, every, True, first.adjacent is not None)


def _reaches_once(at: isl.MultiAff, points: tuple[int, ...], sizes: tuple[int, ...]) -> bool:
    """
    Whether a map from the space of rows reaches each point of `sizes` once: the space reads no part of the rows and of their
    columns only, and none twice. The map of an output with one element per row does not depend on the last axis.
    """
    if affine.uses_axis(at, last := len(points) - 1):
        return affine.is_one_to_one(at, points, sizes)
    of_rows = affine.compose(at, along(range(last), len(points)), points[:last])
    return affine.is_one_to_one(of_rows, points[:last], sizes)


def _aligned(known: Slice, s: Slice, start_map: isl.MultiAff, points: tuple[int, ...]) -> isl.MultiAff | None:
    """
    Returns the map from the space of rows to the root of slice `s`, such that rows correspond to rows. The map is derived from a
    value that `known` and `s` both read; the result is None if no such value gives one.
    """
    sizes = s.sizes
    column = isl.dim_type.in_, len(points) - 1, 1
    for value, at in s.passed.items():
        if (there := _read_of(known, value, start_map, points)) is None:
            continue
        if (back := affine.inverse(at, sizes, shape(value))) is not None:
            at = affine.compose(back, there, points)
            if s.rows is None or not any(at.get_at(axis).involves_dims(*column) for axis in s.rows.rows):
                return at
            continue
        if s.rows is None or value not in s.reduced:
            continue
        kept = [sizes[a] for a in s.rows.rows]
        back = affine.inverse(affine.compose(at, along(s.rows.rows, len(sizes)), kept), kept, shape(value))
        if back is not None:
            return _rows_and_columns(affine.compose(back, there, points), s.rows, sizes, points)
    if (rows := s.rows) is None or rows.length != points[-1]:
        return None
    for value in s.summed:
        there = _read_of(known, value, start_map, points)
        own = *(sizes[a] for a in rows.rows), rows.length
        at = _read_of(s, value, along(rows.rows, len(sizes), further=1), own)
        if there is None or at is None or (back := affine.inverse(at, own, shape(value))) is None:
            continue
        at = affine.compose(back, there, points)
        if not any(at.get_at(k).involves_dims(*column) for k in range(len(rows.rows))):
            return _rows_and_columns(at, rows, sizes, points)
    return None


def _read_of(s: Slice, value: SSAValue, start_map: isl.MultiAff, points: tuple[int, ...]) -> isl.MultiAff | None:
    """
    Returns the map from a space of rows, whose last axis is what reductions of a row count, to a value that slice `s` reads, or None.
    `start_map` is the map from this space to the root.
    """
    if (at := s.passed.get(value)) is not None:
        return affine.compose(at, start_map, points)
    if (place := s.summed.get(value)) is None or prod(counts := place.space[len(s.sizes) :]) != points[-1]:
        return None
    inner = start_map.flat_range_product(row_major(len(points), len(points) - 1, counts))
    return affine.compose(place.at, inner, points)


def row_major(rank: int, axis: int, sizes: Sequence[int]) -> isl.MultiAff:
    """Returns the map from one axis of a space to the axes of an array of these sizes, in row-major order."""
    order = [tuple(range(len(sizes))) if k == axis else () for k in range(rank)]
    return _axes_of_groups(order, [prod(sizes[a] for a in group) for group in order], sizes)


def _rows_and_columns(at: isl.MultiAff, rows: Rows, sizes: Sequence[int], points: tuple[int, ...]) -> isl.MultiAff:
    """Returns the map from the space to axes of `sizes`: row axes by `at`, column axes from the last axis, in row-major order."""
    order = [*(() for _ in points[:-1]), rows.columns]
    of_columns = _axes_of_groups(order, points, sizes)
    for k, axis in enumerate(rows.rows):
        of_columns = of_columns.set_at(axis, at.get_at(k))
    return of_columns


def leaf_accesses(
    root: Access,
    sizes: tuple[int, ...],
    book: IndexBook,
    is_leaf: Callable[[SSAValue], bool],
    positions: Positions | None = None,
) -> Iterator[tuple[Access, tuple[int, ...]]]:
    """
    Yields the accesses of the leaves from which `root` is computed, including values without operands, as read from a space of
    `sizes`. Each comes with the sizes of its map's input axes: those of that space, then those of reductions and
    positions on the way. With `positions`, leaves that conditions on these select nowhere are left out.
    """
    todo = [(root, sizes)]
    seen: set[tuple[SSAValue, str]] = set()
    while todo:
        at, space = todo.pop()
        if (key := (at.value, affine.canonical_text(at.map))) in seen:
            continue
        seen.add(key)
        steps = () if is_leaf(at.value) else book[at.value].accesses
        if not steps:
            yield at, space
            continue
        found = operand_reads(book[at.value], at.map, space)
        if positions is not None and isinstance(op := at.value.owner, tiny.BinaryOp) and op.fn.data == "where":
            found = _selected(found, positions)
        todo += [(Access(s.value, affine.compose(s.map, there, inner)), inner) for s, inner, there in found]


def _selected(
    reads: list[tuple[Access, tuple[int, ...], isl.MultiAff]], positions: Positions
) -> list[tuple[Access, tuple[int, ...], isl.MultiAff]]:
    """Returns the operands of a `where` that are read: only one if its condition is the same at all points."""
    predicate, space, there = reads[0]
    if (where := positions.condition(predicate.value)) is None:
        return reads
    points = affine.box(space)
    holds = points.intersect(where.preimage_multi_aff(affine.compose(predicate.map, there, space)))
    return reads[2:] if holds.is_empty() else reads[1:2] if points.is_subset(holds) else reads


def _joined(groups: list[tuple[int, ...]], sizes: Sequence[int], always: bool) -> list[tuple[int, ...]]:
    """
    Joins all groups to one, unless tiles along the widest one are long and at most an eighth of their rows is empty; if `always`, also
    then.
    """
    widest = prod(sizes[a] for a in _widest(groups, sizes))
    rows = -(-widest // TILE_ROWS) * TILE_ROWS
    whole = tuple(a for group in groups for a in group)
    if len(groups) < 2 or (8 * rows <= 9 * widest and not always) or prod(sizes[a] for a in whole) >= INDEX_LIMIT:
        return groups
    return [whole]


def _widest(groups: Sequence[tuple[int, ...]], sizes: Sequence[int]) -> tuple[int, ...]:
    """Returns the group of axes with the largest size, the last one on a tie, or () (size 1) if there are no groups."""
    return max(reversed(groups), key=lambda g: prod(sizes[a] for a in g), default=())


def operand_leaves(operand: Access, book: IndexBook, sizes: Sequence[int]) -> list[Access]:
    """Returns the accesses of a contraction, with iteration axes of `sizes`, to the stored values from which an operand is computed."""
    leaves = leaf_accesses(operand, tuple(sizes), book, lambda _: False)
    return [at for at, _ in leaves if not isinstance(at.value.owner, LEAVES)]


Read = tuple[tuple[int, ...], isl.MultiAff, tuple[int, ...]]
"""The sizes of an array, its access map, and the sizes of the map's input axes. The axes to merge come first."""

Condition = tuple[isl.Set, tuple[int, ...]]
"""A set of points of a space, and the sizes of the space. The axes to merge come first."""


def _merge(
    sizes: Sequence[int],
    axes: tuple[int, ...],
    reads: Sequence[Read],
    out: Sequence[int],
    conditions: Sequence[Condition] = (),
) -> list[tuple[int, ...]]:
    """Joins adjacent `axes` while every address, and every condition, stays free of divisions; drops axes of size 1."""
    kept = affine.make_map(len(sizes), [f"i{a}" for a in range(len(out))])
    addresses = [*reads, (tuple(out), kept, tuple(sizes))]
    groups: list[tuple[int, ...]] = [(a,) for a in axes if sizes[a] != 1]
    joined = True
    while joined:
        joined = False
        for left, right in pairwise(groups):
            if (
                prod(sizes[a] for a in left + right) < INDEX_LIMIT
                and all(_stays_affine(left + right, *address) for address in addresses)
                and all(_stays_simple(left + right, *condition) for condition in conditions)
            ):
                at = groups.index(left)
                groups[at : at + 2] = [left + right]
                joined = True
                break
    return groups


def _stays_affine(group: tuple[int, ...], of: Sequence[int], at: isl.MultiAff, sizes: Sequence[int]) -> bool:
    """Whether the address of an array of sizes `of`, read through `at`, stays free of divisions if the axes of `group` are merged."""
    space, ungroup = _merged(group, sizes)
    return is_affine(linear_address(of, affine.compose(at, ungroup, space), space))


def _stays_simple(group: tuple[int, ...], where: isl.Set, sizes: Sequence[int]) -> bool:
    """Whether the conditions of the set `where` stay free of divisions if the axes of `group` are merged."""
    space, ungroup = _merged(group, sizes)
    merged = affine.simplify_guard([where.preimage_multi_aff(ungroup)], space)
    return merged is None or ("floor" not in str(merged) and "mod" not in str(merged))


def _merged(group: tuple[int, ...], sizes: Sequence[int]) -> tuple[list[int], isl.MultiAff]:
    """Returns the sizes of the space in which the axes of `group` are merged to the first one, and the map from it to the axes."""
    order = [group, *((a,) for a in range(len(sizes)) if a not in group)]
    space = [prod(sizes[a] for a in g) for g in order]
    return space, _axes_of_groups(order, space, sizes)


def _axes_of_groups(order: Sequence[tuple[int, ...]], space: Sequence[int], sizes: Sequence[int]) -> isl.MultiAff:
    """Maps merged groups of axes back to the axes. An axis in no group has index 0."""
    exprs = ["0"] * len(sizes)
    for position, group in enumerate(order):
        steps = affine.row_major_strides([sizes[a] for a in group])
        for place, (a, step) in enumerate(zip(group, steps, strict=True)):
            quotient = f"floor(i{position}/{step})"
            exprs[a] = quotient if place == 0 else f"{quotient} - {sizes[a]}*floor(i{position}/{step * sizes[a]})"
    return affine.make_map(len(order), exprs).gist(affine.box(space))
