"""The bytes that tiles take, and their addresses."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.ir import SSAValue

from ...dialects import pto
from ...dialects.pto.storage import tile_bytes
from ..errors import NoStaticAddress
from .accesses import Range

MAX_ADDRESS = 1 << 24
"""No memory of a core is larger."""


def address_ranges(function: func.FuncOp) -> dict[SSAValue, Range]:
    """Returns the bytes of each tile that a `pto.tile.assign` gives an address to. Raises `NoStaticAddress`."""
    return {op.tile: _range(op) for op in function.walk() if isinstance(op, pto.AssignOp)}


def _range(op: pto.AssignOp) -> Range:
    tile, place = pto.tile_type(op.tile), op.place
    size = tile_bytes(tile, op)
    if not isinstance(place, int) or place > MAX_ADDRESS - size:
        raise NoStaticAddress(op)
    return Range(tile.loc, place, size)
