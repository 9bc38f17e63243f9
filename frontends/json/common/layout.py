"""JSON as people read it: an object or a list is one line, or has a line for each of its items."""

from __future__ import annotations

from typing import Any

import msgspec


def line(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=0).decode()


def lines(value: dict[str, Any] | list[Any], indent: str) -> str:
    """One line for each item, with two spaces more than `indent`, which is that of the line that begins here."""
    if not value:
        return line(value)
    if isinstance(value, dict):
        items, opening, closing = [f"{line(name)}: {line(item)}" for name, item in value.items()], "{", "}"
    else:
        items, opening, closing = [line(item) for item in value], "[", "]"
    return f"{opening}\n" + ",\n".join(f"{indent}  {item}" for item in items) + f"\n{indent}{closing}"
