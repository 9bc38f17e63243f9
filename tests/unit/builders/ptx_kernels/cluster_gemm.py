"""The cluster GEMM of `cluster_gemm.cu` through the emulator."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes

from ptir.emulator import Report
from tests.unit.builders.ptx_kernels.gemm import Array, run_gemm_kernel

SOURCE = (Path(__file__).parent / "cluster_gemm.cu").read_text(encoding="utf-8")
STAGES, TILE, TILE_K = 3, 128, 64
SHARED = STAGES * 2 * TILE * TILE_K * 2 + 2 * 64 * TILE * 2 + 2 * 8 * STAGES
BOXES = [((TILE, TILE_K), 128), ((TILE // 2, TILE_K), 128), ((64, 64), 128)]


def run_gemm(
    m: int, n: int, k: int, *, source: str = SOURCE, ctas: int = 2, seed: int | None = None
) -> tuple[Array, Array, Report]:
    size = m, n, k
    return run_gemm_kernel(source, size, ml_dtypes.bfloat16, BOXES, most=2, ctas=ctas, shared=SHARED, seed=seed)
