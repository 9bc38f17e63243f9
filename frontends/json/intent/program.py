"""The schema of IntentIR's JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from ....dialects.intent.types import DTYPES, LAYOUTS, ROW_MAJOR
from ..common.layout import format_program
from ..ptir.values import Record
from .table import OPS

if TYPE_CHECKING:
    OpName = Dtype = Layout = str
else:
    OpName = Literal[tuple(OPS)]
    Dtype = Literal[(*DTYPES, "i1")]
    Layout = Literal[LAYOUTS]

FORM = "IntentIR JSON"

Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z_$.-][A-Za-z0-9_$.-]*$", examples=["x"])]
"""The name of a value."""
Dim = Annotated[int, msgspec.Meta(ge=1, le=2**63 - 1)] | Annotated[str, msgspec.Meta(min_length=1)]
"""A number, a symbol, or an expression of symbols."""


class Tensor(Record):
    """`i1` is another name of `bool`."""

    dtype: Dtype
    shape: list[Dim]
    layout: Layout = ROW_MAJOR


class Op(Record):
    op: OpName
    inputs: list[Name]
    output: Name
    attrs: dict[str, Any] = {}


class Contract(Record, omit_defaults=True):
    level: Literal["FULL", "PARTIAL", "OUT_OF_SCOPE"]
    assumptions: list[str] | UnsetType = UNSET


class Function(Record, omit_defaults=True):
    """`tensors` declares the arguments, which are the tensors that no op defines, and any other values."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z_$.-][A-Za-z0-9_$.-]*$", examples=["softmax"])]
    tensors: dict[Name, Tensor]
    ops: list[Op]
    outputs: list[Name]
    parallel_axes: list[str] | UnsetType = UNSET
    axis_roles: dict[str, str] | UnsetType = UNSET
    contract: Contract | UnsetType = UNSET
    schedule: dict[str, Any] | UnsetType = UNSET
    meta: dict[str, Any] | UnsetType = UNSET


def json_schema() -> dict[str, Any]:
    """Returns the JSON Schema of a function."""
    return msgspec.json.schema(Function)


def format_function(function: Function) -> str:
    """Formats a function with one line for each tensor and op, and a newline at the end."""
    return format_program(function, {"tensors": {}, "ops": {}})
