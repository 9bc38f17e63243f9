"""
Tiles of partial results, which a GPU keeps for each lane or thread, and PTO for each row or column.

A row that does not fit in registers is reduced tile by tile to a partial result for each lane. PTO reduces rows to one element, so such a
tile becomes a tile of one column. Spec: `dialects/pto/rows.py` (`run`). A loop that accumulates tiles, whose columns are reduced
after it, accumulates their columns instead, in a tile of one row:

```
%a = for … iter_args(%t = 0) { yield add %t, %x }        %s = for … iter_args(%t = 0) { yield add %t, colsum %x }
%s = colsum %a
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from ...dialects import pto

COMBINERS: dict[type[pto.ColReduceOp], str] = {
    pto.ColSumOp: "add",
    pto.ColProdOp: "mul",
    pto.ColMaxOp: "max",
    pto.ColMinOp: "min",
}
"""The function of two tiles that combines the results of each reduction."""


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


def column_totals(body: Operation) -> dict[SSAValue, pto.ColReduceOp]:
    """Returns the tiles that loops accumulate, in the loop and after it, whose columns are reduced, with the reduction."""
    found: dict[SSAValue, pto.ColReduceOp] = {}
    for op in body.walk():
        if not isinstance(op, pto.ColReduceOp) or not isinstance(loop := op.input.owner, scf.ForOp):
            continue
        k = loop.results.index(op.input)
        carried, yielded = loop.body.block.args[1 + k], cast(Operation, loop.body.block.last_op).operands[k]
        combine, fn = yielded.owner, COMBINERS.get(type(op))
        combines = isinstance(combine, pto.VectorBinaryOp) and fn == combine.FN and carried in combine.operands
        if combines and carried.has_one_use() and op.input.has_one_use():
            found |= {carried: op, yielded: op, op.input: op}
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
