"""
The attributes of custom calls and composites, as serde's adjacently tagged enums: `{"kind": "I64Array", "value": [1, 2]}`.
Contract: *Custom calls*, *Attributes*.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Union, cast

import msgspec
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FloatAttr, IntegerAttr, StringAttr, UnitAttr, f64, i1, i64
from xdsl.ir import Attribute

from ..common.errors import Unrepresentable
from .values import F64, I64, read_float, write_float

_KINDS: dict[str, Any] = {"I64": I64, "F64": F64, "Bool": bool, "String": str}
_READ: dict[str, Callable[[Any], Attribute]] = {
    "I64": lambda value: IntegerAttr(value, i64),
    "F64": lambda value: FloatAttr(read_float(value), f64),
    "Bool": lambda value: IntegerAttr(int(value), i1),
    "String": StringAttr,
}


def _struct(kind: str, **fields: Any) -> type[msgspec.Struct]:
    return msgspec.defstruct(kind, list(fields.items()), tag_field="kind", tag=kind, forbid_unknown_fields=True)


_STRUCTS = {
    **{kind: _struct(kind, value=type) for kind, type in _KINDS.items()},
    **{f"{kind}Array": _struct(f"{kind}Array", value=list[type]) for kind, type in _KINDS.items()},
    "Unit": _struct("Unit"),
}
CallAttribute: Any = Union[tuple(_STRUCTS.values())]  # noqa: UP007
"""An attribute in JSON: one of the contract's kinds, or `Unit` for a fact of a composite that has no value."""


def read_attributes(values: Mapping[str, Any]) -> DictionaryAttr:
    return DictionaryAttr({name: _read(value) for name, value in values.items()})


def write_attributes(attrs: DictionaryAttr) -> dict[str, Any]:
    written = {name: _write(name, attr) for name, attr in attrs.data.items()}
    for name, value in written.items():
        if str(_read(value)) != str(attrs.data[name]):
            raise Unrepresentable(
                f"the attribute {name} = {attrs.data[name]}",
                "write the default NaN: an attribute in JSON keeps no payload",
            )
    return written


def _read(value: Any) -> Attribute:
    kind = type(value).__name__
    if kind == "Unit":
        return UnitAttr()
    if kind.endswith("Array"):
        return ArrayAttr(_READ[kind.removesuffix("Array")](item) for item in value.value)
    return _READ[kind](value.value)


def _write(name: str, attr: Attribute) -> Any:
    if isinstance(attr, UnitAttr):
        return _STRUCTS["Unit"]()
    if isinstance(attr, ArrayAttr):
        items = [_write_scalar(name, item) for item in cast("ArrayAttr[Attribute]", attr)]
        kinds = {kind for kind, _ in items} or {"I64"}
        if len(kinds) > 1:
            raise _unrepresentable(name, cast(Attribute, attr))
        return _STRUCTS[f"{kinds.pop()}Array"]([value for _, value in items])
    kind, value = _write_scalar(name, attr)
    return _STRUCTS[kind](value)


def _write_scalar(name: str, attr: Attribute) -> tuple[str, Any]:
    match attr:
        case StringAttr():
            return "String", attr.data
        case IntegerAttr() if attr.type == i64:
            return "I64", attr.value.data
        case IntegerAttr() if attr.type == i1:
            return "Bool", bool(attr.value.data)
        case FloatAttr() if attr.type == f64:
            return "F64", write_float(attr.value.data)
        case _:
            raise _unrepresentable(name, attr)


def _unrepresentable(name: str, attr: Attribute) -> Unrepresentable:
    help = "an attribute is an i64, an f64, a bool, a string, or an array of one of them"
    return Unrepresentable(f"the attribute {name} = {attr}", help)
