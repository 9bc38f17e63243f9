"""
The edges inside a candidate kernel: whether a tile of the consumer can compute the producer, what halo that takes, and what holds it.

Poly Core answers; nothing else decides or explains an edge. The tile is what the kernel's template holds at once: a row in kernels of rows,
an element in kernels of one thread an element, the whole value in kernels of contractions, whose tiles are chosen later. An edge on which
indices are given by data has no affine answer: there, the template alone decides.
Spec: `tensor-compiler.ja §4.1` (STOP 2: `can_compute_at`; halo), `§1.6`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from ...analysis.errors import NotAffineBetween
from ...analysis.poly.answers import ComputeAt
from ...analysis.poly.core import PolyCore
from ...analysis.regions.fusion_graph import FusionGraph, bits
from ...analysis.regions.kernel import Kernel
from ...analysis.regions.prologue import operations
from ...dialects import tiny
from ...dialects.common.shapes import element, shape
from ...targets.mma import element_bytes


class Edges:
    """The edges of the kernels of a function or block."""

    def __init__(self, block: Block, graph: FusionGraph, arch: str):
        self.block, self.graph, self.arch = block, graph, arch

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
        again = 0
        for node in bits(nodes):
            for source in bits(self.graph.reads[node] & nodes):
                answer = self.answer(kernel, source, node)
                if isinstance(answer.refusal, NotAffineBetween):
                    continue
                if not answer.legal:
                    return answer.why
                if kernel.anchor is None and kernel.reduces_rows and answer.halo.bytes:
                    value = self.graph.values[source]
                    computed = operations([value.owner]) if isinstance(value.owner, Operation) else 0
                    again += answer.halo.bytes // element_bytes(element(value)) * computed * _tiles(kernel)
        return again

    def answer(self, kernel: Kernel, source: int, node: int) -> ComputeAt:
        """Returns whether a kernel can compute a node in the tiles of another one."""
        value = self.graph.values[node]
        return self.core.can_compute_at(self.graph.values[source], value, tile(kernel, value))

    def held(self, kernel: Kernel | None, source: int, node: int) -> tuple[int | None, str]:
        """Returns the halo in bytes and the smallest buffer of an edge inside a kernel or, with None, of the whole values."""
        ends = self.graph.values[source], self.graph.values[node]
        at = None if kernel is None else tile(kernel, ends[1])
        return self.core.can_compute_at(*ends, at).halo.bytes, self.core.min_buffer_for_edge(*ends, at).buffer


def tile(kernel: Kernel, value: SSAValue) -> Sequence[int | None] | None:
    """Returns the tile of a value that a kernel holds at once; None along an axis is all of it, and None alone the whole value."""
    if kernel.anchor is not None:
        return None
    sizes = shape(value)
    if isinstance(value.owner, tiny.ReduceOp) or not kernel.reduces_rows:
        return [1 for _ in sizes]
    for reduced in (*kernel.roots, *(v for s in kernel.slices for v in s.reduced)):
        if isinstance(op := reduced.owner, tiny.ReduceOp) and shape(op.input) == sizes:
            return [None if axis in op.axes() else 1 for axis in range(len(sizes))]
    return None


def _tiles(kernel: Kernel) -> int:
    return max(prod(s.sizes[a] for a in s.rows.rows) for s in kernel.slices if s.rows is not None)
