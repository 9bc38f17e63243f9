"""
What the bytes of a dense literal may be. A byte holds one element of less than 8 bits, sign-extended; the true `i1` is -1
as xDSL writes it, or 1. Other bytes have no meaning: to print them is to write what cannot be read.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType
from xdsl.ir import Operation
from xdsl.utils.hints import isa

from ..errors import InvalidAttributeValue
from .shapes import is_predicate, is_unsigned


def require_elements(dense: DenseIntOrFPElementsAttr, name: str, op: Operation | None = None) -> None:
    """Every byte of the literal that `name` names is of its element type. Raises `InvalidAttributeValue`."""
    dtype, data = dense.get_element_type(), dense.data.data
    if not isa(dtype, IntegerType) or (width := dtype.width.data) >= 8 or not data:
        return
    unsigned = is_unsigned(dtype) and not is_predicate(dtype)
    values = np.frombuffer(data, np.uint8 if unsigned else np.int8)
    if is_predicate(dtype):
        low, high, help = -1, 1, "write true or false, or the bytes 0x01 and 0x00"
    else:
        low, high = (0, 2**width - 1) if unsigned else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
        help = f"write numbers from {low} to {high}, or for each its byte{'' if unsigned else ', sign-extended'}"
    if values.min() < low or values.max() > high:
        outside = data[int(np.argmax((values < low) | (values > high)))]
        problem = f"has the byte 0x{outside:02X}, which is no {dtype}"
        raise InvalidAttributeValue(op, name=name, problem=problem, help=help)
