"""
How long a kernel takes to compile: the pipeline beside its NVRTC, and PTIR text to cubin beside Triton.

    python -m venv /tmp/triton && /tmp/triton/bin/pip install triton
    python benchmarks/compile_time.py --triton /tmp/triton/bin/python --out benchmarks/results/DATE-compile-time.json

The two take turns in processes that are warm, with caches that are cold: the cache on disk and what the compiler
remembers of maps are emptied before each compilation, as is Triton's. Both compile the same tile, type and stages for
sm_80; the plan is the planner's or, where a case names one, pinned between the passes. Medians of `--rounds`, once of
the time that passed and once of the processors' (user and system, ptxas included), which other work on the machine
disturbs less.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from processor_time import cpu_seconds
from products import TYPES, program
from xdsl.dialects.builtin import ModuleOp

import ptir
from ptir.analysis import affine
from ptir.backends.cuda import nvrtc
from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.region import RegionKernelOp
from ptir.dialects.schedule import Cache, Schedule, Vectorize
from ptir.runtime.compile import UPPER, Program

HERE = Path(__file__).parent
TRITON_TYPES = {"bf16": "bf16", "f16": "fp16"}


@dataclass(frozen=True)
class Case:
    """A product of `sizes`; a `tile` pins the plan."""

    dtype: str
    sizes: tuple[int, int, int] = (4096, 4096, 4096)
    tile: tuple[int, int, int] | None = None
    stages: int = 3
    warp_tile: str = "64x64"

    @property
    def text(self) -> str:
        return program(TYPES[self.dtype], self.sizes)


CASES = (
    Case("bf16"),
    Case("f16"),
    Case("bf16", tile=(128, 128, 64), stages=3),
    Case("bf16", tile=(128, 128, 32), stages=4),
    Case("bf16", sizes=(256, 384, 512), tile=(128, 128, 32), stages=3),
)


def pinned(module: ModuleOp, case: Case) -> None:
    """Gives the regions the plan that the case names, if it names one."""
    if case.tile is None:
        return
    plan = Schedule(
        arch="sm80",
        tile=case.tile,
        stages=case.stages,
        warp_tile=case.warp_tile,
        cache=(Cache(tensor="A"), Cache(tensor="B")),
        vectorize=Vectorize(axis="n.i.i", width=8),
    )
    for op in module.walk():
        if isinstance(op, RegionKernelOp):
            op.plan = ScheduleAttr(plan)


@dataclass(frozen=True)
class Time:
    """Seconds: those that passed, and those of the processors."""

    wall: float
    cpu: float

    @staticmethod
    def now() -> Time:
        return Time(time.perf_counter(), cpu_seconds())

    def __sub__(self, other: Time) -> Time:
        return Time(self.wall - other.wall, self.cpu - other.cpu)


@contextmanager
def timed_nvrtc() -> Iterator[list[Time]]:
    """Times every call of NVRTC."""
    real, times = nvrtc._compile, list[Time]()  # pyright: ignore[reportPrivateUsage]

    def compile(*args: Any) -> Any:
        start = Time.now()
        try:
            return real(*args)
        finally:
            times.append(Time.now() - start)

    nvrtc._compile = compile  # pyright: ignore[reportPrivateUsage]
    try:
        yield times
    finally:
        nvrtc._compile = real  # pyright: ignore[reportPrivateUsage]


def ours(case: Case) -> tuple[Time, Time, Program]:
    """From text to cubin, and how much of that NVRTC took."""
    for cached in vars(affine).values():
        if hasattr(cached, "cache_clear"):
            cached.cache_clear()
    gc.collect()
    with tempfile.TemporaryDirectory() as cold, timed_nvrtc() as inside:
        os.environ["PTIR_CACHE_DIR"] = cold
        start = Time.now()
        module = ptir.PassManager(UPPER).run(ptir.parse(case.text))
        pinned(module, case)
        compiled = ptir.compile(module).program
        total = Time.now() - start
    return total, Time(sum(t.wall for t in inside), sum(t.cpu for t in inside)), compiled


def plan_of(case: Case) -> Schedule:
    """The plan that the kernel of the case has."""
    module = ptir.PassManager(UPPER).run(ptir.parse(case.text))
    pinned(module, case)
    ptir.PassManager("plan-regions{arch=sm80}").run(module)
    (kernel,) = [o for o in module.walk() if isinstance(o, RegionKernelOp)]
    assert kernel.plan is not None
    return kernel.plan.schedule()


class Triton:
    """A warm process that compiles on request."""

    def __init__(self, python: str):
        command = [python, "-W", "ignore", str(HERE / "triton_gemm.py")]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.version: str = self._answer()["version"]

    def compile(self, plan: Schedule, dtype: str) -> dict[str, Any]:
        warps = plan.threads // 32
        case = {"tile": plan.tile, "stages": plan.stages, "warps": warps, "dtype": TRITON_TYPES[dtype]}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(case) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("Triton's process ended; its message is above")
        return json.loads(line)


def milliseconds(values: Sequence[float]) -> list[float]:
    return [round(1000 * v, 1) for v in values]


def ratios(name: str, above: Sequence[Time], below: Sequence[Time]) -> dict[str, float]:
    """Ratios of the medians, by both clocks."""
    return {
        f"{name}{suffix}": round(
            statistics.median(getattr(t, clock) for t in above) / statistics.median(getattr(t, clock) for t in below), 3
        )
        for clock, suffix in (("wall", ""), ("cpu", "_cpu"))
    }


def measure(case: Case, triton: Triton | None, rounds: int) -> dict[str, Any]:
    plan = plan_of(case)
    ours(case)  # warms both up
    if triton is not None:
        triton.compile(plan, case.dtype)
    totals: list[Time] = []
    inside: list[Time] = []
    theirs: list[Time] = []
    stages: list[dict[str, float]] = []
    for _ in range(rounds):
        total, nvrtc_time, compiled = ours(case)
        totals.append(total)
        inside.append(nvrtc_time)
        stages.append({s.name: s.seconds for s in compiled.stages})
        if triton is not None:
            answer = triton.compile(plan, case.dtype)
            theirs.append(Time(answer["seconds"], answer["cpu_seconds"]))
    pipeline = [t - n for t, n in zip(totals, inside, strict=True)]
    report: dict[str, Any] = {
        "sizes": case.sizes,
        "dtype": case.dtype,
        "plan": {
            "tile": plan.tile,
            "stages": plan.stages,
            "warp_tile": plan.warp_tile,
            "pinned": case.tile is not None,
        },
        "pipeline_ms": milliseconds([t.wall for t in pipeline]),
        "nvrtc_ms": milliseconds([t.wall for t in inside]),
        "total_ms": milliseconds([t.wall for t in totals]),
        **ratios("pipeline_by_nvrtc", pipeline, inside),
        "stage_ms": {
            name: round(1000 * statistics.median(s[name] for s in stages), 2) for name in stages[0] if name != "NVRTC"
        },
    }
    if theirs:
        report["triton_ms"] = milliseconds([t.wall for t in theirs])
        report |= ratios("total_by_triton", totals, theirs)
    return report


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Compile time beside NVRTC's and Triton's.")
    parser.add_argument("--triton", help="the Python of an environment that has Triton")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, help="the JSON to write")
    options = parser.parse_args(argv)
    triton = Triton(options.triton) if options.triton else None
    kernels = [measure(case, triton, options.rounds) for case in CASES]
    report = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, no GPU",
        "nvrtc": nvrtc.nvrtc_version(),
        "triton": triton.version if triton is not None else None,
        "rounds": options.rounds,
        "limits": {"pipeline_by_nvrtc": 0.7, "total_by_triton": 0.6},
        "kernels": kernels,
    }
    text = json.dumps(report, indent=2)
    print(text)
    if options.out:
        options.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
