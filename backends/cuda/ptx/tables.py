"""Which opcode is built by what: the union of the op files' tables."""

from __future__ import annotations

from . import async_copy, atomics, bits, convert, floats, memops, sync, tensor_core, warp
from .decode import Builder

BUILDERS: dict[str, Builder] = {
    **floats.TABLE,
    **bits.TABLE,
    **convert.TABLE,
    **memops.TABLE,
    **atomics.TABLE,
    **async_copy.TABLE,
    **tensor_core.TABLE,
    **warp.TABLE,
    **sync.TABLE,
}
