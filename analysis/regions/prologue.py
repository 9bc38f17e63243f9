"""
Decides whether the kernel of a contraction computes an operand (in its *prologue*), or an earlier kernel computes and stores it.

```
stored:      read the sources, write the operand, read the operand
computed:    read the sources, compute each element ⌈other / 64⌉ times        other = n for A, m for B
```

A prologue consists of elementwise ops and movements on stored values, such as rows minus the rows before them, of which the first is
padded. Reductions on which it depends are stored by an earlier kernel, and so are values computed from them that have fewer elements than
the operand, such as a factor per row. At least one of the stored values must vary along all axes of the operand, because its tiles are
copied into the ring; so must those that are padded, as copies write the zeros around them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from math import prod

from xdsl.ir import Operation, SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import FLOAT8, element, shape
from ...dialects.nv.types import is_staged
from ...dialects.plan.choice import COMPUTES
from ...targets.mma import element_bytes, mma_for
from ..errors import NotComputed
from ..index import affine
from ..index.info import Access
from .addresses import is_affine, linear_address, stride
from .axis_groups import stays_affine
from .contraction import Contraction
from .places import Place, Slice, is_computed, is_leaf, is_splat
from .slices import Slicer
from .upstream import upstream

log = logging.getLogger(__name__)

REUSE = 64
"""Number of rows or columns of the other operand with which a warp multiplies each element that it computes."""

OPERATIONS_PER_BYTE = 10
"""
Operations that all lanes execute in the time in which memory moves a byte: with 128 lanes per multiprocessor, 13 on an A100 and 9
on an H100.
"""

WEIGHTS: Mapping[str, int] = {
    **dict.fromkeys(("exp", "log", "sqrt", "rsqrt", "recip", "div", "sigmoid", "silu", "tanh", "log1p", "expm1"), 8),
    **dict.fromkeys(("gelu", "erf", "erfc", "sin", "cos", "pow", "remainder"), 16),
}
"""Approximate numbers of instructions of functions that take more than one."""

FLOAT8_CAST = 4
"""Number of instructions of a cast from or to fp8."""


def prologue(
    c: Contraction, operand: Access, slicer: Slicer, instead: Callable[[SSAValue, SSAValue], SSAValue]
) -> Slice | None:
    """
    Returns the slice of an operand that the contraction's kernel computes; None if the operand is stored (the reason is logged).
    `instead` returns the value that is stored for a reduction from which the operand is computed. Raises `NotComputed` if the program asks
    for a computed operand.
    """
    value, required = operand.value, is_required(c, operand)
    if not is_computed(value) or is_splat(value):
        return None

    def stored(why: str) -> None:
        if required:
            raise NotComputed(c.op, problem=why)
        log.debug("this operand is stored, not computed in the prologue: %s", why, extra={"op": value.owner})

    inside = {c.op, *c.interior}
    if any(use.operation not in inside for use in value.uses):
        return stored("something else reads it")
    stops = reduced_before(value, instead)
    s = computed_operand(c, operand, slicer, stops)
    if isinstance(s, str):
        return stored(s)
    found = [leaf for leaf in s.leaves if _is_source(leaf, operand, c)]
    again = stops & {leaf.value for leaf in s.leaves}
    read = sum(element_bytes(element(leaf.value)) for leaf in found) if again else 0
    saved = 2 * element_bytes(element(value)) - read
    work = operations(s.ops) * repeats(c, operand)
    if work > saved * OPERATIONS_PER_BYTE and not required:
        return stored(f"{work} operations an element cost more than {saved} bytes of memory traffic")
    log.debug(
        "this operand is computed in the prologue: %d operations for %d bytes", work, saved, extra={"op": value.owner}
    )
    return s


def repeats(c: Contraction, operand: Access) -> int:
    """Returns how often the prologue of a contraction computes each element of an operand."""
    return -(-prod(c.sizes[a] for a in (c.n if operand is c.lhs else c.m)) // REUSE)


def computed_operand(c: Contraction, operand: Access, slicer: Slicer, stops: Collection[SSAValue]) -> Slice | str:
    """Returns the slice of an operand that the prologue of a contraction can compute from `stops`, or the reason why it cannot."""
    if mma_for(*c.dtypes, c.precision) is None:
        return "no mma.sync instruction supports its operand types"
    if operand.guard is not None:
        return "it is padded"
    s = slicer.slice(operand.value, stops)
    if s.cuts or s.anchors or s.reduced or s.summed or s.rows is not None:
        return "it is not elementwise"
    if tiny.keeps_order(c.op) and operations(s.ops) > FLOAT8_CAST:
        return "it is more than a cast, and a thread that adds strict floats may compute it again for each sum"
    if any(place.positions for place in s.leaves):
        return "it is read at indices given by data"
    if not is_required(c, operand) and any(map(joins, s.ops)):
        return "it joins arrays"
    padded = {value for op in s.ops if _is_pad(op) for value in upstream(op.operands)}
    if any(leaf.value in padded and not is_splat(leaf.value) and not _is_source(leaf, operand, c) for leaf in s.leaves):
        return "it is computed from a padded value that does not vary along all of its axes"
    if not any(_is_source(leaf, operand, c) for leaf in s.leaves):
        return "nothing that it is computed from varies along all of its axes"
    return s


def is_required(c: Contraction, operand: Access) -> bool:
    """Whether the program asks for a kernel that computes an operand."""
    return operand is c.lhs and COMPUTES in c.op.attributes


def joins(op: Operation) -> bool:
    """Whether an op joins arrays. Where a kernel has an accumulator for each member of a batch, it computes each from one of them."""
    return isinstance(op, tiny.BinaryOp) and op.fn.data == "where" and _is_pad(op.operands[1].owner)


def _is_pad(op: object) -> bool:
    return isinstance(op, tiny.MovementOp) and op.kind.data == "pad"


def reduced_before(value: SSAValue, instead: Callable[[SSAValue, SSAValue], SSAValue]) -> set[SSAValue]:
    """
    Returns the reductions on which a value depends, or what is stored `instead`, and the values computed from them that have fewer
    elements than it.
    """
    size, found, depends = prod(shape(value)), set[SSAValue](), dict[SSAValue, bool]()
    todo: list[tuple[SSAValue, bool]] = [(value, False)]
    while todo:
        here, visited = todo.pop()
        op = here.owner
        if is_leaf(here) or not isinstance(op, Operation) or (here in depends and not visited):
            continue
        if not visited:
            depends[here] = isinstance(op, tiny.ReduceOp)
            if not depends[here]:
                todo += [(here, True), *((operand, False) for operand in op.operands)]
        else:
            depends[here] = any(depends.get(operand, False) for operand in op.operands)
        if isinstance(op, tiny.ReduceOp) and here is not value:
            found.add(instead(here, value))
        elif depends[here] and here is not value and prod(shape(here)) < size:
            found.add(here)
    return found


def operations(ops: Iterable[Operation]) -> int:
    """Returns the approximate number of instructions that elementwise ops take per element."""
    total = 0
    for op in ops:
        if isinstance(op, tiny.UnaryOp) and op.fn.data == "cast":
            narrow = any(isinstance(element(v), FLOAT8) for v in (op.input, op.result))
            total += FLOAT8_CAST if narrow else 1
        elif isinstance(op, tiny.UnaryOp | tiny.BinaryOp):
            total += WEIGHTS.get(op.fn.data, 1)
    return total


def _is_source(leaf: Place, operand: Access, c: Contraction) -> bool:
    return fills_ring(Access(leaf.value, affine.compose(leaf.at, operand.map, c.sizes)), c, of_lhs=operand is c.lhs)


def fills_ring(leaf: Access, c: Contraction, *, of_lhs: bool) -> bool:
    """
    Whether the tiles of a stored value, read from the iteration axes, can fill the ring: it varies along the operand's own axes and along
    those of k, which become one.
    """
    if not is_staged(element(leaf.value)):
        return False
    address = linear_address(shape(leaf.value), leaf.map, c.sizes)
    merged = is_affine(address) and stays_affine(c.k, shape(leaf.value), leaf.map, c.sizes)
    return merged and all(stride(address, a) for a in (*(c.m if of_lhs else c.n), *c.k) if c.sizes[a] > 1)
