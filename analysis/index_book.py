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
from math import prod

import islpy as isl
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from ..dialects import tiny
from ..dialects.shapes import shape, tensor
from ..errors import Unsupported
from . import affine
from .static_sizes import require_numbers_in

MOST_ELEMENTS = 2**60 - 1
"""Elements of up to eight bytes, at addresses that 64 bits with a sign count."""


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


def describe(function: FuncOp) -> str:
    """
    The book of a function of tiny ops as text: each value with its domain, the axes it reduces and its reads.

        @row_sum
          v0 = reduce sum        { [i0, i1] : 0 <= i0 <= 3 and 0 <= i1 <= 7 }  reduces i1
            arg0  { [i0, i1] -> [(i0), (i1)] }
    """
    book = IndexBook(list(function.body.block.ops))
    names = value_names(function)
    lines = [f"@{function.sym_name.data}"]
    for value in book:
        info = book[value]
        reduced = ", ".join(f"i{axis}" for axis in range(info.rank, len(info.sizes)))
        lines.append(f"  {names[value]} = {_spelt(value):16}  {info.domain}{f'  reduces {reduced}' if reduced else ''}")
        lines += [f"    {names[access.value]}  {affine.text(access.map)}" for access in info.accesses]
    return "\n".join(lines)


def _spelt(value: SSAValue) -> str:
    match value.owner:
        case tiny.MovementOp() as op:
            return f"movement {op.kind.data}"
        case tiny.UnaryOp() | tiny.BinaryOp() | tiny.ReduceOp() as op:
            return f"{op.name.removeprefix('tiny.')} {op.fn.data}"
        case _:
            return "leaf"


def value_names(function: FuncOp) -> dict[SSAValue, str]:
    """Arguments are `arg0, arg1, …`, results `v0, v1, …` in program order, so that a re-parsed function has the same."""
    names: dict[SSAValue, str] = {arg: f"arg{k}" for k, arg in enumerate(function.body.block.args)}
    results = (result for op in function.body.block.ops for result in op.results)
    return names | {result: f"v{k}" for k, result in enumerate(results)}


def require_static(function: FuncOp) -> None:
    """Raises `Unsupported` for the first value whose sizes are not all known and at least 1."""
    if len(function.body.blocks) != 1:
        raise Unsupported(function, what="control flow in a tensor program", need="write it as one block of ptir ops")
    block = function.body.block
    require_sizes((*block.args, *results_of(block.ops)), function)


def require_sizes(values: Iterable[SSAValue], where: Operation) -> None:
    """
    Raises `Unsupported` for the first tensor with a size that is 0 or unknown, or with more elements than memory
    has addresses; `where` is the op around them.
    """
    for value in values:
        require_numbers_in(tensor(value, where), value.owner if isinstance(value.owner, Operation) else where)
        sizes = tensor(value, where).get_shape()
        if any(size < 1 for size in sizes) or prod(sizes) > MOST_ELEMENTS:
            raise Unsupported(
                value.owner if isinstance(value.owner, Operation) else where,
                what=f"the shape of {value.type}",
                need="give every dimension a size of at least 1, and fewer than 2^60 elements in all",
            )


def results_of(ops: Iterable[Operation]) -> Iterator[SSAValue]:
    """The results of all of `ops`, in order."""
    return (result for op in ops for result in op.results)


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
