"""
The limits of the architectures that a plan must keep within.

Sources: CUDA C++ Programming Guide, *Compute Capabilities*, for limits; the data sheets of A100 (108 multiprocessors),
A40 (84) and L40S (142) for how wide the machine is.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..dialects.schedule import ArchName


@dataclass(frozen=True)
class Arch:
    """Per-block limits in bytes and registers, and how wide the machine is."""

    name: ArchName
    target: str
    """What NVRTC calls it."""
    shared_per_block: int
    registers_per_thread: int
    multiprocessors: int


ARCHS = {
    arch.name: arch
    for arch in (
        Arch("sm80", "sm_80", shared_per_block=166912, registers_per_thread=255, multiprocessors=108),
        Arch("sm86", "sm_86", shared_per_block=101376, registers_per_thread=255, multiprocessors=84),
        Arch("sm89", "sm_89", shared_per_block=101376, registers_per_thread=255, multiprocessors=142),
    )
}
"""By the plan's name for it: those whose kernels follow the SM80 template. sm90 follows with its own."""

GRID_LIMIT = (2**31 - 1, 65535, 65535)
"""Blocks along x, y and z."""
