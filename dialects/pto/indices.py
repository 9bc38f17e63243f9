"""
Lists of integers and values of type index, and the directives that write them.

- `custom<Indices>($values, $static)` writes `[%r, 16]`.
- `custom<Valid>($values, $static)` writes `{valid = [%r, 16]}`, or nothing if there is no `valid`.
- `custom<Placed>($values, $static, $loc, $layout)` writes `{loc = #pto.loc<Mat>, valid = [%r, 16]}`, without what is absent.
- `custom<Moded>($values, $static, $mode)` writes the property `mode` so.

Spec: `pto-ir.md §3.2`, `§4.3`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    UnitAttr,
    i64,
)
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    VariadicOperandVariable,
    irdl_custom_directive,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import ConstantLike

from ..common.checks import check_count
from ..common.syntax import ints, parse_int

Index = int | SSAValue


def split(indices: Sequence[Index]) -> tuple[list[int], list[SSAValue]]:
    """Returns the static part of a list of indices, in which a value has `DYNAMIC_INDEX`, and the values."""
    return [i if isinstance(i, int) else DYNAMIC_INDEX for i in indices], [i for i in indices if not isinstance(i, int)]


def joined(static: DenseArrayBase[IntegerType], values: Sequence[SSAValue]) -> list[Index]:
    """Returns the list of indices whose parts `split` returned."""
    rest = iter(values)
    return [next(rest) if i == DYNAMIC_INDEX else i for i in ints(static)]


def constant(value: SSAValue) -> int | None:
    """Returns the integer that `value` is a constant of, or None."""
    owner = value.owner
    number = owner.properties.get("value") if isinstance(owner, Operation) and owner.has_trait(ConstantLike) else None
    return number.value.data if isinstance(number, IntegerAttr) else None


def known(index: Index) -> int | None:
    """Returns an index as an integer, or None if it is not a constant."""
    return index if isinstance(index, int) else constant(index)


def checked(op: Operation, name: str, static: DenseArrayBase[IntegerType], values: Sequence[SSAValue]) -> list[Index]:
    """Returns the list of indices. Raises `OperandCountMismatch` if the static part, in the generic form, does not fit the values."""
    holes = ints(static).count(DYNAMIC_INDEX)
    check_count(op, holes == len(values), f"'{name}'", f"one value for each dynamic index ({holes})", len(values))
    return joined(static, values)


@irdl_custom_directive
class Indices(CustomDirective):
    """Parses and prints a bracketed list of indices."""

    values: VariadicOperandVariable
    static: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        static: list[int] = []
        values: list[UnresolvedOperand] = []

        def index() -> None:
            if (value := parser.parse_optional_unresolved_operand()) is not None:
                values.append(value)
            static.append(parse_int(parser) if value is None else DYNAMIC_INDEX)

        parser.parse_comma_separated_list(parser.Delimiter.SQUARE, index)
        self.values.set(state, values)
        self.values.set_types(state, [IndexType()] * len(values))
        self.static.set(state, DenseArrayBase.from_list(i64, static))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        self.print_list(printer, op)

    def print_list(self, printer: Printer, op: IRDLOperation) -> None:
        static = cast("DenseArrayBase[IntegerType]", self.static.get(op))
        with printer.in_square_brackets():
            printer.print_list(joined(static, self.values.get(op)), lambda i: print_index(printer, i))

    def set_empty(self, state: ParsingState) -> None:
        self.values.set_empty(state)

    def is_present(self, op: IRDLOperation) -> bool:
        return self.static.get(op) is not None


@irdl_custom_directive
class Valid(Indices):
    """Parses and prints the attributes of an op in braces, if there are any; `valid` is a list of indices."""

    values: VariadicOperandVariable
    static: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.set_empty(state)
        if parser.parse_optional_punctuation("{"):
            parser.parse_comma_separated_list(parser.Delimiter.NONE, lambda: self._parse_entry(parser, state))
            parser.parse_punctuation("}")

    def _parse_entry(self, parser: Parser, state: ParsingState) -> None:
        start = parser.pos
        key = parser.parse_identifier_or_str_literal()
        if (
            key in state.properties
            or key in state.attributes
            or (key == "valid" and self.static.name in state.properties)
        ):
            parser.raise_error(f"'{key}' is written twice", start, parser.pos)
        if key == "valid":
            parser.parse_punctuation("=")
            super().parse(parser, state)
        elif not parser.parse_optional_punctuation("="):
            if key in self.variables:
                self.variables[key].set(state, UnitAttr())
            else:
                state.attributes[key] = UnitAttr()
        elif key in self.variables:
            self.variables[key].set(state, parser.parse_attribute())
        else:
            state.attributes[key] = parser.parse_attribute()

    @property
    def variables(self) -> dict[str, AttributeVariable]:
        """The attributes beside `valid` that this directive prints, by name."""
        others = (getattr(self, f.name) for f in fields(self) if f.name not in ("values", "static"))
        return {v.name: v for v in others}

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        written = [(k, a) for k, v in self.variables.items() if (a := v.get(op)) is not None]
        if not written and not self.is_present(op):
            return
        state.print_whitespace(printer)
        printer.print_string("{")
        for key, attribute in written:
            match attribute:
                case UnitAttr():
                    printer.print_string(key)
                case IntegerAttr(value=IntAttr(data=number)):
                    printer.print_string(f"{key} = {number}")
                case _:
                    printer.print_string(f"{key} = ")
                    printer.print_attribute(attribute)
            printer.print_string(", " * (key != written[-1][0] or self.is_present(op)))
        if self.is_present(op):
            printer.print_string("valid = ")
            self.print_list(printer, op)
        printer.print_string("}")


@irdl_custom_directive
class Placed(Valid):
    """The attributes of a load or store: `loc`, `layout` and `valid`."""

    values: VariadicOperandVariable
    static: AttributeVariable
    loc: AttributeVariable
    layout: AttributeVariable


@irdl_custom_directive
class Moded(Valid):
    """The attributes of an op with a mode, and `valid`."""

    values: VariadicOperandVariable
    static: AttributeVariable
    mode: AttributeVariable


def print_index(printer: Printer, index: Index) -> None:
    printer.print_int(index) if isinstance(index, int) else printer.print_ssa_value(index)
