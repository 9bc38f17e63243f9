"""
Measures the wall time of passes and other steps, and formats reports.

A `Timer` records a `Span` for each `with timer.span(…)`; spans can be nested. `as_list`, `as_tree`, `as_json` and `as_trace`
are the reports of `--mlir-timing` and `--profile`.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["pass", "pipeline", "verify", "stage"]


@dataclass(frozen=True)
class Span:
    """
    An interval of wall time, in seconds since the creation of the timer.

    `path` has the names of the enclosing spans, outermost first; `scope` is the symbol of the operation, such as `@f`.
    """

    name: str
    kind: Kind
    start: float
    seconds: float
    path: tuple[str, ...] = ()
    scope: str = ""


@dataclass
class Timer:
    """Collects the spans of one thread, in the order in which they end."""

    spans: list[Span] = field(default_factory=list[Span])
    _origin: float = field(default_factory=time.perf_counter)
    _path: list[str] = field(default_factory=list[str])

    @contextmanager
    def span(self, name: str, kind: Kind = "stage", scope: str = "") -> Generator[None]:
        """A context manager that records the time inside of the `with`, even if an exception is raised."""
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
        """The spans of passes, one for each run. They do not include verification."""
        return [span for span in self.spans if span.kind == "pass"]


@dataclass
class Node:
    """The sum of all spans with the same name and path. `own` is the time that no child accounts for."""

    name: str
    seconds: float = 0.0
    count: int = 0
    children: dict[str, Node] = field(default_factory=dict[str, "Node"])

    @property
    def own(self) -> float:
        return max(0.0, self.seconds - sum(child.seconds for child in self.children.values()))

    def child(self, name: str) -> Node:
        """Returns the child named `name`; creates it if there is none."""
        return self.children.setdefault(name, Node(name))

    def descendants(self, depth: int = 0) -> Iterator[tuple[int, Node]]:
        """Yields the nodes below this one in preorder, each with its depth."""
        for child in self.children.values():
            yield depth, child
            yield from child.descendants(depth + 1)


def tree(spans: Iterable[Span]) -> Node:
    """Returns the root of a tree of all spans. Its time is the sum of the outermost spans; children are in order of their start."""
    root = Node("total")
    for span in sorted(spans, key=lambda span: (span.start, len(span.path))):
        node = root
        for name in (*span.path, span.name):
            node = node.child(name)
        node.seconds += span.seconds
        node.count += 1
    root.seconds = sum(child.seconds for child in root.children.values())
    return root


# --- reports ------------------------------------------------------------------------------------


def _report(rows: Iterable[tuple[int, str, float]], total: float) -> str:
    lines = [f"// wall time: {total:.4f} s"]
    for depth, name, seconds in rows:
        share = 100 * seconds / total if total else 0.0
        lines.append(f"// {seconds:9.4f} s  {share:5.1f} %  {'  ' * depth}{name}")
    return "\n".join(lines)


def as_tree(spans: Iterable[Span]) -> str:
    """
    Returns a report that lists every step below the step that contains it, in the order of the pipeline.

    >>> print(as_tree([Span("cse", "pass", 0.0, 0.25, ("func.func",)), Span("func.func", "pipeline", 0.0, 1.0)]))
    // wall time: 1.0000 s
    //    1.0000 s  100.0 %  func.func
    //    0.2500 s   25.0 %    cse
    """
    root = tree(spans)
    return _report(((depth, node.name, node.seconds) for depth, node in root.descendants()), root.seconds)


def as_list(spans: Iterable[Span]) -> str:
    """
    Returns a report that lists the total time of the steps of each name, longest first, without the time of nested steps.

    >>> print(as_list([Span("cse", "pass", 0.0, 0.25, ("func.func",)), Span("func.func", "pipeline", 0.0, 1.0)]))
    // wall time: 1.0000 s
    //    0.7500 s   75.0 %  func.func
    //    0.2500 s   25.0 %  cse
    """
    root = tree(spans)
    seconds: dict[str, float] = {}
    for _, node in root.descendants():
        seconds[node.name] = seconds.get(node.name, 0.0) + node.own
    rows = sorted(seconds.items(), key=lambda row: -row[1])
    return _report(((0, name, spent) for name, spent in rows), root.seconds)


def as_json(spans: Iterable[Span]) -> str:
    """Returns the tree of spans as nested JSON: `{"name", "seconds", "own", "count", "children"}`."""
    import json

    def encode(node: Node) -> dict[str, Any]:
        return {
            "name": node.name,
            "seconds": round(node.seconds, 9),
            "own": round(node.own, 9),
            "count": node.count,
            "children": [encode(child) for child in node.children.values()],
        }

    return json.dumps(encode(tree(spans)), indent=2)


def as_trace(spans: Iterable[Span]) -> str:
    """Returns the spans in the trace format of Chrome and Perfetto: complete events, in microseconds."""
    import json

    pid, tid = os.getpid(), threading.get_native_id()
    events: list[dict[str, Any]] = [
        {"name": "process_name", "ph": "M", "pid": pid, "tid": tid, "args": {"name": "ptir-opt"}}
    ]
    for span in sorted(spans, key=lambda span: (span.start, len(span.path))):
        event: dict[str, Any] = {"name": span.name, "cat": span.kind, "ph": "X", "pid": pid, "tid": tid}
        event |= {"ts": round(span.start * 1e6, 3), "dur": round(span.seconds * 1e6, 3)}
        if span.scope:
            event["args"] = {"scope": span.scope}
        events.append(event)
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ms"}, indent=1) + "\n"
