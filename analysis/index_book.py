"""
The IndexBook: for each tiny value its axes, its domain and how it indexes its operands.

A side table, computed from the IR whenever it is needed and never written into it. An access map goes from
the *iteration axes* of the op (its output axes, then the axes it reduces) to the axes of the operand.
Spec: `tensor-compiler.ja §1.3`, `§12.2`.

>>> book = IndexBook(function)          # doctest: +SKIP
>>> book[value].accesses[0].map         # doctest: +SKIP
MultiAff("{ [i0, i1, i2] -> [(i0), (0), (i2)] }")
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import islpy as isl
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from ..dialects import tiny
from ..dialects.shapes import shape, tensor
from ..errors import Unsupported
from . import affine


@dataclass(frozen=True)
class Access:
    """An operand and the map from the op's iteration axes to the operand's axes."""

    value: SSAValue
    map: isl.MultiAff


@dataclass(frozen=True)
class IndexInfo:
    """Sizes of the iteration axes, how many of them (the last ones) are reduced, and the accesses."""

    sizes: tuple[int, ...]
    reduced: int = 0
    accesses: tuple[Access, ...] = ()

    @property
    def rank(self) -> int:
        """The number of output axes."""
        return len(self.sizes) - self.reduced

    @property
    def domain(self) -> isl.Set:
        return affine.box(self.sizes)


class IndexBook:
    """The index information of every tiny value among `ops`; other values are leaves."""

    def __init__(self, ops: Iterable[Operation]):
        self._infos: dict[SSAValue, IndexInfo] = {}
        for op in ops:
            info = index_info(op)
            if info is not None:
                self._infos[op.results[0]] = info

    def __getitem__(self, value: SSAValue) -> IndexInfo:
        return self._infos.get(value) or IndexInfo(shape(value))

    def __iter__(self) -> Iterator[SSAValue]:
        return iter(self._infos)


def require_static(function: FuncOp) -> None:
    """Raises `Unsupported` for the first value whose sizes are not all known and at least 1."""
    if len(function.body.blocks) != 1:
        raise Unsupported(function, what="control flow in a tensor program", need="write it as one block of ptir ops")
    block = function.body.block
    for value in (*block.args, *(r for op in block.ops for r in op.results)):
        if any(size < 1 for size in tensor(value, function).get_shape()):
            raise Unsupported(
                value.owner if isinstance(value.owner, Operation) else function,
                what=f"the shape of {value.type}",
                need="give every dimension a size of at least 1",
            )


def index_info(op: Operation) -> IndexInfo | None:
    """The rule of §1.3 for one op; None if it is not a tiny op with operands."""
    match op:
        case tiny.UnaryOp():
            sizes = shape(op.result)
            return IndexInfo(sizes, 0, (Access(op.input, affine.identity(len(sizes))),))
        case tiny.BinaryOp():
            sizes = shape(op.result)
            return IndexInfo(sizes, 0, tuple(Access(v, broadcast_map(sizes, shape(v))) for v in op.inputs))
        case tiny.MovementOp():
            sizes = shape(op.result)
            return IndexInfo(sizes, 0, (Access(op.input, movement_map(op)),))
        case tiny.ReduceOp():
            axes, source = op.axes(), shape(op.input)
            kept = [a for a in range(len(source)) if a not in axes]
            place = {a: k for k, a in enumerate((*kept, *axes))}
            sizes = tuple(source[a] for a in (*kept, *axes))
            access = affine.make_map(len(source), [f"i{place[a]}" for a in range(len(source))])
            return IndexInfo(sizes, len(axes), (Access(op.input, access),))
        case _:
            return None


def broadcast_map(sizes: Sequence[int], source: Sequence[int]) -> isl.MultiAff:
    """Right-aligned; a size-1 axis is read at the constant 0 (invariant 3)."""
    missing = len(sizes) - len(source)
    exprs = [f"i{missing + k}" if source[k] == sizes[missing + k] else "0" for k in range(len(source))]
    return affine.make_map(len(sizes), exprs)


def movement_map(op: tiny.MovementOp) -> isl.MultiAff:
    """Result axes to operand axes of a movement."""
    sizes, source = shape(op.result), shape(op.input)
    match op.kind.data:
        case "permute":
            perm = op.permutation()
            return affine.make_map(len(sizes), [f"i{perm.index(a)}" for a in range(len(source))])
        case "reshape":
            return affine.reshape_map(sizes, source)
        case _:
            return broadcast_map(sizes, source)
