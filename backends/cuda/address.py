"""Quasi-affine addresses as C expressions; isl's code generator writes them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import islpy as isl
from xdsl.ir import Operation

from ...analysis.index.affine import CONTEXT
from ...analysis.index.isl_text import names
from ...errors import Unsupported

FLOOR_DIVISION = "floord"
"""What isl calls the quotient that rounds down, of what may be negative."""
OVERSHOOT = 1024
"""How far a tile reaches beyond its box at most."""


def syntax_tree(address: str, bounds: Sequence[int], at: Operation | None = None) -> isl.AstExpr:
    """
    The one output of the map `address` as isl's code generator writes it: with C's division where it knows that nothing
    divided is negative, as every input lies in its bounds, else with `FLOOR_DIVISION`. Raises `Unsupported`, at the
    operation `at`, for a map, edited by hand, that is not one expression of `i0, i1, …`.
    """

    def refused(why: str) -> Unsupported:
        return Unsupported(at, what=f"the address {address}", need=f"one quasi-affine expression: {why}")

    body = re.fullmatch(r"\{ \[(.*)\] -> \[\((.*)\)\] \}", address)
    if body is None:
        raise refused("a map of tuples without constraints")
    axes = names(len(bounds))
    heads = [a.strip() for a in body[1].split(",")] if body[1] else []
    expr = body[2]
    if [h.split("=")[0].strip() for h in heads] != list(axes):
        raise refused(f"of {', '.join(axes) or 'nothing'}, the axes of the bounds")
    params = f"[{', '.join(axes)}] -> "
    box = " and ".join(f"0 <= {a} < {size}" for a, size in zip(axes, bounds, strict=True))
    context = isl.Set.read_from_str(CONTEXT, f"{params}{{ : {box or 'true'} }}")
    try:
        value = isl.PwAff.read_from_str(CONTEXT, f"{params}{{ [({expr})] }}")
    except isl.Error as e:
        raise refused(str(e)) from e
    tree = isl.AstBuild.from_context(context).expr_from_pw_aff(value)
    if (kind := _unwritten(tree)) is not None:
        raise refused(f"isl writes it with '{kind}'")
    return tree


def _unwritten(tree: isl.AstExpr) -> str | None:
    """The name of an operation in a tree that is no arithmetic; None if there is none."""
    if tree.get_type() != isl.ast_expr_type.op:
        return None
    kind: Any = tree.op_get_type()
    ops = isl.ast_expr_op_type
    if kind not in (ops.add, ops.sub, ops.mul, ops.minus, ops.div, ops.pdiv_q, ops.pdiv_r, ops.zdiv_r, ops.fdiv_q):
        return kind.name
    return next(filter(None, map(_unwritten, map(tree.op_get_arg, range(tree.op_get_n_arg())))), None)


def c_text(tree: isl.AstExpr, variables: Sequence[str]) -> str:
    """A tree as C, with `variables` in place of `i0, i1, …`."""
    by_axis = dict(zip(names(len(variables)), variables, strict=True))
    return re.sub(r"\bi\d+\b", lambda m: by_axis[m[0]], tree.to_C_str())


def reach(tree: isl.AstExpr, bounds: Sequence[int]) -> int:
    """The largest magnitude that evaluating a tree passes through, for inputs in a box and one tile beyond."""
    sizes = dict(zip(names(len(bounds)), bounds, strict=True))
    largest = 0

    def ends(e: isl.AstExpr) -> tuple[int, int]:
        nonlocal largest
        match e.get_type():
            case isl.ast_expr_type.id:
                low, high = 0, sizes[e.get_id().get_name()] - 1 + OVERSHOOT
            case isl.ast_expr_type.int:
                low = high = int(e.get_val().to_python())
            case _:
                (a, b), *rest = [ends(e.op_get_arg(k)) for k in range(e.op_get_n_arg())]
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
                else:  # a quotient or a remainder is no larger than what is divided
                    low, high = min(0, a), max(0, b)
        largest = max(largest, abs(low), abs(high))
        return low, high

    ends(tree)
    return largest
