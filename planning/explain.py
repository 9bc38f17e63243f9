"""
Explains the choice of a plan: the candidates, their estimated times, and the limit that each rejected one exceeds.

`ptir-opt --explain-plan` and `ptir-run --explain-plan` print this table; it is collected only inside of `explaining`:

```
@f_0 on h200: 1 x 4096 x 4096 x 4096; 360 considered, 72 rejected (#3fa0c2d41b77)
  predicted: registers 168, shared 230464, threads 384, blocks 132, occupancy 1, sectors 2621440, instructions 2500000
     tile        warp_tile  roles        cluster  order       stages  split  …   total  shared_bytes  registers  tflops  limit
  *  128x256x64  64x256     cooperative  2x1      grouped_16       4      1  …  332887        230464        128   755.6  tensor
     128x256x32  64x256     cooperative  2x1      grouped_16       8      1  …  341079        230528        128   737.4  tensor
  rejected:
     128x192x64 …: its rings, staging and barriers take … bytes of shared memory, the limit is 232448
```

A product of a softmax that is not fused with it, as well as one of those that share what their operands are computed from, such as dK and
dV of attention, has a line with the place in the program that is the reason:

```
attention.mlir:9:8: this softmax, its scores and its product with values are not one kernel: the scores are padded
```

`predicted` is what the chosen plan takes (`planning/prediction.py`): registers of a thread, bytes of shared memory and threads of a block,
blocks in all and on a multiprocessor at a time, 32-byte sectors and instructions of warps. The columns from `tensor` to `total` are
clocks of one multiprocessor for the whole kernel (`planning/cost.py`): the time of each part alone, and the time of all together.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Any, Protocol

from xdsl.ir import Block, Operation

from ..errors import location_of

SHOWN_DIGITS = 12
"""Number of shown digits of a structural hash."""
SHOWN = 10
"""Maximum number of rows in each list of the text, in addition to the chosen plan; JSON has all rows."""
LEFT = ("tile", "warp_tile", "roles", "cluster", "order", "C_stride", "split", "limit")
"""Columns that are aligned to the left; the others are numbers."""


@dataclass(frozen=True)
class Explanation:
    """
    The choice of one kernel's plan. `considered` has a row for each candidate that fits, best first: a map from column names to
    cells. `rejected` pairs each other candidate with the limit that it exceeds.
    """

    kernel: str
    machine: str
    problem: str
    why: str
    chosen: Mapping[str, Any]
    considered: Sequence[Mapping[str, Any]]
    rejected: Sequence[tuple[str, str]] = field(default=())
    slower: str = ""
    """A note that names a faster form of the kernel and the reason why this region does not allow it; may be empty."""
    hash: str = ""
    """The first digits of the region's structural hash, by which a file of plans can name it."""
    takes: Mapping[str, int] = field(default_factory=dict[str, int])
    """What the chosen plan is predicted to take (`planning/prediction.py`), by the names of its fields."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"rejected": [{"plan": plan, "problem": problem} for plan, problem in self.rejected]}

    def text(self) -> str:
        counts = f"{len(self.considered)} considered, {len(self.rejected)} rejected"
        known_as = f" (#{self.hash})" if self.hash else ""
        lines = [f"@{self.kernel} on {self.machine}: {self.problem}; {counts}{known_as}", f"  chosen: {self.why}"]
        if self.takes:
            lines.append("  predicted: " + ", ".join(f"{name} {number}" for name, number in self.takes.items()))
        shown = list(self.considered[:SHOWN])
        if self.chosen not in shown:
            shown.append(self.chosen)
        lines += _table(shown, self.chosen)
        if self.slower:
            lines.append(f"  note: {self.slower}")
        problems: dict[str, str] = {}
        for plan, problem in self.rejected:
            problems.setdefault(problem, plan)
        if problems:
            lines += ["  rejected:", *(f"     {plan}: {problem}" for problem, plan in list(problems.items())[:SHOWN])]
        return "\n".join(lines)


@dataclass(frozen=True)
class NotFused:
    """Products that have kernels of their own because of what is at `place`: `what` are such as a softmax, its scores and its product."""

    place: str
    why: str
    what: str

    def to_dict(self) -> dict[str, Any]:
        return {"not_fused": asdict(self)}

    def text(self) -> str:
        return f"{self.place}: {self.what} are not one kernel: {self.why}"


def place_of(op: Operation | Block) -> str:
    """Returns the file, line and column of an op, or its name if it has none."""
    found = op if isinstance(op, Operation) else op.parent_op()
    if (at := location_of(found)) is None:
        return "block argument" if found is None else f"'{found.name}'"
    return f"{at.file}:{at.line}:{at.col}"


def _table(rows: Sequence[Mapping[str, Any]], chosen: Mapping[str, Any]) -> list[str]:
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [names, *([_cell(row.get(name, "")) for name in names] for row in rows)]
    widths = [max(len(line[k]) for line in cells) for k in range(len(names))]
    marks = ["", *("*" if row == chosen else "" for row in rows)]
    return [
        f"  {mark:2} "
        + "  ".join(
            cell.ljust(width) if name in LEFT else cell.rjust(width)
            for name, cell, width in zip(names, line, widths, strict=True)
        ).rstrip()
        for mark, line in zip(marks, cells, strict=True)
    ]


def _cell(value: Any) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)


class Explained(Protocol):
    """Anything that explains a choice."""

    def text(self) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...


_collected: ContextVar[Mapping[str, list[Any]]] = ContextVar("ptir_explanations", default=MappingProxyType({}))


def is_explaining(topic: str = "plan") -> bool:
    """Returns whether explanations of a topic, `plan` or `fusion`, are being collected."""
    return topic in _collected.get()


def report(explanation: Explained, topic: str = "plan") -> None:
    """Adds an explanation to the list of the enclosing `explaining` of a topic, if there is one."""
    if (collected := _collected.get().get(topic)) is not None:
        collected.append(explanation)


@contextmanager
def explaining(into: list[Any] | None = None, topic: str = "plan") -> Generator[list[Any]]:
    """A context manager that collects the explanations of a topic made inside of it, in `into` or a new list."""
    found: list[Any] = [] if into is None else into
    token = _collected.set({**_collected.get(), topic: found})
    try:
        yield found
    finally:
        _collected.reset(token)


def as_text(found: Sequence[Explained]) -> str:
    return "\n".join(explanation.text() for explanation in found)


def as_json(found: Sequence[Explained]) -> str:
    import json

    return json.dumps([explanation.to_dict() for explanation in found])
