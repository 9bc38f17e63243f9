"""Fields that only one or two ops have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, cast

from msgspec import UNSET, UnsetType
from xdsl.dialects.builtin import DenseArrayBase, DictionaryAttr, FloatAttr, StringAttr, f64, i32
from xdsl.ir import Attribute, SSAValue

from ....dialects.common.shapes import element, shape
from ....dialects.ptir.dims import sizes
from ..common.errors import Unrepresentable
from .attributes import CallAttribute, read_attributes, write_attributes
from .fields import Draft, Field, WrittenOp, of_property, of_result, write_plain_size
from .values import (
    F64,
    Dimension,
    Dtype,
    Natural,
    Tagged,
    TensorLiteral,
    read_float,
    read_literal,
    write_dtype,
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

    def write(t: Attribute) -> list[ReshapeDim | str]:
        return ["Infer" if size is None else ReshapeDim(explicit=write_size(size)) for size in sizes(t)]

    def read(draft: Draft, value: list[ReshapeDim | str]) -> None:
        (output,) = draft.results
        want = write(output)
        if value.count("Infer") > 1:
            raise Unrepresentable("'new_shape' infers two sizes", "one size at most is inferred")
        if len(value) != len(want) or any(v not in ("Infer", w) for v, w in zip(value, want, strict=True)):
            raise Unrepresentable(
                "'new_shape' and the shape of the output differ", "the output has the sizes of 'new_shape'"
            )

    return Field("new_shape", list[ReshapeDim | Literal["Infer"]], lambda w: write(w.op.results[0].type), read)


def indices_dtype() -> Field:
    """The element type of the second result."""

    def read(draft: Draft, value: str) -> None:
        if len(draft.results) != 2 or value != write_dtype(element(draft.results[1])):
            raise Unrepresentable("'indices_dtype' and the element type of the second output differ")

    return Field("indices_dtype", Dtype, lambda w: write_dtype(element(w.op.results[1])), read)


def update_sizes() -> Field:
    """The sizes of the second operand."""

    def write(value: Any) -> list[int | Dimension]:
        return [write_plain_size(size) for size in sizes(value)]

    def read(draft: Draft, value: list[int | Dimension]) -> None:
        if len(draft.operands) > 1 and value != write(draft.operands[1]):
            raise Unrepresentable("'sizes' and the shape of the update differ")

    return Field("sizes", list[Natural | Dimension], lambda w: write(w.op.operands[1]), read)


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

    def write(w: WrittenOp) -> dict[str, Any]:
        attr = w.op.properties.get(prop)
        return {} if attr is None else write_attributes(cast(DictionaryAttr, attr))

    def read(draft: Draft, value: dict[str, Any]) -> None:
        if value or always:
            draft.properties[prop] = read_attributes(value)

    return Field(name, dict[str, CallAttribute], write, read, {}, (prop,))


def optional_result_dtype(name: str) -> Field:
    """The element type of the result, or null for that of the output."""
    return of_result(name, Dtype | None, lambda t: write_dtype(t.element_type), None)


def filter_axes(properties: Mapping[str, Attribute], operands: Sequence[SSAValue]) -> int:
    """Returns the number of spatial axes of a convolution."""
    return len(shape(operands[1])) - 2 if len(operands) > 1 else 0


_SEGMENTS = "operandSegmentSizes"


def carry_count() -> Field:
    """The number of carried operands. The others are scanned."""

    def write(w: WrittenOp) -> int:
        return int(cast("DenseArrayBase[Any]", w.op.properties[_SEGMENTS]).get_values()[0])

    def read(draft: Draft, value: int) -> None:
        rest = len(draft.operands) - value
        if rest < 0:
            raise Unrepresentable(f"'carry_count' is {value}, and there are {len(draft.operands)} operands")
        draft.properties[_SEGMENTS] = DenseArrayBase.from_list(i32, [value, rest])

    return Field("carry_count", Natural, write, read, holds=(_SEGMENTS,))


def scan_output_count() -> Field:
    """The number of stacked results, which follow the carried ones."""

    def count(properties: dict[str, Attribute], results: Sequence[Any]) -> int:
        return len(results) - int(cast("DenseArrayBase[Any]", properties[_SEGMENTS]).get_values()[0])

    def read(draft: Draft, value: int) -> None:
        if value != (got := count(draft.properties, draft.results)):
            raise Unrepresentable(
                f"'scan_output_count' is {value}, and the output has {got} beside those that are carried"
            )

    return Field("scan_output_count", Natural, lambda w: count(w.op.properties, w.op.results), read)
