"""
The device functions that kernels call, one PTX instruction each where there is one.

`source(names)` gives the text of those and of everything they use, in this order. References are to the PTX
ISA 9.0.
"""

from __future__ import annotations

from collections.abc import Iterable

from . import bulk, copies, fragments, mbarrier, scalars, sync, wgmma
from .piece import Piece

PIECES: dict[str, Piece] = {
    **scalars.PIECES,
    **copies.PIECES,
    **fragments.PIECES,
    **mbarrier.PIECES,
    **sync.PIECES,
    **bulk.PIECES,
    **wgmma.PIECES,
}
NAMES = {*PIECES, *wgmma.NAMES}
"""All that can be called."""
HEADER = """typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
#define DEV static __device__ __forceinline__
"""


def source(names: Iterable[str]) -> str:
    """The header, then the named pieces and what they use, in the order of the table; multiplications of warpgroups last."""
    written = {name: wgmma.piece(name) for name in sorted(set(names) - PIECES.keys())}
    wanted: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in wanted:
            wanted.add(name)
            todo += (PIECES | written)[name].uses
    pieces = [piece for name, piece in PIECES.items() if name in wanted]
    return HEADER + "".join(f"\n{piece.text}\n" for piece in (*pieces, *written.values()))
