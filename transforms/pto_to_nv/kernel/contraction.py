"""The parts of a contraction that the multistage and the warp-specialized template share: loops, operands and copies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.ir import Attribute, Operation, SSAValue

from ....analysis.regions.tile_access import element_address
from ....dialects import nv, pto
from ....dialects.common.syntax import ints
from ....targets.mma import Mma
from ..tile_loops import Loops, match_loops
from .access import Access, map_text


@dataclass(frozen=True)
class Copy:
    """
    Copies of one operand into `ring` by threads, `bytes` at a time. `dims` are the axes along a slot's rows and columns,
    `guards` the axes along which the copies are predicated.
    """

    load: pto.LoadMapOp
    ring: SSAValue
    dims: tuple[int, int]
    guards: tuple[int, ...]
    bytes: int


class LoopLowering(Access):
    """Adds the loops over k to a kernel."""

    loops: Loops
    mma: Mma

    def match(self, process: pto.ProcessOp, ops: Sequence[Operation]) -> Loops:
        """Finds the loops of the tile program, sets the range of k, and returns the loops. Raises `Unsupported`."""
        self.loops = loops = match_loops(process, ops)
        last = loops.start + max(0, loops.count - 1) * loops.step
        for loop in (loops.producer, loops.consumer):
            self.ranges[loop.body.block.args[0]] = (loops.step, last)
        return loops

    def bind_k(self, step: SSAValue) -> None:
        """Sets the value of the producer's k in a pipeline step."""
        self.map[self.loops.producer.body.block.args[0]] = self.k_of(step)

    def k_of(self, step: SSAValue) -> SSAValue:
        """Returns the value of k at which a pipeline step begins."""
        k = self.times(step, self.loops.step, "k", "BK")
        return self.plus(k, self.index(self.loops.start), "k") if self.loops.start else k

    def multiplied_types(self, matmul: pto.MatmulAccOp) -> tuple[Attribute, Attribute, Attribute, str]:
        """Returns the element types of A, B and the accumulator of a multiplication, and its precision."""
        a, b, accum = (pto.tile_type(v).element_type for v in (matmul.a, matmul.b, matmul.result))
        return a, b, accum, matmul.precision.data if matmul.precision is not None else "exact"

    def slot_layout(self, load: pto.LoadMapOp) -> tuple[tuple[int, int], tuple[int, int]]:
        """
        Returns the axes and the sizes of a slot's rows and columns. They are swapped for a DN tile, whose columns are
        contiguous.
        """
        t, (first, second) = pto.tile_type(load.result), ints(load.dims)
        rows, columns = t.sizes
        return ((second, first), (columns, rows)) if t.layout == "DN" else ((first, second), (rows, columns))

    def load_fragment(self, copy: Copy, slot: SSAValue, origin: SSAValue, kk: int, fragment: SSAValue) -> None:
        """
        Loads a fragment of A or B for the instruction's k-step at `kk` of a slot. It begins at the row, or the column of B, `origin`.
        """
        t, layout, k = nv.frag(fragment), pto.tile_type(copy.load.result).layout, self.index(kk)
        along_k = (t.operand == "A") != (layout == "DN")
        row, column = (origin, k) if along_k else (k, origin)
        kind = nv.LdSharedOp if nv.matrix_rows_of(t, nv.smem(copy.ring), layout) is None else nv.LdMatrixOp
        self.add(kind(copy.ring, slot, row, column, layout, fragment))

    def start_copies(self, copy: Copy, slot: SSAValue, *, to_tf32: bool = False) -> None:
        """Starts the copies of one operand into a slot."""
        self.at = load = copy.load
        table = None if not load.positions else cast(pto.LoadMapOp, load.positions[0].owner)
        self.add(
            nv.CpAsyncOp(
                self.map[load.memref],
                [self.offset(o) for o in load.offsets],
                copy.ring,
                slot,
                map_text(element_address(load)),
                ints(load.bounds),
                copy.dims,
                copy.guards,
                copy.bytes,
                to_tf32,
                None if load.where is None else load.where.source.data,
                None if table is None else self.map[table.memref],
                None if table is None else map_text(element_address(table)),
            )
        )
