"""
The layout in memory of the rows of a slice: contiguous, adjacent to each other, or rows of a contraction's tile; and the axis to split so that
they have one of these layouts.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import islpy as isl
from xdsl.ir import SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import element, shape
from ...targets.architectures import SECTOR
from ...targets.matrices import WORD
from ...targets.mma import element_bytes, mma_for
from ..index import affine
from .addresses import is_affine, is_monotone, stride
from .contraction import Contraction
from .places import Place, Slice, is_splat

MAX_ROW_REGISTERS = 160
"""
Registers of a lane that may hold rows of a contraction: the accumulators of one instruction's rows, the values computed from
them, and the fragments of B. 16 rows of 128 elements take as many with bf16.
"""
MIN_GROUP = 16
"""Minimum number of elements of rows for each element of an array that they share: fewer would be loaded one by one too often."""
MAX_ADJACENT_BYTES = 65_536
"""Maximum size in registers of adjacent rows that fill a sector of memory: a quarter of the registers of a multiprocessor."""


def ends_in_rows(out: Slice, contractions: Mapping[SSAValue, Contraction]) -> bool:
    """
    Whether the slice reads one contraction, element by element, and its reductions reduce the contraction's rows, which a
    warp can hold.
    """
    sizes = out.sizes
    last = len(sizes) - 1
    if sizes != shape(out.root) or out.rows is None or out.rows.columns != (last,) or len(out.anchors) != 1:
        return False
    ((value, maps),) = out.anchors.items()
    if value not in contractions:
        return False
    c = contractions[value]
    if tiny.keeps_order(c.op):  # a thread may add each of its sums alone
        return False
    mma, accum = mma_for(*c.dtypes, c.precision), c.dtypes[2]
    if mma is None or element_bytes(accum) != WORD or c.n != (last,):
        return False
    instructions = -(-(1 << (sizes[last] - 1).bit_length()) // mma.n)
    fragment = mma.b.count * element_bytes(c.dtypes[1]) // WORD
    if instructions * (2 * mma.c.count + fragment) > MAX_ROW_REGISTERS:
        return False
    inner = affine.make_map(last + 2, [*(f"i{k}" for k in range(last)), f"i{last + 1}"])
    return (
        shape(value) == sizes
        and all(affine.equal_on(sizes, at, affine.identity(len(sizes))) for at in maps)
        and all(
            place.value is value and len(place.space) == last + 2 and affine.equal_on(place.space, place.at, inner)
            for place in out.reduced_anchors
        )
    )


def contiguous(out: Slice) -> bool:
    """
    Whether the rows read at least one array along their columns, and every such array is contiguous along the columns, except for
    those of which adjacent columns share elements, such as factors of groups: at least `MIN_GROUP` in the mean.
    """
    rank, read = len(out.sizes), False
    columns = set(out.rows.columns) if out.rows is not None else set[int]()
    for leaf in out.leaves:
        used = [a for a in leaf.axes if (a in columns or a >= rank) and a not in leaf.positions]
        if not used or is_splat(leaf.value):
            continue
        address = leaf.address
        if is_affine(address) and stride(address, used[-1]) == 1:
            read = True
        elif (
            is_affine(address)
            or prod(shape(leaf.value)) * MIN_GROUP > prod(leaf.space)
            or not is_monotone(address, used[-1], leaf.space)
        ):
            return False
    return read


def adjacent_axis(out: Slice) -> int | None:
    """
    Returns the axis of the root along which the elements of adjacent rows are contiguous, in all arrays that depend on it and on
    the position in a row, or None if there is no such axis, or if a block cannot hold as many rows as fill a sector.
    """
    if (rows := out.rows) is None:
        return None
    rank = len(out.sizes)
    whole = [leaf for leaf in out.leaves if not is_splat(leaf.value)]
    whole = [at for at in whole if any(a in rows.columns or a >= rank for a in at.axes)]
    narrow = min((element_bytes(element(at.value)) for at in whole), default=WORD)
    wide = max(WORD, *(element_bytes(element(r)) for op in out.ops for r in op.results))
    if rows.length * (SECTOR // narrow) * wide > MAX_ADJACENT_BYTES:
        return None
    if rows.columns:
        whole.append(Place(out.root, out.start, out.sizes))
    addresses = [at.address for at in whole]
    steps = [{a: stride(address, a) for a in rows.rows if out.sizes[a] > 1} for address in addresses]
    found = {a for step in steps for a, by in step.items() if by == 1}
    fits = all(map(is_affine, addresses)) and all(step[a] in (0, 1) for step in steps for a in found)
    return found.pop() if len(found) == 1 and fits else None


def split_of_rows(out: Slice) -> tuple[int, ...] | None:
    """Returns the root's space with an axis split that the address of an array which the rows read divides, or None."""
    splits = (
        split_axis(leaf.at, out.sizes)
        for leaf in out.leaves
        if not is_splat(leaf.value) and not is_affine(leaf.address)
    )
    return next(filter(None, splits), None)


def split_axis(at: isl.MultiAff, sizes: tuple[int, ...]) -> tuple[int, ...] | None:
    """Returns `sizes` with an axis split into groups if the map `at` from a space of `sizes` divides that axis; otherwise None."""
    for k in range(at.dim(isl.dim_type.out)):
        index = at.get_at(k)
        for d in range(index.dim(isl.dim_type.div)):
            quotient = index.get_div(d)
            by = quotient.get_denominator_val().to_python()
            axes = [a for a in range(affine.input_rank(at)) if quotient.involves_dims(isl.dim_type.in_, a, 1)]
            if len(axes) == 1 and (a := axes[0]) < len(sizes) and 1 < by < sizes[a] and sizes[a] % by == 0:
                return (*sizes[:a], sizes[a] // by, by, *sizes[a + 1 :])
    return None
