"""
The index rules of tiny ops (tensor-compiler.ja §1.3, the rules by node).

A rule takes an op and a table with the axes of its operands, and returns the `IndexInfo` of its result. An op without a
rule counts as not affine: no SCoP contains it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import islpy as isl
from xdsl.ir import Operation

from ...dialects import ptir, tiny
from ...dialects.ptir import dims
from . import affine
from .axes import AxisTable
from .indexing import dynamic_slice, gather
from .info import Access, AxisMap, AxisVar, IndexInfo
from .isl_text import Symbol, division_guards, symbol
from .linearize import NotAffine, product, reshape_indices, strided_indices

Rule = Callable[[Any, AxisTable], IndexInfo]

RULES: dict[type[Operation], Rule] = {}


def register_index_rule(op: type[Operation], rule: Rule) -> None:
    """Registers, or replaces, the rule of an op class. `IndexBook.check` verifies its results."""
    RULES[op] = rule


def constraint(symbols: Iterable[Symbol], conditions: Sequence[str]) -> isl.Set | None:
    """Returns the set of symbolic sizes that satisfy the conditions; None if there are no conditions."""
    return affine.parameter_set(symbols, conditions) if conditions else None


def equal_sizes(*pairs: tuple[Symbol, Symbol]) -> isl.Set | None:
    """Returns the constraint that the sizes of each pair are equal."""
    differing = [(a, b) for a, b in pairs if a != b]
    return constraint([s for pair in differing for s in pair], [f"{symbol(a)} = {symbol(b)}" for a, b in differing])


def conjunction(a: isl.Set | None, b: isl.Set | None) -> isl.Set | None:
    """Returns the conjunction of two constraints."""
    if a is None or b is None:
        return b if a is None else a
    return a.intersect(b)


def unary(op: tiny.UnaryOp, table: AxisTable) -> IndexInfo:
    """The result has the operand's axes."""
    source = table.axes(op.input)
    axes = table.new_axes(op.result, source)
    equated = equal_sizes(*((a.size, s.size) for a, s in zip(axes, source, strict=True)))
    return IndexInfo(axes, accesses=(Access(op.input, affine.identity(len(axes))),), assumed=equated)


def binary(op: tiny.BinaryOp, table: AxisTable) -> IndexInfo:
    """Operands are aligned at the last axis; the result is constant along an axis if all operands are."""
    operands = [table.axes(v) for v in op.inputs]
    rank = len(dims.sizes(op.result))
    columns = [[source[k - rank] for source in operands if k + len(source) >= rank] for k in range(rank)]
    axes = table.new_axes(
        op.result,
        sizes=[next((a.size for a in column if a.size != 1), None) for column in columns],
        repeated=[k for k, column in enumerate(columns) if _is_repeated(column)],
    )
    accesses: list[Access] = []
    equated: isl.Set | None = None
    for value, source in zip(op.inputs, operands, strict=True):
        at, more = broadcast(axes, source)
        accesses.append(Access(value, at))
        equated = conjunction(equated, more)
    return IndexInfo(axes, accesses=tuple(accesses), assumed=equated)


def _is_repeated(column: Sequence[AxisVar]) -> bool:
    """Whether each axis in `column` (the operands' axes for one result axis) is broadcast or of size 1, and one is broadcast."""
    return any(a.kind == "broadcast" for a in column) and all(a.kind == "broadcast" or a.size == 1 for a in column)


def broadcast(axes: Sequence[AxisVar], source: Sequence[AxisVar]) -> tuple[AxisMap, isl.Set | None]:
    """
    Returns the access map of a broadcast of `source` to `axes`, aligned at the last axis, and the constraint that it puts on
    symbolic sizes. An axis of size 1 is read at 0 (invariant 3).
    """
    missing = len(axes) - len(source)
    pairs = [(a.size, s.size) for a, s in zip(axes[missing:], source, strict=True)]
    exprs = ["0" if s == 1 and a != 1 else f"i{missing + k}" for k, (a, s) in enumerate(pairs)]
    return affine.make_map(len(axes), exprs), equal_sizes(*((a, s) for a, s in pairs if s != 1))


def reduce(op: tiny.ReduceOp, table: AxisTable) -> IndexInfo:
    """Renumbers the kept axes; the reduced ones follow them."""
    source, gone = table.axes(op.input), op.axes()
    kept = [k for k in range(len(source)) if k not in gone]
    place = {axis: k for k, axis in enumerate((*kept, *gone))}
    axes = table.new_axes(op.result, [source[k] for k in kept])
    reduced = tuple(AxisVar(source[k].id, f"i{place[k]}", source[k].size, "reduce") for k in gone)
    at = affine.make_map(len(source), [f"i{place[k]}" for k in range(len(source))])
    equated = equal_sizes(*((a.size, source[k].size) for a, k in zip(axes, kept, strict=True)))
    return IndexInfo(axes, reduced, (Access(op.input, at),), tuple(source[k].id for k in gone), assumed=equated)


def movement(op: tiny.MovementOp, table: AxisTable) -> IndexInfo:
    source = table.axes(op.input)
    try:
        return MOVEMENTS[op.kind.data](op, table, source)
    except NotAffine as e:
        return IndexInfo(table.new_axes(op.result), non_scop=f"{op.kind.data}: {e}")


def permute(op: tiny.MovementOp, table: AxisTable, source: Sequence[AxisVar]) -> IndexInfo:
    perm = op.permutation()
    axes = table.new_axes(op.result, [source[p] for p in perm])
    at = affine.make_map(len(axes), [f"i{perm.index(k)}" for k in range(len(source))])
    equated = equal_sizes(*((a.size, source[p].size) for a, p in zip(axes, perm, strict=True)))
    return IndexInfo(axes, accesses=(Access(op.input, at),), assumed=equated)


def expand(op: tiny.MovementOp, table: AxisTable, source: Sequence[AxisVar]) -> IndexInfo:
    """Along an expanded axis of size 1, reads the operand at index 0; along a new axis, every index reads the same elements."""
    result = dims.sizes(op.result)
    missing = len(result) - len(source)
    kept = [s if s.size != 1 or r == 1 else None for s, r in zip(source, result[missing:], strict=True)]
    like = [*[None] * missing, *kept]
    axes = table.new_axes(op.result, like, repeated=[k for k, s in enumerate(like) if s is None])
    at, equated = broadcast(axes, source)
    return IndexInfo(axes, accesses=(Access(op.input, at),), assumed=equated)


def reshape(op: tiny.MovementOp, table: AxisTable, source: Sequence[AxisVar]) -> IndexInfo:
    axes = table.new_axes(op.result)
    sizes, from_sizes = tuple(a.size for a in axes), tuple(a.size for a in source)
    exprs, products = reshape_indices(sizes, from_sizes)
    return _linearized(op, axes, exprs, constraint([*sizes, *from_sizes], [f"{a} = {b}" for a, b in products]))


def view(op: tiny.MovementOp, table: AxisTable, source: Sequence[AxisVar]) -> IndexInfo:
    """For symbolic sizes, assumes that the last element that is read is inside the operand: the program guarantees it."""
    axes = table.new_axes(op.result)
    offset, strides = op.linear()
    sizes, from_sizes = [a.size for a in axes], [a.size for a in source]
    exprs = strided_indices(sizes, strides, offset, from_sizes)
    inside: isl.Set | None = None
    if any(isinstance(s, str) for s in (*sizes, *from_sizes)):
        number, names = product(from_sizes)
        if len(names) > 1:
            raise NotAffine(f"it reads an operand whose size is the product of the symbolic sizes {', '.join(names)}")
        last = " + ".join([str(offset), *(f"{t}*({symbol(s)} - 1)" for t, s in zip(strides, sizes, strict=True) if t)])
        inside = constraint([*sizes, *from_sizes], [f"{last} < {'*'.join([str(number), *map(symbol, names)])}"])
    return _linearized(op, axes, exprs, inside)


def _linearized(
    op: tiny.MovementOp, axes: tuple[AxisVar, ...], exprs: Sequence[str], assumed: isl.Set | None
) -> IndexInfo:
    """Returns the information of a reshape or view with these index expressions."""
    at = affine.simplify(affine.make_map(len(axes), exprs), [a.size for a in axes])
    return IndexInfo(axes, accesses=(Access(op.input, at),), guards=division_guards(at), assumed=assumed)


def shrink(op: tiny.MovementOp, table: AxisTable, source: Sequence[AxisVar]) -> IndexInfo:
    """The result is a window inside the operand."""
    starts, result = op.starts(), dims.sizes(op.result)
    whole = [start == 0 and r == s.size for start, r, s in zip(starts, result, source, strict=True)]
    axes = table.new_axes(
        op.result,
        [s if is_whole else None for s, is_whole in zip(source, whole, strict=True)],
        repeated=[k for k, s in enumerate(source) if s.kind == "broadcast"],
    )
    at = affine.make_map(len(axes), [f"i{k} + {start}" for k, start in enumerate(starts)])
    windows = [
        f"{start} + {symbol(a.size)} {'=' if r is None else '<='} {symbol(s.size)}"
        for start, a, s, r in zip(starts, axes, source, result, strict=True)
        if isinstance(a.size, str) or isinstance(s.size, str)
    ]
    return IndexInfo(axes, accesses=(Access(op.input, at),), assumed=constraint(_sizes(axes, source), windows))


def pad(op: tiny.MovementOp, table: AxisTable, source: Sequence[AxisVar]) -> IndexInfo:
    """Reads the operand inside its bounds; outside, the result is the padding value."""
    low, high = op.pads()
    amounts = list(zip(low, high, strict=True))
    axes = table.new_axes(op.result, [None if any(a) else s for a, s in zip(amounts, source, strict=True)])
    at = affine.make_map(len(axes), [f"i{k} - {before}" for k, before in enumerate(low)])
    inside = [
        f"{before} <= i{k} < {before} + {symbol(source[k].size)}"
        for k, (before, after) in enumerate(amounts)
        if before or after
    ]
    totals = [
        f"{symbol(a.size)} = {symbol(s.size)} + {sum(amount)}"
        for a, s, amount in zip(axes, source, amounts, strict=True)
        if isinstance(a.size, str) or isinstance(s.size, str)
    ]
    guard = affine.make_set(_sizes(axes, source)[: len(axes)], inside, _sizes(axes, source)) if inside else None
    access = Access(op.input, at, guard, op.value if inside else None)
    return IndexInfo(axes, accesses=(access,), assumed=constraint(_sizes(axes, source), totals))


def _sizes(*axes: Sequence[AxisVar]) -> list[Symbol]:
    return [axis.size for some in axes for axis in some]


MOVEMENTS: dict[str, Callable[[tiny.MovementOp, AxisTable, Sequence[AxisVar]], IndexInfo]] = {
    "permute": permute,
    "expand": expand,
    "reshape": reshape,
    "view": view,
    "shrink": shrink,
    "pad": pad,
}

RULES.update(
    {
        tiny.UnaryOp: unary,
        tiny.BinaryOp: binary,
        tiny.ReduceOp: reduce,
        tiny.MovementOp: movement,
        ptir.GatherOp: gather,
        ptir.DynamicSliceOp: dynamic_slice,
    }
)
