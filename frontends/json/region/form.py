"""
The schema of Region JSON: a document has one `region`, or several `regions`.

The spec defines all fields but `dtype` of a memref, and `values`, the types of the values in the body, which are extensions: without
`values`, types are inferred where the ops determine them. Spec: `tensor-compiler.ja §12.4`.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from ..ptir.program import Name as FunctionName
from ..ptir.values import Natural, Record
from ..tiny.program import Dtype, Name, OpForm, Value

FORM = "Region JSON"


class MemRef(Record):
    """An array in memory, in row-major order. `alignment` is in bytes, `strides` are in elements."""

    shape: list[Natural]
    strides: list[Natural]
    alignment: Natural
    dtype: Dtype
    noalias: bool = True


class Input(Record):
    name: Name
    memref: MemRef


class Output(Record):
    """`deferred`: only kernels read it. `gmem`: others do, too."""

    name: Name
    memref: MemRef
    materialize: Literal["deferred", "gmem"]


class Statement(Record, rename={"stores": "yield"}, omit_defaults=True):
    """`let` binds the result of an op; `yield` is the last statement, with `value -> output` for each output."""

    let: Name | UnsetType = UNSET
    op: OpForm | UnsetType = UNSET
    stores: list[str] | UnsetType = UNSET


class Region(Record, omit_defaults=True):
    name: FunctionName
    inputs: list[Input]
    outputs: list[Output]
    body: list[Statement]
    values: dict[str, Value] = {}


class Document(Record, omit_defaults=True):
    region: Region | UnsetType = UNSET
    regions: list[Region] | UnsetType = UNSET


def json_schema() -> dict[str, Any]:
    """Returns the JSON Schema of regions."""
    return msgspec.json.schema(Document)
