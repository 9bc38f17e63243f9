"""Types, sizes and numbers: how Tiny JSON spells them, and what they are in IR."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast, get_args

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType, TensorType, i1
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from ....dialects.ptir.dims import sizes, sizes_text, tensor_type
from ....dialects.ptir.scalars import ScalarAttr
from ....text.known_sizes import Size
from ....text.literals import dense, splat
from ..ptir import values as ptir_values
from ..ptir.values import Unfit, UnfitLiteral, plain_bytes, read_bytes, read_float, write_float
from . import program
from .program import Bytes, Dtype, Number, Value

_OURS = {"F16": "fp16", "F32": "fp32", "F64": "fp64"}
_THEIRS = {_OURS.get(d, d.lower()): d for d in get_args(ptir_values.Dtype)}
"""Element types as the spec calls them, and as the contract does."""


def read_dtype(dtype: Dtype) -> Attribute:
    return ptir_values.read_dtype(_THEIRS[dtype])


def write_dtype(t: Attribute) -> Dtype:
    """Raises `Unfit`."""
    name = ptir_values.write_dtype(t)
    return cast(Dtype, _OURS.get(name, name.lower()))


def read_size(size: program.Size) -> Size:
    if isinstance(size, int):
        return size
    return None if size == "?" else int(size) if size.isdecimal() else size


def write_sizes(of: Sequence[Size]) -> list[program.Size]:
    """Sizes are strings, as in the spec's examples."""
    return ["?" if size is None else str(size) for size in of]


def read_value(value: Value) -> TensorType[Attribute]:
    return tensor_type(read_dtype(value.dtype), [read_size(s) for s in value.shape])


def write_value(t: Attribute) -> Value:
    """Raises `Unfit`."""
    if not isinstance(t, TensorType):
        raise Unfit(f"the type {t}", "the values of a tiny program are tensors")
    tensor = cast("TensorType[Attribute]", t)
    value = Value(write_dtype(tensor.element_type), write_sizes(sizes(tensor)))
    if read_value(value) != t:
        raise Unfit(f"the type {t}", "a tensor has an element type, sizes and names of dimensions, no other encoding")
    return value


def spell_type(t: Attribute) -> str:
    """`fp16[M, 4]`, in messages."""
    tensor = cast("TensorType[Attribute]", t)
    return f"{write_dtype(tensor.element_type)}{sizes_text(sizes(tensor))}"


# --- numbers ------------------------------------------------------------------------------------


def read_number(number: Number, dtype: Attribute) -> ScalarAttr:
    """The number as an element of `dtype`. Raises `UnfitLiteral` or `InvalidAttributeValue` if it is none."""
    match number:
        case Bytes():
            return ScalarAttr(read_bytes(TensorType(dtype, []), number.data))
        case tuple():
            real, imaginary = number
            return ScalarAttr.of(complex(read_float(real), read_float(imaginary)), dtype)
        case bool():
            if dtype != i1:
                raise UnfitLiteral(f"{str(number).lower()} is no value of {dtype}", "write a number")
            return ScalarAttr.of(number, dtype)
        case str():
            return ScalarAttr.of(read_float(number), dtype)
        case _:
            return ScalarAttr.of(number, dtype)


def write_number(scalar: ScalarAttr) -> Number:
    """The number if it says all, else the bytes."""
    (value,) = scalar.dense.get_values()
    number: Number
    if isinstance(value, tuple):
        number = write_float(value[0]), write_float(value[1])
    elif scalar.dtype == i1:
        number = bool(value)
    elif isa(scalar.dtype, IntegerType):
        number = int(value)
    else:
        number = write_float(float(value))
    return number if read_number(number, scalar.dtype) == scalar else Bytes(plain_bytes(scalar.dense))


def read_literal(number: Number, t: TensorType[Attribute]) -> DenseIntOrFPElementsAttr:
    """A number that every element is, or the bytes of all of them."""
    if isinstance(number, Bytes):
        return read_bytes(t, number.data)
    if None in (of := sizes(t)) or any(isinstance(s, str) for s in of):
        raise UnfitLiteral("a literal of dynamic shape", "write the sizes of the literal")
    element = read_number(number, t.element_type).dense
    return dense(t, element.data.data if 0 not in of else b"")


def write_literal(literal: DenseIntOrFPElementsAttr) -> Number:
    if (data := splat(literal)) is not None:
        number = write_number(ScalarAttr(dense(TensorType(literal.get_element_type(), []), data)))
        if not isinstance(number, Bytes):
            return number
    return Bytes(plain_bytes(literal))
