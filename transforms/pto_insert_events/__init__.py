"""
`pto-insert-events`: makes the instructions of a function asynchronous, ordered by events.

```
%t = pto.tile.load %x[0, 0]            %t, %e0 = pto.tile.load %x[0, 0]
%u = pto.tile.exp %t             →     %u, %e1 = pto.tile.exp %t wait(%e0)
pto.tile.store %u, %y[0, 0]            %e2 = pto.tile.store %u, %y[0, 0] wait(%e1)
```

Each hazard between two pipes (read after write, write after read, write after write) on tiles and on global memory is ordered, and no
event is implied by others (`analysis/pto/events.py`). A loop carries the events of its last iteration; the initial event is a
`pto.event.record`. What follows a loop or a condition (`scf.if`) waits for an event that is recorded after it, whichever branch was taken; an op
in a branch waits for events from before the condition itself. Events have ids, eight for each pair of pipes; where none is free, `pto.sync` orders
all pipes.

Events, records and syncs of the input are replaced, except for events that are arguments of the function. Two arguments are different
arrays. Tiles without an address (`pto.tile.assign`) have memory of their own, for each execution of the op that computes them.

Accesses are compared for any two iterations of a loop, and for loops with and without iterations. So two kinds of waits may be there that no run
needs: those after a loop that may have no iteration, or for memory that a branch of a condition accesses, which are implied in each run, but by
different instructions; and those that later iterations imply by a wait that the first one does not need. A tile that a condition returns is not
waited for where the branch has waited for it. `python -m tests.pto_programs.redundant_waits` counts such waits in random programs.

A function with instructions that PTO does not have, or with views that loops carry or that conditions return, is refused.

Spec: `pto-ir.md §5`, `§8`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ...analysis.pto.effects import tile_functions
from ...analysis.pto.events import plan_events
from .writing import remove_events, write_events


@dataclass(frozen=True)
class PtoInsertEvents(ModulePass):
    """Orders the hazards between pipes by events."""

    name = "pto-insert-events"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in tile_functions(op):
            insert_events(function)


def insert_events(function: func.FuncOp) -> None:
    """Replaces the events of a function by those that its hazards need. Raises `NoAsynchronousForm`."""
    plan = plan_events(function)  # refuses the function before anything changes
    if remove_events(function):
        plan = plan_events(function)
    write_events(function, plan)
