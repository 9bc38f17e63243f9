"""
Parses floats exactly.

A hexadecimal number of a float type is the bit pattern of the float, as in MLIR: in scalars, in `dense<…>` (where xDSL reads
it as a value), in `array<…>` and in complex elements (where xDSL rejects it). Dense and array attributes store exactly these
bytes; no Python float is created, which could change them.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from xdsl.dialects.builtin import (
    AnyDenseElement,
    AnyFloat,
    BytesAttr,
    ComplexType,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    FloatAttr,
    FloatData,
    IntegerAttr,
    IntegerType,
    RankedStructure,
)
from xdsl.parser import AttrParser
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.lexer import Position, Span
from xdsl.utils.mlir_lexer import MLIRTokenKind

from ..errors import counted, message_of
from .errors import Elided
from .float_bits import value_of
from .literal_lists import find_list, packed_list
from .literals import dense, element_size
from .quick_parser import QuickParser

Element: TypeAlias = AttrParser._TensorLiteralElement  # pyright: ignore[reportPrivateUsage]


class _Scalar(Element):
    """A number as it is written. Where a float is expected, a hexadecimal number is the float's bit pattern."""

    @property
    def is_hexadecimal(self) -> bool:
        return self.span.text.lstrip("-")[:2] == "0x"

    def raw(self, parser: AttrParser, type: AnyFloat) -> bytes:
        """Returns the bytes of a float of this type."""
        if not self.is_hexadecimal:
            return type.pack((self.rounded(parser, type),))
        if self.is_negative or self.span.text[0] == "-":
            parser.raise_error(
                "a hexadecimal float is a bit pattern and cannot have a minus sign", at_position=self.span
            )
        if cast(int, self.value) >> 8 * element_size(type):
            parser.raise_error(
                f"this hexadecimal float has more than the {counted(element_size(type), 'byte')} of {type.name}",
                at_position=self.span,
            )
        return cast(int, self.value).to_bytes(element_size(type), "little")

    def rounded(self, parser: AttrParser, type: AnyFloat) -> float:
        """Returns the value. Raises a parse error if it is out of the type's range."""
        value = self.to_float(parser)
        try:
            if math.isinf(value):
                raise OverflowError
            type.pack((value,))
        except NotImplementedError:
            pass  # f80 and f128 scalars hold any Python float
        except OverflowError:
            parser.raise_error(f"{self.span.text} is too large for {type.name}", at_position=self.span)
        except ValueError as e:
            parser.raise_error(str(e), at_position=self.span)
        return value


@dataclass
class _Complex(Element):
    """`(real, imaginary)`."""

    parts: tuple[_Scalar, _Scalar]


class FloatParser(QuickParser):
    """Parses hexadecimal floats as bit patterns."""

    def _parse_tensor_literal_element(self) -> Element:
        start = self._parse_optional_token(MLIRTokenKind.L_PAREN)
        if start is None:
            return self._scalar_element()
        real = self._scalar_element()
        self.parse_punctuation(",")
        imaginary = self._scalar_element()
        end = self._consume_token(MLIRTokenKind.R_PAREN)
        span = Span(start.start, end.start + 1, self._lexer.input)
        return _Complex(False, (0, 0), span, (real, imaginary))

    def _parse_builtin_dense_resource_attr(self) -> DenseResourceAttr:
        source, elided = self._lexer.input, "<__elided__>"
        if source.content.startswith(elided, self.pos):
            raise Elided(Span(self.pos, self.pos + len(elided), source))
        return super()._parse_builtin_dense_resource_attr()

    def _scalar_element(self) -> _Scalar:
        if (found := self._parse_optional_bool_int_or_float()) is None:
            self.raise_error("Expected either a float, integer, or complex literal")
        value, span = found
        return _Scalar(value < 0, value, span)

    def parse_dense_int_or_fp_elements_attr(
        self, type: RankedStructure[AnyDenseElement] | None
    ) -> DenseIntOrFPElementsAttr:
        start = self.pos
        if (read := self._read_in_bulk(type)) is not None:
            return read
        self._resume_from(start)
        self.parse_punctuation("<", " in dense attribute")
        text, elements, shape = None, list[Element](), list[int]()
        empty = self.parse_optional_punctuation(">") is not None
        if not empty:
            if (text := self.parse_optional_str_literal()) is None:
                elements, shape = self._parse_tensor_literal()
            self.parse_punctuation(">", " in dense attribute")
        type = type or self._type_of_literal()
        count = math.prod(type.get_shape())
        size = self._size_of(type.element_type, start)
        if text is not None:
            data = self._hexadecimal_data(text, start)
        elif shape and tuple(shape) != type.get_shape():
            written, wanted = (", ".join(map(str, s)) for s in (shape, type.get_shape()))
            self.raise_error(f"dense literal of shape [{written}], but its type has shape [{wanted}]", start, self.pos)
        else:
            data = self._packed(elements, type.element_type)
        is_splat = len(data) == size and (text is not None or not shape)
        if len(data) != count * size and not is_splat:
            self.raise_error(
                f"dense literal of {len(data) // size} elements, but its type has {count}", start, self.pos
            )
        return dense(type, data if count else b"")

    def _read_in_bulk(self, type: RankedStructure[AnyDenseElement] | None) -> DenseIntOrFPElementsAttr | None:
        start, text = self.pos, self._lexer.input.content
        if not text.startswith("<", start) or (end := find_list(text, start + 1)) is None:
            return None
        self._resume_from(end)
        type = type or self._type_of_literal()
        data = packed_list(text[start + 1 : end - 1], type.get_shape(), type.element_type)
        return None if data is None else dense(type, data)

    def _type_of_literal(self) -> RankedStructure[AnyDenseElement]:
        self.parse_punctuation(":", " in dense attribute")
        return self._parse_dense_literal_type()

    def _size_of(self, type: AnyDenseElement, start: Position) -> int:
        try:
            return type.compile_time_size
        except NotImplementedError:
            self.raise_error(f"dense literals of {type} are not supported", start, self.pos)

    def _hexadecimal_data(self, text: str, start: Position) -> bytes:
        try:
            if not text.startswith("0x"):
                raise ValueError
            return bytes.fromhex(text[2:])
        except ValueError:
            self.raise_error("expected an even number of hexadecimal digits after 0x", start, self.pos)

    def _packed(self, elements: Sequence[Element], type: AnyDenseElement) -> bytes:
        """Returns the concatenated bytes of `elements`."""
        if isinstance(type, ComplexType):
            for element in elements:
                if not isinstance(element, _Complex):
                    self.raise_error("expected a complex literal: (real, imaginary)", element.span)
            parts = [part for element in elements for part in cast(_Complex, element).parts]
            return self._packed(parts, type.element_type)
        if isinstance(type, AnyFloat):
            return b"".join([self._scalar(element).raw(self, type) for element in elements])
        values = cast(list[int], [self._scalar(element).to_type(self, type) for element in elements])
        try:
            return type.pack(
                [type.get_normalized_value(v) for v in values] if isinstance(type, IntegerType) else values
            )
        except (VerifyException, ValueError, struct.error) as e:
            self.raise_error(message_of(e), elements[0].span)

    def _scalar(self, element: Element) -> _Scalar:
        if not isinstance(element, _Scalar):
            self.raise_error("the literal is complex, but the elements are not", element.span)
        return element

    def _parse_builtin_densearray_attr(self) -> DenseArrayBase | None:
        start = self.pos
        self.parse_characters("<", " in dense array")
        type = self.parse_attribute()
        if not isinstance(type, AnyFloat) or self._current_token.kind is not MLIRTokenKind.COLON:
            self._resume_from(start)
            return super()._parse_builtin_densearray_attr()
        self.parse_punctuation(":")
        floats = self.parse_comma_separated_list(self.Delimiter.NONE, self._scalar_element)
        self.parse_punctuation(">", " in dense array")
        try:
            return DenseArrayBase(type, BytesAttr(b"".join(element.raw(self, type) for element in floats)))
        except NotImplementedError:
            self.raise_error(f"arrays of {type.name} are not supported", start, self.pos)

    def parse_optional_builtin_int_or_float_attr(self) -> IntegerAttr | FloatAttr | None:
        token = self._token
        start = token.start
        plain = token.kind not in _NUMBER or (token.kind is MLIRTokenKind.INTEGER_LIT and token.text[:2] != "0x")
        if plain or (found := self._parse_optional_bool_int_or_float()) is None:
            return super().parse_optional_builtin_int_or_float_attr()
        element = _Scalar(found[0] < 0, *found)
        if self.parse_optional_punctuation(":") is None or not isinstance(type := self.parse_type(), AnyFloat):
            self._resume_from(start)
            return super().parse_optional_builtin_int_or_float_attr()
        if not element.is_hexadecimal:
            return FloatAttr(element.rounded(self, type), type)
        try:
            value = value_of(int.from_bytes(element.raw(self, type), "little"), type)
        except ValueError as e:
            self.raise_error(str(e), element.span)
        # FloatAttr(value, type) would pack and unpack the value, which loses NaN payloads.
        return FloatAttr.new((FloatData(value), type))


_NUMBER = (MLIRTokenKind.INTEGER_LIT, MLIRTokenKind.FLOAT_LIT, MLIRTokenKind.MINUS)
