"""
Pieces of syntax that several dialects share: directives for `assembly_format`.

`custom<Axes>($axes)` writes a `DenseArrayBase` of i64 as `[0, 2]`; `custom<Keyword>($fn)` writes a `StringAttr` as a bare
word.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerType, StringAttr, i64
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer


def axes_attr(axes: Sequence[int]) -> DenseArrayBase[IntegerType]:
    """Returns the attribute that holds a list of axes, sizes or offsets."""
    return DenseArrayBase.from_list(i64, list(axes))


def ints(attr: DenseArrayBase[IntegerType]) -> tuple[int, ...]:
    """Returns the integers of such an attribute."""
    return tuple(attr.get_values())


@irdl_custom_directive
class Axes(CustomDirective):
    """A bracketed list of integers."""

    axes: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.axes.set(state, parse_axes(parser))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        print_axes(printer, ints(cast(DenseArrayBase[IntegerType], self.axes.get(op))))

    def set_empty(self, state: ParsingState) -> None:
        """Leaves an optional list out."""

    def is_present(self, op: IRDLOperation) -> bool:
        return self.axes.get(op) is not None

    def is_anchorable(self) -> bool:
        return True


def parse_axes(parser: Parser) -> DenseArrayBase[IntegerType]:
    return axes_attr(parse_ints(parser))


def parse_ints(parser: Parser) -> list[int]:
    """A bracketed list of integers of 64 bits."""
    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: parse_int(parser))


def parse_int(parser: Parser, *, allow_negative: bool = True) -> int:
    """Parses an integer that fits an i64."""
    start = parser.pos
    value = parser.parse_integer(allow_negative=allow_negative)
    if not -(2**63) <= value < 2**63:
        parser.raise_error("this does not fit in 64 bits", start, parser.pos)
    return value


def print_axes(printer: Printer, axes: Sequence[int]) -> None:
    with printer.in_square_brackets():
        printer.print_list(axes, printer.print_int)


@irdl_custom_directive
class Keyword(CustomDirective):
    """A bare word; the op's verifier knows the legal ones."""

    word: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.word.set(state, StringAttr(parser.parse_identifier()))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_string(cast(StringAttr, self.word.get(op)).data)

    def set_empty(self, state: ParsingState) -> None:
        """Leaves an optional word out."""

    def is_present(self, op: IRDLOperation) -> bool:
        return self.word.get(op) is not None

    def is_anchorable(self) -> bool:
        return True
