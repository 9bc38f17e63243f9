"""Values of JSON as attributes of IR, and back."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute

from ....dialects.ptir.scalars import ScalarAttr
from ..common.errors import InvalidLiteral, Unrepresentable
from ..ptir.values import read_float, scalar_number

_WORDS = ("inf", "-inf", "nan")


def to_attribute(value: Any) -> Attribute:
    """Returns the attribute of a JSON value; null is a unit attribute. Raises `InvalidLiteral` for an integer of more than 64 bits."""
    match value:
        case None:
            return UnitAttr()
        case bool():
            return IntegerAttr(int(value), i1)
        case int():
            return IntegerAttr(_in_range(value), i64)
        case float():
            return FloatAttr(value, f64)
        case str():
            return StringAttr(value)
        case list():
            return ArrayAttr([to_attribute(v) for v in cast("list[Any]", value)])
        case _:
            return DictionaryAttr({key: to_attribute(v) for key, v in cast("dict[str, Any]", value).items()})


def to_json(attribute: Attribute) -> Any:
    """Returns the JSON value of an attribute. Raises `Unrepresentable`."""
    match attribute:
        case UnitAttr():
            return None
        case IntegerAttr(type=t) if t == i1:
            return bool(attribute.value.data)
        case IntegerAttr(type=t) if t == i64:
            return attribute.value.data
        case FloatAttr(type=t) if t == f64 and attribute.value.data - attribute.value.data == 0:
            return attribute.value.data
        case StringAttr(data=text):
            return text
        case ArrayAttr():
            return [to_json(v) for v in attribute]
        case DictionaryAttr():
            return {key: to_json(v) for key, v in attribute.data.items()}
        case _:
            raise Unrepresentable(f"the attribute {attribute}", "JSON has texts, numbers, booleans, lists and objects")


def read_amount(value: Any) -> Attribute:
    """Returns a number as a scalar, or an expression as text. Raises `InvalidLiteral`."""
    match value:
        case bool():
            return ScalarAttr.of(value, i1)
        case int():
            return ScalarAttr.of(_in_range(value), i64)
        case float():
            return ScalarAttr.of(value, f64)
        case str() if value in _WORDS:
            return ScalarAttr.of(read_float(cast(Any, value)), f64)
        case str():
            return StringAttr(value)
        case _:
            raise InvalidLiteral("expected a number, or an expression of symbols")


def write_amount(value: Attribute) -> Any:
    """Returns the JSON form of a number. Raises `Unrepresentable`."""
    if isinstance(value, StringAttr):
        return value.data
    if not isinstance(value, ScalarAttr):
        raise Unrepresentable(f"the value {value}", "a number is a scalar or an expression")
    number = scalar_number(value)
    if isinstance(number, tuple) or read_amount(number) != value:
        raise Unrepresentable(f"the value {value}", "JSON has numbers of 64 bits: write it as f64, i64 or i1")
    return number


def _in_range(value: int) -> int:
    if not -(2**63) <= value < 2**63:
        raise InvalidLiteral(f"{value} does not fit in 64 bits")
    return value
