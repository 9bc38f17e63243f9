"""The common base of tile types, written `<64x32xbf16, …>`."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.parser import AttrParser
from xdsl.printer import Printer


def sizes_attr(sizes: Sequence[int] | ArrayAttr[IntAttr]) -> ArrayAttr[IntAttr]:
    return sizes if isinstance(sizes, ArrayAttr) else ArrayAttr([IntAttr(s) for s in sizes])


def string_attr(text: str | StringAttr) -> StringAttr:
    return StringAttr(text) if isinstance(text, str) else text


@dataclass(frozen=True, init=False)
class ShapedType(ParametrizedAttribute, TypeAttribute, abc.ABC):
    """
    Base of types written `<sizes x element type, layout>`. It is a dataclass, so that equality compares its fields.
    """

    shape: ArrayAttr[IntAttr]
    element_type: Attribute

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(s.data for s in self.shape)

    @property
    @abc.abstractmethod
    def layout_text(self) -> str:
        """The layout as written after the comma. If it is empty, the comma is not written either."""

    @classmethod
    @abc.abstractmethod
    def parse_layout(cls, parser: AttrParser) -> Sequence[StringAttr]:
        """Parses the layout, from the comma on, and returns the parameters that follow the element type."""

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            sizes, dtype = parser.parse_ranked_shape()
            return [sizes_attr(sizes), dtype, *cls.parse_layout(parser)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("x".join(map(str, self.sizes)) + "x")
            printer.print_attribute(self.element_type)
            printer.print_string(self.layout_text and f", {self.layout_text}")
