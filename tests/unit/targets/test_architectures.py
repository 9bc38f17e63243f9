"""The limits of the machines, beside the occupancy calculator of the CUDA toolkit and its tables."""

from __future__ import annotations

import pytest

from ptir.targets.architectures import ARCHS, Arch


@pytest.mark.parametrize(
    ("arch", "threads", "registers", "shared", "blocks"),
    [
        ("sm80", 128, 255, 0, 2),  # 64 KiB of registers: 255 are 256
        ("sm80", 128, 128, 0, 4),
        ("sm80", 128, 129, 0, 3),
        ("sm80", 128, 72, 0, 7),
        ("sm80", 128, 73, 0, 6),  # 80 registers
        ("sm80", 256, 32, 0, 8),  # 64 warps
        ("sm86", 256, 32, 0, 6),  # 48 warps
        ("sm80", 32, 16, 0, 32),
        ("sm86", 32, 16, 0, 16),
        ("sm89", 32, 16, 0, 24),
        ("sm80", 128, 64, 98304, 1),
        ("sm80", 128, 64, 65536, 2),
        ("sm90", 128, 64, 98304, 2),
        ("sm80", 128, 64, 166912, 1),
        ("sm80", 128, 64, 166913, 0),
        ("sm86", 128, 64, 101376, 1),
        ("sm86", 128, 64, 101377, 0),
        ("sm90", 128, 64, 232448, 1),
        ("sm90", 128, 64, 232449, 0),
        ("sm80", 1024, 64, 0, 1),
        ("sm80", 1024, 65, 0, 0),
        ("sm80", 160, 168, 0, 2),  # three warps in each quarter, twelve in all
        ("sm80", 416, 128, 0, 1),
        ("sm80", 416, 136, 0, 0),  # thirteen warps are dealt out like sixteen
    ],
)
def test_blocks_of_a_multiprocessor(arch: str, threads: int, registers: int, shared: int, blocks: int):
    assert ARCHS[arch].blocks(threads, registers, shared) == blocks  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("arch", ARCHS.values(), ids=lambda arch: arch.name)
def test_a_block_may_have_what_the_system_leaves_of_a_multiprocessor(arch: Arch):
    assert arch.target == f"sm_{arch.name[2:]}{'a' if arch.name == 'sm90' else ''}" and arch.shared_per_block == {
        "sm80": 163, "sm86": 99, "sm89": 99, "sm90": 227
    }[arch.name] * 1024  # fmt: skip
    assert arch.blocks(32, 32, arch.shared_per_block) == 1 and arch.blocks(32, 32, arch.shared_per_block + 1) == 0
    assert arch.blocks(32, arch.registers_per_thread, 0) == min(arch.blocks_per_multiprocessor, 8)
