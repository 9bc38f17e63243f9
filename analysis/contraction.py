"""
Finds contractions: `mul → reduce(sum)` over two operands that reach their sources through movements, exact
casts and, both or none, roundings to tf32. Reads access maps, never names. Spec: `tensor-compiler.ja §3.5`.

```
   lhs ──movement/exact cast/tf32──▶ ┐
                                     mul ──movement──▶ reduce sum      out(i) = Σ_k lhs(f(i,k)) · rhs(g(i,k))
   rhs ──movement/exact cast/tf32──▶ ┘
```

Products are of the type that they are summed in, f32, f64 or an integer: a program that rounds or wraps them in
another type first asks for what no matrix unit does. A cast of fp8 to 16 bits is not seen through: matrix units
sum products of fp8 less precisely than those of f16 and bf16, and the program has chosen.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import islpy as isl
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type, IntegerType, f32
from xdsl.ir import Attribute, Operation, SSAValue

from ..dialects import tiny
from ..dialects.shapes import FLOAT8, are_paired, element, widens_exactly
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
    precision: str
    """`tf32` if both operands are rounded to it on their way to the product, otherwise `exact`."""

    @property
    def out(self) -> SSAValue:
        return self.op.result

    @property
    def dtypes(self) -> tuple[Attribute, Attribute, Attribute]:
        """Element types of lhs, rhs and the accumulator."""
        return element(self.lhs.value), element(self.rhs.value), self.op.accum


@dataclass(frozen=True)
class Lens:
    """Which ops between a source and the product are seen through, beside movements that repeat nothing."""

    rounds: bool
    casts: bool
    expands: bool

    def __call__(self, op: object) -> bool:
        match op:
            case tiny.MovementOp():
                return self.expands or op.kind.data != "expand"
            case tiny.UnaryOp() if op.fn.data == "tf32":
                return self.rounds
            case tiny.UnaryOp():
                return self.casts and op.fn.data == "cast" and is_seen_through(element(op.input), element(op.result))
            case _:
                return False


def is_seen_through(src: Attribute, dst: Attribute) -> bool:
    """Whether a product of values cast from `src` to `dst` may be one of the values before the cast."""
    return widens_exactly(src, dst) and not (isinstance(src, FLOAT8) and isinstance(dst, Float16Type | BFloat16Type))


LENSES = tuple(Lens(*sees) for sees in product((True, False), repeat=3))
"""In the order in which they are tried."""


def see_through(
    value: SSAValue, access: isl.MultiAff, book: IndexBook, sizes: tuple[int, ...], lens: Lens
) -> tuple[Access, list[Operation]]:
    """Follows `value` back through what `lens` sees through, and composes the access on the way."""
    passed: list[Operation] = []
    while isinstance(op := value.owner, Operation) and lens(op):
        step = book[value].accesses[0]
        access = affine.compose(step.map, access, sizes)
        value = step.value
        passed.append(op)
    return Access(value, access), passed


def is_rounded(source: SSAValue, passed: Sequence[Operation]) -> bool:
    """
    Whether the ops between a source and the product round it to tf32. Twice is as once, and what was cast from bf16,
    f16 or f8 is a value of tf32 already.
    """
    rounds = any(isinstance(op, tiny.UnaryOp) and op.fn.data == "tf32" for op in passed)
    return rounds and element(source) == f32


def find_contraction(op: Operation, book: IndexBook) -> Contraction | None:
    """
    The contraction that `op` completes, or None; the reason is logged.

    The sources are as far back as they go such that both are read along every reduced axis, are of types that can be
    multiplied and are both rounded to tf32 or both not. What is not seen through is computed before.
    """

    def no(why: str) -> None:
        log.debug("'%s' is no contraction: %s", op.name, why, extra={"op": op})

    if not isinstance(op, tiny.ReduceOp):
        return None
    if op.fn.data != "sum":
        return no(f"it reduces by {op.fn.data}")
    info = book[op.result]
    start = info.accesses[0]
    summed, passed = see_through(start.value, start.map, book, info.sizes, Lens(rounds=False, casts=True, expands=True))
    mul = summed.value.owner
    if not isinstance(mul, tiny.BinaryOp) or mul.fn.data != "mul":
        return no("what it sums is not a product")
    if (dtype := element(mul.result)) != op.accum or not isinstance(dtype, Float32Type | Float64Type | IntegerType):
        return no(f"the program rounds or wraps each product in {dtype} before it is summed in {op.accum}")
    reduced = range(info.rank, len(info.sizes))
    for lens in LENSES:
        sides: list[Access] = []
        rounded: list[bool] = []
        interior = [*passed, mul]
        for access in book[mul.result].accesses:
            at = affine.compose(access.map, summed.map, info.sizes)
            side, more = see_through(access.value, at, book, info.sizes, lens)
            sides.append(side)
            rounded.append(is_rounded(side.value, more))
            interior += more
        lhs, rhs = sides
        reads = [(affine.uses_axis(lhs.map, a), affine.uses_axis(rhs.map, a)) for a in range(len(info.sizes))]
        if (
            all(reads[a] == (True, True) or info.sizes[a] == 1 for a in reduced)
            and are_paired(element(lhs.value), element(rhs.value))
            and rounded[0] == rounded[1]
        ):
            break
    else:
        return no("a reduced axis is not read by both operands")

    def axes(left: bool, right: bool) -> tuple[int, ...]:
        return tuple(a for a in range(info.rank) if reads[a] == (left, right))

    return Contraction(
        op,
        lhs,
        rhs,
        info.sizes,
        batch=axes(True, True) + axes(False, False),
        m=axes(True, False),
        n=axes(False, True),
        k=tuple(reduced),
        interior=tuple(interior),
        precision="tf32" if all(rounded) else "exact",
    )
