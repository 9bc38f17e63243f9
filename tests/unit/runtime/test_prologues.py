"""
Contractions whose kernel computes an operand in its prologue, compared with the reference's bounds: programs, element types, sizes
that are not multiples of tiles, and functions that are not zero at zero.
"""

from __future__ import annotations

from itertools import product

import pytest

import ptir
from ptir.runtime.devices import Emulator
from ptir.semantics.bounds import bounds, check

from ..builders.prologue_programs import KERNELS, PROGRAMS, arrays, text

SIZES = ((16, 64, 32), (5, 40, 17), (33, 136, 64), (1, 32, 24))
"""m, k and n; k in whole groups of 8."""
ARCHS = ("sm80", "sm90")


def run(source: str, arch: str, kernels: int) -> None:
    inputs = arrays(source)
    program = ptir.compile(source, arch=arch, device=Emulator())
    (got,) = program(*inputs)
    (want,) = bounds(ptir.parse(source), "f", *inputs)
    assert (report := check(got, want)).ok, report
    assert program.cuda.count("__global__") == kernels


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("name", "sizes", "arch"), list(product(PROGRAMS, SIZES, ARCHS)))
def test_programs(name: str, sizes: tuple[int, int, int], arch: str):
    run(text(name, *sizes), arch, KERNELS.get(name, 1))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ["cast", "cast of a", "by column", "transposed"])
@pytest.mark.parametrize("src", ["i8", "si8", "ui8", "f8E4M3FN", "f8E5M2", "f16", "f32", "f64"])
def test_stored_types(name: str, src: str):
    run(text(name, 20, 72, 24, src), "sm80", 1)
