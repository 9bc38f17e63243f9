"""
`pto-to-nv`: a tile program becomes a GPU kernel for the plan's architecture. SM80 here.

```
pto.tiles        →   one block a tile; offsets from the block's number, by the plan's bind
channel, process →   a ring in shared memory, cp.async groups:
                       for s < stages-1: copy slot s; commit              prologue
                       for each step: wait_group stages-2; barrier        the oldest slot has landed
                                      copy step+stages-1; commit          into the slot freed one step ago
                                      for kk < BK/16: ldmatrix; mma_sync
vector ops       →   one nv.epilogue on the fragments
```

One barrier a step is enough: it publishes the landed slot to all warps, and it follows every read of the
slot that is overwritten next. Spec: `tensor-compiler.ja §1.7` (plan to code), `§1.8`.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from xdsl.context import Context
from xdsl.dialects import gpu
from xdsl.dialects.builtin import (
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.ir import Block, Operation, Region
from xdsl.passes import ModulePass
from xdsl.traits import SymbolTable

from ..dialects import nv, pto
from ..dialects.kernel import free_symbol
from ..dialects.region import LaunchOp
from ..errors import PtirError
from .sm80.kernel import Kernel

if TYPE_CHECKING:
    pass

log = logging.getLogger(__name__)

KERNELS = "kernels"
WARP = 32
INT_MAX = 2**31 - 1


@dataclass(frozen=True)
class PtoToNv(ModulePass):
    """All `pto.kernel`s move into one `gpu.module`; launches get their grid, block and shared memory."""

    name = "pto-to-nv"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = [o for o in op.body.block.ops if isinstance(o, pto.PtoKernelOp)]
        if not kernels:
            return
        lowered: dict[Operation | None, Kernel] = {k: Kernel(k) for k in kernels}
        functions = [_built(kernel) for kernel in lowered.values()]
        name = free_symbol(op, KERNELS)
        module = gpu.ModuleOp.create(properties={"sym_name": StringAttr(name)}, regions=[Region(Block(functions))])
        module.location = kernels[0].location
        op.body.block.insert_op_before(module, kernels[0])
        for launch in [o for o in op.walk() if isinstance(o, LaunchOp)]:
            kernel = lowered.get(SymbolTable.lookup_symbol(launch, launch.kernel))
            if kernel is None:  # its kernel is on another level, or in another module
                continue
            new = nv.LaunchOp(
                SymbolRefAttr(name, [launch.kernel.string_value()]),
                kernel.grid,
                (kernel.plan.threads, 1, 1),
                kernel.shared,
                launch.operands,
            )
            new.location = launch.location
            block = cast(Block, launch.parent)
            block.insert_op_before(new, launch)
            launch.detach()
            launch.erase()
        for kernel in kernels:
            kernel.detach()
            kernel.erase(safe_erase=False)


def _built(kernel: Kernel) -> gpu.FuncOp:
    """The kernel lowered; a type that refuses its parameters is at fault where it was to be used."""
    try:
        return kernel.build()
    except PtirError as error:
        error.op = error.op or kernel.at
        raise
