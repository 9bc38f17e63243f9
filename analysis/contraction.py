"""
Finds contractions: `mul → reduce(sum)` over two operands that reach their sources through movements and
exact casts only. Reads access maps, never names. Spec: `tensor-compiler.ja §3.5`.

```
   lhs ──movement/exact cast──▶ ┐
                                mul ──movement/exact cast──▶ reduce sum      out(i) = Σ_k lhs(f(i,k)) · rhs(g(i,k))
   rhs ──movement/exact cast──▶ ┘
```
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

import islpy as isl
from xdsl.ir import Attribute, Operation, SSAValue

from ..dialects import tiny
from ..dialects.shapes import EXACT_IN_F32, element, widens_exactly
from . import affine
from .index_book import Access, IndexBook

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Contraction:
    """
    `out(i) = Σ_k lhs(lhs_map(i, k)) · rhs(rhs_map(i, k))`; iteration axes are the output's, then the reduced.

    `batch`, `m`, `n`, `k` list iteration axes: those both operands read and the output keeps, those only
    lhs (only rhs) reads, and the reduced ones.
    """

    op: tiny.ReduceOp
    lhs: Access
    rhs: Access
    sizes: tuple[int, ...]
    batch: tuple[int, ...]
    m: tuple[int, ...]
    n: tuple[int, ...]
    k: tuple[int, ...]
    interior: tuple[Operation, ...]
    """The ops between the sources and the sum; they exist only inside the pattern."""

    @property
    def out(self) -> SSAValue:
        return self.op.result

    @property
    def dtypes(self) -> tuple[Attribute, Attribute, Attribute]:
        """Element types of lhs, rhs and the accumulator."""
        return element(self.lhs.value), element(self.rhs.value), self.op.accum


def see_through(
    value: SSAValue, access: isl.MultiAff, book: IndexBook, sizes: tuple[int, ...], expands: bool = True
) -> tuple[Access, list[Operation]]:
    """
    Follows `value` back through movements and exact casts; composes the access on the way. Without
    `expands` it stops at an expand, whose result then is the source.
    """
    passed: list[Operation] = []
    while True:
        op = value.owner
        if not isinstance(op, tiny.UnaryOp | tiny.MovementOp):
            return Access(value, access), passed
        if isinstance(op, tiny.UnaryOp) and not is_exact_cast(op):
            return Access(value, access), passed
        if isinstance(op, tiny.MovementOp) and op.kind.data == "expand" and not expands:
            return Access(value, access), passed
        step = book[value].accesses[0]
        access = affine.compose(step.map, access, sizes)
        value = step.value
        passed.append(op)


def is_exact_cast(op: tiny.UnaryOp) -> bool:
    return op.fn.data == "cast" and widens_exactly(element(op.input), element(op.result))


def find_contraction(op: Operation, book: IndexBook) -> Contraction | None:
    """The contraction that `op` completes, or None; the reason is logged."""

    def no(why: str) -> None:
        log.debug("'%s' is no contraction: %s", op.name, why, extra={"op": op})

    if not isinstance(op, tiny.ReduceOp):
        return None
    if op.fn.data != "sum":
        return no(f"it reduces by {op.fn.data}")
    info = book[op.result]
    start = info.accesses[0]
    product, passed = see_through(start.value, start.map, book, info.sizes)
    mul = product.value.owner
    if not isinstance(mul, tiny.BinaryOp) or mul.fn.data != "mul":
        return no("what it sums is not a product")
    if isinstance(element(mul.result), EXACT_IN_F32):
        return no("the program rounds each product to 16 bits, which mma does not")
    reduced = range(info.rank, len(info.sizes))
    for expands in (True, False):  # an operand that repeats along k is stored and read as a matrix
        sides: list[Access] = []
        interior = [*passed, mul]
        for access in book[mul.result].accesses:
            at = affine.compose(access.map, product.map, info.sizes)
            side, more = see_through(access.value, at, book, info.sizes, expands)
            sides.append(side)
            interior += more
        lhs, rhs = sides
        reads = [(affine.uses_axis(lhs.map, a), affine.uses_axis(rhs.map, a)) for a in range(len(info.sizes))]
        if all(reads[a] == (True, True) or info.sizes[a] == 1 for a in reduced):
            break
    else:
        return no("a reduced axis is not read by both operands")

    def axes(left: bool, right: bool) -> tuple[int, ...]:
        return tuple(a for a in range(info.rank) if reads[a] == (left, right))

    m, n = axes(True, False), axes(False, True)
    return Contraction(
        op, lhs, rhs, info.sizes, axes(True, True) + axes(False, False), m, n, tuple(reduced), tuple(interior)
    )
