"""Moves constants to the right of commutative ops, so that rows need to match only one order."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ...dialects import ptir
from .constants import is_constant
from .terms import COMMUTATIVE, COMPARISONS
from .write import Writer


def constant_right(op: ptir.BinaryOp | ptir.CompareOp, write: Writer) -> SSAValue | str:
    if not is_constant(op.lhs) or is_constant(op.rhs):
        return "its constants are in order"
    if isinstance(op, ptir.CompareOp):
        return write.add(ptir.CompareOp(COMPARISONS[op.op.data], op.rhs, op.lhs))
    if op.name.removeprefix("ptir.") not in COMMUTATIVE:
        return "it does not commute"
    return write.add(type(op)(op.rhs, op.lhs))
