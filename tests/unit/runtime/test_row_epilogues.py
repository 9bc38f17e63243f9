"""Contractions whose kernel reduces the rows of the product, against the reference's bounds: programs, element types, row lengths."""

from __future__ import annotations

from itertools import product

import pytest

import ptir
from ptir.runtime.devices import Emulator
from ptir.semantics.bounds import bounds, check

from ..builders.prologue_programs import arrays
from ..builders.row_epilogue_programs import PROGRAMS, text

SIZES = ((40, 64, 48), (5, 24, 10), (70, 32, 128), (33, 40, 17), (16, 16, 2))
ARCHS = ("sm80", "sm90")


def run(source: str, arch: str) -> int:
    """Checks the results of a program in the emulator; returns the number of its kernels."""
    inputs = arrays(source)
    program = ptir.compile(source, arch=arch, device=Emulator())
    for got, want in zip(program(*inputs), bounds(ptir.parse(source), "f", *inputs), strict=True):
        assert (report := check(got, want)).ok, report
    return program.cuda.count("__global__")


@pytest.mark.sampled(2)
@pytest.mark.sampled(5)
@pytest.mark.parametrize(("name", "sizes", "arch"), list(product(PROGRAMS, SIZES, ARCHS)))
def test_programs(name: str, sizes: tuple[int, int, int], arch: str):
    assert run(text(name, *sizes), arch) == (2 if name == "f32" and sizes[2] > 64 else 1)


def test_longer_rows_are_another_kernels():
    assert run(text("softmax", 16, 16, 160), "sm80") == 2
