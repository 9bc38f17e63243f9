"""
Types and literals in JSON, and their conversion from and to IR.

    {"Tensor": {"dtype": "F32", "shape": {"dims": [{"Dynamic": "B"}, {"Static": 768}]}}}
    {"Tuple": [{"Tensor": …}, {"Tensor": …}]}

An enum with data is an object with one field, the name of the variant (serde's externally tagged enums).
Contract: *Tensor model*, *DTypes and casting*.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Annotated, Any, Literal, cast

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType
from xdsl.dialects.builtin import (
    ArrayAttr,
    BFloat16Type,
    ComplexType,
    DenseIntOrFPElementsAttr,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    IntegerType,
    Signedness,
    TensorType,
    TupleType,
    f32,
    f64,
    i1,
)
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from ....dialects.common.shapes import is_unsigned
from ....dialects.ptir.dims import Size, sizes, tensor_type
from ....dialects.ptir.scalars import ScalarAttr
from ....text.literals import all_bytes, dense, element_size
from ..common.errors import InvalidLiteral, Unrepresentable

# --- the schema ---------------------------------------------------------------------------------

Dtype = Literal[
    "I1", "Si4", "Ui4", "Si8", "Ui8", "Si16", "Ui16", "Si32", "Ui32", "Si64", "Ui64",
    "I4", "I8", "I16", "I32", "I64",
    "Fp8E4M3", "Fp8E5M2", "Bf16", "F16", "F32", "F64", "Cf32", "Cf64",
]  # fmt: skip
"""The contract's element types. `I4` to `I64` are builtin's signless integers, which compute as signed ones."""

Natural = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
I64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
U64 = Annotated[int, msgspec.Meta(ge=0)]
Id = Annotated[int, msgspec.Meta(ge=0, le=2**32 - 1)]
Bytes = bytes | list[Annotated[int, msgspec.Meta(ge=0, le=255)]]
"""Base64, or an array of numbers."""
F64 = float | Literal["inf", "-inf", "nan"]
"""A float. Infinities and NaN are words, because JSON has no numbers for them."""


class Record(msgspec.Struct, forbid_unknown_fields=True):
    """A struct that does not allow unknown fields."""


class Tagged(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="pascal"):
    """An enum: exactly one of its fields is present."""

    def __post_init__(self) -> None:
        found = sum(getattr(self, name) is not UNSET for name in self.__struct_fields__)
        if found != 1:
            names = ", ".join(self.__struct_encode_fields__)
            raise ValueError(f"expected one field, a variant, got {found}" + (f": {names}" if len(names) < 100 else ""))


class Dimension(Tagged):
    static: Natural | UnsetType = UNSET
    dynamic: str | UnsetType = UNSET


class Shape(Record):
    dims: list[Dimension]


class TensorSpec(Record):
    dtype: Dtype
    shape: Shape


class ValueType(Tagged):
    tensor: TensorSpec | UnsetType = UNSET
    tuple: list[ValueType] | UnsetType = UNSET


class TensorLiteral(Record, rename={"data": "bytes"}):
    """A literal; its bytes are row-major and little-endian."""

    spec: TensorSpec
    data: Bytes


class Complex(Record):
    re: F64
    im: F64


class Scalar(Tagged):
    """A value inside an operation. Its element type is given by the tensor that it is used with."""

    i1: bool | UnsetType = UNSET
    signed: I64 | UnsetType = UNSET
    unsigned: U64 | UnsetType = UNSET
    float: F64 | UnsetType = UNSET
    complex: Complex | UnsetType = UNSET
    data: Bytes | UnsetType = msgspec.field(name="Bytes", default=UNSET)
    """The element's bytes, little-endian, for values that no JSON number represents, such as a NaN's payload."""


# --- element types ------------------------------------------------------------------------------

_DTYPES: dict[str, Attribute] = {
    "I1": i1,
    **{f"Si{n}": IntegerType(n, Signedness.SIGNED) for n in (4, 8, 16, 32, 64)},
    **{f"Ui{n}": IntegerType(n, Signedness.UNSIGNED) for n in (4, 8, 16, 32, 64)},
    **{f"I{n}": IntegerType(n) for n in (4, 8, 16, 32, 64)},
    "Fp8E4M3": Float8E4M3FNType(),
    "Fp8E5M2": Float8E5M2Type(),
    "Bf16": BFloat16Type(),
    "F16": Float16Type(),
    "F32": f32,
    "F64": f64,
    "Cf32": ComplexType(f32),
    "Cf64": ComplexType(f64),
}
_NAMES = {t: name for name, t in _DTYPES.items()}


def read_dtype(dtype: str) -> Attribute:
    return _DTYPES[dtype]


def write_dtype(t: Attribute) -> Dtype:
    if (name := _NAMES.get(t)) is None:
        raise Unrepresentable(f"the element type {t}", "the element types of PTIR are those of the contract")
    return cast(Dtype, name)


# --- types --------------------------------------------------------------------------------------

ENCODING_HELP = "a tensor has an element type, sizes and names of dimensions, and no other encoding"

UNNAMED = "_"
"""The name of a dynamic dimension without a name."""


def read_size(dimension: Dimension) -> Size:
    if dimension.dynamic is UNSET:
        return cast(int, dimension.static)
    return None if dimension.dynamic == UNNAMED else dimension.dynamic


def write_size(size: Size) -> Dimension:
    return Dimension(static=size) if isinstance(size, int) else Dimension(dynamic=size or UNNAMED)


def read_shape(shape: Shape) -> list[Size]:
    return [read_size(d) for d in shape.dims]


def write_shape(shape: Sequence[Size]) -> Shape:
    return Shape([write_size(size) for size in shape])


def read_spec(spec: TensorSpec) -> TensorType[Attribute]:
    return tensor_type(read_dtype(spec.dtype), read_shape(spec.shape))


def read_type(t: ValueType) -> Attribute:
    if t.tensor is not UNSET:
        return read_spec(t.tensor)
    return TupleType(ArrayAttr(cast("Any", read_type(part)) for part in cast("list[ValueType]", t.tuple)))


def write_type(t: Attribute) -> ValueType:
    if isinstance(t, TupleType):
        return ValueType(tuple=[write_type(part) for part in t.types])
    if not isinstance(t, TensorType):
        raise Unrepresentable(f"the type {t}", "the values of PTIR are tensors and tuples of them")
    tensor = cast("TensorType[Attribute]", t)
    spec = TensorSpec(write_dtype(tensor.element_type), write_shape(sizes(tensor)))
    if read_spec(spec) != t:
        raise Unrepresentable(f"the type {t}", ENCODING_HELP)
    return ValueType(tensor=spec)


# --- literals -----------------------------------------------------------------------------------


MAX_LITERAL_BYTES = 1 << 28
"""Maximum number of bytes of a literal that is written. A splat is written with every element."""


def read_literal(literal: TensorLiteral) -> DenseIntOrFPElementsAttr:
    """Returns the dense attribute of a literal. Raises `InvalidLiteral`."""
    t = read_spec(literal.spec)
    return read_bytes(t, bytes(literal.data), f"{literal.spec.dtype}{list(t.get_shape())}")


def require_static_shape(t: TensorType[Attribute]) -> None:
    if not t.has_static_shape():
        raise InvalidLiteral("a literal of dynamic shape", "write the sizes of the literal")


def read_bytes(t: TensorType[Attribute], data: bytes, type_text: str = "") -> DenseIntOrFPElementsAttr:
    """Returns the dense attribute with these bytes; `type_text` is its type in messages. Raises `InvalidLiteral`."""
    require_static_shape(t)
    want = prod(t.get_shape()) * element_size(t.element_type)
    if len(data) != want:
        raise InvalidLiteral(f"{len(data)} bytes, and {type_text or t} has {want}")
    return dense(t, _xdsl_bytes(data, t.element_type))


def write_literal(literal: DenseIntOrFPElementsAttr) -> TensorLiteral:
    spec = cast(TensorSpec, write_type(literal.get_type()).tensor)
    return TensorLiteral(spec, json_bytes(literal))


def json_bytes(literal: DenseIntOrFPElementsAttr) -> bytes:
    """Returns the bytes of all elements; an i1 is the byte 0 or 1."""
    dtype = literal.get_element_type()
    if (size := prod(literal.get_shape()) * element_size(dtype)) > MAX_LITERAL_BYTES:
        help = f"JSON has every element of a literal, and at most {MAX_LITERAL_BYTES} bytes"
        raise Unrepresentable(f"a literal of {size} bytes", help)
    data = all_bytes(literal)
    return (np.frombuffer(data, np.uint8) & 1).tobytes() if dtype == i1 else data


def _xdsl_bytes(data: bytes, dtype: Attribute) -> bytes:
    """Returns the bytes as xDSL stores them: a true i1 is -1, an element of less than 8 bits is a sign-extended byte."""
    if not isa(dtype, IntegerType) or dtype.bitwidth >= 8 or not data:
        return data
    if dtype == i1:
        low, high, array = 0, 1, np.frombuffer(data, np.uint8)
    else:
        low, high = (0, 15) if is_unsigned(dtype) else (-8, 7)
        array = np.frombuffer(data, np.uint8 if is_unsigned(dtype) else np.int8)
    if array.min() < low or array.max() > high:
        raise InvalidLiteral(
            f"a byte that is not a value of {dtype}", f"a byte holds one element, from {low} to {high}"
        )
    return (-array.astype(np.int8)).tobytes() if dtype == i1 else data


# --- scalars ------------------------------------------------------------------------------------

_SPECIAL = {"inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}


def read_float(value: F64) -> float:
    return _SPECIAL[value] if isinstance(value, str) else float(value)


def write_float(value: float) -> F64:
    if value - value == 0:
        return value
    return "nan" if value != value else "inf" if value > 0 else "-inf"


def read_scalar(scalar: Scalar, dtype: Attribute) -> ScalarAttr:
    """Converts a scalar to an element of `dtype`. Raises `InvalidLiteral` or `InvalidAttributeValue`."""
    kind, value = next((name, v) for name in scalar.__struct_fields__ if (v := getattr(scalar, name)) is not UNSET)
    if kind not in (kinds := _kinds(dtype)):
        help = f"its kind is {' or '.join(name.title() for name in kinds[:-1])}"
        raise InvalidLiteral(f"a value of kind {kind.title()} for {dtype}", help)
    match kind:
        case "complex":
            return ScalarAttr.of(complex(read_float(value.re), read_float(value.im)), dtype)
        case "data":
            return ScalarAttr.from_literal(bytes(value), dtype)
        case _:
            return ScalarAttr.of(read_float(value) if kind == "float" else value, dtype)


def _kinds(dtype: Attribute) -> tuple[str, ...]:
    """Returns the fields of `Scalar` that may hold a value of the type; the first one is used for writing."""
    if isa(dtype, IntegerType):
        if dtype == i1:
            return "i1", "data"
        return ("unsigned", "signed", "data") if is_unsigned(dtype) else ("signed", "unsigned", "data")
    return ("complex" if isinstance(dtype, ComplexType) else "float", "data")


def write_scalar(scalar: ScalarAttr) -> Scalar:
    number = scalar_number(scalar)
    value: Any = Complex(*number) if isinstance(number, tuple) else number
    written = Scalar(**{_kinds(scalar.dtype)[0]: value})
    return written if read_scalar(written, scalar.dtype) == scalar else Scalar(data=scalar.bytes)


def scalar_number(scalar: ScalarAttr) -> bool | int | F64 | tuple[F64, F64]:
    """Returns a scalar as a number, without a NaN's payload; a complex number is a tuple."""
    (value,) = scalar.dense.get_values()
    if isinstance(value, tuple):
        return write_float(value[0]), write_float(value[1])
    if not isa(scalar.dtype, IntegerType):
        return write_float(float(value))
    return bool(value) if scalar.dtype == i1 else int(value)
