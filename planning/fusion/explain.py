"""
Explains what was fused: for each edge of the fusion graph, whether a kernel computes both ends, and why.

`ptir-opt --explain-fusion` prints this table; times are differences of the kernels' estimates (`cost.py`) in microseconds:

```
@f on a100, strategy exact: 2 kernels, 1583104 bytes through global memory, 6.40 us
  k0  3.20 us  computes …
  fused  3:8 'tiny.reduce sum' -> 4:8 'tiny.binary sub' in k0: -2.98 us = memory -0.43, launch -2.55; 393216 bytes saved; halo 0, reg
  cut    5:8 'tiny.unary cast' -> 6:8 'tiny.reduce sum', k0 to k1: STOP 2 not_computable: one kernel computes one contraction
```

An edge is not fused because of one of the rules that stop fusion (§4.1): 1 `several_consumers`, 2 `not_computable` (no template, or
`can_compute_at` refuses), 3 `no_gain` (Δtime ≥ 0). The thresholds of §4.2 that the fused kernel would exceed are named with their limits.
Spec: `tensor-compiler.ja §4`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from ...analysis.regions.fusion_graph import bits
from ...analysis.regions.kernel_ops import op_text
from ...errors import counted
from ...targets.machines import Machine
from ..explain import place_of
from .columns import Column, FusionModel
from .cost import KernelTime, launch_time

RULES = {1: "several_consumers", 2: "not_computable", 3: "no_gain"}
"""The rules that stop fusion, by their numbers in §4.1."""
TERMS = ("memory", "tensor", "arithmetic", "launch")


@dataclass(frozen=True)
class Edge:
    """
    A value and an op that is computed from it. `kernels` are the numbers of the kernel that stores the value, if the edge is cut, and of the
    one that computes the op. `delta` is the time of the fused kernel less that of the ones apart, in microseconds, by `terms`; `halo` are the
    bytes that tiles of the op read but do not own, and `buffer` is what holds the value between them.
    """

    producer: str
    consumer: str
    kernels: tuple[int, ...]
    fused: bool
    why: str = ""
    stop: int | None = None
    threshold: str = ""
    delta: float | None = None
    terms: dict[str, float] = field(default_factory=dict[str, float])
    saved_bytes: int = 0
    halo: int | None = None
    buffer: str = ""

    def text(self) -> str:
        at = f"in k{self.kernels[-1]}" if self.fused else " to ".join(f"k{k}" for k in self.kernels)
        head = f"  {'fused' if self.fused else 'cut  '}  {self.producer} -> {self.consumer} {at}"
        parts: list[str] = []
        if self.stop is not None:
            parts.append(f"STOP {self.stop} {RULES[self.stop]}: {self.why}")
        elif self.why:
            parts.append(self.why)
        if self.threshold:
            parts.append(self.threshold)
        if self.delta is not None:
            terms = ", ".join(f"{name} {value:+.2f}" for name, value in self.terms.items() if abs(value) >= 0.005)
            parts.append(f"dtime {self.delta:+.2f} us = {terms or 0}; {self.saved_bytes} bytes saved")
        if self.buffer:
            parts.append(f"halo {'unknown' if self.halo is None else self.halo}, {self.buffer}")
        return f"{head}: {'; '.join(parts)}"


@dataclass(frozen=True)
class FusionExplanation:
    """The kernels that a strategy chose for a function, with bytes and microseconds, and the edges of the function."""

    function: str
    machine: str
    strategy: str
    kernels: Sequence[dict[str, Any]]
    edges: Sequence[Edge]

    def to_dict(self) -> dict[str, Any]:
        return {"fusion": asdict(self)}

    def text(self) -> str:
        size, time = (sum(k[name] for k in self.kernels) for name in ("bytes", "time"))
        lines = [
            f"@{self.function} on {self.machine}, strategy {self.strategy}: {counted(len(self.kernels), 'kernel')}, "
            f"{size} bytes through global memory, {time:.2f} us"
        ]
        for number, k in enumerate(self.kernels):
            over = "".join(f"; over {p}" for p in k["thresholds"])
            lines.append(f"  k{number}  {k['time']:.2f} us, {k['bytes']} bytes, stores {', '.join(k['stores'])}{over}")
        return "\n".join([*lines, *(e.text() for e in self.edges)])


@dataclass(frozen=True)
class GroupExplanation:
    """Horizontal fusion: `groups` times, `size` launches of a kernel are one, which saves `gain` microseconds."""

    kernel: str
    size: int
    groups: int
    gain: float

    @staticmethod
    def of(kernel: str, size: int, groups: int, machine: Machine) -> GroupExplanation:
        return GroupExplanation(kernel, size, groups, (size - 1) * groups * launch_time(machine))

    def to_dict(self) -> dict[str, Any]:
        return {"group": asdict(self)}

    def text(self) -> str:
        times = f" in {self.groups} places" if self.groups > 1 else ""
        return f"group  {self.size} launches of @{self.kernel} are one{times}: dtime {-self.gain:+.2f} us = launch"


def fusion_explanation(model: FusionModel, columns: Sequence[Column], strategy: str) -> FusionExplanation:
    """Returns the explanation of the kernels that a strategy chose, in executable order."""
    graph = model.graph
    scope = model.candidates.fusion.block.parent_op()
    kernels: list[dict[str, Any]] = []
    edges: list[Edge] = []
    for number, c in enumerate(columns):
        terms = _terms(model, c.nodes, c.stored)
        stores = [_named(graph.values[n]) for n in bits(c.stored)]
        over = [str(p) for p in terms.penalties]
        kernels.append({"time": c.time, "bytes": terms.bytes, "stores": stores, "thresholds": over})
        for node in bits(c.nodes):
            for source in bits(graph.reads[node]):
                edges.append(_edge(model, columns, number, source, node))
    name = scope.sym_name.data if isinstance(scope, FuncOp) else "a block"
    return FusionExplanation(name, model.machine.name, strategy, kernels, edges)


def _edge(model: FusionModel, columns: Sequence[Column], number: int, source: int, node: int) -> Edge:
    graph, here = model.graph, columns[number]
    ends = _named(graph.values[source]), _named(graph.values[node])
    fused = bool(here.nodes >> source & 1)
    halo, buffer = model.edges.held(model.kernel(here) if fused else None, source, node)
    if fused:
        first = here.nodes & (graph.above[source] | 1 << source)
        parts = [first, here.nodes & ~first]
        apart = [_terms_or_none(model, p, model.must_store(p) | _read_outside(model, p, here)) for p in parts if p]
        known = [t for t in apart if t is not None]
        if len(known) < len(apart):
            return Edge(*ends, (number,), True, "neither part is a kernel of its own", halo=halo, buffer=buffer)
        whole = _terms(model, here.nodes, here.stored)
        again = " and ".join(f"k{k}" for k, c in enumerate(columns) if k != number and c.nodes >> source & 1)
        why = f"the value is also computed by {again}" if again else ""
        return Edge(*ends, (number,), True, why, halo=halo, buffer=buffer, **_difference(whole, known))
    maker = next(k for k, c in enumerate(columns) if c.stored >> source & 1)
    ways, refused = _ways(model, columns, maker, number, source)
    readers = [k for k, c in enumerate(columns) if c.read >> source & 1]
    if not ways:
        return Edge(*ends, (maker, number), False, refused, 2, halo=halo, buffer=buffer)
    merged, before = min(ways, key=lambda w: w[0].total - sum(t.total for t in w[1]))
    known = {p.name for t in before for p in t.penalties}
    over = "; ".join(f"over {p}" for p in merged.penalties if p.name not in known)
    gap = _difference(merged, before)
    if gap["delta"] < 0:
        why, stop = "it would gain alone, but not with the other kernels", None
    elif len(readers) > 1:
        why, stop = f"{len(readers)} kernels read it, limit 1", 1
    else:
        why, stop = "dtime >= 0", 3
    return Edge(*ends, (maker, number), False, why, stop, over, halo=halo, buffer=buffer, **gap)


def _ways(
    model: FusionModel, columns: Sequence[Column], maker: int, reader: int, source: int
) -> tuple[list[tuple[KernelTime, list[KernelTime]]], str]:
    """
    Returns the ways to fuse the kernels of an edge, each with the time of the fused kernel and of what it replaces: both become one, or the
    reader computes the value again. If there is none, the reason comes second.
    """
    graph, a, b = model.graph, columns[maker], columns[reader]
    elsewhere = 0
    for number, c in enumerate(columns):
        elsewhere |= c.read if number != reader else 0
    again = b.nodes | a.nodes & (graph.above[source] | 1 << source)
    kept = (a.stored & ~(1 << source)) | (1 << source if (elsewhere | graph.required) >> source & 1 else 0)
    both = a.nodes | b.nodes
    refused = ""
    out: list[tuple[KernelTime, list[KernelTime]]] = []
    choices = [(both, kept | b.stored | model.must_store(both), [a, b])]
    if not b.nodes & a.nodes and not graph.required >> source & 1:
        choices.append((again, b.stored, [b]))
    for nodes, stored, replaced in choices:
        if graph.hull(nodes) != nodes:
            refused = refused or "a kernel between them would wait for a part of it"
            continue
        found = model.terms(nodes, stored)
        if isinstance(found, str):
            refused = refused or found
        else:
            out.append((found, [_terms(model, c.nodes, c.stored) for c in replaced]))
    return out, refused


def _read_outside(model: FusionModel, nodes: int, of: Column) -> int:
    """Returns the nodes of a part of a kernel that the rest of it reads, or that the kernel stores."""
    graph = model.graph
    return sum(1 << n for n in bits(nodes) if graph.users[n] & of.nodes & ~nodes) | (of.stored & nodes)


def _difference(fused: KernelTime, apart: Iterable[KernelTime]) -> dict[str, Any]:
    parts = list(apart)
    terms = {name: getattr(fused, name) - sum(getattr(t, name) for t in parts) for name in TERMS}
    over = sum(p.time for p in fused.penalties) - sum(p.time for t in parts for p in t.penalties)
    return {
        "delta": fused.total - sum(t.total for t in parts),
        "terms": terms | {"occupancy": fused.occupancy - sum(t.occupancy for t in parts), "thresholds": over},
        "saved_bytes": sum(t.bytes for t in parts) - fused.bytes,
    }


def _terms(model: FusionModel, nodes: int, stored: int) -> KernelTime:
    found = model.terms(nodes, stored)
    if isinstance(found, str):
        raise ValueError(found)
    return found


def _terms_or_none(model: FusionModel, nodes: int, stored: int) -> KernelTime | None:
    found = model.terms(nodes, stored)
    return None if isinstance(found, str) else found


def _named(value: SSAValue) -> str:
    """Returns the place and the name of the op of a value."""
    op = value.owner
    return f"{place_of(op)} '{op_text(op)}'" if isinstance(op, Operation) else place_of(op)
