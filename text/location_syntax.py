"""
Parses all of MLIR's syntax of locations; xDSL supports only a part of it.

    location ::= `unknown` | string (`(` location `)`)? | string `:` line (`:` column (`to` line? `:` column)?)?
               | `callsite` `(` location `at` location `)` | `fused` (`<` attribute `>`)? `[` location, … `]` | alias

The location of an operation or argument may be an alias that is defined later, since mlir-opt prints definitions last. Other
aliases must be defined before their use.
"""

from __future__ import annotations

from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, BuiltinAttribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRTokenKind

from .errors import SyntaxFailure
from .float_parser import FloatParser
from .sources import file_name
from .suggest import did_you_mean


@irdl_attr_definition
class FileLineColRange(ParametrizedAttribute, BuiltinAttribute):
    """A range, `"m.py":9:9 to :10` within a line or `"m.py":9:9 to 10:3`. It is also a `FileLineColLoc`, of its start."""

    name = "builtin.file_line_range"

    filename: StringAttr = param_def()
    line: IntAttr = param_def()
    column: IntAttr = param_def()
    end_line: IntAttr = param_def()
    end_column: IntAttr = param_def()

    def print_builtin(self, printer: Printer) -> None:
        with printer.in_location():
            FileLineColLoc(self.filename, self.line, self.column).print_builtin(printer)
            end_line = self.end_line.data if self.end_line != self.line else ""
            printer.print_string(f" to {end_line}:{self.end_column.data}")


FileLineColLoc.register(FileLineColRange)  # xDSL's class is final, and its `LocationAttr` is a closed union


class LocationParser(FloatParser):
    """Parses MLIR's locations. `resolve_locations` replaces forward references to aliases."""

    def __init__(self, ctx: Context, source: Input[str]):
        super().__init__(ctx, source)
        self._file = file_name(source)
        self._later: dict[str, tuple[NameLoc, Span]] = {}
        """For each alias that is not defined yet, the location that stands for it and the span of its first use."""

    def resolve_locations(self, module: ModuleOp) -> None:
        """Replaces the placeholders of aliases that were used before their definition. Raises if one has no definition."""
        if not self._later:
            return
        found: dict[int, tuple[str, Span, LocationAttr]] = {}
        for name, (placeholder, span) in self._later.items():
            if (attribute := self.attribute_aliases.get(name)) is None:
                help = did_you_mean(name, (alias for alias in self.attribute_aliases if alias[0] == "#"))
                raise SyntaxFailure(span, message=f"the location {name} is never defined", help=help)
            found[id(placeholder)] = name, span, self._checked(attribute, span)
        for op in module.walk():
            arguments = [arg for region in op.regions for block in region.blocks for arg in block.args]
            for located in (op, *arguments):
                if id(located.location) in found:
                    name, span, located.location = found[id(located.location)]
                    self._use_alias(name, span)

    def _use_alias(self, name: str, span: Span) -> None:
        """A hook for subclasses, called for every use of an alias after the alias has been defined."""

    def parse_optional_location(self) -> LocationAttr | None:
        if not self.parse_optional_characters("loc"):
            return None
        with self.in_parens():
            token = self._token
            if token.kind is not _ALIAS or "." in token.text or token.text in self.attribute_aliases:
                return self._parse_location()
            self._consume_token()
            return self._later.setdefault(token.text, (NameLoc(StringAttr(token.text), NoneAttr()), token.span))[0]

    def _parse_location(self) -> LocationAttr:
        token = self._token
        if token.kind is _ALIAS:
            return self._checked(self.parse_attribute(), token.span)
        if (text := self.parse_optional_str_literal()) is not None:
            return self._file_location(text) if self.parse_optional_punctuation(":") else self._name_location(text)
        match self.parse_optional_identifier():
            case "unknown":
                return UnknownLoc()
            case "callsite":
                with self.in_parens():
                    callee = self._parse_location()
                    self.parse_keyword("at")
                    return CallSiteLoc(callee, self._parse_location())
            case "fused":
                metadata = NoneAttr()
                if self.parse_optional_punctuation("<"):
                    metadata = self.parse_attribute()
                    self.parse_punctuation(">", " after the metadata of a fused location")
                parts = self.parse_comma_separated_list(self.Delimiter.SQUARE, self._parse_location)
                return FusedLoc(tuple(parts), metadata)
            case _:
                raise ParseError(token.span, "expected a location: unknown, a string, callsite, fused or an alias")

    def _checked(self, attribute: Attribute, span: Span) -> LocationAttr:
        if not isinstance(attribute, LocationAttr):
            self.raise_error(f"{span.text} is not a location", span)
        return attribute

    def _name_location(self, name: str) -> NameLoc:
        child = NoneAttr()
        if self.parse_optional_punctuation("("):
            child = self._parse_location()
            self.parse_punctuation(")", " after the child of a name location")
        return NameLoc(StringAttr(name), child)

    def _file_location(self, name: str) -> LocationAttr:
        """Parses the rest of a location after the file `name`. A location in the parsed file itself refers to the parsed text."""
        file = self._file if name == self._file.data else StringAttr(name)
        line, column = self._number("line"), IntAttr(0)
        if self.parse_optional_punctuation(":"):
            column = self._number("column")
            if self.parse_optional_keyword("to"):
                end_line = line if self._token.kind is MLIRTokenKind.COLON else self._number("line")
                self.parse_punctuation(":", " before the column where a location ends")
                found = FileLineColRange(file, line, column, end_line, self._number("column"))
                return cast(FileLineColLoc, found)  # by registration
        return FileLineColLoc(file, line, column)

    def _number(self, what: str) -> IntAttr:
        token = self._token
        if (number := self.parse_integer(False, False, f" for the {what} of a location")) >> 32:
            self.raise_error(f"the {what} of a location must fit in 32 bits", token.span)
        return IntAttr(number)


_ALIAS = MLIRTokenKind.HASH_IDENT
