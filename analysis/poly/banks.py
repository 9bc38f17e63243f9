"""
Counts the wavefronts of a warp's read of shared memory: 32 banks of 4 bytes, consecutive words in consecutive banks.

Lanes that read the same word share it; an access of 8 or 16 bytes runs in phases of 16 or 8 lanes. Source: CUDA C++
Programming Guide, *Shared Memory*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import islpy as isl

from ..index import affine
from .answers import BankHint
from .ranges import OUT, Read
from .tiling import Tiling

LANES = 32
"""Number of lanes of a warp."""
BANKS = 32
"""Number of banks of shared memory."""
WORD = 4
"""Size of a bank's word, in bytes."""

VECTOR = 16
"""Size of a lane's widest read, and of a row of `ldmatrix`, in bytes."""


def wavefronts(addresses: Sequence[int], width: int) -> tuple[int, int]:
    """
    Returns the number of wavefronts and the number of phases when lane `k` reads `width` bytes at byte `addresses[k]`.

    >>> column = [128 * lane for lane in range(32)]
    >>> wavefronts(column, 4), wavefronts(column, 16)
    ((32, 1), (32, 4))
    """
    unit = max(width, WORD)
    phase = BANKS * WORD // unit
    words = {(lane // phase, address // unit) for lane, address in enumerate(addresses)}
    busy = Counter((number, word % phase) for number, word in words)
    phases = -(-len(addresses) // phase)
    return sum(max(n for (number, _), n in busy.items() if number == p) for p in range(phases)), phases


def conflict_ways(addresses: Sequence[int], width: int) -> int:
    """Returns the number of wavefronts per phase, rounded up; 1 means no conflicts."""
    needed, phases = wavefronts(addresses, width)
    return -(-needed // phases)


def hints(read: Read, tiles: Tiling, box: Sequence[int], size: int) -> list[BankHint]:
    """
    Returns the bank conflicts for lanes along each output axis on which the read depends: with one element per lane and,
    where rows allow it, with 16 bytes per lane. The producer's box is stored row-major, with elements of `size` bytes.
    """
    found: list[BankHint] = []
    for axis in range(tiles.rank):
        if _length(tiles, axis) == 1 or not affine.uses_axis(read.map, axis):
            continue
        elements = _elements(read, tiles, axis)
        found.append(_hint(f"i{axis}", elements, box, size, size))
        if box[-1] * size % VECTOR == 0 and not read.moves(len(box) - 1, axis):
            found.append(_hint(f"i{axis}", elements, box, size, VECTOR))
    return found


def _hint(lanes: str, elements: Sequence[Sequence[int]], box: Sequence[int], size: int, width: int) -> BankHint:
    def needed(pad: int) -> int:
        """Wavefronts per phase with `pad` bytes after each row."""
        rows = affine.row_major_strides(box)
        strides = [s * size + pad * (s // box[-1]) for s in rows[:-1]] + [size]
        return conflict_ways([sum(s * i for s, i in zip(strides, at, strict=True)) for at in elements], width)

    step = max(width, WORD)
    pads = (pad for pad in range(step, BANKS * WORD, step) if needed(pad) == 1)
    return BankHint(lanes, width, needed(0), next(pads, None) if needed(0) > 1 else None)


def _elements(read: Read, tiles: Tiling, axis: int) -> list[list[int]]:
    """
    Returns the producer's element that each lane reads, relative to lane 0. Lanes go along `axis`, then along the last
    other output axis; all other axes are at 0.
    """
    length = _length(tiles, axis)
    after = next((k for k in reversed(range(tiles.rank)) if k != axis and _length(tiles, k) > 1), None)
    lanes = min(LANES, length * (_length(tiles, after) if after is not None else 1))
    at = {axis: f"i0 - {length}*floor(i0/{length})"} | ({} if after is None else {after: f"floor(i0/{length})"})
    point = affine.make_map(1, [at.get(k, "0") for k in range(len(read.sizes))])
    index = read.map.pullback_multi_aff(point)
    found = [[_at(index.get_at(k), lane) for k in range(index.dim(OUT))] for lane in range(lanes)]
    return [[i - first for i, first in zip(element, found[0], strict=True)] for element in found]


def _at(index: isl.Aff, lane: int) -> int:
    here = isl.Point.zero(index.get_domain_space())
    here = here.set_coordinate_val(isl.dim_type.set, 0, isl.Val.int_from_si(affine.CONTEXT, lane))
    return int(index.eval(here).to_python())


def _length(tiles: Tiling, axis: int) -> int:
    """Returns the length of a tile along an axis, or `LANES` for a symbolic size."""
    length, size = tiles.lengths[axis], tiles.sizes[axis]
    return length if length is not None else size if isinstance(size, int) else LANES
