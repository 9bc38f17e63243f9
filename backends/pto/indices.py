"""
The C++ of arithmetic on indices and of their comparisons.

An expression that one op uses once is written there, without a variable, unless it has a name in the program.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue

from ...dialects import pto
from ...dialects.pto.transfers import TransferOp

SIGNS: dict[type[Operation], str] = {
    arith.AddiOp: "+", arith.SubiOp: "-", arith.MuliOp: "*", arith.DivUIOp: "/", arith.DivSIOp: "/", arith.RemUIOp: "%", arith.RemSIOp: "%",
    pto.AddIOp: "+", pto.SubIOp: "-", pto.MulIOp: "*",
}  # fmt: skip
"""The operator of each op. Indices of a kernel are not negative."""
LEAST: dict[type[Operation], str] = {arith.MinUIOp: "<", arith.MinSIOp: "<", arith.MaxUIOp: ">", arith.MaxSIOp: ">"}
"""The comparison that chooses the first operand."""
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")
"""The C++ of the predicates of arith.cmpi; those after LAST_SIGNED compare unsigned numbers."""
LAST_SIGNED = 5
USERS = (*SIGNS, arith.CmpiOp, arith.IndexCastOp, scf.ForOp, scf.IfOp)
"""Ops that take an expression for an operand."""


def is_written_at_use(op: Operation) -> bool:
    """Returns whether the result of an op has no variable, as the one op that uses it takes an expression."""
    if len(op.results) != 1 or not (result := op.results[0]).has_one_use() or result.name_hint is not None:
        return False
    user = next(iter(result.uses)).operation
    is_offset = isinstance(user, TransferOp) and result in user.offsets
    return isinstance(op, (*SIGNS, arith.CmpiOp)) and (isinstance(user, USERS) or is_offset)


def expression(op: Operation, name: Callable[[SSAValue], str]) -> str | None:
    """Returns the C++ of an op, given that of its operands, or None for other ops."""
    if (less := LEAST.get(type(op))) is not None:
        a, b = map(name, op.operands)
        return f"{a} {less} {b} ? {a} : {b}"
    if isinstance(op, arith.CmpiOp):
        number = op.predicate.value.data
        a, b = map(name, op.operands)
        if number > LAST_SIGNED:
            a, b = (f"(uint64_t)({x})" if " " in x else f"(uint64_t){x}" for x in (a, b))
        return f"{a} {COMPARISONS[number]} {b}"
    if (sign := SIGNS.get(type(op))) is None:
        return None
    a, b = (_operand(v, sign, name) for v in op.operands)
    if not (sign == "+" and _sign(op.operands[1]) in (None, "+")) and _binds_as(op.operands[1], sign):
        b = f"({b})"
    return f"{a} - {b[1:]}" if sign == "+" and b[0] == "-" else f"{a} {sign} {b}"


def _operand(value: SSAValue, sign: str, name: Callable[[SSAValue], str]) -> str:
    """Returns the C++ of an operand, in parentheses if its operator binds less than `sign`."""
    text, inner = name(value), _sign(value)
    return f"({text})" if inner is not None and inner in "+-" and sign in "*/%" else text


def _binds_as(value: SSAValue, sign: str) -> bool:
    """Returns whether an operand's operator binds as strongly as `sign`."""
    return (inner := _sign(value)) is not None and (inner in "+-") == (sign in "+-")


def _sign(value: SSAValue) -> str | None:
    """Returns the operator of an operand that is written where it is used."""
    op = value.owner
    return SIGNS.get(type(op)) if isinstance(op, Operation) and is_written_at_use(op) else None
