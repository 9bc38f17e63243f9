"""How operands get into shared memory: one ring an operand, filled in memory order by the widest legal copies."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.ir import SSAValue

from ....analysis.program.statistics import count
from ....analysis.regions.tile_access import element_address
from ....dialects import nv, pto
from ....dialects.common.syntax import ints
from ..kernel.access import Access, as_map

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Copy:
    """How a tile gets from a memref into a slot: in memory order, with the widest legal copies."""

    load: pto.LoadOp
    ring: SSAValue
    address: str
    dims: tuple[int, int]
    guards: tuple[int, ...]
    bytes: int


class Copies(Access):
    """Adds rings and copies to a kernel."""

    def copy(self, tile: SSAValue, stages: int, name: str, swizzle: str) -> Copy:
        """Allocates the ring of one operand and chooses the width of its copies from the proven alignment."""
        load = cast(pto.LoadOp, tile.owner)
        self.at = load
        t = pto.tile_type(tile)
        dims = cast(tuple[int, int], ints(load.dims))
        rows, columns = t.sizes
        if t.layout.data == "DN":
            dims, rows, columns = (dims[1], dims[0]), columns, rows
        hint = self.plan.layout_hints.get(f"{name}_swizzle", True)
        ring_type = nv.SmemType((stages, rows, columns), t.element_type, swizzle if hint else "none")
        ring = self.add(nv.SmemOp(self.shared, ring_type), f"smem_{name.lower()}")
        self.shared += -(-ring_type.bytes // 128) * 128
        address = element_address(load)
        each = self.copy_bytes(load, address, dims[1])
        guards = self.tails(load, dict(zip(dims, (rows, columns), strict=True)))
        log.debug("copies of %s move %d bytes each", name, each, extra={"op": load})
        count(f"operands copied {each} bytes at a time")
        return Copy(load, ring, str(as_map(address)), dims, guards, each)

    def fill(self, copies: Sequence[Copy], slot: SSAValue) -> None:
        """Starts the copies of one step into a slot."""
        for copy in copies:
            self.at = copy.load
            self.add(
                nv.CpAsyncOp(
                    self.map[copy.load.memref],
                    [self.offset(o) for o in copy.load.offsets],
                    copy.ring,
                    slot,
                    copy.address,
                    ints(copy.load.bounds),
                    copy.dims,
                    copy.guards,
                    copy.bytes,
                )
            )
