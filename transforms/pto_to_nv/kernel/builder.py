"""
The kernel under construction: insertion point, map from values of the tile program to the kernel's values, index arithmetic,
control flow.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith, gpu, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, StringAttr, i64
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects import nv, pto
from ....dialects.common.kernel import UNROLL
from ....dialects.common.syntax import axes_attr, ints
from ....errors import PlanMismatch, PlanMissing, Unsupported
from ....planning.templates import check_program_plan
from ...kernel_writer import KernelWriter

INT_MAX = 2**31 - 1


@dataclass
class LoopBody:
    """A loop's counter, its carried values, and their values in the next iteration, which the caller sets."""

    step: SSAValue
    carried: Sequence[SSAValue]
    next: list[SSAValue]
    results: Sequence[SSAValue] = ()
    """The carried values after the loop."""


class KernelBuilder(KernelWriter):
    """Writes one `gpu.func`; afterwards `grid`, `cluster` and `shared` say how to launch it."""

    grid: tuple[int, int, int]
    cluster: tuple[int, int, int] | None = None

    def __init__(self, kernel: pto.PtoKernelOp):
        super().__init__(kernel)
        self.kernel = kernel
        if kernel.plan is None:
            raise PlanMissing(kernel, kernel=kernel.sym_name.data)
        self.plan = kernel.plan.schedule()
        check_program_plan(kernel, self.plan)
        self.tiles = cast(pto.TilesOp, kernel.body.block.first_op)
        self.shared: int = 0
        self.warp: tuple[SSAValue, SSAValue] | None = None
        """Row and column at which the warp's tile begins in the block's tile, if there is a contraction."""
        self.map: dict[SSAValue, SSAValue] = dict(zip(kernel.body.block.args, self.block.args, strict=True))
        for output in self.block.args[len(kernel.inputs) :]:
            output.name_hint = output.name_hint or "out"
        self.ranges: dict[SSAValue, tuple[int, int]] = {}
        """Maps each offset to a divisor of all its values, and to its largest value in the program."""
        self.overhang: dict[SSAValue, int] = {}
        """Maps each offset to the distance by which tiles of whole clusters may exceed its largest value in `ranges`."""
        self.tile_numbers: dict[int, SSAValue] = {}
        """The number of the block's tile along each axis."""
        self.index_constants: dict[tuple[int, str], SSAValue] = {}

    def index(self, value: int, name: str = "") -> SSAValue:
        """Returns an index constant, which is created once at the head of the kernel; `name` is its printed name."""
        name = name or f"c{value}"
        if (value, name) not in self.index_constants:
            op = arith.ConstantOp(IntegerAttr(value, IndexType()))
            Rewriter.insert_op(op, InsertPoint.at_start(self.block))
            op.result.name_hint = name
            self.index_constants[value, name] = op.result
        return self.index_constants[value, name]

    def constant_of(self, value: SSAValue) -> int | None:
        """Returns the number that an index constant holds, or None."""
        return next((n for (n, _), constant in self.index_constants.items() if constant is value), None)

    def linear_tile_number(self) -> SSAValue:
        """Returns the number of the block's tile in row-major order."""
        number, last = self.index(0), len(self.tiles.counts) - 1
        for axis, count in enumerate(self.tiles.counts):
            number = self.plus(self.times(number, count), self.tile_numbers[axis], "tile" if axis == last else None)
        return number

    def set_tile_number(self, axis: int, number: SSAValue) -> None:
        """Sets the number and the offset of this block's tile along an axis; axis -1 stands for the part of k of a split."""
        if axis < 0:
            if self.tiles.part is not None:
                self.ranges[self.tiles.part] = (1, self.tiles.parts - 1)
                self.map[self.tiles.part] = number
            return
        step, count, arg = ints(self.tiles.steps)[axis], self.tiles.counts[axis], self.tiles.offsets[axis]
        self.ranges[arg] = (step, (count - 1) * step)
        self.overhang[arg] = self.tiles_beyond(axis) * step
        self.tile_numbers[axis] = number
        self.map[arg] = self.times(number, step, arg.name_hint)

    def set_ranges(self) -> None:
        """Sets the ranges of the offsets, from which guards and alignments are proven, before their values exist."""
        for axis in range(-1, len(self.tiles.counts)):
            self.set_tile_number(axis, self.index(0))
        for arg in self.tiles.body.block.args:
            del self.map[arg]

    def tiles_beyond(self, axis: int) -> int:
        """Returns by how many tiles the grid exceeds the program along an axis."""
        return 0

    def check_index_width(self, tiles: int) -> None:
        """Raises `Unsupported` if an index that is `tiles` tiles past the end of an axis may exceed 32 bits."""
        for size, step in zip(ints(self.tiles.sizes), ints(self.tiles.steps), strict=True):
            if size + tiles * step > INT_MAX:
                need = "use axes of less than 2^31: indices are 32-bit"
                raise Unsupported(self.kernel, what=f"an axis of {size} elements", need=need)

    def allocate(self, size: int, alignment: int) -> int:
        """Allocates `size` bytes of shared memory and returns their offset, which is a multiple of `alignment`."""
        at = -(-self.shared // alignment) * alignment
        self.shared = at + size
        return at

    def function(self) -> gpu.FuncOp:
        """Adds the kernel's terminator and returns the kernel as a `gpu.func` that carries its plan."""
        self.add(gpu.ReturnOp([]))
        function = gpu.FuncOp(
            self.kernel.sym_name.data,
            ([a.type for a in self.block.args], []),
            Region(self.block),
            kernel=True,
            known_block_size=(self.plan.threads, 1, 1),
        )
        function.location = self.kernel.location
        if self.kernel.plan is not None:
            function.attributes["nv.plan"] = self.kernel.plan
        if self.cluster is not None:
            function.attributes["nv.cluster"] = axes_attr(self.cluster)
        return function

    def mismatch(self, problem: str, help: str) -> PlanMismatch:
        return PlanMismatch(self.kernel, kernel=self.kernel.sym_name.data, problem=problem, help=help)

    def times(self, value: SSAValue, factor: int, hint: str | None = None, name: str = "") -> SSAValue:
        if factor == 1 or self.constant_of(value) == 0:
            return value
        return self.add(arith.MuliOp(value, self.index(factor, name)), hint)

    def plus(self, left: SSAValue, right: SSAValue, hint: str | None = None) -> SSAValue:
        if 0 in (numbers := (self.constant_of(left), self.constant_of(right))):
            return right if numbers[0] == 0 else left
        return self.add(arith.AddiOp(left, right), hint)

    def less(self, left: SSAValue, right: SSAValue, hint: str | None = None) -> SSAValue:
        return self.add(arith.CmpiOp(left, right, "ult"), hint)

    def quotient(self, value: SSAValue, by: int, hint: str | None = None) -> SSAValue:
        return value if by == 1 else self.add(arith.DivUIOp(value, self.index(by)), hint)

    def remainder(self, value: SSAValue, by: int, hint: str | None = None) -> SSAValue:
        return self.index(0) if by == 1 else self.add(arith.RemUIOp(value, self.index(by)), hint)

    def is_zero(self, value: SSAValue) -> SSAValue:
        return self.add(arith.CmpiOp(value, self.index(0), "eq"))

    def flipped(self, bit: SSAValue, hint: str | None = None) -> SSAValue:
        """Returns 1 if `bit` is 0, and 0 otherwise."""
        return self.add(arith.SelectOp(self.is_zero(bit), self.index(1), self.index(0)), hint)

    def next_slot(self, slot: SSAValue, slots: int, hint: str) -> SSAValue:
        """Returns the slot after `slot` in a ring of `slots`."""
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
        *,
        unroll: int = 1,
    ) -> Generator[LoopBody]:
        """
        A context manager that writes `for hint = first to count by step`; ops added inside of the `with` go into the loop's body.
        `carried` has the name and initial value of each carried value; a number stands for an index constant. The caller sets
        `LoopBody.next` to their values in the next iteration. The loop is printed with `unroll` steps written out.
        """
        starts = [self.index(start) if isinstance(start, int) else start for _, start in carried]
        body = Block(arg_types=[IndexType(), *(start.type for start in starts)])
        for arg, name in zip(body.args, (hint, *(name for name, _ in carried)), strict=True):
            arg.name_hint = name
        loop = scf.ForOp(first or self.index(0), count, step or self.index(1), starts, Region(body))
        loop.location = self.at.location
        if comment:
            loop.attributes["nv.comment"] = StringAttr(comment)
        if unroll > 1:
            loop.attributes[UNROLL] = IntegerAttr(unroll, i64)
        self.builder.insert(loop)
        inside = LoopBody(body.args[0], body.args[1:], list(body.args[1:]), loop.results)
        with self.within(body):
            yield inside
            self.add(scf.YieldOp(*inside.next))

    @contextmanager
    def when(self, condition: SSAValue) -> Generator[None]:
        """A context manager that writes an `scf.if` without else."""
        then = Block()
        self.add(scf.IfOp(condition, [], Region(then)))
        with self.within(then):
            yield
            self.add(scf.YieldOp())

    def single(self, scope: str) -> AbstractContextManager[None]:
        """A context manager that writes a region that one thread of `scope` executes."""
        self.add(nv.SingleOp(scope, Region(body := Block())))
        return self.within(body)

    def role(self, label: str, first: int, end: int) -> AbstractContextManager[None]:
        """A context manager that writes a region that the threads `first` to `end - 1` execute."""
        self.add(nv.RoleOp(label, first, end, Region(body := Block())))
        return self.within(body)
