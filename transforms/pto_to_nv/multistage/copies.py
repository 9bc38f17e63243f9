"""The shared-memory rings of the operands, filled in memory order by the widest copies that alignment allows."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import cast

from xdsl.ir import SSAValue

from ....analysis.program.statistics import count
from ....analysis.regions.tile_access import element_address
from ....dialects import nv, pto
from ..kernel.contraction import Copy, LoopLowering

log = logging.getLogger(__name__)


class Copies(LoopLowering):
    """Adds rings and copies to a kernel."""

    def copy(self, tile: SSAValue, stages: int, name: str, swizzle: str) -> Copy:
        """Allocates the ring of one operand and chooses the width of its copies from the proven alignment."""
        load = cast(pto.LoadOp, tile.owner)
        self.at = load
        dims, sizes = self.slot_layout(load)
        hint = self.plan.layout_hints.get(f"{name}_swizzle", True)
        ring_type = nv.SmemType((stages, *sizes), pto.tile_type(tile).element_type, swizzle if hint else "none")
        ring = self.add(nv.SmemOp(self.allocate(ring_type.bytes, 128), ring_type), f"smem_{name.lower()}")
        # Later allocations are aligned to 128 bytes, and so is the end of the last ring.
        self.shared = -(-self.shared // 128) * 128
        bytes_ = self.copy_bytes(load, element_address(load), dims[1])
        guards = self.guarded_axes(load, dict(zip(dims, sizes, strict=True)))
        log.debug("copies of %s move %d bytes each", name, bytes_, extra={"op": load})
        count(f"operands copied {bytes_} bytes at a time")
        return Copy(load, ring, dims, guards, bytes_)

    def fill(self, copies: Sequence[Copy], slot: SSAValue) -> None:
        """Starts the copies of one step into a slot."""
        for copy in copies:
            self.start_copies(copy, slot)
