"""
The stored values from which the operands of a contraction are computed.

```
   stored operand            A ──────────────────────▶ ring ─▶ fragments ─▶ mma
   computed operand          q (k x n) ─▶ ring ─▶ fragments ─▶ q·s ─▶ mma      q·s is the prologue
                             s (n)     ──────────────────────▶
```

Values that vary along both axes of an operand are its *sources*: their tiles are copied to shared memory, in the type in which
they are stored. Other values, such as a scale for each column, are read where they are needed. A value may be a source more than once, at
different positions: those outside of it, in the padding of the program, are zeros in shared memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import islpy as isl
from xdsl.ir import Operation, SSAValue

from ...dialects import region, tiny
from ...dialects.common.shapes import element, shape
from ...dialects.nv.types import is_staged
from ..index import affine
from ..index.info import Access, compose_access
from ..index.positions import Positions
from .addresses import is_affine, linear_address, stride
from .contraction import Contraction
from .leaf_accesses import operand_leaves
from .prologue import fills_ring
from .space import KernelSpace


@dataclass(frozen=True)
class Source:
    """
    A stored value whose tiles are copied to shared memory, and the map from the kernel's space to it. The layout of the tiles is
    that in global memory: `ND` with contiguous rows, `DN` with contiguous columns. Outside of `guard`, elements are zero.
    """

    value: SSAValue
    at: isl.MultiAff
    layout: str
    guard: isl.Set | None = None

    @property
    def key(self) -> tuple[SSAValue, str]:
        return self.value, affine.canonical_text(self.at)


def sources(space: KernelSpace) -> tuple[tuple[Source, ...], tuple[Source, ...]]:
    """
    Returns the sources of A (m x k) and of B (k x n). The only source of a stored operand is the operand itself. If the space has members, the
    sources are those of its own one, the first.
    """
    c, m = space.contraction, space.outer
    if c is None:
        return (), ()
    positions = Positions(space.book)
    return tuple(_sources(space, c, c.lhs, positions, m, m + 2)), tuple(
        _sources(space, c, c.rhs, positions, m + 2, m + 1)
    )


def sources_of_members(space: KernelSpace) -> tuple[tuple[Source, ...], tuple[Source, ...]]:
    """
    Returns the sources of A and of B, or, of an operand that the kernel computes, those of all members, each once: the ring has one tile of
    each, from which a step computes the operands of all members.
    """
    a, b = sources(space)
    if space.members is None:
        return a, b
    computed = tuple(map(bool, prologue_ops(space)))
    if not any(computed):
        return a, b
    every = [sources(member) for member in space.of_members]
    a, b = (
        merged([s for of in every for s in of[side]]) if computes else first
        for side, (computes, first) in enumerate(zip(computed, (a, b), strict=True))
    )
    return a, b


def merged(found: Sequence[Source]) -> tuple[Source, ...]:
    """Returns each source once, needed wherever one of the equal ones is."""
    kept: dict[tuple[SSAValue, str], Source] = {}
    for source in found:
        if (known := kept.setdefault(source.key, source)) is not source:
            one, other = known.guard, source.guard
            kept[source.key] = replace(
                known, guard=None if one is None or other is None else one.union(other).coalesce()
            )
    return tuple(kept.values())


def _sources(
    space: KernelSpace, c: Contraction, operand: Access, positions: Positions, row: int, column: int
) -> Iterator[Source]:
    seen: set[tuple[SSAValue, str]] = set()
    needed = _needed(space, operand, c.sizes)
    guard = None
    if operand.guard is not None:
        guard = affine.simplify_guard([operand.guard.preimage_multi_aff(space.iteration)], space.sizes)
    for leaf in operand_leaves(operand, space.book, c.sizes, positions):
        at = affine.compose(leaf.map, space.iteration, space.sizes)
        address = linear_address(shape(leaf.value), at, space.sizes)
        down, across = (stride(address, axis) for axis in (row, column))
        varies = is_affine(address) and (down or space.sizes[row] == 1) and (across or space.sizes[column] == 1)
        varies = (varies and is_staged(element(leaf.value))) or fills_ring(leaf, c, of_lhs=operand is c.lhs)
        key = leaf.value, affine.canonical_text(at)
        if needed and key not in needed:  # all that is read is padding
            continue
        if key not in seen and (leaf.value is operand.value or varies):
            seen.add(key)
            yield Source(leaf.value, at, "DN" if down == 1 != across else "ND", needed.get(key, guard))


def _needed(space: KernelSpace, operand: Access, sizes: tuple[int, ...]) -> dict[tuple[SSAValue, str], isl.Set | None]:
    """
    Returns the points at which an operand needs the elements of stored values, by value and map, if the kernel computes the operand from
    padded values; None for all points.
    """
    if not any(isinstance(op, tiny.MovementOp) and op.kind.data == "pad" for op in _computing(operand.value)):
        return {}
    found: dict[tuple[SSAValue, str], isl.Set | None] = {}
    seen: set[tuple[SSAValue, str, str]] = set()
    todo = [Access(operand.value, affine.compose(operand.map, space.iteration, space.sizes))]
    while todo:
        here = todo.pop()
        key = here.value, affine.canonical_text(here.map)
        if (*key, str(here.guard)) in seen or (here.guard is not None and here.guard.is_empty()):
            continue
        seen.add((*key, str(here.guard)))
        if steps := space.book[here.value].accesses:
            todo += [compose_access(replace(step, fill=None), here, space.sizes) for step in steps]
        elif key not in found:
            found[key] = here.guard
        else:
            before = found[key]
            found[key] = None if before is None or here.guard is None else before.union(here.guard).coalesce()
    return found


def operand_layouts(space: KernelSpace) -> tuple[str, str]:
    """Returns the layouts of the tiles of A and B in shared memory: those of their first sources."""
    a, b = (next((s.layout for s in found), "ND") for found in sources(space))
    return a, b


def prologue_ops(space: KernelSpace) -> tuple[list[Operation], list[Operation]]:
    """Returns the ops that compute A and B from stored values; empty for stored operands."""
    c = space.contraction
    if c is None:
        return [], []
    a, b = (_computing(operand.value) for operand in (c.lhs, c.rhs))
    return a, b


def _computing(value: SSAValue) -> list[Operation]:
    """Returns the ops that compute a value from loaded ones."""
    found: dict[Operation, None] = {}
    todo = [value.owner]
    while todo:
        op = todo.pop()
        if isinstance(op, Operation) and op not in found and not isinstance(op, region.LoadOp):
            found[op] = None
            todo += [operand.owner for operand in op.operands]
    return list(found)


def elementwise_count(ops: list[Operation]) -> int:
    """Returns the number of elementwise functions among the ops."""
    return sum(isinstance(op, tiny.UnaryOp | tiny.BinaryOp) for op in ops)
