"""
Measures what the project promises about itself, on a machine without a GPU, and prints JSON.

    python benchmarks/measure.py > benchmarks/results/DATE-cpu.json

Start-up is the ratio of `ptir-opt` to `xdsl-opt` on an empty module, alternating in one run; SASS counts are
of the 128x128 tile on 256x384x512; emulator time is of the same kernel.
"""

from __future__ import annotations

import json
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

import ptir
from ptir.backends.cuda.sass import counts
from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.region import RegionKernelOp
from ptir.dialects.schedule import Cache, Schedule, Vectorize
from ptir.runtime.devices import Emulator

HERE = Path(__file__).parent
M, N, K = 256, 384, 512
GEMM = f"""
func.func @gemm(%x: tensor<{M}x{K}xbf16>, %w: tensor<{K}x{N}xbf16>) -> tensor<{M}x{N}xf32> {{
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32
    : (tensor<{M}x{K}xbf16>, tensor<{K}x{N}xbf16>) -> tensor<{M}x{N}xf32>
  func.return %0 : tensor<{M}x{N}xf32>
}}
"""
INTERESTING = ("HMMA", "LDGSTS", "LDSM", "STG", "SHFL", "BAR")


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def start_up(rounds: int = 15) -> dict[str, float]:
    """Medians in seconds and their ratio."""
    tools = {name: str(Path(sys.executable).parent / name) for name in ("ptir-opt", "xdsl-opt")}
    times: dict[str, list[float]] = {name: [] for name in tools}
    for _ in range(rounds):
        for name, path in tools.items():
            command = [path]
            times[name].append(
                seconds(
                    lambda c=command: subprocess.run(c, input=b"builtin.module {}", stdout=subprocess.PIPE, check=True)
                )
            )
    medians = {name: round(statistics.median(t), 4) for name, t in times.items()}
    return {**medians, "ratio": round(medians["ptir-opt"] / medians["xdsl-opt"], 3)}


def big_tile() -> dict[str, Any]:
    """The 128x128x64 tile with three stages and 64x64 warp tiles."""
    module = ptir.parse(GEMM)
    ptir.PassManager("ptir-to-tiny,form-regions").run(module)
    plan = Schedule(
        arch="sm80",
        tile=(128, 128, 64),
        stages=3,
        warp_tile="64x64",
        cache=(Cache(tensor="A"), Cache(tensor="B")),
        vectorize=Vectorize(axis="n.i.i", width=8),
    )
    for op in module.walk():
        if isinstance(op, RegionKernelOp):
            op.plan = ScheduleAttr(plan)
    device = Emulator()
    compiled = ptir.compile(module, device=device)
    rng = np.random.default_rng(0)
    x, w = (rng.integers(-3, 4, s).astype(ml_dtypes.bfloat16) for s in ((M, K), (K, N)))
    elapsed = [seconds(lambda: compiled(x, w)) for _ in range(3)]
    (y,) = compiled(x, w)
    resources = compiled.program.binary.kernels["gemm_0"]
    sass = counts(compiled.program.binary.cubin)
    return {
        "bit_equal_to_numpy": bool(np.array_equal(y, x.astype(np.float32) @ w.astype(np.float32))),
        "registers": resources.registers,
        "spill_bytes": resources.spill_stores + resources.spill_loads,
        "sass": {name: n for name, n in sorted(sass.items()) if name.startswith(INTERESTING)},
        "emulator_seconds": round(min(elapsed), 3),
        "bank_conflicts": device.reports[-1].bank_conflicts,
    }


def stages() -> dict[str, float]:
    compiled = ptir.compile(HERE.parent / "examples" / "digits" / "mlp.mlir")
    return {s.name: round(s.seconds, 4) for s in compiled.program.stages}


if __name__ == "__main__":
    report = {
        "machine": f"{platform.machine()}, Python {platform.python_version()}, no GPU",
        "start_up_seconds": start_up(),
        "digits_mlp_stage_seconds": stages(),
        "gemm_256x384x512_tile_128x128x64": big_tile(),
    }
    print(json.dumps(report, indent=2))
