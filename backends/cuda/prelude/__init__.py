"""
The device functions that kernels call, most of them one PTX instruction each.

`source(names)` returns the text of the named functions and of everything they use. References are to the PTX ISA 9.0.
"""

from __future__ import annotations

from collections.abc import Iterable

from . import (
    atomics,
    bulk,
    complex,
    copies,
    fragments,
    mbarrier,
    quotients,
    realignment,
    scalars,
    shared_layouts,
    sync,
    wgmma,
)
from .piece import Piece

PIECES: dict[str, Piece] = {
    **scalars.PIECES,
    **quotients.PIECES,
    **complex.PIECES,
    **copies.PIECES,
    **fragments.PIECES,
    **realignment.PIECES,
    **mbarrier.PIECES,
    **sync.PIECES,
    **atomics.PIECES,
    **bulk.PIECES,
    **wgmma.PIECES,
}
PREFIXES = shared_layouts.PREFIX, wgmma.PREFIX
"""The beginnings of the names of functions that are not in the table."""
HEADER = """typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
#define DEV static __device__ __forceinline__
"""


def source(names: Iterable[str], float8_cvt: bool = True) -> str:
    """
    Returns the header and the named pieces with all that they use, in the order of the table; the generated ones come last. Without
    `float8_cvt`, fp8 is converted in integer arithmetic.
    """
    table = PIECES if float8_cvt else PIECES | scalars.WITHOUT_FLOAT8_CVT
    written = {name: _written(name) for name in sorted(set(names) - PIECES.keys())}
    wanted: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in wanted:
            wanted.add(name)
            todo += (table | written)[name].uses
    pieces = [piece for name, piece in table.items() if name in wanted]
    return HEADER + "".join(f"\n{piece.text}\n" for piece in (*pieces, *written.values()))


def _written(name: str) -> Piece:
    return (shared_layouts if name.startswith(shared_layouts.PREFIX) else wgmma).piece(name)
