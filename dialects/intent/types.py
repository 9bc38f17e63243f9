"""The type of the values: an element type, sizes that are expressions of symbols, and a layout without meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, IntAttr, IntegerType, Signedness, StringAttr, bf16, f16, f32, f64, i1
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from ..common.checks import check_attribute, check_type
from . import symbols
from .symbols import SIZE, InvalidExpression, Node

DTYPES: dict[str, Attribute] = {
    "bool": i1,
    **{f"i{n}": IntegerType(n) for n in (8, 16, 32, 64)},
    **{f"u{n}": IntegerType(n, Signedness.UNSIGNED) for n in (8, 16, 32, 64)},
    "f16": f16,
    "bf16": bf16,
    "f32": f32,
    "f64": f64,
}
"""The element types by their names in JSON. Integers `i8` to `i64` are signed."""
ROW_MAJOR = "row_major"
LAYOUTS = (ROW_MAJOR, "col_major")
MAX_RANK = 8
Dim = int | str
"""A size: a number, a symbol, or the text of an expression."""


def size(dim: Dim) -> Node:
    """Returns the tree of a size. Raises `InvalidExpression`."""
    return dim if isinstance(dim, int) else symbols.parse(dim, SIZE)


@irdl_attr_definition
class TensorType(ParametrizedAttribute, TypeAttribute):
    """
    A tensor: `!intent.tensor<[M, "2*N", 4], f32>`. A size is a number, a symbol, or an expression of symbols in quotes; it is at least
    1. The layout, `row_major` unless another word follows the element type, has no meaning.
    """

    name = "intent.tensor"
    shape: ArrayAttr[IntAttr | StringAttr]
    element_type: Attribute
    layout: StringAttr

    def __init__(self, dims: Sequence[Dim], element_type: Attribute, layout: str = ROW_MAJOR):
        shape = [IntAttr(d) if isinstance(d, int) else StringAttr(d) for d in dims]
        super().__init__(ArrayAttr(shape), element_type, StringAttr(layout))

    @property
    def dims(self) -> tuple[Dim, ...]:
        return tuple(d.data for d in self.shape)

    @property
    def sizes(self) -> tuple[Node, ...]:
        """The sizes as trees."""
        return tuple(map(size, self.dims))

    def verify(self) -> None:
        check_type(
            None,
            self.element_type in DTYPES.values(),
            "the element type",
            self.element_type,
            f"one of {', '.join(DTYPES)}",
        )
        for dim in self.dims:
            check_attribute(None, not isinstance(dim, int) or dim >= 1, "a size", f"is {dim}", "sizes are at least 1")
            try:
                size(dim)
            except InvalidExpression as error:
                help = "a size is a number, a symbol, or an expression of symbols"
                check_attribute(None, False, f"{dim}", f"is not a size: {error.problem}", help)
        check_attribute(
            None, len(self.shape) <= MAX_RANK, "shape", f"has {len(self.shape)} axes", f"at most {MAX_RANK}"
        )
        layout = self.layout.data
        check_attribute(None, layout in LAYOUTS, "layout", f"is '{layout}'", f"one of {', '.join(LAYOUTS)}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            dims = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: _parse_dim(parser))
            parser.parse_punctuation(",")
            dtype = parser.parse_type()
            layout = parser.parse_identifier() if parser.parse_optional_punctuation(",") else ROW_MAJOR
        return [ArrayAttr(dims), dtype, StringAttr(layout)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"[{', '.join(map(_dim_text, self.dims))}], ")
            printer.print_attribute(self.element_type)
            if self.layout.data != ROW_MAJOR:
                printer.print_string(f", {self.layout.data}")


def _parse_dim(parser: AttrParser) -> IntAttr | StringAttr:
    if (number := parser.parse_optional_integer(allow_boolean=False, allow_negative=False)) is not None:
        return IntAttr(number)
    word = parser.parse_optional_identifier()
    return StringAttr(parser.parse_str_literal() if word is None else word)


def _dim_text(dim: Dim) -> str:
    return str(dim) if isinstance(dim, int) or symbols.SYMBOL.fullmatch(dim) else f'"{dim}"'


def type_of(value: SSAValue) -> TensorType:
    """Returns the type of a value of the dialect."""
    return cast(TensorType, value.type)


def shape_text(dims: Sequence[Dim]) -> str:
    """Returns sizes as messages show them: `[M, 2*N]`."""
    return f"[{', '.join(map(str, dims))}]"
