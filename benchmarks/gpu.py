"""
Checks that results are right on a GPU, and measures how fast they are computed.

    python benchmarks/gpu.py                     # all of it within ten minutes; writes benchmarks/results/
    python benchmarks/gpu.py --quick             # small sizes only
    python benchmarks/gpu.py --only ladder       # one part of it

1. **correctness**: products of many shapes and types on the GPU, in the emulator and by the interpreter. On integers all
   three must agree bit for bit; on random data both devices must stay within the bounds that follow from the roundings
   of the types.
2. **micro**: each instruction of nv kernels on the GPU and in the emulator (`micro.py`). The GPU's results are written to
   a file, with which the emulator can be tested on a machine without a GPU.
3. **ladder**: on GPUs with wgmma, one field of the plan is changed after the other, and the time is compared with the
   planner's prediction (`ladder.py`).
4. **timings**: square products, attention, convolutions, epilogues, types, batches and the projections of language models
   (`workloads.py`), replayed in a CUDA graph with a cold L2 on random data (`runtime/replay.py`). If PyTorch is installed, its
   kernels and Triton's take turns with this project's (`rivals.py`); a ratio of the medians above 1 means that this project's
   kernel is faster. Before a workload is timed, elements from all parts of its result on integers are compared with NumPy's;
   after it, those of the last result on random data.

It needs a driver, NVRTC and the package's own requirements. The report (JSON and a table) is written after every row, so
that an interrupted run leaves its rows; no row is begun after `--budget` seconds. The exit status is 1 if a result is wrong.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.util
import json
import platform
import re
import statistics
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


def find_ptir() -> None:
    """Imports the package `ptir` from the repository's root if it is not installed."""
    if importlib.util.find_spec("ptir") is not None:
        return
    root = HERE.parent
    spec = importlib.util.spec_from_file_location("ptir", root / "__init__.py", submodule_search_locations=[str(root)])
    assert spec is not None and spec.loader is not None
    sys.modules["ptir"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)


try:
    find_ptir()
    sys.path.insert(0, str(HERE))
    import ladder
    import micro
    import numpy as np
    import workloads
    from plans import planned, prediction
    from products import Product
    from report import Report
    from rivals import TorchReplay, rivals, torch_version
    from workload import Array, Workload
    from xdsl.dialects.builtin import ModuleOp

    import ptir
    from ptir.errors import PtirError
    from ptir.runtime.compile import Program
    from ptir.runtime.devices import Emulator
    from ptir.runtime.driver import DeviceUnavailable, DriverFailure
    from ptir.runtime.execute import execute
    from ptir.runtime.gpu import Gpu
    from ptir.runtime.replay import Replay
    from ptir.semantics.bounds import check
    from ptir.targets.architectures import ARCHS, Arch
    from ptir.targets.machines import Machine, machine_in, machine_of
except ModuleNotFoundError as error:
    raise SystemExit(f"gpu.py: {error}; `pip install .` in the repository's root installs what is needed") from None

QUICK = ((128, 128, 64), (3, 40, 24, 48))
SHARES = {"correctness": 0.3, "micro": 0.4, "ladder": 0.55, "timings": 1.0}
"""The time at which each part must end, as a share of the budget."""


def best_arch(gpu: Gpu) -> Arch:
    """
    Returns the newest architecture whose kernels the GPU can run: code for `sm_90a` needs exactly this compute capability,
    other code needs at least its own, and the GPU must have the architecture's shared memory.
    """
    capability = gpu.capability
    shared = gpu.attribute("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN")

    fitting = [a for a in ARCHS.values() if stands_in(a, capability) and a.shared_per_block <= shared]
    if not fitting:
        raise SystemExit(f"gpu.py: {gpu.name} is sm_{capability}; the kernels need sm_80 or newer")
    return max(fitting, key=lambda a: int(a.name[2:]))


def stands_in(arch: Arch, capability: int) -> bool:
    """Returns whether a GPU of this compute capability runs code for `arch`; only code for sm_90a does not run on later GPUs."""
    number = int(arch.name[2:])
    return number == capability if arch.target.endswith("a") else number <= capability


def machine_for(gpu: Gpu, arch: Arch) -> Machine:
    """Returns the machine that plans are made for: the one with the GPU's name, or the first one of its architecture."""
    return machine_in(gpu.name, arch.name) or machine_of(arch.name)


def refusal(error: Exception) -> dict[str, str]:
    """Returns the row for a product that was not compiled, or that the driver did not run."""
    code = f"{error.code}: " if isinstance(error, PtirError) else f"{type(error).__name__}: "
    text = error.message if isinstance(error, PtirError) else str(error)
    return {"refused": code + (text.splitlines() or [""])[0]}


# --- correctness -----------------------------------------------------------------------------------


def correctness(report: Report, gpu: Gpu, machine: Machine, shapes: Sequence[Sequence[int]]) -> None:
    for product in report.in_time("correctness", list(workloads.compared(shapes))):
        row: dict[str, Any] = {"product": product.name}
        try:
            compiled = compiled_for(product, machine)[0]
        except PtirError as error:
            report.add("correctness", row | refusal(error))
            continue
        try:
            row |= compared(product, compiled, gpu)
            wrong = not all(value for key, value in row.items() if key.endswith(("equal", "bounds")))
        except Exception as error:  # a fault of one kernel must not hide the others
            traceback.print_exc()
            row |= {"failed": f"{type(error).__name__}: {str(error).splitlines()[0]}"}
            wrong = True
        report.add("correctness", row, wrong=wrong)


def compiled_for(work: Workload, machine: Machine) -> tuple[Program, dict[str, Any]]:
    """Returns the workload, compiled with the planner's plan for the machine, and the planner's prediction."""
    module = planned(work.text, machine.arch, machine)
    return compile_planned(module, machine), prediction(module, machine.arch, machine)


def compile_planned(module: ModuleOp, machine: Machine) -> Program:
    return ptir.compile(module, arch=machine.arch, allow_spills=True).program


def compared(product: Product, compiled: Program, gpu: Gpu) -> dict[str, Any]:
    """Runs integers on the GPU, the emulator and the interpreter, and random data on the GPU and the emulator."""
    whole = product.operands(1, integers=True)
    (on_gpu,), (emulated,), (meant,) = (
        run(compiled, gpu, whole),
        run(compiled, Emulator(), whole),
        ptir.reference(product.text, *whole),
    )
    row: dict[str, Any] = {
        "integers_gpu_reference_equal": same_bits(on_gpu, meant),
        "integers_gpu_emulator_equal": same_bits(on_gpu, emulated),
    }
    if product.type.integral:
        return row
    random = product.operands(2)
    (on_gpu,), (emulated,) = run(compiled, gpu, random), run(compiled, Emulator(), random)
    (bound,) = ptir.bounds(product.text, *random)
    off = np.abs(on_gpu.astype(np.float64) - emulated.astype(np.float64))
    return row | {
        "random_gpu_in_bounds": check(on_gpu, bound).ok,
        "random_emulator_in_bounds": check(emulated, bound).ok,
        "random_gpu_emulator_distance": float(off.max()),
    }


def run(compiled: Program, device: Any, arrays: Sequence[Array]) -> tuple[Array, ...]:
    return execute(compiled, arrays, device)


def same_bits(a: Array, b: Array) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


# --- micro-kernels ---------------------------------------------------------------------------------


def micro_kernels(report: Report, gpu: Gpu, arch: Arch, path: Path) -> None:
    """Compares each micro-kernel on the GPU and in the emulator; writes the GPU's results to `path`."""
    answers: list[dict[str, Any]] = []
    for kernel in report.in_time("micro", list(micro.kernels())):
        if int(kernel.target[3:]) > int(arch.name[2:]):
            continue
        row: dict[str, Any] = {"kernel": kernel.name}
        try:
            on_gpu = micro.run(kernel, gpu, arch.target)
            answers.append(micro.to_json(kernel, on_gpu))
            found = micro.differences(kernel, micro.run(kernel, Emulator()), on_gpu)
            row["differences"] = found
            wrong = bool(found)
        except Exception as error:
            row["failed"] = f"{type(error).__name__}: {str(error).splitlines()[0]}"
            wrong = True
        report.add("micro", row, wrong=wrong)
    path.write_text(json.dumps({"gpu": gpu.name, "kernels": answers}, indent=1) + "\n", encoding="utf-8")


# --- the ladder and the timings --------------------------------------------------------------------


def climb(report: Report, gpu: Gpu, machine: Machine, products: Sequence[Product], rounds: int) -> None:
    """Prints the planner's prediction for every rung of the ladder, and measures it."""
    if not ARCHS[machine.arch].has_wgmma:
        return
    rungs = [(product, *rung) for product in products for rung in ladder.rungs(product, machine)]
    for product, step, module, expects in report.in_time("ladder", rungs):
        print(f"{product.name}, {step}: {expects['plan']}, {expects['expected']} microseconds expected", flush=True)
        row = {"product": product.name, "step": step, **expects}
        report.add("ladder", *timed(gpu, product, lambda m=module: compile_planned(m, machine), row, rounds, "torch"))


def timings(report: Report, gpu: Gpu, machine: Machine, groups: dict[str, list[Workload]], rounds: int) -> None:
    for group, work in report.in_time("timings", [(name, w) for name, ws in groups.items() for w in ws]):
        row: dict[str, Any] = {"group": group, "workload": work.name}
        try:
            compiled, expects = compiled_for(work, machine)
        except PtirError as error:
            report.add("timings", row | refusal(error))
            continue
        report.add("timings", *timed(gpu, work, lambda c=compiled: c, row | expects, rounds))


def timed(
    gpu: Gpu, work: Workload, compile: Callable[[], Program], row: dict[str, Any], rounds: int, only: str = ""
) -> tuple[dict[str, Any], bool]:
    """Returns the row with the measurements, and whether a result was wrong. `only` names a rival to time, instead of all."""
    try:
        row |= measured(gpu, work, compile(), rounds, only)
    except (PtirError, RuntimeError, MemoryError) as error:
        return row | refusal(error), isinstance(error, DriverFailure) or not isinstance(error, PtirError)
    return row, not (row["integers_agree"] and row["random_in_bounds"])


def measured(gpu: Gpu, work: Workload, compiled: Program, rounds: int, only: str) -> dict[str, Any]:
    whole = work.operands(3, integers=True)
    row: dict[str, Any] = {"integers_agree": work.agrees(run(compiled, gpu, whole)[0], whole, whole=True)}
    del whole
    data = work.operands(4)
    times: dict[str, list[float]] = {}
    with ExitStack() as stack:
        ours = stack.enter_context(Replay(gpu, compiled, data))
        turns = {"ours": ours, **others(gpu, work, data, only, row, stack)}
        for _ in range(rounds):
            for name, replay in turns.items():
                times.setdefault(name, []).append(replay.seconds())
        row["random_in_bounds"] = work.agrees(ours.results()[0], data)
        row["sets"] = len(ours.sets)
    used = max(compiled.binary.kernels.values(), key=lambda r: r.registers)
    seconds = {name: statistics.median(measurements) for name, measurements in times.items()}
    row |= {
        "microseconds": round(1e6 * seconds["ours"], 2),
        "fastest_microseconds": round(1e6 * min(times["ours"]), 2),
        "tera_per_second": round(work.operations / seconds["ours"] / 1e12, 1),
        "registers": used.registers,
        "spill_bytes": used.spill_stores + used.spill_loads,
    }
    best: dict[str, float] = {}
    for name, value in seconds.items():
        kind = name.split()[0]
        best[kind] = min(value, best.get(kind, value))
    for name in [name for name in best if name != "ours"]:
        row[f"{name}_microseconds"] = round(1e6 * best[name], 2)
        row[f"ratio_to_{name}"] = round(best[name] / best["ours"], 3)
    return row


def others(
    gpu: Gpu, work: Workload, data: tuple[Array, ...], only: str, row: dict[str, Any], stack: ExitStack
) -> dict[str, TorchReplay]:
    """Returns the rivals that can run the workload; the reason why another cannot is added to the row."""
    found: dict[str, TorchReplay] = {}
    if torch_version() is None:
        return found
    torch: Any = import_module("torch")
    for name, make in rivals(torch, work):
        if only in ("", name):
            try:
                found[name] = TorchReplay(gpu, torch, work, data, make())
                stack.callback(found[name].close)
            except Exception as error:  # PyTorch and Triton may raise anything
                row[name] = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"[:200]
    return found


# --- the command -----------------------------------------------------------------------------------


def quick_groups() -> dict[str, list[Workload]]:
    """Returns one small workload of each group, and a product of each type."""
    m, n, k = QUICK[0]
    plain = workloads.plain
    more = [plain(dtype, m, n, k, transposed=True) for dtype in workloads.TYPES]
    first = workloads.CONVOLUTIONS[2]
    return {
        "squares": [plain("bf16", m, n, k)],
        "attention": [workloads.Attention(m, m, size=16, heads=2, mask="causal")],
        "convolutions": [replace(first, channels=8, filters=16, size=5, images=1)],
        "epilogues": [plain("bf16", m, n, k, transposed=True, epilogue=("bias", "gelu", "residual"))],
        "others": [*more, *(plain("bf16", *sizes) for sizes in QUICK[1:])],
        "llama": [plain("bf16", 1, n, k, transposed=True)],
    }


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Correctness and speed on this machine's GPU.")
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    parser.add_argument("--only", choices=list(SHARES), action="append", help="a part to run, instead of all")
    parser.add_argument(
        "--group", choices=list(workloads.timed()), action="append", help="what to time, instead of all"
    )
    parser.add_argument("--rounds", type=int, default=11, help="replays of each graph; the median counts")
    parser.add_argument("--budget", type=float, default=560, help="seconds after which no row is begun")
    parser.add_argument("--folder", type=Path, default=HERE / "results", help="where the reports go")
    options = parser.parse_args(argv)
    try:
        gpu = Gpu()
    except DeviceUnavailable as error:
        print(f"gpu.py: {error.message}", file=sys.stderr)
        return 1
    arch = best_arch(gpu)
    machine = machine_for(gpu, arch)
    date, name = datetime.date.today().isoformat(), re.sub(r"[^A-Za-z0-9]+", "-", gpu.name).strip("-")
    head = {
        "gpu": gpu.name,
        "arch": arch.name,
        "machine": machine.name,
        "driver": gpu.call("cuDriverGetVersion"),
        "torch": torch_version(),
        "python": platform.python_version(),
        "rounds": options.rounds,
    }
    options.folder.mkdir(parents=True, exist_ok=True)
    wanted = options.only or list(SHARES)
    shares = SHARES if len(wanted) > 1 else dict.fromkeys(SHARES, 1.0)
    report = Report(options.folder / f"{date}-{name}.json", head, options.budget, shares)
    groups = quick_groups() if options.quick else workloads.timed()
    groups = {name: works for name, works in groups.items() if name in (options.group or groups)}
    rungs = (workloads.plain("bf16", *QUICK[0], transposed=True),) if options.quick else ladder.PRODUCTS
    parts: dict[str, Callable[[], None]] = {
        "correctness": lambda: correctness(report, gpu, machine, QUICK if options.quick else workloads.COMPARED),
        "micro": lambda: micro_kernels(report, gpu, arch, options.folder / f"micro-{name}.json"),
        "ladder": lambda: climb(report, gpu, machine, rungs, options.rounds),
        "timings": lambda: timings(report, gpu, machine, groups, options.rounds),
    }
    for part in SHARES:
        if part in wanted:
            parts[part]()
    report.write()
    print(f"{report.data['wrong']} wrong, {report.seconds:.0f} s, {report.path}")
    return int(report.data["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
