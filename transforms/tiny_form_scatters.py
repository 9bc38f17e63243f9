"""
`tiny-form-scatters`: replaces sums over one-hot rows, which count or add per class, by scatters.

```
%h = tiny.binary eq %ids, %iota                     1000000x256: element n belongs to class c
%u = tiny.unary cast %h                             or tiny.binary where %h, %values, 0
%s = tiny.reduce sum %u axes [0]                    256

%j = min(%ids, 256)                                 1000000: those of no class are the last one
%t = ptir.scatter_reduce add %zeros, %j, %ones      257
%s = movement shrink %t                             256
```

A kernel of the sum compares all pairs of an element and a class; one of the scatter has a thread for each element. Sums of floats keep
their order and are not changed, nor are contractions, or sums of few pairs (`ptir_to_tiny/segments.py` counts instructions).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerType, ModuleOp, Signedness
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass

from ..analysis.index import affine
from ..analysis.index.book import IndexBook, index_book
from ..analysis.index.info import Access
from ..analysis.index.positions import Positions
from ..analysis.index.static_sizes import blocks_of
from ..analysis.program.statistics import count
from ..analysis.regions.contraction import contractions
from ..analysis.regions.one_hot import Columns, is_zero
from ..dialects import tiny
from ..dialects.common.shapes import element, is_predicate, shape
from ..dialects.ptir.dims import known_sizes, sizes
from ..dialects.ptir.domains import is_integer
from ..dialects.ptir.functions import bit_width
from .op_writer import rewrite
from .ptir_to_tiny.segments import Scattered, is_scattered
from .ptir_to_tiny.writer import POSITION, Writer


@dataclass(frozen=True)
class TinyFormScatters(ModulePass):
    """Replaces long sums of integers over one-hot rows by scatters."""

    name = "tiny-form-scatters"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in [o for o in op.body.block.ops if isinstance(o, FuncOp) and len(o.body.blocks) == 1]:
            for block in blocks_of(function):
                for reduce, found in sums_per_class(block).items():
                    rewrite(Writer(reduce), found.written)
                    count("sums over one-hot rows replaced")


@dataclass(frozen=True)
class SumPerClass:
    """
    A sum of `values`, or of ones, over the elements whose id is the index along `axis` of the result. Ids and values are read from the
    iteration axes of the sum, which have `sizes` and of which the first `rank` are those of the result.
    """

    rank: int
    sizes: tuple[int, ...]
    axis: int
    ids: Access
    values: Access | None

    @property
    def rows(self) -> list[int]:
        """The axes of the result without that of the classes."""
        return [k for k in range(self.rank) if k != self.axis]

    @property
    def elements(self) -> list[int]:
        """The sizes of the rows, and the number of elements of each."""
        return [*(self.sizes[k] for k in self.rows), prod(self.sizes[self.rank :])]

    def written(self, op: tiny.ReduceOp, write: Writer) -> SSAValue:
        """Writes the scatter. Ids of no class are those of one more class, which is dropped."""
        classes, ids = self.sizes[self.axis], self.moved(self.ids, write)
        ids = ids if bit_width(element(ids)) >= POSITION.width.data else write.cast(ids, POSITION)
        bits = write.bitcast(ids, IntegerType(bit_width(element(ids)), Signedness.UNSIGNED))
        ids = write.cast(write.binary("min", bits, write.literal(classes, element(bits))), POSITION)
        values = write.literal(1, op.accum) if self.values is None else self.moved(self.values, write)
        values = write.expand(write.reduce("sum", values, [], op.accum), self.elements)
        total = Scattered(write, ids, self.rank - 1, classes + 1).total("sum", values, op.accum)
        total = write.shrink(total, [0] * self.rank, [*self.elements[:-1], classes])
        return write.permute(total, [*range(self.axis), self.rank - 1, *range(self.axis, self.rank - 1)])

    def moved(self, at: Access, write: Writer) -> SSAValue:
        """Writes what an access reads along the axes of `elements`, with size 1 along rows on which it does not depend."""
        read = whole_axes(at, self.sizes)
        kept = [read[k] for k in range(len(self.sizes)) if k in read]
        x = write.permute(at.value, [*(a for a in range(len(shape(at.value))) if a not in kept), *kept])
        x = write.reshape(x, [self.sizes[k] if k in read else 1 for k in range(len(self.sizes)) if k != self.axis])
        x = write.expand(x, [*sizes(x)[: self.rank - 1], *self.sizes[self.rank :]])
        return write.reshape(x, [*sizes(x)[: self.rank - 1], self.elements[-1]])


def sums_per_class(block: Block) -> Mapping[tiny.ReduceOp, SumPerClass]:
    """Returns the sums of a block that are faster as scatters."""
    sums = [o for o in block.ops if isinstance(o, tiny.ReduceOp) and o.fn.data == "sum" and is_integer(o.accum)]
    if not sums:
        return {}
    contracted = {op for c in contractions(block).values() for op in (c.op, *c.interior)}
    book = index_book(block)
    positions, found = Positions(book), dict[tiny.ReduceOp, SumPerClass]()
    for op in sums:
        if op not in contracted and (s := sum_per_class(op, book, positions)) is not None:
            *rows, size = s.elements
            if is_scattered(size, s.sizes[s.axis] + 1, prod(rows), "sum", op.accum):
                found[op] = s
    return found


def sum_per_class(op: tiny.ReduceOp, book: IndexBook, positions: Positions) -> SumPerClass | None:
    """Returns the classes, ids and values of a sum over one-hot rows, or None if it is no such sum."""
    of = known_sizes(sizes(op.input))
    if of is None or 0 in of:
        return None
    info = book[op.result]
    for axis in range(info.rank):
        columns = Columns(book, positions, info.static_sizes, axis)
        if (term := term_of(info.accesses[0], columns)) is None:
            return None
        truth, values = term
        if (ids := ids_of(truth, columns)) is not None:
            read = values and whole(values, columns)
            return None if values and not read else SumPerClass(info.rank, columns.sizes, axis, ids, read)
    return None


def term_of(at: Access, columns: Columns) -> tuple[Access, Access | None] | None:
    """Returns the predicate that selects a term, and the term, or None for a one; None if terms are not selected."""
    op, read = at.value.owner, columns.operands(at)
    match op:
        case tiny.MovementOp() if read:
            return term_of(read[0], columns)
        case tiny.UnaryOp() if op.fn.data == "cast" and is_predicate(element(op.input)):
            return read[0], None
        case tiny.BinaryOp() if op.fn.data == "where" and is_zero(op.inputs[2]):
            return read[0], read[1]
        case _:
            return None


def ids_of(at: Access, columns: Columns) -> Access | None:
    """Returns the integers that a predicate compares with the number of the column, or None if it is another predicate."""
    op, read = at.value.owner, columns.operands(at)
    match op:
        case tiny.MovementOp() if read:
            return ids_of(read[0], columns)
        case tiny.BinaryOp() if op.fn.data == "eq" and is_integer(element(op.inputs[0])):
            pairs = read, read[::-1]
            return next((whole(ids, columns) for column, ids in pairs if columns.is_column(column)), None)
        case _:
            return None


def whole(at: Access, columns: Columns) -> Access | None:
    """
    Returns an access to the same elements each of whose axes is an iteration axis other than that of the columns: that, or one of a value
    from which it is moved. None if there is none.
    """
    while True:
        read = whole_axes(at, columns.sizes)
        if len(read) == sum(size > 1 for size in shape(at.value)) and columns.axis not in read:
            return at
        inner = columns.operands(at) if isinstance(at.value.owner, tiny.MovementOp) else []
        if not inner:
            return None
        (at,) = inner


def whole_axes(at: Access, of: tuple[int, ...]) -> dict[int, int]:
    """Returns, for each iteration axis that is an axis of the value with more than one element, this axis. `of` are the iteration's sizes."""
    rank, found = len(of), dict[int, int]()
    for axis, size in enumerate(shape(at.value)):
        for k in [k for k in range(rank) if of[k] == size > 1]:
            if at.map.get_at(axis).plain_is_equal(affine.make_map(rank, [f"i{k}"]).get_at(0)):
                found[k] = axis
    return found
