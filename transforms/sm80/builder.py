"""The kernel under construction: where ops go, which values stand for which, index arithmetic."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, cast

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from ...analysis.arch import ARCHS
from ...dialects import pto
from ...errors import PlanMissing, Unsupported

if TYPE_CHECKING:
    from ...dialects.schedule import Schedule

log = logging.getLogger(__name__)


class KernelBuilder:
    """One `gpu.func` being written; afterwards `grid` and `shared` say how to launch it."""

    def __init__(self, kernel: pto.PtoKernelOp):
        self.kernel = kernel
        if kernel.plan is None:
            raise PlanMissing(kernel, kernel=kernel.sym_name.data)
        self.plan: Schedule = kernel.plan.schedule()
        if self.plan.arch not in ARCHS:
            raise Unsupported(
                kernel,
                what=f"arch {self.plan.arch} in pto-to-nv",
                need=f"the SM80 template exists: plan for one of {', '.join(ARCHS)}",
            )
        self.tiles = cast(pto.TilesOp, kernel.body.block.first_op)
        self.shared: int = 0
        self.warp: tuple[SSAValue, SSAValue] | None = None
        """Row and column of the warp's tile in the block's, where there is a contraction."""
        self.block = Block(arg_types=[a.type for a in kernel.body.block.args])
        self.map: dict[SSAValue, SSAValue] = dict(zip(kernel.body.block.args, self.block.args, strict=True))
        for new, old in zip(self.block.args, kernel.body.block.args, strict=True):
            new.name_hint = old.name_hint or None
        self.ranges: dict[SSAValue, tuple[int, int]] = {}  # an offset → its step and its largest value
        self.builder = Builder(InsertPoint.at_end(self.block))
        self.at: Operation = kernel
        self.index_constants: dict[int, SSAValue] = {}

    def add(self, op: Operation, hint: str | None = None) -> SSAValue:
        """Inserts an op with the location of the tile op that it comes from; gives its first result."""
        op.location = self.at.location
        self.builder.insert(op)
        for result in op.results:
            result.name_hint = hint
        return op.results[0] if op.results else cast(SSAValue, None)

    def index(self, value: int) -> SSAValue:
        """An index constant, made once at the head of the kernel."""
        if value not in self.index_constants:
            op = arith.ConstantOp(IntegerAttr(value, IndexType()))
            first = self.block.first_op
            if first is None:
                self.block.add_op(op)
            else:
                self.block.insert_op_before(op, first)
            op.result.name_hint = f"c{value}"
            self.index_constants[value] = op.result
        return self.index_constants[value]

    def times(self, value: SSAValue, factor: int, hint: str | None = None) -> SSAValue:
        return (
            value
            if factor == 1 or value is self.index_constants.get(0)
            else self.add(arith.MuliOp(value, self.index(factor)), hint)
        )

    def plus(self, left: SSAValue, right: SSAValue, hint: str) -> SSAValue:
        zero = self.index_constants.get(0)
        if zero in (left, right):
            return right if left is zero else left
        return self.add(arith.AddiOp(left, right), hint)

    def quotient(self, value: SSAValue, by: int, hint: str | None = None) -> SSAValue:
        return value if by == 1 else self.add(arith.DivUIOp(value, self.index(by)), hint)

    def remainder(self, value: SSAValue, by: int, hint: str | None = None) -> SSAValue:
        return self.index(0) if by == 1 else self.add(arith.RemUIOp(value, self.index(by)), hint)

    def loop(self, count: int, step: int, hint: str) -> tuple[Builder, SSAValue]:
        """Opens `for hint = 0 to count step step`; the caller restores the builder it gets."""
        body = Block(arg_types=[IndexType()])
        body.args[0].name_hint = hint
        loop = scf.ForOp(self.index(0), self.index(count), self.index(step), [], Region(body))
        loop.location = self.at.location
        self.builder.insert(loop)
        outside, self.builder = self.builder, Builder(InsertPoint.at_end(body))
        return outside, body.args[0]

    def close(self, outside: Builder) -> None:
        self.add(scf.YieldOp())
        self.builder = outside
