"""
Reads the softmax of rows of which an operand of a contraction is the weights, by access maps and data flow, never by names.

```
e            = exp(c · (x - max_k x))
weights      = e / Σ_k e                      perhaps times factors, set to zero by masks, rounded
out(q, d)    = Σ_k weights(q, k) · V(k, d)
```

`attention.py` asks for the contraction from which the scores `x` are computed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import TypeGuard

import islpy as isl
from xdsl.dialects.builtin import f32
from xdsl.ir import Block, Operation, SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import element, shape
from ..index import affine
from ..index.book import IndexBook
from ..index.info import Access
from .chained import ELEMENTWISE, MAX_FACTOR, NotChained
from .contraction import Contraction
from .moved import broadcast, moved
from .passes import Passes, constant_of, narrowest, scaled
from .places import is_leaf, is_splat
from .upstream import upstream


@dataclass(frozen=True)
class Factor:
    """An operand, read from the iteration axes of a product, by which weights are multiplied or divided (`fn`), such as a mask of dropout."""

    fn: str
    read: Access


@dataclass(frozen=True)
class Softmax:
    """
    A softmax of rows: the scores `x`, read from the iteration axes of a product through `at`, become numerators, `exponential(scale · x)`
    relative to the `maximum` of their row. A row has the sum `total` of those of the program.
    """

    x: SSAValue
    at: isl.MultiAff
    maximum: tiny.ReduceOp
    total: tiny.ReduceOp
    exponential: str
    scale: float
    weight: Access
    """The weights before what multiplies them. Besides the numerator, a weight depends on values of its row only."""
    factors: tuple[Factor, ...]
    skips: Mapping[SSAValue, SSAValue]
    """The products of weights and such factors, with the operands that are weights."""
    kept: tuple[Access, ...]
    """The predicates, read from the iteration axes, outside of which weights are set to zero."""
    summed: tuple[Access, ...]
    """The predicate outside of which the numerators that are summed are set to zero, if there is one."""
    is_plain: bool
    """Whether weights are numerators, relative to the maximum, that are divided by their sum."""

    def masks(self, predicate: SSAValue) -> bool:
        """Returns whether scores are -inf where a predicate does not hold."""
        match self.x.owner:
            case tiny.BinaryOp(operands=(first, _, none)) as op if op.fn.data == "where":
                return first is predicate and constant_of(none) == -inf
            case tiny.BinaryOp(operands=added) as op if op.fn.data == "add":
                masks = [v.owner for v in added if isinstance(v.owner, tiny.BinaryOp) and v.owner.fn.data == "where"]
                return any(m.operands[0] is predicate and constant_of(m.operands[2]) == -inf for m in masks)
            case _:
                return False

    @property
    def reduced(self) -> tuple[Sequence[tiny.ReduceOp], Sequence[Access]]:
        """The reductions, and what the second one reduces."""
        return (self.maximum, self.total), [Access(self.total.input, self.at)]


def softmax_of(c: Contraction, book: IndexBook, found: Mapping[SSAValue, Contraction]) -> Softmax:
    """Returns the softmax of rows that the left operand of a contraction is. Raises `NotChained` if it is none."""
    w = _Weights(c, book, found)
    before = [v.owner for v in upstream([c.lhs.value], found.__contains__) if v not in found]
    rows = [op for op in before if isinstance(op, tiny.ReduceOp) and w.is_of_scores(op.input)]
    of_scores = set(upstream([op.input for op in rows if op.fn.data == "max"]))
    sums, maxima = ([op for op in rows if op.fn.data == fn and op.result not in of_scores] for fn in ("sum", "max"))
    if not sums:
        raise NotChained(w.exponent, "the weights are not exponentials that are divided by their sum")
    if len(maxima) != 1:
        raise NotChained(w.exponent, "the exponents are not relative to the maximum of their row")
    (maximum,), total = maxima, sums[0]
    e, summed = total.input.owner, list[Access]()
    if isinstance(e, tiny.BinaryOp) and e.fn.data == "where":
        choice = [Access(r.value, affine.compose(r.map, w.at, c.sizes)) for r in w.reads_of(total.input)]
        inner, summed = w.chosen(e, choice)
        e = inner.value.owner
    if len(sums) != 1 or total.accum != f32 or not is_exponential(e):
        raise NotChained(w.steps[0].value.owner, "the divisor of the weights is not the sum of their numerators in f32")
    if any(element(v) != f32 for v in (e.result, w.exponent.result)):
        raise NotChained(e, "the numerators of the weights are not exponentials in f32")
    if len(total.axes()) != 1 or maximum.axes() != total.axes():
        raise NotChained(total, "the softmax is along several axes")
    reduced = narrowest(maximum.input)
    terms = [w.scores_of(op.input, w.at, lambda v: narrowest(v) is reduced) for op in (w.exponent, e)]
    (x, scale, _), (y, other, shifts) = terms
    if (x, scale, w.exponent.fn) != (y, other, e.fn) or shape(x) != shape(e.result) or shape(x) != shape(total.input):
        raise NotChained(w.exponent, "the weights are other exponentials than those that are summed")
    if not 1 / MAX_FACTOR <= scale <= MAX_FACTOR:
        raise NotChained(w.exponent, f"the exponents have the factor {scale:g}")
    (axis,), row = total.axes(), w.at.drop_dims(isl.dim_type.out, total.axes()[0], 1)
    for op, there in w.reductions:
        kept = [k for k in range(len(shape(op.input))) if k not in op.axes()]
        if op not in (maximum, total) or len(kept) != len(shape(x)) - 1 or not affine.equal_on(c.sizes, there, row):
            raise NotChained(op, "rows are divided by the sums of other rows")
    by_value = {p.value: p for p in (*w.kept, *summed)}
    kept, only = (tuple(p for v, p in by_value.items() if v in {q.value for q in each}) for each in (w.kept, summed))
    if only and kept != only and total.input in [step.value for step in w.steps]:
        raise NotChained(total, "some weights are set to zero that are summed")
    weight = next(step for step in w.steps if step.value not in w.skips)
    by_maximum = Passes(book).shifted_by_maximum(scaled(e.input)[0], (axis,)) is maximum and shifts == 1
    quotients = [step.value for step in w.steps[:-1] if step.value not in w.skips]
    divides = len(quotients) == 1 and _divides(weight.value, total, book)
    is_plain = by_maximum and divides and w.exponent is e and total.input is e.result
    return Softmax(x, w.at, maximum, total, e.fn.data, scale, weight, tuple(w.factors), w.skips, kept, only, is_plain)


class _Weights:
    """
    Reads the softmax of rows that the left operand of a product is, from the product down to the scores of which it is taken. Raises
    `NotChained` if it is none.
    """

    def __init__(self, c: Contraction, book: IndexBook, found: Mapping[SSAValue, Contraction]):
        if c.lhs.guard is not None:
            raise NotChained(c.op, "the weights are padded")
        (self.k, *_), self.sizes, self.book, self.found = c.k, c.sizes, book, found
        self.reductions: list[tuple[tiny.ReduceOp, isl.MultiAff]] = []
        """The reductions of scores on which the factors and the shifts of weights depend, and the maps through which they are read."""
        self.factors: list[Factor] = []
        self.skips: dict[SSAValue, SSAValue] = {}
        self.kept: list[Access] = []
        """The predicates where weights are not set to zero."""
        self.steps: list[Access] = []
        """The weights from the product to their exponential, except for products with factors."""
        value, at = moved(c.lhs.value, c.lhs.map, c.sizes, book)
        while not is_exponential(value.owner):
            value, at = self.before(value, at)
        self.steps.append(Access(value, at))
        self.exponent, self.at = value.owner, at

    def before(self, value: SSAValue, at: isl.MultiAff) -> tuple[SSAValue, isl.MultiAff]:
        """Returns the operand of `value` that depends on each score, and its map. Sets what the op means to the weights."""
        op = value.owner
        if not isinstance(op, tiny.BinaryOp):
            raise NotChained(op, "the weights are not exponentials that are divided by their sum")
        reads = [Access(r.value, affine.compose(r.map, at, self.sizes)) for r in self.reads_of(value)]
        match op.fn.data:
            case "mul" | "div":
                sides = [k for k, read in enumerate(reads) if self.is_of_scores(read.value)]
                if len(sides) != 1 or (op.fn.data == "div" and sides != [0]):
                    raise NotChained(op, "the weights are no quotient or product of one exponential of scores")
                kept, other = reads[sides[0]], reads[1 - sides[0]]
                if not self.is_of_rows(other):
                    self.factors.append(Factor(op.fn.data, other))
                    self.skips[value] = kept.value
                    return moved(kept.value, kept.map, self.sizes, self.book)
            case "where":
                kept, predicates = self.chosen(op, reads)
                self.kept += predicates
            case _:
                raise NotChained(op, "the weights are not exponentials that are divided by their sum")
        self.steps.append(Access(value, at))
        return moved(kept.value, kept.map, self.sizes, self.book)

    def chosen(self, op: tiny.BinaryOp, reads: Sequence[Access]) -> tuple[Access, list[Access]]:
        """Returns the side of a choice that depends on each score, and the predicate if it differs by key: others are set to zero then."""
        predicate, *sides = reads
        (kept, other) = sides if self.is_of_scores(sides[0].value) else sides[::-1]
        if self.is_of_scores(other.value) or not self.is_of_rows(other):
            raise NotChained(op, "weights are chosen from two kinds")
        if self.is_of_scores(predicate.value):
            if not is_nan_test(predicate.value, kept.value):
                raise NotChained(op, "weights are chosen by their own sizes")
        elif not self.is_of_rows(predicate):
            if kept is not sides[0] or constant_of(other.value) != 0:
                raise NotChained(op, "weights are chosen by a predicate that does not set the others to zero")
            return kept, [predicate]
        return kept, []

    def reads_of(self, value: SSAValue) -> Sequence[Access]:
        return self.book[value].accesses if value in self.book else ()

    def is_of_scores(self, value: SSAValue) -> bool:
        """Returns whether a value depends on each score, and not only on sums and maxima of them."""
        return any(
            v in self.found for v in upstream([value], lambda v: v in self.found or isinstance(v.owner, tiny.ReduceOp))
        )

    def is_of_rows(self, read: Access) -> bool:
        """Returns whether a read value is the same for all keys. Notes the reductions that it depends on."""
        todo, noted = [read], list[tuple[tiny.ReduceOp, isl.MultiAff]]()
        while todo:
            value, at = (here := todo.pop()).value, here.map
            op = value.owner
            if isinstance(op, tiny.ReduceOp) and not affine.uses_axis(at, self.k):
                noted.append((op, at))
            elif isinstance(op, tiny.ConstOp) and is_splat(value):
                continue
            elif is_leaf(value) or not isinstance(op, ELEMENTWISE) or isinstance(op, tiny.IotaOp):
                if affine.uses_axis(at, self.k):
                    return False
            else:
                todo += [Access(r.value, affine.compose(r.map, at, self.sizes)) for r in self.reads_of(value)]
        self.reductions += noted
        return True

    def scores_of(
        self, exponent: SSAValue, at: isl.MultiAff, ends: Callable[[SSAValue], bool]
    ) -> tuple[SSAValue, float, int]:
        """
        Returns the scores x of an exponent `c · x` plus or minus what is the same for a row, c, and the number of these terms. `ends` says
        of a value whether it is x.
        """
        value, scale, shifts = exponent, 1.0, 0
        while not ends(value):
            op, (inner, factor) = value.owner, scaled(value)
            if inner is not value:
                value, scale = inner, scale * factor
                continue
            fn = op.fn.data if isinstance(op, tiny.BinaryOp) and element(value) == f32 else ""
            if fn not in ("sub", "add"):
                raise NotChained(op, "the exponents are not relative to values of their row")
            reads = [Access(r.value, affine.compose(r.map, at, self.sizes)) for r in self.reads_of(value)]
            sides = [r for r in reads if self.is_of_scores(r.value)]
            others = [r for r in reads if r not in sides]
            if len(sides) != 1 or (fn == "sub" and sides[0] is not reads[0]) or not all(map(self.is_of_rows, others)):
                raise NotChained(op, "the exponents are not relative to values of their row")
            value, at, shifts = sides[0].value, sides[0].map, shifts + 1
        return value, scale, shifts


def is_exponential(op: Operation | Block) -> TypeGuard[tiny.UnaryOp]:
    return isinstance(op, tiny.UnaryOp) and op.fn.data in ("exp", "exp2")


def is_nan_test(predicate: SSAValue, value: SSAValue) -> bool:
    """Returns whether a predicate says of a value whether it equals itself, which NaN does not."""
    op = predicate.owner
    return isinstance(op, tiny.BinaryOp) and op.fn.data in ("eq", "ne") and all(v is value for v in op.operands)


def _divides(quotient: SSAValue, total: tiny.ReduceOp, book: IndexBook) -> bool:
    """Returns whether a value is a quotient with the sum of its row, or a product with its reciprocal."""
    op = quotient.owner
    if not isinstance(op, tiny.BinaryOp) or op.fn.data not in ("div", "mul"):
        return False
    divisors = op.operands[1:] if op.fn.data == "div" else [_reciprocal(v, book) for v in op.operands]
    sizes = shape(quotient)
    return any(d is not None and moved(d, broadcast(d, sizes), sizes, book)[0] is total.result for d in divisors)


def _reciprocal(value: SSAValue, book: IndexBook) -> SSAValue | None:
    """Returns the value of which `value` is the reciprocal, perhaps broadcast; None if it is not a reciprocal."""
    while isinstance(op := value.owner, tiny.MovementOp) and op.kind.data in ("reshape", "expand"):
        value = op.input
    if isinstance(op, tiny.UnaryOp) and op.fn.data == "recip":
        return op.input
    one = isinstance(op, tiny.BinaryOp) and op.fn.data == "div" and constant_of(op.operands[0]) == 1
    return op.operands[1] if isinstance(op, Operation) and one else None
