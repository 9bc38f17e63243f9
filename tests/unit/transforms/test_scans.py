"""Long windows: the tiny program, interpreted, and its kernels, against windows that NumPy reduces one by one."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import pytest

import ptir
from ptir.dialects import tiny
from ptir.transforms.ptir_to_tiny.scans import READS

REDUCE = {"sum": np.sum, "max": np.max, "min": np.min}
LEAST = np.iinfo(np.int32)
NEUTRAL = {"sum": 0, "max": LEAST.min, "min": LEAST.max}
RNG = np.random.default_rng(5)

Padding = Sequence[tuple[int, int]]


def program(kind: str, x: Sequence[int], window: Sequence[int], strides: Sequence[int], padding: Padding) -> str:
    to = [(n + low + high - w) // s + 1 for n, w, s, (low, high) in zip(x, window, strides, padding, strict=True)]
    of, result = (f"tensor<{'x'.join(map(str, shape))}xsi32>" for shape in (x, to))
    op = f"ptir.reduce_window {kind} %x window {list(window)} strides {list(strides)} padding {list(padding)} : {of} -> {result}"
    return f"func.func @f(%x: {of}) -> {result} {{\n  %0 = {op}\n  func.return %0 : {result}\n}}"


def windows(kind: str, x: Any, window: Sequence[int], strides: Sequence[int], padding: Padding) -> Any:
    wide = np.pad(x, padding, constant_values=NEUTRAL[kind])
    view = np.lib.stride_tricks.sliding_window_view(wide, window)[tuple(slice(None, None, s) for s in strides)]
    return REDUCE[kind](view, axis=tuple(range(x.ndim, 2 * x.ndim)))


CASES = [
    ("sum", (2, 300, 3), (1, 300, 1), (1, 1, 1), ((0, 0), (299, 0), (0, 0))),  # cumulative sums, along columns
    ("sum", (1000,), (1000,), (1,), ((0, 999),)),  # … from the end
    ("max", (2, 4500), (1, 4500), (1, 1), ((0, 0), (4499, 0))),  # chunks of chunks
    ("sum", (2, 1000), (1, 200), (1, 1), ((0, 0), (0, 0))),  # a suffix and a prefix
    ("max", (1000,), (200,), (1,), ((20, 30),)),
    ("sum", (1000,), (200,), (1,), ((30, 20),)),
    ("min", (300, 2), (150, 1), (1, 1), ((7, 149), (0, 0))),
    ("sum", (2, 2000), (1, 500), (1, 3), ((0, 0), (499, 3))),  # every third position
    ("sum", (130,), (300,), (1,), ((299, 299),)),  # longer than the axis
    ("max", (1, 150), (1, 199), (1, 1), ((0, 0), (198, 198))),
    ("sum", (210, 150), (40, 40), (1, 1), ((0, 0), (20, 19))),  # one axis at a time, both short
    ("sum", (200, 140), (150, 140), (1, 2), ((149, 149), (0, 139))),  # both long
    (DIRECT := ("sum", (300,), (200,), (1,), ((250, 0),))),  # windows in the padding: read whole
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_long_windows(case: Any):
    kind, shape, window, strides, padding = case
    x = RNG.integers(-9, 10, shape).astype(np.int32)
    module = ptir.PassManager("ptir-to-tiny").run(ptir.parse(program(*case)))
    read = max(prod(op.input.type.get_shape()) for op in module.walk() if isinstance(op, tiny.ReduceOp))
    want = windows(kind, x, window, strides, padding)
    assert read <= READS * max(x.size, want.size) or case is DIRECT
    np.testing.assert_array_equal(ptir.reference(module, x)[0], want)


@pytest.mark.parametrize("arch", ["sm80", "sm90"])
def test_the_kernels_of_a_cumulative_sum(arch: str):
    """Three kernels: sums of chunks, sums of those before each, and sums inside of chunks. Direct sums read 4,000 elements each."""
    case = "sum", (4000,), (4000,), (1,), ((3999, 0),)
    x, emulator = RNG.integers(-9, 10, 4000).astype(np.int32), ptir.Emulator()
    (y,) = ptir.compile(program(*case), arch=arch, device=emulator)(x)
    np.testing.assert_array_equal(y, np.cumsum(x, dtype=np.int32))
    assert len(emulator.reports) == 3
