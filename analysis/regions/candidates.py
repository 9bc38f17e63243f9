"""
The kernels that the templates can compute, from sets of nodes of the fusion graph: what `fusion.py` calls legal, asked for one kernel.

A candidate computes a convex set of nodes, stores some of them and reads what the set is computed from. It has one contraction with
what its prologue and epilogue compute, or reductions of the same rows or columns, or elementwise results of one shape.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.ir import Operation, SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import shape
from ..errors import TooComplex
from .fusion import Fusion
from .fusion_graph import FusionGraph, bits
from .kernel import MAX_OUTPUTS, Kernel
from .kernel_ops import GATHERS, op_text
from .places import Slice, is_leaf
from .prologue import computed_operand
from .row_space import row_space

MAX_NODES = 48
"""Maximum number of nodes of a candidate."""


@dataclass
class Candidates:
    """Answers whether sets of nodes are kernels; each question is computed once."""

    fusion: Fusion
    whole: bool = False
    graph: FusionGraph = field(init=False)

    def __post_init__(self) -> None:
        fusion = self.fusion
        self.slicer = fusion.slicer.without_cuts()
        self._admitted = set[tuple[int, int]]()
        self._texts: dict[Hashable, int] = {}
        self._results = {v: k for k, v in reversed(list(enumerate(fusion.results)))}
        apart = set[SSAValue]()
        while True:
            self.graph = FusionGraph(fusion, self.whole, apart)
            self._slices: dict[tuple[SSAValue, int], Slice | str] = {}
            self._kernels: dict[tuple[int, int], Kernel | str] = {}
            self._steps: dict[int, tuple[int, Sequence[SSAValue]] | None] = {}
            if (more := self._cuts() - apart) <= set():
                break
            apart |= more

    def _cuts(self) -> set[SSAValue]:
        """Returns the values that must be nodes, too, so that each node is a kernel of its own."""
        out = set[SSAValue]()
        for node, value in enumerate(self.graph.values):
            if node not in self.graph.fixed and isinstance(self.kernel(1 << node, 1 << node), str):
                stops = [self.graph.values[n] for n in bits(self.graph.reads[node])]
                s = self.slicer.slice(value, stops)
                out |= s.cuts or self.fusion.blockers(s)
        return out

    def kernel(self, nodes: int, stored: int) -> Kernel | str:
        """Returns the kernel that computes a set of nodes and stores those of another one, or the reason why no template does."""
        key = nodes, stored
        if (known := self._kernels.get(key)) is None:
            try:
                known = self._kernel(nodes, stored)
            except TooComplex as e:
                known = e.message
            self._kernels[key] = known
        return known

    def admit(self, kernel: Kernel) -> tuple[int, int] | None:
        """Returns the sets of nodes that a kernel of the block computes and stores, as a candidate; None if some of them are no nodes."""
        number = self.graph.number
        if any(v not in number for v in kernel.roots):
            return None
        stored = sum(1 << number[v] for v in kernel.roots)
        read = {v for v in (*kernel.leaves(), *kernel.updated.values()) if v in number}
        nodes = self.graph.slice_of(stored, sum(1 << number[v] for v in read))
        if isinstance(self.kernel(nodes, stored), str) and self.graph.read_by(nodes) == sum(
            1 << number[v] for v in read
        ):
            self._kernels[nodes, stored] = kernel
            self._admitted.add((nodes, stored))
        return nodes, stored

    def is_given(self, nodes: int, stored: int) -> bool:
        """Whether a kernel is one of the block, and was not formed from its nodes."""
        return (nodes, stored) in self._admitted

    def form(self, nodes: int, stored: int) -> Hashable | None:
        """
        Returns a key that candidates share if they differ in the names of values only, as those of equal layers do: one's kernel, or the
        reason why there is none, is like that of the others. None for kernels that depend on what is around them.
        """
        if self.is_given(nodes, stored):
            return None
        number, lines = dict[SSAValue, int](), list[Hashable]()
        for node in bits(nodes):
            if (step := self._step(node)) is None:
                return None
            kind, values = step
            lines.append((kind, *(number.setdefault(v, len(number)) for v in values)))
        return tuple(lines), tuple(number[self.graph.values[n]] for n in self.in_order(stored))

    def in_order(self, stored: int) -> list[int]:
        """Returns the nodes of a set in the order in which a kernel stores them: as the block returns them, others by number."""
        values, last = self.graph.values, len(self._results)
        return sorted(bits(stored), key=lambda n: (self._results.get(values[n], last), n))

    def _step(self, node: int) -> tuple[int, Sequence[SSAValue]] | None:
        """
        Returns the number of what computes a node from what it reads, equal for equal steps; and its value, what it reads, and what else may
        be computed of it. None if other readers matter, too: for kernels that are not chosen by cost, and those that gather.
        """
        if node in self._steps:
            return self._steps[node]
        graph, lines = self.graph, list[tuple[tuple[Hashable, ...], Sequence[SSAValue]]]()
        root, stops = graph.values[node], {graph.values[n] for n in bits(graph.reads[node])}
        number, shared, todo = dict[SSAValue, int](), list[SSAValue](), [root]
        known = None if node in graph.fixed else shared
        while todo:
            if (value := todo.pop()) in number:
                continue
            number[value], op = len(number), value.owner
            if value is root or value in stops or is_leaf(value) or not value.has_one_use():
                shared.append(value)
            operands: Sequence[SSAValue] = ()
            if isinstance(op, Operation) and value not in stops and not is_leaf(value):
                known = None if isinstance(op, GATHERS) else known
                todo += reversed(operands := op.operands)
            lines.append(((value in stops, *self._text(value)), operands))
        text = tuple((*text, *(number[v] for v in operands)) for text, operands in lines)
        kind = self._texts.setdefault(text, len(self._texts))
        self._steps[node] = None if known is None else (kind, known)
        return self._steps[node]

    def _text(self, value: SSAValue) -> tuple[Hashable, ...]:
        """Returns the op and the attributes of a value, and what the program says of it."""
        fusion, op = self.fusion, value.owner
        sets = (
            self.graph.number,
            fusion.contractions,
            fusion.chained,
            fusion.of_rows,
            fusion.alone,
            self.slicer.searched,
        )
        text: list[Hashable] = [value.type, *(value in s for s in sets)]
        if isinstance(op, Operation):
            properties = {k: v for k, v in op.properties.items() if k != "report"}
            text += [op.name, *(tuple(sorted(of.items())) for of in (properties, op.attributes))]
        return tuple(text)

    def _kernel(self, nodes: int, stored: int) -> Kernel | str:
        graph = self.graph
        for node, kernel in graph.fixed.items():
            if nodes >> node & 1:
                whole = sum(1 << graph.number[r] for r in kernel.roots if r in graph.number)
                return kernel if nodes == stored == whole else "this kernel is not chosen by cost"
        if nodes.bit_count() > MAX_NODES:
            return f"it has more than {MAX_NODES} ops"
        if stored.bit_count() > MAX_OUTPUTS:
            return f"it has more than {MAX_OUTPUTS} results"
        anchors = [node for node in bits(nodes) if node in graph.anchors]
        if len(anchors) > 1:
            return "one kernel computes one contraction"
        read = graph.read_by(nodes)
        if anchors and any(not (graph.above[n] >> anchors[0] & 1 or n == anchors[0]) for n in bits(stored)):
            return "what a contraction is computed from exists in tiles only, and other results have no tile of it"
        slices: list[Slice] = []
        for node in self.in_order(stored):
            s = self._slice(graph.values[node], read)
            if isinstance(s, str):
                return s
            slices.append(s)
        if not anchors:
            if any(s.anchors for s in slices):
                return "it reads a contraction that is not stored"
            return self._without_contraction(slices)
        return self._with_contraction(anchors[0], nodes, slices)

    def _with_contraction(self, anchor: int, nodes: int, slices: list[Slice]) -> Kernel | str:
        """Returns the kernel that computes the contraction of the node `anchor`, what its operands are computed from, and `slices`."""
        graph, fusion = self.graph, self.fusion
        out = graph.anchors[anchor]
        c = fusion.contractions[out]
        if any(fusion.anchor(v) is not c for s in slices for v in s.anchors) or not all(s.anchors for s in slices):
            return "its results are not computed from one contraction"
        if len({s.window for s in slices}) > 1:
            return "tiles of a contraction hold the windows of one reduction, or none"
        if out in fusion.chained:
            if graph.above[anchor] & nodes:
                return "the tiles of a chained product are computed from stored values"
            return Kernel(c, slices, fusion.prologues[out])
        stops = {graph.values[n] for n in bits(graph.read_by(nodes))}
        computed: dict[SSAValue, Slice] = {}
        for operand in (c.lhs, c.rhs):
            if (number := graph.number.get(operand.value)) is not None and nodes >> number & 1:
                s = computed_operand(c, operand, self.slicer, stops)
                if isinstance(s, str):
                    return f"the operand of the contraction is stored: {s}"
                computed[operand.value] = s
        return Kernel(c, slices, computed)

    def _slice(self, root: SSAValue, read: int) -> Slice | str:
        """Returns the slice of a root that reads a set of nodes, or the reason why it is not one kernel."""
        key = root, read & self.graph.above[self.graph.number[root]]
        if (known := self._slices.get(key)) is None:
            s = self.slicer.compute_slice(root, {self.graph.values[n] for n in bits(key[1])}, None)
            if s.cuts:
                value = min(s.cuts, key=self.fusion.position)
                known = f"'{op_text(value.owner)}' is stored: {s.reasons[value]}"  # pyright: ignore[reportArgumentType]
            elif self.fusion.blockers(s):
                known = "the contraction is not read one-to-one"
            else:
                known = s
            self._slices[key] = known
        return known

    def _without_contraction(self, slices: list[Slice]) -> Kernel | str:
        kernel = Kernel(None, slices)
        if len(slices) == 1:
            return kernel
        if not self.fusion.alone.isdisjoint(kernel.roots) and any(tiny.keeps_order(r.owner) for r in kernel.roots):
            return "one thread adds strict floats, each in its turn"
        if kernel.reduces_rows:
            if any(s.loops for s in slices):
                return "a reduction is not one of the rows"
            return kernel if row_space(self.fusion.book, slices) is not None else "its results have different rows"
        sizes = {shape(s.root) for s in slices}
        if len(sizes) > 1:
            return "its results have different shapes"
        if kernel.elementwise:
            return kernel
        if kernel.reduces_columns:
            book = self.fusion.book
            counts = {prod(book[v].static_sizes[book[v].rank :]) for v in kernel.shared}
            return kernel if len(counts) == 1 else "it reduces different numbers of elements"
        return "its results are of reductions and elementwise ops"
