"""IR in colours, for terminals."""

from __future__ import annotations

from xdsl.syntax_printer import SyntaxPrinter

from .printing import ExactPrinter


class HighlightingPrinter(ExactPrinter, SyntaxPrinter):
    """`ExactPrinter` with the colours of xDSL's."""
