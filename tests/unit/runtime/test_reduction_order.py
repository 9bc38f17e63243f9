"""Reductions of transposed arrays: kernels of rows and columns read them in the order of memory."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, TensorType

import ptir
from ptir.analysis.index import affine
from ptir.analysis.index.book import index_book
from ptir.analysis.index.info import Access
from ptir.analysis.regions.addresses import is_affine, linear_address, stride
from ptir.analysis.regions.leaf_accesses import leaf_accesses
from ptir.dialects import tiny
from ptir.dialects.common.shapes import shape
from ptir.passes.manager import PassManager
from ptir.runtime.devices import Emulator
from ptir.semantics.arrays.scalars import numpy_dtype
from ptir.semantics.bounds import bounds, check
from ptir.semantics.interpreter import call

from ..builders.channels_last import group_norm


def run(source: str, arch: str = "sm80") -> tuple[int, float]:
    """Checks the results in the emulator. Returns the number of kernels, and the ratio of the sectors to those of all arrays."""
    device, rng = Emulator(), np.random.default_rng(0)
    program = ptir.compile(source, arch=arch, device=device)
    inputs: list[Any] = []
    for _, t in program.signature.arguments:
        assert isinstance(t, TensorType)
        inputs.append((rng.standard_normal(t.get_shape()) * 2 + 1).astype(numpy_dtype(t.element_type)))
    results = program(*inputs)
    for got, want in zip(results, bounds(ptir.parse(source), "f", *inputs), strict=True):
        assert (report := check(got, want)).ok, report
    sectors = sum(c.sectors for r in device.reports for opcode, c in r.by_opcode.items() if "global" in opcode)
    return len(program.program.binary.kernels), 32 * sectors / sum(a.nbytes for a in (*inputs, *results))


NORMS = [
    ("f32", 1, False, "sm80"), ("bf16", 2, False, "sm90"), ("f32", 3, False, "sm90"), ("f16", 3, False, "sm80"), ("f32", 1, True, "sm80"),
]  # fmt: skip


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("dtype", "merged", "swapped", "arch"), NORMS)
def test_group_norm_of_channels_last_images(dtype: str, merged: int, swapped: bool, arch: str):
    kernels, ratio = run(group_norm((2, 8, 8, 64), 4, dtype, merged=merged, swapped=swapped), arch)
    assert kernels == 1 and ratio < 1.25


def test_a_long_group_is_streamed():
    assert run(group_norm((1, 64, 64, 16), 2), "sm90")[0] == 1
    assert run(group_norm((1, 64, 64, 16), 2), "sm80")[0] == 1


def test_channels_that_are_no_vectors():
    assert run(group_norm((2, 5, 7, 9), 3))[0] == 1


COLUMNS = """
func.func @f(%x: tensor<4x6x8x32xf32>) -> tensor<32xf32> {
  %0 = ptir.transpose %x [3, 2, 0, 1] : tensor<4x6x8x32xf32> -> tensor<32x8x4x6xf32>
  %1 = ptir.reshape %0 : tensor<32x8x4x6xf32> -> tensor<32x192xf32>
  %2 = ptir.reduce sum %1 axes [1] accum f32 : tensor<32x192xf32> -> tensor<32xf32>
  func.return %2 : tensor<32xf32>
}"""
ROWS = """
func.func @f(%x: tensor<4x8x64xf32>) -> tensor<32x64xf32> {
  %0 = ptir.transpose %x [1, 0, 2] : tensor<4x8x64xf32> -> tensor<8x4x64xf32>
  %1 = ptir.reshape %0 : tensor<8x4x64xf32> -> tensor<32x64xf32>
  %2 = ptir.reduce max %1 axes [1] keepdims : tensor<32x64xf32> -> tensor<32x1xf32>
  %3 = ptir.broadcast_to %2 : tensor<32x1xf32> -> tensor<32x64xf32>
  %4 = ptir.sub %1, %3 : tensor<32x64xf32>
  func.return %4 : tensor<32x64xf32>
}"""
CUT = """
func.func @f(%x: tensor<4x20x24xf32>) -> tensor<4x320xf32> {
  %0 = ptir.slice %x [0, 2, 4] : tensor<4x20x24xf32> -> tensor<4x16x20xf32>
  %1 = ptir.reshape %0 : tensor<4x16x20xf32> -> tensor<4x320xf32>
  %2 = ptir.reduce max %1 axes [1] keepdims : tensor<4x320xf32> -> tensor<4x1xf32>
  %3 = ptir.broadcast_to %2 : tensor<4x1xf32> -> tensor<4x320xf32>
  %4 = ptir.sub %1, %3 : tensor<4x320xf32>
  func.return %4 : tensor<4x320xf32>
}"""


@pytest.mark.parametrize(
    "source", [COLUMNS, ROWS, CUT], ids=["columns", "rows in another order", "rows cut out of an array"]
)
def test_other_reductions_are_one_kernel_that_reads_each_sector_once(source: str):
    kernels, ratio = run(source)
    assert kernels == 1 and ratio < 1.01


def draw(rng: Random) -> tuple[str, Any, Any]:
    """Returns a reduction of an array of integers after random movements, the array, and the result by NumPy."""
    x = np.array(rng.choices(range(-9, 10), k=5000), np.int32)
    of = [rng.choice((1, 2, 3, 4, 6)) for _ in range(rng.randint(3, 5))]
    x = y = x[: np.prod(of)].reshape(of)
    lines: list[str] = []

    def add(op: str, result: Any) -> None:
        nonlocal y
        types = ["x".join(map(str, (*a.shape, "si32"))) for a in (y, result)]
        lines.append(f"  %{len(lines)} = tiny.{op} : tensor<{types[0]}> -> tensor<{types[1]}>")
        y = result

    for _ in range(rng.randint(2, 5)):
        value = f"%{len(lines) - 1}" if lines else "%x"
        kind, rank = rng.choice(("permute", "permute", "merge", "merge", "shrink", "split")), y.ndim
        axis = rng.randrange(rank)
        if kind == "permute":
            perm = rng.sample(range(rank), rank)
            add(f"movement permute {value} by {perm}", y.transpose(perm))
        elif kind == "merge" and axis:
            add(f"movement reshape {value}", y.reshape(*y.shape[: axis - 1], -1, *y.shape[axis + 1 :]))
        elif kind == "split" and y.shape[axis] % 2 == 0:
            add(f"movement reshape {value}", y.reshape(*y.shape[:axis], -1, 2, *y.shape[axis + 1 :]))
        elif kind == "shrink" and y.shape[axis] > 1:
            start = [int(a == axis) for a in range(rank)]
            add(f"movement shrink {value} from {start}", y[tuple(slice(first, None) for first in start)])
    value = f"%{len(lines) - 1}" if lines else "%x"
    axes = sorted(rng.sample(range(y.ndim), rng.randint(1, y.ndim)))
    add(f"reduce sum {value} axes {axes} accum si32", y.sum(tuple(axes), dtype=np.int32))
    types = ["x".join(map(str, (*a.shape, "si32"))) for a in (x, y)]
    head = f"func.func @f(%x: tensor<{types[0]}>) -> tensor<{types[1]}> {{"
    return "\n".join([head, *lines, f"  func.return %{len(lines) - 1} : tensor<{types[1]}>", "}"]), x, y


def strides(module: ModuleOp) -> list[int] | None:
    """Returns the strides of the reduced axes of the only reduction in the array that it reads, or None if an address divides."""
    (op,) = (o for o in module.walk() if isinstance(o, tiny.ReduceOp))
    function = next(iter(module.body.block.ops))
    of, start = shape(op.input), Access(op.input, affine.identity(len(shape(op.input))))
    ((at, _),) = leaf_accesses(start, of, index_book(function), lambda _: False)  # pyright: ignore[reportArgumentType]
    address = linear_address(shape(at.value), at.map, of)
    return [stride(address, a) for a in op.axes() if of[a] > 1] if is_affine(address) else None


@pytest.mark.campaign
def test_random_movements():
    """The pass keeps all values, bit for bit. Where it splits and sorts, strides descend, and a second run changes nothing."""
    rng, sorted_ones = Random(0), 0
    for _ in range(60):
        source, x, want = draw(rng)
        module = PassManager("tiny-order-reductions").run(before := ptir.parse(source))
        changed = str(module) != str(ptir.parse(source))
        (got,) = call(module, "f", x)
        assert np.array_equal(np.asarray(got), want), source
        if (found := strides(module)) is not None:
            assert found == sorted(found, reverse=True), source
            sorted_ones += changed
        elif not changed:
            assert strides(before) is None
        assert str(PassManager("tiny-order-reductions").run(ptir.parse(str(module)))) == str(module)
    assert sorted_ones > 8
