"""
The bytes of a dense literal. A splat, all of whose elements have the same bytes, holds one element, as in MLIR: it costs
nothing, whatever its type. (xDSL writes such an element out; `compact` makes one literal of both.)

A byte holds one element of less than 8 bits, sign-extended; the true `i1` is -1 as xDSL writes it, or 1. Other bytes have
no meaning: to print them is to write what cannot be read.
"""

from __future__ import annotations

from math import prod
from typing import Any

from xdsl.dialects.builtin import AnyFloat, BytesAttr, ComplexType, DenseIntOrFPElementsAttr, IntegerType, Signedness
from xdsl.ir import Operation
from xdsl.utils.hints import isa

from ..errors import InvalidAttributeValue


def element_size(dtype: Any) -> int:
    """How many bytes of a literal an element takes. (xDSL has no size of f80 and f128.)"""
    if isinstance(dtype, ComplexType):
        return 2 * element_size(dtype.element_type)  # pyright: ignore[reportUnknownMemberType]
    return (dtype.bitwidth + 7) // 8 if isinstance(dtype, AnyFloat) else dtype.compile_time_size


def dense(type: Any, data: bytes) -> DenseIntOrFPElementsAttr:
    """The literal of these elements, or of one that all are. `type` is a tensor, vector or memref."""
    size = element_size(type.element_type)
    if len(data) > size and data[:size] == data[-size:] and data == data[:size] * (len(data) // size):
        data = data[:size]
    return DenseIntOrFPElementsAttr(type, BytesAttr(data))


def compact(literal: DenseIntOrFPElementsAttr) -> DenseIntOrFPElementsAttr:
    """The same literal; a splat holds one element."""
    return dense(literal.type, literal.data.data)


def splat(literal: DenseIntOrFPElementsAttr) -> bytes | None:
    """The bytes of the element that all elements are. None if there is none such, or no element."""
    data = compact(literal).data.data
    return data if len(data) == element_size(literal.get_element_type()) else None


def all_bytes(literal: DenseIntOrFPElementsAttr) -> bytes:
    """The bytes of each element, one after the other."""
    data = literal.data.data
    size, count = element_size(literal.get_element_type()), prod(literal.get_shape())
    return data * count if len(data) == size else data


def require_elements(literal: DenseIntOrFPElementsAttr, name: str, op: Operation | None = None) -> None:
    """Every byte of the literal that `name` names is of its element type. Raises `InvalidAttributeValue`."""
    dtype, data = literal.get_element_type(), literal.data.data
    if not isa(dtype, IntegerType) or (width := dtype.width.data) >= 8 or not data:
        return
    import numpy as np  # which few programs need

    predicate, unsigned = width == 1, dtype.signedness.data == Signedness.UNSIGNED and width > 1
    values = np.frombuffer(data, np.uint8 if unsigned else np.int8)
    if predicate:
        low, high, help = -1, 1, "write true or false, or the bytes 0x01 and 0x00"
    else:
        low, high = (0, 2**width - 1) if unsigned else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
        help = f"write numbers from {low} to {high}, or for each its byte{'' if unsigned else ', sign-extended'}"
    if values.min() < low or values.max() > high:
        outside = data[int(np.argmax((values < low) | (values > high)))]
        problem = f"has the byte 0x{outside:02X}, which is no {dtype}"
        raise InvalidAttributeValue(op, name=name, problem=problem, help=help)
