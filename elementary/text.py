"""Prints a graph as the body of a C function, in which a spelling says how each operation is written."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
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
INFIX_FORMS = {op: f"{{0}} {symbol} {{1}}" for op, symbol in INFIX.items()}
C_INTEGER = INFIX_FORMS | {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "not": "~{0}",
    "shl": "(long long)((unsigned long long){0} << {1})",
}
C_BOOLEAN = INFIX_FORMS | {"not": "!{0}"}
C_TYPES: dict[Kind, str] = {"f64": "double", "i64": "long long", "i1": "bool"}


@dataclass(frozen=True)
class Spelling:
    """
    How a language writes a graph: the forms of the operations by the type of their first operand; a declaration of a result, given its
    type and name and the expression; the literal of a constant; and the name of a table.
    """

    forms: Mapping[Kind, Mapping[str, str]]
    declaration: str
    literal: Callable[[float | int], str]
    table: str


def table_name(name: str, spelling: Spelling) -> str:
    return spelling.table + name.replace(".", "_")


def body(graph: Graph, spelling: Spelling) -> str:
    """Returns a declaration for each operation, and the return of the result. Inputs have the names of the parameters."""
    steps = [v for v in graph.live() if v.op not in ("input", "constant")]
    lines = [
        "  " + spelling.declaration.format(C_TYPES[v.kind], _name(v, spelling), _expression(v, spelling)) for v in steps
    ]
    return "\n".join([*lines, f"  return {_name(graph.result, spelling)};"])


def pattern(number: float) -> int:
    """Returns the 64 bits of a number."""
    return struct.unpack("<Q", struct.pack("<d", number))[0]


def c_literal(number: float | int, of_bits: str) -> str:
    """Returns a literal of C; `of_bits` makes a number of 64 bits, which infinities and NaN need."""
    if isinstance(number, int):
        return f"({number}LL)"
    return f"({number.hex()})" if math.isfinite(number) else of_bits.format(f"0x{pattern(number):016x}LL")


def c_table(name: str, declaration: str) -> str:
    """Returns the initialized array of a table; the declaration has a place for its size."""
    numbers = load()[name]
    rows = ",\n".join("  " + ", ".join(float(v).hex() for v in row) for row in numbers)
    return f"{declaration.format(numbers.size)} = {{\n{rows}\n}};"


def _name(value: Value, spelling: Spelling) -> str:
    if value.op == "input":
        return str(value.immediate)
    if value.op == "constant" and isinstance(value.immediate, float | int):
        return spelling.literal(value.immediate)
    return f"t{value.position}"


def _expression(value: Value, spelling: Spelling) -> str:
    operands = [_name(v, spelling) for v in value.operands]
    form = spelling.forms[value.operands[0].kind][value.op]
    if value.op == "lookup":
        operands = [table_name(str(value.immediate), spelling), *operands]
    return form.format(*operands)
