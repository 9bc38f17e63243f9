"""
The limits of the architectures that a plan must keep within, and how many blocks share a multiprocessor.

Sources: CUDA C++ Programming Guide, *Compute Capabilities*, for limits; the occupancy calculator of the CUDA toolkit
(`cuda_occupancy.h`) for the granularity of registers and shared memory. How wide and fast a machine is: `machines.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from ..errors import InvalidAttributeValue

ArchName = Literal["sm80", "sm86", "sm89", "sm90"]
ARCH_NAMES: tuple[ArchName, ...] = get_args(ArchName)


def arch_name(text: str) -> ArchName | None:
    """
    The architecture that people spell in several ways; None if there is none.

    >>> arch_name("SM80"), arch_name("sm_90a"), arch_name("sm70")
    ('sm80', 'sm90', None)
    """
    plain = text.lower().replace("sm_", "sm")
    return next((name for name in ARCH_NAMES if plain in (name, *ARCH_ALIASES.get(name, ()))), None)


ARCH_ALIASES: dict[ArchName, tuple[str, ...]] = {"sm90": ("sm90a",)}
"""Further names: kernels for sm90 are compiled for sm_90a."""

REGISTERS = 65536
"""32-bit registers of a multiprocessor, all of which one block may take."""
WARP = 32
_QUARTERS = 4
"""A multiprocessor is four parts with a quarter of the registers each, among which warps are dealt out."""
_REGISTER_UNIT = 256
"""A warp's registers are allocated in so many at a time."""
_SHARED_UNIT = 128
_SHARED_RESERVED = 1024
"""Bytes of shared memory that the system keeps for each block."""


@dataclass(frozen=True)
class Arch:
    """Per-block limits in bytes and registers, and what one multiprocessor holds."""

    name: ArchName
    target: str
    """What NVRTC calls it."""
    shared_per_block: int
    registers_per_thread: int
    shared_per_multiprocessor: int
    warps_per_multiprocessor: int
    blocks_per_multiprocessor: int

    def blocks(self, threads: int, registers: int, shared: int) -> int:
        """
        How many blocks of `threads` threads, with so many registers a thread and bytes of shared memory, one
        multiprocessor runs at a time; 0 where not even one fits.
        """
        warps, each = -(-threads // WARP), registers_of_warp(registers)
        return min(
            self.blocks_per_multiprocessor,
            self.warps_per_multiprocessor // warps,
            REGISTERS // _QUARTERS // each * _QUARTERS // warps,
            self.shared_per_multiprocessor // (-(-shared // _SHARED_UNIT) * _SHARED_UNIT + _SHARED_RESERVED),
        )


def registers_of_warp(registers: int) -> int:
    """What a warp is given when each of its threads needs so many."""
    return -(-max(1, registers) * WARP // _REGISTER_UNIT) * _REGISTER_UNIT


ARCHS = {
    arch.name: arch
    for arch in (
        Arch("sm80", "sm_80", 166912, 255, 167936, 64, 32),
        Arch("sm86", "sm_86", 101376, 255, 102400, 48, 16),
        Arch("sm89", "sm_89", 101376, 255, 102400, 48, 24),
        Arch("sm90", "sm_90a", 232448, 255, 233472, 64, 32),
    )
}
"""By the plan's name for it. `sm90` is compiled for sm_90a, which has wgmma and setmaxnreg; plans without roles do without."""


def arch_named(name: str) -> Arch:
    """The architecture in any spelling: `sm80`, `SM80`, `sm_90a`. Raises `InvalidAttributeValue` if there is none."""
    if (known := arch_name(name)) is None:
        raise InvalidAttributeValue(name="arch", problem=f"is '{name}'", help=f"one of {', '.join(ARCHS)}")
    return ARCHS[known]


GRID_LIMIT = (2**31 - 1, 65535, 65535)
"""Blocks along x, y and z."""
