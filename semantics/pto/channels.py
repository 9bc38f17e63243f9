"""
Channels of a tile program. Checks that they are used according to their protocol, and that their depth suffices.

Processes that communicate through channels only are a Kahn network: the *values* do not depend on the schedule, so each
process may run to completion before the next one starts. That needs channels of unbounded depth; whether bounded ones deadlock
is checked separately. For this, each process records a trace of its steps

    acquire   takes a free slot; the process blocks if all `depth` slots are taken
    commit    publishes the oldest slot acquired
    wait      takes the oldest slot published; the process blocks if there is none
    release   frees the oldest slot waited for

and `check` interleaves the traces with channels of the real depth. Since every channel has one producer and one consumer,
either all interleavings deadlock or none does.

Spec: `pto-ir.md §6`; DESIGN §4 (channels). G. Kahn, *The semantics of a simple language for parallel
programming*, 1974.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.ir import Operation

from ...dialects import pto
from ..arrays.scalars import Array
from ..errors import ChannelDeadlock, ChannelMisuse

REORDER = "a producer acquires, then commits; a consumer waits, then releases"


@dataclass
class Slot:
    """The tiles of one commit, which are invalid after the release."""

    tiles: tuple[Array, ...]
    released: bool = False


@dataclass(frozen=True)
class Staged:
    """A tile in a slot."""

    array: Array
    slot: Slot

    def read(self, op: Operation) -> Array:
        if self.slot.released:
            raise ChannelMisuse(
                op, problem="reads a tile whose slot has been released", help="release after the last use"
            )
        return self.array


def read(op: Operation, value: Any) -> Any:
    """Returns the array of a tile, which may be staged in a slot of a channel."""
    return value.read(op) if isinstance(value, Staged) else value


@dataclass
class Channel:
    """A channel of unbounded depth, during the execution of one tile."""

    op: pto.ChannelOp
    acquired: list[pto.AcquireOp] = field(default_factory=list[pto.AcquireOp])
    published: list[tuple[pto.CommitOp, Slot]] = field(default_factory=list[tuple[pto.CommitOp, Slot]])
    held: list[tuple[pto.WaitOp, Slot]] = field(default_factory=list[tuple[pto.WaitOp, Slot]])
    ends: dict[type[Operation], int] = field(default_factory=dict[type[Operation], int])

    @property
    def depth(self) -> int:
        return self.op.result.type.depth.data

    def require_side(self, op: pto.ChannelUserOp, process: int) -> None:
        """Raises `ChannelMisuse` if a second process produces into the channel, or consumes from it."""
        end = pto.AcquireOp if isinstance(op, pto.AcquireOp | pto.CommitOp) else pto.WaitOp
        if self.ends.setdefault(end, process) != process:
            what = "produce into" if end is pto.AcquireOp else "consume from"
            raise ChannelMisuse(
                op,
                problem=f"two processes {what} this channel",
                help="give each its own channel: the order of their tiles would depend on the schedule",
            )

    def acquire(self, op: pto.AcquireOp) -> None:
        self.acquired.append(op)

    def commit(self, op: pto.CommitOp, tiles: tuple[Array, ...]) -> None:
        if not self.acquired:
            raise ChannelMisuse(op, problem="commits a slot that was not acquired", help=REORDER)
        self.acquired.pop(0)
        self.published.append((op, Slot(tiles)))

    def wait(self, op: pto.WaitOp) -> tuple[Staged, ...]:
        if not self.published:
            raise ChannelMisuse(
                op,
                problem="waits on an empty channel: nothing before this op commits to it",
                help="the producer's loop must precede the consumer's and commit as often as that waits",
            )
        _, slot = self.published.pop(0)
        self.held.append((op, slot))
        return tuple(Staged(tile, slot) for tile in slot.tiles)

    def release(self, op: pto.ReleaseOp) -> None:
        if not self.held:
            raise ChannelMisuse(op, problem="releases a slot that was not waited for", help=REORDER)
        self.held.pop(0)[1].released = True

    def close(self) -> None:
        """Raises `ChannelMisuse` unless the channel is empty at the end of the tile."""
        for left, problem in (
            (self.acquired, "acquires a slot that is never committed"),
            ([op for op, _ in self.published], "commits tiles that are never waited for"),
            ([op for op, _ in self.held], "waits for a slot that is never released"),
        ):
            if left:
                raise ChannelMisuse(left[0], problem=problem, help=REORDER, notes=[(self.op, "the channel is here")])


Step = tuple[pto.ChannelUserOp, Channel]


def check(processes: Sequence[Sequence[Step]]) -> None:
    """Interleaves the traces with channels of their real depth. Raises `ChannelDeadlock` if they do not finish."""
    taken: dict[int, int] = {}
    ready: dict[int, int] = {}
    at = [0] * len(processes)
    moved = True
    while moved:
        moved = False
        for k, trace in enumerate(processes):
            while at[k] < len(trace) and _step(*trace[at[k]], taken, ready):
                at[k] += 1
                moved = True
    stuck = [trace[i] for trace, i in zip(processes, at, strict=True) if i < len(trace)]
    if not stuck:
        return
    op, channel = next((s for s in stuck if isinstance(s[0], pto.AcquireOp)), stuck[0])
    raise ChannelDeadlock(
        op,
        problem=f"all {channel.depth} slots of the channel are taken"
        if isinstance(op, pto.AcquireOp)
        else "the slot it waits for is never committed",
        notes=[
            (channel.op, "the channel is here"),
            *((other, "this waits, too") for other, _ in stuck if other is not op),
        ],
    )


def _step(op: pto.ChannelUserOp, channel: Channel, taken: dict[int, int], ready: dict[int, int]) -> bool:
    """Executes a step unless it blocks. Returns whether it was executed."""
    key = id(channel)
    match op:
        case pto.AcquireOp():
            if taken.get(key, 0) == channel.depth:
                return False
            taken[key] = taken.get(key, 0) + 1
        case pto.CommitOp():
            ready[key] = ready.get(key, 0) + 1
        case pto.WaitOp():
            if not ready.get(key, 0):
                return False
            ready[key] -= 1
        case _:
            taken[key] -= 1
    return True
