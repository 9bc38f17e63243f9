"""
The candidate kernels of a fusion graph, each with its estimated time: the columns from which the strategies choose.

Sets of nodes grow from each node by one neighbor at a time and are closed convexly after each step. A neighbor joins once alone and once with
the movements of it that are results, since no template may compute the set in between. A set is computed by one kernel for
each choice of what it stores: its last nodes, and any others that are read outside; those that are not stored are computed again there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Operation

from ...analysis.regions.candidates import Candidates
from ...analysis.regions.fusion_graph import FusionGraph, bits
from ...analysis.regions.kernel import MAX_OUTPUTS, Kernel
from ...errors import Unsupported
from ...targets.machines import Machine
from .cost import KernelTime, KernelTimes
from .edges import Edges

MAX_OPTIONS = 3
"""Maximum number of nodes of a set that may be stored or computed again, so that all choices are tried."""
DIGITS = 6
"""Decimals of a microsecond to which times are rounded: sums in another order are the same."""


@dataclass(frozen=True)
class Column:
    """
    A candidate kernel: the sets of nodes that it computes, that it stores, and that are stored before it, since it or the host ops whose
    results it reads read them; and its time in microseconds.
    """

    nodes: int
    stored: int
    read: int
    time: float


@dataclass
class FusionModel:
    """
    Legality and time of the kernels of a block on a machine, each computed once, and once for all that have the same form. A kernel is legal
    if a template computes it (`candidates`) and Poly Core allows each of its edges (`edges`).
    """

    candidates: Candidates
    machine: Machine
    times: dict[tuple[int, int], KernelTime | str] = field(default_factory=dict[tuple[int, int], "KernelTime | str"])

    def __post_init__(self) -> None:
        self.estimate = KernelTimes(self.machine)
        self.edges = Edges(self.candidates.fusion.block, self.graph, self.machine.arch)
        self._of_forms: dict[Hashable, KernelTime | str] = {}

    @property
    def graph(self) -> FusionGraph:
        return self.candidates.graph

    def terms(self, nodes: int, stored: int) -> KernelTime | str:
        """Returns the estimated time by term, or the reason why the kernel is not legal."""
        key = nodes, stored
        if (known := self.times.get(key)) is not None:
            return known
        form = self.candidates.form(nodes, stored)
        if form is None or (known := self._of_forms.get(form)) is None:
            known = self._terms(nodes, stored)
            if form is not None:
                self._of_forms[form] = known
        self.times[key] = known
        return known

    def _terms(self, nodes: int, stored: int) -> KernelTime | str:
        kernel = self.candidates.kernel(nodes, stored)
        if isinstance(kernel, str):
            return kernel
        fixed = any(nodes >> node & 1 for node in self.graph.fixed)
        halo = 0 if fixed or self.candidates.is_given(nodes, stored) else self.edges.judged(kernel, nodes)
        return halo if isinstance(halo, str) else self.estimate(kernel, halo)

    def column(self, nodes: int, stored: int) -> Column | None:
        """Returns the column of a kernel, or None if no template computes it, or if it would wait for what it stores."""
        read = self.graph.read_by(nodes)
        for node in bits(nodes):
            read |= self.graph.waits[node]
        late = read
        for node in bits(read):
            late |= self.graph.before[node]
        if stored & late or isinstance(found := self.terms(nodes, stored), str):
            return None
        return Column(nodes, stored, read, round(found.total, DIGITS))

    def column_of(self, kernel: Kernel) -> Column | None:
        """Returns the column of a kernel of the block, or None if it stores what is no node."""
        found = self.candidates.admit(kernel)
        return None if found is None else self.column(*found)

    def kernel(self, column: Column) -> Kernel:
        """Returns a new kernel of a column."""
        found = self.candidates.kernel(column.nodes, column.stored)
        assert isinstance(found, Kernel)
        order = {self.graph.values[n]: k for k, n in enumerate(self.candidates.in_order(column.stored))}
        return Kernel(found.anchor, sorted(found.slices, key=lambda s: order[s.root]), found.prologues, found.beside)

    def must_store(self, nodes: int) -> int:
        """Returns the nodes of a set that only this set can store: those that nothing in it reads."""
        graph = self.graph
        return sum(1 << n for n in bits(nodes) if not graph.users[n] & nodes)

    def choices(self, nodes: int) -> Iterator[int]:
        """Yields the sets of nodes that a kernel of a set may store."""
        graph, must = self.graph, self.must_store(nodes)
        before = 0
        for node in bits(nodes):
            if node in graph.anchors:
                before |= graph.above[node]
        free = [n for n in bits(nodes & ~must & ~before) if graph.users[n] & ~nodes or graph.required >> n & 1]
        sets = [must]
        for node in free if len(free) <= MAX_OPTIONS else ():
            sets += [s | 1 << node for s in sets]
        if len(free) > MAX_OPTIONS:
            sets += [must | sum(1 << n for n in free), *(must | 1 << n for n in free)]
        yield from (stored for stored in sets if stored.bit_count() <= MAX_OUTPUTS)


def grown(model: FusionModel, window: int, limit: int) -> tuple[list[Column], bool]:
    """Returns the columns whose nodes are in a window, those of few nodes first, and whether these are all: at most `limit` sets are tried."""
    graph = model.graph
    seen = {1 << n for n in bits(window)}
    todo, moved = deque(sorted(seen)), deque[int]()
    out: list[Column] = []
    while todo or moved:
        if not todo:
            if (larger := moved.popleft()) in seen:
                continue
            if len(seen) >= limit:
                return out, False
            seen.add(larger)
            todo.append(larger)
        nodes = todo.popleft()
        found = [c for stored in model.choices(nodes) if (c := model.column(nodes, stored)) is not None]
        out += found
        around = 0
        for node in bits(nodes) if found else ():
            around |= graph.near[node]
        for node in bits(around & ~nodes & window):
            larger = graph.hull(nodes | 1 << node)
            if graph.moved[node] and not (more := graph.hull(larger | graph.moved[node])) & ~window:
                moved.append(more)
            if larger not in seen and not larger & ~window:
                if len(seen) >= limit:
                    return out, False
                seen.add(larger)
                todo.append(larger)
    return out, True


def pruned(columns: Sequence[Column]) -> list[Column]:
    """Leaves out the columns for which another one stores the same, reads no more and is no slower; this loses no optimum."""
    best: dict[tuple[int, int], Column] = {}
    for c in sorted(columns, key=lambda c: (c.time, c.nodes)):
        best.setdefault((c.stored, c.read), c)
    groups: dict[int, list[Column]] = {}
    for c in best.values():
        groups.setdefault(c.stored, []).append(c)
    out: list[Column] = []
    for group in groups.values():
        kept: list[Column] = []
        for c in sorted(group, key=lambda c: (c.time, c.read.bit_count(), c.read)):
            if all(other.read & ~c.read for other in kept):
                kept.append(c)
        out += kept
    return sorted(out, key=lambda c: (c.stored, c.read))


def fixed_columns(model: FusionModel) -> list[Column]:
    """Returns the columns of the kernels that are not chosen."""
    found = (model.column_of(k) for k in dict.fromkeys(model.graph.fixed.values()))
    return [c for c in found if c is not None]


def lone_column(model: FusionModel, node: int) -> Column:
    """Returns the column of a kernel of one node, which every node has. Raises `Unsupported` if no template computes it."""
    if (found := model.column(1 << node, 1 << node)) is None:
        why, op = model.terms(1 << node, 1 << node), model.graph.values[node].owner
        need = why if isinstance(why, str) else "it waits for its own result: report this program"
        raise Unsupported(op if isinstance(op, Operation) else None, what="a kernel of this op alone", need=need)
    return found


def stored_by(columns: Iterable[Column]) -> int:
    """Returns the nodes that columns store."""
    stored = 0
    for c in columns:
        stored |= c.stored
    return stored


def in_order(columns: Iterable[Column]) -> tuple[list[Column], list[Column]]:
    """Returns the columns in an order in which each reads what is stored before, and those that wait for each other."""
    todo, out, have = list(columns), list[Column](), 0
    while todo:
        ready, waiting = [c for c in todo if not c.read & ~have], [c for c in todo if c.read & ~have]
        if not ready:
            break
        out += ready
        todo, have = waiting, have | stored_by(ready)
    return out, todo
