"""
Finds attention: two contractions joined by a softmax of rows, by access maps and data flow, never by names.

```
scores(q, k) = Σ_d Q(q, d) · K(k, d)          the first contraction
x            = …(scores, q, k, …)             elementwise: scale, bias, cap, masks
e            = exp(c · (x - max_k x))
weights      = e / Σ_k e                      perhaps rounded to the type of V
out(q, d)    = Σ_k weights(q, k) · V(k, d)    the second contraction
```

Batches and heads are axes of the output that neither sums; keys and values may be shared by several heads. One kernel computes it
(`online_softmax`): the weights are never stored, and the sum divides the second product instead of its summands. What is elementwise and
depends on no contraction, such as a mask of positions, is computed in the kernel; other values are stored first. What is computed from the
maximum and the sum of a row, such as their log-sum-exp, is another result of the kernel. Spec: `tensor-compiler.ja §1.7` (`algo_choice`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import TypeGuard

import islpy as isl
from xdsl.dialects.builtin import BFloat16Type, Float16Type, f32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import FLOAT8, element, shape
from ...dialects.region import RegionKernelOp
from ..errors import TooComplex
from ..index import affine
from ..index.book import IndexBook, body_of, index_book
from ..index.info import Access
from ..manager import analysis
from .chained import (
    ELEMENTWISE,
    MAX_FACTOR,
    Chained,
    NotChained,
    depending,
    inner_products,
    product_problem,
    shifts_by_data,
    slice_of,
    swapped,
    types_problem,
)
from .contraction import Contraction, NotAContraction, contractions_of_vectors, find_product
from .passes import Passes, constant_of, narrowest, scaled
from .slices import is_leaf, is_splat
from .upstream import upstream

log = logging.getLogger(__name__)


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


@dataclass(frozen=True)
class Attention(Chained):
    """Attention whose weights, a `softmax`, are the left operand of `product`, the second contraction."""

    softmax: Softmax

    @property
    def x(self) -> SSAValue:
        """The scores of which the softmax is taken."""
        return self.softmax.x

    @property
    def at(self) -> isl.MultiAff:
        return self.softmax.at

    @property
    def maximum(self) -> tiny.ReduceOp:
        return self.softmax.maximum

    @property
    def total(self) -> tiny.ReduceOp:
        return self.softmax.total

    @property
    def scores(self) -> Contraction:
        return self.inner[0]

    @property
    def rows(self) -> tuple[SSAValue, SSAValue]:
        """The maximum and the sum of each row, which other results of the kernel may be computed from."""
        return self.maximum.result, self.total.result

    @cached_property
    def rows_at(self) -> isl.MultiAff:
        """The map from the iteration axes of `product` to the axes of `rows`."""
        (axis,) = self.total.axes()
        return self.at.drop_dims(isl.dim_type.out, axis, 1)

    @cached_property
    def between(self) -> set[SSAValue]:
        """The values between the inner products and the weights, without the latter."""
        through = (*ELEMENTWISE, tiny.ReduceOp)
        return set[SSAValue]().union(*(depending(self.weights, c.out, through) for c in self.inner)) - {self.weights}

    @cached_property
    def of_scores(self) -> set[SSAValue]:
        """Those that are computed from an inner product by more than the maximum and the sum of rows."""
        inner = {c.out for c in self.inner}
        return {v for v in self.between if not inner.isdisjoint(upstream([v], self.rows.__contains__))}

    @cached_property
    def read_by(self) -> set[Operation]:
        """The other ops that read what is between the products, besides the maximum and the sum of rows."""
        return {use.operation for v in self.of_scores for use in v.uses} - self.slice.ops

    @cached_property
    def factor(self) -> float:
        """The positive factor by which the last op, besides masks, multiplies the scores; 1 if there is none."""
        value = self.x
        while isinstance(op := value.owner, tiny.BinaryOp):
            match op.fn.data:
                case "where" if constant_of(op.operands[2]) == -inf:
                    value = op.operands[1]
                case "where" if constant_of(op.operands[1]) == -inf:
                    value = op.operands[2]
                case "add" if sum(masks := [self.is_mask(v) for v in op.operands]) == 1:
                    value = op.operands[masks.index(False)]
                case _:
                    factor = scaled(value)[1]
                    return factor if 1 / MAX_FACTOR <= factor <= MAX_FACTOR else 1.0
        return 1.0

    @cached_property
    def is_shifted_by_data(self) -> bool:
        return shifts_by_data(self.x, {self.scores.out})

    def is_mask(self, value: SSAValue) -> bool:
        """Returns whether a value is 0 where a predicate holds and -inf elsewhere, so that adding it masks a score."""
        while isinstance(op := value.owner, tiny.MovementOp) and op.kind.data in ("reshape", "expand", "permute"):
            value = op.input
        if not isinstance(op, tiny.BinaryOp) or op.fn.data != "where":
            return False
        return [constant_of(v) for v in op.operands[1:]] == [0, -inf]


def attentions(scope: FuncOp | RegionKernelOp | Block) -> dict[SSAValue, Attention]:
    """Returns the attention of a function, a kernel or a block by the results of the second contractions, if nothing else reads scores."""
    return {out: a for out, a in products_of_softmax(scope).items() if isinstance(a, Attention) and not a.read_by}


@analysis
def products_of_softmax(scope: FuncOp | RegionKernelOp | Block) -> dict[SSAValue, Attention | NotChained]:
    """
    Returns, by their results, the contractions, and products of rows, whose operand is a softmax of another contraction: as attention, or
    with what is in the way.
    """
    if not any(map(is_exponential, body_of(scope).ops)):
        return {}
    book, found = index_book(scope), contractions_of_vectors(scope)  # a product of one query is one of a vector
    each = {c.out: find_attention(c, book, found) for c in found.values()}
    sums = (op for op in body_of(scope).ops if isinstance(op, tiny.ReduceOp) and op.result not in found)
    each |= {op.result: _row_product(op, book, found) for op in sums}
    return {out: a for out, a in each.items() if a is not None}


def find_attention(
    product: Contraction, book: IndexBook, found: Mapping[SSAValue, Contraction]
) -> Attention | NotChained | None:
    """Returns the attention that ends in a contraction, or what is in the way; None if no operand is a softmax of another contraction."""
    refused = list[NotChained]()
    for c in (product, swapped(product)):
        if not _sums_exponentials(c.lhs.value, found):
            continue
        try:
            return _attention(c, _softmax(c, book, found), book, found)
        except NotChained as e:
            refused.append(e)
        except TooComplex as e:
            refused.append(NotChained(c.op, e.message))
    for e in refused:
        log.debug("this product of a softmax has kernels of its own: %s", e.why, extra={"op": product.op})
    return next(iter(refused), None)


def is_exponential(op: Operation | Block) -> TypeGuard[tiny.UnaryOp]:
    return isinstance(op, tiny.UnaryOp) and op.fn.data in ("exp", "exp2")


def _sums_exponentials(value: SSAValue, found: Mapping[SSAValue, Contraction]) -> bool:
    """Returns whether a value is computed from exponentials of a contraction's result, and from a sum, or the exponentials are summed."""
    before = list(upstream([value], found.__contains__))
    exponentials = [
        v for v in before if is_exponential(v.owner) and any(u in found for u in upstream([v], found.__contains__))
    ]
    summed = [*before, *(r for v in exponentials for use in v.uses for r in use.operation.results)]
    return bool(exponentials) and any(
        isinstance(v.owner, tiny.ReduceOp) and v.owner.fn.data == "sum" and v not in found for v in summed
    )


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


def _softmax(c: Contraction, book: IndexBook, found: Mapping[SSAValue, Contraction]) -> Softmax:
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


def _divides(quotient: SSAValue, total: tiny.ReduceOp, book: IndexBook) -> bool:
    """Returns whether a value is a quotient with the sum of its row, or a product with its reciprocal."""
    op = quotient.owner
    if not isinstance(op, tiny.BinaryOp) or op.fn.data not in ("div", "mul"):
        return False
    divisors = op.operands[1:] if op.fn.data == "div" else [_reciprocal(v, book) for v in op.operands]
    sizes = shape(quotient)
    return any(d is not None and moved(d, broadcast(d, sizes), sizes, book)[0] is total.result for d in divisors)


def is_nan_test(predicate: SSAValue, value: SSAValue) -> bool:
    """Returns whether a predicate says of a value whether it equals itself, which NaN does not."""
    op = predicate.owner
    return isinstance(op, tiny.BinaryOp) and op.fn.data in ("eq", "ne") and all(v is value for v in op.operands)


def moved(value: SSAValue, at: isl.MultiAff, sizes: tuple[int, ...], book: IndexBook) -> tuple[SSAValue, isl.MultiAff]:
    """Follows a value, read through `at` from a space of `sizes`, through casts of floats and movements other than pads."""
    while _moves(value.owner):
        (access,) = book[value].accesses
        value, at = access.value, affine.compose(access.map, at, sizes)
    return value, at


def origin(value: SSAValue) -> SSAValue:
    """Returns the value to which `moved` follows a value."""
    while _moves(op := value.owner):
        value = op.input
    return value


def _moves(op: Operation | Block) -> TypeGuard[tiny.MovementOp | tiny.UnaryOp]:
    if isinstance(op, tiny.MovementOp):
        return op.kind.data != "pad"
    return isinstance(op, tiny.UnaryOp) and op.fn.data == "cast" and isinstance(element(op.input), FLOATS)


def broadcast(operand: SSAValue, sizes: Sequence[int]) -> isl.MultiAff:
    """Returns the map by which an elementwise op with a result of `sizes` reads an operand, which may have fewer axes or sizes of 1."""
    of = shape(operand)
    first = len(sizes) - len(of)
    return affine.make_map(len(sizes), [f"i{first + k}" if size != 1 else "0" for k, size in enumerate(of)])


FLOATS = (*FLOAT8, BFloat16Type, Float16Type, type(f32))


def _reciprocal(value: SSAValue, book: IndexBook) -> SSAValue | None:
    """Returns the value of which `value` is the reciprocal, perhaps broadcast; None if it is not a reciprocal."""
    while isinstance(op := value.owner, tiny.MovementOp) and op.kind.data in ("reshape", "expand"):
        value = op.input
    if isinstance(op, tiny.UnaryOp) and op.fn.data == "recip":
        return op.input
    one = isinstance(op, tiny.BinaryOp) and op.fn.data == "div" and constant_of(op.operands[0]) == 1
    return op.operands[1] if isinstance(op, Operation) and one else None


def _attention(c: Contraction, s: Softmax, book: IndexBook, found: Mapping[SSAValue, Contraction]) -> Attention:
    """Returns the attention of a product and the softmax that is its left operand. Raises `NotChained` if it is none."""
    if (why := product_problem(c)) is not None:
        raise NotChained(c.op, why)
    _check_keys(c, s)
    refused = NotChained(s.x.owner, "the scores are not computed from a product element by element")
    for scores in inner_products(s.x, found):
        try:
            slice_ = slice_of(c.lhs, c.sizes, {scores.out}, book, found, *s.reduced)
            out = Attention(book, (scores,), c, slice_, s)
            _check_rows(out)
        except NotChained as e:
            refused = e
            continue
        if (why := out.problem()) is None:
            return out
        refused = NotChained(scores.op, why)
    raise refused


def _check_keys(c: Contraction, s: Softmax) -> None:
    """Raises `NotChained` unless a softmax is along the only axis that a product sums."""
    (axis,), (k, *others) = s.total.axes(), c.k
    along = affine.make_map(len(c.sizes), [f"i{k}"])
    row = s.at.drop_dims(isl.dim_type.out, axis, 1)
    at_axis = affine.make_map(len(shape(s.x)), [f"i{axis}"])
    if others:
        raise NotChained(c.op, "the keys are several axes")
    if (
        shape(s.x)[axis] != c.sizes[k]
        or not affine.equal_on(c.sizes, affine.compose(at_axis, s.at, c.sizes), along)
        or affine.uses_axis(row, k)
    ):
        raise NotChained(s.total, "the softmax is not along the keys of this product")


def _check_rows(a: Attention) -> None:
    """Raises `NotChained` if the kernel of an attention cannot store what is computed from the maximum and the sum of its rows."""
    for value in a.between - a.of_scores:
        if not all(use.operation in a.slice.ops for use in value.uses) and not has_each_row_once(a):
            raise NotChained(
                value.owner, "a value of a row that several rows of the result share is also used elsewhere"
            )
    if not set(a.rows).isdisjoint(upstream([leaf.value for leaf in a.slice.leaves])):
        raise NotChained(a.scores.op, "what is between the products depends on the maximum or the sum of rows")
    if a.scores.out not in a.slice.passed:
        raise NotChained(a.scores.op, "the weights do not read the scores element by element")


@dataclass(frozen=True)
class RowProduct(Attention):
    """
    The sums of the products of weights and of `factors` that are computed from inner products, too, such as those of the backward pass:
    `Σ_k weights(q, k) · factors(q, k)`. The first inner product are the scores; `product` sums `weights · factors`.
    """

    factors: Access

    @property
    def dtypes(self) -> tuple[Attribute, Attribute, Attribute]:
        return self.scores.dtypes


def _row_product(op: tiny.ReduceOp, book: IndexBook, found: Mapping[SSAValue, Contraction]) -> RowProduct | None:
    """Returns the product of rows that a sum is, or None."""
    try:
        product = find_product(op, book, expands=False)
    except NotAContraction:
        return None
    if op.accum != f32 or product.rounded:
        return None
    (whole,) = book[op.result].accesses
    sizes, kept = book[op.result].static_sizes, tuple(range(product.rank))
    c = Contraction(op, whole, whole, sizes, (), False, (), kept, (), tuple(range(len(kept), len(sizes))))
    for one, other in ((product.lhs, product.rhs), (product.rhs, product.lhs)):
        if other.guard is not None or element(other.value) != f32:
            continue
        try:
            _check_keys(c, s := _softmax(replace(c, lhs=one), book, found))
            scores = next(inner_products(s.x, found), None)
            inner = dict.fromkeys(i.out for v in (s.x, other.value) for i in inner_products(v, found))
            if scores is None or types_problem(scores) is not None:
                continue
            slice_ = slice_of(whole, sizes, inner, book, found, *s.reduced)
            every = tuple(found[v] for v in inner if v in slice_.passed)
            out = RowProduct(book, every, c, slice_, s, other)
            _check_rows(out)
            if (why := out.problem()) is None:
                return out
        except (NotChained, TooComplex) as e:
            why = str(e)
        log.debug("these sums of rows are not computed with their softmax: %s", why, extra={"op": op})
    return None


def has_each_row_once(a: Attention) -> bool:
    """Returns whether the rows of a product, one for each column of the values, are those of its softmax."""
    c, kept = a.product, [*a.product.batch, *a.product.m]
    sizes = [c.sizes[axis] for axis in kept]
    exprs = [f"i{kept.index(axis)}" if axis in kept else "0" for axis in range(len(c.sizes))]
    at = affine.compose(a.rows_at, affine.make_map(len(kept), exprs), sizes)
    return affine.is_one_to_one(at, sizes, shape(a.total.result))
