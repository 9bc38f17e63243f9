"""Construction of ops from Python values."""

from __future__ import annotations

import abc
from collections.abc import Sequence

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, StringAttr, UnitAttr, f64, i64
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import IRDLOperation

from .syntax import axes_attr

Parameter = Attribute | str | bool | int | float | Sequence[int] | None


def properties(**parameters: Parameter) -> dict[str, Attribute]:
    """
    Converts Python values to the properties of an op. None and False are left out. True becomes a unit attribute, an integer
    an i64, a float an f64, a sequence of integers an array of i64.

    >>> {name: str(attribute) for name, attribute in properties(axis=1, kind="sum", keepdims=False, accum=None).items()}
    {'axis': '1 : i64', 'kind': '"sum"'}
    """
    return {name: _attribute(value) for name, value in parameters.items() if value is not None and value is not False}


def _attribute(value: Attribute | str | bool | int | float | Sequence[int]) -> Attribute:
    match value:
        case Attribute():
            return value
        case str():
            return StringAttr(value)
        case bool():
            return UnitAttr()
        case float():
            return FloatAttr(value, f64)
        case Sequence():
            return axes_attr(value)
        case _:
            return IntegerAttr(value, i64)


class DialectOp(IRDLOperation, abc.ABC):
    """Base of ops whose constructor takes Python values for properties and converts them with `properties`."""

    def __init__(
        self,
        operands: Sequence[SSAValue | Sequence[SSAValue]] = (),
        result_types: Sequence[Attribute | Sequence[Attribute]] = (),
        regions: Sequence[Region | Block] = (),
        **parameters: Parameter,
    ):
        super().__init__(
            operands=operands,
            result_types=result_types,
            regions=[Region(r) if isinstance(r, Block) else r for r in regions],
            properties=properties(**parameters),
        )
