"""The bounds of a set, axis by axis, as text: `i1` from `i0` up to and without `M`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import islpy as isl

Bounds = dict[str, tuple[str, str]]

_FACTOR = re.compile(r"(?<!\w)(\d+)(?=[A-Za-z_(])")


def bounds(domain: str) -> tuple[Bounds, bool]:
    """
    The lower bound of each axis and the one after its last, in terms of sizes and of the axes before it; and whether the
    set is all points within them, so that nothing more is to be said of it. A bound of several pieces is isl's text.

    Raises `isl.Error` for a set without bounds.
    """
    import islpy as isl

    points = isl.Set.read_from_str(isl.DEFAULT_CONTEXT, domain)
    axes = [f"i{k}" for k in range(points.dim(isl.dim_type.set))]
    if points.is_empty():
        found: Bounds = dict.fromkeys(axes, ("0", "0"))
        return found, bool(axes)
    pieces = [_of_axis(points, k) for k in range(len(axes))]
    found = {axis: (_spell(low), _spell(high)) for axis, (low, high) in zip(axes, pieces, strict=True)}
    if not all(bound.isa_aff() for pair in pieces for bound in pair):
        return found, False
    sizes = [str(points.get_dim_name(isl.dim_type.param, k)) for k in range(points.dim(isl.dim_type.param))]
    within = " and ".join(f"{low} <= {axis} < {high}" for axis, (low, high) in found.items())
    return found, isl.Set(f"[{', '.join(sizes)}] -> {{ [{', '.join(axes)}] : {within} }}").is_equal(points)


def _of_axis(points: isl.Set, k: int) -> tuple[isl.PwAff, isl.PwAff]:
    """The least value of axis `k`, and the one after its greatest, where the axes before it are parameters."""
    import islpy as isl

    column = points.project_out(isl.dim_type.set, k + 1, points.dim(isl.dim_type.set) - k - 1)
    column = column.move_dims(isl.dim_type.param, column.dim(isl.dim_type.param), isl.dim_type.set, 0, k)
    inside = column.params()
    last = column.dim_max(0).gist(inside)
    one = isl.Val.one(points.get_ctx())
    return column.dim_min(0).gist(inside).coalesce(), last.add_constant_val(one).coalesce()


def _spell(bound: isl.PwAff) -> str:
    """`2*M - 1`; of several pieces, isl's text."""
    if not bound.isa_aff():
        return str(bound)
    text = str(bound.as_aff()).partition("{ [(")[2].removesuffix(")] }")
    text = _FACTOR.sub(r"\1*", text)
    constant = re.fullmatch(r"(-?\d+) \+ (.*)", text)  # isl writes it first
    if constant is None:
        return text
    number = int(constant[1])
    return f"{constant[2]} {'-' if number < 0 else '+'} {abs(number)}"
