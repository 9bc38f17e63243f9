"""
Outlines ops into a composite: the ops move into its region, and the values that they read become its operands.

Only ops without uses outside the composite move. A literal with other uses becomes an operand, so that inlining the composite
restores the program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import is_side_effect_free

from ...dialects import ptir
from .views import Ops, definition


def is_private(ops: Ops, last: Operation) -> bool:
    """Returns whether all ops are in one block and, except for the last one, have no uses outside `ops`."""
    return all(op.parent is last.parent and (op is last or _used_by(op, ops)) for op in ops)


def _used_by(op: Operation, ops: Ops) -> bool:
    return all(use.operation in ops for result in op.results for use in result.uses)


def absorb(ops: Ops, last: Operation, admit: Callable[[Operation], bool]) -> Ops:
    """
    Returns `ops` and, transitively, the ops that define their operands, have no other uses, and are accepted by `admit`.
    """
    out = dict(ops)
    todo = list(ops)
    while todo:
        for owner in [operand.owner for operand in todo.pop().operands]:
            if (
                isinstance(owner, Operation)
                and owner not in out
                and owner.parent is last.parent
                and admit(owner)
                and _used_by(owner, out)
            ):
                out[owner] = None
                todo += out  # visit the operands of `owner`, and the ops whose last use outside `out` it was
    return out


def free_ops(root: Operation) -> set[Operation]:
    """Returns the ops that do not depend on any argument: literals, `iota`, and ops on these."""
    free: set[Operation] = set()
    for op in root.walk():
        if (
            op.name.startswith("ptir.")
            and not op.regions
            and op.results
            and is_side_effect_free(op)
            and all(definition(v) in free for v in op.operands)
        ):
            free.add(op)
    return free


def outline(
    ops: Ops, last: Operation, first_operands: Sequence[SSAValue], name: str, facts: Mapping[str, Attribute]
) -> ptir.CompositeOp:
    """
    Moves `ops` into a composite that replaces `last` and has its results. The operands are `first_operands`, followed by the
    other values that `ops` read from outside, in order of their first use.
    """
    home = last.parent
    assert home is not None  # `is_private` requires a block
    ordered = [op for op in home.ops if op in ops]
    body = Block(arg_types=[v.type for v in first_operands])
    inputs = list(first_operands)
    inner = dict(zip(reversed(inputs), reversed(body.args), strict=True))
    for value in outside(ordered):
        if value not in inner:
            inputs.append(value)
            inner[value] = body.insert_arg(value.type, len(body.args))
    for value, arg in zip(inputs, body.args, strict=True):
        arg.name_hint = value.name_hint
    composite = ptir.CompositeOp(name, inputs, body, facts, [r.type for r in last.results])
    composite.location = last.location
    Rewriter.insert_op(composite, InsertPoint.before(last))
    for result, new in zip(last.results, composite.outputs, strict=True):
        new.name_hint = result.name_hint
        result.replace_all_uses_with(new)
    for value, arg in inner.items():
        value.replace_uses_with_if(arg, lambda use: use.operation in ops)
    for op in ordered:
        op.detach()
        body.add_op(op)
    end = ptir.YieldOp(last.results)
    end.location = last.location
    body.add_op(end)
    return composite


def outside(ordered: Sequence[Operation]) -> list[SSAValue]:
    """Returns the values that these ops read but do not define, each once, in order of their first use."""
    ops = set(ordered)
    return list(dict.fromkeys(v for op in ordered for v in op.operands if v.owner not in ops))
