"""`--dump=indexbook`: the IndexBook of a function of tiny ops, as text."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from ...dialects import tiny
from . import affine
from .book import index_book
from .info import AxisVar
from .isl_text import map_text


def describe(function: FuncOp) -> str:
    """
    Returns the book of a function of tiny ops as text: each value with its axes, their ids and sizes, its domain, the
    reduced axes of the operand, and its accesses.

        @row_sum
          v0 = reduce sum   axes i0:0[4]  reduces i1:1[8]
            domain  0 <= i0 < 4, 0 <= i1 < 8
            arg0  [i0, i1] -> [i0, i1]
    """
    book = index_book(function)
    names = value_names(function)
    lines = [f"@{function.sym_name.data}"]
    for value in book:
        info = book[value]
        reduced = f"  reduces {_axes(info.reduced)}" if info.reduced else ""
        reduced += f"  positions {_axes(info.positions)}" if info.positions else ""
        lines.append(f"  {names[value]} = {_op_text(value)}   axes {_axes(info.axes)}{reduced}")
        if info.non_scop is not None:
            lines.append(f"    no SCoP: {info.non_scop}")
        if info.non_scop is not None and not info.positions:
            continue
        lines.append(f"    domain  {', '.join(info.constraints) or 'one point'}")
        for access in info.accesses:
            lines.append(f"    {names[access.value]}  {map_text(access.map)}")
            if access.guard is not None:
                lines.append(f"      where {affine.condition(access.guard)}, else {access.fill}")
    return "\n".join(lines)


def _axes(axes: Sequence[AxisVar]) -> str:
    """`i0:3[B]` is the axis with id 3; `*` marks an axis along which the value is constant."""
    return " ".join(f"{a.name}:{a.id}[{a.size}]{'*' if a.kind == 'broadcast' else ''}" for a in axes) or "none"


def _op_text(value: SSAValue) -> str:
    match value.owner:
        case tiny.MovementOp() as op:
            return f"movement {op.kind.data}"
        case tiny.UnaryOp() | tiny.BinaryOp() | tiny.ReduceOp() as op:
            return f"{op.name.removeprefix('tiny.')} {op.fn.data}"
        case Operation() as op:
            return op.name
        case _:
            return "leaf"


def value_names(function: FuncOp) -> dict[SSAValue, str]:
    """
    Returns names of a function's values, `arg0, arg1, …` and `v0, v1, …` in program order. A function that is printed and parsed
    again gets the same names.
    """
    names: dict[SSAValue, str] = {arg: f"arg{k}" for k, arg in enumerate(function.body.block.args)}
    results = (result for op in function.body.block.ops for result in op.results)
    return names | {result: f"v{k}" for k, result in enumerate(results)}
