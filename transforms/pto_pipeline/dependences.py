"""The dependences between the instructions of innermost loops."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from xdsl.dialects import func, scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from ...analysis.pto.affine import Box, Form, overlaps
from ...analysis.pto.effects import Instruction, Walk
from ...analysis.pto.extents import Extents
from ...analysis.pto.modulo import Dependence
from ...dialects import pto

MAX_INSTRUCTIONS = 512
"""Loops with more instructions are not pipelined, because all pairs of accesses are compared."""

log = logging.getLogger(__name__)


class _Executions(Walk):
    """The first two executions of each instruction. Those of innermost loops are of two iterations of that loop."""

    def __init__(self, function: func.FuncOp) -> None:
        super().__init__(function)
        self.found: dict[Operation, list[Instruction]] = {}

    def visits(self, loop: scf.ForOp, needed: int) -> int:
        return min(needed, 1) if any(op.regions for op in loop.body.block.ops) else needed

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
            level = logging.INFO if any(isinstance(op, scf.IfOp) for op in loop.body.block.ops) else logging.DEBUG
            log.log(level, "the loop is not pipelined: %s", problem, extra={"op": loop})
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


@dataclass(frozen=True)
class TileUse:
    """A use of a tile that the body of a loop computes: by an instruction, `distance` iterations later. Instructions are numbered."""

    tile: SSAValue
    producer: int
    user: int
    distance: int


def tile_uses(loop: scf.ForOp) -> list[TileUse]:
    """Returns the uses of tiles that the body of a loop computes, in the order of their users."""
    ops = body_instructions(loop)
    numbers: dict[Operation | Block, int] = {op: k for k, op in enumerate(ops)}
    yielded, found = carried(loop), list[TileUse]()
    for k, op in enumerate(ops):
        for value in op.operands:
            source, distance = (yielded[value], 1) if value in yielded else (value, 0)
            if isinstance(source.type, pto.TileType) and source.owner in numbers:
                found.append(TileUse(source, numbers[source.owner], k, distance))
    return found


def varying_tiles(loop: scf.ForOp) -> set[SSAValue]:
    """
    Returns the tiles that the body of a loop computes with valid extents of its own in each iteration. A loop cannot pass them on, as what it
    carries has one valid region.
    """
    extents, block = Extents(), loop.body.block
    return {
        use.tile
        for use in tile_uses(loop)
        for extent in extents.of(use.tile)
        for index in extent
        if isinstance(index, SSAValue)
        and (index.owner.parent if isinstance(index.owner, Operation) else index.owner) is block
    }


def _dependences(loop: scf.ForOp, executions: dict[Operation, list[Instruction]]) -> list[Dependence]:
    ops, found = body_instructions(loop), dict[Dependence, None]()
    for use in tile_uses(loop):
        found[Dependence(use.producer, use.user, use.distance)] = None
    runs = [(k, executions[op]) for k, op in enumerate(ops) if op in executions]
    first = _Boxes([(k, run[0]) for k, run in runs])
    later = _Boxes([(k, run[1]) for k, run in runs if len(run) > 1])
    for a, b in first.conflicts(first):
        if a < b:
            found[Dependence(a, b, 0)] = None
    for a, b in first.conflicts(later):
        if a != b:
            found[Dependence(a, b, 1)] = None
    return list(found)


class _Boxes:
    """The elements of global memory that numbered executions read and write."""

    def __init__(self, executions: list[tuple[int, Instruction]]) -> None:
        groups: dict[tuple[Form, bool], list[tuple[int, Box]]] = {}
        for k, execution in executions:
            for places, write in ((execution.reads, False), (execution.writes, True)):
                for box in (p for p in places if isinstance(p, Box)):
                    groups.setdefault((box.form, write), []).append((k, box))
        self.groups = [
            (form, write, np.array([k for k, _ in boxes]), np.array([b.constants for _, b in boxes], np.int64))
            for (form, write), boxes in groups.items()
        ]
        """For each form and kind of access: the numbers of the executions, and the constants of the starts."""

    def conflicts(self, others: _Boxes) -> Iterator[tuple[int, int]]:
        """Yields the numbers of executions that access the same elements, where one of them writes."""
        for form, write, numbers, starts in self.groups:
            for other, also, columns, ends in others.groups:
                if write or also:
                    rows, at = np.nonzero(overlaps(form, starts[:, None], other, ends))
                    yield from zip(numbers[rows].tolist(), columns[at].tolist(), strict=True)
