"""Replaces the operands of one name of an op."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerType, i32
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation

from ..dialects.common.syntax import ints

SIZES = "operandSegmentSizes"


def set_operands(op: IRDLOperation, name: str, values: Sequence[SSAValue]) -> None:
    """Replaces the operands that the definition of `op` calls `name`, which may be a different number."""
    names = _names(type(op))
    at = names.index(name)
    if isinstance(given := op.properties.get(SIZES), DenseArrayBase):
        sizes = list(ints(cast(DenseArrayBase[IntegerType], given)))
    else:  # only one of the definitions is variadic
        rest = len(op.operands) - len(names) + 1
        sizes = [rest if n == name else 1 for n in names]
    first = list(accumulate(sizes, initial=0))[at]
    op.operands = [*op.operands[:first], *values, *op.operands[first + sizes[at] :]]
    if SIZES in op.properties:
        sizes[at] = len(values)
        op.properties[SIZES] = _attribute(tuple(sizes))


@cache
def _names(op: type[IRDLOperation]) -> list[str]:
    return [name for name, _ in op.get_irdl_definition().operands]


@cache
def _attribute(sizes: tuple[int, ...]) -> DenseArrayBase[IntegerType]:
    return DenseArrayBase.from_list(i32, sizes)
