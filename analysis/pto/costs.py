"""The cycles that instructions take (`targets/pto/costs.py` has the data)."""

from __future__ import annotations

from math import prod

from ...dialects import pto
from ...dialects.ptir.functions import bit_width
from ...dialects.pto.matmul import ProductOp
from ...dialects.pto.storage import element_bytes
from ...targets.pto.costs import CORE, PtoCosts


def cycles(op: pto.InstructionOp, costs: PtoCosts = CORE) -> int:
    """Returns the cycles that an instruction occupies its pipe. A size that is not known counts as 1."""
    if isinstance(op, ProductOp | pto.MatmulMxOp):
        a, b = pto.tile_type(op.a), pto.tile_type(op.b)
        products = _count((*a.sizes, b.sizes[-1]))
        rates = costs.products_per_cycle
        rate = rates.get(bit_width(a.element_type), min(rates.values()))
        return costs.start + -(-products // rate)
    tiles = [pto.tile_type(v) for v in (*op.results, *op.operands) if isinstance(v.type, pto.TileType)]
    moved = tiles[:1] if isinstance(op, pto.ExtractOp) else tiles
    size = max((_count(t.sizes) * element_bytes(t.element_type) for t in moved), default=1)
    return costs.start + -(-size // _rate(op, tiles, costs))


def _rate(op: pto.InstructionOp, tiles: list[pto.TileType], costs: PtoCosts) -> int:
    global_memory = any(isinstance(v.type, pto.MemRefType) for v in op.operands)
    result = next((pto.tile_type(r).loc for r in op.results if isinstance(r.type, pto.TileType)), "GM")
    source = "GM" if global_memory and result != "GM" else tiles[-1].loc if tiles else "GM"
    return costs.bytes_per_cycle.get((source, result), costs.vector_bytes)


def _count(sizes: tuple[int, ...]) -> int:
    return prod(max(1, s) for s in sizes)
