"""
The last accesses of memory that a hazard can involve.

A pipe starts its instructions in order, so of the accesses of one pipe only the latest one that overlaps matters: an instruction that
waits for it waits for the earlier ones as well. Instructions are numbered in program order.

- A tile without an address is a value: it is written once, and only reads depend on it.
- Tiles with addresses overlap where their ranges of `BLOCK` bytes do.
- Boxes of global memory overlap if their distance along every axis can be smaller than their extents. Different arguments of a function
  are different arrays.

A branch of a condition has accesses of its own, which those of the other branch do not see, and which are added to those before the condition
when both branches are known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from ...dialects.pto.storage import BLOCK
from ...targets.pto import PIPES
from .affine import Box
from .boxes import Boxes

Clock = tuple[int, ...]
"""For each pipe, the number of its latest instruction that has completed, or -1."""


@dataclass(frozen=True)
class Range:
    """The bytes of a tile with an address: `size` from `start` on, in the memory `loc`."""

    loc: str
    start: int
    size: int

    @property
    def blocks(self) -> slice:
        return slice(self.start // BLOCK, -(-(self.start + self.size) // BLOCK))

    def overlaps(self, other: Range) -> bool:
        """Returns whether two tiles share bytes."""
        starts, ends = (self.start, other.start), (self.start + self.size, other.start + other.size)
        return self.loc == other.loc and max(starts) < min(ends)


Access = tuple[tuple[Range | Box, ...], tuple[Range | Box, ...], int, int]
"""The places that are read, those that are written, the pipe, and the number."""


@dataclass
class Accesses:
    """The accesses up to a place in the program: those of a branch, and before them those of `outer`."""

    outer: Accesses | None = None
    memories: dict[str, NDArray[np.int64]] = field(default_factory=dict[str, NDArray[np.int64]])
    """Maps each memory to the latest write and read (axis 0) by each pipe (axis 1) of each block (axis 2), or -1."""
    boxes: dict[SSAValue, dict[int, tuple[Boxes, Boxes]]] = field(
        default_factory=dict[SSAValue, dict[int, tuple[Boxes, Boxes]]]
    )
    """Maps each array and pipe to the boxes that are written and read."""
    log: list[Access] = field(default_factory=list[Access])
    """All accesses of a branch."""

    def conflicts(
        self, places: Sequence[Range | Box], write: bool, own: int, after: int = -1
    ) -> Iterator[tuple[int, int]]:
        """
        Yields pipes other than `own`, and numbers of the latest accesses that an access of `places` must not overtake: writes, and reads if it is a
        write. Boxes whose numbers are at most `after` are left out.
        """
        for place in places:
            if isinstance(place, Range):
                blocks = self._memory(place)[: 1 + write, :, place.blocks]
                found = blocks.max(axis=(0, 2)).tolist()
                yield from ((pipe, number) for pipe, number in enumerate(found) if number >= 0 and pipe != own)
                continue
            for pipe, kinds in self.boxes.get(place.root, {}).items():
                if pipe == own:
                    continue
                last = kinds[0].latest(place, after)
                if write:
                    last = kinds[1].latest(place, last)
                if last > after:
                    yield pipe, last
        if self.outer is not None:
            yield from self.outer.conflicts(places, write, own, after)

    def add(self, access: Access) -> None:
        reads, writes, pipe, number = access
        if self.outer is not None:
            self.log.append(access)
        for place, write in chain(((p, False) for p in reads), ((p, True) for p in writes)):
            if isinstance(place, Range):
                self._memory(place)[0 if write else 1, pipe, place.blocks] = number
                continue
            pipes = self.boxes.setdefault(place.root, {})
            if (kinds := pipes.get(pipe)) is None:
                kinds = pipes[pipe] = Boxes(), Boxes()
            kinds[0 if write else 1].add(place, number)

    def _memory(self, place: Range) -> NDArray[np.int64]:
        memory, need = self.memories.get(place.loc), place.blocks.stop
        if memory is None or memory.shape[2] < need:
            grown = np.full((2, len(PIPES), max(need, 2 * (0 if memory is None else memory.shape[2]))), -1, np.int64)
            if memory is not None:
                grown[:, :, : memory.shape[2]] = memory
            memory = self.memories[place.loc] = grown
        return memory
