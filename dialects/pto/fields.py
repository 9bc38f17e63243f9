"""The syntax of parameters of types: `64x?xf32`, and `key = value, …` in any order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, Float8E4M3FNType, Float8E5M2Type, IntAttr, NoneAttr
from xdsl.ir import Attribute
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.hints import isa
from xdsl.utils.mlir_lexer import MLIRTokenKind

from ..common.tiles import sizes_attr
from .words import WordAttr

ALIASES = {"f8e4m3fn": Float8E4M3FNType(), "f8e5m2": Float8E5M2Type()}
"""Spellings of element types in `pto-ir.md §2.2`, beside those of MLIR."""

SIZES = (MLIRTokenKind.INTEGER_LIT, MLIRTokenKind.QUESTION)


def parse_shape(parser: AttrParser) -> tuple[ArrayAttr[IntAttr], Attribute]:
    """
    Parses `64x?xf32`, with blanks or without, and returns the sizes, of which -1 is not known statically, and the element type.
    """
    sizes: list[int] = []
    while parser._current_token.kind in SIZES:  # pyright: ignore[reportPrivateUsage]
        size = parser.parse_shape_dimension()
        sizes.append(-1 if size == DYNAMIC_INDEX else size)
        parser.parse_shape_delimiter()
    alias = next((t for word, t in ALIASES.items() if parser.parse_optional_keyword(word)), None)
    return sizes_attr(sizes), alias or parser.parse_type()


def print_shape(printer: Printer, sizes: Sequence[int], element_type: Attribute) -> None:
    printer.print_string("".join("?x" if s == -1 else f"{s}x" for s in sizes))
    printer.print_attribute(element_type)


def parse_kind(parser: AttrParser, kind: type[Attribute], example: str) -> Attribute:
    """Parses an attribute of a class, of which `example` is one."""
    start = parser.pos
    attribute = parser.parse_optional_attribute()
    if not isinstance(attribute, kind):
        got = "" if attribute is None else f", got {attribute}"
        parser.raise_error(f"expected an attribute such as `{example}`{got}", start, parser.pos)
    return attribute


def word(parser: AttrParser, kind: type[WordAttr]) -> Callable[[], Attribute]:
    """Returns a function that parses an attribute of one word, such as `#pto.space<gm>`."""
    return lambda: parse_kind(parser, kind, f"#{kind.name}<{next(iter(kind.WORDS))}>")


def parse_fields(parser: AttrParser, fields: Mapping[str, Callable[[], Attribute]]) -> list[Attribute]:
    """Parses some of `fields`, each at most once, and returns their values in the order of `fields`; missing ones are NoneAttr."""
    found: dict[str, Attribute] = {}

    def field() -> None:
        start = parser.pos
        key = parser.parse_identifier()
        if key not in fields:
            parser.raise_error(f"unknown field '{key}', expected {', '.join(fields)}", start, parser.pos)
        if key in found:
            parser.raise_error(f"'{key}' is written twice", start, parser.pos)
        parser.parse_punctuation("=")
        found[key] = fields[key]()

    parser.parse_comma_separated_list(parser.Delimiter.NONE, field)
    return [found.get(key, NoneAttr()) for key in fields]


def print_fields(printer: Printer, fields: Mapping[str, Attribute]) -> None:
    """Prints the fields that are not NoneAttr as `key = value, …`."""
    separator = ""
    for key, value in fields.items():
        if not isinstance(value, NoneAttr):
            printer.print_string(f"{separator}{key} = ")
            if isa(value, IntAttr):
                printer.print_int(value.data)
            else:
                printer.print_attribute(value)
            separator = ", "
