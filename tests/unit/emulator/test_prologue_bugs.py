"""
Bugs seeded into kernels that compute an operand in the prologue: each must be detected by a fault of the emulator or by a wrong result.

A bug is a regular expression and its replacement in the CUDA text. k ends within a step, as do m and n within tiles, and a zero point
or a quotient makes elements beyond the end differ from zero.
"""

from __future__ import annotations

from functools import cache

import pytest

import ptir
from ptir.planning.warp_specialized.resources import Shape

from ..builders.prologue_programs import arrays, text, warp_specialized
from ..builders.seeded_bugs import Bug, Subject, stale

SIZES = (20, 72, 24)
BY_WGMMA = " by wgmma"
SHAPE = Shape((32, 64, 32), (32, 64), 2, transposed=True)
"""The shape of warp-specialized kernels: their ring of two slots is filled three times."""


@cache
def kernel(name: str) -> Subject:
    source = text(name.removesuffix(BY_WGMMA), *SIZES)
    if name.endswith(BY_WGMMA):
        program = ptir.compile(warp_specialized(source, SHAPE), arch="sm90").program
    else:
        program = ptir.compile(source).program
    return Subject.of(program, source, arrays(source))


# Not here, because it is right: the guard that a mask makes superfluous once what it guards is inside of memory.
BUGS = {
    # loads of bytes
    "a byte of the same row of k": Bug("by row", r"lane % 4 \* 2 \+ 1, warp_n", "lane % 4 * 2, warp_n"),
    "bytes of rows 8 apart exchanged": Bug("by row", r"\+ 8, (warp_n.*?)\+ 9, ", r"+ 9, \1+ 8, "),
    "the first byte twice": Bug("by row", r"\)\) << 8", ")) * 0"),
    "bytes in another order": Bug("by row", r"<< 16 \|(.*)<< 24", r"<< 24 |\1<< 16"),
    "swizzle dropped where bytes are read": Bug(
        "not zero at zero",
        r"(ld_shared_2\(smem_a[^|]*)at_(\d+)_j\w+<(\d)>\(",
        r"\1[](u32 row, u32 column) { return (row * \2 + column) * \3; }(",
    ),
    "columns of a warp's tile": Bug("by row", r"(ld_shared_1\([^|]*)warp_n \+ ", r"\1"),
    "halves of a row exchanged": Bug("not zero at zero", r"(raw_a\d\[i\])\[0\] =", r"\1[1] ="),
    "rows 8 apart exchanged": Bug("not zero at zero", r"(ld_shared_2\([^|]*lane / 4) \+ 8 ", r"\1 + 4 "),
    "the previous k-step's bytes": Bug("by row", r"raw_b1\[i\]\[v", "raw_b0[i][v"),
    # elements in registers
    "sign dropped": Bug("by row", r"\(signed char\)", ""),
    "the lowest byte of every word": Bug("by row", r" >> v % 4 \* 8", ""),
    "elements of a word exchanged": Bug(
        "by row", r"pack_bf16\((frag_b\w*\[0\]), (frag_b\w*\[1\])\)", r"pack_bf16(\2, \1)"
    ),
    "words exchanged": Bug("by row", r"(frag_b\d?\[i\])\[0\] =", r"\1[1] =", "bounds UninitializedRegister"),
    "one word forgotten": Bug("by row", r"\n.*frag_b\d?\[i\]\[1\] = .*;", "", "bounds UninitializedRegister"),
    "an element not computed": Bug("by row", r"v < 4; \+\+v", "v < 3; ++v", "bounds UninitializedRegister"),
    "multiplied as loaded": Bug("by row", r"const float (t\w*) = (t\w*) \* s\d+;", r"const float \1 = \2;"),
    # points
    "the factor of another row": Bug("by row", r"v % 2 \+ v / 2 \* 8", "v % 2 + v / 2 * 4"),
    "the factor of another lane": Bug("by row", r"tile_row = lane % 4 \* 2", "tile_row = lane % 4"),
    "the factor of the step's beginning": Bug("by row", r"\(k1 \+ 16\)", "k1"),
    "the factor of the first step": Bug("by row", r"const int k1 = step \* BK", "const int k1 = 0"),
    "the factor of another warp": Bug("by column", r"\(n \+ warp_n\) \+ tile", "n + tile"),
    "the factor of another block": Bug("by column", r"\(n \+ warp_n\) \+ tile", "warp_n + tile"),
    # beyond the end
    "guards of factors dropped": Bug("by row", r"\(\w+ < 72\) \? ", "true ? ", "OutOfBounds"),
    "masks dropped": Bug("not zero at zero", r"mask\d* \? (t\d+) : 0.0f", r"\1"),
    "masks one too long": Bug("not zero at zero", r"(mask\d* = .*)< 72", r"\1< 73"),
    "masks one too short": Bug("not zero at zero", r"(mask\d* = .*)< 72", r"\1< 71"),
    "masks of another step": Bug("not zero at zero", r"\(k1 \+ 48\)", "k1"),
    # wgmma with A in registers
    "no fence": Bug("by row by wgmma", r"wgmma_fence\(\);", "", "MissingWgmmaFence"),
    "a set of registers overwritten in flight": Bug(
        "by row by wgmma", r"wgmma_wait<1>\(\);", "", "RegisterInFlight AsyncRace"
    ),
    "no barrier after the last loads": Bug("by row by wgmma", r"named_barrier\(1, 128\);", "", "SharedRace"),
    "the present slot released": Bug("by row by wgmma", r"empty \+ before", "empty + slot1", "AsyncRace Deadlock"),
    "the slot not awaited": Bug(
        "by row by wgmma", r"mbarrier_wait\(full.*", "", "SharedRace AsyncRace UninitializedMemory"
    ),
    "the sources of the k-step before": Bug("by row by wgmma", r"raw_b1\[i\]\[v", "raw_b0[i][v"),
    "rows of the first warp": Bug("by row by wgmma", r"(at_\w+<1>\([^;]*?) \+ lane / 32 \* 16", r"\1"),
    "the swizzle of another row": Bug(
        "by row by wgmma",
        r"(ld_shared_1\([^|]*)at_64_j\w+<1>\(",
        r"\1[](u32 row, u32 column) { return (column ^ row % 4 * 16) + row * 64; }(",
    ),
    "the factor of the first k-step": Bug("by row by wgmma", r"\(k1? \+ 16\)", "k"),
    "factors of other rows of k": Bug("by row by wgmma", r"v % 2 \+ v / 4 \* 8", "v % 2 + v / 4 * 4"),
    "guards of factors dropped in a warpgroup": Bug(
        "by row by wgmma", r"\([^()]* < 72\) \? ", "true ? ", "OutOfBounds"
    ),
    "accumulators kept from the tile before": Bug(
        "by row by wgmma", r", adds\);", ", 1);", "UninitializedRegister bounds"
    ),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", BUGS)
def test_a_bug_in_the_kernel_is_caught(name: str):
    assert BUGS[name].is_caught(kernel(BUGS[name].kernel))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", sorted({bug.kernel for bug in BUGS.values()}))
def test_the_kernels_are_right_before_they_are_broken(name: str):
    assert kernel(name).verdict == "ok"


def test_every_bug_has_a_place():
    assert not stale(BUGS, kernel)
