"""Reports: JSON and, beside it, tables in Markdown. That of `gpu.py` is written after every row."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


def publish(report: dict[str, Any], text: str, out: Path | None) -> None:
    """Prints `text`, the report in Markdown. With `out`, writes the report to this file as JSON, and the text beside it."""
    if out:
        out.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
        out.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text, end="")


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    """Returns the lines of a table; a row with fewer cells than `heads` ends with empty ones."""
    cells = ([*map(str, row), *[""] * (len(heads) - len(row))] for row in rows)
    return [f"| {' | '.join(line)} |" for line in (heads, ["---"] * len(heads), *cells)]


class Report:
    """The rows of each part. A part must end when its share of `budget` seconds has passed since the start."""

    def __init__(self, path: Path, head: dict[str, Any], budget: float, shares: dict[str, float]):
        self.path, self.shares = path, shares
        self.start, self.budget = time.perf_counter(), budget
        self.data: dict[str, Any] = {**head, "wrong": 0, "left_out": {}}

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.start

    def in_time(self, part: str, items: Sequence[T]) -> Iterator[T]:
        """Yields items as long as there is time; the number of remaining items is added to the report."""
        for number, item in enumerate(items):
            if self.seconds > self.shares[part] * self.budget:
                self.data["left_out"][part] = self.data["left_out"].get(part, 0) + len(items) - number
                return
            yield item

    def add(self, part: str, row: dict[str, Any], wrong: bool = False) -> None:
        self.data.setdefault(part, []).append(row)
        self.data["wrong"] += wrong
        print(("WRONG " if wrong else "") + f"{part}: " + ", ".join(f"{k} {v}" for k, v in row.items()), flush=True)
        self.write()

    def write(self) -> None:
        self.path.write_text(json.dumps(self.data, indent=2) + "\n", encoding="utf-8")
        self.path.with_suffix(".md").write_text(markdown(self.data), encoding="utf-8")


TABLES = {
    "ladder": ("product", "step", "plan", "expected", "microseconds", "tera_per_second", "ratio_to_torch"),
    "timings": ("workload", "plan", "expected", "microseconds", "tera_per_second", "ratio_to_torch", "ratio_to_compiled",
                "ratio_to_triton", "ratio_to_flash", "ratio_to_cudnn", "ratio_to_flex", "registers"),
}  # fmt: skip
"""The columns of each part's table."""


def markdown(data: dict[str, Any]) -> str:
    """Returns the report in Markdown: a summary of correctness, and tables of times."""
    lines = [
        f"# {data['gpu']}",
        "",
        f"By `benchmarks/gpu.py`: {data['arch']}, driver {data['driver']}, PyTorch {data['torch']}, {data['wrong']} wrong of "
        f"{sum(len(data.get(part, ())) for part in ('correctness', 'micro', 'ladder', 'timings'))}. Microseconds are medians "
        f"of {data['rounds']} replays with a cold L2, `expected` is the planner's prediction; a ratio above 1 means that this "
        "project's kernel is faster.",
    ]
    if data["left_out"]:
        lines += [
            "",
            "Left out for want of time: " + ", ".join(f"{n} of {p}" for p, n in data["left_out"].items()) + ".",
        ]
    for part, columns in TABLES.items():
        rows: list[dict[str, Any]] = data.get(part, [])
        if rows:
            lines += [
                "",
                f"## {part}",
                "",
                "| " + " | ".join(columns) + " |",
                "| --- |" + " --- |" * (len(columns) - 1),
            ]
        for row in rows:
            said = row | {"plan": row.get("refused", row.get("failed", row.get("plan", "")))}
            lines.append("| " + " | ".join(str(said.get(name, "")) for name in columns) + " |")
    return "\n".join(lines) + "\n"
