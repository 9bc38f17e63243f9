"""Expressions in WGSL: those of each op on each type, as format strings. Spec: `vyre-ir-types`, WGSL mapping."""

from __future__ import annotations

from xdsl.ir import Attribute

from ...dialects.vyre.floats import format_of
from ...dialects.vyre.types import FLOATS, VECTORS, DataType, boolean, i32, u32, u64, vec2u32

VALUES: dict[Attribute, str] = {boolean: "bool"}
"""The types of values that differ from those of elements."""
OPERATORS = {"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^", "shl": "<<", "shr": ">>"}
COMPARES = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
WIDE_COMPARES = {
    "eq": "all({0} == {1})",
    "ne": "any({0} != {1})",
    "lt": "u64_lt({0}, {1})",
    "le": "!u64_lt({1}, {0})",
    "gt": "u64_lt({1}, {0})",
    "ge": "!u64_lt({0}, {1})",
}
CASTS: dict[tuple[DataType, DataType], str] = {
    (u32, i32): "bitcast<i32>({0})",
    (i32, u32): "bitcast<u32>({0})",
    (u32, u64): "vec2<u32>({0}, 0u)",
    (i32, u64): "vec2<u32>(bitcast<u32>({0}), bitcast<u32>({0} >> 31u))",
    (u64, u32): "{0}.x",
    (u64, i32): "bitcast<i32>({0}.x)",
    (u64, vec2u32): "{0}",
    (vec2u32, u64): "{0}",
    (u32, boolean): "{0} != 0u",
    (i32, boolean): "{0} != 0",
    (u64, boolean): "any({0} != vec2<u32>(0u, 0u))",
    (boolean, u32): "select(0u, 1u, {0})",
    (boolean, i32): "select(0, 1, {0})",
    (boolean, u64): "vec2<u32>(select(0u, 1u, {0}), 0u)",
}


def value_type(t: DataType) -> str:
    """Returns the type of a value in an expression."""
    return VALUES.get(t, t.WGSL)


def literal(value: int, t: DataType) -> str:
    if t == boolean:
        return "true" if value else "false"
    if t == u64:
        return f"vec2<u32>({value & 0xFFFFFFFF}u, {value >> 32}u)"
    return f"{value}u" if t == u32 or t in FLOATS else f"i32({value})"


def zero(t: DataType) -> str:
    return f"{value_type(t)}()"


def binop(fn: str, t: DataType) -> str:
    """Returns the form of a binary op; a name before a parenthesis may be one of `helpers.FUNCTIONS`."""
    if t == boolean:
        return "{0} != {1}" if fn == "xor" else f"{{0}} {OPERATORS[fn]} {{1}}"
    if fn in ("and", "or", "xor"):
        return f"{{0}} {OPERATORS[fn]} {{1}}"
    if t == u64:
        return f"u64_{fn}({{0}}, {{1}})"
    if fn in ("min", "max"):
        return f"{fn}({{0}}, {{1}})"
    if fn in ("div", "rem"):
        return _divided("/" if fn == "div" else "%", t) if t in VECTORS else f"{t.word}_{fn}({{0}}, {{1}})"
    if fn in ("shl", "shr"):
        amount = "(bitcast<u32>({1}) & 31u)" if t == i32 else f"({{1}} & {_all('31u', t)})"
        return f"{{0}} {OPERATORS[fn]} {amount}"
    return f"{{0}} {OPERATORS[fn]} {{1}}"


def _all(number: str, t: DataType) -> str:
    return f"{t.WGSL}({number})" if t in VECTORS else number


def _divided(operator: str, t: DataType) -> str:
    one, nothing = _all("1u", t), _all("0u", t)
    by_zero = f"{{1}} == {nothing}"
    return f"select({{0}} {operator} select({{1}}, {one}, {by_zero}), {nothing}, {by_zero})"


def unop(fn: str, t: DataType) -> str:
    if fn == "not":
        return "!{0}" if t == boolean else "~{0}"
    if t == i32:
        return "bitcast<i32>(0u - bitcast<u32>({0}))"
    return "u64_sub(vec2<u32>(0u, 0u), {0})" if t == u64 else f"{_all('0u', t)} - {{0}}"


def cast_form(of: DataType, to: DataType) -> str:
    if of not in FLOATS and to not in FLOATS:
        return CASTS[of, to]
    call = f"strict_{format_of(of)}_to_{format_of(to)}({'bitcast<u32>({0})' if of == i32 else '{0}'})"
    return f"bitcast<i32>({call})" if to == i32 else call


def compare(fn: str, t: DataType) -> str:
    if t in FLOATS:
        return f"strict_{fn}_{format_of(t)}({{0}}, {{1}}) != 0u"
    return WIDE_COMPARES[fn] if t == u64 else f"{{0}} {COMPARES[fn]} {{1}}"
