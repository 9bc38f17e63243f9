"""What a device is given to run: a kernel of a compiled program, its grid, and how it uses its arguments."""

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
    One kernel call. `written` names the arguments that the kernel fills, `workspace` those whose contents mean nothing
    before and after it, `counters` those that are zero before and after it. Where `maps` has an argument, the kernel
    gets a tensor map of its buffer instead of its address. `grid` counts blocks, `cluster` those of one cluster.
    """

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int
    written: frozenset[int]
    workspace: frozenset[int] = frozenset()
    counters: frozenset[int] = frozenset()
    cluster: tuple[int, int, int] = (1, 1, 1)
    maps: Mapping[int, TensorMapSpec] = field(default_factory=dict[int, TensorMapSpec])


class Device(Protocol):
    """Runs launches one after the other."""

    name: str

    def run(self, binary: Binary, launch: Launch, arrays: Sequence[Array]) -> None: ...
