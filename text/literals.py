"""
The bytes of a dense literal. In a splat all elements have the same bytes, and as in MLIR only one is stored. (xDSL stores all
of them; `compact` normalizes both forms.)

An element of less than 8 bits is stored as a sign-extended byte; an `i1` that is true is -1, as in xDSL, or 1. Other bytes are
invalid: their printed form could not be parsed.
"""

from __future__ import annotations

from math import prod
from typing import Any

from xdsl.dialects.builtin import AnyFloat, BytesAttr, ComplexType, DenseIntOrFPElementsAttr, IntegerType, Signedness
from xdsl.ir import Operation
from xdsl.utils.hints import isa

from ..errors import InvalidAttributeValue


def element_size(dtype: Any) -> int:
    """Returns the number of bytes per element of a literal. (xDSL defines none for f80 and f128.)"""
    if isinstance(dtype, ComplexType):
        return 2 * element_size(dtype.element_type)  # pyright: ignore[reportUnknownMemberType]
    return (dtype.bitwidth + 7) // 8 if isinstance(dtype, AnyFloat) else dtype.compile_time_size


def dense(type: Any, data: bytes) -> DenseIntOrFPElementsAttr:
    """Returns a literal. `data` has the bytes of all elements, or of one for a splat; `type` is a tensor, vector or memref."""
    return DenseIntOrFPElementsAttr(type, BytesAttr(_compact_bytes(data, element_size(type.element_type))))


def _compact_bytes(data: bytes, size: int) -> bytes:
    """Returns the bytes of one element if all elements are equal, else `data`."""
    equal = len(data) > size and data[:size] == data[-size:] and data == data[:size] * (len(data) // size)
    return data[:size] if equal else data


def compact(literal: DenseIntOrFPElementsAttr) -> DenseIntOrFPElementsAttr:
    """Returns an equal literal that stores one element if it is a splat."""
    return dense(literal.type, literal.data.data)


def splat(literal: DenseIntOrFPElementsAttr) -> bytes | None:
    """Returns the bytes of the one element of a splat, or None if the literal is not a splat or is empty."""
    data = _compact_bytes(literal.data.data, size := element_size(literal.get_element_type()))
    return data if len(data) == size else None


def all_bytes(literal: DenseIntOrFPElementsAttr) -> bytes:
    """Returns the bytes of all elements, those of a splat repeated."""
    data = literal.data.data
    size, count = element_size(literal.get_element_type()), prod(literal.get_shape())
    return data * count if len(data) == size else data


def require_elements(literal: DenseIntOrFPElementsAttr, name: str, op: Operation | None = None) -> None:
    """Raises `InvalidAttributeValue` if the literal, which is attribute `name`, has a byte that is no value of its element type."""
    dtype, data = literal.get_element_type(), literal.data.data
    if not isa(dtype, IntegerType) or (width := dtype.width.data) >= 8 or not data:
        return
    import numpy as np  # few programs need it

    predicate, unsigned = width == 1, dtype.signedness.data == Signedness.UNSIGNED and width > 1
    values = np.frombuffer(data, np.uint8 if unsigned else np.int8)
    if predicate:
        low, high, help = -1, 1, "write true or false, or the bytes 0x01 and 0x00"
    else:
        low, high = (0, 2**width - 1) if unsigned else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
        help = f"write numbers from {low} to {high}, or one byte for each{'' if unsigned else ', sign-extended'}"
    if values.min() < low or values.max() > high:
        outside = data[int(np.argmax((values < low) | (values > high)))]
        problem = f"has the byte 0x{outside:02X}, which is not a value of {dtype}"
        raise InvalidAttributeValue(op, name=name, problem=problem, help=help)
