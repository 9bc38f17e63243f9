"""
`pto-pipeline{stages=2}`: overlaps the iterations of innermost loops, with several buffers for each tile (ping-pong).

```
for i in 0..8 { t = load x[i]          t0 = load x[0]; u0 = exp t0
                u = exp t         →    for i in 0..6 by 2 { store u0, y[i];   t1 = load x[i+1]; u1 = exp t1
                store u, y[i] }                             store u1, y[i+1]; t0 = load x[i+2]; u0 = exp t0 }
                                       …
```

The instructions of an iteration are assigned to stages by modulo scheduling over the pipes (`analysis/pto/modulo.py`, with the cycles of
`targets/pto/costs.py`): one step of the new loop executes each instruction for the iteration that has reached its stage. Steps before and
after the loop execute the stages that the loop does not. The body is repeated so often that each tile is computed into another buffer
while the one before is used.

A loop is not changed if its number of iterations is unknown or less than `stages` + 1, if it contains another region than loops,
if it carries indices, or passes tiles on without computing them. A tile whose valid extents change from iteration to iteration is used in the
step that computes it. A remark names a loop with a condition. Loops in branches are changed like
others. Tiles must not have addresses yet. If the function has events, they are inserted
again (`pto-insert-events`).

- `stages`: the maximum number of stages, and of buffers of a tile.

Spec: `pto-ir.md §8`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ...analysis.pto.effects import instructions, tile_functions, trip_count
from ...dialects import pto
from ...errors import InvalidAttributeValue, Unsupported
from ..pto_insert_events import insert_events
from ..pto_insert_events.writing import remove_events
from .dependences import loop_dependences
from .rewriting import pipeline_loop
from .schedules import choose_schedule


@dataclass(frozen=True)
class PtoPipeline(ModulePass):
    """Overlaps the iterations of loops by modulo scheduling over pipes."""

    name = "pto-pipeline"

    stages: int = 2
    """Maximum number of stages, and of buffers of a tile."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not 1 <= self.stages <= MAX_STAGES:
            help = f"a number from 1 to {MAX_STAGES}"
            raise InvalidAttributeValue(op, name="stages", problem=f"is {self.stages}", help=help)
        for function in tile_functions(op):
            pipeline(function, self.stages)


MAX_STAGES = 8


def pipeline(function: func.FuncOp, stages: int) -> None:
    """Overlaps the iterations of a function's innermost loops. Raises `NoAsynchronousForm`, and `Unsupported` for tiles with addresses."""
    placed = next((op for op in function.walk() if isinstance(op, pto.AssignOp)), None)
    if placed is not None:
        raise Unsupported(
            placed, what="pipelining tiles that have addresses", need="run pto-pipeline before pto-bufferize"
        )
    asynchronous = any(op.is_asynchronous for op in instructions(function.body.block))
    dependences = loop_dependences(function)
    if asynchronous:
        remove_events(function)
        dependences = loop_dependences(function)
    for loop, found in dependences.items():
        if (schedule := choose_schedule(loop, found, stages, trip_count(loop))) is not None:
            pipeline_loop(loop, schedule)
    if asynchronous:
        insert_events(function)
