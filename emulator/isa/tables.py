"""Which opcode is built by what: the union of the op files' tables."""

from __future__ import annotations

from ..memory import async_copy, atomics, memops
from ..sync import cluster_ops, fences, mbarrier_ops, register_pool, sync
from . import bits, convert, floats, matrix_memory, mma, warp, wgmma
from .decode import Builder

BUILDERS: dict[str, Builder] = {
    **floats.TABLE,
    **bits.TABLE,
    **convert.TABLE,
    **memops.TABLE,
    **atomics.TABLE,
    **async_copy.TABLE,
    **matrix_memory.TABLE,
    **mma.TABLE,
    **warp.TABLE,
    **sync.TABLE,
    **fences.TABLE,
    **mbarrier_ops.TABLE,
    **wgmma.TABLE,
    **register_pool.TABLE,
    **cluster_ops.TABLE,
}
