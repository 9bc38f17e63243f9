"""A tiny program as text: one line for each op and one for each value."""

from __future__ import annotations

from typing import Any

import msgspec

from ..common.layout import line, lines
from .program import Program


def lay_out(program: Program) -> str:
    """The text of a program, with a newline at the end."""
    fields: dict[str, Any] = msgspec.to_builtins(program, builtin_types=(bytes,))
    parts = (
        f"  {line(name)}: {lines(value, '  ') if name in ('ops', 'values') else line(value)}"
        for name, value in fields.items()
    )
    return "{\n" + ",\n".join(parts) + "\n}\n"
