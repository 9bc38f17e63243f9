"""Runs a GEMM kernel of this folder through the emulator."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.emulator import Memory, Report, TensorMap, launch, parse

Array = np.ndarray[Any, np.dtype[Any]]


def run_gemm_kernel(
    source: str,
    size: tuple[int, int, int],
    dtype: Any,
    boxes: list[tuple[tuple[int, int], int]],
    *,
    most: int,
    ctas: int,
    shared: int,
    seed: int | None,
) -> tuple[Array, Array, Report]:
    """
    Returns what the kernel computes from integers of at most `most`, the exact product in `dtype`, and the counters.
    `boxes` are the boxes and swizzles of A, B and C.
    """
    m, n, k = size
    module = parse(compile_cuda(source, "sm_90a", allow_remarks=True).ptx)
    rng = np.random.default_rng(m + n + k)
    a, b = (rng.integers(-most, most + 1, (rows, k)).astype(ml_dtypes.bfloat16) for rows in (m, n))
    c = np.full((m, n), np.nan, dtype)
    memory = Memory()
    addresses = [memory.bind(a, readonly=True), memory.bind(b, readonly=True), memory.bind(c, initialized=False)]
    rows = zip((a, b, c), addresses, boxes, strict=True)
    maps = [TensorMap.of(array, address, box, swizzle=swizzle) for array, address, (box, swizzle) in rows]
    args = [*maps, m, n, k]
    report = launch(module, "gemm", grid=ctas, block=384, args=args, memory=memory, dynamic_shared=shared, seed=seed)
    return c, (a.astype(np.float64) @ b.astype(np.float64).T).astype(dtype), report
