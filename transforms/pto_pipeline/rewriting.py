"""Writes the steps of a pipelined loop."""

from __future__ import annotations

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...analysis.pto.effects import constant, trip_count
from ...dialects import pto
from .dependences import body_instructions, carried, tile_uses
from .schedules import LoopSchedule, steps


def number(value: int) -> SSAValue:
    return pto.ConstantOp(IntegerAttr(value, IndexType())).result


def pipeline_loop(loop: scf.ForOp, schedule: LoopSchedule) -> None:
    """Replaces a loop, whose bounds are constants, by its steps."""
    steps = Steps(loop, schedule)
    block = Block()
    with ImplicitBuilder(block):
        results = steps.write()
    ops = list(block.ops)
    for op in ops:
        op.detach()
    Rewriter.insert_op(ops, InsertPoint.before(loop))
    for old, new in zip(loop.results, results, strict=True):
        new.name_hint = new.name_hint or old.name_hint
    Rewriter.replace_op(loop, [], results, safe_erase=False)


class Steps:
    """
    Step j of a pipelined loop executes the instructions of stage s for iteration j - s. `instances` has the value that each instruction
    computes for each iteration. In the new loop, iterations are counted from that of its first step.
    """

    def __init__(self, loop: scf.ForOp, schedule: LoopSchedule) -> None:
        self.loop, self.modulo, self.copies = loop, schedule.schedule, schedule.copies
        self.ops = body_instructions(loop)
        self.numbers: dict[Operation | Block, int] = {op: k for k, op in enumerate(self.ops)}
        self.yielded = carried(loop)
        self.first = dict(zip(self.yielded.values(), loop.iter_args, strict=True))
        low, step, trips = constant(loop.lb), constant(loop.step), trip_count(loop)
        assert low is not None and step is not None and trips is not None
        self.low, self.step, self.trips = low, step, trips
        self.instances: dict[tuple[SSAValue, int], SSAValue] = {}
        self.scalars: dict[tuple[SSAValue, int], SSAValue] = {}
        self.base: SSAValue | None = None
        """The induction variable of iteration 0 in the new loop; None outside of it, where iterations have their own numbers."""

    def write(self) -> list[SSAValue]:
        """Writes all steps, and returns the results of the loop."""
        depth = self.modulo.stages - 1
        for value, init in self.first.items():
            self.instances[value, -1] = init
        rounds = (self.trips - depth) // self.copies
        first = depth if rounds > 1 else 0
        for step in range(first):
            self._step(step)
        if rounds > 1:
            self._loop(depth, rounds)
            first = depth + rounds * self.copies
        for step in range(first, self.trips + depth):
            self._step(step)
        return [self.instances[value, self.trips - 1] for value in self.yielded.values()]

    def _step(self, step: int, shift: int = 0) -> None:
        """Writes a step. In the new loop, `shift` is the number of the iteration that counts as 0."""
        for k in self.modulo.order:
            iteration = step - self.modulo.stage(k)
            if 0 <= iteration < self.trips:
                self._instruction(self.ops[k], iteration - shift)

    def _instruction(self, op: pto.InstructionOp, iteration: int) -> None:
        new = op.clone({v: self._value(v, iteration) for v in op.operands})
        for old, result in zip(op.results, new.results, strict=True):
            self.instances[old, iteration] = result
            result.name_hint = old.name_hint

    def _value(self, value: SSAValue, iteration: int) -> SSAValue:
        """Returns the value of iteration `iteration` for one of the body."""
        if value in self.yielded:
            return self.instances[self.yielded[value], iteration - 1]
        if value.owner in self.numbers:
            return self.instances[value, iteration]
        if value is self.loop.body.block.args[0]:
            return self._index(value, iteration)
        owner = value.owner
        if not isinstance(owner, Operation) or owner.parent is not self.loop.body.block:
            return value
        if (value, iteration) not in self.scalars:
            new = owner.clone({v: self._value(v, iteration) for v in owner.operands})
            for old, result in zip(owner.results, new.results, strict=True):
                self.scalars[old, iteration] = result
                result.name_hint = old.name_hint
        return self.scalars[value, iteration]

    def _index(self, value: SSAValue, iteration: int) -> SSAValue:
        if (value, iteration) not in self.scalars:
            if self.base is None:
                index = number(self.low + self.step * iteration)
            elif iteration == 0:
                index = self.base
            else:
                index = pto.AddIOp(self.base, number(self.step * iteration)).result
            index.name_hint = index.name_hint or value.name_hint
            self.scalars[value, iteration] = index
        return self.scalars[value, iteration]

    def _loop(self, depth: int, rounds: int) -> None:
        """Writes the loop whose iterations execute `copies` steps from step `depth` on."""
        ages = self._ages()
        inits = [self.instances[v, self._iteration(v, depth - age)] for v, age in ages]
        outside, scalars = self.instances, self.scalars
        body = Block(arg_types=[IndexType(), *(v.type for v in inits)])
        self.base, self.scalars = body.args[0], {}
        self.base.name_hint = self.loop.body.block.args[0].name_hint
        self.instances = {
            (v, self._iteration(v, -age)): argument
            for (v, age), argument in zip(ages, list(body.args)[1:], strict=True)
        }
        with ImplicitBuilder(body):
            for copy in range(self.copies):
                self._step(depth + copy, shift=depth)
            values = [self.instances[v, self._iteration(v, self.copies - age)] for v, age in ages]
            scf.YieldOp(*values)
        self.base = None
        self.instances, self.scalars = outside, scalars
        low, end = self.low + self.step * depth, self.low + self.step * (depth + rounds * self.copies)
        lb, ub, step = (number(n) for n in (low, end, self.step * self.copies))
        new = scf.ForOp(lb, ub, step, inits, Region(body))
        after = depth + rounds * self.copies
        for (v, age), result in zip(ages, new.results, strict=True):
            self.instances[v, self._iteration(v, after - age)] = result
            result.name_hint = v.name_hint

    def _iteration(self, value: SSAValue, step: int) -> int:
        """Returns the iteration for which `value` is computed in a step."""
        return step - self.modulo.stage(self.numbers[value.owner])

    def _ages(self) -> list[tuple[SSAValue, int]]:
        """Returns the values that a step uses of earlier steps, with the number of steps since."""
        most: dict[SSAValue, int] = {}
        for use in tile_uses(self.loop):
            most[use.tile] = max(most.get(use.tile, 0), steps(use, self.modulo))
        for value in self.first:
            most[value] = max(most.get(value, 0), 1)
        return [(v, age) for v, n in most.items() for age in range(1, n + 1)]
