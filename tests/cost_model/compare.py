"""Compares what the planner predicts of a kernel with the facts: rank correlations, and median relative errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any

import msgspec
import numpy as np
from scipy.optimize import nnls
from scipy.stats import spearmanr

import ptir
from ptir.dialects.plan.schedule import Schedule
from ptir.passes.manager import PassManager
from ptir.planning.prediction import features_of, limit, predicted
from ptir.planning.prediction.constants import EXACT, INSTRUCTIONS
from ptir.planning.prediction.features import Features, Prediction
from ptir.planning.template import Request
from ptir.runtime.compile import to_regions
from tests.unit.builders.plan_families import kernel_of

from .points import point

Line = dict[str, Any]

QUANTITIES: dict[str, tuple[Callable[[Prediction], float], Callable[[Mapping[str, Any]], float]]] = {
    "registers": (lambda p: p.registers, lambda f: f["registers"]),
    "shared memory": (lambda p: p.shared, lambda f: f["shared"]),
    "threads": (lambda p: p.threads, lambda f: f["threads"]),
    "blocks": (lambda p: p.blocks, lambda f: f["blocks"]),
    "occupancy": (lambda p: p.occupancy, lambda f: f["occupancy"]),
    "sectors": (lambda p: p.sectors, lambda f: f["moved"] / 32),
    "instructions": (lambda p: p.instructions, lambda f: f["instructions"]),
}
"""What is compared: how it is predicted, and what it is."""


def request_and_plan(line: Line, seed: int) -> tuple[Request, Schedule]:
    """Returns the request for the kernel of a line of the journal, and the line's plan."""
    p = point(line["number"], seed)
    kernel = kernel_of(PassManager(to_regions(p.arch)).run(ptir.parse(p.text)))
    request = Request.of(kernel, p.arch)
    return request, msgspec.json.decode(line["plan"], type=Schedule)


def rows(lines: Sequence[Line], seed: int) -> list[dict[str, Any]]:
    """Returns for each line what its kernel is, and for each quantity the prediction and the fact."""
    found: list[dict[str, Any]] = []
    for line in lines:
        request, plan = request_and_plan(line, seed)
        prediction, facts = predicted(plan, request), line["facts"]
        values = {name: [of(prediction), fact(facts)] for name, (of, fact) in QUANTITIES.items()}
        names = {name: line[name] for name in ("number", "family", "arch")}
        found.append(names | {"kind": features_of(plan, request).kind} | values)
    return found


def compared(found: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """
    Returns for each quantity, and for all kinds of kernels together and each alone, the number of kernels, Spearman's rank correlation
    (None if there are too few kernels, or all values are equal) and the median of |predicted / actual - 1| where it is not 0.
    """
    out: dict[str, dict[str, Any]] = {}
    for name in QUANTITIES:
        out[name] = {}
        for kind in ("all", *INSTRUCTIONS):
            pairs = [row[name] for row in found if kind in ("all", row["kind"])]
            guesses, actual = [a for a, _ in pairs], [b for _, b in pairs]
            varied = len(pairs) > 4 and len(set(guesses)) > 1 and len(set(actual)) > 1
            errors = [abs(a / b - 1) for a, b in pairs if b]
            out[name][kind] = {
                "kernels": len(pairs),
                "rank": round(float(spearmanr(guesses, actual).statistic), 3) if varied else None,
                "error": round(median(errors), 3) if errors else None,
            }
    return out


def fitted(lines: Sequence[Line], seed: int) -> dict[str, dict[str, dict[str, float]]]:
    """
    Returns the tables of `planning/prediction/constants.py`: constants that are not negative and have the smallest squares of relative
    errors. Kernels whose registers a limit determines say nothing about them.
    """
    data: dict[str, list[tuple[Features, int, Mapping[str, Any]]]] = {}
    for line in lines:
        request, plan = request_and_plan(line, seed)
        features = features_of(plan, request)
        data.setdefault(features.kind, []).append((features, limit(plan), line["facts"]))

    def solve(features: Sequence[Mapping[str, float]], actual: Sequence[float], known: Mapping[str, float]) -> Any:
        names = [name for name in features[0] if name not in known]
        rest = np.array(actual, float) - [sum(c * f[name] for name, c in known.items()) for f in features]
        weights = 1 / np.maximum(np.array(actual, float), 1)
        found = nnls(
            np.array([[f[name] for name in names] for f in features], float) * weights[:, None], rest * weights
        )[0]
        return {
            name: known.get(name) or round(float(dict(zip(names, found, strict=True))[name]), 2) for name in features[0]
        }

    free = {k: [(f, a) for f, most, a in v if not f.divides and a["registers"] < most] for k, v in sorted(data.items())}
    return {
        "REGISTERS_OF": {
            kind: solve([f.registers for f, _ in v], [a["registers"] for _, a in v], EXACT.get(kind, {}))
            for kind, v in free.items()
        },
        "INSTRUCTIONS": {
            kind: solve(
                [{name: f.warps * x for name, x in f.instructions.items()} for f, *_ in v],
                [a["instructions"] for *_, a in v],
                {},
            )
            for kind, v in sorted(data.items())
        },
    }


def markdown(report: Mapping[str, Any]) -> str:
    """Returns the report as Markdown."""
    out = [
        "# Predictions of the planner and facts of the kernel",
        "",
        f"{report['kernels']} kernels of all families with random legal plans; those with even numbers served to fit the constants of",
        f"`planning/prediction/`, the {report['compared']} others are compared here. No GPU is involved: registers, shared memory and occupancy",
        "are those of the cubin, sectors and instructions of warps are counted by the emulator.",
        "",
        "Each cell has Spearman's rank correlation, and the median relative error. `–`: all values are equal, or there are too few.",
        "",
        f"| | all | {' | '.join(INSTRUCTIONS)} |",
        "|---|" + "--:|" * (1 + len(INSTRUCTIONS)),
    ]
    for name, kinds in report["quantities"].items():
        cells = [f"{_cell(entry['rank'])}, {_percent(entry['error'])}" for entry in kinds.values()]
        out.append(f"| {name} | {' | '.join(cells)} |")
    counts = [str(entry["kernels"]) for entry in next(iter(report["quantities"].values())).values()]
    out += [f"| kernels | {' | '.join(counts)} |", ""]
    return "\n".join(out)


def _cell(rank: float | None) -> str:
    return "–" if rank is None else f"{rank:.2f}"


def _percent(error: float | None) -> str:
    return "–" if error is None else f"{100 * error:.0f} %"
