"""Prints quasi-affine addresses and conditions as C expressions, with isl's code generator."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from typing import Any

import islpy as isl
from xdsl.ir import Operation

from ...analysis.index.affine import CONTEXT, reason
from ...analysis.regions.tile_access import point_set
from ...dialects.common.shapes import index_names
from ...errors import Unsupported

FLOOR_DIVISION = "floord"
"""isl's name for division that rounds down, used where the dividend may be negative."""
OVERSHOOT = 1024
"""Upper bound of the distance, in elements, by which a tile exceeds the bounds of an axis."""
OPS: Any = isl.ast_expr_op_type
ARITHMETIC = (OPS.add, OPS.sub, OPS.mul, OPS.minus, OPS.div, OPS.pdiv_q, OPS.pdiv_r, OPS.zdiv_r, OPS.fdiv_q)
LOGIC = (OPS.and_, OPS.and_then, OPS.or_, OPS.or_else, OPS.eq, OPS.le, OPS.lt, OPS.ge, OPS.gt)


def syntax_tree(address: str, bounds: Sequence[int], at: Operation | None = None) -> isl.AstExpr:
    """
    Returns isl's syntax tree of the single output of the map `address`. Divisions are C's `/` if the bounds of the inputs
    prove that the dividend is not negative, else `FLOOR_DIVISION`. Raises `Unsupported` at the op `at` for a map that is
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
        raise unsupported(f"the axes are {', '.join(axes) or 'none'}")
    try:
        value = isl.PwAff.read_from_str(CONTEXT, f"[{', '.join(axes)}] -> {{ [({expr})] }}")
    except isl.Error as e:
        raise unsupported(reason(e)) from e
    tree = _build(bounds).expr_from_pw_aff(value)
    if (kind := _operation_outside(ARITHMETIC, tree)) is not None:
        raise unsupported(f"isl writes it with '{kind}'")
    return tree


def condition_tree(where: str, bounds: Sequence[int], at: Operation) -> isl.AstExpr:
    """
    Returns isl's syntax tree of the condition that a point of the box of `bounds` is in the set `where`. Raises
    `Unsupported` at the op `at` if `where` is no set of such points.
    """
    points, axes = point_set(at, where, len(bounds)), isl.dim_type.set
    for k, name in enumerate(index_names(len(bounds))):
        points = points.set_dim_name(axes, k, name)
    tree = _build(bounds).expr_from_set(points.move_dims(isl.dim_type.param, 0, axes, 0, len(bounds)).params())
    if (kind := _operation_outside((*ARITHMETIC, *LOGIC), tree)) is not None:
        raise Unsupported(at, what=f"the set {where}", need=f"a condition by comparisons: isl writes it with '{kind}'")
    return tree


def _build(bounds: Sequence[int]) -> isl.AstBuild:
    """Returns isl's code generator for points of the box of `bounds`, whose coordinates are parameters."""
    axes = index_names(len(bounds))
    box = " and ".join(f"0 <= {a} < {size}" for a, size in zip(axes, bounds, strict=True))
    context = isl.Set.read_from_str(CONTEXT, f"[{', '.join(axes)}] -> {{ : {box or 'true'} }}")
    return isl.AstBuild.from_context(context)


def _arguments(tree: isl.AstExpr) -> list[isl.AstExpr]:
    return [tree.op_get_arg(k) for k in range(tree.op_get_n_arg())]


def _operation_outside(allowed: Container[Any], tree: isl.AstExpr) -> str | None:
    """Returns the name of the first operation that is not among those allowed, or None."""
    if tree.get_type() != isl.ast_expr_type.op:
        return None
    kind: Any = tree.op_get_type()
    if kind not in allowed:
        return kind.name
    return next(filter(None, (_operation_outside(allowed, argument) for argument in _arguments(tree))), None)


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
                (a, b), *rest = map(interval, _arguments(e))
                c, d = rest[0] if rest else (0, 0)
                products = (a * c, a * d, b * c, b * d)
                kind: Any = e.op_get_type()
                if kind == OPS.add:
                    low, high = a + c, b + d
                elif kind == OPS.sub:
                    low, high = a - d, b - c
                elif kind == OPS.mul:
                    low, high = min(products), max(products)
                elif kind == OPS.minus:
                    low, high = -b, -a
                elif kind in LOGIC:
                    low, high = 0, 1
                else:  # a quotient or a remainder is no larger than its dividend
                    low, high = min(0, a), max(0, b)
        largest = max(largest, abs(low), abs(high))
        return low, high

    interval(tree)
    return largest
