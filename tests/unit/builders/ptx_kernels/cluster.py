"""The cluster GEMM of `cluster_gemm.cu` through the emulator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.emulator import Memory, Report, TensorMap, launch, parse

SOURCE = (Path(__file__).parent / "cluster_gemm.cu").read_text(encoding="utf-8")
STAGES, TILE, TILE_K = 3, 128, 64
SHARED = STAGES * 2 * TILE * TILE_K * 2 + 2 * 64 * TILE * 2 + 2 * 8 * STAGES

Array = np.ndarray[Any, np.dtype[Any]]


def run_gemm(
    m: int, n: int, k: int, *, source: str = SOURCE, ctas: int = 2, seed: int | None = None
) -> tuple[Array, Array, Report]:
    """What the kernel computes of integers, what is right, and the counters."""
    module = parse(compile_cuda(source, "sm_90a", allow_remarks=True).ptx)
    rng = np.random.default_rng(m + n + k)
    a, b = (rng.integers(-2, 3, (rows, k)).astype(ml_dtypes.bfloat16) for rows in (m, n))
    c = np.full((m, n), np.nan, ml_dtypes.bfloat16)
    memory = Memory()
    maps = [
        TensorMap.of(a, memory.bind(a, readonly=True), (TILE, TILE_K), swizzle=128),
        TensorMap.of(b, memory.bind(b, readonly=True), (TILE // 2, TILE_K), swizzle=128),
        TensorMap.of(c, memory.bind(c, initialized=False), (64, 64), swizzle=128),
    ]
    args = [*maps, m, n, k]
    report = launch(module, "gemm", grid=ctas, block=384, args=args, memory=memory, dynamic_shared=SHARED, seed=seed)
    want = (a.astype(np.float64) @ b.astype(np.float64).T).astype(ml_dtypes.bfloat16)
    return c, want, report
