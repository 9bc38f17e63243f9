"""Kernels of rows whose adjacent elements lie in adjacent rows: within the reference's bounds, with the same bits in every run."""

from __future__ import annotations

from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.runtime.devices import Emulator
from ptir.semantics.bounds import bounds, check

from ..builders.row_plans import tiles
from ..builders.row_programs import PROGRAMS, adjacent, text
from ..builders.seeded_bugs import Bug, Subject

pytestmark = pytest.mark.sampled(2)

SIZES = (
    (1, 8, 2),
    (2, 1, 7),
    (1, 49, 5),
    (2, 49, 33),
    (3, 64, 31),
    (1, 72, 32),
    (2, 24, 129),
    (1, 257, 8),
    (1, 8, 500),
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


@pytest.mark.parametrize("arch", ["sm80", "sm90"])
@pytest.mark.parametrize(("name", "n"), [("softmax", 40), ("layer_norm", 301), ("rms_norm", 512)])
def test_bits(name: str, n: int, arch: str):
    """Results are bit-equal in every run."""
    source, inputs = text(name, 48, n, "bf16", 2), adjacent(name, 2, 48, n, "bf16")
    for first, second in zip(run(source, inputs, arch)[0], run(source, inputs, arch)[0], strict=True):
        assert first.tobytes() == second.tobytes()


SPECIALS = np.array(
    [[np.inf, -np.inf, 0, np.nan], [-np.inf] * 4, [0.0, -0.0, 0.0, -0.0], [3e38, 1e-45, -3e38, 1]], np.float32
)
"""The first elements of rows; others are small integers."""


@pytest.mark.parametrize("name", ["softmax", "argmax", "first_maximum"])
def test_special_values(name: str):
    """Infinities and NaNs of a row affect the results of this row only."""
    x = np.random.default_rng(1).integers(-3, 4, (1, 133, 12)).astype(np.float32)
    x[0, :4, [1, 5, 6, 11]] = SPECIALS
    source = text(name, 12, 133, outer=1)
    for result, want in zip(run(source, [x])[0], bounds(ptir.parse(source), "f", x), strict=True):
        assert check(result, want).ok


NARROW = """
func.func @f(%x: tensor<2x33x24x$T>) -> tensor<2x33x24x$T> {
  %a = ptir.cast %x : tensor<2x33x24x$T> -> tensor<2x33x24xf32>
  %m = ptir.reduce max %a axes [1] keepdims : tensor<2x33x24xf32> -> tensor<2x1x24xf32>
  %b = ptir.broadcast_to %m : tensor<2x1x24xf32> -> tensor<2x33x24xf32>
  %d = ptir.sub %a, %b : tensor<2x33x24xf32>
  %y = ptir.cast %d : tensor<2x33x24xf32> -> tensor<2x33x24x$T>
  func.return %y : tensor<2x33x24x$T>
}"""
COMPLEX = """
func.func @f(%x: tensor<3x40x10xcomplex<$T>>) -> tensor<3x40x10xcomplex<$T>> {
  %s = ptir.reduce sum %x axes [1] keepdims : tensor<3x40x10xcomplex<$T>> -> tensor<3x1x10xcomplex<$T>>
  %b = ptir.broadcast_to %s : tensor<3x1x10xcomplex<$T>> -> tensor<3x40x10xcomplex<$T>>
  %y = ptir.sub %x, %b : tensor<3x40x10xcomplex<$T>>
  func.return %y : tensor<3x40x10xcomplex<$T>>
}"""


@pytest.mark.parametrize(
    ("source", "dtype"),
    [
        (NARROW.replace("$T", "f8E4M3FN"), ml_dtypes.float8_e4m3fn),
        (NARROW.replace("$T", "f8E5M2"), ml_dtypes.float8_e5m2),
        (COMPLEX.replace("$T", "f32"), np.complex64),
        (COMPLEX.replace("$T", "f64"), np.complex128),
    ],
)
def test_fp8_and_complex_numbers(source: str, dtype: Any):
    """Small integers, of which sums are exact."""
    rng, shape = np.random.default_rng(0), (2, 33, 24) if "complex" not in source else (3, 40, 10)
    x = rng.integers(-3, 4, shape)
    x = (x + 1j * rng.integers(-3, 4, shape) if "complex" in source else x).astype(dtype)
    got, cuda = run(source, [x])
    (want,) = ptir.reference(source, x)
    assert np.asarray(got[0]).tobytes() == want.tobytes()
    assert cuda.count("__global__") == 1


PLANS = [
    ((32, 64), "32x8", 4),
    ((32, 64), "16x16", 4),
    ((64, 80), "32x16", 2),
    ((64, 64), "8x16", 4),
    ((32, 64), "32x64", 1),
]
"""Tiles, parts of warps, and widths: several warps of a row, several beside each other, one warp, lanes and warps of both."""


@pytest.mark.parametrize("arch", ["sm80", "sm90"])
@pytest.mark.parametrize(("tile", "warp_tile", "width"), PLANS)
def test_plans(tile: tuple[int, int], warp_tile: str, width: int, arch: str):
    source, inputs = text("layer_norm", 40, 61, outer=2), adjacent("layer_norm", 2, 40, 61)
    program = ptir.compile(ptir.parse(tiles(source, tile, warp_tile, width, 1, arch)), arch=arch, device=Emulator())
    for result, want in zip(program(*inputs), bounds(ptir.parse(source), "f", *inputs), strict=True):
        assert check(result, want).ok


BUGS = {
    "the lanes trade the wrong half": Bug(
        "rows", r"trade\((\w+)\[v\], (\w+)\[v \+ 2\], 16\)", r"trade(\2[v + 2], \1[v], 16)"
    ),
    "lanes of other columns": Bug("rows", r"(trade\(.*), 16\)", r"\1, 1)"),
    "one level is left out": Bug("rows", r"trade\((\w+)\[v\], (\w+)\[v \+ 1\], 8\);", ";"),
    "results go to other lanes": Bug("rows", r"lane % 8 \+ v \* 8\)", "lane % 8 + (v ^ 1) * 8)"),
    "a warp is left out": Bug("rows", r"int e = 1; e < 8", "int e = 2; e < 8"),
    "no barrier": Bug("rows", r"__syncthreads\(\);", ";", "SharedRace EmulatorFault bounds"),
    "scratch of the other reduction": Bug(
        "rows", r"shared \+ 1024\)", "shared + 0)", "SharedRace EmulatorFault bounds"
    ),
    "the other column's result": Bug("rows", r" - (\w+)\[v\]", r" - \1[v ^ 1]"),
    "rows of another warp": Bug("rows", r"warp \* 4", "warp * 2", "EmulatorFault bounds"),
    "the guard of positions": Bug("rows", r"if \(row\d+ < 61 && ", "if (", "OutOfBounds bounds"),
}


def test_bugs_are_caught():
    """The kernel is right, and each bug shows in a fault of the emulator or in a wrong result."""
    source, inputs = text("layer_norm", 40, 61, outer=2), adjacent("layer_norm", 2, 40, 61)
    program = ptir.compile(ptir.parse(tiles(source, (32, 64), "32x8", 4))).program
    subject = Subject.of(program, source, inputs)
    assert subject.verdict == "ok"
    missed: list[str] = []
    for name, bug in BUGS.items():
        if not bug.is_caught(subject):
            missed.append(name)
    assert not missed
