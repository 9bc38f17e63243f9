"""Sets, maps and guards: strings in isl's syntax, which the ops that have these attributes parse and verify."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer


@dataclass(frozen=True, init=False)
class TextAttr(ParametrizedAttribute):
    """Base of attributes with a string in isl's syntax. It is a dataclass, so that equality compares the strings."""

    source: StringAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return (StringAttr(parser.parse_str_literal()),)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.source.data)


@irdl_attr_definition
class SetAttr(TextAttr):
    """A set of integer tuples: `#poly.set<"{ [i0] : 0 <= i0 <= 7 }">`."""

    name = "poly.set"

    def __init__(self, source: str):
        super().__init__(StringAttr(source))


@irdl_attr_definition
class MapAttr(TextAttr):
    """A quasi-affine map, such as `#poly.map<"{ [i0, i1] -> [i1, floor(i0/2)] }">`; in a `poly.edge` also a relation."""

    name = "poly.map"

    def __init__(self, source: str):
        super().__init__(StringAttr(source))


@irdl_attr_definition
class GuardAttr(ParametrizedAttribute):
    """
    The set of points at which an operand is read, and the value that replaces the element elsewhere, such as a pad value:
    `#poly.guard<"{ [i0] : 1 <= i0 <= 8 }" else #ptir.scalar<0.0 : f32>>`.
    """

    name = "poly.guard"
    source: StringAttr
    fill: Attribute

    def __init__(self, source: str, fill: Attribute):
        super().__init__(StringAttr(source), fill)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            source = StringAttr(parser.parse_str_literal())
            parser.parse_keyword("else")
            return (source, parser.parse_attribute())

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.source.data)
            printer.print_string(" else ")
            printer.print_attribute(self.fill)
