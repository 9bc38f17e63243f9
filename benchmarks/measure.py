"""
Measures start-up, compilation, generated code and emulation on a machine without a GPU, and prints JSON.

    python benchmarks/measure.py > benchmarks/results/DATE-cpu.json

- Start-up: the times of `ptir-opt` and `xdsl-opt` on an empty module, which run in turns, and their ratio.
- Compilation: the time of each stage for `examples/digits/mlp.mlir`.
- SASS: instruction counts of two kernels for a 256x384x512 product. The SM80 kernel has a 128x128 tile, cp.async and
  mma.sync; the SM90 kernel has a 128x192 tile, roles, TMA and wgmma.
- Emulation: the time of the same kernels, with every detector on.
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

import numpy as np
from plans import pin, regions, with_roles
from products import Product
from xdsl.dialects.builtin import ModuleOp

import ptir
from ptir.backends.cuda.sass import counts
from ptir.dialects.plan.schedule import Cache, Schedule, Vectorize
from ptir.planning.warp_specialized.resources import Shape
from ptir.runtime.devices import Emulator

HERE = Path(__file__).parent
GEMM = Product("bf16", (256, 384, 512))
INTERESTING = ("HMMA", "LDGSTS", "LDSM", "STG", "SHFL", "BAR", "HGMMA", "UTMA", "SYNCS", "STSM")


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def start_up(rounds: int = 15) -> dict[str, float]:
    """Returns the median start-up time of each tool in seconds, and their ratio."""
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


def sm80() -> ModuleOp:
    """Returns the product with a 128x128x64 tile, three stages and 64x64 warp tiles."""
    plan = Schedule(
        arch="sm80",
        tile=(128, 128, 64),
        stages=3,
        warp_tile="64x64",
        cache=(Cache(tensor="A"), Cache(tensor="B")),
        vectorize=Vectorize(axis="n.i.i", width=8),
    )
    return pin(regions(GEMM.text), plan)


def sm90() -> ModuleOp:
    """Returns the product with a 128x192x64 tile, two cooperative consumer warpgroups, three stages and clusters of two."""
    return with_roles(regions(GEMM.text), Shape((128, 192, 64), (64, 192), 3, roles="cooperative", cluster=(2, 1)))


def emulated(module: ModuleOp, arch: str) -> dict[str, Any]:
    """Returns the registers, SASS counts and emulation times of a kernel for `GEMM`, and whether its result equals NumPy's."""
    device = Emulator()
    compiled = ptir.compile(module, arch=arch, device=device)
    x, w = GEMM.operands(0, integers=True)
    elapsed: list[float] = []
    used: list[float] = []
    for _ in range(5):
        start = time.process_time()
        elapsed.append(seconds(lambda: compiled(x, w)))
        used.append(time.process_time() - start)
    (y,) = compiled(x, w)
    resources = compiled.program.binary.kernels["product_0"]
    sass = counts(compiled.program.binary.cubin)
    return {
        "bit_equal_to_numpy": bool(np.array_equal(y, x.astype(np.float32) @ w.astype(np.float32))),
        "registers": resources.registers,
        "spill_bytes": resources.spill_stores + resources.spill_loads,
        "sass": {name: n for name, n in sorted(sass.items()) if name.startswith(INTERESTING)},
        "emulator_seconds": round(min(elapsed), 3),
        "emulator_cpu_seconds": round(min(used), 3),
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
        "gemm_256x384x512_tile_128x128x64": emulated(sm80(), "sm80"),
        "gemm_256x384x512_tile_128x192x64_sm90": emulated(sm90(), "sm90"),
    }
    print(json.dumps(report, indent=2))
