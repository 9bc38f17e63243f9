"""The kernel under construction: where ops go, which values stand for which, index arithmetic."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from ....dialects import nv, pto
from ....errors import PlanMismatch, PlanMissing
from ....planning.templates import check_words

if TYPE_CHECKING:
    from ....dialects.plan.schedule import Schedule


@dataclass
class LoopBody:
    """The counter and the carried values of a loop, and what they are in its next round."""

    step: SSAValue
    carried: Sequence[SSAValue]
    next: list[SSAValue]
    results: Sequence[SSAValue] = ()
    """The carried values after the loop."""


class KernelBuilder:
    """One `gpu.func` being written; afterwards `grid` and `shared` say how to launch it."""

    def __init__(self, kernel: pto.PtoKernelOp):
        self.kernel = kernel
        if kernel.plan is None:
            raise PlanMissing(kernel, kernel=kernel.sym_name.data)
        self.plan: Schedule = kernel.plan.schedule()
        check_words(kernel, self.plan)
        self.tiles = cast(pto.TilesOp, kernel.body.block.first_op)
        self.shared: int = 0
        self.warp: tuple[SSAValue, SSAValue] | None = None
        """Row and column of the warp's tile in the block's, where there is a contraction."""
        self.block = Block(arg_types=[a.type for a in kernel.body.block.args])
        self.map: dict[SSAValue, SSAValue] = dict(zip(kernel.body.block.args, self.block.args, strict=True))
        for new, old in zip(self.block.args, kernel.body.block.args, strict=True):
            new.name_hint = old.name_hint or ("out" if old in kernel.outputs else None)
        self.ranges: dict[SSAValue, tuple[int, int]] = {}  # an offset → its step and its largest value
        self.overhang: dict[SSAValue, int] = {}  # an offset → how much further it goes where a cluster has more tiles
        self.numbers: dict[int, SSAValue] = {}
        """The number of the block's tile along each axis."""
        self.builder = Builder(InsertPoint.at_end(self.block))
        self.at: Operation = kernel
        self.index_constants: dict[tuple[int, str], SSAValue] = {}

    def add(self, op: Operation, hint: str | None = None) -> SSAValue:
        """Inserts an op with the location of the tile op that it comes from; gives its first result."""
        op.location = self.at.location
        self.builder.insert(op)
        for result in op.results:
            result.name_hint = hint
        return op.results[0] if op.results else cast(SSAValue, None)

    def index(self, value: int, name: str = "") -> SSAValue:
        """An index constant, made once at the head of the kernel; a name of the plan's survives as the printed one."""
        name = name or f"c{value}"
        if (value, name) not in self.index_constants:
            op = arith.ConstantOp(IntegerAttr(value, IndexType()))
            first = self.block.first_op
            if first is None:
                self.block.add_op(op)
            else:
                self.block.insert_op_before(op, first)
            op.result.name_hint = name
            self.index_constants[value, name] = op.result
        return self.index_constants[value, name]

    def number(self, value: SSAValue) -> int | None:
        """What an index constant is."""
        return next((n for (n, _), constant in self.index_constants.items() if constant is value), None)

    def tile_number(self) -> SSAValue:
        """The tile's number in row-major order."""
        number, last = self.index(0), len(self.tiles.counts) - 1
        for axis, count in enumerate(self.tiles.counts):
            number = self.plus(self.times(number, count), self.numbers[axis], "tile" if axis == last else None)
        return number

    def mismatch(self, problem: str, help: str) -> PlanMismatch:
        return PlanMismatch(self.kernel, kernel=self.kernel.sym_name.data, problem=problem, help=help)

    def times(self, value: SSAValue, factor: int, hint: str | None = None, name: str = "") -> SSAValue:
        if factor == 1 or self.number(value) == 0:
            return value
        return self.add(arith.MuliOp(value, self.index(factor, name)), hint)

    def plus(self, left: SSAValue, right: SSAValue, hint: str | None = None) -> SSAValue:
        if 0 in (numbers := (self.number(left), self.number(right))):
            return right if numbers[0] == 0 else left
        return self.add(arith.AddiOp(left, right), hint)

    def less(self, left: SSAValue, right: SSAValue, hint: str) -> SSAValue:
        return self.add(arith.CmpiOp(left, right, "ult"), hint)

    def quotient(self, value: SSAValue, by: int, hint: str | None = None) -> SSAValue:
        return value if by == 1 else self.add(arith.DivUIOp(value, self.index(by)), hint)

    def remainder(self, value: SSAValue, by: int, hint: str | None = None) -> SSAValue:
        return self.index(0) if by == 1 else self.add(arith.RemUIOp(value, self.index(by)), hint)

    def after(self, slot: SSAValue, slots: int, hint: str) -> SSAValue:
        """The slot after `slot` in a ring."""
        next_ = self.plus(slot, self.index(1))
        around = self.add(arith.CmpiOp(next_, self.index(slots, "STAGES"), "eq"))
        return self.add(arith.SelectOp(around, self.index(0), next_), hint)

    @contextmanager
    def loop(
        self,
        count: SSAValue,
        hint: str,
        comment: str,
        carried: Sequence[tuple[str, int | SSAValue]] = (),
        first: SSAValue | None = None,
        step: SSAValue | None = None,
    ) -> Generator[LoopBody]:
        """
        `for hint = first to count by step`; what is added inside goes into its body. `carried` are indices by name
        and first value; the caller sets `LoopBody.next` to their next ones.
        """
        body = Block(arg_types=[IndexType()] * (1 + len(carried)))
        for arg, name in zip(body.args, (hint, *(name for name, _ in carried)), strict=True):
            arg.name_hint = name
        starts = [self.index(start) if isinstance(start, int) else start for _, start in carried]
        loop = scf.ForOp(first or self.index(0), count, step or self.index(1), starts, Region(body))
        loop.location = self.at.location
        loop.attributes["nv.comment"] = StringAttr(comment)
        self.builder.insert(loop)
        inside = LoopBody(body.args[0], body.args[1:], list(body.args[1:]), loop.results)
        with self.within(body):
            yield inside
            self.add(scf.YieldOp(*inside.next))

    @contextmanager
    def within(self, body: Block) -> Generator[None]:
        """What is added goes to the end of `body`."""
        outside, self.builder = self.builder, Builder(InsertPoint.at_end(body))
        yield
        self.builder = outside

    @contextmanager
    def when(self, condition: SSAValue) -> Generator[None]:
        """What is added inside happens only if `condition` holds."""
        then = Block()
        self.add(scf.IfOp(condition, [], Region(then)))
        with self.within(then):
            yield
            self.add(scf.YieldOp())

    @contextmanager
    def single(self, who: str) -> Generator[None]:
        """What is added inside is done by one thread."""
        body = Block()
        self.add(nv.SingleOp(who, Region(body)))
        with self.within(body):
            yield

    @contextmanager
    def role(self, label: str, first: int, end: int) -> Generator[None]:
        """What is added inside is done by these threads."""
        body = Block()
        self.add(nv.RoleOp(label, first, end, Region(body)))
        with self.within(body):
            yield
