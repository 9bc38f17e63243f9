"""
Pairs the commits of a process to a channel with the waits of its consumer.

A wait in a loop takes what a commit loads in the iteration of the same number. The loops must step over the same indices: one loop of the
process may be several loops of the consumer, each of which begins where the last one ended.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue

from ...dialects import pto
from ...errors import Unsupported


@dataclass
class Commits:
    """The commits to a channel in the order of the program, and how many waits have taken one."""

    found: list[pto.CommitOp] = field(default_factory=list[pto.CommitOp])
    taken: int = 0
    end: SSAValue | None = None
    """The index at which the last loop ended, if several loops wait for what one loop commits."""


def commits_of(tiles: pto.TilesOp) -> dict[SSAValue, Commits]:
    """Returns the commits to each channel."""
    found: dict[SSAValue, Commits] = {}
    for op in tiles.walk():
        if isinstance(op, pto.CommitOp):
            found.setdefault(op.channel, Commits()).found.append(op)
    return found


def loop_of(op: Operation) -> scf.ForOp | None:
    """Returns the loop around an op, or None. Raises `Unsupported` for nested loops."""
    parent = op.parent_op()
    if not isinstance(parent, scf.ForOp):
        return None
    if isinstance(parent.parent_op(), scf.ForOp):
        raise Unsupported(op, what="a channel in nested loops", need="use a channel in one loop, as region-to-pto does")
    return parent


def commit_for(wait: pto.WaitOp, commits: Commits) -> tuple[pto.CommitOp, dict[SSAValue, SSAValue]]:
    """Returns the commit that a wait takes, and the map from the index of its loop to that of the wait's loop."""
    here = loop_of(wait)
    need = "load the tiles in the same loops as they are used"
    index = min(commits.taken, len(commits.found) - 1)
    if index < 0:
        raise Unsupported(wait, what="a channel to which nothing is committed", need=need)
    commit = commits.found[index]
    there = loop_of(commit)
    if here is None or there is None:
        if here is not there or commits.taken >= len(commits.found):
            raise Unsupported(wait, what="a wait in another loop than the commit", need=need)
        commits.taken += 1
        return commit, {}
    start = there.lb if commits.end is None else commits.end
    if not (same(here.lb, start) and same(here.step, there.step)):
        raise Unsupported(wait, what="a wait in a loop over other indices than the commit's", need=need)
    done = same(here.ub, there.ub)
    commits.end = None if done else here.ub
    commits.taken += done
    return commit, {there.body.block.args[0]: here.body.block.args[0]}


def constant_of(value: SSAValue) -> int | None:
    """Returns the number that an index is, or None."""
    op = value.owner
    return op.value.value.data if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr) else None


def same(a: SSAValue, b: SSAValue) -> bool:
    """Returns whether two indices are the same value or number."""
    return a is b or (constant_of(a) is not None and constant_of(a) == constant_of(b))
