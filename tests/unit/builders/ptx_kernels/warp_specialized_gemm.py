"""The SM90 GEMM of `warp_specialized_gemm.cu` through the emulator."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ptir.emulator import Report
from tests.unit.builders.ptx_kernels.gemm import Array, run_gemm_kernel

SOURCE = (Path(__file__).parent / "warp_specialized_gemm.cu").read_text(encoding="utf-8")
STAGES, TILE_M, TILE_N, TILE_K = 3, 128, 64, 64
SHARED = STAGES * (TILE_M + TILE_N) * TILE_K * 2 + 2 * 64 * TILE_N * 4 + 2 * 8 * STAGES
BOXES = [((TILE_M, TILE_K), 128), ((TILE_N, TILE_K), 128), ((64, TILE_N), 0)]


def run_gemm(
    m: int, n: int, k: int, *, source: str = SOURCE, ctas: int = 2, seed: int | None = None
) -> tuple[Array, Array, Report]:
    size = m, n, k
    return run_gemm_kernel(source, size, np.float32, BOXES, most=8, ctas=ctas, shared=SHARED, seed=seed)
