"""
`vyre-expand-reductions`: replaces reductions and dot products by loops of strict ops, in their canonical orders.

```
                                                        %x = vyre.load %b[%i]
                                                        %r = vyre.for %k from %one to %count with %total = %x {
%r = vyre.reduce strict fadd %b[%i] count 100     →       %y = vyre.load %b[%i + %k]
                                                          %t = vyre.strict fadd %total, %y
                                                          vyre.yield %t
                                                        }
```

A tree is evaluated as a binary counter: value l of the loop is the left operand of a pair on level l that waits for the right one, which is
there when bit l of the number of elements so far is set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from ..dialects import vyre
from ..dialects.vyre.floats import IDENTITY
from ..dialects.vyre.types import boolean, f32, u32

NOWHERE = 0xFFFFFFFF
"""An index that is out of bounds of every buffer, so that its element is 0 and nothing is read."""


@dataclass(frozen=True)
class VyreExpandReductions(ModulePass):
    """Replaces `vyre.reduce` and `vyre.dot` by loops."""

    name = "vyre-expand-reductions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expand(op)


def expand(root: Operation) -> None:
    """Replaces the reductions and dot products in `root`."""
    for op in [o for o in root.walk() if isinstance(o, vyre.ReduceOp | vyre.DotOp)]:
        writer = _Writer(Builder(InsertPoint.before(op)), op)
        result = writer.reduction(op) if isinstance(op, vyre.ReduceOp) else writer.dot(op)
        result.name_hint = op.result.name_hint
        op.result.replace_all_uses_with(result)
        op.detach()
        op.erase()


class _Writer:
    """Writes ops at a place, in the name of the op that they replace."""

    def __init__(self, builder: Builder, op: Operation):
        self.builder, self.op = builder, op

    def add(self, op: Operation) -> SSAValue:
        op.location = self.op.location
        self.builder.insert(op)
        return op.results[0]

    def number(self, value: int, t: Attribute = u32) -> SSAValue:
        return self.add(vyre.ConstantOp(value, t))

    def binop(self, fn: str, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.add(vyre.BinOp(fn, a, b))

    def loop(
        self,
        start: int,
        stop: int,
        initial: Sequence[SSAValue],
        body: Callable[[_Writer, Sequence[SSAValue]], Sequence[SSAValue]],
    ) -> SSAValue:
        """Writes a loop; `body` gets the counter and the carried values. Returns the last result."""
        block = Block(arg_types=[u32, *(v.type for v in initial)])
        inside = _Writer(Builder(InsertPoint.at_end(block)), self.op)
        end = vyre.YieldOp(*body(inside, block.args))
        end.location = self.op.location
        block.add_op(end)
        loop = vyre.ForOp(self.number(start), self.number(stop), initial, block)
        self.add(loop)
        return loop.results[-1]

    def dot(self, op: vyre.DotOp) -> SSAValue:
        def product(at: _Writer, k: SSAValue) -> SSAValue:
            factors = [
                at.add(vyre.LoadOp(buffer, at.binop("add", first, at.binop("mul", k, at.number(step.value.data)))))
                for buffer, first, step in ((op.a, op.i, op.step_a), (op.b, op.j, op.step_b))
            ]
            return at.add(vyre.StrictOp("fmul", *factors))

        def body(at: _Writer, args: Sequence[SSAValue]) -> Sequence[SSAValue]:
            return [at.add(vyre.StrictOp("fadd", args[1], product(at, args[0])))]

        return self.loop(1, op.count.value.data, [product(self, self.number(0))], body)

    def reduction(self, op: vyre.ReduceOp) -> SSAValue:
        count, fn = op.count.value.data, op.fn.data
        if op.order.data == "tree" and count > 1:
            return self.tree(op, (count - 1).bit_length())

        def body(at: _Writer, args: Sequence[SSAValue]) -> Sequence[SSAValue]:
            element = at.add(vyre.LoadOp(op.buffer, at.binop("add", op.first, args[0])))
            return [at.add(vyre.StrictOp(fn, args[1], element))]

        return self.loop(1, count, [self.add(vyre.LoadOp(op.buffer, op.first))], body)

    def tree(self, op: vyre.ReduceOp, levels: int) -> SSAValue:
        def body(at: _Writer, args: Sequence[SSAValue]) -> Sequence[SSAValue]:
            k, *waiting = args[:-1]
            real = at.add(vyre.CompareOp("lt", k, at.number(op.count.value.data)))
            index = at.add(vyre.SelectOp(real, at.binop("add", op.first, k), at.number(NOWHERE)))
            element = at.add(vyre.SelectOp(real, at.add(vyre.LoadOp(op.buffer, index)), identity))
            carry = at.number(1, boolean)
            kept: list[SSAValue] = []
            for level, left in enumerate(waiting):
                bit = at.add(vyre.CastOp(at.binop("and", k, at.number(1 << level)), boolean))
                pair = at.binop("and", carry, bit)
                first = at.binop("and", carry, at.add(vyre.UnOp("not", bit)))
                kept.append(at.add(vyre.SelectOp(first, element, left)))
                element = at.add(vyre.SelectOp(pair, at.add(vyre.StrictOp(op.fn.data, left, element)), element))
                carry = pair
            return [*kept, element]

        identity = self.number(IDENTITY[op.fn.data], f32)
        return self.loop(0, 1 << levels, [identity] * (levels + 1), body)
