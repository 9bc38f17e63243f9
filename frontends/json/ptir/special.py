"""Fields that only one or two ops have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, cast

from msgspec import UNSET, UnsetType
from xdsl.dialects.builtin import DenseArrayBase, DictionaryAttr, FloatAttr, StringAttr, f64, i32

from ....dialects.common.shapes import shape
from ....dialects.ptir.dims import sizes
from ....errors import counted
from ..common.errors import Unrepresentable
from .attributes import CallAttribute, read_attributes, write_attributes
from .fields import Field, OpParts, fact, of_property
from .values import (
    F64,
    Dimension,
    Natural,
    Tagged,
    TensorLiteral,
    read_float,
    read_literal,
    write_float,
    write_literal,
    write_size,
)


class ReshapeDim(Tagged):
    """A size of a reshape that is not `Infer`."""

    explicit: Dimension | UnsetType = UNSET


def literal() -> Field:
    """The literal of a constant. An unused constant is an instruction even if it is marked `inline`."""
    return replace(of_property("value", TensorLiteral, write_literal, read_literal), holds=("value", "inline"))


def new_shape() -> Field:
    """The sizes of a reshape. A size that is inferred at run time is `Infer`."""

    def write(op: OpParts) -> list[ReshapeDim | str]:
        return ["Infer" if size is None else ReshapeDim(explicit=write_size(size)) for size in sizes(op.results[0])]

    def read(op: OpParts, value: list[ReshapeDim | str]) -> None:
        want = write(op)
        if value.count("Infer") > 1:
            raise Unrepresentable("'new_shape' infers two sizes", "one size at most is inferred")
        if len(value) != len(want) or any(v not in ("Infer", w) for v, w in zip(value, want, strict=True)):
            raise Unrepresentable(
                "'new_shape' and the shape of the output differ", "the output has the sizes of 'new_shape'"
            )

    return Field("new_shape", list[ReshapeDim | Literal["Infer"]], write, read)


def float_number(name: str) -> Field:
    return of_property(
        name, F64, lambda attr: write_float(attr.value.data), lambda value: FloatAttr(read_float(value), f64)
    )


def largest() -> Field:
    return of_property(
        "largest",
        bool,
        lambda attr: attr.data == "largest",
        lambda value: StringAttr("largest" if value else "smallest"),
        "order",
    )


def string(name: str, prop: str | None = None) -> Field:
    return of_property(name, str, lambda attr: attr.data, StringAttr, prop)


def attributes(name: str, prop: str, *, always: bool) -> Field:
    """A map of attributes. Without `always`, the IR omits an empty one."""

    def read(op: OpParts, value: dict[str, Any]) -> None:
        if value or always:
            op.properties[prop] = read_attributes(value)

    def write(op: OpParts) -> dict[str, Any]:
        return write_attributes(cast(DictionaryAttr, op.properties.get(prop, DictionaryAttr({}))))

    return Field(name, dict[str, CallAttribute], write, read, {}, (prop,))


def filter_axes(op: OpParts) -> int:
    """Returns the number of spatial axes of a convolution."""
    return len(shape(op.operands[1])) - 2 if len(op.operands) > 1 else 0


_SEGMENTS = "operandSegmentSizes"


def _carried(op: OpParts) -> int:
    return int(cast("DenseArrayBase[Any]", op.properties[_SEGMENTS]).get_values()[0])


def carry_count() -> Field:
    """The number of carried operands. The others are scanned."""

    def read(op: OpParts, value: int) -> None:
        rest = len(op.operands) - value
        if rest < 0:
            raise Unrepresentable(f"'carry_count' is {value}, but the op has {counted(len(op.operands), 'operand')}")
        op.properties[_SEGMENTS] = DenseArrayBase.from_list(i32, [value, rest])

    return Field("carry_count", Natural, _carried, read, holds=(_SEGMENTS,))


def scan_output_count() -> Field:
    """The number of stacked results, which follow the carried ones."""
    what = "the output, beside the carried values,"
    return fact("scan_output_count", Natural, lambda op: len(op.results) - _carried(op), what)
