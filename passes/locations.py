"""
Where operations came from, kept through rewriting.

xDSL gives an operation made by a pass no location, and nothing carries over that of the operation it
replaces. Two mends, neither of which overrides a location a pass sets itself:

- what a `PatternRewriter` inserts while it rewrites an operation gets that operation's location;
- after a pass, whatever still has none gets that of the operation around it.
"""

from __future__ import annotations

from xdsl.dialects.builtin import UNKNOWN_LOC
from xdsl.ir import Operation


def inherit_locations(root: Operation) -> None:
    """Give operations under `root` that have no location that of the operation around them."""
    for op in root.walk():
        if op.location == UNKNOWN_LOC and (parent := op.parent_op()) is not None:
            op.location = parent.location


def propagate_through_rewriters() -> None:
    """
    From now on, what pattern rewriters insert takes the location of the operation being rewritten.

    A listener would be the proper way, but each walker makes its own and passes own their walkers; so the
    notification itself is extended, once a process.
    """
    from xdsl.pattern_rewriter import PatternRewriter  # 10 ms that a run without passes does not need

    if "handle_operation_insertion" in vars(PatternRewriter):
        return
    notify = PatternRewriter.handle_operation_insertion

    def note_location_and_notify(self: PatternRewriter, op: Operation) -> None:
        origin = self._current_operation  # pyright: ignore[reportPrivateUsage]
        if origin is not None and op.location is UNKNOWN_LOC:
            op.location = origin.location
        notify(self, op)

    PatternRewriter.handle_operation_insertion = note_location_and_notify
