"""
Whole networks: kernels, bytes, memory and compile time of each network of `examples/models`; no GPU is needed.

    python benchmarks/networks.py --out benchmarks/results/DATE-networks.json

writes the JSON and, beside it, tables in Markdown. The tiny configurations run in the emulator, for both architectures and both types of
weights; bytes are those of the 32-byte sectors that global loads and stores access, and of bulk copies. The minimum is the size of the
arguments and results, as if each were read or written once. The last configurations, of real sizes, are only compiled. Each network
is compiled from text to cubin in a process of its own, without the cache on disk; its seconds are those of the processor.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context
from os import cpu_count, environ
from pathlib import Path
from typing import Any

from compile_time import Time, timed_nvrtc
from report import publish, table

import ptir
from ptir.backends.cuda.nvrtc import nvrtc_version
from ptir.runtime.execute import Executable
from ptir.runtime.planned_call import planned_call
from ptir.runtime.steps import While

sys.path.append(str(Path(__file__).resolve().parent.parent))
from examples.models import NETWORKS, TOLERANCE, network
from examples.models.__main__ import compiled, largest_error


@dataclass(frozen=True)
class Case:
    network: str
    config: str
    weights: str
    arch: str


def cases() -> list[Case]:
    """Returns the tiny configurations, and then the last one of each network."""
    tiny = [Case(n, "tiny", dtype, arch) for n in NETWORKS for dtype in TYPES for arch in ARCHS]
    return tiny + [Case(n, list(network(n).CONFIGS)[-1], "bf16", arch) for n in NETWORKS for arch in ARCHS]


ARCHS, TYPES = ("sm80", "sm90"), ("f32", "bf16")
COLUMNS = {
    "tiny": ("network", "weights", "arch", "launches", "kernels", "bytes", "minimum", "ratio", "arena", "buffers", "seconds"),
    "real sizes": ("network", "config", "arch", "launches", "kernels", "minimum", "arena", "buffers", "seconds", "nvrtc"),
}  # fmt: skip


def measure(case: Case) -> dict[str, Any]:
    model = network(case.network)
    config = replace(model.CONFIGS[case.config], dtype=case.weights)
    text, inputs, device = str(model.build(config)), model.inputs(config, 1), ptir.Emulator()
    with tempfile.TemporaryDirectory() as cold, timed_nvrtc() as nvrtc:
        environ["PTIR_CACHE_DIR"] = cold
        start = Time.now()
        program = compiled(text, inputs, case.arch, device)
        total = Time.now() - start
    host = Executable(program.program, program.entry).host
    planned = planned_call(host, exact=True)
    row = asdict(case) | {
        "launches": None if any(isinstance(step, While) for step in host.steps) else planned.launches,
        "kernels": len(program.program.binary.kernels),
        "minimum": sum(host.buffer(n).nbytes for n in (*range(host.arguments), *host.results)),
        "arena": planned.arenas[0].peak,
        "buffers": planned.arenas[0].total,
        "seconds": round(total.cpu, 1),
        "nvrtc": round(sum(t.cpu for t in nvrtc), 1),
    }
    if case.config == "tiny":
        weights = model.weights(config, 0)
        results = program(**weights, **inputs)
        error = max(map(largest_error, results, model.reference(config, weights, inputs).values()))
        if error > TOLERANCE[case.weights]:
            raise SystemExit(f"{case}: the error is {error}")
        moved = sum(report.global_bytes for report in device.reports)
        row |= {"launches": len(device.reports), "bytes": moved, "ratio": round(moved / row["minimum"], 2)}
    return row


def markdown(report: dict[str, Any]) -> str:
    """Returns the report as tables."""
    lines = [
        "# Whole networks",
        "",
        f"By `benchmarks/networks.py`: {report['cores']} cores, NVRTC {report['nvrtc']}. `launches` of so many distinct `kernels`; the "
        "`bytes` that they move, and those of the arguments and results (`minimum`); the bytes of the `arena`, and of all `buffers` that "
        "a call takes from it; `seconds` of the processor from text to cubin without caches, with those of `nvrtc`. Launches that "
        "depend on data are left out.",
    ]
    for part, columns in COLUMNS.items():
        rows = [[("" if row[c] is None else row[c]) for c in columns] for row in report[part]]
        lines += ["", f"## {part.capitalize()}", "", *table(columns, rows)]
    return "\n".join(lines) + "\n"


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Kernels, bytes, memory and compile time of whole networks.")
    parser.add_argument("--out", type=Path, help="the JSON to write; tables go beside it")
    parser.add_argument("--network", choices=NETWORKS, help="only this one")
    options = parser.parse_args(argv)
    chosen = [case for case in cases() if options.network in (None, case.network)]
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
        rows = list(pool.map(measure, chosen))
    report: dict[str, Any] = {"cores": cpu_count(), "nvrtc": nvrtc_version(), "tiny": [], "real sizes": []}
    for row in rows:
        report["tiny" if row["config"] == "tiny" else "real sizes"].append(row)
    publish(report, markdown(report), options.out)


if __name__ == "__main__":
    main()
