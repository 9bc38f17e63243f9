"""
Integers and conditions that depend only on the position of an element.

```
%i = tiny.iota axis 0;  %j = tiny.iota axis 1                   { [i0, i1] -> [i0] }, { [i0, i1] -> [i1] }
%c = tiny.binary ge %i, %j                                      { [i0, i1] : i0 >= i1 }
```

A `where` with such a condition reads each operand only at the positions where it is selected. A concatenation, which is lowered to
a `where` of pads, therefore only reads its operands: the padding is never selected.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import cast

import islpy as isl
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import SSAValue
from xdsl.utils.hints import isa

from ...dialects import tiny
from ...dialects.common.numbers import first_number
from ...dialects.common.shapes import element, is_predicate, is_unsigned, shape
from ...text.literals import splat
from . import affine
from .book import IndexBook
from .info import Access

ARITHMETIC: Mapping[str, Callable[[isl.Aff, isl.Aff], isl.Aff]] = {"add": isl.Aff.add, "sub": isl.Aff.sub}
DIVISIONS: Mapping[str, Callable[[isl.Aff, isl.Val], isl.Aff]] = {
    "div": lambda a, by: a.scale_down_val(by).floor(),
    "remainder": isl.Aff.mod_val,
}
COMPARES: Mapping[str, Callable[[isl.Aff, isl.Aff], isl.Set]] = {
    "eq": isl.Aff.eq_set,
    "ne": isl.Aff.ne_set,
    "lt": isl.Aff.lt_set,
    "le": isl.Aff.le_set,
    "gt": isl.Aff.gt_set,
    "ge": isl.Aff.ge_set,
}
LOGIC: Mapping[str, Callable[[isl.Set, isl.Set], isl.Set]] = {"and": isl.Set.intersect, "or": isl.Set.union}


@dataclass
class Positions:
    """Values of an IndexBook as functions of the position, which is given by the value's axes, on the box of their sizes."""

    book: IndexBook
    integers: dict[SSAValue, isl.Aff | None] = field(default_factory=dict[SSAValue, isl.Aff | None])
    conditions: dict[SSAValue, isl.Set | None] = field(default_factory=dict[SSAValue, isl.Set | None])

    def condition(self, value: SSAValue) -> isl.Set | None:
        """Returns the positions at which an i1 tensor is true, or None if the tensor also depends on data."""
        if value not in self.conditions:
            self.conditions[value] = self._condition(value) if is_predicate(element(value)) else None
        return self.conditions[value]

    def integer(self, value: SSAValue) -> isl.Aff | None:
        """Returns an integer tensor as a function of the position, or None if the tensor also depends on data or may wrap."""
        if value not in self.integers:
            at = self._integer(value) if isa(element(value), IntegerType) else None
            self.integers[value] = at if at is not None and self._fits(value, at) else None
        return self.integers[value]

    def _condition(self, value: SSAValue) -> isl.Set | None:
        op = value.owner
        match op:
            case tiny.BinaryOp() if op.fn.data in COMPARES:
                left, right = map(self._integer_of, self.book[value].accesses)
                return None if left is None or right is None else COMPARES[op.fn.data](left, right)
            case tiny.BinaryOp() if op.fn.data in LOGIC:
                left, right = map(self._condition_of, self.book[value].accesses)
                return None if left is None or right is None else LOGIC[op.fn.data](left, right)
            case tiny.UnaryOp() if op.fn.data == "not":
                inner = self._condition_of(self.book[value].accesses[0])
                return None if inner is None else inner.complement()
            case tiny.MovementOp():
                return self._condition_of(self.book[value].accesses[0])
            case _:
                return None

    def _integer(self, value: SSAValue) -> isl.Aff | None:
        op, rank = value.owner, len(shape(value))
        match op:
            case tiny.IotaOp():
                return affine.make_map(rank, [f"i{op.axis()}"]).get_at(0)
            case tiny.ConstOp() if splat(op.value) is not None:
                number = cast(IntegerAttr, first_number(op.value))
                return affine.make_map(rank, [str(number.value.data)]).get_at(0)
            case tiny.MovementOp():
                return self._integer_of(self.book[value].accesses[0])
            case tiny.UnaryOp() if op.fn.data == "cast":
                return self._integer_of(self.book[value].accesses[0])
            case tiny.BinaryOp() if op.fn.data in ARITHMETIC:
                left, right = map(self._integer_of, self.book[value].accesses)
                return None if left is None or right is None else ARITHMETIC[op.fn.data](left, right)
            case tiny.BinaryOp() if op.fn.data == "mul":
                left, right = map(self._integer_of, self.book[value].accesses)
                if left is None or right is None or not (left.is_cst() or right.is_cst()):
                    return None
                return left.mul(right)
            case tiny.BinaryOp() if op.fn.data in DIVISIONS:
                left, right = map(self._integer_of, self.book[value].accesses)
                if (
                    left is None
                    or right is None
                    or not right.is_cst()
                    or (by := right.get_constant_val()).to_python() < 1
                ):
                    return None
                least = affine.box(shape(value)).min_val(left).to_python()
                return DIVISIONS[op.fn.data](left, by) if least >= 0 else None  # where quotients are rounded down
            case _:
                return None

    def _integer_of(self, access: Access) -> isl.Aff | None:
        at = None if access.guard is not None else self.integer(access.value)
        return None if at is None else at.pullback_multi_aff(access.map)

    def _condition_of(self, access: Access) -> isl.Set | None:
        where = None if access.guard is not None else self.condition(access.value)
        return None if where is None else where.preimage_multi_aff(access.map)

    def _fits(self, value: SSAValue, at: isl.Aff) -> bool:
        """Whether the integer is in the range of the element type at every position."""
        dtype, box = cast(IntegerType, element(value)), affine.box(shape(value))
        width, unsigned = dtype.width.data, is_unsigned(dtype)
        least, most = (0, 2**width - 1) if unsigned else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
        return least <= int(box.min_val(at).to_python()) and int(box.max_val(at).to_python()) <= most
