"""
Fields of operations: their names and types in JSON, and the conversion of an op's properties, types and regions from and
to their values.

A field that repeats a fact of a type (`dtype` of a cast, `sizes` of a slice) is written from the type. Reading it only
checks that it agrees with the type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from msgspec import NODEFAULT, UNSET, UnsetType
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, StringAttr, TensorType, UnitAttr, i64
from xdsl.ir import Attribute, Region, SSAValue

from ....dialects.common.shapes import is_predicate
from ....dialects.common.syntax import axes_attr, ints
from ....dialects.ptir.dims import sizes, sizes_text
from ....dialects.ptir.scalars import ScalarAttr
from ..common.errors import Unrepresentable
from .values import (
    I64,
    Dimension,
    Dtype,
    Id,
    Natural,
    Scalar,
    Shape,
    read_dtype,
    read_scalar,
    read_shape,
    read_size,
    write_dtype,
    write_scalar,
    write_shape,
    write_size,
)


@dataclass
class OpParts:
    """
    The parts of an op that is being read or written; `results` are the types of its results. `convert_region` returns the
    region of a number when reading, and the number of a region when writing.
    """

    operands: Sequence[SSAValue]
    results: Sequence[Attribute]
    convert_region: Callable[[Any], Any]
    properties: dict[str, Attribute] = field(default_factory=dict[str, Attribute])
    regions: list[Region] = field(default_factory=list[Region])


@dataclass(frozen=True)
class Field:
    """
    A field `name` of `type`. `write` returns its value for an op; `read` adds the parts that its value represents to an op. A
    field with a `default` may be omitted. `holds` are the op's properties that the field represents.
    """

    name: str
    type: Any
    write: Callable[[OpParts], Any]
    read: Callable[[OpParts, Any], None]
    default: Any = NODEFAULT
    holds: tuple[str, ...] = ()


_ABSENT = {None: None, UNSET: UnsetType}
"""The type of an absent field: null for the contract's options, omitted for fields that only the dialect has."""

# --- properties ---------------------------------------------------------------------------------


def of_property(
    name: str,
    type: Any,
    write: Callable[[Any], Any],
    read: Callable[[Any], Attribute],
    prop: str | None = None,
    absent: Any = NODEFAULT,
) -> Field:
    """A property `prop` (by default `name`), which the op does not have if the field's value is `absent`."""
    key = prop or name

    def written(op: OpParts) -> Any:
        attr = op.properties.get(key)
        return absent if attr is None else write(attr)

    def put(op: OpParts, value: Any) -> None:
        if value is not absent:
            op.properties[key] = read(value)

    return Field(name, type | _ABSENT.get(absent, type), written, put, absent, (key,))


def property_with_default(
    name: str,
    type: Any,
    write: Callable[[Any], Any],
    read: Callable[[OpParts, Any], Attribute],
    default: Callable[[OpParts], Attribute],
    prop: str | None = None,
) -> Field:
    """A property that is always written in JSON, and that the IR omits if it has its default value."""
    key = prop or name

    def written(op: OpParts) -> Any:
        return write(op.properties[key] if key in op.properties else default(op))

    def put(op: OpParts, value: Any) -> None:
        attr = read(op, value)
        if attr != default(op):
            op.properties[key] = attr

    return Field(name, type, written, put, holds=(key,))


def integer_list(name: str, prop: str | None = None) -> Field:
    """A list of axes, sizes or offsets."""
    return of_property(name, list[I64], _ints, axes_attr, prop)


def integer(name: str, prop: str | None = None, *, absent: Any = NODEFAULT) -> Field:
    """One integer."""
    return of_property(name, I64, lambda attr: attr.value.data, lambda value: IntegerAttr(value, i64), prop, absent)


def flag(name: str, prop: str | None = None) -> Field:
    """A boolean, which is a unit attribute in the IR."""
    return of_property(name, bool, lambda _: True, lambda _: UnitAttr(), prop, False)


def dtype(name: str, *, absent: Any = NODEFAULT) -> Field:
    return of_property(name, Dtype, write_dtype, read_dtype, absent=absent)


def enum(name: str, table: Mapping[str, str], prop: str | None = None, *, absent: Any = NODEFAULT) -> Field:
    """An enum without data. `table` maps keywords of the IR to variants."""
    back = {variant: word for word, variant in table.items()}

    def write(attr: StringAttr) -> str:
        if attr.data not in table:
            raise Unrepresentable(f"'{attr.data}'", f"one of {', '.join(table)}")
        return table[attr.data]

    type = Literal[tuple(back)]  # pyright: ignore[reportInvalidTypeForm]
    return of_property(name, type, write, lambda value: StringAttr(back[value]), prop, absent)


def scalar(name: str, prop: str | None = None) -> Field:
    """A value of the operand's element type."""
    key = prop or name

    def read(op: OpParts, value: Scalar) -> None:
        op.properties[key] = read_scalar(value, _element(op))

    return Field(name, Scalar, lambda op: write_scalar(cast(ScalarAttr, op.properties[key])), read, holds=(key,))


def scalar_or_zero(name: str) -> Field:
    """A value of the operand's element type. The IR omits zero."""

    def zero(op: OpParts) -> ScalarAttr:
        dtype = _element(op)
        return ScalarAttr.of(False if is_predicate(dtype) else 0, dtype)

    return property_with_default(name, Scalar, write_scalar, lambda op, value: read_scalar(value, _element(op)), zero)


Axes = Callable[[OpParts], int]
"""Returns the rank of an op's window."""


def per_axis(name: str, prop: str, window: Axes, trivial: int) -> Field:
    """An integer for each axis of a window. The IR omits the list if all are `trivial`."""
    return property_with_default(
        name, list[I64], _ints, lambda _, value: axes_attr(value), lambda op: axes_attr([trivial] * window(op)), prop
    )


def padding_pairs(name: str, window: Axes) -> Field:
    """Low and high padding for each axis of a window. The IR omits padding of 0 everywhere."""

    def write(attr: Attribute) -> list[tuple[int, int]]:
        flat = _ints(attr)
        return list(zip(flat[::2], flat[1::2], strict=True))

    def read(op: OpParts, value: list[tuple[int, int]]) -> Attribute:
        return axes_attr([amount for pair in value for amount in pair])

    return property_with_default(name, list[tuple[I64, I64]], write, read, lambda op: axes_attr([0, 0] * window(op)))


def window_length(op: OpParts) -> int:
    return len(_ints(op.properties["window"]))


# --- facts of types -----------------------------------------------------------------------------


def fact(
    name: str, type: Any, of: Callable[[OpParts], Any], what: str = "the output", default: Any = NODEFAULT
) -> Field:
    """
    A value that `of` derives from the op's types, such as the shape of the result. Reading a different value is an error,
    whose message says which value `what` has.
    """

    def read(op: OpParts, value: Any) -> None:
        if value is not default and value != (want := of(op)):
            raise Unrepresentable(f"'{name}' is {_value_text(value)}, but {what} has {_value_text(want)}")

    return Field(name, type, of, read, default)


def result_dtype(name: str = "dtype", *, optional: bool = False) -> Field:
    """The element type of the result. An `optional` one may be null."""
    type, default = (Dtype | None, None) if optional else (Dtype, NODEFAULT)
    return fact(name, type, lambda op: write_dtype(_tensor(op.results).element_type), default=default)


def result_shape(name: str = "shape") -> Field:
    return fact(name, Shape, lambda op: write_shape(sizes(_tensor(op.results))))


def result_sizes(name: str = "sizes") -> Field:
    """The sizes of the result; static sizes are plain numbers."""
    return fact(name, list[Natural | Dimension], lambda op: write_sizes(_tensor(op.results)))


def result_size(name: str, axis: int) -> Field:
    """The size of one axis of the result."""
    return fact(name, Natural | Dimension, lambda op: write_sizes(_tensor(op.results))[axis])


def update_sizes() -> Field:
    """The sizes of the second operand."""
    of = list[Natural | Dimension]
    return fact("sizes", of, lambda op: write_sizes(_tensor([v.type for v in op.operands[1:2]])), "the update")


def indices_dtype() -> Field:
    """The element type of the second result."""
    return fact(
        "indices_dtype", Dtype, lambda op: write_dtype(_tensor(op.results[1:]).element_type), "the second output"
    )


def region(name: str, index: int) -> Field:
    """The number of the op's region `index`. Regions stand beside the functions in JSON."""
    return Field(
        name,
        Id,
        lambda op: op.convert_region(op.regions[index]),
        lambda op, value: op.regions.append(op.convert_region(value)),
    )


# --- small things -------------------------------------------------------------------------------


def _ints(attr: Attribute) -> list[int]:
    return list(ints(cast("DenseArrayBase[IntegerType]", attr)))


def write_sizes(t: TensorType[Attribute]) -> list[int | Dimension]:
    """Returns the sizes of a type; static sizes are plain numbers."""
    return [size if isinstance(size, int) else write_size(size) for size in sizes(t)]


def _tensor(types: Sequence[Attribute]) -> TensorType[Attribute]:
    if len(types) != 1 or not isinstance(types[0], TensorType):
        raise Unrepresentable("an operand or an output that is not one tensor", "the operation takes and gives tensors")
    return cast("TensorType[Attribute]", types[0])


def _element(op: OpParts) -> Attribute:
    return _tensor([v.type for v in op.operands[:1]]).element_type


def _value_text(value: Any) -> str:
    if isinstance(value, Shape):
        return sizes_text(read_shape(value))
    if isinstance(value, list):
        return sizes_text([read_size(v) if isinstance(v, Dimension) else v for v in cast("list[Any]", value)])
    return str(value)
