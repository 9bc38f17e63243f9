"""
GPU architectures: resource limits, capabilities, occupancy. `machines.py` has the speeds.

Other packages ask an architecture for a capability and never for its name, so that a new architecture is a row here.

Sources: CUDA C++ Programming Guide, *Compute Capabilities*, for limits; the occupancy calculator of the CUDA toolkit
(`cuda_occupancy.h`) for the granularity of registers and shared memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from ..errors import InvalidAttributeValue

ArchName = Literal["sm80", "sm86", "sm89", "sm90"]
ARCH_NAMES: tuple[ArchName, ...] = get_args(ArchName)


def arch_name(text: str) -> ArchName | None:
    """
    Returns the name of the architecture that `text` spells, or None if it is unknown.

    >>> arch_name("SM80"), arch_name("sm_90a"), arch_name("sm70")
    ('sm80', 'sm90', None)
    """
    plain = text.lower().replace("sm_", "sm")
    return next((name for name in ARCH_NAMES if plain in (name, *ARCH_ALIASES.get(name, ()))), None)


ARCH_ALIASES: dict[ArchName, tuple[str, ...]] = {"sm90": ("sm90a",)}
"""Further spellings of an architecture. Kernels for sm90 are compiled for sm_90a."""

REGISTERS = 65536
"""Number of 32-bit registers of a multiprocessor; one block may use them all."""
REGISTERS_OF_THREAD = 255
"""Maximum number of 32-bit registers of a thread."""
WARP = 32
"""Number of threads in a warp."""
SECTOR = 32
"""Granularity of accesses to global memory, L2 and DRAM, in bytes."""
WARPGROUP = 128
"""Number of threads in a warpgroup."""
TMA_BYTES = 16
"""Required alignment of the arrays that TMA copies, and of their strides, in bytes (CUDA driver API §6.32)."""
TMA_AXES = 5
"""Maximum number of axes of a tensor map (CUDA driver API §6.32)."""
GRID_LIMIT = (2**31 - 1, 65535, 65535)
"""Maximum number of blocks in a grid along x, y and z."""
BLOCK_LIMIT = (1024, 1024, 64)
"""Maximum number of threads in a block along x, y and z."""
MAX_THREADS = 1024
"""Maximum number of threads in a block in total."""
MAX_CLUSTER_BLOCKS = 8
"""Maximum portable cluster size, in blocks (CUDA C++ Programming Guide, thread block clusters)."""
PARTITIONS = 4
"""Number of partitions of a multiprocessor; each has a quarter of the registers and of the warps."""
_REGISTER_UNIT = 256
"""Granularity of register allocation to a warp, in registers."""
_SHARED_UNIT = 128
"""Granularity of shared-memory allocation to a block, in bytes."""
_SHARED_RESERVED = 1024
"""Shared memory that the system reserves per block, in bytes."""


@dataclass(frozen=True)
class Arch:
    """Resource limits of a block and of a multiprocessor (shared memory in bytes), and the optional instructions."""

    name: ArchName
    target: str
    """The name of the architecture for NVRTC."""
    shared_per_block: int
    registers_per_thread: int
    shared_per_multiprocessor: int
    warps_per_multiprocessor: int
    blocks_per_multiprocessor: int
    has_float8_cvt: bool = False
    """`cvt` between fp8 and wider types (PTX ISA §9.7.9.21: sm_89 and up)."""
    has_tma: bool = False
    """TMA, clusters, and mbarriers that count bytes (PTX ISA §9.7.9.25.4, §9.7.13.15: sm_90 and up)."""
    has_wgmma: bool = False
    """`wgmma` and `setmaxnreg` (PTX ISA §9.7.15, §9.7.19.5: sm_90a)."""

    def blocks(self, threads: int, registers: int, shared: int) -> int:
        """
        Returns the occupancy: how many blocks of `threads` threads, with `registers` registers per thread and `shared` bytes
        of shared memory, one multiprocessor runs at a time. It is 0 if not even one block fits.
        """
        warps, each = -(-threads // WARP), registers_of_warp(registers)
        return min(
            self.blocks_per_multiprocessor,
            self.warps_per_multiprocessor // warps,
            REGISTERS // PARTITIONS // each * PARTITIONS // warps,
            self.shared_per_multiprocessor // (-(-shared // _SHARED_UNIT) * _SHARED_UNIT + _SHARED_RESERVED),
        )


def registers_of_warp(registers: int) -> int:
    """Returns the number of registers allocated to a warp whose threads need `registers` each."""
    return -(-max(1, registers) * WARP // _REGISTER_UNIT) * _REGISTER_UNIT


ARCHS = {
    arch.name: arch
    for arch in (
        Arch("sm80", "sm_80", 166912, REGISTERS_OF_THREAD, 167936, 64, 32),
        Arch("sm86", "sm_86", 101376, REGISTERS_OF_THREAD, 102400, 48, 16),
        Arch("sm89", "sm_89", 101376, REGISTERS_OF_THREAD, 102400, 48, 24, has_float8_cvt=True),
        Arch(
            "sm90",
            "sm_90a",
            232448,
            REGISTERS_OF_THREAD,
            233472,
            64,
            32,
            has_float8_cvt=True,
            has_tma=True,
            has_wgmma=True,
        ),
    )
}
"""The architectures by the name that plans use. `sm90` is compiled for sm_90a, which has wgmma and setmaxnreg."""


def arch_named(name: str) -> Arch:
    """Returns the architecture for any of its spellings (`sm80`, `SM80`, `sm_90a`), or raises `InvalidAttributeValue`."""
    if (known := arch_name(name)) is None:
        raise InvalidAttributeValue(name="arch", problem=f"is '{name}'", help=f"one of {', '.join(ARCHS)}")
    return ARCHS[known]
