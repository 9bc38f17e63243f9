"""
The ids of the flags that events are in the hardware.

Each pair of pipes has `EVENT_IDS` flags. An id is used again when the earlier wait has certainly completed before the next set; an id that is
needed from a second iteration on is private: it is not shared in the outermost loop.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...dialects.pto.types import EVENT_IDS
from ...targets.pto import PIPES
from .timeline import Timeline


@dataclass
class Flags:
    """The flags of one pair of pipes."""

    waited: list[int] = field(default_factory=lambda: [-1] * EVENT_IDS)
    """The number of the last instruction that waited for each id, or -1."""
    used: set[int] = field(default_factory=set[int])
    """The ids that the current outermost loop uses."""
    reserved: set[int] = field(default_factory=set[int])
    """The ids in `used` that belong to one event."""
    private: set[int] = field(default_factory=set[int])
    """The events whose ids are not shared."""
    carried: dict[int, bool] = field(default_factory=dict[int, bool])
    """Whether a loop carries each event. An event has one flag, so that it cannot be waited for in its iteration and in the next one."""
    waiters: set[int] = field(default_factory=set[int])
    """The instructions that wait."""
    seen: dict[int, int] = field(default_factory=dict[int, int])
    """The execution of each event's source that was last waited for."""

    @property
    def oldest(self) -> int | None:
        """The id that was waited for first, of those that are not private."""
        return min(set(range(EVENT_IDS)) - self.reserved, key=lambda i: self.waited[i], default=None)


class FlagIds:
    """The ids of the events of a function, and the flags of all pairs of pipes at a place in the program."""

    def __init__(self, time: Timeline, pipes: list[int]) -> None:
        self.time = time
        self.pipes = pipes
        """The pipe of each source."""
        self.ids: dict[int, int] = {}
        self.pairs = [[Flags() for _ in PIPES] for _ in PIPES]
        """The flags of each pair of pipes: `pairs[sets][waits]`."""

    def _number(self, event: int) -> int:
        return self.time.latest[max(event, ~event)]

    def _pairs(self, event: int) -> list[Flags]:
        return self.pairs[self.pipes[max(event, ~event)]]

    def flags(self, event: int, pipe: int) -> Flags:
        """Returns the flags of the pipe of `event` and the pipe that waits."""
        return self.pairs[self.pipes[event if event >= 0 else ~event]][pipe]

    def fits(self, event: int, is_carried: bool, pipe: int) -> bool:
        """Whether the flag of an event, if it has one, may be waited for in this iteration, or in the next one (`is_carried`)."""
        return self.flags(event, pipe).carried.get(event, is_carried) == is_carried

    def wait(self, event: int, pipe: int, number: int, last: int) -> None:
        """Execution `number` of a pipe waits for execution `last` of an event."""
        flags = self.flags(event, pipe)
        flags.waited[self.ids[event]] = number
        flags.seen[event] = last

    def is_waited(self, event: int, pipe: int) -> bool:
        """Whether a pipe has waited for the last execution of an event."""
        return self.flags(event, pipe).seen.get(event) == self._number(event)

    def is_consumed(self, event: int, pipe: int) -> bool:
        """Whether the flag that the last execution of `event` sets has certainly been waited for before."""
        flags = self.flags(event, pipe)
        return event in flags.private or self.time.starts[self._number(event)][pipe] >= flags.waited[self.ids[event]]

    def free(self, event: int, pipe: int, private: bool) -> set[int]:
        """Returns the ids that an event may have: one id for all pipes that wait for it."""
        free = self._free(event, pipe, private)
        for other, flags in self._shared(event, pipe):
            free &= self._free(event, other, event in flags.private) | {self.ids.get(event, -1)}
        return free

    def choose(self, event: int, pipe: int, free: set[int]) -> int:
        """Returns the id that `event` has if it is free, or the first that the fewest other pairs of its pipe use."""
        if (old := self.ids.get(event, -1)) in free:
            return old
        others = [f for p, f in enumerate(self._pairs(event)) if p != pipe]
        return min(free, key=lambda i: (sum(f.waited[i] >= 0 or i in f.used for f in others), i))

    def assign(self, chosen: int, event: int, is_carried: bool, op: int, pipe: int, private: bool) -> None:
        """Gives an event an id. Instruction `op`, of the pipe, waits for it."""
        flags, shared, old = self.flags(event, pipe), self._shared(event, pipe), self.ids.get(event, -1)
        self.ids[event] = chosen
        flags.carried[event] = is_carried
        flags.waiters.add(op)
        if private:
            flags.private.add(event)
        for f in (*(f for _, f in shared), flags):
            if old >= 0 and f is not flags:
                f.waited[chosen] = max(f.waited[chosen], f.waited[old])
            if self.time.loops:
                f.used.add(chosen)
            if event in f.private:
                f.reserved.add(chosen)

    def leave(self) -> None:
        """Ends an outermost loop: private flags are waited for after all of its instructions."""
        for flags in (f for pairs in self.pairs for f in pairs if f.used):
            for event in flags.reserved:
                flags.waited[event] = len(self.time.sources)
            flags.used.clear()
            flags.reserved.clear()

    def _shared(self, event: int, pipe: int) -> list[tuple[int, Flags]]:
        """Returns the other pipes that wait for `event`, and their flags."""
        return [(p, f) for p, f in enumerate(self._pairs(event)) if p != pipe and event in f.carried]

    def _free(self, event: int, pipe: int, private: bool) -> set[int]:
        flags, number = self.flags(event, pipe), self._number(event)
        clock = self.time.entry[self.time.pipes[number]] if private else self.time.starts[number]
        taken, done = flags.used if private else flags.reserved, clock[pipe]
        return {i for i, waited in enumerate(flags.waited) if done >= waited and i not in taken}
