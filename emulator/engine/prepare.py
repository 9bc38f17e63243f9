"""Prepares a kernel: its static properties and its steps, from the builders of all op files."""

from __future__ import annotations

from ..isa import bits, convert, floats, matrix_memory, mma, warp, wgmma
from ..isa.decode import Builder, decode
from ..isa.program import Program, place_variables
from ..isa.syntax import Kernel, Module
from ..memory import async_copy, atomics, memops
from ..sync import cluster_ops, fences, mbarrier_ops, register_pool, sync
from .machine import Machine
from .scheduler import Code

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


def prepare(module: Module, kernel: Kernel, symbols: dict[str, int], warps: int) -> tuple[Program, Code[Machine]]:
    """Decodes `kernel`; `symbols` are the addresses of the module's global variables. The last result is cached."""
    if kernel.prepared[:2] != [symbols, warps]:
        program = place_variables(module, kernel, symbols, warps)
        kernel.prepared[:] = [dict(symbols), warps, (program, decode(program, BUILDERS))]
    return kernel.prepared[2]
