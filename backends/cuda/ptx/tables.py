"""Which opcode is built by what: the union of the op files' tables."""

from __future__ import annotations

from . import (
    async_copy,
    atomics,
    bits,
    cluster_ops,
    convert,
    fences,
    floats,
    matrix_memory,
    mbarrier_ops,
    memops,
    mma,
    register_pool,
    sync,
    warp,
    wgmma,
)
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
