"""
Counts the wavefronts in which a warp moves a fragment between registers and shared memory, which follow from the layouts of the two.

The layouts are linear, so that all accesses of a warp to a tile have as many conflicts as the first one.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...dialects.nv.fragments import in_slot, matrix_rows_of
from ...dialects.nv.types import FragType, SmemType
from ...targets.architectures import WARP
from ...targets.layouts import Layout, layout_of
from ...targets.matrices import ROW_BYTES, WORD, vector_elements
from ...targets.mma import element_bytes
from ...targets.shared_layouts import CHUNK, SWIZZLES_OF_THREADS, SharedLayout, named
from ..poly.banks import wavefronts


def _wavefronts(places: Iterable[tuple[int, int]], memory: SharedLayout, size: int, width: int) -> int:
    return wavefronts([memory.offset(*place) * size for place in places], width)[0]


def vector_wavefronts(layout: Layout, memory: SharedLayout, size: int) -> int:
    """Returns the wavefronts of a warp that loads or stores its elements of `size` bytes in vectors, lane by lane."""
    vector = vector_elements(layout, memory, size)
    return layout.count // vector * _wavefronts(map(layout.lane, range(WARP)), memory, size, vector * size)


def load_wavefronts(t: FragType, ring: SmemType, layout: str) -> int:
    """Returns the wavefronts of the loads of one tile of `t`: by ldmatrix if it can load the tile, else lane by lane."""
    size, memory = element_bytes(t.element_type), ring.layout
    tile, _ = in_slot(t, layout)
    if (rows := matrix_rows_of(t, ring, layout)) is None:
        return vector_wavefronts(tile, memory, size)
    matrices = tile.count * size // WORD
    return _wavefronts(map(layout_of(rows.lanes, (), ()).lane, range(8 * matrices)), memory, size, ROW_BYTES)


def exchange_layout(source: Layout, result: Layout, size: int) -> SharedLayout:
    """Returns the layout of shared memory through which elements of `size` bytes pass from one layout to another in the fewest wavefronts."""

    def candidates() -> Iterable[SharedLayout]:
        for tile in (source, source.transposed):
            row = tile.columns * size
            for name in SWIZZLES_OF_THREADS if row >= CHUNK and not row & (row - 1) else ("none",):
                memory = named(name, tile.rows, tile.columns, size)
                yield memory if tile is source else memory.transposed

    return min(
        candidates(), key=lambda memory: sum(vector_wavefronts(layout, memory, size) for layout in (source, result))
    )
