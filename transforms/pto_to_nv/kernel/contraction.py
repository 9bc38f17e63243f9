"""The loops, operands and copies of a contraction, as far as both templates lower them alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import Attribute, Operation, SSAValue

from ....analysis.regions.tile_access import element_address
from ....dialects import nv, pto
from ....dialects.common.syntax import ints
from ....targets.mma import Mma
from ..tile_loops import Loops, match_loops
from .access import Access, as_map

SelectMma = Callable[[Attribute, Attribute, Attribute, str], Mma | None]


@dataclass(frozen=True)
class Copy:
    """The copies of one operand by threads, `bytes` at a time; `dims` are the axes along a slot's rows and columns."""

    load: pto.LoadOp
    ring: SSAValue
    dims: tuple[int, int]
    guards: tuple[int, ...]
    bytes: int


class LoopLowering(Access):
    """Adds the loops over k to a kernel."""

    def match(self, process: pto.ProcessOp, ops: Sequence[Operation]) -> Loops:
        loops = match_loops(process, ops)
        last = loops.start + max(0, loops.count - 1) * loops.step
        self.ranges[loops.producer.body.block.args[0]] = (loops.step, last)
        return loops

    def bind_k(self, loops: Loops, step: SSAValue) -> None:
        """Gives the producer's k its value at a step."""
        k = self.times(step, loops.step, "k", "BK")
        if loops.start:
            k = self.plus(k, self.index(loops.start), "k")
        self.map[loops.producer.body.block.args[0]] = k

    def select_mma(
        self, matmul: pto.MatmulAccOp, select: SelectMma
    ) -> tuple[Mma | None, tuple[Attribute, Attribute, Attribute]]:
        """Returns the instruction that `select` finds for the element types of A, B and the accumulator, and the types."""
        a, b, accum = (pto.tile_type(v).element_type for v in (matmul.a, matmul.b, matmul.result))
        precision = matmul.precision.data if matmul.precision is not None else "exact"
        return select(a, b, accum, precision), (a, b, accum)

    def slot_layout(self, load: pto.LoadOp) -> tuple[tuple[int, int], tuple[int, int]]:
        """Returns the axes and sizes of a tile's rows and columns in memory order: those of a DN tile are swapped."""
        t, (first, second) = pto.tile_type(load.result), ints(load.dims)
        rows, columns = t.sizes
        return ((second, first), (columns, rows)) if t.layout.data == "DN" else ((first, second), (rows, columns))

    def start_copies(self, copy: Copy, slot: SSAValue, *, to_tf32: bool = False) -> None:
        """Starts the copies of one operand into a slot."""
        self.at = load = copy.load
        self.add(
            nv.CpAsyncOp(
                self.map[load.memref],
                [self.offset(o) for o in load.offsets],
                copy.ring,
                slot,
                str(as_map(element_address(load))),
                ints(load.bounds),
                copy.dims,
                copy.guards,
                copy.bytes,
                to_tf32,
            )
        )
