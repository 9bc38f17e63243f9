"""The accesses to stored values from which a value is computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import islpy as isl
from xdsl.ir import SSAValue

from ...dialects import tiny
from ..index import affine
from ..index.book import LEAVES, IndexBook
from ..index.info import Access
from ..index.positions import Positions
from .addresses import operand_reads


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


def operand_leaves(
    operand: Access, book: IndexBook, sizes: Sequence[int], positions: Positions | None = None
) -> list[Access]:
    """Returns the accesses of a contraction, with iteration axes of `sizes`, to the stored values from which an operand is computed."""
    leaves = leaf_accesses(operand, tuple(sizes), book, lambda _: False, positions)
    return [at for at, _ in leaves if not isinstance(at.value.owner, LEAVES)]
