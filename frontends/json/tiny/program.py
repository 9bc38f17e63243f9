"""
The schema of Tiny JSON: one function, a list of ops that name their inputs and outputs, and the types of the values.

The spec defines the fields `ops` and `values` of a program. An op has the fields `op`, `name`, `kind` or `fn`, `inputs`,
`outputs`, `axes` and `attrs`. All other fields are extensions and may be omitted. Spec: `tensor-compiler.ja §12.1`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from ....dialects import tiny
from ....dialects.ptir import SPEC_VERSION
from ..common.layout import format_program
from ..ptir.program import Name as FunctionName
from ..ptir.values import F64, I64, Natural, Record

if TYPE_CHECKING:
    Kind = Unary = Binary = Fold = Version = str
else:
    Kind = Literal[tuple(tiny.MOVEMENTS)]
    Unary = Literal[tuple(tiny.UNARIES)]
    Binary = Literal[tuple(tiny.BINARIES)]
    Fold = Literal[tuple(tiny.REDUCTIONS)]
    Version = Literal[SPEC_VERSION]

FORM = "Tiny JSON"
MAIN = "main"

Name = Annotated[str, msgspec.Meta(pattern=r"^([0-9]+|[A-Za-z_$.-][A-Za-z0-9_$.-]*)$")]
"""The name of a value. A name of digits is not kept as a name hint."""
Size = Natural | Annotated[str, msgspec.Meta(pattern=r"^([0-9]{1,18}|[?]|(?!_$)[A-Za-z_][A-Za-z0-9_$.]*)$")]
"""A number or its digits; the name of a dimension; `?`, a dimension without a name."""
Axis = I64 | Annotated[str, msgspec.Meta(pattern=r"^(-?[0-9]{1,18}|[A-Za-z_][A-Za-z0-9_$.]*)$")]
"""The number of an axis, negative from the end, or the name of its size."""
Dtype = Literal[
    "i1", "si4", "ui4", "si8", "ui8", "si16", "ui16", "si32", "ui32", "si64", "ui64",
    "i4", "i8", "i16", "i32", "i64",
    "fp8e4m3", "fp8e5m2", "bf16", "fp16", "fp32", "fp64", "cf32", "cf64",
]  # fmt: skip


class Bytes(Record, rename={"data": "bytes"}):
    """Elements in base64, row-major and little-endian, for values that no JSON number represents, such as a NaN's payload."""

    data: bytes


Number = bool | int | F64 | tuple[F64, F64] | Bytes
"""A number in JSON. A tuple is the real and the imaginary part of a complex number."""


class _Op(Record, tag_field="op", omit_defaults=True):
    """Base of the ops of a program. `name` is unique among them."""

    name: str | UnsetType = UNSET


class Attrs(Record, omit_defaults=True, kw_only=True):
    """The attributes of a movement. `new_shape` repeats the result's sizes."""

    new_shape: list[Size] | UnsetType = UNSET
    perm: list[I64] | UnsetType = UNSET
    low: list[I64] | UnsetType = UNSET
    high: list[I64] | UnsetType = UNSET
    value: Number | UnsetType = UNSET
    start: list[I64] | UnsetType = UNSET
    offset: I64 | UnsetType = UNSET
    strides: list[I64] | UnsetType = UNSET


class MovementForm(_Op, tag="Movement", kw_only=True):
    kind: Kind
    inputs: list[Name]
    outputs: list[Name]
    attrs: Attrs | UnsetType = UNSET


class UnaryForm(_Op, tag="Unary", kw_only=True):
    """`dtype` is the result type of a cast or bitcast."""

    fn: Unary
    inputs: list[Name]
    outputs: list[Name]
    dtype: Dtype | UnsetType = UNSET


class BinaryForm(_Op, tag="Binary", kw_only=True):
    """`where` has three inputs, its predicate first."""

    fn: Binary
    inputs: list[Name]
    outputs: list[Name]


class ReduceForm(_Op, tag="Reduce", kw_only=True):
    """
    `accum` is the accumulator type. `products` applies to a sum whose operand is a `mul` in a type narrower than `accum`: `exact`
    adds the unrounded products, `rounded` adds them rounded (integers: wrapped) to the type of the `mul`.
    """

    fn: Fold
    inputs: list[Name]
    outputs: list[Name]
    axes: list[Axis]
    accum: Dtype | UnsetType = UNSET
    products: Literal["exact", "rounded"] = "exact"


class ConstForm(_Op, tag="Const", kw_only=True):
    """`value` is the value of every element, or the bytes of all elements."""

    outputs: list[Name]
    value: Number
    inputs: list[Name] = []


class IotaForm(_Op, tag="Iota", kw_only=True):
    outputs: list[Name]
    axis: I64
    inputs: list[Name] = []


OpForm = MovementForm | UnaryForm | BinaryForm | ReduceForm | ConstForm | IotaForm


class Value(Record):
    dtype: Dtype
    shape: list[Size]


class Program(Record, omit_defaults=True, kw_only=True):
    """
    `inputs` are the function's arguments, `outputs` its results. By default the arguments are the values that no op defines, in
    the order of their first use, and the results are the values that no op uses.
    """

    spec_version: Version | UnsetType = UNSET
    extensions: bool = False
    name: FunctionName = MAIN
    inputs: list[Name] | UnsetType = UNSET
    outputs: list[Name] | UnsetType = UNSET
    ops: list[OpForm]
    values: dict[str, Value]


def json_schema() -> dict[str, Any]:
    """Returns the JSON Schema of tiny programs."""
    return msgspec.json.schema(Program)


def format_json(program: Program) -> str:
    """Formats a program, with one line for each op and each value."""
    return format_program(program, {"ops": {}, "values": {}})
