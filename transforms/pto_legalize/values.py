"""What a tile of the program is while its kernel is legalized: a tile, or a row, a column or a number that ops broadcast."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from ...dialects import pto
from ...dialects.common.numbers import Number

Size = int | SSAValue


@dataclass(frozen=True)
class Full:
    """A tile, with its valid extents."""

    tile: SSAValue
    extents: tuple[Size, Size]

    @property
    def type(self) -> pto.TileType:
        return pto.tile_type(self.tile)

    @property
    def sizes(self) -> tuple[int, int]:
        rows, columns = self.type.sizes
        return rows, columns


@dataclass(frozen=True)
class Line:
    """A tile of one column whose elements are repeated along rows or, if `is_row`, of one row whose elements are repeated along columns."""

    inner: Full
    is_row: bool


@dataclass(frozen=True)
class Splat:
    """A number in all elements."""

    number: Number


@dataclass(frozen=True)
class InBox:
    """A predicate that holds at the points of the index space, and thus in the valid region."""


Value = Full | Line | Splat | InBox
