"""Prints quasi-affine addresses as C expressions, with isl's code generator."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import islpy as isl
from xdsl.ir import Operation

from ...analysis.index.affine import CONTEXT
from ...dialects.common.shapes import index_names
from ...errors import Unsupported

FLOOR_DIVISION = "floord"
"""isl's name for division that rounds down, used where the dividend may be negative."""
OVERSHOOT = 1024
"""Largest distance by which a tile exceeds its box."""


def syntax_tree(address: str, bounds: Sequence[int], at: Operation | None = None) -> isl.AstExpr:
    """
    Returns isl's syntax tree of the single output of the map `address`. Divisions are C's where the bounds of the
    inputs prove the dividend non-negative, else `FLOOR_DIVISION`. Raises `Unsupported` at the op `at` for a map that is
    not one expression of `i0, i1, …` (IR edited by hand).
    """

    def unsupported(why: str) -> Unsupported:
        return Unsupported(
            at,
            what=f"the address {address}",
            need=f"write one quasi-affine expression of the axes of the bounds: {why}",
        )

    body = re.fullmatch(r"\{ \[(.*)\] -> \[\((.*)\)\] \}", address)
    if body is None:
        raise unsupported("the text is not a map of tuples without constraints")
    axes = index_names(len(bounds))
    heads = [a.strip() for a in body[1].split(",")] if body[1] else []
    expr = body[2]
    if [h.split("=")[0].strip() for h in heads] != list(axes):
        raise unsupported(f"they are {', '.join(axes) or 'none'}")
    params = f"[{', '.join(axes)}] -> "
    box = " and ".join(f"0 <= {a} < {size}" for a, size in zip(axes, bounds, strict=True))
    context = isl.Set.read_from_str(CONTEXT, f"{params}{{ : {box or 'true'} }}")
    try:
        value = isl.PwAff.read_from_str(CONTEXT, f"{params}{{ [({expr})] }}")
    except isl.Error as e:
        raise unsupported(str(e)) from e
    tree = isl.AstBuild.from_context(context).expr_from_pw_aff(value)
    if (kind := _non_arithmetic(tree)) is not None:
        raise unsupported(f"isl writes it with '{kind}'")
    return tree


def _non_arithmetic(tree: isl.AstExpr) -> str | None:
    """Returns the name of the first operation that is not arithmetic, or None."""
    if tree.get_type() != isl.ast_expr_type.op:
        return None
    kind: Any = tree.op_get_type()
    ops = isl.ast_expr_op_type
    if kind not in (ops.add, ops.sub, ops.mul, ops.minus, ops.div, ops.pdiv_q, ops.pdiv_r, ops.zdiv_r, ops.fdiv_q):
        return kind.name
    return next(filter(None, map(_non_arithmetic, map(tree.op_get_arg, range(tree.op_get_n_arg())))), None)


def c_text(tree: isl.AstExpr, variables: Sequence[str]) -> str:
    """Returns a tree as a C expression of `variables` in place of `i0, i1, …`."""
    by_axis = dict(zip(index_names(len(variables)), variables, strict=True))
    return re.sub(r"\bi\d+\b", lambda m: by_axis[m[0]], tree.to_C_str())


def largest_intermediate(tree: isl.AstExpr, bounds: Sequence[int]) -> int:
    """Returns the largest magnitude of any intermediate value, for inputs in the bounds and up to `OVERSHOOT` beyond."""
    sizes = dict(zip(index_names(len(bounds)), bounds, strict=True))
    largest = 0

    def interval(e: isl.AstExpr) -> tuple[int, int]:
        nonlocal largest
        match e.get_type():
            case isl.ast_expr_type.id:
                low, high = 0, sizes[e.get_id().get_name()] - 1 + OVERSHOOT
            case isl.ast_expr_type.int:
                low = high = int(e.get_val().to_python())
            case _:
                (a, b), *rest = [interval(e.op_get_arg(k)) for k in range(e.op_get_n_arg())]
                c, d = rest[0] if rest else (0, 0)
                products = (a * c, a * d, b * c, b * d)
                kind, ops = e.op_get_type(), isl.ast_expr_op_type
                if kind == ops.add:
                    low, high = a + c, b + d
                elif kind == ops.sub:
                    low, high = a - d, b - c
                elif kind == ops.mul:
                    low, high = min(products), max(products)
                elif kind == ops.minus:
                    low, high = -b, -a
                else:  # a quotient or a remainder is no larger than its dividend
                    low, high = min(0, a), max(0, b)
        largest = max(largest, abs(low), abs(high))
        return low, high

    interval(tree)
    return largest
