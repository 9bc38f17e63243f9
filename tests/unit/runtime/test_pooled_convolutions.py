"""Poolings in the kernels of convolutions: equal to a pooling in NumPy's f64 of a sum over taps, in one kernel."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.runtime.devices import Emulator

TYPES = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "si8": np.int8}
CASES = [
    # arch, type, images x size, channels, filters, window, pooling, function, channels first
    ("sm80", "bf16", (2, 6, 10), 32, 24, (3, 3), (2, 2), "max", False),
    ("sm90", "bf16", (3, 7, 5), 32, 24, (3, 3), (2, 2), "max", False),  # the last row and column are in no window
    ("sm90", "f16", (1, 13, 4), 8, 40, (3, 1), (4, 2), "sum", True),
    ("sm80", "f16", (2, 4, 2, 6), 16, 8, (1, 3, 3), (2, 2, 2), "min", False),
    ("sm80", "si8", (2, 24), 16, 16, (3,), (8,), "max", False),
    ("sm90", "bf16", (2, 21), 64, 64, (1,), (2,), "sum", False),
    ("sm90", "si8", (2, 8, 6), 32, 16, (3, 3), (2, 1), "min", False),
]


def tensor(sizes: Any, dtype: str) -> str:
    return f"tensor<{'x'.join(map(str, [*sizes, dtype]))}>"


def program(case: tuple[Any, ...]) -> str:
    """Returns max(x * w + b, 0), and its pooling, rounded to the operands' type in between if that is a float."""
    _, dtype, (images, *size), channels, filters, window, pool, fn, first = case
    wide = "si32" if dtype == "si8" else "f32"
    y, small = (images, *size, filters), (images, *(s // p for s, p in zip(size, pool, strict=True)), filters)
    out = (images, filters, *small[1:-1]) if first else small
    x, w = tensor((images, *size, channels), dtype), tensor((*window, channels, filters), dtype)
    full, stored = tensor(y, wide), tensor(out, wide)
    pads = ", ".join(f"({n // 2}, {n // 2})" for n in window)
    over, sums = [1, *pool, 1], f" accum {wide} out {wide}" if fn == "sum" else ""
    lines = [
        f"%0 = ptir.convolution %x, %w padding [{pads}] accum {wide} out {wide} : ({x}, {w}) -> {full}",
        f"%1 = ptir.broadcast_to %b : {tensor([filters], wide)} -> {full}",
        f"%2 = ptir.add %0, %1 : {full}",
        f"%3 = ptir.constant dense<{'0' if wide == 'si32' else '0.0'}> : {full}",
        f"%4 = ptir.maximum %2, %3 : {full}",
        f"%5 = ptir.reduce_window {fn} %4 window {over} strides {over}{sums} : {full} -> {tensor(small, wide)}",
    ]
    last = "%5"
    if first:
        axes = [0, len(size) + 1, *range(1, len(size) + 1)]
        lines.append(f"%6 = ptir.transpose %5 {axes} : {tensor(small, wide)} -> {stored}")
        last = "%6"
    body = "\n".join([*lines, f"func.return {last} : {stored}"])
    args = f"%x: {x}, %w: {w}, %b: {tensor([filters], wide)}"
    return f"builtin.module attributes {{ptir.extensions}} {{\nfunc.func @f({args}) -> {stored} {{\n{body}\n}}\n}}"


def expected(case: tuple[Any, ...], x: np.ndarray, w: np.ndarray, b: np.ndarray) -> np.ndarray:
    _, _, (images, *size), channels, filters, window, pool, fn, first = case
    image = np.zeros([images, *(s + n // 2 * 2 for s, n in zip(size, window, strict=True)), channels])
    inside = tuple(slice(n // 2, n // 2 + s) for s, n in zip(size, window, strict=True))
    image[(slice(None), *inside)] = x
    y = np.zeros([images, *size, filters])
    for tap in product(*map(range, window)):
        y += image[(slice(None), *(slice(t, t + s) for t, s in zip(tap, size, strict=True)))] @ w[tap].astype(float)
    y = np.maximum(y + b, 0)[(slice(None), *(slice(0, s // p * p) for s, p in zip(size, pool, strict=True)))]
    parts = [n for s, p in zip(size, pool, strict=True) for n in (s // p, p)]
    y = getattr(y.reshape(images, *parts, filters), fn)(axis=tuple(range(2, 2 * len(pool) + 1, 2)))
    return np.moveaxis(y, -1, 1) if first else y


@pytest.mark.sampled(2)
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[1]}-{case[7]}-{prod(case[6])}")
def test_a_pooling_is_part_of_the_kernel(case: tuple[Any, ...]):
    arch, dtype, (images, *size), channels, filters, window, *_ = case
    rng = np.random.default_rng(1)
    x = rng.integers(-3, 4, (images, *size, channels)).astype(TYPES[dtype])
    w = rng.integers(-2, 3, (*window, channels, filters)).astype(TYPES[dtype])
    b = rng.integers(-5, 6, filters).astype(np.int32 if dtype == "si8" else np.float32)
    compiled = ptir.compile(program(case), arch=arch, device=Emulator())
    assert len(compiled.program.binary.kernels) == 1
    (got,) = compiled(x, w, b)
    assert np.array_equal(np.asarray(got, float), expected(case, x, w, b))


def test_nan_spreads_over_its_window():
    case = ("sm80", "bf16", (1, 4, 4), 8, 8, (1, 1), (2, 2), "max", False)
    x, w, b = np.ones((1, 4, 4, 8)), np.ones((1, 1, 8, 8)), np.zeros(8, np.float32)
    x[0, 1, 2, 0] = np.nan
    compiled = ptir.compile(program(case), arch="sm80", device=Emulator())
    (got,) = compiled(x.astype(TYPES["bf16"]), w.astype(TYPES["bf16"]), b)
    want = np.full((1, 2, 2, 8), 8.0)
    want[0, 0, 1] = np.nan
    np.testing.assert_array_equal(np.asarray(got, float), want)
