"""How operands get into shared memory: one ring an operand, filled in memory order by the widest legal copies."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from xdsl.ir import SSAValue

from ...analysis.statistics import count
from ...analysis.tile_access import contiguous, element_address
from ...dialects import nv, pto
from ...dialects.shapes import EXACT_IN_F32
from ...dialects.syntax import ints
from ...errors import Unsupported
from .access import Access, as_map

if TYPE_CHECKING:
    pass

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

    def copy(self, tile: SSAValue, stages: int, name: str) -> Copy:
        """Allocates the ring of one operand and chooses the width of its copies from the proven alignment."""
        load = cast(pto.LoadOp, tile.owner)
        self.at = load
        t = pto.tile_type(tile)
        if not isinstance(t.element_type, EXACT_IN_F32):
            raise Unsupported(load, what=f"a contraction of {t.element_type}", need="operands of f16 or bf16")
        dims = cast(tuple[int, int], ints(load.dims))
        rows, columns = t.sizes
        if t.layout.data == "DN":
            dims, rows, columns = (dims[1], dims[0]), columns, rows
        hint = self.plan.layout_hints.get(f"{name}_swizzle", True)
        ring_type = nv.SmemType((stages, rows, columns), t.element_type, "xor" if hint else "none")
        ring = self.add(nv.SmemOp(self.shared, ring_type), f"smem_{name.lower()}")
        self.shared += -(-ring_type.bytes // 128) * 128
        address = element_address(load)
        width = contiguous(ints(load.bounds), address, dims[1], self.alignment(load) // 2, (8, 4, 2, 1))
        guards = self.tails(load, dict(zip(dims, (rows, columns), strict=True)))
        log.debug("copies of %s move %d bytes each", name, 2 * width, extra={"op": load})
        count(f"operands copied {2 * width} bytes at a time")
        return Copy(load, ring, str(as_map(address)), dims, guards, 2 * width)
