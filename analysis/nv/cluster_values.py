"""Integers of a kernel that the number of the block in its cluster decides: who sends to whom."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from ...dialects.nv.roles import ClusterRankOp
from ...dialects.nv.types import constant_of

DEEPEST = 100
"""Operations from a value to the constants that it is made of, at most."""

BINARY: dict[type[Operation], Callable[[int, int], int]] = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.DivUIOp: lambda a, b: a // b,
    arith.RemUIOp: lambda a, b: a % b,
    arith.AndIOp: lambda a, b: a & b,
    arith.OrIOp: lambda a, b: a | b,
    arith.XOrIOp: lambda a, b: a ^ b,
    arith.ShLIOp: lambda a, b: a << min(b, 64),
    arith.ShRUIOp: lambda a, b: a >> min(b, 64),
    arith.MinUIOp: min,
    arith.MaxUIOp: max,
}
COMPARE: tuple[Callable[[int, int], bool], ...] = (
    operator.eq,
    operator.ne,
    *(operator.lt, operator.le, operator.gt, operator.ge) * 2,
)
"""By the number of the predicate, signed and unsigned."""


@dataclass
class Numbers:
    """What values are in the block of this rank, where the values in `known` are these."""

    rank: int
    known: dict[SSAValue, int | None] = field(default_factory=dict[SSAValue, "int | None"])

    def of(self, value: SSAValue, depth: int = 0) -> int | None:
        """The value, if it is decided; of the natural numbers below 2^31."""
        if value not in self.known:
            found = self.compute(value, depth) if depth < DEEPEST else None
            self.known[value] = found if found is not None and 0 <= found < 2**31 else None
        return self.known[value]

    def compute(self, value: SSAValue, depth: int) -> int | None:
        op = value.owner
        if not isinstance(op, Operation):
            return None
        if isinstance(op, arith.ConstantOp):
            return constant_of(value)
        if isinstance(op, ClusterRankOp):
            return self.rank
        if isinstance(op, arith.SelectOp):
            cond = self.of(op.cond, depth + 1)
            return None if cond is None else self.of(op.lhs if cond else op.rhs, depth + 1)
        if type(op) not in BINARY and not isinstance(op, arith.CmpiOp | arith.IndexCastOp):
            return None
        operands = [self.of(v, depth + 1) for v in op.operands]
        if None in operands:
            return None
        a, *rest = [v for v in operands if v is not None]
        if isinstance(op, arith.IndexCastOp):
            return a
        if isinstance(op, arith.CmpiOp):
            number = op.predicate.value.data
            return int(COMPARE[number](a, rest[0])) if 0 <= number < len(COMPARE) else None
        if isinstance(op, arith.DivUIOp | arith.RemUIOp) and rest[0] == 0:
            return None
        return BINARY[type(op)](a, rest[0])
