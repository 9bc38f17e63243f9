"""Rows that begin at any multiple of their element size: the same bits as aligned rows, no byte outside of arrays, few sectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptir
from ptir.passes.manager import PassManager
from ptir.runtime.devices import Emulator
from ptir.semantics.bounds import bounds, check

from ..builders.row_plans import planned
from ..builders.row_programs import NUMPY, arrays, text

pytestmark = pytest.mark.sampled(2)

CASES = (
    ("softmax of other types", "bf16", 1001), ("softmax of other types", "f16", 131), ("softmax", "f32", 301),
    ("layer_norm", "f32", 2055), ("rms_norm", "bf16", 301), ("centered", "f64", 97), ("centered", "ui8", 333),
    ("centered", "si16", 517), ("argmax", "si8", 259), ("predicates", "f32", 141), ("accumulators", "f16", 1030),
)  # fmt: skip
"""Programs, element types and lengths: arrays of an odd number of rows, whose sizes are not multiples of 16 bytes."""
MIXED = """
func.func @f(%a: tensor<{0}x{1}xbf16>, %b: tensor<{0}x{1}xui8>, %c: tensor<{0}x{1}xf64>) -> (tensor<{0}x{1}xf32>, tensor<{0}x{1}xbf16>) {{
  %0 = ptir.cast %a : tensor<{0}x{1}xbf16> -> tensor<{0}x{1}xf32>
  %1 = ptir.cast %b : tensor<{0}x{1}xui8> -> tensor<{0}x{1}xf32>
  %2 = ptir.cast %c : tensor<{0}x{1}xf64> -> tensor<{0}x{1}xf32>
  %3 = ptir.add %0, %1 : tensor<{0}x{1}xf32>
  %4 = ptir.add %3, %2 : tensor<{0}x{1}xf32>
  %5 = ptir.reduce max %4 axes [1] keepdims : tensor<{0}x{1}xf32> -> tensor<{0}x1xf32>
  %6 = ptir.broadcast_to %5 : tensor<{0}x1xf32> -> tensor<{0}x{1}xf32>
  %7 = ptir.sub %4, %6 : tensor<{0}x{1}xf32>
  %8 = ptir.cast %4 : tensor<{0}x{1}xf32> -> tensor<{0}x{1}xbf16>
  func.return %7, %8 : tensor<{0}x{1}xf32>, tensor<{0}x{1}xbf16>
}}"""
SLICED = """
func.func @f(%a: tensor<{rows}x{whole}xbf16>) -> tensor<{rows}x{length}xbf16> {{
  %v = ptir.slice %a [0, {first}] : tensor<{rows}x{whole}xbf16> -> tensor<{rows}x{length}xbf16>
  %x = ptir.cast %v : tensor<{rows}x{length}xbf16> -> tensor<{rows}x{length}xf32>
  %max = ptir.reduce max %x axes [1] keepdims : tensor<{rows}x{length}xf32> -> tensor<{rows}x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<{rows}x1xf32> -> tensor<{rows}x{length}xf32>
  %d = ptir.sub %x, %maxes : tensor<{rows}x{length}xf32>
  %e = ptir.exp %d : tensor<{rows}x{length}xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims : tensor<{rows}x{length}xf32> -> tensor<{rows}x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<{rows}x1xf32> -> tensor<{rows}x{length}xf32>
  %q = ptir.div %e, %sums : tensor<{rows}x{length}xf32>
  %y = ptir.cast %q : tensor<{rows}x{length}xf32> -> tensor<{rows}x{length}xbf16>
  func.return %y : tensor<{rows}x{length}xbf16>
}}"""


def run(program: Any, source: str, inputs: list[Any]) -> list[Any]:
    """Returns the results, which are within the bounds of the reference, of kernels that realign vectors."""
    assert "realigned<" in program.cuda
    got = program(*inputs)
    for k, (result, want) in enumerate(zip(got, bounds(ptir.parse(source), "f", *inputs), strict=True)):
        assert (report := check(result, want)).ok, f"result {k}: {report}"
    return got


@pytest.mark.sampled(3)
@pytest.mark.parametrize("arch", ["sm80", "sm90"])
@pytest.mark.parametrize(("name", "dtype", "n"), CASES)
def test_bits_do_not_depend_on_alignment(name: str, dtype: str, n: int, arch: str):
    """All rows have the same elements, and each row another alignment."""
    source = text(name, 17, n, dtype)
    inputs = [np.array(a[:1].repeat(17, 0)) if len(a) == 17 else a for a in arrays(name, 17, n, dtype)]
    for result in run(ptir.compile(source, arch=arch, device=Emulator()), source, inputs):
        assert {row.tobytes() for row in result} == {result[0].tobytes()}


@pytest.mark.campaign
def test_several_vectors_of_a_lane():
    """Elements of 1, 2, 4 and 8 bytes: lanes hold vectors of one, two and four times 16 bytes, and of 8 bytes."""
    rng = np.random.default_rng(0)
    numbers = [rng.integers(0, 9, (5, 419)).astype(NUMPY[t]) for t in ("bf16", "ui8", "f64")]
    source = MIXED.format(5, 419)
    program = ptir.compile(source, device=Emulator())
    run(program, source, numbers)
    assert all(f"realigned<{size}>" in program.cuda for size in (1, 2, 4, 8))


@pytest.mark.campaign
@pytest.mark.parametrize(("first", "whole", "length"), [(3, 1040, 1024), (0, 1040, 1001), (5, 1041, 1001)])
def test_views(first: int, whole: int, length: int):
    """A view that begins at any element, or leaves out the last ones, has the bits of an array of its own."""
    source = SLICED.format(rows=9, first=first, whole=whole, length=length)
    x = np.random.default_rng(1).standard_normal((9, whole)).astype(NUMPY["bf16"])
    (got,) = run(ptir.compile(source, device=Emulator()), source, [x])
    own = text("softmax of other types", 9, length, "bf16")
    (want,) = ptir.compile(own, device=Emulator())(np.array(x[:, first : first + length]))
    assert got.tobytes() == want.tobytes()


@pytest.mark.parametrize("n", [515, 769, 1031])
@pytest.mark.parametrize(
    ("tile", "warp_tile", "blocks"), [((1, 256), "1x128", 1), ((1, 256), "1x128", 4), ((8, 128), "8x128", 1)]
)
def test_streams_and_clusters(tile: tuple[int, int], warp_tile: str, blocks: int, n: int):
    """Runs end in the middle of a row: those of a warp, of a block, and of a tile of the stream; four lanes hold one of 128."""
    source, inputs = text("softmax_and_sum", 5, n), arrays("softmax_and_sum", 5, n)
    module = planned(source, tile, warp_tile, 4, blocks, "sm90")
    program = ptir.compile(str(PassManager("region-to-pto").run(module)), arch="sm90", device=Emulator())
    run(program, source, inputs)


@pytest.mark.parametrize(
    ("name", "dtype", "widest", "most"),
    [
        ("softmax of other types", "bf16", "v4", 1.06), ("layer_norm", "f32", "v4", 1.06), ("softmax_backward", "f32", "v4", 1.06),
        ("centered", "f64", "v4", 1.06), ("centered", "ui8", "v2", 1.13),
    ],
)  # fmt: skip
def test_sectors(name: str, dtype: str, widest: str, most: float):
    """
    Sixteen rows, one of each alignment, take at most 6 % more sectors than their bytes; vectors of 8 bytes, 13 %. All but the
    edges of runs and the ends of arrays are accessed in the widest vectors.
    """
    device = Emulator()
    inputs = arrays(name, 16, 4097, dtype)
    program = ptir.compile(text(name, 16, 4097, dtype), device=device)
    results = program(*inputs)
    least = sum(a.nbytes * (16 if len(a) == 4097 else 1) for a in (*inputs, *results)) / 32
    counts = {o: c.sectors for report in device.reports for o, c in report.by_opcode.items() if "global" in o}
    assert sum(counts.values()) <= most * least
    assert sum(count for o, count in counts.items() if f".{widest}." in o) >= 0.97 * sum(counts.values())
    assert sum(report.bank_conflicts for report in device.reports) == 0
    (kernel,) = program.program.binary.kernels.values()
    assert kernel.spill_stores + kernel.spill_loads == 0
