"""
Where operations came from, kept through passes that say nothing about it.

ptir's passes give every operation they make the location of the one it comes from. xDSL's passes, and many
others, give none, and nothing carries over that of the operation a new one replaces. So `Locations` notes,
before a pass, where the definition behind every use stands, and afterwards places what has no location:

    before                           after
    %0 = a …        loc(1)           %1 = b …    ◀── 2: its user's location, 1
    return %0       loc(2)           %2 = c %1   ◀── 1: defines what loc(1) defined
                                     return %2       loc(2)

1. at the definition that it stands in for, where a user that was there before tells;
2. else at the first operation that uses it;
3. else at the operation before it, or around it.

No location that a pass sets is overridden.
"""

from __future__ import annotations

from xdsl.dialects.builtin import UNKNOWN_LOC, LocationAttr
from xdsl.ir import Operation


class Locations:
    """What was known under `root` before a pass; `root` may be replaced meanwhile."""

    def __init__(self, root: Operation):
        self._definitions: dict[tuple[Operation, int], LocationAttr] = {}
        for op in root.walk():
            for index, operand in enumerate(op.operands):
                owner = operand.owner
                if isinstance(owner, Operation) and owner.location is not UNKNOWN_LOC:
                    self._definitions[op, index] = owner.location

    def restore(self, root: Operation) -> None:
        """Place the operations under `root` that have no location."""
        unknown = [op for op in root.walk() if op.location is UNKNOWN_LOC]
        for op in reversed(unknown):  # users stand after definitions
            if (location := self._replaced(op)) is not None:
                op.location = location
        for op in unknown:
            if op.location is UNKNOWN_LOC:
                op.location = _neighbour(op)

    def _replaced(self, op: Operation) -> LocationAttr | None:
        users = [use for result in op.results for use in result.uses]
        for use in users:
            if (location := self._definitions.get((use.operation, use.index))) is not None:
                return location
        return next((u.operation.location for u in users if u.operation.location is not UNKNOWN_LOC), None)


def _neighbour(op: Operation) -> LocationAttr:
    """The location of the operation before `op`, else of the one around it."""
    if (before := op.prev_op) is not None and before.location is not UNKNOWN_LOC:
        return before.location
    parent = op.parent_op()
    return UNKNOWN_LOC if parent is None else parent.location
