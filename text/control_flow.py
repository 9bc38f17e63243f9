"""Rules of MLIR's `scf` that xDSL does not verify: what regions yield has the types of the results, or of the arguments of the next region."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.scf import ConditionOp, IfOp, WhileOp, YieldOp
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException


def verify_if(op: IfOp) -> None:
    """Raises `VerifyException` if a branch does not yield values of the types of the results."""
    for name, region in (("first", op.true_region), ("else", op.false_region)):
        if region.blocks or op.results:
            last = region.blocks[-1].last_op if region.blocks else None
            given = last.operands if isinstance(last, YieldOp) else ()
            _require(given, op.results, f"returns {{wanted}}, but its {name} branch yields {{given}}")


def verify_while(op: WhileOp) -> None:
    """Raises `VerifyException` if what is passed to a region, or returned, has not the types of what receives it."""
    before, after = op.before_region.block, op.after_region.block
    _require(op.arguments, before.args, "passes {given} to its first region, whose arguments are {wanted}")
    if isinstance(condition := before.last_op, ConditionOp):
        _require(condition.args, op.results, "returns {wanted}, but scf.condition passes on {given}")
        _require(condition.args, after.args, "passes {given} to its second region, whose arguments are {wanted}")
    if isinstance(last := after.last_op, YieldOp):
        _require(last.operands, before.args, "yields {given} to its first region, whose arguments are {wanted}")


def _require(given: Sequence[SSAValue], wanted: Sequence[SSAValue], message: str) -> None:
    if [v.type for v in given] != [v.type for v in wanted]:
        raise VerifyException(message.format(given=_types(given), wanted=_types(wanted)))


def _types(values: Iterable[SSAValue]) -> str:
    return ", ".join(str(v.type) for v in values) or "nothing"
