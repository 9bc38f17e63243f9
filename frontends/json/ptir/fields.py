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
from xdsl.ir import Attribute, Operation, Region, SSAValue

from ....dialects.common.shapes import element, is_predicate
from ....dialects.common.syntax import axes_attr, ints
from ....dialects.ptir.dims import Size, sizes, sizes_text
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
class Draft:
    """An op that is being read. `region` returns the region of a number."""

    operands: list[SSAValue]
    results: list[Attribute]
    region: Callable[[int], Region]
    properties: dict[str, Attribute] = field(default_factory=dict[str, Attribute])
    regions: list[Region] = field(default_factory=list[Region])


@dataclass
class WrittenOp:
    """An op that is being written. `region` writes a region and returns its number."""

    op: Operation
    region: Callable[[Region], int]


@dataclass(frozen=True)
class Field:
    """
    A field `name` of `type`. `write` returns its value for an op, `read` applies a value to a draft. A field with a `default`
    may be omitted. `holds` are the op's properties that the field represents.
    """

    name: str
    type: Any
    write: Callable[[WrittenOp], Any]
    read: Callable[[Draft, Any], None]
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
    """A property, which the op lacks if the value is `absent`."""
    key = prop or name

    def written(w: WrittenOp) -> Any:
        attr = w.op.properties.get(key)
        return absent if attr is None else write(attr)

    def put(draft: Draft, value: Any) -> None:
        if value is not absent:
            draft.properties[key] = read(value)

    return Field(name, type | _ABSENT.get(absent, type), written, put, absent, (key,))


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

    def read(draft: Draft, value: Scalar) -> None:
        draft.properties[key] = read_scalar(value, _element(draft))

    return Field(name, Scalar, lambda w: write_scalar(cast(ScalarAttr, w.op.properties[key])), read, holds=(key,))


def _zero(dtype: Attribute) -> ScalarAttr:
    return ScalarAttr.of(False if is_predicate(dtype) else 0, dtype)


def scalar_or_zero(name: str) -> Field:
    """A value of the operand's element type. The IR omits zero."""

    def write(w: WrittenOp) -> Scalar:
        attr = w.op.properties.get(name)
        return write_scalar(cast(ScalarAttr, attr) if attr else _zero(element(w.op.operands[0])))

    def read(draft: Draft, value: Scalar) -> None:
        found = read_scalar(value, _element(draft))
        if found != _zero(_element(draft)):
            draft.properties[name] = found

    return Field(name, Scalar, write, read, holds=(name,))


Axes = Callable[[Mapping[str, Attribute], Sequence[SSAValue]], int]
"""Returns the rank of an op's window, given its properties and operands."""


def per_axis(name: str, prop: str, window: Axes, trivial: int) -> Field:
    """An integer for each axis of a window. The IR omits the list if all are `trivial`."""

    def write(w: WrittenOp) -> list[int]:
        attr = w.op.properties.get(prop)
        return [trivial] * window(w.op.properties, w.op.operands) if attr is None else _ints(attr)

    def read(draft: Draft, value: list[int]) -> None:
        if value != [trivial] * window(draft.properties, draft.operands):
            draft.properties[prop] = axes_attr(value)

    return Field(name, list[I64], write, read, holds=(prop,))


def padding_pairs(name: str, window: Axes) -> Field:
    """Low and high padding for each axis of a window. The IR omits padding of 0 everywhere."""

    def write(w: WrittenOp) -> list[tuple[int, int]]:
        attr = w.op.properties.get(name)
        flat = [0, 0] * window(w.op.properties, w.op.operands) if attr is None else _ints(attr)
        return list(zip(flat[::2], flat[1::2], strict=True))

    def read(draft: Draft, value: list[tuple[int, int]]) -> None:
        flat = [n for pair in value for n in pair]
        if flat != [0, 0] * window(draft.properties, draft.operands):
            draft.properties[name] = axes_attr(flat)

    return Field(name, list[tuple[I64, I64]], write, read, holds=(name,))


def window_length(properties: Mapping[str, Attribute], operands: Sequence[SSAValue]) -> int:
    return len(_ints(properties["window"]))


# --- facts of types -----------------------------------------------------------------------------


def of_result(name: str, type: Any, write: Callable[[TensorType[Attribute]], Any], default: Any = NODEFAULT) -> Field:
    """A fact of the result type. Reading a different value is an error."""

    def read(draft: Draft, value: Any) -> None:
        want = write(_tensor(draft.results))
        if value != want and value is not default:
            raise Unrepresentable(f"'{name}' is {_text(value)}, but the output has {_text(want)}")

    return Field(name, type, lambda w: write(_tensor(w.op.result_types)), read, default)


def result_dtype(name: str = "dtype") -> Field:
    return of_result(name, Dtype, lambda t: write_dtype(t.element_type))


def result_shape(name: str = "shape") -> Field:
    return of_result(name, Shape, lambda t: write_shape(sizes(t)))


def result_sizes(name: str = "sizes") -> Field:
    """Sizes, of which the static ones are plain numbers."""
    return of_result(name, list[Natural | Dimension], lambda t: [write_plain_size(size) for size in sizes(t)])


def result_size(name: str, axis: int) -> Field:
    """The size of one axis of the result."""
    return of_result(name, Natural | Dimension, lambda t: write_plain_size(sizes(t)[axis]))


def region(name: str, index: int) -> Field:
    """The number of the op's region `index`. Regions stand beside the functions in JSON."""
    return Field(
        name,
        Id,
        lambda w: w.region(w.op.regions[index]),
        lambda draft, value: draft.regions.append(draft.region(value)),
    )


# --- small things -------------------------------------------------------------------------------


def _ints(attr: Attribute) -> list[int]:
    return list(ints(cast("DenseArrayBase[IntegerType]", attr)))


def write_plain_size(size: Size) -> int | Dimension:
    """Returns a static size as a plain number."""
    return size if isinstance(size, int) else write_size(size)


def _tensor(types: Sequence[Attribute]) -> TensorType[Attribute]:
    if len(types) != 1 or not isinstance(types[0], TensorType):
        raise Unrepresentable("an output that is not a tensor", "the operation has one tensor result")
    return cast("TensorType[Attribute]", types[0])


def _element(draft: Draft) -> Attribute:
    if not draft.operands or not isinstance(draft.operands[0].type, TensorType):
        raise Unrepresentable("a value without an operand that gives its type", "the operation takes a tensor")
    return element(draft.operands[0])


def _text(value: Any) -> str:
    if isinstance(value, Shape):
        return sizes_text(read_shape(value))
    if isinstance(value, list):
        return sizes_text([read_size(v) if isinstance(v, Dimension) else v for v in cast("list[Any]", value)])
    return str(value)
