"""The SM90 GEMM of `sm90_gemm.cu` through the emulator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.emulator import Memory, Report, TensorMap, launch, parse

SOURCE = (Path(__file__).parent / "sm90_gemm.cu").read_text(encoding="utf-8")
STAGES, TILE_M, TILE_N, TILE_K = 3, 128, 64, 64
SHARED = STAGES * (TILE_M + TILE_N) * TILE_K * 2 + 2 * 64 * TILE_N * 4 + 2 * 8 * STAGES

Array = np.ndarray[Any, np.dtype[Any]]


def run_gemm(
    m: int, n: int, k: int, *, source: str = SOURCE, ctas: int = 2, seed: int | None = None
) -> tuple[Array, Array, Report]:
    """What the kernel computes of integers, what is right, and the counters."""
    module = parse(compile_cuda(source, "sm_90a", allow_remarks=True).ptx)
    rng = np.random.default_rng(m + n + k)
    a, b = (rng.integers(-8, 9, (rows, k)).astype(ml_dtypes.bfloat16) for rows in (m, n))
    c = np.full((m, n), np.nan, np.float32)
    memory = Memory()
    maps = [
        TensorMap.of(a, memory.bind(a, readonly=True), (TILE_M, TILE_K), swizzle=128),
        TensorMap.of(b, memory.bind(b, readonly=True), (TILE_N, TILE_K), swizzle=128),
        TensorMap.of(c, memory.bind(c, initialized=False), (64, TILE_N)),
    ]
    args = [*maps, m, n, k]
    report = launch(module, "gemm", grid=ctas, block=384, args=args, memory=memory, dynamic_shared=SHARED, seed=seed)
    return c, a.astype(np.float64) @ b.astype(np.float64).T, report
