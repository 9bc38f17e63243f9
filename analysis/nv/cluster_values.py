"""Evaluates integers that depend only on constants and the cluster rank, such as targets of arrivals and multicast masks."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from ...dialects.nv.roles import ClusterRankOp
from ...dialects.nv.types import constant_of

MAX_DEPTH = 100
"""Maximum length of a use-def chain, from a value to constants, that is evaluated."""

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
"""The `arith.cmpi` predicates in the order of their numbers: `eq`, `ne`, then signed, then unsigned."""


@dataclass
class ClusterValues:
    """Evaluates SSA values in the block with this cluster rank, given the values in `known`."""

    rank: int
    known: dict[SSAValue, int | None] = field(default_factory=dict[SSAValue, "int | None"])

    def evaluate(self, value: SSAValue, depth: int = 0) -> int | None:
        """Returns the value as an integer in [0, 2³¹); None if it is not known statically, or outside that range."""
        if value not in self.known:
            found = self._compute(value, depth) if depth < MAX_DEPTH else None
            self.known[value] = found if found is not None and 0 <= found < 2**31 else None
        return self.known[value]

    def _compute(self, value: SSAValue, depth: int) -> int | None:
        op = value.owner
        if not isinstance(op, Operation):
            return None
        if isinstance(op, arith.ConstantOp):
            return constant_of(value)
        if isinstance(op, ClusterRankOp):
            return self.rank
        if isinstance(op, arith.SelectOp):
            cond = self.evaluate(op.cond, depth + 1)
            return None if cond is None else self.evaluate(op.lhs if cond else op.rhs, depth + 1)
        if type(op) not in BINARY and not isinstance(op, arith.CmpiOp | arith.IndexCastOp):
            return None
        operands = [self.evaluate(v, depth + 1) for v in op.operands]
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
