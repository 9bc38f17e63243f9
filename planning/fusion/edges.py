"""
The edges inside a candidate kernel: whether a tile of the consumer can compute the producer, what halo that takes, and what holds it.

Poly Core answers; nothing else decides or explains an edge. The tile is what the kernel's template holds at once: a row in kernels of rows,
an element in kernels of one thread an element, the whole value in kernels of contractions, whose tiles are chosen later. An edge on which
indices are given by data has no affine answer: there, the template alone decides.

Poly Core's fusable groups (`make_fusable_groups`) do not bound the search, and are among its candidates anyway: `docs/fusion.md` has numbers.
Spec: `tensor-compiler.ja §4.1` (STOP 2: `can_compute_at`; halo), `§1.6`.
"""

from __future__ import annotations

from functools import cached_property
from math import prod

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from ...analysis.errors import NotAffineBetween
from ...analysis.poly.core import PolyCore
from ...analysis.regions.fusion_graph import FusionGraph, bits
from ...analysis.regions.kernel import Kernel
from ...analysis.regions.prologue import operations
from ...dialects import tiny
from ...dialects.common.shapes import element, shape
from ...targets.mma import element_bytes

Tile = tuple[int | None, ...] | None
"""The tile of a value by position; None along an axis is all of it, and None alone the whole value."""


class Edges:
    """The edges of the kernels of a function or block."""

    def __init__(self, block: Block, graph: FusionGraph, arch: str):
        self.block, self.graph, self.arch = block, graph, arch
        self._halos: dict[tuple[int, int, Tile, bool], int | str] = {}

    @cached_property
    def core(self) -> PolyCore:
        scope = self.block.parent_op()
        whole = isinstance(scope, FuncOp) and scope.body.block is self.block
        return PolyCore(scope if whole and isinstance(scope, FuncOp) else self.block.ops, arch=self.arch)

    def judged(self, kernel: Kernel, nodes: int) -> int | str:
        """
        Returns the number of operations with which the tiles of a kernel of rows compute their halos again, or why an edge cannot be fused.
        In other kernels, the points at which an op is evaluated have been counted.
        """
        again, halos = 0, kernel.anchor is None and kernel.reduces_rows
        for node in bits(nodes):
            inside = self.graph.reads[node] & nodes
            value = self.graph.values[node]
            at = tile(kernel, value) if inside else None
            for source in bits(inside):
                halo = self.halo(source, node, at, needed=halos)
                if isinstance(halo, str):
                    return halo
                if halo:
                    producer = self.graph.values[source]
                    computed = operations([producer.owner]) if isinstance(producer.owner, Operation) else 0
                    again += halo // element_bytes(element(producer)) * computed * _tiles(kernel)
        return again

    def halo(self, source: int, node: int, at: Tile, *, needed: bool) -> int | str:
        """Returns the halo in bytes of an edge, 0 unless it is `needed`, or why a tile of the node cannot compute the source."""
        key = source, node, at, needed
        if (known := self._halos.get(key)) is None:
            ends = self.graph.values[source], self.graph.values[node]
            refusal = self.core.refusal(*ends, at)
            if isinstance(refusal, NotAffineBetween):
                known = 0
            elif refusal is not None or needed:
                answer = self.core.can_compute_at(*ends, at)
                known = (answer.halo.bytes or 0) if answer.legal else answer.why
            else:
                known = 0
            self._halos[key] = known
        return known

    def held(self, kernel: Kernel | None, source: int, node: int) -> tuple[int | None, str]:
        """Returns the halo in bytes and the smallest buffer of an edge inside a kernel or, with None, of the whole values."""
        ends = self.graph.values[source], self.graph.values[node]
        at = None if kernel is None else tile(kernel, ends[1])
        return self.core.can_compute_at(*ends, at).halo.bytes, self.core.min_buffer_for_edge(*ends, at).buffer


def tile(kernel: Kernel, value: SSAValue) -> Tile:
    """Returns the tile of a value that a kernel holds at once."""
    if kernel.anchor is not None:
        return None
    sizes = shape(value)
    if isinstance(value.owner, tiny.ReduceOp) or not kernel.reduces_rows:
        return (1,) * len(sizes)
    for reduced in (*kernel.roots, *(v for s in kernel.slices for v in s.reduced)):
        if isinstance(op := reduced.owner, tiny.ReduceOp) and shape(op.input) == sizes:
            return tuple(None if axis in op.axes() else 1 for axis in range(len(sizes)))
    return None


def _tiles(kernel: Kernel) -> int:
    return max(prod(s.sizes[a] for a in s.rows.rows) for s in kernel.slices if s.rows is not None)
