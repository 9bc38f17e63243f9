"""Checks of the index-space box from which copies and epilogues take a tile."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from ..common.checks import check_value
from ..common.shapes import shape_text


def two_axes(dims: Sequence[int], rank: int) -> bool:
    return len(dims) == 2 and dims[0] != dims[1] and all(0 <= d < rank for d in dims)


def check_bounds(op: Operation, bounds: Sequence[int]) -> None:
    check_value(op, min(bounds) >= 1, "in", list(bounds), "sizes start at 1")


def check_guards(op: Operation, guards: Sequence[int], dims: Sequence[int]) -> None:
    check_value(
        op,
        set(guards) <= set(dims),
        "guard",
        shape_text(guards),
        f"guards are among the axes of the tile, {shape_text(dims)}",
    )
