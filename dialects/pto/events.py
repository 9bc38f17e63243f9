"""The initial event of a loop. Spec: `pto-ir.md §5`; facts: `set_flag`."""

from __future__ import annotations

from xdsl.irdl import base, irdl_op_definition, result_def, traits_def
from xdsl.traits import MemoryWriteEffect

from ..common.ops import DialectOp
from .types import EventType


@irdl_op_definition
class RecordOp(DialectOp):
    """
    Returns an event that happens when the earlier instructions of the producer's pipe have completed: `set_flag` in the queue of that
    pipe. It is the initial event of a loop that carries events.

    ```mlir
    %e = pto.event.record : !pto.event<producer = #pto.op<TADD>>
    ```
    """

    name = "pto.event.record"
    event = result_def(base(EventType))
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "attr-dict `:` type($event)"

    def __init__(self, event: EventType):
        super().__init__([], [event])
