"""
Copies tiles that loops carry and that branches of conditions yield where the storage that they share would hold two of them at one time.
"""

from __future__ import annotations

from xdsl.dialects import func, scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...analysis.pto.lifetimes import IN_PLACE, Times, divides_a_number
from ...dialects import pto
from ..errors import NoCopy


def insert_copies(function: func.FuncOp) -> None:
    """
    Copies tiles before loops, and at the ends of loops and branches, so that those that share storage are never live at one time. Raises `NoCopy`.
    """
    for argument in function.body.block.args:
        if isinstance(argument.type, pto.TileType):
            raise NoCopy(
                function, problem=f"argument {argument.index} is a tile, whose place its caller decides", help="load it"
            )
    for condition in reversed([op for op in function.walk() if isinstance(op, scf.IfOp)]):
        for region in condition.regions:
            for block in region.blocks:
                _copy_yielded(block)
    times = Times(function)
    for loop in reversed([op for op in function.walk() if isinstance(op, scf.ForOp)]):
        while _copy_carried(
            loop, times
        ):  # a copy at the end of the body may use a carried tile after it is overwritten
            times = Times(function)


def _copy_carried(loop: scf.ForOp, times: Times) -> bool:
    """Copies a tile that a loop carries if it must. Returns whether there is one."""
    body, terminator = loop.body.block, loop.body.block.last_op
    assert isinstance(terminator, scf.YieldOp)
    for number, argument in enumerate(list(body.args)[1:]):
        if isinstance(argument.type, pto.TileType):
            if not _may_yield(terminator, number, argument, times):
                _copy(terminator, number)
                return True
            if not _may_start(loop, number, times):
                _copy(loop, number + 3)
                return True
    return False


def _copy_yielded(branch: Block) -> None:
    """Copies tiles that a branch yields and does not compute, and those that it yields twice."""
    terminator, seen = branch.last_op, set[SSAValue]()
    assert terminator is not None
    for number, value in enumerate(terminator.operands):
        if isinstance(value.type, pto.TileType):
            source = _source(value)
            is_computed = isinstance(source, OpResult) and source.op.parent is branch
            if not is_computed or source in seen:
                _copy(terminator, number)
            seen.add(source)


def _copy(op: Operation, operand: int) -> None:
    tile = op.operands[operand]
    if pto.tile_type(tile).loc != "Vec":
        is_branch = isinstance(op, scf.YieldOp) and isinstance(op.parent_op(), scf.IfOp)
        why = (
            "the branch does not compute it, or yields it twice"
            if is_branch
            else "it is used after the loop overwrites it"
        )
        problem = f"{tile.type} must be copied, because {why}"
        raise NoCopy(
            op, problem=problem, help="compute the tile again, or move it to Vec: only vector tiles are copied"
        )
    copy = pto.CopyOp(tile)
    copy.result.name_hint = tile.name_hint
    copy.location = op.location
    Rewriter.insert_op(copy, InsertPoint.before(op))
    op.operands[operand] = copy.result


def _may_start(loop: scf.ForOp, number: int, times: Times) -> bool:
    """Whether the loop may overwrite the tile before it: nothing else uses it from there on."""
    init = loop.iter_args[number]
    block = init.owner if isinstance(init, BlockArgument) else init.owner.parent
    only = sum(v is init for v in loop.iter_args) == 1
    return block is loop.parent and only and times.last_use(init, besides=loop) < times.of[loop]


def _may_yield(terminator: scf.YieldOp, number: int, argument: SSAValue, times: Times) -> bool:
    """Whether the tile that is yielded may be computed where the carried one is."""
    value = terminator.arguments[number]
    if sum(v is value for v in terminator.arguments) != 1:
        return False
    source = _source(value)
    if source is argument:
        return True
    if not isinstance(source, OpResult) or source.op.parent is not terminator.parent:
        return False
    op = source.op
    start, last = times.of[op], _last_use(argument, times, terminator)  # what else it yields is copied
    in_place = isinstance(op, IN_PLACE) and not divides_a_number(op)
    return last < start or (last == start and (in_place or (isinstance(op, pto.MatmulAccOp) and op.acc is argument)))


def _last_use(value: SSAValue, times: Times, besides: Operation) -> int:
    """Returns the time of the last use of `value`, or of a tile that shares its storage as the result of a loop or an address."""
    last = times.last_use(value, besides)
    for use in value.uses:
        if isinstance(use.operation, scf.ForOp) and use.index >= 3:
            last = max(last, _last_use(use.operation.results[use.index - 3], times, besides))
        elif isinstance(use.operation, pto.AssignOp):
            last = max(last, _last_use(use.operation.result, times, besides))
    return last


def _source(value: SSAValue) -> SSAValue:
    """Returns the first of the tiles that share storage with `value` through loops of its block and through addresses."""
    while isinstance(value, OpResult):
        owner = value.op
        if isinstance(owner, scf.ForOp):
            value = owner.iter_args[value.index]
        elif isinstance(owner, pto.AssignOp):
            value = owner.tile
        else:
            break
    return value
