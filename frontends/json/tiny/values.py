"""Types, sizes and numbers in Tiny JSON, and their conversion from and to IR."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast, get_args

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType, i1
from xdsl.ir import Attribute

from ....dialects.ptir.dims import sizes, sizes_text, tensor_type
from ....dialects.ptir.scalars import ScalarAttr
from ....text.known_sizes import Size
from ....text.literals import dense, splat
from ..common.errors import InvalidLiteral, Unrepresentable
from ..ptir import values as ptir_values
from ..ptir.values import ENCODING_HELP, json_bytes, read_bytes, read_float, require_static_shape, scalar_number
from . import program
from .program import Bytes, Dtype, Number, Value

_SPEC_DTYPES = {"F16": "fp16", "F32": "fp32", "F64": "fp64"}
_CONTRACT_DTYPES = {_SPEC_DTYPES.get(d, d.lower()): d for d in get_args(ptir_values.Dtype)}
"""The contract's name of each element type, by its name in the spec."""


def read_dtype(dtype: Dtype) -> Attribute:
    return ptir_values.read_dtype(_CONTRACT_DTYPES[dtype])


def write_dtype(t: Attribute) -> Dtype:
    """Returns the name of an element type. Raises `Unrepresentable`."""
    name = ptir_values.write_dtype(t)
    return cast(Dtype, _SPEC_DTYPES.get(name, name.lower()))


def read_size(size: program.Size) -> Size:
    if isinstance(size, int):
        return size
    return None if size == "?" else int(size) if size.isdecimal() else size


def write_sizes(sizes: Sequence[Size]) -> list[program.Size]:
    """Returns sizes as strings, as in the spec's examples."""
    return ["?" if size is None else str(size) for size in sizes]


def read_value(value: Value) -> TensorType[Attribute]:
    return tensor_type(read_dtype(value.dtype), [read_size(s) for s in value.shape])


def write_value(t: Attribute) -> Value:
    """Returns the declaration of a value of type `t`. Raises `Unrepresentable`."""
    if not isinstance(t, TensorType):
        raise Unrepresentable(f"the type {t}", "the values of a tiny program are tensors")
    tensor = cast("TensorType[Attribute]", t)
    value = Value(write_dtype(tensor.element_type), write_sizes(sizes(tensor)))
    if read_value(value) != t:
        raise Unrepresentable(f"the type {t}", ENCODING_HELP)
    return value


def type_text(t: Attribute) -> str:
    """Returns a type as messages show it: `fp16[M, 4]`."""
    tensor = cast("TensorType[Attribute]", t)
    return f"{write_dtype(tensor.element_type)}{sizes_text(sizes(tensor))}"


# --- numbers ------------------------------------------------------------------------------------


def read_number(number: Number, dtype: Attribute) -> ScalarAttr:
    """Converts a number to an element of `dtype`. Raises `InvalidLiteral` or `InvalidAttributeValue`."""
    match number:
        case Bytes():
            return ScalarAttr(read_bytes(TensorType(dtype, []), number.data))
        case tuple():
            real, imaginary = number
            return ScalarAttr.of(complex(read_float(real), read_float(imaginary)), dtype)
        case bool():
            if dtype != i1:
                raise InvalidLiteral(f"{str(number).lower()} is not a value of {dtype}", "write a number")
            return ScalarAttr.of(number, dtype)
        case str():
            return ScalarAttr.of(read_float(number), dtype)
        case _:
            return ScalarAttr.of(number, dtype)


def write_number(scalar: ScalarAttr) -> Number:
    """Returns the number if it is exact, else the bytes."""
    number = scalar_number(scalar)
    return number if read_number(number, scalar.dtype) == scalar else Bytes(json_bytes(scalar.dense))


def read_literal(number: Number, t: TensorType[Attribute]) -> DenseIntOrFPElementsAttr:
    """Reads the value of every element, or the bytes of all elements."""
    if isinstance(number, Bytes):
        return read_bytes(t, number.data)
    require_static_shape(t)
    element = read_number(number, t.element_type).dense
    return dense(t, element.data.data if 0 not in t.get_shape() else b"")


def write_literal(literal: DenseIntOrFPElementsAttr) -> Number:
    if (data := splat(literal)) is not None:
        number = write_number(ScalarAttr(dense(TensorType(literal.get_element_type(), []), data)))
        if not isinstance(number, Bytes):
            return number
    return Bytes(json_bytes(literal))
