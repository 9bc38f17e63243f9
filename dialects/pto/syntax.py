"""
Directives of `assembly_format` for the syntax of `pto-ir.md`: bare types, and `wait(…)`.

`custom<Bare>(type($x))` writes `tile<…>` and `pto.memref<…>` without a sigil. `custom<Waits>($waits, type($waits))` writes
`wait(%e0, %e1)`, or nothing if there is no event; the types are those of the events' definitions. `custom<Filling>($value, $scalar,
type($scalar))` writes `0.0 : f32` or `%s : f32`. `custom<WithScalar>(type($lhs), type($rhs), type($result))` writes `tile<…>, f32` or
`f32, tile<…>`. `custom<Whole>($attribute)` writes an attribute with its name, such as `#pto.op<TADD>`.
"""

from __future__ import annotations

from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    OptionalOperandVariable,
    ParsingState,
    PrintingState,
    TypeDirective,
    VariadicOperandVariable,
    VariadicVariable,
    irdl_custom_directive,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from ..common.syntax import AttributeDirective
from .types import EventType, MemRefType, TileType

BARE: dict[str, type[TileType | MemRefType]] = {"tile": TileType, "pto.memref": MemRefType}


@irdl_custom_directive
class Bare(CustomDirective):
    """Parses and prints types; tiles and memrefs have no sigil."""

    types: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        if isinstance(self.types.inner, VariadicVariable):
            self.types.set(state, parser.parse_comma_separated_list(parser.Delimiter.NONE, lambda: parse_type(parser)))
        else:
            self.types.set(state, [parse_type(parser)])

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_list(self.types.get(op), lambda t: print_type(printer, t))

    def set_empty(self, state: ParsingState) -> None:
        self.types.set_empty(state)

    def is_present(self, op: IRDLOperation) -> bool:
        return self.types.is_present(op)

    def is_anchorable(self) -> bool:
        return self.types.is_anchorable()


def parse_type(parser: Parser) -> Attribute:
    for word, kind in BARE.items():
        if parser.parse_optional_keyword(word):
            return kind.new(kind.parse_parameters(parser))
    return parser.parse_type()


def print_type(printer: Printer, type: Attribute) -> None:
    for word, kind in BARE.items():
        if isinstance(type, kind):
            printer.print_string(word)
            return type.print_parameters(printer)
    return printer.print_attribute(type)


@irdl_custom_directive
class Waits(CustomDirective):
    """Parses and prints `wait(%e0, %e1)`, the events that an op waits for."""

    events: VariadicOperandVariable
    types: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        events: list[UnresolvedOperand] = []
        if parser.parse_optional_keyword("wait"):
            events = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        self.events.set(state, events)
        self.types.set(state, [_type_of(parser, event) for event in events])

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        if events := self.events.get(op):
            state.print_whitespace(printer)
            printer.print_string("wait")
            with printer.in_parens():
                printer.print_list(events, printer.print_ssa_value)

    def is_present(self, op: IRDLOperation) -> bool:
        return self.events.is_present(op)


def _type_of(parser: Parser, value: UnresolvedOperand) -> Attribute:
    """Returns the type of a value that is defined before this use."""
    values = parser.ssa_values.get(value.operand_name, ())
    if value.index >= len(values):
        start = value.span.start
        parser.raise_error(
            f"%{value.operand_name} is not defined before this op, which cannot wait for it", start, value.span.end
        )
    found = values[value.index].type
    if not isinstance(found, EventType):
        parser.raise_error(
            f"%{value.operand_name} is {found}, but ops wait for events", value.span.start, value.span.end
        )
    return found


@irdl_custom_directive
class Filling(CustomDirective):
    """Parses and prints the number that a tile is filled with, or a scalar with its type."""

    value: AttributeVariable
    scalar: OptionalOperandVariable
    types: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.scalar.set(state, scalar := parser.parse_optional_unresolved_operand())
        if scalar is None:
            self.types.set(state, ())
            self.value.set(state, parser.parse_attribute())
        else:
            parser.parse_punctuation(":")
            self.types.set(state, (parser.parse_type(),))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        scalar, value = self.scalar.get(op), self.value.get(op)
        if scalar is not None:
            printer.print_ssa_value(scalar)
            printer.print_string(" : ")
            printer.print_attribute(scalar.type)
        elif value is not None:
            printer.print_attribute(value)


@irdl_custom_directive
class WithScalar(CustomDirective):
    """Parses and prints the types of a tile and a scalar, in the order of the operands; the result has the tile's type."""

    lhs: TypeDirective
    rhs: TypeDirective
    result: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        first = parse_type(parser)
        parser.parse_punctuation(",")
        second = parse_type(parser)
        self.lhs.set(state, [first])
        self.rhs.set(state, [second])
        self.result.set(state, [first if isinstance(first, TileType) else second])

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_list([*self.lhs.get(op), *self.rhs.get(op)], lambda t: print_type(printer, t))


class Whole(AttributeDirective):
    """Parses and prints an attribute with its name."""

    def parse_value(self, parser: Parser) -> Attribute:
        return parser.parse_attribute()

    def print_value(self, printer: Printer, value: Attribute) -> None:
        printer.print_attribute(value)
