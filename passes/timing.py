"""
Where the time goes: spans, and what can be made of them.

A `Timer` records a `Span` for every `with timer.span(…)`, nested ones inside of others. `as_list`, `as_tree`,
`as_json` and `as_trace` are the reports of `--mlir-timing` and `--profile`.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["pass", "pipeline", "verify", "stage"]


@dataclass(frozen=True)
class Span:
    """
    A stretch of wall time, in seconds; `start` counts from the making of the timer.

    `path` names the spans around it, outermost first; `scope` says what was worked on, such as `@f`.
    """

    name: str
    kind: Kind
    start: float
    seconds: float
    path: tuple[str, ...] = ()
    scope: str = ""


@dataclass
class Timer:
    """Collects the spans of one thread's work, in the order in which they end."""

    spans: list[Span] = field(default_factory=list[Span])
    _origin: float = field(default_factory=time.perf_counter)
    _path: list[str] = field(default_factory=list[str])

    @contextmanager
    def span(self, name: str, kind: Kind = "stage", scope: str = "") -> Generator[None]:
        """Record the time the `with` takes, also when it raises."""
        path = tuple(self._path)
        self._path.append(name)
        start = time.perf_counter()
        try:
            yield
        finally:
            seconds = time.perf_counter() - start
            self._path.pop()
            self.spans.append(Span(name, kind, start - self._origin, seconds, path, scope))

    @property
    def passes(self) -> list[Span]:
        """One span a run of a pass, its verification not included."""
        return [span for span in self.spans if span.kind == "pass"]


@dataclass
class Node:
    """The spans of one name in one place, added up. `own` is the time in none of the children."""

    name: str
    seconds: float = 0.0
    count: int = 0
    children: list[Node] = field(default_factory=list["Node"])

    @property
    def own(self) -> float:
        return max(0.0, self.seconds - sum(child.seconds for child in self.children))

    def child(self, name: str) -> Node:
        """The child of that name, made if there is none."""
        found = next((child for child in self.children if child.name == name), None)
        if found is None:
            self.children.append(found := Node(name))
        return found


def tree(spans: Iterable[Span]) -> Node:
    """All spans under one root, whose time is that of the outermost ones; children in order of start."""
    root = Node("total")
    for span in sorted(spans, key=lambda span: (span.start, len(span.path))):
        node = root
        for name in span.path:
            node = node.child(name)
        node = node.child(span.name)
        node.seconds += span.seconds
        node.count += 1
    root.seconds = sum(child.seconds for child in root.children)
    return root


# --- reports ------------------------------------------------------------------------------------


def _report(rows: Sequence[tuple[int, str, float]], total: float) -> str:
    lines = [f"// wall time: {total:.4f} s"]
    for depth, name, seconds in rows:
        share = 100 * seconds / total if total else 0.0
        lines.append(f"// {seconds:9.4f} s  {share:5.1f} %  {'  ' * depth}{name}")
    return "\n".join(lines)


def as_tree(spans: Iterable[Span]) -> str:
    """
    Every step inside of the step that it belongs to, in the order of the pipeline.

    >>> print(as_tree([Span("cse", "pass", 0.0, 0.25, ("func.func",)), Span("func.func", "pipeline", 0.0, 1.0)]))
    // wall time: 1.0000 s
    //    1.0000 s  100.0 %  func.func
    //    0.2500 s   25.0 %    cse
    """
    root = tree(spans)
    rows: list[tuple[int, str, float]] = []

    def add(node: Node, depth: int) -> None:
        rows.append((depth, node.name, node.seconds))
        for child in node.children:
            add(child, depth + 1)

    for child in root.children:
        add(child, 0)
    return _report(rows, root.seconds)


def as_list(spans: Iterable[Span]) -> str:
    """
    Steps of one name added up, the longest first; each with the time that no step inside of it accounts for.

    >>> print(as_list([Span("cse", "pass", 0.0, 0.25, ("func.func",)), Span("func.func", "pipeline", 0.0, 1.0)]))
    // wall time: 1.0000 s
    //    0.7500 s   75.0 %  func.func
    //    0.2500 s   25.0 %  cse
    """
    root = tree(spans)
    seconds: dict[str, float] = {}

    def add(node: Node) -> None:
        seconds[node.name] = seconds.get(node.name, 0.0) + node.own
        for child in node.children:
            add(child)

    for child in root.children:
        add(child)
    rows = sorted(seconds.items(), key=lambda row: -row[1])
    return _report([(0, name, spent) for name, spent in rows], root.seconds)


def as_json(spans: Iterable[Span]) -> str:
    """The tree as JSON: `{"name", "seconds", "own", "count", "children"}`, nested."""
    import json

    def encode(node: Node) -> dict[str, Any]:
        children = [encode(child) for child in node.children]
        return {
            "name": node.name,
            "seconds": round(node.seconds, 9),
            "own": round(node.own, 9),
            "count": node.count,
            "children": children,
        }

    return json.dumps(encode(tree(spans)), indent=2)


def as_trace(spans: Iterable[Span], process: str = "ptir-opt") -> str:
    """The spans in the trace format of Chrome and Perfetto: complete events, in microseconds."""
    import json

    pid, tid = os.getpid(), threading.get_native_id()
    events: list[dict[str, Any]] = [
        {"name": "process_name", "ph": "M", "pid": pid, "tid": tid, "args": {"name": process}}
    ]
    for span in sorted(spans, key=lambda span: (span.start, len(span.path))):
        event: dict[str, Any] = {"name": span.name, "cat": span.kind, "ph": "X", "pid": pid, "tid": tid}
        event |= {"ts": round(span.start * 1e6, 3), "dur": round(span.seconds * 1e6, 3)}
        if span.scope:
            event["args"] = {"scope": span.scope}
        events.append(event)
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ms"}, indent=1) + "\n"
