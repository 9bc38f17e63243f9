"""What is proven of the accesses of a tile: alignment, tails, how wide they may be."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, cast

from xdsl.ir import BlockArgument

from ...dialects import pto
from ...dialects.syntax import ints
from ...errors import Unsupported
from .builder import KernelBuilder

if TYPE_CHECKING:
    import islpy as isl


log = logging.getLogger(__name__)


class Access(KernelBuilder):
    """Adds facts about loads and stores to a kernel."""

    def alignment(self, access: pto.LoadOp | pto.StoreOp) -> int:
        """Bytes to which the base of the memref is proven to be aligned."""
        return self.kernel.alignment(cast(BlockArgument, access.memref))

    def tails(self, access: pto.LoadOp | pto.StoreOp, tile: dict[int, int]) -> tuple[int, ...]:
        """The tiled axes whose last tile reaches past the box. Offsets are multiples of the tile, inside the box."""
        bounds = ints(access.bounds)
        for axis, offset in enumerate(access.offsets):
            if offset not in self.ranges:
                raise Unsupported(access, what="a computed offset", need="the arguments of pto.tiles and of the loop")
            (step, last), size = self.ranges[offset], tile.get(axis, 1)
            if (last and step % size) or last >= bounds[axis]:
                raise Unsupported(
                    access,
                    what=f"offsets up to {last} in steps of {step} for {size} of {bounds[axis]} along axis {axis}",
                    need="steps that are multiples of the tile, and no tile outside the box",
                )
        return tuple(axis for axis, size in tile.items() if bounds[axis] % size)


def as_map(address: isl.Aff) -> isl.MultiAff:
    import islpy as isl

    return isl.MultiAff.from_aff(address)
