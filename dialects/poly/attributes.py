"""Sets, maps and guards of a `poly.view`: strings of isl's syntax, which the ops around them read."""

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
    """Base of attributes with a string in isl's syntax. A dataclass, so that the string takes part in equality."""

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
    """A quasi-affine map, or a relation in an edge: `#poly.map<"{ [i0, i1] -> [i1, floor(i0/2)] }">`."""

    name = "poly.map"

    def __init__(self, source: str):
        super().__init__(StringAttr(source))


@irdl_attr_definition
class GuardAttr(ParametrizedAttribute):
    """
    Where an operand is read, and its fill elsewhere, as for a pad:
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
