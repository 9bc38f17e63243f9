"""
Tiles of partial results, one for each lane of a row on a GPU.

A row that does not fit in registers is reduced tile by tile to a partial result for each lane. PTO reduces rows to one element, so such a
tile becomes a tile of one column. Spec: `dialects/pto/rows.py` (`run`).
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from ...dialects import pto


def lane_tiles(body: Operation) -> set[SSAValue]:
    """Returns the tiles of partial results: reductions with a `run`, what is computed from them, and what loops carry of them."""
    found: set[SSAValue] = set()
    ops = list(body.walk())
    while True:
        before = len(found)
        for op in ops:
            for group in _alike(op):
                if not found.isdisjoint(group):
                    found.update(group)
            if isinstance(op, pto.RowReduceOp) and op.run is not None:
                found.add(op.result)
        if len(found) == before:
            return found


def _alike(op: Operation) -> Iterator[list[SSAValue]]:
    """Yields groups of tiles that all have partial results, or none."""
    if isinstance(op, scf.ForOp):
        last = op.body.block.last_op
        yielded = () if last is None else last.operands
        for group in zip(op.iter_args, op.body.block.args[1:], yielded, op.results, strict=True):
            yield list(group)
    elif isinstance(op, pto.InstructionOp | pto.FmaOp) and len(op.results) == 1:
        sizes = getattr(op.results[0].type, "sizes", None)
        yield [op.results[0], *(v for v in op.operands if isinstance(v.type, pto.TileType) and v.type.sizes == sizes)]
