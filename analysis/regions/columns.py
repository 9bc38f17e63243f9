"""
The columns that a kernel reduces: the summands of an element lie in other rows than those of its neighbors.

```
sum of x[8, 64, 256] over the axis 1:     points (8, 256), 64 rows;     a vector of columns is contiguous in each row
```

The reductions are one level deep and over equally many elements, whose number is a last axis of the space.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import islpy as isl
from xdsl.ir import SSAValue

from ...dialects import region, tiny
from ...dialects.common.shapes import shape
from ...errors import counted
from ...targets.architectures import WARPGROUP
from ..index import affine
from ..index.info import Access
from .addresses import extended, is_affine, linear_address, stride
from .axis_groups import row_major
from .leaf_accesses import leaf_accesses
from .one_hot import one_hot_sums
from .space import KernelSpace
from .upstream import upstream


@dataclass(frozen=True)
class Columns:
    """The number of rows that are reduced, and the loads of them: arrays with their addresses in the space with the rows' axis."""

    rows: int
    loads: Sequence[tuple[SSAValue, isl.Aff]]


def summand(op: tiny.ReduceOp, space: KernelSpace, at: isl.MultiAff) -> tuple[tuple[int, ...], isl.MultiAff]:
    """
    Returns the sizes of the space with an axis that counts what a reduction reduces, and the map from it to the iteration axes
    of the reduction, which is read from the space through `at`.
    """
    info, rank = space.book[op.result], len(space.points)
    reduced = info.static_sizes[info.rank :]
    sizes = (*space.points, prod(reduced))
    if not reduced:
        return sizes, affine.compose(at, affine.make_map(rank + 1, [f"i{k}" for k in range(rank)]), sizes)
    points = affine.make_map(rank + 1, [f"i{k}" for k in range(rank)])
    whole = points.flat_range_product(row_major(rank + 1, rank, reduced))
    return sizes, affine.compose(extended(info, at, space.points)[1], whole, sizes)


def columns_of(kernel: region.RegionKernelOp, space: KernelSpace) -> Columns | str:
    """Returns the columns that a kernel reduces, or the reason why the template of columns does not fit."""
    every = [op for op in kernel.body.block.ops if isinstance(op, tiny.ReduceOp)]
    picked = one_hot_sums(every, space.book)
    reductions = [op for op in every if op not in picked]
    if space.contraction is not None:
        return "it is a contraction"
    if space.of_rows or not reductions:
        return "it reduces no columns"
    if any(len(maps) > 1 for maps in space.outputs.values()):
        return "adjacent windows share elements, which a thread loads once"
    book, column = space.book, space.outer + 1
    groups = prod(space.points) // space.n
    counts = {prod(book[op.result].static_sizes[book[op.result].rank :]) for op in reductions}
    if len(counts) > 1:
        return f"its reductions are over different numbers of elements: {', '.join(map(str, sorted(counts)))}"
    (count,) = counts
    if groups > 1 and count * space.n < WARPGROUP:
        return f"the {counted(groups, 'group')} of {counted(space.n, 'column')} have {counted(count, 'row')}: too few for a block each"
    if any(_reads_reduction(op.input) for op in every):
        return "a reduction reads another one"
    outputs = [Access(root, at) for root, maps in space.outputs.items() for at in maps]
    reads = [
        (op, access.map)
        for output in outputs
        for access, _ in leaf_accesses(output, space.points, book, lambda v: isinstance(v.owner, tiny.ReduceOp))
        if isinstance(op := access.value.owner, tiny.ReduceOp) and op not in picked
    ]
    loads = [load for op, at in reads for load in _loads(op, space, at)]
    if not all(is_affine(address) for _, address in loads):
        return "the reduced axes are no single stride apart, so that addresses divide"
    if not any(stride(address, column) == 1 for _, address in loads):
        return "adjacent results read elements that are not contiguous"
    return Columns(count, loads)


def _loads(op: tiny.ReduceOp, space: KernelSpace, at: isl.MultiAff) -> Iterator[tuple[SSAValue, isl.Aff]]:
    """Yields the arrays that a reduction loads if it is read through `at`, with the addresses of their elements."""
    sizes, there = summand(op, space, at)
    first = space.book[op.result].accesses[0]
    start = Access(first.value, affine.compose(first.map, there, sizes))
    for leaf, _ in leaf_accesses(start, sizes, space.book, lambda _: False):
        if not isinstance(leaf.value.owner, tiny.ConstOp | tiny.IotaOp):
            yield leaf.value, linear_address(shape(leaf.value), leaf.map, sizes)


def _reads_reduction(value: SSAValue) -> bool:
    """Returns whether a value is computed from a reduction."""
    return any(isinstance(v.owner, tiny.ReduceOp) for v in upstream([value]))
