"""
Scalars in attributes, such as the padding value of `ptir.pad`: `0.0 : f32`, `-7 : si4`, `true : i1`, `(1.0, -2.0) :
complex<f32>`. Values without an exact decimal form (infinities, NaNs with payload) are written as little-endian bytes, as in
a dense literal: `"0x0000807F" : f32`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    BytesAttr,
    ComplexType,
    DenseIntOrFPElementsAttr,
    IntegerType,
    TensorType,
)
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from ...errors import InvalidAttributeValue
from ...text.literals import require_elements
from ..common.shapes import is_float, is_predicate, is_unsigned
from ..common.syntax import AttributeDirective

Number = bool | int | float | complex


@irdl_attr_definition
class ScalarAttr(ParametrizedAttribute):
    """One value of an element type, stored as a dense literal of rank 0."""

    name = "ptir.scalar"
    dense: DenseIntOrFPElementsAttr

    def verify(self) -> None:
        require_elements(self.dense, "value")

    @classmethod
    def of(cls, value: Number | bytes, dtype: Attribute) -> ScalarAttr:
        """Returns `value`, rounded to `dtype`; if it is bytes, the element with these bytes, little-endian."""
        try:
            return cls(_dense(value, dtype))
        except (ValueError, OverflowError, NotImplementedError, struct.error, VerifyException) as e:
            given = f"0x{value.hex()}" if isinstance(value, bytes) else value
            raise InvalidAttributeValue(
                name="value", problem=f"{given} is not a value of {dtype}", help="write a number of the element type"
            ) from e

    @classmethod
    def from_literal(cls, data: bytes, dtype: Attribute) -> ScalarAttr:
        """Returns the element of `dtype` with these bytes. Checks them as in a dense literal (`text/literals.py`)."""
        if isa(dtype, IntegerType):
            require_elements(DenseIntOrFPElementsAttr(TensorType(dtype, []), BytesAttr(data)), "value")
        return cls.of(data, dtype)

    @property
    def dtype(self) -> Attribute:
        return cast(Attribute, self.dense.get_element_type())

    @property
    def bytes(self) -> bytes:
        return self.dense.data.data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [parse_scalar(parser).dense]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            print_scalar(printer, self)


def _dense(value: Number | bytes, dtype: Attribute) -> DenseIntOrFPElementsAttr:
    t: Any = TensorType(dtype, [])
    if not isinstance(dtype, AnyFloat | IntegerType | ComplexType):
        raise ValueError(f"{dtype} is not an element type")
    if isinstance(value, bytes):
        if len(value) != dtype.compile_time_size:
            raise ValueError(f"{dtype} has {dtype.compile_time_size} bytes")
        if not isa(dtype, IntegerType):
            return DenseIntOrFPElementsAttr(t, BytesAttr(value))
        value = _integer(value, dtype)
    if isinstance(dtype, ComplexType):
        return DenseIntOrFPElementsAttr.from_list(t, [(complex(value).real, complex(value).imag)])
    if isa(dtype, IntegerType):
        if not isinstance(value, int) or isinstance(value, bool) != is_predicate(dtype):
            raise ValueError(f"{value} is not an integer")
        return DenseIntOrFPElementsAttr.from_list(t, [value])
    if isinstance(value, complex):
        raise ValueError(f"{value} is not real")
    return DenseIntOrFPElementsAttr.from_list(t, [float(value)])


def _integer(value: bytes, dtype: IntegerType) -> int:
    """Returns the integer in the low bits of `value`. (The upper bits of a 4-bit element in NumPy are undefined.)"""
    width = dtype.width.data
    number = int.from_bytes(value, "little") % 2**width
    if is_predicate(dtype):
        return number == 1
    return number if is_unsigned(dtype) or number < 2 ** (width - 1) else number - 2**width


def parse_scalar(parser: AttrParser) -> ScalarAttr:
    """Parses `value : type`."""
    at = parser.pos
    bits = parser.lexer.input.slice(at, at + 2) == "0x"
    value: Number | bytes | None
    if (text := parser.parse_optional_str_literal()) is not None:
        try:
            value = bytes.fromhex(text.removeprefix("0x"))
        except ValueError:
            parser.raise_error('expected the bytes of a value, as in "0x0000807F"', at, parser.pos)
    elif parser.parse_optional_punctuation("("):
        real = parser.parse_number()
        parser.parse_punctuation(",")
        value = complex(real, parser.parse_number())
        parser.parse_punctuation(")")
    elif (value := parser.parse_optional_boolean()) is None:
        value = parser.parse_number()
    parser.parse_punctuation(":")
    dtype = parser.parse_type()
    if bits and not isa(dtype, IntegerType):
        parser.raise_error(f'spell the bytes of a {dtype} as "0x…", the least significant one first', at, parser.pos)
    try:
        return ScalarAttr.from_literal(value, dtype) if isinstance(value, bytes) else ScalarAttr.of(value, dtype)
    except InvalidAttributeValue as e:
        parser.raise_error(e.message, at, parser.pos)


def print_scalar(printer: Printer, scalar: ScalarAttr) -> None:
    printer.print_string(f"{scalar_text(scalar)} : ")
    printer.print_attribute(scalar.dtype)


def scalar_text(scalar: ScalarAttr) -> str:
    """Returns the shortest text that parses to the same bytes."""
    (value,) = scalar.dense.get_values()
    if isa(scalar.dtype, IntegerType):
        return ("true" if value else "false") if is_predicate(scalar.dtype) else str(value)
    parts = value if isinstance(value, tuple) else (value,)
    if not all(map(isfinite, parts)):
        return _bytes_text(scalar)
    for texts in zip(*map(_decimal_texts, parts), strict=True):
        numbers = [float(text) for text in texts]
        if _dense(numbers[0] if len(numbers) == 1 else complex(*numbers), scalar.dtype) == scalar.dense:
            return texts[0] if is_float(scalar.dtype) else f"({', '.join(texts)})"
    return _bytes_text(scalar)


def _bytes_text(scalar: ScalarAttr) -> str:
    return f'"0x{scalar.bytes.hex().upper()}"'


def _decimal_texts(value: float) -> Iterator[str]:
    """Yields decimal forms of `value` with more and more digits, each with the decimal point that the grammar requires."""
    for digits in (6, 9, 17):
        mantissa, e, exponent = f"{value:.{digits}g}".partition("e")
        yield (mantissa if "." in mantissa else f"{mantissa}.0") + e + exponent


class Scalar(AttributeDirective):
    """Parses and prints a `ScalarAttr` as `value : type`."""

    def parse_value(self, parser: Parser) -> Attribute:
        return parse_scalar(parser)

    def print_value(self, printer: Printer, value: Attribute) -> None:
        print_scalar(printer, cast(ScalarAttr, value))
