"""Facts about the accesses of a tile that are proven from ranges of offsets: alignment, tails, vector width."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import gcd
from typing import TypeGuard, cast

import islpy as isl
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import BlockArgument, Operation, SSAValue

from ....analysis.regions.tile_access import is_uniform, vector_width
from ....dialects import nv, pto
from ....dialects.common.shapes import index_names, memref_of
from ....dialects.common.syntax import ints
from ....errors import Unsupported
from ....targets.mma import element_bytes
from ..tile_loops import constant_value
from .builder import INT_MAX, KernelBuilder

MIN_CP_ASYNC_BYTES = 4
"""Minimum size of a cp.async, in bytes; narrower copies pass through registers element by element."""


@dataclass(frozen=True)
class IndexSpace:
    """
    The points of a tile: `dims` are the axes of the space along its rows and columns, `bounds` the sizes of the space, and
    `offsets` the point at which the tile begins. It is equal for two accesses to the same points.
    """

    dims: Sequence[int]
    bounds: Sequence[int]
    offsets: Sequence[SSAValue]


def index_space(access: pto.PointsOp) -> IndexSpace:
    """Returns the index space of an access, without positions. Two accesses to the same points have equal index spaces."""
    offsets = tuple(access.offsets)
    return IndexSpace(ints(access.dims), ints(access.bounds)[: len(offsets)], offsets)


def is_counter(value: SSAValue) -> bool:
    """Returns whether a value is the counter of a loop."""
    return isinstance(value, BlockArgument) and value.index == 0 and isinstance(value.block.parent_op(), scf.ForOp)


def is_affine_load(op: Operation, space: IndexSpace) -> TypeGuard[pto.LoadMapOp]:
    """Returns whether an op loads at the points of `space`, not at positions."""
    return isinstance(op, pto.LoadMapOp) and not op.positions and index_space(op) == space


class Access(KernelBuilder):
    """Extends the kernel builder by facts about loads and stores."""

    def alignment(self, access: pto.LoadMapOp | pto.StoreMapOp) -> int:
        """Returns the alignment, in bytes, that the kernel guarantees for the memref of an access."""
        return self.kernel.alignment(cast(BlockArgument, access.memref))

    def copy_bytes(self, load: pto.LoadMapOp, address: isl.Aff, column: int) -> int:
        """Returns the bytes of the widest copy into shared memory that the proven alignment allows along axis `column`."""
        size = element_bytes(memref_of(load.memref).element_type)
        widths = [w // size for w in nv.COPY_BYTES if w % size == 0]
        widest = size * vector_width(ints(load.bounds), address, column, self.alignment(load) // size, widths)
        if (where := load.where) is not None:
            while widest > size and not is_uniform(load, where.source.data, ints(load.bounds), column, widest // size):
                widest //= 2
        return widest if widest >= MIN_CP_ASYNC_BYTES else size

    def offset(self, value: SSAValue) -> SSAValue:
        """Returns the kernel's value for an offset of the tile program, which is built from its arguments by sums and multiples."""
        if value in self.map:
            return self.map[value]
        match value.owner:
            case arith.ConstantOp():
                return self.index(self.nonnegative(value))
            case arith.AddiOp() as op:
                return self.plus(self.offset(op.lhs), self.offset(op.rhs), value.name_hint)
            case arith.SubiOp() as op:
                # a tile program subtracts a constant from what is at least as large: indices are never negative
                less = self.add(arith.ConstantOp(IntegerAttr(-self.nonnegative(op.rhs), IndexType())))
                return self.add(arith.AddiOp(self.offset(op.lhs), less), value.name_hint)
            case arith.MuliOp() as op:
                return self.times(self.offset(op.lhs), self.nonnegative(op.rhs), value.name_hint)
            case _:
                raise self.unsupported_offset(value)

    def is_fixed_offset(self, op: Operation) -> bool:
        """Returns whether an op computes an offset that is invariant in the loop over k."""

        def fixed(value: SSAValue) -> bool:
            if isinstance(value.owner, arith.ConstantOp):
                return constant_value(value, value.owner) >= 0
            return value in self.map and (value in self.ranges or isinstance(value.owner, Operation))

        match op:
            case arith.AddiOp():
                return fixed(op.lhs) and fixed(op.rhs)
            case arith.MuliOp():
                return fixed(op.lhs) and isinstance(op.rhs.owner, arith.ConstantOp) and fixed(op.rhs)
            case _:
                return False

    def bind_offsets(self, ops: Iterable[Operation]) -> None:
        """Computes, at the insertion point, the offsets that `ops` derive from those of the tile and are invariant in k."""
        for op in ops:
            if self.is_fixed_offset(op):
                self.map.pop(op.results[0], None)
                self.map[op.results[0]] = self.offset(op.results[0])

    def range_of(self, value: SSAValue) -> tuple[int, int]:
        """Returns a divisor of every value of the offset, and the offset's largest value."""
        if value in self.ranges:
            return self.ranges[value]
        match value.owner:
            case arith.ConstantOp():
                number = self.nonnegative(value)
                return number, number
            case arith.AddiOp() as op:
                left, right = self.range_of(op.lhs), self.range_of(op.rhs)
                return gcd(left[0], right[0]), left[1] + right[1]
            case arith.SubiOp() as op:
                (step, last), less = self.range_of(op.lhs), self.nonnegative(op.rhs)
                return gcd(step, less), last - less
            case arith.MuliOp() as op:
                (step, last), factor = self.range_of(op.lhs), self.nonnegative(op.rhs)
                return step * factor, last * factor
            case _:
                raise self.unsupported_offset(value)

    def overhang_of(self, value: SSAValue) -> int:
        """Returns how far an offset may exceed its range in tiles that exist only because the grid has whole clusters."""
        match value.owner:
            case arith.AddiOp() as op:
                return self.overhang_of(op.lhs) + self.overhang_of(op.rhs)
            case arith.MuliOp() as op:
                return self.overhang_of(op.lhs) * self.nonnegative(op.rhs)
            case _:
                return self.overhang.get(value, 0)

    def nonnegative(self, value: SSAValue) -> int:
        """Returns the value of a constant that is not negative. Raises `Unsupported` for others: no tile begins before the box."""
        match value.owner:
            case arith.ConstantOp(value=IntegerAttr() as number) if number.value.data >= 0:
                return number.value.data
            case _:
                raise self.unsupported_offset(value)

    def unsupported_offset(self, value: SSAValue) -> Unsupported:
        by = f"'{value.owner.name}'" if isinstance(value.owner, Operation) else "this block argument"
        need = "build it from arguments of pto.tiles and of the loop by arith.addi, and by arith.muli with constants that are not negative"
        return Unsupported(self.at, what=f"an offset by {by}", need=need)

    def guarded_axes(self, space: IndexSpace, sizes: Sequence[int]) -> tuple[int, ...]:
        """
        Returns the axes of a tile that need a guard: those along which a tile of these sizes may reach past the bounds, and those
        in the plan's predicate_tail. Accesses along the other axes are in bounds.
        """
        bounds, tile = space.bounds, dict(zip(space.dims, sizes, strict=True))
        past: list[int] = []
        for axis, offset in enumerate(space.offsets):
            (step, last), size = self.range_of(offset), tile.get(axis, 1)
            end = last + size + self.overhang_of(offset)
            if end > INT_MAX:
                need = "use offsets of less than 2^31: indices are 32-bit"
                raise Unsupported(self.at, what=f"an offset of {last} along axis {axis}", need=need)
            if end > bounds[axis]:
                past.append(axis)
            if (last and step % size) or (last >= bounds[axis] and axis not in tile):
                raise Unsupported(
                    self.at,
                    what=f"a tile of {size} at offsets up to {last} in steps of {step} along axis {axis} of {bounds[axis]}",
                    need="use steps that are multiples of the tile, and no tile outside the box",
                )
        return tuple(axis for axis in tile if axis in past or self.asks_for_guard(axis, space))

    def asks_for_guard(self, axis: int, space: IndexSpace) -> bool:
        """Returns whether the plan has an axis of a space in its predicate_tail."""
        names = dict(enumerate(("m.i.i", "n.i.i", "k.i.i"), len(ints(self.tiles.sizes)) - 2))
        return names.get(axis) in self.plan.predicate_tail


def map_text(address: isl.Aff) -> str:
    """Returns the text of an address as a map of `i0, i1, …`, as copies and epilogues store it."""
    for k, name in enumerate(index_names(address.dim(isl.dim_type.in_))):
        address = address.set_dim_name(isl.dim_type.in_, k, name)
    return str(isl.MultiAff.from_aff(address))
