"""
Tuned plans as JSON, to copy them between machines and to keep them with a program, and trials as rows of a CSV log.

```json
{"tuned": [{"structure": "9bf5…", "types": "bf16,bf16->f32", "machine": "h100", "representative": [128, 768, 768], "low": …, "high": …,
            "requests": 70, "plan": {"arch": "sm90", "tile": [128, 256, 64], …}, "how": "gpu", "toolchain": "…", "estimate": 1e-5, "seconds": 9e-6}]}
```

Spec: `tensor-compiler.ja §9` (the log: FLOPs, bytes, occupancy, estimate, actual, plan).
"""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from io import StringIO
from typing import Annotated, Any, Literal

import msgspec

from ..frontends.json.common.decoding import Form, decode
from ..frontends.plan_files import plan_at
from ..planning.shape_sets import ShapeSet
from ..targets.machines import MACHINES, Machine
from .errors import InvalidTunedText
from .kernels import operations_and_bytes
from .search import Problem
from .store import Key, Trial, Tuned

_Size = Annotated[int, msgspec.Meta(ge=0, le=1 << 60)]
_Seconds = Annotated[float, msgspec.Meta(ge=0)]


class Entry(msgspec.Struct, forbid_unknown_fields=True):
    structure: str
    types: str
    machine: str
    representative: tuple[_Size, ...]
    low: tuple[_Size, ...]
    high: tuple[_Size, ...]
    requests: _Size
    plan: dict[str, Any]
    how: Literal["model", "emulator", "gpu"]
    toolchain: str
    estimate: _Seconds
    seconds: _Seconds


class Document(msgspec.Struct, forbid_unknown_fields=True):
    tuned: list[Entry]


_FORM = Form(Document, 'tuned plans are an object {"tuned": […]}, which ptir-tune --export writes')


def export_json(found: Sequence[Tuned]) -> str:
    """Returns tuned plans as JSON, one a line. Plans that are no JSON objects are left out."""
    lines: list[str] = []
    for each in found:
        try:
            plan = msgspec.json.decode(each.plan, type=dict[str, Any])
        except (ValueError, RecursionError):
            continue
        key, shapes = each.key, each.shapes
        entry = Entry(
            key.structure,
            key.types,
            key.machine,
            shapes.representative,
            shapes.low,
            shapes.high,
            shapes.requests,
            plan,
            *(getattr(each, name) for name in ("how", "toolchain", "estimate", "seconds")),
        )
        lines.append(msgspec.json.encode(entry).decode())
    return '{"tuned": [\n' + ",\n".join(lines) + "\n]}\n"


def import_json(text: str, name: str) -> list[Tuned]:
    """Returns the tuned plans in a text, the content of the file `name`. Raises `SourceError` at what is invalid."""
    document, places = decode(text, name, _FORM)
    found: list[Tuned] = []
    for number, entry in enumerate(document.tuned):
        at = ("tuned", number)
        if entry.machine not in MACHINES:
            help = f"the machines are {', '.join(MACHINES)}"
            raise InvalidTunedText(places.span((*at, "machine")), problem="there is no such machine", help=help)
        boxes = list(zip(entry.low, entry.representative, entry.high, strict=False))
        same = len(boxes) == len(entry.low) == len(entry.representative) == len(entry.high)
        if not same or not all(low <= size <= high for low, size, high in boxes):
            help = "give each axis low ≤ representative ≤ high"
            raise InvalidTunedText(places.span((*at, "low")), problem="these sizes are no box", help=help)
        plan_at(entry.plan, places, (*at, "plan"))
        found.append(
            Tuned(
                Key(entry.structure, entry.types, entry.machine),
                ShapeSet(entry.representative, entry.low, entry.high, entry.requests),
                json.dumps(entry.plan),
                entry.how,
                entry.toolchain,
                entry.estimate,
                entry.seconds,
            )
        )
    return found


_COUNTS = Form(dict[str, Any], 'requests are an object {"B=8,S=128": 900, …}')


def read_requests(text: str, name: str) -> dict[str, int]:
    """Returns how often which sizes are called, from the content of the file `name`. Raises `SourceError`."""
    found, places = decode(text, name, _COUNTS)
    for sizes, count in found.items():
        if type(count) is not int or count < 1:
            raise InvalidTunedText(places.span((sizes,)), problem="this is no number of calls", help="at least 1")
    return found


COLUMNS = (
    "kernel", "machine", "sizes", "flops", "bytes", "occupancy", "registers", "how", "outcome", "estimate", "actual", "plan",
)  # fmt: skip
"""The columns of the log. Times are in seconds, `occupancy` is the share of a multiprocessor's warps, `bytes` are those of the arrays."""


def log_rows(problem: Problem, trials: Sequence[Trial], machine: Machine, *, header: bool) -> str:
    """Returns the rows of the log for trials of a problem, with the names of the columns before them if `header` is true."""
    flops, size = operations_and_bytes(problem.kernel.op)
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if header:
        writer.writerow(COLUMNS)
    for trial in trials:
        facts: dict[str, Any] = json.loads(trial.facts)
        warps = facts.get("occupancy", 0) * -(-facts.get("threads", 0) // 32)
        share = round(warps / machine.limits.warps_per_multiprocessor, 3) if facts else ""
        sizes = "x".join(map(str, problem.kernel.sizes))
        actual = "" if trial.seconds is None else trial.seconds
        row = problem.name, machine.name, sizes, int(flops), int(size), share, facts.get("registers", ""), trial.how
        writer.writerow((*row, trial.outcome, trial.estimate, actual, trial.plan))
    return out.getvalue()
