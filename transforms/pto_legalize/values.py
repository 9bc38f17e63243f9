"""Represents a tile of the program while its kernel is legalized: a tile, or a row, a column or a number that ops broadcast."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import AnyFloat, DenseArrayBase, FloatAttr, IntegerAttr, IntegerType, i1, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from ...dialects import pto
from ...dialects.common.numbers import Number
from ...dialects.common.shapes import is_float
from ...dialects.common.syntax import ints
from ...dialects.ptir.functions import bit_width
from ...dialects.pto.indices import split

Size = int | SSAValue


@dataclass(frozen=True)
class Full:
    """A tile, with its valid extents."""

    tile: SSAValue
    extents: tuple[Size, Size]

    @property
    def type(self) -> pto.TileType:
        return pto.tile_type(self.tile)

    @property
    def sizes(self) -> tuple[int, int]:
        rows, columns = self.type.sizes
        return rows, columns


@dataclass(frozen=True)
class Line:
    """A tile of one column whose elements are repeated along rows or, if `is_row`, of one row whose elements are repeated along columns."""

    inner: Full
    is_row: bool


@dataclass(frozen=True)
class Splat:
    """A number in all elements."""

    number: Number

    @classmethod
    def of(cls, number: int, dtype: Attribute) -> Splat:
        """Returns an integer as a number of a real type. It wraps in a signed integer type."""
        if is_float(dtype):
            return cls(FloatAttr(number, cast(AnyFloat, dtype)))
        half = 1 << bit_width(dtype) - 1
        return cls(
            IntegerAttr(number if dtype == i1 else (number + half) % (2 * half) - half, cast(IntegerType, dtype))
        )


@dataclass(frozen=True)
class InBox:
    """A predicate that holds at the points of the index space, and thus in the valid region of a tile of these sizes."""

    sizes: tuple[int, int]
    extents: tuple[Size, Size]


Value = Full | Line | Splat | InBox


def held(dtype: Attribute) -> Attribute:
    """Returns the type of a tile with the bits of these elements: PTO has vectors of signless integers."""
    return IntegerType(dtype.width.data) if isa(dtype, IntegerType) else dtype


def dtype_of(value: Value) -> Attribute:
    """Returns the element type of a value."""
    match value:
        case Full():
            return value.type.element_type
        case Line():
            return value.inner.type.element_type
        case Splat(number=FloatAttr() | IntegerAttr() as number):
            return number.type
        case _:
            return i1


def valid(op: pto.InstructionOp, extents: tuple[Size, Size]) -> Operation:
    """Gives a new op a valid region, if that is not the whole tile, and returns it."""
    if list(extents) != list(pto.tile_type(op.results[0]).sizes):
        static, values = split(extents)
        segments = [*ints(cast("DenseArrayBase[IntegerType]", op.properties["operandSegmentSizes"]))[:-1], len(values)]
        op.operands = [*op.operands, *values]
        op.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, segments)
        op.properties["static_valid"] = DenseArrayBase.from_list(i64, static)
    return op
