"""Counts the wavefronts in which a warp loads a tile of a fragment from shared memory, which follow from the layouts of the two."""

from __future__ import annotations

from collections.abc import Iterable

from ...dialects.nv.fragments import in_slot, matrix_rows_of
from ...dialects.nv.types import FragType, SmemType
from ...targets.architectures import WARP
from ...targets.layouts import layout_of
from ...targets.matrices import ROW_BYTES, WORD, vector_elements
from ...targets.mma import element_bytes
from ..poly.banks import wavefronts


def load_wavefronts(t: FragType, ring: SmemType, layout: str) -> int:
    """Returns the wavefronts of the loads of one tile of `t`: by ldmatrix if it can load the tile, else lane by lane."""
    size, memory = element_bytes(t.element_type), ring.layout
    tile, _ = in_slot(t, layout)

    def count(places: Iterable[tuple[int, int]], width: int) -> int:
        return wavefronts([memory.offset(*place) * size for place in places], width)[0]

    if (rows := matrix_rows_of(t, ring, layout)) is not None:
        matrices = tile.count * size // WORD
        return count(map(layout_of(rows.lanes, (), ()).lane, range(8 * matrices)), ROW_BYTES)
    vector, total = vector_elements(tile, memory, size), 0
    for first in range(0, tile.count, vector):
        row, column = tile.element(first)
        total += count(((r + row, c + column) for r, c in map(tile.lane, range(WARP))), vector * size)
    return total
