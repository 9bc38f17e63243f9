"""
Restores the locations of operations that passes create without any.

ptir's passes give every new operation the location of its origin. xDSL's passes, and many others, give none. So before a pass,
`Locations` records the location of the definition of every operand:

    before                           after
    %0 = a …        loc(1)           %1 = b …    ◀── rule 2: the location of its user, loc(1)
    return %0       loc(2)           %2 = c %1   ◀── rule 1: return's operand was defined at loc(1)
                                     return %2       loc(2)

After the pass, an operation without location gets the location of

1. the definition that it replaces, known from an operand of an operation that existed before;
2. else the first operation that uses it;
3. else, if it has a symbol, the operation that had this symbol, or the first operation inside;
4. else, if it has no results, the operation without results that used the same value or ended the same block;
5. else the operation before it, or around it.

Locations that a pass sets are not overridden.
"""

from __future__ import annotations

from xdsl.dialects.builtin import UNKNOWN_LOC, LocationAttr, StringAttr
from xdsl.ir import Block, Operation, SSAValue


class Locations:
    """The locations under `root` before a pass. The pass may replace `root`: `restore` takes the new one."""

    def __init__(self, root: Operation):
        self._definitions: dict[tuple[Operation, int], LocationAttr] = {}
        self._symbols: dict[tuple[str, ...], LocationAttr] = {}
        self._effects: dict[SSAValue | Block | None, LocationAttr] = {}
        """The locations of operations without results, by the values they use and the blocks they end."""
        for op in root.walk():
            if op.location is not UNKNOWN_LOC:
                self._note(op)
            for index, operand in enumerate(op.operands):
                owner = operand.owner
                if isinstance(owner, Operation) and owner.location is not UNKNOWN_LOC:
                    self._definitions[op, index] = owner.location

    def _note(self, op: Operation) -> None:
        if symbol := _symbol(op):
            self._symbols.setdefault(symbol, op.location)
        if not op.results:
            for operand in op.operands:
                self._effects.setdefault(operand, op.location)
            if op.next_op is None:
                self._effects[op.parent] = op.location

    def restore(self, root: Operation) -> None:
        """Assigns locations to the operations under `root` that have none."""
        unknown = [op for op in root.walk() if op.location is UNKNOWN_LOC]
        for op in reversed(unknown):  # users before definitions, and nested operations before their parents
            if (location := self._replaced(op) or self._same_symbol(op) or self._same_effect(op)) is not None:
                op.location = location
        for op in unknown:
            if op.location is UNKNOWN_LOC:
                op.location = _nearby_location(op)

    def _replaced(self, op: Operation) -> LocationAttr | None:
        users = [use for result in op.results for use in result.uses]
        for use in users:
            if (location := self._definitions.get((use.operation, use.index))) is not None:
                return location
        return next((u.operation.location for u in users if u.operation.location is not UNKNOWN_LOC), None)

    def _same_symbol(self, op: Operation) -> LocationAttr | None:
        if not (symbol := _symbol(op)):
            return None
        inside = (inner.location for inner in op.walk() if inner.location is not UNKNOWN_LOC)
        return self._symbols.get(symbol) or next(inside, None)

    def _same_effect(self, op: Operation) -> LocationAttr | None:
        if op.results:
            return None
        used = (self._effects[operand] for operand in op.operands if operand in self._effects)
        return next(used, None) or (self._effects.get(op.parent) if op.next_op is None else None)


def _symbol(op: Operation) -> tuple[str, ...]:
    """Returns the symbols of `op` and of the operations around it, innermost first; empty if `op` has no symbol."""
    path: list[str] = []
    around: Operation | None = op
    while around is not None:
        name = around.get_attr_or_prop("sym_name")
        if isinstance(name, StringAttr):
            path.append(name.data)
        elif around is op:
            break
        around = around.parent_op()
    return tuple(path)


def _nearby_location(op: Operation) -> LocationAttr:
    """Returns the location of the operation before `op`, else of its parent."""
    if (before := op.prev_op) is not None and before.location is not UNKNOWN_LOC:
        return before.location
    parent = op.parent_op()
    return UNKNOWN_LOC if parent is None else parent.location
