"""A program as text: one line for each instruction, one for each parameter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import msgspec

from .program import Program

_OPEN = ("functions", "regions", "body")
"""The fields whose items have lines of their own."""


def lay_out(program: Program, *, byte_arrays: bool = False) -> str:
    """The text of a program, with a newline at the end."""
    builtins = msgspec.to_builtins(program, builtin_types=(bytes,) if byte_arrays else ())
    return "".join(_object(builtins, "", byte_arrays)) + "\n"


def _object(node: dict[str, Any], indent: str, byte_arrays: bool) -> Iterator[str]:
    inner = indent + "  "
    yield "{\n"
    for k, (name, value) in enumerate(node.items()):
        yield ",\n" if k else ""
        yield f"{inner}{_line(name, byte_arrays)}: "
        if name in _OPEN and value:
            yield from _array(cast("list[Any]", value), name, inner, byte_arrays)
        else:
            yield _line(value, byte_arrays)
    yield f"\n{indent}}}"


def _array(items: list[Any], name: str, indent: str, byte_arrays: bool) -> Iterator[str]:
    inner = indent + "  "
    yield "[\n"
    for k, item in enumerate(items):
        yield ",\n" if k else ""
        yield inner
        if name == "body":
            yield _line(item, byte_arrays)
        else:
            yield from _object(item, inner, byte_arrays)
    yield f"\n{indent}]"


def _line(value: Any, byte_arrays: bool) -> str:
    hook = list if byte_arrays else None
    encoded = msgspec.json.encode(_bytes_as_lists(value) if hook else value)
    return msgspec.json.format(encoded, indent=0).decode()


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
