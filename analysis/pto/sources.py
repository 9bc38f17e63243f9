"""
Finds the op or record whose event orders two instructions.

An event leaves a loop or a condition through a record after it, so it is that of an op in a block around the consumer: of the producer
itself, or of the outermost loop or condition that contains the producer and not the consumer. Where the consumer comes first, or is in the
other branch of a condition, a loop around both carries the event.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func, scf
from xdsl.ir import Block, Operation

from .effects import trip_count


@dataclass(frozen=True)
class Record:
    """An event that is recorded after `anchor` on the pipe of `op`."""

    anchor: Operation
    op: Operation


class SecondRecord(Record):
    """Another event at the same place, which has another flag."""


Source = Operation | Record
"""An op or a record, which returns an event."""


class Anchors:
    """The ops after which events of the instructions of a function happen."""

    def __init__(self, function: func.FuncOp) -> None:
        self.positions = {op: number for number, op in enumerate(function.walk())}

    def anchor(self, producer: Operation, consumer: Operation) -> tuple[Operation, bool] | None:
        """
        Returns the op after which the event of `producer` happens that `consumer` waits for, and whether a loop carries the event. Returns None if
        `producer` is never executed before `consumer`.
        """
        path, other = _path(producer), _path(consumer)
        depth = max(n for n, ((a, _), (b, _)) in enumerate(zip(path, other, strict=False)) if a is b)
        anchor, place = path[depth][1], other[depth][1]
        if self.positions[anchor] < self.positions[place]:
            return anchor, False
        loops = (inner for block, inner in reversed(path[: depth + 1]) if isinstance(block.parent_op(), scf.ForOp))
        carried = next(loops, None)
        return None if carried is None else (carried, True)


def _path(op: Operation) -> list[tuple[Block, Operation]]:
    """Returns the blocks around `op`, the outermost first, each with its op that is or contains `op`."""
    found: list[tuple[Block, Operation]] = []
    inner: Operation | None = op
    while inner is not None and not isinstance(inner, func.FuncOp):
        assert inner.parent is not None
        found.append((inner.parent, inner))
        inner = inner.parent_op()
    return found[::-1]


def carrying_loops(anchor: Operation) -> list[scf.ForOp]:
    """Returns the loops that carry an event of `anchor`, the innermost first: those around it, up to a condition."""
    found: list[scf.ForOp] = []
    loop = anchor.parent_op()
    while isinstance(loop, scf.ForOp):
        found.append(loop)
        loop = loop.parent_op()
    return found


def starts_anew(loop: scf.ForOp) -> bool:
    """
    Returns whether a loop starts with events that are recorded before it, which stand for all earlier instructions of their pipes: one that may
    have no iteration, and one in a branch of a condition in a loop. Others start with the events of the loop around them, or at the start of the
    function.
    """
    if not trip_count(loop):
        return True
    if isinstance(outer := loop.parent_op(), scf.ForOp):
        return False
    while outer is not None and not isinstance(outer, scf.ForOp):
        outer = outer.parent_op()
    return outer is not None
