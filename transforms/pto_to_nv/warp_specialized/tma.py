"""
What TMA can move: accesses that are strided arrays with rows of 16 bytes, as tensor maps and coordinates.

The axes of the index space along which the address moves become those of the map, the one that steps by 1 last; the
box of the access becomes the map's sizes, so that what lies outside is zero when it is loaded and left out when it is
stored. PTX ISA §5.5; CUDA driver API, `cuTensorMapEncodeTiled`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.ir import BlockArgument, SSAValue

from ....analysis.regions.kernel_space import is_affine, stride
from ....analysis.regions.tile_access import element_address
from ....dialects import nv, pto
from ....dialects.common.shapes import memref_of
from ....dialects.common.syntax import ints
from ....targets.mma import element_bytes
from ..kernel.access import Access

MOST_AXES = 5
CHUNK = 16
WIDEST = 2**40
"""Bytes of a stride must be fewer."""


@dataclass(frozen=True)
class Strided:
    """A memref as an array: from element `offset` on, `axes` of the index space, the contiguous one last."""

    memref: BlockArgument
    offset: int
    axes: tuple[int, ...]
    sizes: tuple[int, ...]
    strides: tuple[int, ...]


@dataclass(frozen=True)
class View:
    """A tensor map that the kernel takes as an argument, and how the host makes it."""

    array: Strided
    type: nv.TensorMapType
    argument: BlockArgument
    tf32: bool = False


class TensorMaps(Access):
    """Adds tensor maps to the arguments of a kernel."""

    views: list[View]

    def strided(self, access: pto.LoadOp | pto.StoreOp, rows: int, columns: int) -> Strided | None:
        """The array of an access whose tiles have `rows` and `columns` as their axes, or None where TMA cannot see it so."""
        address, bounds = element_address(access), ints(access.bounds)
        memref = cast(BlockArgument, access.memref)
        size = element_bytes(memref_of(memref).element_type)
        if not is_affine(address) or stride(address, columns) != 1:
            return None
        others = [
            axis
            for axis in range(len(bounds))
            if axis not in (rows, columns) and bounds[axis] > 1 and stride(address, axis)
        ]
        axes = (*others, rows, columns)
        strides = [stride(address, axis) for axis in axes]
        if bounds[rows] == 1:  # any stride is as good
            strides[-2] = CHUNK
        offset = int(address.get_constant_val().to_python())
        fits = (
            len(axes) <= MOST_AXES
            and self.kernel.alignment(memref) % CHUNK == 0
            and offset * size % CHUNK == 0
            and all(s > 0 and s * size % CHUNK == 0 and s * size < WIDEST for s in strides[:-1])
        )
        return Strided(memref, offset, axes, tuple(bounds[a] for a in axes), tuple(strides)) if fits else None

    def view(self, array: Strided, box: tuple[int, int], swizzle: str, hint: str, tf32: bool = False) -> View:
        """The tensor map that moves boxes of so many rows and columns, a new argument of the kernel."""
        dtype = memref_of(array.memref).element_type
        type_ = nv.TensorMapType((1,) * (len(array.axes) - 2) + box, dtype, swizzle)
        argument = self.block.insert_arg(type_, len(self.block.args))
        argument.name_hint = hint
        self.views.append(view := View(array, type_, argument, tf32))
        return view

    def coordinates(self, view: View, offsets: Sequence[SSAValue], row: SSAValue, column: SSAValue) -> list[SSAValue]:
        """Where a box begins: the access's offsets, and from those of the tile `row` and `column` further."""
        *others, rows, columns = view.array.axes
        return [
            *(offsets[axis] for axis in others),
            self.plus(offsets[rows], row, "box_row"),
            self.plus(offsets[columns], column, "box_column"),
        ]
