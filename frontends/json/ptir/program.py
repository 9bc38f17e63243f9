"""
The schema of PTIR JSON: functions of instructions, and the regions that instructions refer to by number.

Value numbers are local to a function or a region. The parameters of a region are its values 0, 1, …; its results are
`result_ids`, or else its last instructions. Contract: *Values, tuples, and literals*, *Control flow (regions)*.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from ..common.layout import Layout, format_program
from .values import Id, Natural, Record, Tagged, TensorLiteral, ValueType

if TYPE_CHECKING:
    OperationForm = Any
else:
    from .table import OperationForm

Name = Annotated[str, msgspec.Meta(min_length=1)]


class TupleElement(Record):
    tuple: Id
    index: Natural


class Operand(Tagged):
    value: Id | UnsetType = UNSET
    tuple_element: TupleElement | UnsetType = UNSET
    literal: TensorLiteral | UnsetType = UNSET


class Instruction(Record, omit_defaults=True):
    """One operation. For several results `output` is a tuple; `names` has a hint for each result."""

    id: Id
    op: OperationForm
    operands: list[Operand]
    output: ValueType
    names: list[str | None] = []


class Region(Record, omit_defaults=True):
    id: Id
    parameters: list[ValueType]
    body: list[Instruction]
    results: list[ValueType]
    result_ids: list[Id | Operand] | UnsetType = UNSET
    parameter_names: list[str | None] = []


class Function(Record, omit_defaults=True):
    """`hints` groups instructions for fusion, which is not supported yet."""

    name: Name
    parameters: list[ValueType]
    parameter_ids: list[Id]
    results: list[ValueType]
    body: list[Instruction]
    result_ids: list[Id | Operand]
    hints: list[Any] = []
    parameter_names: list[str | None] = []


class Program(Record, omit_defaults=True):
    """`entry` names a function; `extensions` allows operations that the contract does not have."""

    spec_version: str
    entry: str
    functions: list[Function]
    regions: list[Region]
    extensions: bool = False


class Version(msgspec.Struct):
    """The part of a program that has the same form in every version."""

    spec_version: str


def json_schema() -> dict[str, Any]:
    """Returns the JSON Schema of programs."""
    return msgspec.json.schema(Program)


def format_json(program: Program, *, byte_arrays: bool = False) -> str:
    """Formats a program, with one line for each instruction and each other field."""
    body: Layout = {"*": {"body": {}}}
    return format_program(program, {"functions": body, "regions": body}, byte_arrays=byte_arrays)
