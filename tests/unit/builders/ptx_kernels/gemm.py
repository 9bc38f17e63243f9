"""Runs the SM90 GEMM kernels of this folder in the emulator, with and without seeded bugs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ptir.emulator import Memory, Report, TensorMap
from ptir.emulator.errors import EmulatorFault
from tests.unit.builders.ptx_kernels.launch import run_cuda

FOLDER = Path(__file__).parent
STAGES, TILE_M, TILE_K = 3, 128, 64
Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Gemm:
    """The kernel in `name`.cu, with tiles of 128 × `tile_n`. `swizzle` is the swizzle of the result's TMA boxes."""

    name: str
    tile_n: int
    dtype: Any
    swizzle: int
    most: int
    """Maximum magnitude of operands for which the product is exact."""

    @cached_property
    def source(self) -> str:
        return "".join((FOLDER / file).read_text(encoding="utf-8") for file in ("sm90.cuh", f"{self.name}.cu"))

    def run(
        self, m: int, n: int, k: int, *, source: str = "", ctas: int = 2, seed: int | None = None
    ) -> tuple[Array, Array, Report]:
        """Returns what the kernel computes from integers, the exact product, and the counters."""
        rng = np.random.default_rng(m + n + k)
        a, b = (rng.integers(-self.most, self.most + 1, (rows, k)).astype(ml_dtypes.bfloat16) for rows in (m, n))
        c = np.full((m, n), np.nan, self.dtype)
        memory = Memory()
        addresses = [memory.bind(a, readonly=True), memory.bind(b, readonly=True), memory.bind(c, initialized=False)]
        boxes = zip((a, b, c), addresses, (TILE_M, 64, 64), (128, 128, self.swizzle), strict=True)
        maps = [TensorMap.of(array, address, (rows, 64), swizzle=swizzle) for array, address, rows, swizzle in boxes]
        staged = 2 * 64 * self.tile_n * c.itemsize
        shared = STAGES * (TILE_M + self.tile_n) * TILE_K * 2 + staged + 2 * 8 * STAGES
        report = run_cuda(
            source or self.source, *maps, m, n, k, kernel="gemm", arch="sm_90a", allow_remarks=True,
            grid=ctas, block=384, memory=memory, dynamic_shared=shared, seed=seed,
        )  # fmt: skip
        return c, (a.astype(np.float64) @ b.astype(np.float64).T).astype(self.dtype), report


CLUSTER = Gemm("cluster_gemm", tile_n=128, dtype=ml_dtypes.bfloat16, swizzle=128, most=2)
WARP_SPECIALIZED = Gemm("warp_specialized_gemm", tile_n=64, dtype=np.float32, swizzle=0, most=8)


@dataclass(frozen=True)
class Bug:
    """A seeded bug: replaces `old` by `new`. `fault` is the expected report, or any of several; None if only results are wrong."""

    name: str
    old: str
    new: str
    fault: Any

    def source(self, gemm: Gemm) -> str:
        """Returns the kernel with this bug."""
        assert gemm.source.count(self.old) == 1
        return gemm.source.replace(self.old, self.new)

    def check(self, gemm: Gemm, *shape: int) -> None:
        """Requires the fault with its location, or wrong results."""
        if self.fault is None:
            got, want, _ = gemm.run(*shape, source=self.source(gemm))
            assert not np.array_equal(got, want)
            return
        with pytest.raises(self.fault) as caught:
            gemm.run(*shape, source=self.source(gemm))
        error: EmulatorFault = caught.value
        assert "kernel gemm" in error.message and "ctaid (" in error.message and "CUDA line" in error.message
