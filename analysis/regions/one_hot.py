"""
Sums of rows with at most one term that is not zero, at a position that a number for each row gives: the logit of a target.

```
%hit = tiny.binary eq %iota, %targets                  column j of row i: j = target[i]
%picked = tiny.binary where %hit, %x, %zeros
tiny.reduce sum %picked axes [1]                =      x[i, target[i]], or 0 if there is no such column
```

Kernels compute the term at this position alone. Other terms may be NaN: they are not selected.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import copysign

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue

from ...dialects import ptir, tiny
from ...dialects.common.numbers import first_number
from ...dialects.common.shapes import element, is_complex
from ...text.literals import splat
from ..index import affine
from ..index.book import IndexBook
from ..index.info import Access, compose_access
from ..index.positions import Positions
from .upstream import upstream


@dataclass(frozen=True)
class OneHot:
    """The reduced axis of a one-hot sum, and the access from its iteration axes to the number of the column of its only term."""

    axis: int
    position: Access


def one_hot_sums(ops: Iterable[Operation], book: IndexBook) -> Mapping[Operation, OneHot]:
    """Returns the one-hot sums among `ops`."""
    positions = Positions(book)
    found = {op: one_hot(op, book, positions) for op in ops if isinstance(op, tiny.ReduceOp) and op.fn.data == "sum"}
    return {op: at for op, at in found.items() if at is not None}


def one_hot(op: tiny.ReduceOp, book: IndexBook, positions: Positions) -> OneHot | None:
    """Returns where the only term of a sum is, or None if that is not known, or if several reduced axes have more than one element."""
    info = book[op.result]
    sizes = info.static_sizes
    wide = [k for k in range(info.rank, len(sizes)) if sizes[k] > 1]
    if len(wide) != 1 or is_complex(element(op.input)):
        return None
    found = Columns(book, positions, sizes, wide[0]).of_term(info.accesses[0])
    return None if found is None or reports(op.input) else OneHot(wide[0], found)


@dataclass(frozen=True)
class Columns:
    """Searches the values that a sum with iteration axes of `sizes` reads. The columns of its rows are the points of `axis`."""

    book: IndexBook
    positions: Positions
    sizes: tuple[int, ...]
    axis: int

    def operands(self, at: Access) -> list[Access]:
        """Returns the accesses to the operands of a value, none if it is padded or read at indices given by data."""
        info = self.book[at.value]
        if info.positions or any(access.guard is not None for access in info.accesses):
            return []
        return [compose_access(access, at, self.sizes) for access in info.accesses]

    def of_term(self, at: Access) -> Access | None:
        """Returns the position of the only column at which a value may not be zero, or None if that is not known."""
        match op := at.value.owner:
            case tiny.BinaryOp() if op.fn.data == "where" and is_zero(op.inputs[2]):
                condition, value, _ = self.operands(at)
                return self.of_truth(condition) or self.of_term(value)
            case tiny.MovementOp() | tiny.UnaryOp() if not isinstance(op, tiny.UnaryOp) or op.fn.data == "cast":
                return next(map(self.of_term, self.operands(at)), None)
            case _:
                return None

    def of_truth(self, at: Access) -> Access | None:
        """Returns the position of the only column at which a predicate may be true, or None if that is not known."""
        match op := at.value.owner:
            case tiny.BinaryOp() if op.fn.data == "eq":
                left, right = self.operands(at)
                pairs = (left, right), (right, left)
                return next((other for column, other in pairs if self.is_column(column) and self.is_once(other)), None)
            case tiny.MovementOp() | tiny.BinaryOp() if isinstance(op, tiny.MovementOp) or op.fn.data == "and":
                return next(filter(None, map(self.of_truth, self.operands(at))), None)
            case _:
                return None

    def is_column(self, at: Access) -> bool:
        """Whether the elements of a value are the numbers of their columns."""
        if (number := self.positions.integer(at.value)) is None:
            return False
        column = affine.make_map(len(self.sizes), [f"i{self.axis}"]).get_at(0)
        return affine.box(self.sizes).is_subset(number.pullback_multi_aff(at.map).eq_set(column))

    def is_once(self, at: Access) -> bool:
        """Whether a value is the same at all columns."""
        if not affine.uses_axis(at.map, self.axis):
            return True
        elementwise = isinstance(at.value.owner, tiny.MovementOp | tiny.UnaryOp | tiny.BinaryOp)
        read = self.operands(at) if elementwise else []
        return bool(read) and all(map(self.is_once, read))


def is_zero(value: SSAValue) -> bool:
    """Whether all elements of a value are a constant 0; not -0, which would be the sum of terms that are."""
    while isinstance(op := value.owner, tiny.MovementOp) and op.kind.data != "pad":
        value = op.input
    if not isinstance(op, tiny.ConstOp) or splat(op.value) is None:
        return False
    number = first_number(op.value)
    if isinstance(number, FloatAttr):
        return number.value.data == 0 and copysign(1, number.value.data) > 0
    return isinstance(number, IntegerAttr) and number.value.data == 0


def reports(value: SSAValue) -> bool:
    """Whether an op that is needed to compute a value may fail: then it does at every element, also at those that are not selected."""
    owners = (v.owner for v in upstream([value]))
    return any(isinstance(op, tiny.BinaryOp | ptir.GatherOp) and op.report is not None for op in owners)
