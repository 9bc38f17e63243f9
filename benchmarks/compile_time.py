"""
Measures compile time: the pipeline compared with NVRTC, and PTIR text to cubin compared with Triton.

    python -m venv /tmp/triton && /tmp/triton/bin/pip install triton
    python benchmarks/compile_time.py --triton /tmp/triton/bin/python --out benchmarks/results/DATE-compile-time.json

The two compilers take turns in warm processes with cold caches: the cache on disk, and the compiler's caches of maps and
plans, are emptied before each compilation, and so is Triton's cache. Both compile the same tile, type and stages of a product for
the same architecture. The plan is the planner's, or is pinned if the case has one. On SM90 Triton compiles each form of
`triton_gemm.py`; its form `specialised` corresponds to the warp-specialized template. Attention has the planner's plan, and Triton's
(`triton_attention.py`) has the best of the tutorial's tiles. The report has the medians of
`--rounds` runs, of wall time and of CPU time (user and system, ptxas included), which other load on the machine disturbs
less. They also tell what is in the times: the CUDA of the same program is compiled as far as PTX, so that the rest of NVRTC's time is
ptxas', Triton runs ptxas in a process of its own, and an empty kernel shows what a call of NVRTC costs.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from attentions import TRITON, Attention
from plans import kernels, pin, planned, regions, with_roles
from processor_time import cpu_seconds
from products import Product
from triton_server import Triton
from xdsl.dialects.builtin import ModuleOp

import ptir
from ptir.backends.cuda import nvrtc
from ptir.dialects.plan.schedule import Cache, Schedule, Vectorize
from ptir.planning.warp_specialized.resources import Shape
from ptir.runtime.compile import Program
from ptir.targets.architectures import ARCHS

TRITON_TYPES = {"bf16": "bf16", "f16": "fp16", "f32": "fp32"}
FORMS = {"pointers": 8, "tma": 8, "specialised": 4}
"""The forms of Triton's kernel on SM90, with their `num_warps` for two consumer warpgroups; `specialised` counts only one."""


@dataclass(frozen=True)
class Sm80:
    """A plan for mma.sync."""

    tile: tuple[int, int, int]
    stages: int
    warp_tile: str = "64x64"

    def schedule(self) -> Schedule:
        return Schedule(
            arch="sm80",
            tile=self.tile,
            stages=self.stages,
            warp_tile=self.warp_tile,
            cache=(Cache(tensor="A"), Cache(tensor="B")),
            vectorize=Vectorize(axis="n.i.i", width=8),
        )


@dataclass(frozen=True)
class Case:
    """A workload and an architecture; the planner chooses the plan if `plan` is None."""

    work: Product | Attention
    plan: Sm80 | Shape | None = None
    arch: str = "sm80"

    def planned(self) -> ModuleOp:
        """Returns the workload as regions with a plan, which is warp-specialized on SM90."""
        if self.plan is None:
            return planned(self.work.text, self.arch)
        module = regions(self.work.text, self.arch)
        return pin(module, self.plan.schedule()) if isinstance(self.plan, Sm80) else with_roles(module, self.plan)


def square(dtype: str, *, out: str = "", transposed: bool = False, epilogue: tuple[str, ...] = ()) -> Product:
    return Product(dtype, (4096, 4096, 4096), out, epilogue, transposed)


CASES = (
    Case(square("bf16")),
    Case(square("f16")),
    Case(square("bf16"), Sm80((128, 128, 64), 3)),
    Case(square("bf16"), Sm80((128, 128, 32), 4)),
    Case(Product("bf16", (256, 384, 512)), Sm80((128, 128, 32), 3)),
    Case(square("bf16", out="bf16"), None, "sm90"),
    Case(square("bf16", out="bf16", transposed=True), None, "sm90"),
    Case(square("bf16", out="bf16"), Shape((128, 256, 64), (64, 256), 3), "sm90"),
    Case(square("f16", out="f16", transposed=True), Shape((128, 128, 64), (64, 128), 4), "sm90"),
    *(
        Case(Attention(4096, 4096, size=size, batch=4, heads=16, mask=mask), None, arch)
        for arch, size, mask in (
            ("sm80", 128, "none"),
            ("sm80", 128, "causal"),
            ("sm90", 128, "none"),
            ("sm90", 128, "causal"),
            ("sm90", 64, "causal"),
        )
    ),
)


@dataclass(frozen=True)
class Time:
    """Wall time and CPU time, in seconds."""

    wall: float
    cpu: float

    @staticmethod
    def now() -> Time:
        return Time(time.perf_counter(), cpu_seconds())

    def __sub__(self, other: Time) -> Time:
        return Time(self.wall - other.wall, self.cpu - other.cpu)


@contextmanager
def timed_nvrtc() -> Iterator[list[Time]]:
    """Yields a list to which the time of every call of NVRTC is added."""
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
    """Compiles a case from text to cubin; returns the total time, the part that NVRTC took, and the program."""
    for module in [module for name, module in sys.modules.items() if name.startswith("ptir.")]:
        for cached in vars(module).values():
            if hasattr(cached, "cache_parameters") and cached.cache_parameters()["maxsize"]:
                cached.cache_clear()  # without a bound, it holds tables
    gc.collect()
    with tempfile.TemporaryDirectory() as cold, timed_nvrtc() as inside:
        os.environ["PTIR_CACHE_DIR"] = cold
        start = Time.now()
        compiled = ptir.compile(case.work.text if case.plan is None else case.planned(), arch=case.arch).program
        total = Time.now() - start
    return total, Time(sum(t.wall for t in inside), sum(t.cpu for t in inside)), compiled


EMPTY = 'extern "C" __global__ void empty() {}'


def to_ptx(source: str, arch: str) -> Time:
    """Returns the time that NVRTC takes to compile CUDA to PTX, without ptxas."""
    bindings: Any = import_module("cuda.bindings.nvrtc")
    target = ARCHS[arch].target.replace("sm_", "compute_")
    flags = [flag.encode() for flag in (f"-arch={target}", *nvrtc.STANDARD_OPTIONS)]
    program = bindings.nvrtcCreateProgram(source.encode(), b"kernel.cu", 0, [], [])[1]
    start = Time.now()
    (status,) = bindings.nvrtcCompileProgram(program, len(flags), flags)
    total = Time.now() - start
    bindings.nvrtcDestroyProgram(program)
    assert status == bindings.nvrtcResult.NVRTC_SUCCESS
    return total


def plan_of(case: Case) -> Schedule:
    """Returns the plan of the case's kernel."""
    (kernel,) = kernels(case.planned())
    assert kernel.plan is not None
    return kernel.plan.schedule()


def requests(case: Case, plan: Schedule) -> tuple[str, dict[str, dict[str, Any]]]:
    """Returns the program that has Triton's kernel, and by form the arguments for which it compiles it."""
    arch, work = int(plan.arch[2:]), case.work
    if isinstance(work, Attention):
        best = TRITON[case.arch, work.size]
        return "triton_attention.py", {
            best.form: {"arch": arch, "size": work.size, "causal": work.mask == "causal", **asdict(best)}
        }
    common = {
        "arch": arch,
        "tile": plan.tile,
        "stages": plan.stages,
        "dtype": TRITON_TYPES[work.dtype],
        "out": TRITON_TYPES[work.result],
        "transposed": work.transposed,
    }
    warps = FORMS if plan.warp_specialized else {"pointers": plan.threads // 32}
    return "triton_gemm.py", {form: {**common, "form": form, "warps": n} for form, n in warps.items()}


def milliseconds(values: Sequence[float]) -> list[float]:
    return [round(1000 * v, 1) for v in values]


def ratios(name: str, above: Sequence[Time], below: Sequence[Time]) -> dict[str, float]:
    """Returns the ratios of the medians, of wall time and of CPU time."""
    return {
        f"{name}{suffix}": round(
            statistics.median(getattr(t, clock) for t in above) / statistics.median(getattr(t, clock) for t in below), 3
        )
        for clock, suffix in (("wall", ""), ("cpu", "_cpu"))
    }


def measure(case: Case, tritons: dict[str, Triton], rounds: int) -> dict[str, Any]:
    plan = plan_of(case)
    program, forms = requests(case, plan)
    triton = tritons.get(program)
    totals: list[Time] = []
    inside: list[Time] = []
    ptx: list[Time] = []
    theirs: dict[str, list[Time]] = {form: [] for form in forms if triton}
    ptxas: dict[str, list[float]] = {form: [] for form in theirs}
    found: dict[str, Any] = {}
    stages: list[dict[str, float]] = []
    for round_ in range(rounds + 1):
        total, nvrtc_time, compiled = ours(case)
        answers = {form: triton.compile(**asked) for form, asked in forms.items()} if triton is not None else {}
        if round_ == 0:  # the first round warms both compilers up
            found = {form: answer.get("refused", answer.get("found")) for form, answer in answers.items()}
            continue
        totals.append(total)
        inside.append(nvrtc_time)
        ptx.append(to_ptx(compiled.cuda, case.arch))
        stages.append({s.name: s.seconds for s in compiled.stages})
        for form, answer in answers.items():
            if "refused" not in answer:
                theirs[form].append(Time(answer["seconds"], answer["cpu_seconds"]))
                ptxas[form].append(answer["ptxas_cpu_seconds"])
    pipeline = [t - n for t, n in zip(totals, inside, strict=True)]
    report: dict[str, Any] = {
        "arch": case.arch,
        "workload": case.work.name,
        "plan": {
            "tile": plan.tile,
            "stages": plan.stages,
            "warp_tile": plan.warp_tile,
            "roles": str(plan.roles) if plan.warp_specialized else None,
            "cluster": plan.cluster,
            "pinned": case.plan is not None,
        },
        "pipeline_ms": milliseconds([t.wall for t in pipeline]),
        "nvrtc_ms": milliseconds([t.wall for t in inside]),
        "total_ms": milliseconds([t.wall for t in totals]),
        "total_cpu_ms": milliseconds([t.cpu for t in totals]),
        "pipeline_cpu_ms": milliseconds([t.cpu for t in pipeline]),
        "nvrtc_to_ptx_cpu_ms": milliseconds([t.cpu for t in ptx]),
        "nvrtc_ptxas_cpu_ms": milliseconds([t.cpu - p.cpu for t, p in zip(inside, ptx, strict=True)]),
        **ratios("pipeline_by_nvrtc", pipeline, inside),
        "stage_ms": {
            name: round(1000 * statistics.median(s[name] for s in stages), 2) for name in stages[0] if name != "NVRTC"
        },
    }
    for form, times in theirs.items():
        row: dict[str, Any] = {"found": found[form]}
        if times:
            row["ms"] = milliseconds([t.wall for t in times])
            row["cpu_ms"] = milliseconds([t.cpu for t in times])
            row["ptxas_cpu_ms"] = milliseconds(ptxas[form])
            row |= ratios("total_by_triton", totals, times)
        report.setdefault("triton", {})[form] = row
    return report


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Compile time compared with NVRTC's and Triton's.")
    parser.add_argument("--triton", help="the Python of an environment that has Triton")
    parser.add_argument("--arch", choices=["sm80", "sm90"], help="only its kernels")
    parser.add_argument("--only", help="only workloads whose names start with this")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, help="the JSON to write")
    options = parser.parse_args(argv)
    programs = ("triton_gemm.py", "triton_attention.py") if options.triton else ()
    tritons = {program: Triton(options.triton, program) for program in programs}
    cases = [
        case for case in CASES if options.arch in (None, case.arch) and case.work.name.startswith(options.only or "")
    ]
    report = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, no GPU",
        "nvrtc": nvrtc.nvrtc_version(),
        "triton": next((triton.version for triton in tritons.values()), None),
        "rounds": options.rounds,
        "empty_to_ptx_cpu_ms": milliseconds([to_ptx(EMPTY, "sm90").cpu for _ in range(options.rounds)]),
        "limits": {"pipeline_by_nvrtc": 0.7, "total_by_triton": 0.6},
        "kernels": [measure(case, tritons, options.rounds) for case in cases],
    }
    text = json.dumps(report, indent=2)
    print(text)
    if options.out:
        options.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
