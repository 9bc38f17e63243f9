"""Prints a graph as the body of a C function, in which a spelling says how each operation is written."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass

from .graph import Graph, Kind, Value
from .tables import load

INFIX = {
    "and": "&",
    "or": "|",
    "shl": "<<",
    "shr": ">>",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "eq": "==",
    "ne": "!=",
}
INTEGER = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "shl": "(long long)((unsigned long long){0} << {1})",
}
COMMON = {op: f"{{0}} {symbol} {{1}}" for op, symbol in INFIX.items()} | {"neg": "-{0}", "select": "{0} ? {1} : {2}"}
TYPES: dict[Kind, str] = {"f64": "double", "i64": "long long", "i1": "bool"}


@dataclass(frozen=True)
class Spelling:
    """How a language writes operations on f64, the number of 64 bits, and the name of a table."""

    forms: Mapping[str, str]
    number: str
    table: str


def body(graph: Graph, spelling: Spelling) -> str:
    """Returns a statement for each operation, and the return of the result. Inputs have the names of the parameters."""
    lines = [
        f"  const {TYPES[v.kind]} {_name(v, spelling)} = {_form(v, spelling)};" for v in graph.live() if _is_step(v)
    ]
    return "\n".join([*lines, f"  return {_name(graph.result, spelling)};"])


def table(name: str, declaration: str) -> str:
    """Returns the initialized array of a table; the declaration has places for its size."""
    numbers = load()[name]
    rows = ",\n".join("  " + ", ".join(float(v).hex() for v in row) for row in numbers)
    return f"{declaration.format(numbers.size)} = {{\n{rows}\n}};"


def _is_step(value: Value) -> bool:
    return value.op not in ("input", "constant")


def _name(value: Value, spelling: Spelling) -> str:
    if value.op == "input":
        return str(value.immediate)
    if value.op != "constant":
        return f"t{value.position}"
    number = value.immediate
    if not isinstance(number, float):
        return f"({number}LL)"
    if math.isfinite(number):
        return f"({number.hex()})"
    pattern: int = struct.unpack("<Q", struct.pack("<d", number))[0]
    return spelling.number.format(f"0x{pattern:016x}LL")


def _form(value: Value, spelling: Spelling) -> str:
    operands = [_name(v, spelling) for v in value.operands]
    kind = value.operands[0].kind
    if value.op == "lookup":
        return f"{spelling.table.format(str(value.immediate).replace('.', '_'))}[(int){operands[0]}]"
    if value.op == "number":
        return spelling.number.format(operands[0])
    if value.op == "not":
        return f"!{operands[0]}" if kind == "i1" else f"~{operands[0]}"
    forms = spelling.forms if kind == "f64" else INTEGER
    return (forms.get(value.op) or COMMON.get(value.op) or spelling.forms[value.op]).format(*operands)
