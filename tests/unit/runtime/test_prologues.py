"""
Contractions whose kernel computes an operand in its prologue, compared with the reference's bounds: programs, element types, sizes
that are not multiples of tiles, and functions that are not zero at zero.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

import ptir
from ptir.planning.warp_specialized.resources import Shape
from ptir.runtime.devices import Emulator
from ptir.semantics.bounds import bounds, check

from ..builders.prologue_programs import KERNELS, PROGRAMS, arrays, text, warp_specialized

SIZES = ((16, 64, 32), (5, 40, 17), (33, 136, 64), (1, 32, 24))
"""m, k and n; k in whole groups of 8."""
ARCHS = ("sm80", "sm90")
MMA_SYNC = {"not zero at zero", "f32", "f64"}
"""Programs that wgmma cannot multiply: both operands are computed, or of other types."""
A, B = (
    ("cast of a", "two sources", "norm", "i8", "row before"),
    ("cast", "by column", "by row", "by group", "transposed", "tf32", "padded by numbers"),
)
"""Programs that compute A, and programs that compute B."""
SHAPES = {
    "one": Shape((64, 32, 64), (64, 32), 2),
    "two": Shape((128, 64, 64), (64, 64), 3),
    "tall": Shape((128, 32, 32), (128, 32), 4),
    "pingpong": Shape((64, 32, 64), (64, 32), 3, roles="pingpong"),
    "cluster 2x1": Shape((64, 32, 64), (64, 32), 3, cluster=(2, 1)),
    "cluster 1x2": Shape((64, 32, 64), (64, 32), 3, cluster=(1, 2)),
    "split": Shape((64, 32, 64), (64, 32), 2, split=3),
    "stream-K": Shape((64, 32, 64), (64, 32), 2, stream_k=True),
    "one step": Shape((64, 32, 32), (64, 32), 2),
}
"""Shapes of warp-specialized kernels that compute A; those that compute B have rows and columns swapped."""


def run(source: str, arch: str, kernels: int, *, wgmma: bool = False, shape: Shape | None = None) -> None:
    inputs = arrays(source)
    program = ptir.compile(source if shape is None else warp_specialized(source, shape), arch=arch, device=Emulator())
    (got,) = program(*inputs)
    (want,) = bounds(ptir.parse(source), "f", *inputs)
    assert (report := check(got, want)).ok, report
    assert program.cuda.count("__global__") == kernels
    assert ("wgmma" in program.cuda) == wgmma


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("name", "sizes", "arch"), list(product(PROGRAMS, SIZES, ARCHS)))
def test_programs(name: str, sizes: tuple[int, int, int], arch: str):
    run(text(name, *sizes), arch, KERNELS.get(name, 1), wgmma=arch == "sm90" and name not in MMA_SYNC)


@pytest.mark.campaign
@pytest.mark.parametrize("name", ["cast of a", "two sources"])
def test_rings_that_are_refilled(name: str):
    """The loads of the sources are the only ops with a position, and their k in the refill is that of a later step."""
    run(text(name, 16, 640, 24), "sm80", 1)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ["cast", "cast of a", "by column", "transposed"])
@pytest.mark.parametrize("src", ["i8", "si8", "ui8", "f8E4M3FN", "f8E5M2", "f16", "f32", "f64"])
@pytest.mark.parametrize("arch", ARCHS)
def test_stored_types(name: str, src: str, arch: str):
    run(text(name, 20, 72, 24, src), arch, 1, wgmma=arch == "sm90")


@pytest.mark.sampled(8)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", (*A, *B))
def test_warp_specialized_shapes(name: str, shape: str):
    """The ring is filled several times; sizes are no multiples of the tile, and rows of 328 bytes are copied by threads."""
    chosen, sizes = SHAPES[shape], (130, 328, 72)
    if name in B:
        (bm, bn, bk), warp = chosen.tile, chosen.warp[::-1]
        cluster = chosen.cluster[::-1]
        chosen, sizes = replace(chosen, tile=(bn, bm, bk), warp=warp, cluster=cluster, transposed=True), (72, 328, 130)
    run(text(name, *sizes), "sm90", KERNELS.get(name, 1), wgmma=True, shape=chosen)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["cast of a", "by column", "transposed"])
@pytest.mark.parametrize("src", ["i8", "f16"])
def test_loads_from_the_ring_have_no_bank_conflicts(name: str, src: str):
    source, shape = text(name, 64, 128, 64, src), SHAPES["one"]
    if name in B:
        shape = replace(shape, tile=(32, 64, 64), warp=(32, 64), transposed=True)
    device = Emulator()
    ptir.compile(warp_specialized(source, shape), arch="sm90", device=device)(*arrays(source))
    (report,) = device.reports
    loads = [c for opcode, c in report.by_opcode.items() if opcode.startswith(("ld.shared", "ldmatrix"))]
    assert loads and not any(c.conflicts for c in loads)


@pytest.mark.parametrize(("name", "src"), [("cast of a", "f32"), ("transposed", "f32"), ("f64", "i8")])
def test_the_swizzle_of_a_source_follows_from_its_loads(name: str, src: str):
    source, device = text(name, 64, 64, 64, src), Emulator()
    ptir.compile(source, arch="sm80", device=device)(*arrays(source))
    assert [report.bank_conflicts for report in device.reports] == [0]
