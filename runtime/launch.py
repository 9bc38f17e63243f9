"""The launch of a kernel: its grid, and how it uses its arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..backends.cuda.nvrtc import Binary
from ..semantics.arrays.scalars import Array
from .tensor_maps import TensorMapSpec


@dataclass(frozen=True)
class Launch:
    """
    One kernel call. `written`, `workspace` and `counters` are sets of argument positions: the kernel stores every element of
    `written`; the contents of `workspace` are undefined before and after the kernel; `counters` are zero before and after it;
    `status` is the word that the kernel sets to the largest number of an op that fails; `updated` are arrays of which it updates
    some elements.
    `maps` has the positions at which the kernel gets a tensor map of the buffer instead of its address. `shared` is the size of
    dynamic shared memory in bytes. `grid` and `cluster` count blocks.
    """

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int
    written: frozenset[int]
    workspace: frozenset[int] = frozenset()
    counters: frozenset[int] = frozenset()
    status: frozenset[int] = frozenset()
    updated: frozenset[int] = frozenset()
    cluster: tuple[int, int, int] = (1, 1, 1)
    maps: Mapping[int, TensorMapSpec] = field(default_factory=dict[int, TensorMapSpec])

    @property
    def modified(self) -> frozenset[int]:
        """The arguments that the kernel reads and writes."""
        return self.counters | self.status | self.updated


class Device(Protocol):
    """A device that runs launches in order."""

    name: str

    def run(self, binary: Binary, launch: Launch, arrays: Sequence[Array]) -> None: ...
