"""
Computes a softmax of scores and a column that is joined to them, such as attention sinks, from the parts, so that
`analysis/regions/attention.py` finds it:

```
%x = concat(%s, %c)                      %m = max(max_k %s, %c)
%m = max_k %x                            %e = exp(%s - %m)
%e = exp(%x - %m)                 →      %l = Σ_k %e + exp(%c - %m)
%l = Σ_k %e                              %w = %e / %l
%w = (%e / %l) without the column
```

`tiny` joins arrays by a choice of padded ones. What is between it and the ends, which are reductions along the joined axis and slices of one
part, is elementwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ...analysis.index import affine
from ...analysis.index.book import index_book
from ...analysis.index.positions import Positions
from ...analysis.regions.chained import inner_products
from ...analysis.regions.contraction import contractions_of_vectors
from ...analysis.regions.softmax import is_exponential
from ...analysis.regions.upstream import upstream
from ...dialects import tiny
from ...dialects.common.shapes import element, shape
from ..op_writer import rewrite
from ..ptir_to_tiny.writer import Writer
from .quotients import erase_unused

COMBINED = {"max": "max", "min": "min", "sum": "add"}
"""The op that combines the reductions of both parts."""


def split_joined_rows(function: FuncOp) -> None:
    """Computes what a function reduces of scores with a column, and slices from it, from the scores and the column."""
    if not any(map(is_exponential, function.body.block.ops)):
        return
    found, positions = contractions_of_vectors(function), Positions(index_book(function))
    for join in list(_joins(function, positions)):
        if any(next(inner_products(part, found), None) for part in join.parts) and (ends := join.ends()):
            for end in ends:
                rewrite(Writer(end), join.end)
            join.erase()


@dataclass
class Join:
    """Two arrays that are joined along an axis, one of which has one element there."""

    op: tiny.BinaryOp
    axis: int
    parts: tuple[SSAValue, SSAValue]
    values: dict[SSAValue, None] = field(default_factory=dict[SSAValue, None])
    """The joined array and what is computed from it, in order."""
    known: dict[tuple[SSAValue, int], SSAValue] = field(default_factory=dict[tuple[SSAValue, int], SSAValue])
    """The parts of values, by the number of the part, that are written."""

    def ends(self) -> list[Operation]:
        """Returns the reductions and slices of the values, in order; none if other ops read them, or if they are no softmax. Sets `values`."""
        todo, seen, ends = [self.op.result], {self.op.result}, set[Operation]()
        while todo:
            for use in todo.pop().uses:
                op = use.operation
                if self.is_elementwise(op):
                    todo += [r for r in op.results if r not in seen]
                    seen |= set(op.results)
                elif self.is_end(op):
                    ends.add(op)
                else:
                    return []
        ops = () if self.op.parent is None else self.op.parent.ops
        self.values = dict.fromkeys(op.results[0] for op in ops if op.results and op.results[0] in seen)
        is_softmax = any(is_exponential(v.owner) for v in seen) and any(isinstance(e, tiny.MovementOp) for e in ends)
        return [op for op in ops if op in ends] if is_softmax else []

    def is_elementwise(self, op: Operation) -> bool:
        """Returns whether an op computes each element of the joined axis from those of its operands there."""
        plain = isinstance(op, tiny.UnaryOp) or (isinstance(op, tiny.BinaryOp) and op.failure is None)
        return plain and shape(op.results[0]) == shape(self.op.result)

    def is_end(self, op: Operation) -> bool:
        if isinstance(op, tiny.ReduceOp):
            return op.axes() == (self.axis,) and op.fn.data in COMBINED
        return isinstance(op, tiny.MovementOp) and op.kind.data == "shrink" and self.sliced(op) is not None

    def sliced(self, op: tiny.MovementOp) -> int | None:
        """Returns the number of the part that a slice has, or None if it has another one."""
        start, to, whole = op.starts(), shape(op.result), shape(self.op.result)
        if any(to[k] != whole[k] for k in range(len(whole)) if k != self.axis):
            return None
        spans = [
            (0, shape(self.parts[0])[self.axis]),
            (shape(self.parts[0])[self.axis], shape(self.parts[1])[self.axis]),
        ]
        span = start[self.axis], to[self.axis]
        return spans.index(span) if span in spans else None

    def end(self, op: Operation, write: Writer) -> SSAValue:
        """Writes an end from the parts of its operand."""
        if isinstance(op, tiny.MovementOp):
            return self.part(op.input, cast(int, self.sliced(op)), write)
        reduce = cast(tiny.ReduceOp, op)
        one, other = (self.reduced(self.part(reduce.input, number, write), reduce, write) for number in (0, 1))
        return write.binary(COMBINED[reduce.fn.data], one, other)

    def reduced(self, part: SSAValue, op: tiny.ReduceOp, write: Writer) -> SSAValue:
        if shape(part)[self.axis] > 1:
            return write.reduce(op.fn.data, part, op.axes(), op.accum)
        return write.cast(write.reshape(part, shape(op.result)), element(op.result))

    def part(self, value: SSAValue, number: int, write: Writer) -> SSAValue:
        """Writes a part of a value, and what it is computed from."""
        needed = set(upstream([value], lambda v: v not in self.values))
        self.known[self.op.result, number] = self.parts[number]
        for v in self.values:
            if v in needed and (v, number) not in self.known:
                op = cast(Operation, v.owner)
                operands = [self.known.get((o, number)) or self.sliced_operand(o, number, write) for o in op.operands]
                if isinstance(op, tiny.UnaryOp):
                    self.known[v, number] = write.unary(op.fn.data, operands[0], element(v))
                else:
                    self.known[v, number] = write.binary(cast(tiny.BinaryOp, op).fn.data, *operands)
        return self.known[value, number]

    def sliced_operand(self, value: SSAValue, number: int, write: Writer) -> SSAValue:
        """Writes the part of an operand that does not depend on the joined arrays."""
        of, by = shape(value), value.owner
        axis = self.axis - len(shape(self.op.result)) + len(of)
        if axis < 0 or of[axis] == 1:
            return value
        size, start = shape(self.parts[number])[axis], number * shape(self.parts[0])[axis]
        to = [size if k == axis else n for k, n in enumerate(of)]
        if isinstance(by, tiny.MovementOp) and by.kind.data == "expand" and _repeats(by, axis):
            return write.expand(by.input, to)
        return write.shrink(value, [start if k == axis else 0 for k in range(len(of))], to)

    def erase(self) -> None:
        """Erases the values, which nothing reads any more."""
        for value in reversed(self.values):
            if value is not self.op.result:
                Rewriter.erase_op(cast(Operation, value.owner))
        erase_unused(self.op)


def _joins(function: FuncOp, positions: Positions) -> Iterator[Join]:
    """Yields the joins of an array and a column."""
    for op in function.body.block.ops:
        if not isinstance(op, tiny.BinaryOp) or op.fn.data != "where":
            continue
        (predicate, *sides), whole = op.operands, shape(op.result)
        pads = [side.owner for side in sides]
        padded = all(isinstance(pad, tiny.MovementOp) and pad.kind.data == "pad" for pad in pads)
        if not padded or min(whole, default=0) < 0:
            continue
        parts = tuple(cast(tiny.MovementOp, pad).input for pad in pads)
        axes = [k for k, size in enumerate(whole) if any(shape(part)[k] != size for part in parts)]
        if len(axes) != 1 or any(shape(side) != whole for side in sides):
            continue
        (axis,) = axes
        first, second = (shape(part)[axis] for part in parts)
        low = [cast(tiny.MovementOp, pad).pads()[0][axis] for pad in pads]
        where = positions.condition(predicate)
        if low != [0, first] or first + second != whole[axis] or 1 not in (first, second) or where is None:
            continue
        offset = len(whole) - len(shape(predicate))
        if axis < offset or shape(predicate)[axis - offset] != whole[axis]:
            continue
        points = affine.box(shape(predicate))
        is_first = affine.make_set(shape(predicate), [f"i{axis - offset} < {first}"])
        if where.intersect(points).is_equal(is_first.intersect(points)):
            yield Join(op, axis, cast(tuple[SSAValue, SSAValue], parts))


def _repeats(op: tiny.MovementOp, axis: int) -> bool:
    """Returns whether an expansion repeats its operand along an axis."""
    of = shape(op.input)
    offset = len(shape(op.result)) - len(of)
    return axis < offset or of[axis - offset] == 1
