"""
Finds products of operands that are computed element by element from other products, the *inner* ones:

```
s(i, j)  = Σ_d A(i, d) · B(j, d)                 inner products, such as the scores of attention and the gradients of its weights
w(i, j)  = f(s, …, i, j)                         elementwise ops; row sums and other values are stored first
out(i, n) = Σ_j w(i, j) · C(j, n)                a product
```

A kernel can compute the inner products tile after tile, and keep w in registers (`Chained`). Two kinds are found: attention, whose w is a
softmax of rows (`attention.py`), and products that share inner ones, such as dQ, dK and dV of the backward pass of attention
(`fused_products.py`).
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from math import inf, prod

import islpy as isl
from xdsl.dialects.builtin import BFloat16Type, Float16Type, f16, f32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import FLOAT8
from ...dialects.region import RegionKernelOp
from ..errors import TooComplex
from ..index import affine
from ..index.book import IndexBook, index_book
from ..index.info import Access
from ..manager import analysis
from .computed_operands import FEW_QUERIES, MAX_COMBINED, MAX_KEYS, ComputedOperand, computed_operand
from .contraction import Contraction, contractions
from .gathered import gathered
from .kernel_ops import kernel_diagnostic
from .passes import constant_of
from .places import Place, Slice, is_leaf, is_splat
from .upstream import upstream

log = logging.getLogger(__name__)

MAX_HEAD = 256
"""Maximum head size, and value size, whose products a block holds."""
MAX_INNER = 4
"""Maximum number of inner products of a product: a sum of residuals is computed from more."""
MAX_FACTOR = 2.0**40
"""Factors of scores beyond it, or below its inverse, stay where the program has them: their products might not be normal numbers."""
MAX_SHIFT = 2.0**20
"""Magnitude above which a number that is added to scores, or selected in their place, is huge."""
ELEMENTWISE = (tiny.UnaryOp, tiny.BinaryOp, tiny.MovementOp, tiny.ConstOp, tiny.IotaOp)
"""The ops between two products, besides the reductions of a softmax."""


OF_SOFTMAX = "this softmax, its scores and its product with values"
OF_SHARED = "this product and those from which its operand and that of another one are computed"
SIDE_BY_SIDE = "this product and another one, which compute the same products again,"


class NotChained(Exception):
    """
    Products that are not one kernel, because of `op`: `what` names them, and `why` says the reason. An operand of one is computed from the
    results `inner` of others.
    """

    def __init__(self, op: Operation | Block, why: str, what: str = OF_SOFTMAX, inner: Collection[SSAValue] = ()):
        super().__init__(why)
        self.op, self.why, self.what, self.inner_results = op, why, what, inner


@dataclass(frozen=True)
class Chained:
    """
    A product whose left operand is computed from the products `inner`. `slice` has the ops from which it is computed, and the stored
    values that they read.
    """

    book: IndexBook
    inner: tuple[Contraction, ...]
    product: Contraction
    slice: Slice

    @property
    def weights(self) -> SSAValue:
        return self.product.lhs.value

    @property
    def dtypes(self) -> tuple[Attribute, Attribute, Attribute]:
        """The types of all products."""
        return self.product.dtypes

    @property
    def products(self) -> tuple[Contraction, ...]:
        return (*self.inner, self.product)

    @property
    def inner_results(self) -> Collection[SSAValue]:
        return [c.out for c in self.inner]

    def at_of(self, c: Contraction) -> isl.MultiAff:
        """Returns the map from the iteration axes of `product` to the axes of the result of an inner product."""
        return self.slice.passed[c.out]

    @property
    def computes_queries(self) -> bool:
        """Whether the queries are computed with the product, if they can be: in a kernel, all that it does not load is."""
        return len(self.inner) == 1 and isinstance(self.product.op.parent_op(), RegionKernelOp)

    @cached_property
    def queries(self) -> ComputedOperand | None:
        """How the kernel computes the queries; None if it reads them from memory."""
        c, (left, right) = self.inner[0], self.sides(self.inner[0])
        if not self.computes_queries or left.value is right.value:
            return None
        found = computed_operand(left.value, {c.op, *c.interior}, self.book)
        if found is None or not found.others:
            return found
        p, head = self.product, c.sizes[c.k[0]]
        queries, columns, keys = (prod(p.sizes[axis] for axis in axes) for axes in (p.m, p.n, p.k))
        return found if max(head, columns) <= MAX_COMBINED and (queries <= FEW_QUERIES or keys <= MAX_KEYS) else None

    def compute_queries(self) -> None:
        """Adds what computes the queries to the slice, and what they are computed from in their place."""
        if (found := self.queries) is None:
            return
        left, _ = self.sides(self.inner[0])
        self.slice.ops |= found.ops
        read = dict.fromkeys(at.value for at in (found.source, *found.others))
        self.slice.leaves[:] = [
            place
            for leaf in self.slice.leaves
            for place in (
                (replace(leaf, value=value, is_gathered=True) for value in read)
                if leaf.value is left.value
                else (leaf,)
            )
        ]

    @cached_property
    def depending(self) -> set[SSAValue]:
        """The values that are computed element by element from the inner products, and from which the weights are."""
        return set[SSAValue]().union(*(depending(self.weights, c.out) for c in self.inner))

    def sides(self, c: Contraction) -> tuple[Access, Access]:
        """Returns the operands of an inner product: the one that varies with the rows of the weights, then that with their columns."""
        a, b, p = c.lhs, c.rhs, self.product
        rows = [any(self.varies(c, side, axis) for axis in p.m) for side in (a, b)]
        swaps = any(self.varies(c, a, axis) for axis in p.k) or rows == [False, True]
        return (b, a) if swaps else (a, b)

    def varies(self, c: Contraction, side: Access, axis: int) -> bool:
        """Returns whether an operand of an inner product varies along an iteration axis of `product`."""
        kept, at = (k for k in range(c.rank) if affine.uses_axis(side.map, k)), self.at_of(c)
        return any(at.get_at(k).involves_dims(isl.dim_type.in_, axis, 1) for k in kept)

    def only_rows_vary(self, axis: int) -> bool:
        """Returns whether the left operands of all inner products vary along an iteration axis of `product`, and the right ones do not."""
        sides = [(c, *self.sides(c)) for c in self.inner]
        return all(self.varies(c, left, axis) and not self.varies(c, right, axis) for c, left, right in sides)

    def problem(self) -> str | None:
        """Returns why a kernel cannot compute the inner products, or None if it can."""
        p = self.product
        ms, ns, ks = ([axis for axis in axes if p.sizes[axis] > 1] for axes in (p.m, p.n, p.k))
        for c in self.inner:
            left, right = self.sides(c)
            rules = (
                (len(c.k) == 1, "the head size is several axes"),
                (c.sizes[c.k[0]] <= MAX_HEAD, f"heads have more than {MAX_HEAD} elements"),
                (left.guard is None and right.guard is None and not c.rounded, "queries or keys are padded or rounded"),
                (operand_type(c.dtypes, self.dtypes) is not None, "the products are of different types"),
                (not any(self.varies(c, left, k) for k in ks), "queries vary along the keys"),
                (
                    not any(self.varies(c, side, n) for n in ns for side in (left, right)),
                    "scores vary along the columns of the values",
                ),
            )
            for holds, why in rules:
                if not holds:
                    return why
        return None if not ms or any(map(self.only_rows_vary, ms)) else "keys vary along the queries"


def swapped(c: Contraction) -> Contraction:
    """Returns a contraction with its operands swapped."""
    return replace(c, lhs=c.rhs, rhs=c.lhs, m=c.n, n=c.m)


def operand_type(*dtypes: tuple[Attribute, Attribute, Attribute]) -> Attribute | None:
    """
    Returns the type of 16 bits in which products of such operands and accumulators are multiplied into f32, or None if there is none. It is
    that of the operands; fp8 is exact in either type, and f16 if all operands are fp8.
    """
    types = {t for *both, _ in dtypes for t in both}
    wide = {t for t in types if not isinstance(t, FLOAT8)} or {f16}
    dtype = wide.pop()
    fits = not wide and all(accum == f32 for *_, accum in dtypes)
    return dtype if fits and isinstance(dtype, Float16Type | BFloat16Type) else None


def types_problem(c: Contraction) -> str | None:
    """Returns that matrix units do not multiply the operands of a contraction into f32, or None if they do."""
    fits = operand_type(c.dtypes) is not None
    return None if fits else "weights and values are not both bf16, f16 or fp8, with products that are summed in f32"


def product_problem(c: Contraction) -> str | None:
    """Returns why a kernel cannot compute a contraction of weights that it computes, or None if it can."""
    if (why := types_problem(c)) is not None:
        return why
    rules = (
        (len([a for a in c.n if c.sizes[a] > 1]) <= 1, "the columns of the values are several axes"),
        (c.rhs.guard is None and not c.rounded, "the values are padded or rounded"),
        (all(c.sizes[a] <= MAX_HEAD for a in c.n), f"values have more than {MAX_HEAD} elements"),
    )
    return next((why for holds, why in rules if not holds), None)


def depending(root: SSAValue, on: SSAValue, through: tuple[type[Operation], ...] = ELEMENTWISE) -> set[SSAValue]:
    """Returns the values from which `root` is computed, and that ops of the types `through` compute from `on`, with both."""
    before = set(upstream([root], lambda v: v is on or not isinstance(v.owner, through)))
    found, todo = before & {on}, [on]
    while todo:
        for use in todo.pop().uses:
            if isinstance(use.operation, through):
                new = before.intersection(use.operation.results) - found
                found |= new
                todo += new
    return found


def shifts_by_data(x: SSAValue, products: Collection[SSAValue]) -> bool:
    """
    Returns whether numbers are added to scores, or selected in their place, that are read from arrays or huge, such as -1e9 for what is
    masked. The maximum of a row is then as huge, and a rounded multiple of it is far from the exact one.
    """
    todo, seen = [x], set(products)
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


def is_elementwise(value: SSAValue) -> bool:
    """Whether a value is computed from stored ones by elementwise ops and movements alone."""
    return all(is_leaf(v) or isinstance(v.owner, ELEMENTWISE) for v in upstream([value], is_leaf))


def chained_products(scope: FuncOp | RegionKernelOp | Block) -> dict[SSAValue, Chained]:
    """Returns the chained products of a function, a kernel or a block by their results, whether or not they share inner ones."""
    return {out: c for out, c in products_of_products(scope).items() if isinstance(c, Chained)}


@analysis
def products_of_products(scope: FuncOp | RegionKernelOp | Block) -> dict[SSAValue, Chained | NotChained]:
    """
    Returns, by their results, the contractions of what is computed from other contractions: as chained products, or with what is in the way.
    """
    book, found = index_book(scope), contractions(scope)
    each = {out: _find(c, book, found) for out, c in found.items()}
    return {out: c for out, c in each.items() if c is not None}


def _find(product: Contraction, book: IndexBook, found: Mapping[SSAValue, Contraction]) -> Chained | NotChained | None:
    """Returns the chained product that a contraction is, or why it is none; None if its operands are not computed from contractions."""
    refused = None
    for c in (product, swapped(product)):
        inner = [i.out for i in islice(inner_products(c.lhs.value, found), MAX_INNER + 1)]
        if c.lhs.guard is not None or not 0 < len(inner) <= MAX_INNER:
            continue
        try:
            if (why := product_problem(c)) is None:
                slice_ = slice_of(c.lhs, c.sizes, inner, book, found)
                out = Chained(book, tuple(found[v] for v in slice_.passed), c, slice_)
                if (why := out.problem()) is None:
                    out.compute_queries()
                    return out
        except (NotChained, TooComplex) as e:
            why = str(e)
        log.debug("this product reads its operands from memory: %s", why, extra={"op": product.op})
        refused = refused or NotChained(product.op, why, OF_SHARED, inner)
    return refused


def inner_products(value: SSAValue, found: Mapping[SSAValue, Contraction]) -> Iterator[Contraction]:
    """Yields the contractions from which a value is computed element by element."""
    values = upstream([value], lambda v: v in found or not isinstance(v.owner, ELEMENTWISE))
    return (found[v] for v in values if v in found)


def slice_of(
    root: Access,
    sizes: tuple[int, ...],
    inner: Collection[SSAValue],
    book: IndexBook,
    found: Mapping[SSAValue, Contraction],
    reductions: Collection[Operation] = (),
    reduced: Collection[Access] = (),
) -> Slice:
    """
    Returns the slice of what is computed element by element from the results of `inner` products, and from rows by `reductions` of what is
    `reduced`, as read from the space of the slice. It reads the operands of the inner products. Raises `NotChained` if an op between the
    products is not supported.
    """
    through = (*ELEMENTWISE, tiny.ReduceOp) if reductions else ELEMENTWISE
    depends = set[SSAValue]().union(*(depending(root.value, out, through) for out in inner))
    out = Slice(root.value, sizes, root.map)
    todo, seen = [Place(a.value, a.map, sizes) for a in (root, *reduced)], set[tuple[SSAValue, str]]()
    while todo:
        here = todo.pop()
        value, op = here.value, here.value.owner
        if value in inner:
            if not affine.equal_on(sizes, out.passed.setdefault(value, here.at), here.at):
                raise NotChained(found[value].op, "scores are read at two indices")
            continue
        if here.key in seen:
            continue
        seen.add(here.key)
        if isinstance(op, Operation) and op in reductions:
            out.ops.add(op)
        elif isinstance(op, Operation) and not _is_stored(value, depends, reductions):
            out.ops.add(op)
            reads = book[value].accesses
            todo += [Place(read.value, affine.compose(read.map, here.at, sizes), sizes) for read in reads]
        else:
            out.leaves.append(here)
            if isinstance(op, tiny.ConstOp) and is_splat(value):
                out.ops.add(op)
    out.ops |= {*reductions, *(op for v in out.passed for op in (found[v].op, *found[v].interior))}
    sides = [(side.value, out.passed[v]) for v in out.passed for side in (found[v].lhs, found[v].rhs)]
    for value, at in reversed(sides):
        g = gathered(value) if reductions else None
        read = (value,) if g is None else (g.pool, g.table)
        out.leaves[:0] = [Place(v, at, sizes, is_gathered=g is not None) for v in read]
        out.ops |= set() if g is None else g.ops
    return out


def _is_stored(value: SSAValue, depends: Collection[SSAValue], reductions: Collection[Operation]) -> bool:
    """
    Whether a slice reads the result of an op from memory; `depends` has what is computed from the inner products. Raises `NotChained` if it
    cannot be read, and its op is not supported between the products.
    """
    op = value.owner
    assert isinstance(op, Operation)
    if isinstance(op, tiny.ReduceOp):
        if value in depends and reductions:
            raise NotChained(op, "another reduction is between the products")
        return True
    if is_leaf(value) or not (value in depends or isinstance(op, tiny.MovementOp) or is_elementwise(value)):
        return True
    if kernel_diagnostic(op, op) is not None or not isinstance(op, ELEMENTWISE):
        raise NotChained(op, f"'{op.name}' is between the products")
    if isinstance(op, tiny.MovementOp) and op.kind.data == "pad" and value in depends:
        raise NotChained(op, "scores are padded")
    return False
