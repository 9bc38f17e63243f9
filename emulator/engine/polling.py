"""
Lanes that poll memory: they stand back until nobody else can go on, then look again.

When a whole round of looking changed no memory and left every polling lane where it was, with the registers it
had, the rounds to come are the same: nobody will ever change what they wait for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..isa.types import Array
from .lanes import Lanes

Ready = dict[int, list[Lanes]]
"""Groups of lanes by the program counter they are at."""

_IDLE_ROUNDS = 20_000
"""So many rounds without a change (of loops that count, say) are for ever, too."""


class Polling:
    """The lanes of a batch that poll; `watched` is the global address a lane looked at last, 0 for none."""

    def __init__(self, lane_count: int):
        self.groups: Ready = {}
        self.watched = np.zeros(lane_count, np.uint64)
        self._spun = np.zeros(lane_count, np.bool_)
        self._idle = 0
        self._seen: Any = None

    def look(self, lanes: Lanes, addresses: Array | int) -> None:
        """These lanes looked whether memory has changed."""
        self.pause(lanes)
        self.watched[lanes.index] = addresses

    def pause(self, lanes: Lanes) -> None:
        """These lanes let others go first."""
        self._spun[lanes.index] = True

    def turn(self, lanes: Lanes, target: int) -> bool:
        """These lanes jump back: they stand back if they have polled since they last did."""
        if not self._spun[lanes.index].any():
            return False
        self._spun[lanes.index] = False
        self.groups.setdefault(target, []).append(lanes)
        return True

    def changed(self) -> None:
        """Somebody stored something that others may poll for."""
        self._idle = 0

    def again(self, registers: Callable[[Array], int]) -> Ready:
        """The groups, to look again; none when that is in vain. Rounds are compared after 1, 2, 4, 8 … idle ones."""
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
