"""
The device functions that kernels call, most of them one PTX instruction each.

`source(names)` returns the text of the named functions and of everything they use. References are to the PTX ISA 9.0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ....elementary import cuda as elementary
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
GENERATED: dict[str, Callable[[str], Piece]] = {
    shared_layouts.PREFIX: shared_layouts.piece,
    wgmma.PREFIX: wgmma.piece,
    elementary.PREFIX: lambda name: Piece(*elementary.piece(name)),
}
"""The beginnings of the names of functions that are not in the table, and what writes these functions."""
PREFIXES = tuple(GENERATED)
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
    wanted: dict[str, Piece] = {}

    def want(name: str) -> None:
        if name not in wanted:
            piece = table[name] if name in table else _written(name)
            for used in piece.uses:
                want(used)
            wanted[name] = piece

    for name in sorted(names):
        want(name)
    generated = [piece for name, piece in wanted.items() if name not in table]
    pieces = [piece for name, piece in table.items() if name in wanted]
    return HEADER + "".join(f"\n{piece.text}\n" for piece in (*pieces, *generated))


def _written(name: str) -> Piece:
    return next(write for prefix, write in GENERATED.items() if name.startswith(prefix))(name)
