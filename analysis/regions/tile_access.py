"""Addresses of the loads and stores of a tile program, and the vector width of an access."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import islpy as isl
from xdsl.ir import Operation

from ...dialects import pto
from ...dialects.common.shapes import memref_of
from ...dialects.common.syntax import ints
from ...errors import Unsupported, counted
from ..errors import TooComplex
from ..index import affine
from .addresses import is_affine, is_contiguous, linear_address, stride


def element_address(access: pto.AccessOp) -> isl.Aff:
    """
    Returns the element offset in the memref as an expression in the axes of the tile space. Raises `Unsupported` if the map is
    not affine, does not match the memref's rank, or leaves the memref.
    """
    t = memref_of(access.memref)
    try:
        at = affine.read_map(access.map.source.data)
    except isl.Error as e:
        raise Unsupported(
            access,
            what=f"the map {access.map.source.data}",
            need=f"one quasi-affine expression per axis ({affine.reason(e)})",
        ) from e
    bounds = ints(access.bounds)
    if affine.input_rank(at) != len(bounds) or at.dim(isl.dim_type.out) != len(t.get_shape()):
        raise Unsupported(
            access,
            what=f"the map {access.map.source.data}",
            need=f"a map from {counted(len(bounds), 'axis', 'axes')} to the {len(t.get_shape())} of {t}",
        )
    points = affine.box(bounds)
    if isinstance(access, pto.LoadMapOp | pto.StoreMapOp) and access.where is not None:
        points = points.intersect(point_set(access, access.where.source.data, len(bounds)))
    if not points.is_subset(affine.box(t.get_shape()).preimage_multi_aff(at)):  # only if the IR was edited by hand
        raise Unsupported(
            access,
            what=f"the map {at} on {list(bounds)}",
            need=f"it must stay inside the memref's {list(t.get_shape())}",
        )
    return linear_address(t.get_shape(), at, bounds)


def index_map(op: pto.IotaOp) -> isl.MultiAff:
    """Returns the map of indices. Raises `Unsupported` unless it is from the axes of the index space to one integer."""
    source, rank = op.map.source.data, len(op.bounds)
    try:
        at = affine.read_map(source)
    except isl.Error as e:
        need = f"write one quasi-affine expression ({affine.reason(e)})"
        raise Unsupported(op, what=f"the map {source}", need=need) from e
    if (affine.input_rank(at), at.dim(isl.dim_type.out)) != (rank, 1):
        raise Unsupported(
            op, what=f"the map {source}", need=f"write a map from {counted(rank, 'axis', 'axes')} to one integer"
        )
    return at


def point_set(op: Operation, where: str, rank: int) -> isl.Set:
    """Returns the set that the text `where` denotes. Raises `Unsupported` unless it has `rank` axes and no parameters."""
    why = "parameters"
    try:
        points = affine.read_set(where)
        if (points.dim(isl.dim_type.set), points.dim(isl.dim_type.param)) == (rank, 0):
            return points
    except isl.Error as e:
        why = affine.reason(e)
    raise Unsupported(op, what=f"the set {where}", need=f"points of {counted(rank, 'axis', 'axes')} ({why})")


def vector_points(op: Operation, where: str, bounds: Sequence[int], column: int, width: int) -> tuple[isl.Set, bool]:
    """
    Returns the points from which `width` elements along `column` all lie in the set `where`, and whether of each aligned
    vector either all elements do or none does. Raises `TooComplex`.
    """
    rank, points = len(bounds), point_set(op, where, len(bounds))
    aligned = affine.make_set(bounds, [f"i{column} mod {width} = 0"]).intersect(affine.box(bounds))
    with affine.quota(what="a set of vectors"):
        moved = [[f"i{k} + {step}" if k == column else f"i{k}" for k in range(rank)] for step in range(width)]
        elements = [points.preimage_multi_aff(affine.make_map(rank, exprs)) for exprs in moved]
        whole = reduce(isl.Set.intersect, elements)
        some = reduce(isl.Set.union, elements).intersect(aligned)
        uniform = bool(some.is_subset(whole))
        whole = (points if uniform else whole).gist(aligned).coalesce()
        return whole, uniform


def is_uniform(op: Operation, where: str, bounds: Sequence[int], column: int, width: int) -> bool:
    """
    Returns whether all elements of each aligned vector of `width` elements along `column` are in the set `where`, or none is; False if
    that is too complex to tell.
    """
    rank, points = len(bounds), point_set(op, where, len(bounds))
    sizes = [*(-(-size // width) if k == column else size for k, size in enumerate(bounds)), width]
    element = affine.make_map(rank + 1, [f"{width}*i{k} + i{rank}" if k == column else f"i{k}" for k in range(rank)])
    try:
        with affine.quota(what="a set of vectors"):
            inside = points.preimage_multi_aff(element).intersect(affine.box(sizes))
            some = inside.eliminate(isl.dim_type.set, rank, 1).intersect(affine.box(sizes))
            return bool(some.is_subset(inside))
    except TooComplex:
        return False


def vector_width(bounds: Sequence[int], address: isl.Aff, column: int, base: int, widths: Sequence[int]) -> int:
    """
    Returns the first of `widths`, in elements, that one aligned access along axis `column` can have; otherwise 1. The elements of
    each aligned vector must be contiguous, and the width must divide the address of the first one and `base`, the known
    alignment in elements.
    """
    return next((w for w in widths if base % w == 0 and _is_aligned(bounds, address, column, w)), 1)


def _is_aligned(bounds: Sequence[int], address: isl.Aff, column: int, width: int) -> bool:
    """Returns whether the elements of every aligned vector along axis `column` are contiguous and begin at a multiple of `width`."""
    if is_affine(address):
        steps = [stride(address, d) for d in range(len(bounds)) if d != column and bounds[d] > 1]
        steps.append(int(address.get_constant_val().to_python()))
        return is_contiguous(address, column) and all(step % width == 0 for step in steps)
    rank = len(bounds)
    if bounds[column] % width:
        return False
    sizes = [*(size // width if d == column else size for d, size in enumerate(bounds)), width]
    exprs = [f"{width}*i{d} + i{rank}" if d == column else f"i{d}" for d in range(rank)]
    first = affine.make_map(rank + 1, [*(f"i{d}" for d in range(rank)), "0"])
    step = affine.make_map(rank + 1, [f"i{rank}"])
    try:
        at = affine.compose(isl.MultiAff.from_aff(address), affine.make_map(rank + 1, exprs), sizes)
        begin = affine.compose(at, first, sizes)
        beyond = isl.MultiAff.from_aff(begin.get_at(0).mod_val(isl.Val(width)))
        return affine.equal_on(sizes, at, begin.add(step)) and affine.equal_on(sizes, beyond, step.sub(step))
    except TooComplex:
        return False
