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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import TypeGuard

import islpy as isl
from xdsl.dialects.builtin import BFloat16Type, Float16Type, f32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import element, shape
from ...dialects.region import RegionKernelOp
from ..errors import TooComplex
from ..index import affine
from ..index.book import IndexBook, body_of, index_book
from ..index.info import Access
from ..manager import analysis
from .contraction import Contraction, contractions_of_vectors
from .kernel_ops import kernel_diagnostic
from .passes import Passes, constant_of, scaled
from .slices import Place, Slice, is_leaf, is_splat
from .upstream import upstream

log = logging.getLogger(__name__)

MAX_HEAD = 256
"""Maximum head size, and value size, whose products a block holds."""
MAX_FACTOR = 2.0**40
"""Factors of scores beyond it, or below its inverse, stay where the program has them: their products might not be normal numbers."""
MAX_SHIFT = 2.0**20
"""Magnitude above which a number that is added to scores, or selected in their place, is huge."""
ELEMENTWISE = (tiny.UnaryOp, tiny.BinaryOp, tiny.MovementOp, tiny.ConstOp, tiny.IotaOp)
"""The ops between the two products, besides the reductions of the softmax."""


@dataclass(frozen=True)
class Attention:
    """
    Attention whose weights are the left operand of `product`, the second contraction. `x` are the scores of which the softmax is
    taken, and `exponential(scale · (x - maximum))` its numerators `e`, read from the iteration axes of `product` through `at`. `slice`
    has the ops from which the weights are computed, and the stored values that they read.
    """

    book: IndexBook
    scores: Contraction
    product: Contraction
    x: SSAValue
    e: SSAValue
    at: isl.MultiAff
    maximum: tiny.ReduceOp
    total: tiny.ReduceOp
    exponential: str
    scale: float
    slice: Slice

    @property
    def weights(self) -> SSAValue:
        return self.product.lhs.value

    @property
    def scores_at(self) -> isl.MultiAff:
        """The map from the iteration axes of `product` to the axes of the result of `scores`."""
        return self.slice.passed[self.scores.out]

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
    def depending(self) -> set[SSAValue]:
        """The values that are computed from the scores, and from which the weights are."""
        return _depending(self.weights, self.scores.out)

    @cached_property
    def queries_and_keys(self) -> tuple[Access, Access]:
        """The operands of `scores`: the one that varies with the queries, then the one that varies with the keys."""
        a, b = self.scores.lhs, self.scores.rhs
        return (b, a) if self.varies(a, self.product.k[0]) else (a, b)

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
        """
        Returns whether numbers are added to scores, or selected in their place, that are read from arrays or huge, such as -1e9 for what is
        masked. The maximum of a row is then as huge, and a rounded multiple of it is far from the exact one.
        """
        todo, seen = [self.x], {self.scores.out}
        while todo:
            if (value := todo.pop()) in seen:
                continue
            seen.add(value)
            op = value.owner
            if isinstance(op, tiny.ConstOp) and (number := constant_of(value)) is not None:
                if MAX_SHIFT < abs(number) < inf:
                    return True
                continue
            if not isinstance(op, ELEMENTWISE) or isinstance(op, tiny.ConstOp):
                return True
            todo += op.operands[1:] if isinstance(op, tiny.BinaryOp) and op.fn.data == "where" else op.operands
        return False

    def is_mask(self, value: SSAValue) -> bool:
        """Returns whether a value is 0 where a predicate holds and -inf elsewhere, so that adding it masks a score."""
        while isinstance(op := value.owner, tiny.MovementOp) and op.kind.data in ("reshape", "expand", "permute"):
            value = op.input
        if not isinstance(op, tiny.BinaryOp) or op.fn.data != "where":
            return False
        return [constant_of(v) for v in op.operands[1:]] == [0, -inf]

    def varies(self, side: Access, axis: int) -> bool:
        """Returns whether an operand of `scores` varies along an iteration axis of `product`."""
        kept = (k for k in range(self.scores.rank) if affine.uses_axis(side.map, k))
        return any(self.scores_at.get_at(k).involves_dims(isl.dim_type.in_, axis, 1) for k in kept)

    def only_queries_vary(self, axis: int) -> bool:
        """Returns whether the queries vary along an iteration axis of `product`, and the keys do not."""
        queries, keys = self.queries_and_keys
        return self.varies(queries, axis) and not self.varies(keys, axis)


class NotAttention(Exception):
    """A product of a softmax of another product that is not computed by one kernel with them, because of `op`; `why` says the reason."""

    def __init__(self, op: Operation | Block, why: str):
        super().__init__(why)
        self.op, self.why = op, why


def attentions(scope: FuncOp | RegionKernelOp | Block) -> dict[SSAValue, Attention]:
    """Returns the attention of a function, a kernel or a block by the results of the second contractions."""
    return {out: a for out, a in products_of_softmax(scope).items() if isinstance(a, Attention)}


@analysis
def products_of_softmax(scope: FuncOp | RegionKernelOp | Block) -> dict[SSAValue, Attention | NotAttention]:
    """Returns, by their results, the contractions whose operand is a softmax of another one: as attention, or with what is in the way."""
    if not any(map(is_exponential, body_of(scope).ops)):
        return {}
    book, found = index_book(scope), contractions_of_vectors(scope)  # a product of one query is one of a vector
    each = {c.out: find_attention(c, book, found) for c in found.values()}
    return {out: a for out, a in each.items() if a is not None}


def find_attention(
    product: Contraction, book: IndexBook, found: Mapping[SSAValue, Contraction]
) -> Attention | NotAttention | None:
    """Returns the attention that ends in a contraction, or what is in the way; None if no operand is a softmax of another contraction."""
    refused = list[NotAttention]()
    for c in (product, _swapped(product)):
        if not _sums_exponentials(c.lhs.value, found):
            continue
        try:
            return _attention(c, _softmax(c, book), book, found)
        except NotAttention as e:
            refused.append(e)
        except TooComplex as e:
            refused.append(NotAttention(c.op, e.message))
    for e in refused:
        log.debug("this product of a softmax has kernels of its own: %s", e.why, extra={"op": product.op})
    return next(iter(refused), None)


def _swapped(c: Contraction) -> Contraction:
    return replace(c, lhs=c.rhs, rhs=c.lhs, m=c.n, n=c.m)


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
    """Returns the softmax of rows that the left operand of a contraction is. Raises `NotAttention` if it is none."""
    value, at = moved(c.lhs.value, c.lhs.map, c.sizes, book)
    quotient = value.owner
    if c.lhs.guard is not None:
        raise NotAttention(c.op, "the weights are padded")
    if not isinstance(quotient, tiny.BinaryOp) or quotient.fn.data not in ("div", "mul"):
        raise NotAttention(quotient, "the weights are not exponentials that are divided by their sum")
    e, divisor = quotient.operands
    if quotient.fn.data == "mul":
        e, divisor = (e, divisor) if _reciprocal(divisor, book) is not None else (divisor, e)
        if (divisor := _reciprocal(divisor, book)) is None:
            raise NotAttention(quotient, "the weights are a product, but not with the reciprocal of a sum")
    exponent = e.owner
    if not is_exponential(exponent) or element(e) != f32:
        raise NotAttention(exponent, "the numerators of the weights are not exponentials in f32")
    difference, scale = scaled(exponent.input)
    if not 1 / MAX_FACTOR <= scale <= MAX_FACTOR:
        raise NotAttention(exponent, f"the exponents have the factor {scale:g}")
    sizes = shape(e)
    total, there = moved(divisor, broadcast(divisor, sizes), sizes, book)
    sum = total.owner
    if not isinstance(sum, tiny.ReduceOp) or sum.fn.data != "sum" or sum.accum != f32 or sum.input is not e:
        raise NotAttention(quotient, "the divisor of the weights is not the sum of their numerators in f32")
    kept = affine.make_map(len(sizes), [f"i{k}" for k in range(len(sizes)) if k not in sum.axes()])
    if len(sum.axes()) != 1:
        raise NotAttention(sum, "the softmax is along several axes")
    if (maximum := Passes(book).shifted_by_maximum(difference, sum.axes())) is None:
        raise NotAttention(exponent, "the exponents are not relative to the maximum of their row")
    if not affine.equal_on(sizes, there, kept):
        raise NotAttention(quotient, "rows are divided by the sums of other rows")
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
    """Returns the attention of a product and the softmax that is its left operand. Raises `NotAttention` if it is none."""
    (axis,), keys = s.total.axes(), [k for k in c.k if c.sizes[k] > 1]
    long = [a for a in c.n if c.sizes[a] > 1]
    types = {*c.dtypes[:2]}
    rules = (
        (len(c.k) == 1 and len(keys) <= 1, "the keys are several axes"),
        (len(long) <= 1, "the columns of the values are several axes"),
        (c.rhs.guard is None and not c.rounded, "the values are padded or rounded"),
        (
            c.dtypes[2] == f32 and len(types) == 1 and isinstance(c.dtypes[0], Float16Type | BFloat16Type),
            "weights and values are not both bf16 or f16, with products that are summed in f32",
        ),
        (all(c.sizes[a] <= MAX_HEAD for a in c.n), f"values have more than {MAX_HEAD} elements"),
    )
    for holds, why in rules:
        if not holds:
            raise NotAttention(c.op, why)
    k = c.k[0]
    along = affine.make_map(len(c.sizes), [f"i{k}"])
    row = s.at.drop_dims(isl.dim_type.out, axis, 1)
    at_axis = affine.make_map(len(shape(s.e)), [f"i{axis}"])
    if (
        shape(s.e)[axis] != c.sizes[k]
        or not affine.equal_on(c.sizes, affine.compose(at_axis, s.at, c.sizes), along)
        or affine.uses_axis(row, k)
        or any(affine.uses_axis(s.at, a) for a in c.n if c.sizes[a] > 1)
    ):
        raise NotAttention(s.total, "the softmax is not along the keys of this product")
    refused = NotAttention(s.x.owner, "the scores are not computed from a product element by element")
    for scores in _contracted(s.x, found):
        try:
            out = Attention(
                book, scores, c, s.x, s.e, s.at, s.maximum, s.total, s.exponential, s.scale, _slice(c, s, scores, book)
            )
        except NotAttention as e:
            refused = e
            continue
        if (why := _scores_problem(out)) is None:
            return out
        refused = NotAttention(scores.op, why)
    raise refused


def _contracted(x: SSAValue, found: Mapping[SSAValue, Contraction]) -> Iterator[Contraction]:
    """Yields the contractions from which a value is computed element by element."""
    values = upstream([x], lambda v: v in found or not isinstance(v.owner, ELEMENTWISE))
    return (found[v] for v in values if v in found)


def _scores_problem(a: Attention) -> str | None:
    """Returns why the first contraction is not that of queries and keys, or None if it is."""
    c, p = a.scores, a.product
    queries, keys = a.queries_and_keys
    ms, ns, ks = ([axis for axis in axes if p.sizes[axis] > 1] for axes in (p.m, p.n, p.k))
    rules = (
        (len(c.k) == 1, "the head size is several axes"),
        (c.sizes[c.k[0]] <= MAX_HEAD, f"heads have more than {MAX_HEAD} elements"),
        (queries.guard is None and keys.guard is None and not c.rounded, "queries or keys are padded or rounded"),
        (c.dtypes == p.dtypes, "the two products are of different types"),
        (not any(a.varies(queries, k) for k in ks), "queries vary along the keys"),
        (
            not any(a.varies(side, n) for n in ns for side in (queries, keys)),
            "scores vary along the columns of the values",
        ),
        (not ms or any(map(a.only_queries_vary, ms)), "keys vary along the queries"),
    )
    return next((why for holds, why in rules if not holds), None)


def _slice(c: Contraction, s: _Softmax, scores: Contraction, book: IndexBook) -> Slice:
    """
    Returns the slice of the weights, which reads the operands of `scores`. Raises `NotAttention` if an op between the products is not
    supported, or if a value that depends on the scores is also used elsewhere.
    """
    root = c.lhs.value
    depends = _depending(root, scores.out)
    out = Slice(root, c.sizes, c.lhs.map)
    todo = [Place(root, c.lhs.map, c.sizes)]
    seen: set[SSAValue] = set()
    while todo:
        here = todo.pop()
        value, op = here.value, here.value.owner
        if value is scores.out:
            known = out.passed.setdefault(value, here.at)
            if not affine.equal_on(c.sizes, known, here.at):
                raise NotAttention(scores.op, "scores are read at two indices")
            continue
        if value in seen:
            continue
        seen.add(value)
        inside = value in depends
        if not isinstance(op, Operation) or is_leaf(value) or not (inside or _is_elementwise(value)):
            out.leaves.append(here)
            if isinstance(op, tiny.ConstOp) and is_splat(value):
                out.ops.add(op)
            continue
        if kernel_diagnostic(op, op) is not None or not isinstance(op, (*ELEMENTWISE, tiny.ReduceOp)):
            raise NotAttention(op, f"'{op.name}' is between the products")
        if isinstance(op, tiny.ReduceOp) and op not in (s.maximum, s.total):
            raise NotAttention(op, "another reduction is between the products")
        if isinstance(op, tiny.MovementOp) and op.kind.data == "pad" and inside:
            raise NotAttention(op, "scores are padded")
        out.ops.add(op)
        if isinstance(op, tiny.ReduceOp):  # its operand is read again element by element
            continue
        for access in book[value].accesses:
            todo.append(Place(access.value, affine.compose(access.map, here.at, c.sizes), c.sizes))
    out.ops |= {s.maximum, s.total, scores.op, *scores.interior}
    rows = {s.maximum.result, s.total.result}
    for value in depends - {root}:
        if all(use.operation in out.ops for use in value.uses):
            continue
        if scores.out in upstream([value], rows.__contains__):
            raise NotAttention(value.owner, "a value between the products is also used elsewhere: it must be stored")
        if not _has_each_row_once(c, s):
            raise NotAttention(
                value.owner, "a value of a row that several rows of the result share is also used elsewhere"
            )
    if not rows.isdisjoint(upstream([leaf.value for leaf in out.leaves])):
        raise NotAttention(scores.op, "what is between the products depends on the maximum or the sum of rows")
    if scores.out not in out.passed:
        raise NotAttention(scores.op, "the weights do not read the scores element by element")
    operands = [Place(a.value, out.passed[scores.out], c.sizes) for a in (scores.lhs, scores.rhs)]
    out.leaves[:0] = operands
    return out


def _has_each_row_once(c: Contraction, s: _Softmax) -> bool:
    """Returns whether the rows of a product, one for each column of the values, are those of its softmax."""
    (axis,), kept = s.total.axes(), [*c.batch, *c.m]
    sizes = [c.sizes[a] for a in kept]
    exprs = [f"i{kept.index(a)}" if a in kept else "0" for a in range(len(c.sizes))]
    rows = s.at.drop_dims(isl.dim_type.out, axis, 1)
    at = affine.compose(rows, affine.make_map(len(kept), exprs), sizes)
    return affine.is_one_to_one(at, sizes, shape(s.total.result))


def _depending(root: SSAValue, on: SSAValue) -> set[SSAValue]:
    """Returns the values from which `root` is computed, and that are computed from `on`, with both."""
    users, todo = {on}, [on]
    while todo:
        for use in todo.pop().uses:
            for result in use.operation.results:
                if result not in users and isinstance(use.operation, (*ELEMENTWISE, tiny.ReduceOp)):
                    users.add(result)
                    todo.append(result)
    needed, todo = set[SSAValue](), [root]
    while todo:
        if (value := todo.pop()) in needed or value not in users:
            continue
        needed.add(value)
        if isinstance(value.owner, Operation) and value is not on:
            todo += value.owner.operands
    return needed


def _is_elementwise(value: SSAValue) -> bool:
    """Whether a value is computed from stored ones by elementwise ops and movements alone."""
    return all(is_leaf(v) or isinstance(v.owner, ELEMENTWISE) for v in upstream([value], is_leaf))
