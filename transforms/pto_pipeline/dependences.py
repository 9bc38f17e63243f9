"""The dependences between the instructions of innermost loops."""

from __future__ import annotations

import logging

from xdsl.dialects import func, scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from ...analysis.pto.accesses import Range
from ...analysis.pto.affine import Box, may_overlap
from ...analysis.pto.effects import Instruction, Walk
from ...analysis.pto.modulo import Dependence
from ...dialects import pto

MAX_INSTRUCTIONS = 512
"""Loops with more instructions are not pipelined, because all pairs of accesses are compared."""

log = logging.getLogger(__name__)


class _Executions(Walk):
    """The first two executions of each instruction."""

    def __init__(self, function: func.FuncOp) -> None:
        super().__init__(function)
        self.found: dict[Operation, list[Instruction]] = {}

    def instruction(self, instruction: Instruction) -> None:
        executions = self.found.setdefault(instruction.op, [])
        if len(executions) < 2:
            executions.append(instruction)


def loop_dependences(function: func.FuncOp) -> dict[scf.ForOp, list[Dependence]]:
    """Returns the dependences of each innermost loop that can be pipelined; instructions are numbered in the order of the body."""
    executions = _Executions(function)
    executions.run()
    loops = [op for op in function.walk() if isinstance(op, scf.ForOp)]
    found: dict[scf.ForOp, list[Dependence]] = {}
    for loop in loops:
        if (problem := _problem(loop)) is not None:
            log.debug("not pipelined: %s", problem)
        else:
            found[loop] = _dependences(loop, executions.found)
    return found


def body_instructions(loop: scf.ForOp) -> list[pto.InstructionOp]:
    return [op for op in loop.body.block.ops if isinstance(op, pto.InstructionOp)]


def _problem(loop: scf.ForOp) -> str | None:
    """Returns why a loop cannot be pipelined, or None."""
    body, terminator = loop.body.block, loop.body.block.last_op
    assert isinstance(terminator, scf.YieldOp)
    count = len(body_instructions(loop))
    if not 2 <= count <= MAX_INSTRUCTIONS:
        return f"{count} instructions"
    for op in body.ops:
        if not isinstance(op, pto.InstructionOp | scf.YieldOp) and (op.regions or not is_side_effect_free(op)):
            return f"it contains {op.name}"
    if any(not isinstance(v.type, pto.TileType | pto.EventType) for v in loop.iter_args):
        return "it carries values that are no tiles"
    tiles = [v for v in terminator.arguments if isinstance(v.type, pto.TileType)]
    if any(isinstance(v, BlockArgument) or v.owner.parent is not body for v in tiles):
        return "it passes on a tile that it does not compute"
    return None if len(set(tiles)) == len(tiles) else "it yields a tile twice"


def carried(loop: scf.ForOp) -> dict[SSAValue, SSAValue]:
    """Returns the value that the body yields for each tile that the loop carries."""
    terminator = loop.body.block.last_op
    assert isinstance(terminator, scf.YieldOp)
    return dict(zip(list(loop.body.block.args)[1:], terminator.arguments, strict=True))


def _dependences(loop: scf.ForOp, executions: dict[Operation, list[Instruction]]) -> list[Dependence]:
    ops = body_instructions(loop)
    numbers: dict[Operation | Block, int] = {op: k for k, op in enumerate(ops)}
    yielded, found = carried(loop), dict[Dependence, None]()
    for k, op in enumerate(ops):
        for value in op.operands:
            source, distance = (yielded[value], 1) if value in yielded else (value, 0)
            if isinstance(source.type, pto.TileType) and source.owner in numbers:
                found[Dependence(numbers[source.owner], k, distance)] = None
    runs = {k: executions[op] for k, op in enumerate(ops) if op in executions}
    written = {k: _arrays(first.writes) for k, (first, *_) in runs.items()}
    touched = {k: written[k] | _arrays(first.reads) for k, (first, *_) in runs.items()}
    for a, (first, *_) in runs.items():
        for b, (same, *later) in runs.items():
            if written[a].isdisjoint(touched[b]) and touched[a].isdisjoint(written[b]):
                continue
            if a < b and _conflict(first, same):
                found[Dependence(a, b, 0)] = None
            if a != b and later and _conflict(first, later[0]):
                found[Dependence(a, b, 1)] = None
    return list(found)


def _arrays(places: tuple[Range | Box, ...]) -> set[SSAValue]:
    return {place.root for place in places if isinstance(place, Box)}


def _conflict(a: Instruction, b: Instruction) -> bool:
    return _overlap(a.writes, (*b.reads, *b.writes)) or _overlap(a.reads, b.writes)


def _overlap(a: tuple[Range | Box, ...], b: tuple[Range | Box, ...]) -> bool:
    return any(isinstance(x, Box) and isinstance(y, Box) and may_overlap(x, y) for x in a for y in b)
