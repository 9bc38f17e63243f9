"""
Checks the `IndexInfo` that an index rule returns: the invariants of tensor-compiler.ja §1.3 and the failures of §13.

1. Maps are affine with integer division; the domain bounds every remainder.
2. Iteration axes are named `i0, i1, …` in order.
3. The value read does not change along a `broadcast` axis.
4. Reduced axes are of kind `reduce`, none of them is an axis of the result, and `reduce_axes` are axes of an operand.
5. A value with `non_scop` has no accesses, unless it has positions: then they follow the other axes, are of kind `position`, and the
   accesses after the first, one for each, do not depend on them.

Each access has one expression per axis of its operand, and stays inside the operand.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, get_args

import islpy as isl
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from ...dialects.common.shapes import index_names
from ...dialects.ptir import dims
from ...errors import counted
from ..errors import BrokenIndexInfo, MissingDivisionGuard
from . import affine
from .axes import AxisTable
from .divisions import intervals
from .info import Access, AxisVar, IndexInfo, Kind
from .isl_text import aff_text, division_guard, divisions, map_text

Problem = tuple[str, str]
"""A violated invariant: its description, and a hint on how to restore it."""


def check_info(value: SSAValue, info: IndexInfo, table: AxisTable) -> None:
    """Raises `BrokenIndexInfo`, `MissingDivisionGuard` or `TooComplex` at the op that defines `value`."""
    op = value.owner if isinstance(value.owner, Operation) else None
    name = "arg" if op is None else op.name
    rules = (_axes, _reduction, _shapes)
    problems = chain.from_iterable(rule(value, info, table) for rule in rules)
    if (problem := next(problems, None)) is None:
        for access in info.accesses:
            if (guard := _missing_guard(access, info)) is not None:
                raise MissingDivisionGuard(op, name=name, guard=guard)
        with affine.quota(what=f"the check that '{name}' stays inside its operands"):
            problem = next(_reads(info, table), None)
    if problem is not None:
        raise BrokenIndexInfo(op, name=name, problem=problem[0], help=problem[1])


def _axes(value: SSAValue, info: IndexInfo, table: AxisTable) -> Iterator[Problem]:
    """Yields violations of invariant 2, and axes that do not match the type."""
    got = [a.name for a in info.iteration]
    if got != (want := index_names(len(got))):
        yield f"its axes are named {', '.join(got)}", f"name them {', '.join(want)}: output axes, then reduced ones"
    if wrong := [a.kind for a in info.iteration if a.kind not in get_args(Kind)]:
        yield f"an axis is of kind {wrong[0]}", f"kinds are {', '.join(get_args(Kind))}"
    if len({a.id for a in info.iteration}) != len(got):
        yield "two of its axes share an id", "take them from `book.new_axes`"
    sizes = dims.sizes(value)
    if len(sizes) != info.rank or any(s not in (None, a.size) for s, a in zip(sizes, info.axes, strict=True)):
        yield f"its axes do not match {value.type}", "take them from `book.new_axes`"


def _reduction(value: SSAValue, info: IndexInfo, table: AxisTable) -> Iterator[Problem]:
    """Yields violations of invariant 4."""
    if any(a.kind == "reduce" for a in info.axes) or any(a.kind != "reduce" for a in info.reduced):
        yield (
            "an output axis is of kind reduce, or a reduced one is not",
            "reduced axes, and only those, are of kind reduce",
        )
    if tuple(a.id for a in info.reduced) != info.reduce_axes:
        yield f"it reduces axes {_ids(info.reduced)} but declares {info.reduce_axes}", "`reduce_axes` are their ids"
    known = {a.id: a.size for access in info.accesses for a in table.axes(access.value)}
    if not known.keys() >= set(info.reduce_axes) and info.accesses:
        yield f"no operand has the reduced axes {info.reduce_axes}", "reduced axes have the operand's ids"
    if wrong := [a for a in info.reduced if known.get(a.id, a.size) != a.size]:
        yield (
            f"it reduces {wrong[0].size} elements of an axis of {known[wrong[0].id]}",
            "reduced axes are whole",
        )


def _ids(axes: tuple[AxisVar, ...]) -> tuple[int, ...]:
    return tuple(a.id for a in axes)


def _shapes(value: SSAValue, info: IndexInfo, table: AxisTable) -> Iterator[Problem]:
    """Yields violations of invariants 5 and 1: maps and guards are affine in the iteration axes, and maps give the operand's axes."""
    if info.non_scop is not None and info.accesses and not info.positions:
        yield "it is not affine but has accesses", "a value that is not affine has no accesses"
    yield from _positions(info)
    operands = value.owner.operands if isinstance(value.owner, Operation) else ()
    for access in info.accesses:
        given: list[tuple[Any, Any]] = [(access.map, isl.MultiAff), (access.guard, isl.Set | None)]
        for wrong in (type(x).__name__ for x, kind in given if not isinstance(x, kind)):
            yield f"a map or a guard is a {wrong}", "maps are `isl.MultiAff`, guards `isl.Set`"
        if _is_named(access):
            yield "the tuples of an access are named", "write [i0, i1], not S[i0, i1]"
        m, rank = access.map, len(table.axes(access.value))
        if access.value not in operands:
            yield "it reads a value that is not an operand", "access only the op's operands"
        if (affine.input_rank(m), m.dim(isl.dim_type.out)) != (len(info.sizes), rank):
            yield (
                f"the map {map_text(m)} does not go from {len(info.sizes)} iteration axes to {rank} of the operand",
                "a map has one expression for each axis of the operand",
            )
        if any(not m.get_at(k).get_denominator_val().is_one() for k in range(m.dim(isl.dim_type.out))):
            yield f"the map {map_text(m)} has fractions", "divide with floor"
        if (access.guard is None) != (access.fill is None):
            yield "an access has a guard without a fill, or a fill without a guard", "give both or neither"
        elif access.guard is not None and access.guard.dim(isl.dim_type.set) != len(info.sizes):
            yield "a guard is not over the iteration axes", "guards and maps start from the same axes"
    read = {access.value for access in info.accesses}
    if info.non_scop is None and any(isinstance(x.type, TensorType) and x not in read for x in operands):
        yield "a tensor operand has no access", "give one access per tensor, or set `non_scop`"


def _positions(info: IndexInfo) -> Iterator[Problem]:
    """Yields violations of invariant 5 by positions."""
    if any((axis.kind == "position") != (axis in info.positions) for axis in info.iteration):
        yield "an axis of kind position is not among the positions", "positions, and only those, are of kind position"
    if not info.positions:
        return
    first, indices = info.rank + len(info.reduced), info.accesses[1:]
    if info.non_scop is None or len(indices) != len(info.positions):
        help = "set `non_scop`; after the first access, give one for each position"
        yield (
            f"it has {counted(len(info.positions), 'position')} and {counted(len(indices), 'access', 'accesses')} to indices",
            help,
        )
    if any(affine.uses_axis(a.map, first + k) for a in indices for k in range(len(info.positions))):
        yield "a position depends on a position", "indices are read at output axes"


def _is_named(access: Access) -> bool:
    tuples = [access.map.get_tuple_name(kind) for kind in (isl.dim_type.in_, isl.dim_type.out)]
    return any(tuples) or (access.guard is not None and bool(access.guard.get_tuple_name()))


def _missing_guard(access: Access, info: IndexInfo) -> str | None:
    """Returns a division guard that the domain lacks; None if it has all of them."""
    for numerator, q in divisions(access.map):
        guard = division_guard(aff_text(numerator), q)
        if guard not in info.guards and not any(_bounds_remainder(g, numerator, q, info) for g in info.guards):
            return guard
    return None


def _bounds_remainder(guard: str, numerator: isl.Aff, q: int, info: IndexInfo) -> bool:
    """Whether a guard, in any notation, bounds the remainder of `numerator` divided by `q`."""
    low, high = "0 <= ", f" < {q}"
    if not (guard.startswith(low) and guard.endswith(high)):
        return False
    try:
        bounded = affine.make_map(len(info.sizes), [guard[len(low) : -len(high)]], info.sizes).get_at(0)
    except isl.Error:
        return False
    divisor = isl.Val.int_from_si(affine.CONTEXT, q)
    return bool(bounded.plain_is_equal(numerator.sub(numerator.scale_down_val(divisor).floor().scale_val(divisor))))


def _reads(info: IndexInfo, table: AxisTable) -> Iterator[Problem]:
    """Yields violations of invariant 3, and accesses outside of their operand."""
    for access in info.accesses:
        source = table.axes(access.value)
        for k, axis in enumerate(info.iteration):
            if axis.kind == "broadcast" and _varies(access.map, k, source):
                yield f"it reads along the broadcast axis {axis.name}", "make the index constant along it"
        if not _is_inside(access, info, source):
            extent = ", ".join(str(a.size) for a in source)
            yield f"{map_text(access.map)} exceeds its operand of [{extent}]", "guard it, or correct the map"


def _varies(m: isl.MultiAff, axis: int, source: tuple[AxisVar, ...]) -> bool:
    """Whether an index on an operand axis depends on iteration axis `axis`, except on operand axes that are broadcast or of size 1."""
    return any(
        a.kind != "broadcast" and a.size != 1 and m.get_at(k).involves_dims(isl.dim_type.in_, axis, 1)
        for k, a in enumerate(source)
    )


def _is_inside(access: Access, info: IndexInfo, source: tuple[AxisVar, ...]) -> bool:
    sizes = [a.size for a in source]
    found = intervals(access.map, info.sizes)
    if all(isinstance(s, int) and low >= 0 and high < s for (low, high), s in zip(found, sizes, strict=True)):
        return True
    domain = info.domain if access.guard is None else info.domain.intersect(access.guard)
    return bool(domain.is_subset(affine.box(sizes).preimage_multi_aff(access.map)))
