"""
Verification of a whole module: every failing operation in program order, not only the first one.

xDSL's own `module.verify()` stops at the first failure, prints the whole module into the exception and
does not check dominance. Here each operation is verified alone, then each use is checked against its
definition.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.ir import Block, ErasedSSAValue, Operation, OpResult, Region, SSAValue
from xdsl.irdl.dominance import DominanceInfo
from xdsl.traits import IsTerminator, NoTerminator
from xdsl.utils.exceptions import VerifyException

from .errors import UseBeforeDefinition, VerificationFailed, VerifierCrashed

_GRAPH_REGIONS = frozenset({"builtin.module", "hw.module", "irdl.operation", "pdl.pattern"})
"""Operations in whose regions the order of operations says nothing."""


def verify_module(module: Operation, *, when: str = "") -> None:
    """Raise `VerificationFailed` with every failing operation under `module`; `when` ends its message."""
    if failures := find_failures(module):
        raise VerificationFailed(failures, when)


def find_failures(module: Operation) -> list[tuple[Operation, Exception]]:
    """Each operation under `module` that does not verify, with the reason, in program order."""
    failures: list[tuple[Operation, Exception]] = []
    dominance = _Dominance()
    for op in module.walk():
        try:
            _verify_alone(op)
        except VerifyException as e:
            failures.append((op, e))
        except Exception as e:
            failures.append((op, VerifierCrashed(op, name=op.name, reason=f"{type(e).__name__}: {e}")))
        else:
            failures.extend((op, error) for error in dominance.violations(op))
    return failures


def _verify_alone(op: Operation) -> None:
    """
    What `Operation.verify` checks, for this operation only.

    Calling it with `verify_nested_ops=False` would do, if it did not print the top-level operation into
    the exception whenever `verify_` fails; so the structural checks run there with `verify_` set aside.
    """
    _verify_structure(op)
    op.verify_()


def _verify_structure(op: Operation) -> None:
    if any(isinstance(operand, ErasedSSAValue) for operand in op.operands):
        raise VerifyException("uses a value whose definition was erased")
    block = op.parent
    region = None if block is None else block.parent
    if op.successors:
        if block is None or region is None:
            raise VerifyException("has successors but is in no block")
        if block.last_op is not op:
            raise VerifyException("has successors but does not end its block")
        for successor in op.successors:
            if successor.parent is not region:
                raise VerifyException("branches to a block of another region")
    if block is not None and region is not None and block.last_op is op:
        parent = region.parent
        free = parent is None or parent.has_trait(NoTerminator)
        if (len(region.blocks) > 1 or not free) and not op.has_trait(IsTerminator):
            raise VerifyException("ends its block but is not a terminator")
    if not op.has_trait(NoTerminator):
        for region in op.regions:
            entry = region.first_block
            if entry is not None and entry is region.last_block and entry.first_op is None:
                raise VerifyException("has an empty block where a terminator is expected")


class _Dominance:
    """Answers whether definitions dominate uses; facts per block and region are computed once."""

    def __init__(self) -> None:
        self._order: dict[Block, dict[Operation, int]] = {}
        self._regions: dict[Region, tuple[DominanceInfo, set[Block]]] = {}

    def violations(self, op: Operation) -> Iterator[UseBeforeDefinition]:
        for index, operand in enumerate(op.operands):
            if not self._dominates(operand, op):
                definition = operand.owner if isinstance(operand.owner, Operation) else operand.owner.parent_op()
                yield UseBeforeDefinition(op, index=index, notes=[(definition, "defined here")])

    def _dominates(self, value: SSAValue, user: Operation) -> bool:
        owner = value.owner
        home = owner if isinstance(owner, Block) else owner.parent
        if home is None:
            return False
        ancestor = _ancestor_in(user, home.parent)
        if ancestor is None or (block := ancestor.parent) is None:
            return False
        if _is_graph(home.parent):
            return True
        if block is home:
            if not isinstance(value, OpResult):
                return True
            order = self._order_of(block)
            return order[value.op] < order[ancestor]
        if home.parent is None:
            return False
        info, reachable = self._region(home.parent)
        return block not in reachable or info.strictly_dominates(home, block)

    def _order_of(self, block: Block) -> dict[Operation, int]:
        if (order := self._order.get(block)) is None:
            order = self._order[block] = {op: i for i, op in enumerate(block.ops)}
        return order

    def _region(self, region: Region) -> tuple[DominanceInfo, set[Block]]:
        if (facts := self._regions.get(region)) is None:
            facts = self._regions[region] = (DominanceInfo(region), _reachable(region))
        return facts


def _ancestor_in(op: Operation, region: Region | None) -> Operation | None:
    """`op` or the operation around it that lies directly in `region`."""
    current: Operation | None = op
    while current is not None and current.parent_region() is not region:
        current = current.parent_op()
    return current


def _is_graph(region: Region | None) -> bool:
    parent = None if region is None else region.parent
    return parent is None or isinstance(parent, ModuleOp | UnregisteredOp) or parent.name in _GRAPH_REGIONS


def _reachable(region: Region) -> set[Block]:
    todo = [] if region.first_block is None else [region.first_block]
    seen: set[Block] = set()
    while todo:
        block = todo.pop()
        if block in seen:
            continue
        seen.add(block)
        if block.last_op is not None:
            todo.extend(block.last_op.successors)
    return seen
