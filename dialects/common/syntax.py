"""
Pieces of syntax that several dialects share: directives for `assembly_format`, and the arguments of a function.

`custom<Axes>($axes)` writes a `DenseArrayBase` of i64 as `[0, 2]`; `custom<Keyword>($fn)` writes a `StringAttr` as a bare
word.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerType, StringAttr, i64
from xdsl.ir import Attribute, BlockArgument
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
    """Returns the integers of an attribute that `axes_attr` made."""
    return tuple(attr.get_values())


@irdl_custom_directive
class AttributeDirective(CustomDirective, abc.ABC):
    """Base of directives for one attribute, which may be optional. A subclass defines its syntax."""

    attribute: AttributeVariable

    @abc.abstractmethod
    def parse_value(self, parser: Parser) -> Attribute: ...

    @abc.abstractmethod
    def print_value(self, printer: Printer, value: Attribute) -> None: ...

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.attribute.set(state, self.parse_value(parser))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        self.print_value(printer, cast(Attribute, self.attribute.get(op)))

    def set_empty(self, state: ParsingState) -> None:
        """Does nothing: an optional attribute that is not written is absent."""

    def is_present(self, op: IRDLOperation) -> bool:
        return self.attribute.get(op) is not None

    def is_anchorable(self) -> bool:
        return True


class Axes(AttributeDirective):
    """Parses and prints a bracketed list of integers."""

    def parse_value(self, parser: Parser) -> Attribute:
        return axes_attr(parse_ints(parser))

    def print_value(self, printer: Printer, value: Attribute) -> None:
        with printer.in_square_brackets():
            printer.print_list(ints(cast(DenseArrayBase[IntegerType], value)), printer.print_int)


class Keyword(AttributeDirective):
    """Parses and prints a bare word. The op's verifier checks that it is legal."""

    def parse_value(self, parser: Parser) -> Attribute:
        return StringAttr(parser.parse_identifier())

    def print_value(self, printer: Printer, value: Attribute) -> None:
        printer.print_string(cast(StringAttr, value).data)


def parse_ints(parser: Parser) -> list[int]:
    """Parses a bracketed list of integers that fit an i64."""
    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: parse_int(parser))


def parse_int(parser: Parser, *, allow_negative: bool = True) -> int:
    """Parses an integer that fits an i64."""
    start = parser.pos
    value = parser.parse_integer(allow_negative=allow_negative)
    if not -(2**63) <= value < 2**63:
        parser.raise_error("this does not fit in 64 bits", start, parser.pos)
    return value


def parse_arguments(parser: Parser) -> list[Parser.Argument]:
    """Parses the arguments of a function, in parentheses, each with an optional location."""

    def argument() -> Parser.Argument:
        arg = parser.parse_argument()
        arg.location = parser.parse_optional_location() or arg.location
        return arg

    return parser.parse_comma_separated_list(parser.Delimiter.PAREN, argument)


def print_arguments(printer: Printer, args: Sequence[BlockArgument]) -> None:
    """Prints what `parse_arguments` parses."""

    def argument(arg: BlockArgument) -> None:
        printer.print_block_argument(arg)
        if printer.print_debuginfo:
            printer.print_string(" ")
            printer.print_attribute(arg.location)

    with printer.in_parens():
        printer.print_list(args, argument)
