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
maximum and the sum of a row, such as their log-sum-exp, is another result of the kernel. Queries may be computed from an array element by
element (`computed_operands.py`). Spec: `tensor-compiler.ja §1.7` (`algo_choice`).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf

import islpy as isl
from xdsl.dialects.builtin import f32
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
from .passes import constant_of, scaled
from .softmax import Softmax, is_exponential, softmax_of
from .upstream import upstream

log = logging.getLogger(__name__)


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

    @property
    def computes_queries(self) -> bool:
        return True

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
        """The values in `between` that depend on an inner product not only through the maximum and the sum of rows."""
        inner = {c.out for c in self.inner}
        return {v for v in self.between if not inner.isdisjoint(upstream([v], self.rows.__contains__))}

    @cached_property
    def read_by(self) -> set[Operation]:
        """The other ops that read the weights or what is between the products, besides the maximum and the sum of rows."""
        own = {*self.slice.ops, self.product.op, *self.product.interior}
        return {use.operation for v in (*self.of_scores, self.weights) for use in v.uses} - own

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
            return _attention(c, softmax_of(c, book, found), book, found)
        except NotChained as e:
            refused.append(e)
        except TooComplex as e:
            refused.append(NotChained(c.op, e.message))
    for e in refused:
        log.debug("this product of a softmax has kernels of its own: %s", e.why, extra={"op": product.op})
    return next(iter(refused), None)


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
            out.compute_queries()
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
    def computes_queries(self) -> bool:
        return False

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
            _check_keys(c, s := softmax_of(replace(c, lhs=one), book, found))
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
