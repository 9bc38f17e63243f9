"""Kernels whose rings in shared memory have layouts that their template does not choose: any layout gives the same results."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import ptir
from ptir.backends.cuda.emit import print_cuda
from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.runtime.devices import Emulator
from ptir.targets.architectures import ARCHS
from ptir.targets.shared_layouts import named

from ..builders.programs import draft

SIZES = {"bf16": 2, "f32": 4}
RING = re.compile(r"(!nv\.smem<\d+x(\d+)x(\d+)x(\w+), )(\w+)>")


def spelled(ring: re.Match[str]) -> str:
    return str(named(ring[5], int(ring[2]), int(ring[3]), SIZES[ring[4]]))


def rotated(ring: re.Match[str]) -> str:
    """Rows in another order, whose chunks are permuted by other bits of the row."""
    rows, columns = int(ring[2]), int(ring[3])
    each = 16 // SIZES[ring[4]]
    crossed = (f"^{columns // 2}j", f"^{each}j") if columns > each else ("", "")
    return f"at({columns}: j, 2: 4i{crossed[0]}, 2: i{crossed[1]}, 2: 2i^i, {rows // 8}: 8i)"


def panels(ring: re.Match[str]) -> str:
    """Columns of chunks, one after the other."""
    each = 16 // SIZES[ring[4]]
    return f"at({each}: j, {ring[2]}: i, {int(ring[3]) // each}: {each}j)"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("layout", [spelled, rotated, panels])
@pytest.mark.parametrize("dtype", SIZES)
def test_any_layout_gives_the_same_results(dtype: str, layout: Callable[[re.Match[str]], str]):
    d = draft("short_output", (70, 72, 100), dtype)
    program = ptir.compile(d.text, device=Emulator(), entry=d.name)
    module = ptir.parse(d.text)
    ptir.PassManager("ptir-to-cuda{arch=sm80}").run(module)
    cuda = print_cuda(ptir.parse(RING.sub(lambda ring: f"{ring[1]}{layout(ring)}>", str(module))))
    assert (cuda == program.program.cuda) == (layout is spelled)
    changed = replace(program.program, cuda=cuda, binary=compile_cuda(cuda, ARCHS["sm80"].target))
    arrays = d.arrays(0, integers=True)
    results = ptir.Compiled(changed, d.name, Emulator(), program.signatures)(*arrays)
    for got, want in zip(results, program(*arrays), strict=True):
        np.testing.assert_array_equal(got, want)
