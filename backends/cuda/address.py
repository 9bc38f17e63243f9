"""Quasi-affine addresses as C expressions; isl's code generator writes them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import islpy as isl
from xdsl.ir import Operation

from ...analysis.affine import CONTEXT, names
from ...errors import Unsupported


def c_expression(address: str, variables: Sequence[str], bounds: Sequence[int], at: Operation | None = None) -> str:
    """
    The one output of the map `address` as C, with `variables` in place of its inputs. Divisions come out as
    plain C divisions because every input lies in its bounds, so nothing divided is negative. Raises
    `Unsupported`, at the operation `at`, for a map, edited by hand, that is not one expression of `i0, i1, …`.
    """

    def refused(why: str) -> Unsupported:
        return Unsupported(at, what=f"the address {address}", need=f"one quasi-affine expression: {why}")

    body = re.fullmatch(r"\{ \[(.*)\] -> \[\((.*)\)\] \}", address)
    if body is None:
        raise refused("a map of tuples without constraints")
    axes = names(len(bounds))
    heads = [a.strip() for a in body[1].split(",")] if body[1] else []
    expr = body[2]
    fixed = {h.split("=")[0].strip() for h in heads} - set(axes)
    if fixed:
        raise refused(f"of {', '.join(axes) or 'nothing'}, the axes of the bounds")
    params = f"[{', '.join(axes)}] -> "
    box = " and ".join(f"0 <= {a} < {size}" for a, size in zip(axes, bounds, strict=True))
    context = isl.Set.read_from_str(CONTEXT, f"{params}{{ : {box or 'true'} }}")
    try:
        value = isl.PwAff.read_from_str(CONTEXT, f"{params}{{ [({expr})] }}")
    except isl.Error as e:
        raise refused(str(e)) from e
    text = isl.AstBuild.from_context(context).expr_from_pw_aff(value).to_C_str()
    by_axis = dict(zip(axes, variables, strict=True))
    return re.sub(r"\bi\d+\b", lambda m: by_axis[m[0]], text)
