"""The limits of the architectures that a plan must keep within. Source: CUDA C++ Programming Guide, *Compute Capabilities*."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Arch:
    """Per-block limits in bytes and registers, and how wide the machine is."""

    name: Literal["sm80", "sm90"]
    target: str
    """What NVRTC calls it."""
    shared_per_block: int
    registers_per_thread: int
    multiprocessors: int


ARCHS = {
    "sm80": Arch("sm80", "sm_80", shared_per_block=166912, registers_per_thread=255, multiprocessors=108),
}
"""By the plan's name for it. sm90 follows with its own template."""

GRID_LIMIT = (2**31 - 1, 65535, 65535)
"""Blocks along x, y and z."""
