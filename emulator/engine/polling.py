"""
Lanes that poll memory are suspended until no other lane can run; then they poll again.

If a round of polling changes no memory and leaves all polling lanes at the same instruction with the same registers,
all further rounds are identical: a deadlock.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..isa.types import Array
from .lanes import Lanes

Ready = dict[int, list[Lanes]]
"""Groups of lanes by their program counter."""

_IDLE_ROUNDS = 20_000
"""Number of rounds without a store after which a deadlock is assumed even if registers change, such as a loop's counter."""


class Polling:
    """The polling lanes of a batch; `watched` is the global address that a lane polled last, or 0."""

    def __init__(self, lane_count: int):
        self.groups: Ready = {}
        self.watched = np.zeros(lane_count, np.uint64)
        self._spun = np.zeros(lane_count, np.bool_)
        self._idle = 0
        self._seen: Any = None

    def polled(self, lanes: Lanes, addresses: Array | int) -> None:
        """Records that these lanes have read memory that others may change."""
        self.pause(lanes)
        self.watched[lanes.index] = addresses

    def pause(self, lanes: Lanes) -> None:
        """Makes these lanes yield at their next backward jump."""
        self._spun[lanes.index] = True

    def suspend(self, lanes: Lanes, target: int) -> bool:
        """Suspends lanes that jump back to `target` if they have polled since their last backward jump."""
        if not self._spun[lanes.index].any():
            return False
        self._spun[lanes.index] = False
        self.groups.setdefault(target, []).append(lanes)
        return True

    def changed(self) -> None:
        """Records that a lane has stored to memory that others may poll."""
        self._idle = 0

    def next_round(self, registers: Callable[[Array], int]) -> Ready:
        """Returns the groups for another round, or {} for a deadlock. States are compared after 1, 2, 4, 8 … idle rounds."""
        if not self.groups or self._idle > _IDLE_ROUNDS:
            return {}
        before = self._idle - 1
        if before > 0 and before & (before - 1) == 0 and self._state(registers) == self._seen:
            return {}
        if self._idle & (self._idle - 1) == 0:
            self._seen = self._state(registers)
        self._idle += 1
        groups, self.groups = self.groups, {}
        return groups

    def _state(self, registers: Callable[[Array], int]) -> Any:
        places = {pc: np.sort(np.concatenate([g.index for g in groups])) for pc, groups in self.groups.items()}
        lanes = np.concatenate(list(places.values()))
        return {pc: index.tobytes() for pc, index in places.items()}, registers(lanes)
