"""Bounds of loops over keys that depend on the tile of queries: index arithmetic, and the intervals that it can reach."""

from __future__ import annotations

from math import gcd

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue

from ...kernel.access import Access

LEAST = (arith.MinUIOp, arith.MinSIOp)
LARGEST = (arith.MaxUIOp, arith.MaxSIOp)


class Bounds(Access):
    """Extends offsets by quotients, minima and maxima."""

    def offset(self, value: SSAValue) -> SSAValue:
        match value.owner:
            case arith.DivUIOp() | arith.MinUIOp() | arith.MinSIOp() | arith.MaxUIOp() | arith.MaxSIOp() as op:
                if value not in self.map:
                    return self.add(type(op)(self.offset(op.lhs), self.offset(op.rhs)), value.name_hint)
            case _:
                pass
        return super().offset(value)

    def range_of(self, value: SSAValue) -> tuple[int, int]:
        match value.owner:
            case arith.DivUIOp() as op:
                return 1, self.range_of(op.lhs)[1] // max(1, self.least(op.rhs))
            case arith.MinUIOp() | arith.MinSIOp() | arith.MaxUIOp() | arith.MaxSIOp() as op:
                (left, a), (right, b) = self.range_of(op.lhs), self.range_of(op.rhs)
                return gcd(left, right), (min if isinstance(op, LEAST) else max)(a, b)
            case _:
                return super().range_of(value)

    def least(self, value: SSAValue) -> int:
        """Returns a lower bound of an offset."""
        match value.owner:
            case arith.ConstantOp():
                return self.nonnegative(value)
            case arith.AddiOp() as op:
                return self.least(op.lhs) + self.least(op.rhs)
            case arith.MuliOp() as op:
                return self.least(op.lhs) * self.nonnegative(op.rhs)
            case arith.DivUIOp() as op:
                return self.least(op.lhs) // max(1, self.range_of(op.rhs)[1])
            case Operation() as op if isinstance(op, (*LEAST, *LARGEST)):
                return (min if isinstance(op, LEAST) else max)(self.least(op.lhs), self.least(op.rhs))
            case _:
                return 0

    def bind_counter(self, loop: scf.ForOp) -> None:
        """Sets the range of a loop's counter, whose bounds may depend on the tile."""
        (divisor, _), step = self.range_of(loop.lb), self.nonnegative(loop.step)
        each = gcd(divisor, step)
        self.ranges[loop.body.block.args[0]] = each, max(0, self.range_of(loop.ub)[1] - 1) // each * each

    def never_empty(self, low: SSAValue, high: SSAValue) -> bool:
        """Returns whether a loop from `low` to `high` is known to have an iteration."""
        return self.range_of(low)[1] < self.least(high)
