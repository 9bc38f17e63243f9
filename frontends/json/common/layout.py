"""JSON formatted for people: an object or a list takes one line, or one line for each of its items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec

Layout = Mapping[str, "Layout"]
"""The fields whose items have lines of their own, each with the layout of its value; `*` lays out every item of a list."""


def format_json(value: Any, layout: Layout | None, indent: str = "") -> str:
    """
    Formats a value of Python's built-in types. A value without a layout takes one line; `indent` is the indentation of the
    line on which the value begins.
    """
    if layout is None or not value:
        return msgspec.json.format(msgspec.json.encode(value), indent=0).decode()
    inner = indent + "  "
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value).items()
        items = [f"{format_json(name, None)}: {format_json(item, layout.get(name), inner)}" for name, item in fields]
        opening, closing = "{", "}"
    else:
        items = [format_json(item, layout.get("*"), inner) for item in value]
        opening, closing = "[", "]"
    return f"{opening}\n" + ",\n".join(inner + item for item in items) + f"\n{indent}{closing}"


def format_program(program: msgspec.Struct, layout: Layout, *, byte_arrays: bool = False) -> str:
    """Formats a program, with a newline at the end. Bytes are written in base64, or with `byte_arrays` as numbers."""
    fields = msgspec.to_builtins(program, builtin_types=(bytes,))
    return format_json(_bytes_as_lists(fields) if byte_arrays else fields, layout) + "\n"


def _bytes_as_lists(value: Any) -> Any:
    match value:
        case bytes():
            return list(value)
        case dict():
            return {key: _bytes_as_lists(v) for key, v in cast("dict[str, Any]", value).items()}
        case list() | tuple():
            return [_bytes_as_lists(v) for v in cast("list[Any]", value)]
        case _:
            return value
