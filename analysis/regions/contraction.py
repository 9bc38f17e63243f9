"""
Finds contractions: `mul → reduce(sum)` over two operands that reach their sources through movements, exact
casts and, on both sides or neither, rounding to tf32. Reads access maps, never names. Spec: `tensor-compiler.ja §3.5`.

```
   lhs ──movement/exact cast/tf32──▶ ┐
                                     mul ──movement──▶ reduce sum      out(i) = Σ_k lhs(f(i,k)) · rhs(g(i,k))
   rhs ──movement/exact cast/tf32──▶ ┘
```

Both look through a pad with zeros: its guard stays with the access, whose value is zero outside of the guard. For
`find_contraction`, the guard must be one by which each copy to shared memory reads all its elements or none: it does not depend on the
index along the source's last axis, unless windows slide along that axis. An earlier kernel computes other pads, and other ops that
are not looked through, unless `prologue.py` moves them into the contraction's kernel.

The element type of the product must represent products exactly, or at least as precisely as the accumulator, because matrix
units neither round nor wrap products before they add them. Casts from fp8 to 16 bits are not looked through: matrix units
accumulate products of fp8 less precisely than those of f16 and bf16, for which the program asked.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

import islpy as isl
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type, IntegerType, f32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import (
    FLOAT8,
    are_paired,
    element,
    is_as_wide,
    is_float,
    multiplies_exactly,
    shape,
    widens_exactly,
)
from ...dialects.plan.choice import CHOICE
from ...dialects.ptir import ScalarAttr
from ...dialects.region import RegionKernelOp
from ..errors import TooComplex
from ..index import affine
from ..index.book import IndexBook, body_of, index_book
from ..index.info import Access, compose_access
from ..index.isl_text import Symbol
from ..manager import analysis
from .addresses import is_affine, linear_address, stride
from .contraction_pattern import ContractionPattern, classify, reads_of

log = logging.getLogger(__name__)

MATRIX_DEPTH = 16
"""The products of bf16 that a matrix unit sums at once."""


class NotAContraction(Exception):
    """An op is no contraction that a kernel computes; the message is the reason."""


@dataclass(frozen=True)
class Product:
    """
    The product that `op` sums. `lhs` and `rhs` access the sources of its factors, `interior` are the ops between the sources and
    the sum, and `rounded` says whether the factors are rounded to tf32. `sizes` are those of the iteration axes: the output's,
    then the reduced ones.
    """

    op: tiny.ReduceOp
    lhs: Access
    rhs: Access
    sizes: tuple[Symbol, ...]
    interior: tuple[Operation, ...]
    rounded: bool

    @property
    def rank(self) -> int:
        """The rank of the output."""
        return len(self.sizes) - len(self.op.axes())


@dataclass(frozen=True)
class Contraction(Product):
    """
    `out(i) = Σ_k lhs(lhs_map(i, k)) · rhs(rhs_map(i, k))`.

    The iteration axes are of four kinds. The output keeps three: `m` axes are read by lhs only, `n` axes by rhs only, and
    `batch` axes by both operands or neither. `k` axes are reduced.
    """

    sizes: tuple[int, ...]
    batch: tuple[int, ...]
    m: tuple[int, ...]
    n: tuple[int, ...]
    k: tuple[int, ...]

    @property
    def out(self) -> SSAValue:
        return self.op.result

    @property
    def precision(self) -> str:
        return "tf32" if self.rounded else "exact"

    @property
    def dtypes(self) -> tuple[Attribute, Attribute, Attribute]:
        """Element types of lhs, rhs and the accumulator."""
        return element(self.lhs.value), element(self.rhs.value), self.op.accum


@dataclass(frozen=True)
class LookThrough:
    """
    Selects the ops between a source and the product that are looked through. The flags select rounding to tf32, exact casts,
    movements that repeat elements (`expand`, `view`) and pads with zeros. Other movements are always looked through, and so are
    casts from types at least as wide as `accum`: f32 factors may be multiplied in f32 if f64 products are summed in f32.
    """

    rounds: bool
    casts: bool
    expands: bool
    pads: bool
    accum: Attribute

    def __call__(self, op: object) -> bool:
        match op:
            case tiny.MovementOp() if op.kind.data == "pad":
                return self.pads and is_zero(op.value)
            case tiny.MovementOp():
                return self.expands or op.kind.data not in ("expand", "view")
            case tiny.UnaryOp() if op.fn.data == "tf32":
                return self.rounds
            case tiny.UnaryOp():
                src = element(op.input)
                seen = op.fn.data == "cast" and may_multiply_before_cast(src, element(op.result))
                return seen and (self.casts or is_as_wide(src, self.accum))
            case _:
                return False


def may_multiply_before_cast(src: Attribute, dst: Attribute) -> bool:
    """Whether a product of values cast from `src` to `dst` may be computed from the values before the cast."""
    return widens_exactly(src, dst) and not (isinstance(src, FLOAT8) and isinstance(dst, Float16Type | BFloat16Type))


def is_zero(fill: Attribute | None) -> bool:
    """Whether the fill is +0, which casts preserve."""
    return isinstance(fill, ScalarAttr) and not any(fill.bytes)


def look_through_candidates(accum: Attribute, *, expands: bool) -> list[LookThrough]:
    """Returns the selections in the order in which they are tried; with `expands`, only those that look through expands and pads."""
    sees = product((True, False), (True, False), *(((True,) if expands else (True, False),) * 2))
    return [LookThrough(*flags, accum=accum) for flags in sees]


def look_through(
    access: Access, book: IndexBook, sizes: Sequence[Symbol], through: LookThrough
) -> tuple[Access, list[Operation]]:
    """
    Follows an access backwards through ops that `through` accepts, unless it gets too complex. Returns the composed access and
    the ops that it passed.
    """
    passed: list[Operation] = []
    while isinstance(op := access.value.owner, Operation) and through(op) and (steps := book[access.value].accesses):
        try:
            access = _compose_step(steps[0], access, sizes)
        except TooComplex as e:
            log.debug("this op is computed by an earlier kernel, not looked through: %s", e.message, extra={"op": op})
            break
        passed.append(op)
    return access, passed


def _compose_step(step: Access, at: Access, sizes: Sequence[Symbol]) -> Access:
    """
    Composes `step` with the access `at` of its value. Both fills are zeros, but perhaps of different types: that of `step` is
    dropped.
    """
    return compose_access(replace(step, fill=None), at, sizes)


def is_rounded(source: SSAValue, passed: Sequence[Operation]) -> bool:
    """
    Whether the ops `passed` between a source and the product round the source to tf32. Sources in bf16, f16 or f8 do not count:
    tf32 represents them exactly.
    """
    rounds = any(isinstance(op, tiny.UnaryOp) and op.fn.data == "tf32" for op in passed)
    return rounds and element(source) == f32


@analysis
def contractions(scope: FuncOp | RegionKernelOp | Block) -> dict[SSAValue, Contraction]:
    """Returns the contractions of a function, a kernel or a block by their results."""
    book = index_book(scope)
    sums = (inner for inner in body_of(scope).ops if isinstance(inner, tiny.ReduceOp))
    found = (find_contraction(inner, book) for inner in sums)
    return {c.out: c for c in found if c is not None}


@analysis
def contractions_of_vectors(scope: FuncOp | RegionKernelOp | Block) -> dict[SSAValue, Contraction]:
    """Returns the contractions of a function, a kernel or a block, also those whose own kernels would rather be reductions."""
    book, known = index_book(scope), {c.op: c for c in contractions(scope).values()}
    sums = (inner for inner in body_of(scope).ops if isinstance(inner, tiny.ReduceOp))
    found = (known.get(inner) or find_contraction(inner, book, of_vectors=True) for inner in sums)
    return {c.out: c for c in found if c is not None}


def find_contraction(op: Operation, book: IndexBook, *, of_vectors: bool = False) -> Contraction | None:
    """Returns the contraction of `contraction_at`; logs the reason and returns None if there is none."""
    try:
        return contraction_at(op, book, of_vectors=of_vectors)
    except NotAContraction as why:
        if isinstance(op, tiny.ReduceOp):
            log.debug("'%s' is no contraction: %s", op.name, why, extra={"op": op})
        return None


def contraction_at(op: Operation, book: IndexBook, *, of_vectors: bool = False) -> Contraction:
    """
    Returns the contraction that ends in the sum `op`, if a kernel can compute it. Raises `NotAContraction`.

    Looks through as many ops as possible, provided that both sources are read along every reduced axis, that their types can be
    multiplied with each other, and that both are rounded to tf32 or neither is. Each operand must have an axis of its own, but a
    matrix may be multiplied by a vector if the summed elements of the matrix are not contiguous: a matrix unit reads them faster than
    a kernel of columns, unless many vectors are too short to fill one, or the matrices are interleaved in memory, as those of a
    depthwise convolution of channels that are contiguous. With `of_vectors`, any matrix may be multiplied by a vector.
    """
    found = find_product(op, book, expands=False)
    if not isinstance(found.op.accum, Float32Type | Float64Type | IntegerType):
        raise NotAContraction(f"no kernel accumulates products in {found.op.accum}")
    sizes = book[found.op.result].static_sizes
    lhs, rhs = (reads_of((a.map, a.guard), sizes) for a in (found.lhs, found.rhs))

    def axes(left: bool, right: bool) -> tuple[int, ...]:
        return tuple(a for a in range(found.rank) if (a in lhs, a in rhs) == (left, right))

    apart = [any(sizes[a] > 1 for a in axes(*side)) for side in ((True, False), (False, True))]
    if not any(apart):
        raise NotAContraction("no axis belongs to one operand alone: it is a reduction")
    by_vectors = not all(apart) and not of_vectors
    batched = any(sizes[a] > 1 for a in axes(True, True))
    if by_vectors and batched and prod(sizes[found.rank :]) < MATRIX_DEPTH:
        raise NotAContraction("it multiplies matrices by short vectors: matrix units would multiply padding")
    if by_vectors and batched and _interleaves(found.lhs if apart[0] else found.rhs, axes(True, True), sizes):
        raise NotAContraction(
            "it multiplies matrices whose elements are interleaved by vectors, as a depthwise convolution: it is direct",
        )
    if by_vectors and _sums_rows(found.lhs if apart[0] else found.rhs, sizes, found.rank):
        raise NotAContraction("it multiplies a matrix, whose rows it sums, by a vector: it is a reduction of rows")
    return Contraction(
        found.op,
        found.lhs,
        found.rhs,
        sizes,
        found.interior,
        found.rounded,
        batch=axes(True, True) + axes(False, False),
        m=axes(True, False),
        n=axes(False, True),
        k=tuple(range(found.rank, len(sizes))),
    )


def _interleaves(matrix: Access, batch: Sequence[int], sizes: Sequence[int]) -> bool:
    """Whether contiguous elements of the array of a batch of matrices belong to different matrices."""
    address = linear_address(shape(matrix.value), matrix.map, sizes)
    return any(stride(address, a) == 1 for a in batch if sizes[a] > 1)


def _sums_rows(matrix: Access, sizes: Sequence[int], rank: int) -> bool:
    """Whether the summed elements of a matrix are contiguous in memory: a kernel of rows then reads each of its bytes once."""
    summed = [a for a in range(rank, len(sizes)) if sizes[a] > 1]
    address = linear_address(shape(matrix.value), matrix.map, sizes)
    return bool(summed) and is_affine(address) and stride(address, summed[-1]) == 1


def find_pattern(op: Operation, book: IndexBook) -> tuple[Product, ContractionPattern] | None:
    """
    Returns the contraction that ends in the sum `op` according to access maps: every movement is looked through, and sizes may
    be symbolic. Returns None for a sum of products of three factors, because these can be associated in several ways.
    """
    try:
        return _pattern_at(op, book)
    except NotAContraction as why:
        if isinstance(op, tiny.ReduceOp):
            log.debug("'%s' is no contraction: %s", op.name, why, extra={"op": op})
        return None


def _pattern_at(op: Operation, book: IndexBook) -> tuple[Product, ContractionPattern]:
    found = find_product(op, book, expands=True)
    sides = (found.lhs.map, found.lhs.guard), (found.rhs.map, found.rhs.guard)
    wide = tuple(a for a, size in enumerate(found.sizes) if size != 1)
    for side, reads in zip((found.lhs, found.rhs), sides, strict=True):
        if tiny.is_product(side.value.owner) and reads_of(reads, found.sizes) == wide:
            raise NotAContraction("it sums products of three factors")
    try:
        with affine.quota(what="the kind of a contraction"):
            return found, classify(*sides, found.sizes, found.rank)
    except TooComplex as e:
        raise NotAContraction(e.message) from e


@analysis
def is_convolution(kernel: RegionKernelOp) -> bool:
    """
    Whether a kernel computes a convolution, by matrix units or directly: its access maps have windows, or the program asks for an algorithm
    of convolutions. Windows of one element, and of an image of one element, have maps of products.
    """
    sums = [op for op in kernel.body.block.ops if isinstance(op, tiny.ReduceOp) and op.fn.data == "sum"]
    if any(CHOICE in op.attributes for op in sums):
        return True
    found = (find_pattern(op, index_book(kernel)) for op in sums)
    return any(match is not None and match[1].pattern == "conv" for match in found)


def find_product(op: Operation, book: IndexBook, *, expands: bool) -> Product:
    """
    Returns the product that `op` sums. Raises `NotAContraction`. With `expands`, every movement is looked through, so that the result does not
    depend on which movements a program uses.
    """
    if not isinstance(op, tiny.ReduceOp):
        raise NotAContraction("it reduces nothing")
    if op.fn.data != "sum":
        raise NotAContraction(f"it reduces by {op.fn.data}")
    info = book[op.result]
    accum: Attribute = op.accum
    start = LookThrough(rounds=False, casts=True, expands=True, pads=expands, accum=accum)
    summed, passed = look_through(info.accesses[0], book, info.sizes, start)
    mul = summed.value.owner
    if not isinstance(mul, tiny.BinaryOp) or mul.fn.data != "mul":
        raise NotAContraction("the summed value is not a product")
    fused = is_as_wide(dtype := element(mul.result), accum)
    reduced = range(info.rank, len(info.sizes))
    try:
        factors = [_compose_step(a, summed, info.sizes) for a in book[mul.result].accesses]
    except TooComplex as e:
        raise NotAContraction(e.message) from e
    in_f32 = tiny.keeps_order(op)  # without tensor cores, operands are multiplied in the type of the accumulator
    for through in look_through_candidates(accum, expands=expands):
        if through.casts and in_f32:
            continue
        (lhs, left), (rhs, right) = (look_through(a, book, info.sizes, through) for a in factors)
        rounded = is_rounded(lhs.value, left), is_rounded(rhs.value, right)
        reads = [reads_of((a.map, a.guard), info.sizes) for a in (lhs, rhs)]
        types = element(lhs.value), element(rhs.value)
        if (
            all(info.sizes[a] == 1 or (a in reads[0] and a in reads[1]) for a in reduced)
            and are_paired(*types)
            and (not is_float(accum) or all(widens_exactly(t, accum) for t in types))
            and rounded[0] == rounded[1]
            and (expands or all(map(_guards_rows, (lhs, rhs))))
        ):
            if not (fused or multiplies_exactly(*types, dtype, "tf32" if rounded[0] else None)):
                raise NotAContraction(
                    f"the program rounds or wraps each product in {dtype} before it is summed in {accum}"
                )
            lhs, rhs = _with_zero_fill(lhs), _with_zero_fill(rhs)
            return Product(op, lhs, rhs, info.sizes, (*passed, mul, *left, *right), all(rounded))
    raise NotAContraction("a reduced axis is not read by both operands")


def _guards_rows(access: Access) -> bool:
    """
    Whether the guard of an access does not depend on the index along the last axis, or that index adds several axes: windows slide
    along contiguous elements, which are copied one by one anyway.
    """
    guard, at = access.guard, access.map
    if guard is None or not (rank := at.dim(isl.dim_type.out)):
        return guard is None
    column = at.get_at(rank - 1)
    axes = [a for a in range(affine.input_rank(at)) if column.involves_dims(isl.dim_type.in_, a, 1)]
    return len(axes) > 1 or not any(guard.involves_dims(isl.dim_type.set, a, 1) for a in axes)


def _with_zero_fill(access: Access) -> Access:
    """Returns the access with a zero of its element type as the fill, if it has a guard."""
    if access.guard is None:
        return access
    return replace(access, fill=ScalarAttr.of(0, element(access.value)))
