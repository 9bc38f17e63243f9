"""The space of elementwise kernels, `(outer…, m, n)`: the axes of their outputs, or of equal pieces of them; adjacent ones are merged."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import islpy as isl
from xdsl.ir import SSAValue

from ...dialects import ptir, tiny
from ...dialects.common.shapes import element, shape
from ...targets.architectures import SECTOR
from ...targets.mma import element_bytes
from ..index import affine
from ..index.book import IndexBook
from ..index.info import Access
from ..index.positions import Positions
from .axis_groups import Condition, Read, axes_of_groups, merged_groups, rows_axis
from .leaf_accesses import leaf_accesses
from .pieces import adjacent_windows, pieces
from .space import KernelSpace


def output_space(
    book: IndexBook, stored: Sequence[SSAValue], scatter: ptir.ScatterReduceOp | None = None
) -> KernelSpace:
    """
    Returns the space of outputs of one shape, or of equal pieces of it (`pieces.py`). The outputs of a `scatter` are its updates and
    their indices.
    """
    start, positions = stored[0], Positions(book)
    whole = tuple(shape(start))
    outputs = [root for root in stored if tuple(shape(root)) == whole]
    reads, conditions = _reads_of(outputs, book, positions)
    sizes, maps = whole, [affine.identity(len(whole))]
    if scatter is None and any(book[value].reduced for value in book):
        sizes, maps = adjacent_windows([(at, space) for _, at, space in reads], whole)
    elif scatter is None:
        split = pieces([where for where, space in conditions if len(space) == len(whole)], whole)
        sizes, maps = split if _are_long(start, split[0], split[1][0]) else (sizes, maps)
    reads, conditions = _reads_of(outputs, book, positions, sizes, maps)
    if scatter is not None:
        at = affine.make_map(len(sizes), ["0" if a == scatter.axis() else f"i{a}" for a in range(len(sizes))])
        reads.append((shape(scatter.result), at, sizes))
    groups = merged_groups(sizes, tuple(range(len(sizes))), reads, sizes, conditions)
    n = groups[-1] if groups else ()
    m = rows_axis(groups[:-1], sizes, prod(sizes[a] for a in n))
    order = [*(g for g in groups[:-1] if g is not m), m, n]
    space = tuple(prod(sizes[a] for a in g) for g in order)
    axes = axes_of_groups(order, space, sizes)
    found = tuple(affine.compose(at, axes, space) for at in maps)
    return KernelSpace(book, None, start, space, found[0], found[0], dict.fromkeys(outputs, found))


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
