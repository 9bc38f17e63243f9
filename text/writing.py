"""Writes IR in a `Style`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from io import StringIO
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from .printing import ExactPrinter
from .style import PLAIN, Style


def printer(out: IO[str], style: Style = PLAIN) -> ExactPrinter:
    """Returns a printer that writes to `out` in `style`."""
    kind: Callable[..., ExactPrinter] = ExactPrinter
    if style != Style(style.generic, style.properties_as_attributes, style.debuginfo):
        from .styled_printer import HighlightingPrinter, StyledPrinter

        kind = partial(HighlightingPrinter if style.syntax_highlight else StyledPrinter, style=style)
    return kind(
        stream=out,
        print_generic_format=style.generic,
        print_properties_as_attributes=style.properties_as_attributes,
        print_debuginfo=style.debuginfo,
    )


def text_of(op: Operation, style: Style = PLAIN) -> str:
    """Returns the text of `op`, without a newline at the end."""
    out = StringIO()
    printer(out, style).print_op(op)
    return out.getvalue()


def write_module(module: ModuleOp, out: IO[str], ctx: Context | None = None, style: Style = PLAIN) -> None:
    """Writes a module and a newline; if `ctx` is given, also the resources of its loaded dialects."""
    writer = printer(out, style)
    writer.print_op(module)
    if ctx is not None:
        writer.print_metadata(ctx.loaded_dialects)
    out.write("\n")


def print_module(module: ModuleOp, *, generic: bool = False) -> str:
    """Returns the text of a module, with a newline at the end."""
    return text_of(module, Style(generic)) + "\n"
