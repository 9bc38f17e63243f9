"""
The ids of the flags that events are in the hardware.

Each pair of pipes has `EVENT_IDS` flags. An id is used again when the earlier wait has certainly completed before the next set; an id that is
needed from a second iteration on is private: it is not shared in the outermost loop.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import Operation

from ...dialects.pto.types import EVENT_IDS
from .timeline import Source, Timeline


@dataclass
class Flags:
    """The flags of one pair of pipes."""

    waited: list[int] = field(default_factory=lambda: [-1] * EVENT_IDS)
    """For each id, the number of the last instruction that waited for it."""
    used: set[int] = field(default_factory=set[int])
    """The ids that the current outermost loop uses."""
    reserved: set[int] = field(default_factory=set[int])
    """Those of `used` that belong to one event."""
    private: set[Source] = field(default_factory=set[Source])
    """The producers whose ids are not shared."""
    waiter: dict[Source, Operation] = field(default_factory=dict[Source, Operation])
    """The op that waits for each producer."""
    waiters: set[Operation] = field(default_factory=set[Operation])
    """The ops that wait."""
    seen: dict[Source, int] = field(default_factory=dict[Source, int])
    """The execution of each producer that was last waited for."""

    @property
    def oldest(self) -> int | None:
        """The id that was waited for first, of those that are not private."""
        return min(set(range(EVENT_IDS)) - self.reserved, key=lambda i: self.waited[i], default=None)


class FlagIds:
    """The ids of the events of a function, and the flags of all pairs of pipes at a place in the program."""

    def __init__(self, time: Timeline) -> None:
        self.time = time
        self.ids: dict[Source, int] = {}
        self.pairs: dict[int, dict[int, Flags]] = {}
        """By the pipe that sets a flag and the pipe that waits for it."""

    def flags(self, producer: Source, pipe: int) -> Flags:
        """Returns the flags of the pipe of `producer` and the pipe that waits."""
        pairs = self.pairs.setdefault(self.time.pipe(producer), {})
        if (flags := pairs.get(pipe)) is None:
            flags = pairs[pipe] = Flags()
        return flags

    def waiter(self, producer: Source, pipe: int) -> Operation | None:
        """Returns the op of a pipe that waits for `producer`, if there is one."""
        return self.flags(producer, pipe).waiter.get(producer)

    def wait(self, producer: Source, pipe: int, number: int) -> None:
        """Execution `number` of a pipe waits for the last one of `producer`."""
        flags = self.flags(producer, pipe)
        flags.waited[self.ids[producer]] = number
        flags.seen[producer] = self.time.latest[producer]

    def is_consumed(self, producer: Source, pipe: int) -> bool:
        """Whether the flag that the last execution of `producer` sets has certainly been waited for before."""
        flags = self.flags(producer, pipe)
        start = self.time.starts[self.time.latest[producer]][pipe]
        return producer in flags.private or start >= flags.waited[self.ids[producer]]

    def free(self, producer: Source, pipe: int, private: bool) -> set[int]:
        """Returns the ids that an event of `producer` may have: one id for all pipes that wait for it."""
        free = self._free(producer, pipe, private)
        for other, flags in self._shared(producer, pipe):
            free &= self._free(producer, other, producer in flags.private) | {self.ids.get(producer, -1)}
        return free

    def choose(self, producer: Source, pipe: int, free: set[int]) -> int:
        """Returns the id that `producer` has if it is free, or the first that the fewest other pairs of its pipe use."""
        if (old := self.ids.get(producer, -1)) in free:
            return old
        others = [f for p, f in self.pairs[self.time.pipe(producer)].items() if p != pipe]
        return min(free, key=lambda i: (sum(f.waited[i] >= 0 or i in f.used for f in others), i))

    def assign(self, chosen: int, producer: Source, op: Operation, pipe: int, private: bool) -> None:
        """Gives the event of `producer` an id. `op`, of the pipe, waits for it."""
        flags, shared, old = self.flags(producer, pipe), self._shared(producer, pipe), self.ids.get(producer, -1)
        self.ids[producer] = chosen
        flags.waiter[producer] = op
        flags.waiters.add(op)
        if private:
            flags.private.add(producer)
        for f in (*(f for _, f in shared), flags):
            if old >= 0 and f is not flags:
                f.waited[chosen] = max(f.waited[chosen], f.waited[old])
            if self.time.entries:
                f.used.add(chosen)
            if producer in f.private:
                f.reserved.add(chosen)

    def leave(self) -> None:
        """Ends an outermost loop: private flags are waited for after all of its instructions."""
        for flags in (f for pairs in self.pairs.values() for f in pairs.values()):
            for event in flags.reserved:
                flags.waited[event] = len(self.time.sources)
            flags.used.clear()
            flags.reserved.clear()

    def _shared(self, producer: Source, pipe: int) -> list[tuple[int, Flags]]:
        """Returns the other pipes that wait for `producer`, and their flags."""
        pairs = self.pairs[self.time.pipe(producer)]
        return [(p, f) for p, f in pairs.items() if p != pipe and producer in f.waiter]

    def _free(self, producer: Source, pipe: int, private: bool) -> set[int]:
        flags, number = self.flags(producer, pipe), self.time.latest[producer]
        clock = self.time.entry[self.time.pipes[number]] if private else self.time.starts[number]
        taken, done = flags.used if private else flags.reserved, clock[pipe]
        return {i for i, waited in enumerate(flags.waited) if done >= waited and i not in taken}
