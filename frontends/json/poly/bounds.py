"""The bounds of each axis of a set as text: `i0 <= i1 < M`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import islpy as isl

Bounds = dict[str, tuple[str, str]]

_FACTOR = re.compile(r"(?<!\w)(\d+)(?=[A-Za-z_(])")


def bounds(domain: str) -> tuple[Bounds, bool]:
    """
    Returns the lower (inclusive) and upper (exclusive) bound of each axis in terms of sizes and outer axes, and whether the
    set contains all points within these bounds. A piecewise bound is written as isl prints it.

    Raises `isl.Error` for a set without bounds.
    """
    import islpy as isl

    points = isl.Set.read_from_str(isl.DEFAULT_CONTEXT, domain)
    axes = [f"i{k}" for k in range(points.dim(isl.dim_type.set))]
    if points.is_empty():
        found: Bounds = dict.fromkeys(axes, ("0", "0"))
        return found, bool(axes)
    pieces = [_axis_bounds(points, k) for k in range(len(axes))]
    found = {axis: (_bound_text(low), _bound_text(high)) for axis, (low, high) in zip(axes, pieces, strict=True)}
    if not all(bound.isa_aff() for pair in pieces for bound in pair):
        return found, False
    sizes = [str(points.get_dim_name(isl.dim_type.param, k)) for k in range(points.dim(isl.dim_type.param))]
    within = " and ".join(f"{low} <= {axis} < {high}" for axis, (low, high) in found.items())
    return found, isl.Set(f"[{', '.join(sizes)}] -> {{ [{', '.join(axes)}] : {within} }}").is_equal(points)


def _axis_bounds(points: isl.Set, k: int) -> tuple[isl.PwAff, isl.PwAff]:
    """Returns the minimum of axis `k`, and its maximum plus one, with the outer axes as parameters."""
    import islpy as isl

    column = points.project_out(isl.dim_type.set, k + 1, points.dim(isl.dim_type.set) - k - 1)
    column = column.move_dims(isl.dim_type.param, column.dim(isl.dim_type.param), isl.dim_type.set, 0, k)
    inside = column.params()
    last = column.dim_max(0).gist(inside)
    one = isl.Val.one(points.get_ctx())
    return column.dim_min(0).gist(inside).coalesce(), last.add_constant_val(one).coalesce()


def _bound_text(bound: isl.PwAff) -> str:
    """Returns a bound as `2*M - 1`, or as isl's text if it has several pieces."""
    if not bound.isa_aff():
        return str(bound)
    text = str(bound.as_aff()).partition("{ [(")[2].removesuffix(")] }")
    text = _FACTOR.sub(r"\1*", text)
    constant = re.fullmatch(r"(-?\d+) \+ (.*)", text)  # isl writes the constant first
    if constant is None:
        return text
    number = int(constant[1])
    return f"{constant[2]} {'-' if number < 0 else '+'} {abs(number)}"
