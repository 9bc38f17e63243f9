"""Checks the box of an index space in which the tile of a copy or epilogue lies."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from ..common.checks import check_count, check_value
from ..common.shapes import shape_text


def check_box(op: Operation, rank: int, bounds: Sequence[int], dims: Sequence[int], guards: Sequence[int]) -> None:
    """Checks the sizes `bounds` of an index space of `rank` axes, the two axes `dims` of a tile, and its axes with a guard."""
    check_count(op, len(bounds) == rank, "'in'", f"one size for each offset ({rank})", len(bounds))
    distinct = len(dims) == 2 and dims[0] != dims[1] and all(0 <= d < rank for d in dims)
    check_value(op, distinct, "dims", list(dims), "name the axes of rows and columns")
    check_value(op, min(bounds) >= 1, "in", list(bounds), "sizes are at least 1")
    help = f"guards are among the axes of the tile, {shape_text(dims)}"
    check_value(op, set(guards) <= set(dims), "guard", list(guards), help)
