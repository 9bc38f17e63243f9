"""Rules of the box of an index space that copies and epilogues take a tile from."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from ...errors import InvalidAttributeValue
from ..common.shapes import spell


def two_axes(dims: Sequence[int], rank: int) -> bool:
    return len(dims) == 2 and dims[0] != dims[1] and all(0 <= d < rank for d in dims)


def check_bounds(op: Operation, bounds: Sequence[int]) -> None:
    if min(bounds) < 1:
        raise InvalidAttributeValue(op, name="in", problem=f"is {list(bounds)}", help="sizes start at 1")


def check_guards(op: Operation, guards: Sequence[int], dims: Sequence[int]) -> None:
    if not set(guards) <= set(dims):
        raise InvalidAttributeValue(
            op,
            name="guard",
            problem=f"is {spell(guards)}",
            help=f"guards are among the axes of the tile, {spell(dims)}",
        )
