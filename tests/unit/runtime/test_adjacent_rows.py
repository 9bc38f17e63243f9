"""Kernels of rows whose adjacent elements lie in adjacent rows: within the reference's bounds, with the same bits in every run."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

import ptir
from ptir.runtime.devices import Emulator
from ptir.semantics.bounds import bounds, check

from ..builders.row_programs import PROGRAMS, adjacent, text

SIZES = (
    (1, 8, 2),
    (2, 1, 7),
    (1, 49, 5),
    (2, 49, 33),
    (3, 64, 31),
    (1, 72, 32),
    (2, 24, 129),
    (1, 257, 8),
    (1, 8, 520),
    (5, 3, 64),
)
"""Batches, adjacent rows, and lengths of rows."""
DTYPES = {
    "softmax of other types": ("bf16", "f16", "f64"),
    "rms_norm": ("bf16", "f16"),
    "first_maximum": ("f32", "si32", "bf16"),
    "argmax": ("f32", "si64", "f16", "ui8"),
    "centered": ("f16", "si16", "ui32", "f64"),
    "accumulators": ("bf16", "f16", "f32"),
}
SEVERAL = ("layer_norm_backward", "reductions")
"""Programs that need several kernels, or a kernel of columns."""
CASES = [
    (name, size, DTYPES.get(name, ("f32",))[k % len(DTYPES.get(name, ("f32",)))], arch)
    for name, (k, size), arch in product(PROGRAMS, enumerate(SIZES), ("sm80", "sm90"))
]


def run(source: str, inputs: list[Any], arch: str = "sm80") -> tuple[Any, str]:
    """Returns the results in the emulator, and the kernels."""
    program = ptir.compile(source, arch=arch, device=Emulator())
    return program(*inputs), program.cuda


@pytest.mark.sampled(11)
@pytest.mark.parametrize(("name", "size", "dtype", "arch"), CASES)
def test_programs(name: str, size: tuple[int, int, int], dtype: str, arch: str):
    outer, m, n = size
    source, inputs = text(name, m, n, dtype, outer), adjacent(name, outer, m, n, dtype)
    got, cuda = run(source, inputs, arch)
    for k, (result, want) in enumerate(zip(got, bounds(ptir.parse(source), "f", *inputs), strict=True)):
        assert (report := check(result, want)).ok, f"result {k}: {report}"
    if m > 1 and name not in SEVERAL:
        assert cuda.count("__global__") == 1
