"""
Values that are stored because a kernel that reads them would compute them too often: reads at indices given by data that are repeated, searches,
and concatenations that reductions read.
"""

from __future__ import annotations

from math import prod

from xdsl.ir import Operation, SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import shape
from ..index.book import IndexBook
from .kernel_ops import GATHERS, is_atomic_scatter
from .places import is_leaf, is_splat

MAX_CHAIN = 2
"""Maximum number of reads, each at an index that the one before determines, that a kernel repeats to compute an element again."""
MAX_REPEATED = 2**19
"""Maximum number of reads at positions that a kernel repeats: more take longer than a launch."""


def joined_pieces(op: object) -> int:
    """Returns the number of computed values that an op joins along an axis, each at its own positions (`concatenated`)."""
    count = 0
    while isinstance(op, tiny.BinaryOp) and op.fn.data == "where":
        part = op.operands[1]
        if not (isinstance(pad := part.owner, tiny.MovementOp) and pad.kind.data == "pad"):
            break
        while isinstance(moved := part.owner, tiny.MovementOp):
            part = moved.input
        count, op = count + (not is_leaf(part)), op.operands[2].owner
    return count + 1 if count else 0


def repeated_source(book: IndexBook, op: Operation) -> SSAValue | None:
    """
    Returns the value that an op reads at positions if it is computed, not only moved, and such ops read more elements of it than it
    has; otherwise None.
    """
    if not book[op.results[0]].positions:
        return None
    source = op.operands[0]
    reads = {use.operation for use in source.uses if isinstance(use.operation, GATHERS) and use.index == 0}
    if sum(prod(shape(read.results[0])) for read in reads) <= prod(shape(source)):
        return None
    moved = source
    while isinstance(inner := moved.owner, tiny.MovementOp):
        moved = inner.input
    return None if is_leaf(moved) or is_splat(moved) else source


def searched(book: IndexBook) -> set[SSAValue]:
    """
    The values that are stored because each element takes a search, a chain of reads at positions of which each depends on the one before,
    and more elements are read than there are; or because very many such reads would be repeated. If an op only converts or moves a
    value, it is the value that is stored.
    """
    out, chains = set[SSAValue](), dict[SSAValue, int]()
    """The number of reads in the chain of each value."""

    def chain(value: SSAValue) -> int:
        op = value.owner
        if value in out or not isinstance(op, Operation) or is_leaf(value):
            return 0
        if isinstance(op, tiny.ReduceOp) or is_atomic_scatter(op):
            return 0
        gathers = isinstance(op, GATHERS)
        read = op.operands[1:] if gathers and repeated_source(book, op) is not None else op.operands
        return gathers + max((chains.get(v, 0) for v in read), default=0)

    def origin(value: SSAValue) -> SSAValue:
        while isinstance(op := value.owner, Operation) and not isinstance(op, GATHERS):
            found = [v for v in op.operands if chains.get(v, 0)]
            if len(found) != 1:
                break
            (value,) = found
        return value

    def store(value: SSAValue) -> None:
        out.add(value)
        todo = [value]
        while todo:
            if chains.get(value := todo.pop(), 0) != (now := chain(value)):
                chains[value] = now
                todo += [r for use in value.uses for r in use.operation.results if r in chains]

    for value in book:
        chains[value] = chain(value)
        for operand in value.owner.operands if isinstance(value.owner, Operation) else ():
            if length := chains.get(operand, 0):
                repeated = prod(shape(value)) - prod(shape(operand))
                if repeated > 0 and (length > MAX_CHAIN or length * repeated > MAX_REPEATED):
                    store(origin(operand))
    return out
