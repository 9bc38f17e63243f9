"""Addresses of array elements, and the spaces from which they are read."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from ..index import affine
from ..index.info import Access, IndexInfo


def linear_address(sizes: Sequence[int], at: isl.MultiAff, domain: Sequence[int]) -> isl.Aff:
    """Returns the row-major element offset of index `at` in an array of `sizes`, simplified on the box of `domain`."""
    strides = affine.row_major_strides(sizes)
    exprs = [" + ".join(f"{s}*i{k}" for k, s in enumerate(strides)) or "0"]
    return affine.compose(affine.make_map(len(sizes), exprs), at, domain).get_at(0)


def is_affine(address: isl.Aff) -> bool:
    """Whether an address is free of divisions."""
    return address.dim(isl.dim_type.div) == 0


def stride(address: isl.Aff, axis: int) -> int:
    """Returns the coefficient of an axis in an affine address, in elements."""
    return int(address.get_coefficient_val(isl.dim_type.in_, axis).to_python())


def is_contiguous(address: isl.Aff, axis: int) -> bool:
    """Whether an address steps by 1 along an axis, everywhere."""
    return is_affine(address) and stride(address, axis) == 1


def is_monotone(address: isl.Aff, axis: int, sizes: Sequence[int]) -> bool:
    """
    Whether each element along an axis of a space of `sizes` is at the address of the one before it, or at the next one. So are contiguous
    elements, and factors of groups (`k div 64`).
    """
    if is_affine(address):
        return stride(address, axis) in (0, 1)
    rank = len(sizes)
    following = affine.make_map(rank, [f"i{k} + 1" if k == axis else f"i{k}" for k in range(rank)])
    step = isl.MultiAff.from_aff(address).pullback_multi_aff(following).get_at(0).sub(address)
    value = isl.Map.from_aff(step).intersect_domain(affine.box([n - (k == axis) for k, n in enumerate(sizes)])).range()
    return value.is_subset(isl.Set("{ [0]; [1] }"))


def extended(info: IndexInfo, at: isl.MultiAff, space: Sequence[int]) -> tuple[tuple[int, ...], isl.MultiAff]:
    """
    Extends `space` by one axis for each axis that a value reduces, and for each of its positions. `at` maps `space` to the axes of
    the value. Returns the sizes of the extended space and its map to the value's iteration axes.
    """
    if len(info.iteration) == info.rank:
        return tuple(space), at
    sizes = (*space, *info.static_sizes[info.rank :])
    outer = affine.make_map(len(sizes), [f"i{k}" for k in range(len(space))])
    counters = affine.make_map(len(sizes), [f"i{k}" for k in range(len(space), len(sizes))])
    return sizes, affine.compose(at, outer, sizes).flat_range_product(counters)


def operand_reads(
    info: IndexInfo, at: isl.MultiAff, space: Sequence[int]
) -> list[tuple[Access, tuple[int, ...], isl.MultiAff]]:
    """
    Returns the accesses of a value that is read from `space` through `at`. Each comes with the sizes of the space from which it reads,
    which is extended unless the access reads an index, and with the map from that space to the value's iteration axes.
    """
    inner, there = extended(info, at, space)
    if not info.positions:
        return [(access, inner, there) for access in info.accesses]
    first = affine.make_map(len(space), [*(f"i{k}" for k in range(len(space))), *["0"] * (len(inner) - len(space))])
    outside = affine.compose(there, first, space)
    whole, *indices = info.accesses
    return [(whole, inner, there), *((access, tuple(space), outside) for access in indices)]
