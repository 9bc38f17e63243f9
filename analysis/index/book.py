"""
The IndexBook: the axes, the domain and the operand accesses of each tiny value.

The book is a side table, recomputed from the IR and never written into it. An access map goes from the *iteration axes*
of the op (its output axes, then the axes it reduces) to the axes of the operand.
Spec: `tensor-compiler.ja §1.3`, `§12.2`.

>>> book = index_book(function)         # doctest: +SKIP
>>> book[value].accesses[0].map         # doctest: +SKIP
MultiAff("{ [i0, i1, i2] -> [(i0), (0), (i2)] }")
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from ...dialects import tiny
from ...dialects.region import RegionKernelOp
from ..manager import analysis
from .axes import AxisTable
from .checks import check_info
from .info import IndexInfo
from .rules import RULES

LEAVES = (tiny.ConstOp, tiny.IotaOp)
"""Ops without operands: their results have axes and no accesses."""


class IndexBook(AxisTable):
    """
    Index information of the results of the added ops. Adding an op reads only the axes of its operands, so that ops that a
    rewrite creates can be added to an existing book.
    """

    def __init__(self, ops: Iterable[Operation] = ()):
        super().__init__()
        self._checked: set[SSAValue] = set()
        for op in ops:
            self.add(op)

    def add(self, op: Operation) -> None:
        """Computes the index information of the tensors that `op` defines. Axes that they already had keep their ids."""
        if isinstance(op, LEAVES):
            return
        rule = RULES.get(type(op))
        for value in op.results:
            if rule is not None:
                self._infos[value] = rule(op, self)
            elif isinstance(value.type, TensorType):
                self._infos[value] = IndexInfo(self.new_axes(value), non_scop=f"'{op.name}' has no index rule")
            self._leaves.pop(value, None)
            self._checked.discard(value)

    def check(self) -> None:
        """
        Raises `BrokenIndexInfo`, `MissingDivisionGuard` or `TooComplex` at the first op whose information breaks an invariant
        of §1.3, divides without a guard, or reads outside of its operand. Each value is checked once.
        """
        for value, info in self._infos.items():
            if value not in self._checked:
                check_info(value, info, self)
                self._checked.add(value)

    def __contains__(self, value: object) -> bool:
        return value in self._infos

    def __iter__(self) -> Iterator[SSAValue]:
        return iter(self._infos)


def body_of(scope: FuncOp | RegionKernelOp | Block) -> Block:
    """Returns the block that is analysed: that of a function or kernel, or the block of a control-flow op itself."""
    return scope if isinstance(scope, Block) else scope.body.block


@analysis
def index_book(scope: FuncOp | RegionKernelOp | Block) -> IndexBook:
    """
    Returns the IndexBook of a function, a kernel or a block, without the blocks nested in it. Every tensor gets its axes here, so
    that their ids do not depend on the order in which passes ask for them.
    """
    block = body_of(scope)
    book = IndexBook(block.ops)
    for value in (*block.args, *(value for inner in block.ops for value in inner.results)):
        if isinstance(value.type, TensorType):
            book.axes(value)
    return book
