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

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import count
from math import prod

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import tensor
from ...dialects.ptir import dims
from ...errors import Unsupported
from . import affine
from .checks import check_info
from .info import Access as Access
from .info import AxisVar, IndexInfo
from .info import compose_access as compose_access
from .isl_text import Symbol, spell_map
from .rules import RULES
from .rules import register_index_rule as register_index_rule
from .static_sizes import require_numbers_in

MOST_ELEMENTS = 2**60 - 1
"""Elements of up to eight bytes, at addresses that 64 bits with a sign count."""


LEAVES = (tiny.ConstOp, tiny.IotaOp)
"""Ops without operands: what they hold has axes and reads nothing."""


class IndexBook:
    """
    The index information of what the added ops compute; other values, and constants, are leaves.

    Adding an op looks at its operands' axes and at nothing else, so that a book grows with a program that is rewritten.
    """

    def __init__(self, ops: Iterable[Operation] = ()):
        self._infos: dict[SSAValue, IndexInfo] = {}
        self._leaves: dict[SSAValue, IndexInfo] = {}
        self._checked: set[SSAValue] = set()
        self._ids = count()
        for op in ops:
            self.add(op)

    def add(self, op: Operation) -> None:
        """The info of each tensor that `op` computes. Axes that were asked for before keep their ids."""
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

    def forget(self, op: Operation) -> None:
        """What `op` computes is a leaf again, with the axes that it has."""
        for value in op.results:
            if (info := self._infos.pop(value, None)) is not None:
                self._leaves[value] = IndexInfo(info.axes)

    def __getitem__(self, value: SSAValue) -> IndexInfo:
        info = self._infos.get(value) or self._leaves.get(value)
        if info is None:
            info = self._leaves[value] = IndexInfo(self.new_axes(value))
        return info

    def check(self) -> None:
        """
        Raises at the first op whose info breaks an invariant of §1.3, divides without a guard, or reads outside of its
        operand. What was found sound is not looked at again.
        """
        for value, info in self._infos.items():
            if value not in self._checked:
                check_info(value, info, self)
                self._checked.add(value)

    def __contains__(self, value: object) -> bool:
        return value in self._infos

    def __iter__(self) -> Iterator[SSAValue]:
        return iter(self._infos)

    def axes(self, value: SSAValue) -> tuple[AxisVar, ...]:
        return self[value].axes

    def new_axes(
        self,
        value: SSAValue,
        like: Sequence[AxisVar | None] = (),
        *,
        sizes: Sequence[Symbol | None] = (),
        repeated: Collection[int] = (),
    ) -> tuple[AxisVar, ...]:
        """
        The axes of a value as its type has them. Where `like` has one it is that axis: it keeps its id and kind. A size
        that the type does not know is that of `like` or of `sizes`, otherwise a parameter of its own. The axes in
        `repeated` are those along which the value is the same everywhere.
        """
        known = self._leaves[value].axes if value in self._leaves else ()
        out: list[AxisVar] = []
        for k, size in enumerate(dims.sizes(value)):
            same, other = (like[k] if like else None), (sizes[k] if sizes else None)
            id = known[k].id if known else same.id if same else next(self._ids)
            kind = "broadcast" if k in repeated else same.kind if same else "iter"
            if size is None:
                size = same.size if same else other
            out.append(AxisVar(id, f"i{k}", f"?{id}" if size is None else size, kind))
        return tuple(out)


def describe(function: FuncOp) -> str:
    """
    The book of a function of tiny ops as text: each value with its axes, their ids and sizes, its domain, the operand's
    axes that it reduces, and its reads.

        @row_sum
          v0 = reduce sum   axes i0:0[4]  reduces i1:1[8]
            domain  0 <= i0 < 4, 0 <= i1 < 8
            arg0  [i0, i1] -> [i0, i1]
    """
    book = IndexBook(function.body.block.ops)
    names = value_names(function)
    lines = [f"@{function.sym_name.data}"]
    for value in book:
        info = book[value]
        reduced = f"  reduces {_axes(info.reduced)}" if info.reduced else ""
        lines.append(f"  {names[value]} = {_spelt(value)}   axes {_axes(info.axes)}{reduced}")
        if info.non_scop is not None:
            lines.append(f"    no SCoP: {info.non_scop}")
            continue
        lines.append(f"    domain  {', '.join(info.constraints) or 'one point'}")
        for access in info.accesses:
            lines.append(f"    {names[access.value]}  {spell_map(access.map)}")
            if access.guard is not None:
                lines.append(f"      where {affine.condition(access.guard)}, else {access.fill}")
    return "\n".join(lines)


def _axes(axes: Sequence[AxisVar]) -> str:
    """`i0:3[B]`, the axis with id 3; `*` marks one along which the value is the same everywhere."""
    return " ".join(f"{a.name}:{a.id}[{a.size}]{'*' if a.kind == 'broadcast' else ''}" for a in axes) or "none"


def _spelt(value: SSAValue) -> str:
    match value.owner:
        case tiny.MovementOp() as op:
            return f"movement {op.kind.data}"
        case tiny.UnaryOp() | tiny.BinaryOp() | tiny.ReduceOp() as op:
            return f"{op.name.removeprefix('tiny.')} {op.fn.data}"
        case Operation() as op:
            return op.name
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
