"""
The kernels that compute the results of an attention from what its first kernel stores: parts of the keys (`split_keys.py`), or the maximum
and the sum of each row (`two_passes.py`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

import islpy as isl
from xdsl.dialects.builtin import MemRefType, f32
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from ...analysis.index import affine
from ...analysis.regions.kernel_space import stored_values
from ...analysis.regions.upstream import upstream
from ...dialects import pto, region
from ...dialects.common.syntax import ints
from ...dialects.plan.schedule import Schedule
from ..ptir_to_tiny.writer import Writer
from .attention import AttentionProgram
from .program import ALIGNMENT


@dataclass
class FurtherKernel:
    """A kernel that reads what the first one stores. Of the arguments of the original kernel, it has those numbered `reads`."""

    kernel: region.RegionKernelOp
    reads: Sequence[int]
    workspaces: Sequence[int]
    """The numbers of the outputs of the first kernel that it reads."""
    results: Sequence[int]
    """The numbers of the outputs of the original kernel that it stores."""


class PartialProgram(AttentionProgram, ABC):
    """
    Writes a first kernel, which stores arrays in the place of the results; afterwards `workspaces` has their names and types. Its tiles
    have the axes `further` before those of the space.
    """

    names: ClassVar[Sequence[str]]
    """The names of the arrays, in the order in which they are stored."""
    further: tuple[int, ...] = ()
    """The sizes of further axes of the tiles, and of the arrays."""

    def __init__(self, kernel: region.RegionKernelOp, plan: Schedule):
        super().__init__(kernel, plan)
        self.workspaces: list[tuple[str, MemRefType]] = []

    @abstractmethod
    def further_kernels(self, name: Callable[[str], str]) -> Sequence[FurtherKernel]:
        """Returns the other kernels. `name` returns the name of a kernel by its last part."""

    def erase_results(self) -> None:
        for arg in reversed(self.block.args[len(self.kernel.inputs) :]):
            self.block.erase_arg(arg)

    def store_part(self, tile: SSAValue, at: isl.MultiAff, sizes: Sequence[int]) -> None:
        """Writes the store of a tile to a new array of `sizes`, behind the further axes, through the map `at` from the space."""
        t, extra, word = MemRefType(f32, (*self.further, *sizes)), len(self.further), self.names[len(self.workspaces)]
        self.workspaces.append((word, t))
        points = (*self.further, *self.space.points)
        inner = affine.make_map(len(points), [f"i{k}" for k in range(extra, len(points))])
        outer = affine.make_map(len(points), [f"i{k}" for k in range(extra)])
        text = affine.canonical_text(outer.flat_range_product(affine.compose(at, inner, points)))
        dims = self.dims[0] + extra, self.dims[1] + extra
        offsets = (*self.tile.args[:extra], *self.offsets)
        self.add(pto.StoreMapOp(tile, self.add_argument(t, word), offsets, text, points, dims))

    def build(self) -> pto.PtoKernelOp:
        self.begin()
        k, space = self.kernel, self.space
        steps = (*(1 for _ in (*self.further, *range(space.outer))), *self.steps)
        tiles = pto.TilesOp((*self.further, *space.points), steps, Region(self.tile))
        tiles.location = k.location
        self.block.add_op(tiles)
        count = len(k.inputs)
        alignments = [*ints(k.alignments)[:count], *(ALIGNMENT for _ in (*self.workspaces, *self.scratch))]
        stored = [*("deferred" for _ in self.workspaces), *self.scratch]
        out = pto.PtoKernelOp(k.sym_name.data, count, alignments, stored, Region(self.block), k.plan)
        out.location = k.location
        return out


def further_kernel(
    kernel: region.RegionKernelOp,
    name: str,
    results: Sequence[int],
    workspaces: Mapping[int, tuple[str, MemRefType]],
    starts: Sequence[SSAValue],
    start: Callable[[Writer, Sequence[SSAValue]], Sequence[SSAValue]],
) -> FurtherKernel:
    """
    Returns the kernel that stores some `results` of a kernel. It has the ops from which they are computed, except that `start` writes the
    values `starts` from the arrays in `workspaces`, given by number as a name and a type.
    """
    roots = [stored_values(kernel)[k] for k in results]
    needed = {v.owner for v in upstream(roots, starts.__contains__) if v not in starts}
    ops = [op for op in kernel.body.block.ops if op in needed]
    loads = [op for op in ops if isinstance(op, region.LoadOp)]
    reads = [cast(BlockArgument, op.memref).index for op in loads]
    inputs, outputs = len(kernel.inputs), [kernel.outputs[k] for k in results]
    given = [kernel.body.block.args[k] for k in reads]
    types = [*(g.type for g in given), *(t for _, t in workspaces.values()), *(o.type for o in outputs)]
    names = [*(g.name_hint for g in given), *(word for word, _ in workspaces.values()), *(o.name_hint for o in outputs)]
    block = Block(arg_types=types)
    for arg, hint in zip(block.args, names, strict=True):
        arg.name_hint = hint
    write = Writer(cast(Operation, starts[0].owner))
    values = [write.add(region.LoadOp(arg)) for arg in block.args[: len(reads) + len(workspaces)]]
    mapping: dict[SSAValue, SSAValue] = dict(zip((op.result for op in loads), values, strict=False))
    mapping |= zip(starts, start(write, values[len(reads) :]), strict=True)
    block.add_ops(write.ops)
    for op in ops:
        if op not in loads:
            block.add_op(clone := op.clone(mapping))
            clone.location = op.location
    last = region.YieldOp([mapping[root] for root in roots])
    last.location = kernel.location
    block.add_op(last)
    alignments = ints(kernel.alignments)
    out = region.RegionKernelOp(
        name,
        len(values),
        [*(alignments[k] for k in reads), *(ALIGNMENT for _ in workspaces), *(alignments[inputs + k] for k in results)],
        [list(kernel.materialize)[k].data for k in results],
        Region(block),
    )
    out.location = kernel.location
    return FurtherKernel(out, reads, list(workspaces), results)
