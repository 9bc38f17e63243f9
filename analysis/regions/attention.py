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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import TypeGuard

import islpy as isl
from xdsl.dialects.builtin import BFloat16Type, Float16Type, f32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import element, shape
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
from .passes import Passes, constant_of, scaled
from .upstream import upstream

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Attention(Chained):
    """
    Attention whose weights are the left operand of `product`, the second contraction. `x` are the scores of which the softmax is
    taken, and `exponential(scale · (x - maximum))` its numerators `e`, read from the iteration axes of `product` through `at`.
    """

    x: SSAValue
    e: SSAValue
    at: isl.MultiAff
    maximum: tiny.ReduceOp
    total: tiny.ReduceOp
    exponential: str
    scale: float

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
            return _attention(c, _softmax(c, book), book, found)
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


@dataclass(frozen=True)
class _Softmax:
    e: SSAValue
    at: isl.MultiAff
    x: SSAValue
    maximum: tiny.ReduceOp
    total: tiny.ReduceOp
    exponential: str
    scale: float


def _softmax(c: Contraction, book: IndexBook) -> _Softmax:
    """Returns the softmax of rows that the left operand of a contraction is. Raises `NotChained` if it is none."""
    value, at = moved(c.lhs.value, c.lhs.map, c.sizes, book)
    quotient = value.owner
    if c.lhs.guard is not None:
        raise NotChained(c.op, "the weights are padded")
    if not isinstance(quotient, tiny.BinaryOp) or quotient.fn.data not in ("div", "mul"):
        raise NotChained(quotient, "the weights are not exponentials that are divided by their sum")
    e, divisor = quotient.operands
    if quotient.fn.data == "mul":
        e, divisor = (e, divisor) if _reciprocal(divisor, book) is not None else (divisor, e)
        if (divisor := _reciprocal(divisor, book)) is None:
            raise NotChained(quotient, "the weights are a product, but not with the reciprocal of a sum")
    exponent = e.owner
    if not is_exponential(exponent) or element(e) != f32:
        raise NotChained(exponent, "the numerators of the weights are not exponentials in f32")
    difference, scale = scaled(exponent.input)
    if not 1 / MAX_FACTOR <= scale <= MAX_FACTOR:
        raise NotChained(exponent, f"the exponents have the factor {scale:g}")
    sizes = shape(e)
    total, there = moved(divisor, broadcast(divisor, sizes), sizes, book)
    sum = total.owner
    if not isinstance(sum, tiny.ReduceOp) or sum.fn.data != "sum" or sum.accum != f32 or sum.input is not e:
        raise NotChained(quotient, "the divisor of the weights is not the sum of their numerators in f32")
    kept = affine.make_map(len(sizes), [f"i{k}" for k in range(len(sizes)) if k not in sum.axes()])
    if len(sum.axes()) != 1:
        raise NotChained(sum, "the softmax is along several axes")
    if (maximum := Passes(book).shifted_by_maximum(difference, sum.axes())) is None:
        raise NotChained(exponent, "the exponents are not relative to the maximum of their row")
    if not affine.equal_on(sizes, there, kept):
        raise NotChained(quotient, "rows are divided by the sums of other rows")
    x = difference.owner.operands[0] if isinstance(difference.owner, Operation) else difference
    return _Softmax(e, at, x, maximum, sum, exponent.fn.data, scale)


def moved(value: SSAValue, at: isl.MultiAff, sizes: tuple[int, ...], book: IndexBook) -> tuple[SSAValue, isl.MultiAff]:
    """Follows a value, read through `at` from a space of `sizes`, through casts of floats and movements other than pads."""
    while True:
        op = value.owner
        moves = isinstance(op, tiny.MovementOp) and op.kind.data != "pad"
        casts = isinstance(op, tiny.UnaryOp) and op.fn.data == "cast" and isinstance(element(op.input), FLOATS)
        if not (moves or casts):
            return value, at
        (access,) = book[value].accesses
        value, at = access.value, affine.compose(access.map, at, sizes)


def broadcast(operand: SSAValue, sizes: Sequence[int]) -> isl.MultiAff:
    """Returns the map by which an elementwise op with a result of `sizes` reads an operand, which may have fewer axes or sizes of 1."""
    of = shape(operand)
    first = len(sizes) - len(of)
    return affine.make_map(len(sizes), [f"i{first + k}" if size != 1 else "0" for k, size in enumerate(of)])


FLOATS = (BFloat16Type, Float16Type, type(f32))


def _reciprocal(value: SSAValue, book: IndexBook) -> SSAValue | None:
    """Returns the value of which `value` is the reciprocal, perhaps broadcast; None if it is not a reciprocal."""
    while isinstance(op := value.owner, tiny.MovementOp) and op.kind.data in ("reshape", "expand"):
        value = op.input
    if isinstance(op, tiny.UnaryOp) and op.fn.data == "recip":
        return op.input
    one = isinstance(op, tiny.BinaryOp) and op.fn.data == "div" and constant_of(op.operands[0]) == 1
    return op.operands[1] if isinstance(op, Operation) and one else None


def _attention(c: Contraction, s: _Softmax, book: IndexBook, found: Mapping[SSAValue, Contraction]) -> Attention:
    """Returns the attention of a product and the softmax that is its left operand. Raises `NotChained` if it is none."""
    if (why := product_problem(c)) is not None:
        raise NotChained(c.op, why)
    _check_keys(c, s)
    refused = NotChained(s.x.owner, "the scores are not computed from a product element by element")
    for scores in inner_products(s.x, found):
        try:
            slice_ = slice_of(c.lhs, c.sizes, {scores.out}, book, found, (s.maximum, s.total))
            out = Attention(book, (scores,), c, slice_, s.x, s.e, s.at, s.maximum, s.total, s.exponential, s.scale)
            _check_rows(out)
        except NotChained as e:
            refused = e
            continue
        if (why := out.problem()) is None:
            return out
        refused = NotChained(scores.op, why)
    raise refused


def _check_keys(c: Contraction, s: _Softmax) -> None:
    """Raises `NotChained` unless a softmax is along the only axis that a product sums."""
    (axis,), (k, *others) = s.total.axes(), c.k
    along = affine.make_map(len(c.sizes), [f"i{k}"])
    row = s.at.drop_dims(isl.dim_type.out, axis, 1)
    at_axis = affine.make_map(len(shape(s.e)), [f"i{axis}"])
    if others:
        raise NotChained(c.op, "the keys are several axes")
    if (
        shape(s.e)[axis] != c.sizes[k]
        or not affine.equal_on(c.sizes, affine.compose(at_axis, s.at, c.sizes), along)
        or affine.uses_axis(row, k)
    ):
        raise NotChained(s.total, "the softmax is not along the keys of this product")


def _check_rows(a: Attention) -> None:
    """Raises `NotChained` if the kernel of an attention cannot store what is computed from the maximum and the sum of its rows."""
    for value in a.between - a.of_scores:
        if not all(use.operation in a.slice.ops for use in value.uses) and not _has_each_row_once(a):
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
            _check_keys(c, s := _softmax(replace(c, lhs=one), book))
            scores = next(inner_products(s.x, found), None)
            inner = dict.fromkeys(i.out for v in (s.x, other.value) for i in inner_products(v, found))
            if scores is None or types_problem(scores) is not None:
                continue
            slice_ = slice_of(whole, sizes, inner, book, found, (s.maximum, s.total))
            every = tuple(found[v] for v in inner if v in slice_.passed)
            rows = s.maximum, s.total, s.exponential, s.scale
            out = RowProduct(book, every, c, slice_, s.x, s.e, s.at, *rows, other)
            _check_rows(out)
            if (why := out.problem()) is None:
                return out
        except (NotChained, TooComplex) as e:
            why = str(e)
        log.debug("these sums of rows are not computed with their softmax: %s", why, extra={"op": op})
    return None


def _has_each_row_once(a: Attention) -> bool:
    """Returns whether the rows of a product, one for each column of the values, are those of its softmax."""
    c, kept = a.product, [*a.product.batch, *a.product.m]
    sizes = [c.sizes[axis] for axis in kept]
    exprs = [f"i{kept.index(axis)}" if axis in kept else "0" for axis in range(len(c.sizes))]
    at = affine.compose(a.rows_at, affine.make_map(len(kept), exprs), sizes)
    return affine.is_one_to_one(at, sizes, shape(a.total.result))
