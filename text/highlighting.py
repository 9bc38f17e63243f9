"""Syntax highlighting for terminals."""

from __future__ import annotations

from xdsl.syntax_printer import SyntaxPrinter

from .styled_printer import StyledPrinter


class HighlightingPrinter(StyledPrinter, SyntaxPrinter):
    """`StyledPrinter` with xDSL's colors."""
