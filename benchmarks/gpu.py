"""
Everything that needs a GPU, in one command: are the results right there, and how fast do they come?

    python benchmarks/gpu.py                     # correctness, micro-kernels, timings; writes benchmarks/results/
    python benchmarks/gpu.py --quick             # small sizes only
    python benchmarks/gpu.py --only timings      # one part of it

1. **correctness**: products of many shapes and types on the GPU, in the emulator and by the interpreter. On whole
   numbers all three must agree bit for bit; on random data both devices must stay within the bounds that follow from
   the roundings the types prescribe.
2. **micro**: each statement of an nv kernel on the GPU and in the emulator (`micro.py`); the GPU's answers are
   written as data that a machine without one tests its emulator with.
3. **timings**: large, skinny and batched products of random data, replayed in a CUDA graph with a cold L2
   (`gpu_timing.py`); where there is a PyTorch, `torch.matmul` of the same operands takes turns with them, and
   the ratio of the medians is above 1 where this project's kernel is the faster one. A few rows of every timed result
   are checked against NumPy.

Needs a driver, NVRTC and what the package itself needs. The report is written after every row, so that an
interrupted run leaves what it has seen. The exit status is 1 where something is wrong.
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
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


def find_ptir() -> None:
    """The repository's root is the package: without an installation it is imported from here."""
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
    import micro
    import numpy as np
    from gpu_timing import Replay, TorchMatmul, torch_version
    from products import TYPES, Array, Type, operands, program

    import ptir
    from ptir.analysis.arch import ARCHS, Arch
    from ptir.errors import PtirError
    from ptir.runtime.devices import Emulator
    from ptir.runtime.execute import execute
    from ptir.runtime.gpu import DeviceUnavailable, DriverFailure, Gpu
    from ptir.semantics.bounds import check
except ModuleNotFoundError as error:
    raise SystemExit(f"gpu.py: {error}; `pip install .` in the repository's root installs what is needed") from None

SHAPES = ((1, 1, 1), (1, 768, 3072), (150, 70, 130), (128, 128, 128), (256, 384, 512), (333, 1027, 65),
          (16, 512, 256), (512, 8, 256), (3, 64, 48, 80))  # fmt: skip
TIMED = ((4096, 4096, 4096), (8192, 8192, 8192), (1, 4096, 4096), (16, 4096, 4096), (4096, 16, 4096),
         (128, 8192, 8192), (4096, 4096, 512), (32, 1024, 1024, 128), (64, 512, 512, 512))  # fmt: skip
QUICK = ((128, 128, 64), (3, 40, 24, 48))
PARTS = ("correctness", "micro", "timings")


class Report:
    """The JSON that grows row by row."""

    def __init__(self, path: Path, head: dict[str, Any]):
        self.path = path
        self.data: dict[str, Any] = {**head, "wrong": 0}

    def add(self, part: str, row: dict[str, Any], *, wrong: bool = False) -> None:
        self.data.setdefault(part, []).append(row)
        self.data["wrong"] += wrong
        print(("WRONG " if wrong else "") + f"{part}: " + ", ".join(f"{k} {v}" for k, v in row.items()), flush=True)
        self.path.write_text(json.dumps(self.data, indent=2) + "\n", encoding="utf-8")


def best_arch(gpu: Gpu) -> Arch:
    """
    The newest architecture that the GPU can stand in for: not older than it asks, or the very one where it asks for
    what no later one has (`sm_90a`), and with its shared memory.
    """
    capability = gpu.capability
    shared = gpu.attribute("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN")

    def runs(arch: Arch) -> bool:
        asked = int(arch.name[2:])
        return asked == capability if arch.target.endswith("a") else asked <= capability

    fitting = [a for a in ARCHS.values() if runs(a) and a.shared_per_block <= shared]
    if not fitting:
        raise SystemExit(f"gpu.py: {gpu.name} is sm_{capability}; the kernels need sm_80 or newer")
    return max(fitting, key=lambda a: int(a.name[2:]))


def refusal(error: Exception) -> dict[str, str]:
    """A row for a product that was not compiled, or that the driver did not run."""
    code = f"{error.code}: " if isinstance(error, PtirError) else f"{type(error).__name__}: "
    text = error.message if isinstance(error, PtirError) else str(error)
    return {"refused": code + (text.splitlines() or [""])[0]}


# --- correctness -----------------------------------------------------------------------------------


def cases(shapes: Sequence[Sequence[int]]) -> Iterator[tuple[str, Sequence[int], bool]]:
    for dtype in TYPES:
        for number, sizes in enumerate(shapes):
            yield dtype, sizes, number % 2 == 1


def correctness(report: Report, gpu: Gpu, arch: Arch, shapes: Sequence[Sequence[int]]) -> None:
    for dtype, sizes, relu in cases(shapes):
        kind = TYPES[dtype]
        row: dict[str, Any] = {"dtype": dtype, "sizes": list(sizes), "relu": relu}
        text = program(kind, sizes, relu=relu)
        try:
            compiled = ptir.compile(text, arch=arch.name).program
        except PtirError as error:
            report.add("correctness", row | refusal(error))
            continue
        try:
            row |= compared(text, compiled, kind, sizes, gpu)
            wrong = not all(value for key, value in row.items() if key.endswith(("equal", "bounds")))
        except Exception as error:  # a fault of one kernel must not hide the others
            traceback.print_exc()
            row |= {"failed": f"{type(error).__name__}: {str(error).splitlines()[0]}"}
            wrong = True
        report.add("correctness", row, wrong=wrong)


def compared(text: str, compiled: Any, kind: Type, sizes: Sequence[int], gpu: Gpu) -> dict[str, Any]:
    """Whole numbers and random ones through the GPU, the emulator and the interpreter."""
    whole = operands(kind, sizes, 1, integers=True)
    (on_gpu,), (emulated,), (meant,) = (
        run(compiled, gpu, whole),
        run(compiled, Emulator(), whole),
        ptir.reference(text, *whole),
    )
    row: dict[str, Any] = {
        "integers_gpu_reference_equal": same_bits(on_gpu, meant),
        "integers_gpu_emulator_equal": same_bits(on_gpu, emulated),
    }
    if kind.integral:
        return row
    random = operands(kind, sizes, 2)
    (on_gpu,), (emulated,) = run(compiled, gpu, random), run(compiled, Emulator(), random)
    (bound,) = ptir.bounds(text, *random)
    off = np.abs(on_gpu.astype(np.float64) - emulated.astype(np.float64))
    return row | {
        "random_gpu_in_bounds": check(on_gpu, bound).ok,
        "random_emulator_in_bounds": check(emulated, bound).ok,
        "random_gpu_emulator_distance": float(off.max()),
    }


def run(compiled: Any, device: Any, arrays: Sequence[Array]) -> tuple[Array, ...]:
    return execute(compiled, arrays, device)


def same_bits(a: Array, b: Array) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


# --- micro-kernels ---------------------------------------------------------------------------------


def micro_kernels(report: Report, gpu: Gpu, arch: Arch, path: Path) -> None:
    """Each statement on both devices; `path` gets what the GPU answered."""
    answers: list[dict[str, Any]] = []
    for kernel in micro.kernels():
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


# --- timings ---------------------------------------------------------------------------------------


def timings(
    report: Report, gpu: Gpu, arch: Arch, shapes: Sequence[Sequence[int]], rounds: int, only: Sequence[str]
) -> None:
    with_torch = torch_version() is not None
    for dtype in only:
        for sizes in shapes:
            row: dict[str, Any] = {"dtype": dtype, "sizes": list(sizes)}
            try:
                row |= timed(gpu, arch, dtype, sizes, rounds, with_torch)
                wrong = not row["rows_in_bounds"]
            except (PtirError, RuntimeError, MemoryError) as error:
                row |= refusal(error)
                wrong = isinstance(error, DriverFailure) or not isinstance(error, PtirError)
            report.add("timings", row, wrong=wrong)


def timed(gpu: Gpu, arch: Arch, dtype: str, sizes: Sequence[int], rounds: int, with_torch: bool) -> dict[str, Any]:
    kind = TYPES[dtype]
    out = kind.element if kind.element in ("bf16", "f16") else kind.accum
    compiled = ptir.compile(program(kind, sizes, out=out), arch=arch.name).program
    data = operands(kind, sizes, 3)
    *batch, m, n, k = sizes
    work = 2 * m * n * k * int(np.prod(batch, dtype=np.int64))
    row: dict[str, Any] = {}
    with Replay(gpu, compiled, data) as ours:
        theirs = None
        if with_torch:
            try:
                theirs = TorchMatmul(gpu, kind.torch, data, tf32=bool(kind.precision))
            except RuntimeError as error:  # it has no such product
                row["torch"] = str(error).splitlines()[0]
        times: list[float] = []
        torch_times: list[float] = []
        for _ in range(rounds):
            times.append(ours.seconds())
            if theirs is not None:
                torch_times.append(theirs.seconds())
        if theirs is not None:
            theirs.close()
        row["rows_in_bounds"] = rows_in_bounds(ours.results()[0], data, out, tf32=bool(kind.precision))
        row["sets"] = len(ours.sets)
    used = max(compiled.binary.kernels.values(), key=lambda r: r.registers)
    row |= {
        "microseconds": round(1e6 * statistics.median(times), 2),
        "fastest_microseconds": round(1e6 * min(times), 2),
        "tera_per_second": round(work / statistics.median(times) / 1e12, 1),
        "registers": used.registers,
    }
    if torch_times:
        row["torch_microseconds"] = round(1e6 * statistics.median(torch_times), 2)
        row["ratio_to_torch"] = round(statistics.median(torch_times) / statistics.median(times), 3)
    return row


def rows_in_bounds(result: Array, data: tuple[Array, Array], out: str, *, tf32: bool = False, rows: int = 8) -> bool:
    """
    Whether some rows of the product are within 4·√K·2⁻²³·(|x|·|w|), with the roundings of tf32 and of the result's
    type on top, of what NumPy computes in float64.
    """
    x, w = (a.reshape(-1, *a.shape[-2:])[0] for a in data)
    got = result.reshape(-1, *result.shape[-2:])[0]
    picked = np.unique(np.linspace(0, x.shape[0] - 1, rows).astype(int))
    some, all_ = x[picked].astype(np.float64), w.astype(np.float64)
    want, scale = some @ all_, np.abs(some) @ np.abs(all_)
    if data[0].dtype.kind == "i":
        return bool((got[picked] == want).all())
    rounding = {"bf16": 2.0**-8, "f16": 2.0**-11}.get(out, 2.0**-24)
    sums = 4 * np.sqrt(x.shape[1]) * 2.0**-23 + 2.0**-10 * tf32
    return bool((np.abs(got[picked].astype(np.float64) - want) <= sums * scale + 2 * rounding * np.abs(want)).all())


# --- the command -----------------------------------------------------------------------------------


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Correctness and speed on this machine's GPU.")
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    parser.add_argument("--only", choices=PARTS, action="append", help="a part to run, instead of all")
    parser.add_argument("--dtype", choices=list(TYPES), action="append", help="a type to time, instead of all")
    parser.add_argument("--rounds", type=int, default=11, help="replays of each graph; the median counts")
    parser.add_argument("--folder", type=Path, default=HERE / "results", help="where the reports go")
    options = parser.parse_args(argv)
    try:
        gpu = Gpu()
    except DeviceUnavailable as error:
        print(f"gpu.py: {error.message}", file=sys.stderr)
        return 1
    arch = best_arch(gpu)
    date, name = datetime.date.today().isoformat(), re.sub(r"[^A-Za-z0-9]+", "-", gpu.name).strip("-")
    head = {
        "gpu": gpu.name,
        "arch": arch.name,
        "driver": gpu.call("cuDriverGetVersion"),
        "torch": torch_version(),
        "python": platform.python_version(),
        "rounds": options.rounds,
    }
    options.folder.mkdir(parents=True, exist_ok=True)
    report = Report(options.folder / f"{date}-{name}.json", head)
    wanted = options.only or PARTS
    start = time.perf_counter()
    parts: dict[str, Callable[[], None]] = {
        "correctness": lambda: correctness(report, gpu, arch, QUICK if options.quick else SHAPES),
        "micro": lambda: micro_kernels(report, gpu, arch, options.folder / f"micro-{name}.json"),
        "timings": lambda: timings(
            report, gpu, arch, QUICK if options.quick else TIMED, options.rounds, options.dtype or list(TYPES)
        ),
    }
    for part in PARTS:
        if part in wanted:
            parts[part]()
    print(f"{report.data['wrong']} wrong, {time.perf_counter() - start:.0f} s, {report.path}")
    return int(report.data["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
