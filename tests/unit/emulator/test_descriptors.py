"""
wgmma's matrix descriptors, compared with the canonical layouts of CuTe (`cute/arch/mma_sm90_desc.hpp`), in units of 16 bytes:

            K-major                        MN-major (16-bit elements)
none        ((8,n),2):((1,SBO),LBO)        ((1,n),(8,k)):((X,SBO),(1,LBO))
32 bytes    ((8,n),2):((2,SBO),1)          ((2,n),(8,k)):((1,LBO),(2,SBO))
64 bytes    ((8,n),2):((4,SBO),1)          ((4,n),(8,k)):((1,LBO),(4,SBO))
128 bytes   ((8,n),2):((8,SBO),1)          ((8,n),(8,k)):((1,LBO),(8,SBO))

under Swizzle<B,4,3> of byte addresses, B = 0, 1, 2, 3.
"""

from __future__ import annotations

import numpy as np
import pytest

from ptir.emulator.memory.descriptors import chunks

CODES = {0: 0, 1: 3, 2: 2, 3: 1}
"""Maps B of Swizzle<B, 4, 3> to the code in a descriptor."""


def swizzle(address: int, bits: int) -> int:
    mask = (1 << bits) - 1
    return address ^ ((address >> 7 & mask) << 4)


def descriptor(address: int, lbo: int, sbo: int, bits: int) -> int:
    return address >> 4 | lbo << 16 | sbo << 32 | CODES[bits] << 62


@pytest.mark.parametrize("bits", range(4))
@pytest.mark.parametrize("rows", [8, 64, 96, 136, 256])
@pytest.mark.parametrize("start", [0, 1024, 32])
def test_k_major(bits: int, rows: int, start: int):
    lbo, sbo = (37, 96) if bits == 0 else (1, 8 << bits)
    row_stride, chunk_stride = (1, lbo) if bits == 0 else (1 << bits, 1)
    address = 4096 + start if bits in (0, 3) or start == 1024 else 4096
    want = [
        [swizzle(address + 16 * (r % 8 * row_stride + r // 8 * sbo + c * chunk_stride), bits) for c in range(2)]
        for r in range(rows)
    ]
    got = chunks(descriptor(address, lbo, sbo, bits), rows, 32, 2, transposed=False, operand="B")
    assert np.array_equal(got, want)


@pytest.mark.parametrize("bits", range(4))
@pytest.mark.parametrize("rows", [8, 16, 64, 128, 192, 256])
def test_mn_major(bits: int, rows: int):
    """Rows are chunks of 8 elements along M or N; 16 of them deep."""
    wide, lbo, sbo = 1 << bits, 200, 72
    far, deep = (sbo, lbo) if bits == 0 else (lbo, sbo)
    want = [
        [
            swizzle(8192 + 16 * (c % wide + c // wide * far + k % 8 * wide + k // 8 * deep), bits)
            for c in range(rows // 8)
        ]
        for k in range(16)
    ]
    got = chunks(descriptor(8192, lbo, sbo, bits), rows, 32, 2, transposed=True, operand="B")
    assert np.array_equal(got, want)
