"""
xDSL's printer, made exact: the printed text parses to literals with the same bits.

- A NaN is printed as its bits, with sign and payload: `0xFFC1 : bf16`. xDSL prints every NaN as the same bits.
- A dense attribute is a splat if all elements have the same bytes. xDSL compares values, and so prints `[0.0, -0.0]` as a
  splat of `0.0` and signaling NaNs as quiet ones.
- f80 and f128, which xDSL does not pack, are printed too.
- A location that is the metadata of a fused location is printed as an attribute: `loc(…)`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    ComplexType,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    Float80Type,
    Float128Type,
    FusedLoc,
    NoneAttr,
)
from xdsl.ir import Attribute, Operation
from xdsl.printer import Printer

from .errors import NestedTooDeeply
from .float_bits import bits_of
from .literals import compact, element_size


class ExactPrinter(Printer):
    """The printer of all ptir tools."""

    max_printed: int = 100
    """Maximum number of elements of a literal printed as numbers; longer literals are printed as bytes. -1: no limit."""
    max_kept: float = math.inf
    """Maximum number of elements of a literal that is printed; longer literals are elided."""

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        if "\n" in text:
            return super().print_string(text, indent=indent)
        self._current_column += len(text)
        (self.stream or sys.stdout).write(text)
        return None

    def print_op(self, op: Operation) -> None:
        try:
            super().print_op(op)
        except RecursionError:
            raise NestedTooDeeply(op, what="print") from None

    def _print_op_properties(self, properties: dict[str, Attribute]) -> None:
        """Prints properties sorted by name, as MLIR does, since built and parsed ops have them in different orders."""
        super()._print_op_properties(dict(sorted(properties.items())))

    def print_attribute(self, attribute: Attribute) -> None:
        kind: type[Any] = type(attribute)
        if kind is DenseIntOrFPElementsAttr:
            self._print_dense(attribute)  # pyright: ignore[reportArgumentType]
        elif kind is DenseArrayBase:
            self._print_array(attribute)  # pyright: ignore[reportArgumentType]
        elif kind is FusedLoc:
            self._print_fused(attribute)  # pyright: ignore[reportArgumentType]
        else:
            super().print_attribute(attribute)

    def print_float(self, value: float, type: AnyFloat) -> None:
        if math.isnan(value) or math.isinf(value):
            self._print_bits(bits_of(value, type), type)
        elif isinstance(type, Float80Type | Float128Type):
            text = repr(value)
            self.print_string(text if "." in text else text.replace("e", ".0e"))
        else:
            super().print_float(value, type)

    def _print_bits(self, bits: int, type: AnyFloat) -> None:
        self.print_string(f"0x{bits:0{2 * element_size(type)}X}")

    def _print_fused(self, location: FusedLoc) -> None:
        with self.in_location():
            self.print_string("fused")
            if not isinstance(location.metadata, NoneAttr):
                self.printing_location = False  # a location in the metadata is printed as an attribute
                with self.in_angle_brackets():
                    self.print_attribute(location.metadata)
                self.printing_location = True
            self.print_attribute(location.locations)

    def _print_dense(self, attr: DenseIntOrFPElementsAttr) -> None:
        attr = compact(attr)
        element = attr.get_element_type()
        part = element.element_type if isinstance(element, ComplexType) else element
        data, size = attr.data.data, element_size(element)
        count = len(data) // size
        if count <= 1 and not isinstance(part, AnyFloat):
            return attr.print_builtin(self)
        if 1 < count > self.max_kept:
            self.print_string("dense_resource<__elided__> : ")
            return self.print_attribute(attr.type)
        self.print_string("dense<")
        if count == 1:
            self._print_element(data, element)
        elif 0 <= self.max_printed < count:
            self.print_string(f'"0x{data.hex().upper()}"')
        elif count:
            shape = attr.get_shape() if math.prod(attr.get_shape()) == count else (count,)
            if isinstance(part, AnyFloat):
                self._print_nested([data[i : i + size] for i in range(0, len(data), size)], shape, element)
            else:
                attr._print_dense_list(attr.get_values(), shape, self)  # pyright: ignore[reportPrivateUsage]
        self.print_string("> : ")
        return self.print_attribute(attr.type)

    def _print_nested(self, elements: Sequence[bytes], shape: Sequence[int], type: Attribute) -> None:
        if not shape:
            return self._print_element(elements[0], type)
        step = len(elements) // shape[0]
        with self.in_square_brackets():
            self.print_list(
                range(0, len(elements), step), lambda i: self._print_nested(elements[i : i + step], shape[1:], type)
            )
        return None

    def _print_element(self, data: bytes, type: Attribute) -> None:
        if isinstance(type, ComplexType):
            half, part = len(data) // 2, cast(Attribute, type.element_type)
            with self.in_parens():
                self._print_element(data[:half], part)
                self.print_string(", ")
                self._print_element(data[half:], part)
        elif isinstance(type, AnyFloat):
            self._print_packed(data, type)

    def _print_packed(self, data: bytes, type: AnyFloat) -> None:
        (value,) = type.unpack(data, 1)
        if math.isfinite(value) and type.pack((value,)) == data:
            self.print_float(value, type)
        else:
            self._print_bits(int.from_bytes(data, "little"), type)

    def _print_array(self, attr: DenseArrayBase) -> None:
        type, data = attr.elt_type, attr.data.data
        if not isinstance(type, AnyFloat) or not data:
            return attr.print_builtin(self)
        self.print_string(f"array<{type.name}: ")
        size = element_size(type)
        self.print_list(range(0, len(data), size), lambda i: self._print_packed(data[i : i + size], type))
        self.print_string(">")
        return None
