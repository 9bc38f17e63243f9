"""
Tensor maps and box coordinates for the accesses that TMA supports: strided arrays whose rows begin at multiples of 16 bytes.

The axes of the index space along which the address varies become the map's axes, the contiguous one last. The bounds of the
access become the map's sizes: elements outside are loaded as zero and not stored. Windows of a convolution are loaded in im2col
mode. PTX ISA §5.5; CUDA driver API, `cuTensorMapEncodeTiled`, `cuTensorMapEncodeIm2col`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import islpy as isl
from xdsl.ir import BlockArgument, Operation, SSAValue

from ....analysis.index import affine
from ....analysis.regions.addresses import is_affine, stride
from ....analysis.regions.im2col import Im2col, im2col
from ....analysis.regions.tile_access import element_address, point_set
from ....dialects import nv, pto
from ....dialects.common.shapes import memref_of
from ....dialects.common.syntax import ints
from ....targets.architectures import TMA_AXES, TMA_BYTES
from ....targets.mma import element_bytes
from ..kernel.access import Access

STRIDE_LIMIT = 2**40
"""Exclusive upper bound of a stride, in bytes."""


Corners = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""The lower and upper corners and the steps of a map in im2col mode."""


@dataclass(frozen=True)
class Strided:
    """
    A memref as a strided array that begins at element `offset`. Its axes are `axes` of the index space, the contiguous one last;
    strides count elements.
    """

    memref: BlockArgument
    offset: int
    axes: tuple[int, ...]
    sizes: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def corners(self) -> Corners | None:
        return None


@dataclass(frozen=True)
class Im2colArray(Strided):
    """An array that is loaded in im2col mode: `axes` are those of the tile's rows and columns."""

    form: Im2col

    @property
    def corners(self) -> Corners:
        windows = self.form.windows
        return tuple(w.lower for w in windows), tuple(w.upper for w in windows), tuple(w.step for w in windows)


@dataclass(frozen=True)
class TensorMap:
    """A tensor map that the kernel takes as `argument`, and the array that the host encodes in it."""

    array: Strided
    type: nv.TensorMapType
    argument: BlockArgument
    tf32: bool = False


class TensorMaps(Access):
    """Adds tensor maps to the arguments of a kernel."""

    tensor_maps: list[TensorMap]

    def strided_array(self, access: pto.LoadMapOp | pto.StoreMapOp, rows: int, columns: int) -> Strided | None:
        """Returns the array of an access whose tiles lie along the axes `rows` and `columns`, or None if TMA cannot address it."""
        if access.where is not None or (isinstance(access, pto.LoadMapOp) and access.positions):
            return None
        memref = cast(BlockArgument, access.memref)
        return self.strided(memref, element_address(access), ints(access.bounds), rows, columns)

    def strided(
        self, memref: BlockArgument, address: isl.Aff, bounds: Sequence[int], rows: int, columns: int
    ) -> Strided | None:
        """Returns the array whose elements are at an address on the box `bounds`, or None if TMA cannot address it."""
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
        if bounds[rows] == 1:  # the stride is not used, but must be legal
            strides[-2] = TMA_BYTES
        offset = int(address.get_constant_val().to_python())
        fits = (
            len(axes) <= TMA_AXES
            and self.kernel.alignment(memref) % TMA_BYTES == 0
            and offset * size % TMA_BYTES == 0
            and all(s > 0 and s * size % TMA_BYTES == 0 and s * size < STRIDE_LIMIT for s in strides[:-1])
        )
        return Strided(memref, offset, axes, tuple(bounds[a] for a in axes), tuple(strides)) if fits else None

    def tensor_map(
        self, array: Strided, box: tuple[int, int], swizzle: str, hint: str, tf32: bool = False
    ) -> TensorMap:
        """Adds a tensor map for boxes of `box` rows and columns to the kernel's arguments, and returns it."""
        dtype = memref_of(array.memref).element_type
        type_ = nv.TensorMapType(
            (1,) * (len(array.axes) - 2) + box, dtype, swizzle
        )  # of an im2col map: pixels and channels
        argument = self.add_argument(type_, hint)
        self.tensor_maps.append(view := TensorMap(array, type_, argument, tf32))
        return view

    def im2col_array(self, load: pto.LoadMapOp, rows: int, columns: int, step: int) -> Im2colArray | None:
        """Returns the array of a load that im2col mode performs, or None. The columns of a tile are `step` channels."""
        memref, t = cast(BlockArgument, load.memref), memref_of(load.memref)
        shape, bounds, size = t.get_shape(), ints(load.bounds), element_bytes(t.element_type)
        where = None if load.where is None else point_set(load, load.where.source.data, len(bounds))
        if not shape or load.positions or shape[-1] * size % TMA_BYTES or self.kernel.alignment(memref) % TMA_BYTES:
            return None
        form = im2col(affine.read_map(load.map.source.data), shape, where, bounds, rows, columns, step)
        if form is None or form.first_channel * size % TMA_BYTES:
            return None
        sizes = (form.images, *(w.size for w in form.windows), form.channels)
        return Im2colArray(memref, 0, (rows, columns), sizes, tuple(affine.row_major_strides(sizes)), form)

    def im2col_coordinates(
        self, array: Im2colArray, offsets: Sequence[SSAValue], row: SSAValue, column: SSAValue
    ) -> tuple[list[SSAValue], list[SSAValue]]:
        """Returns the filter base and the filter offsets of the box that begins at `row` and `column` of the tile at `offsets`."""
        form, (rows, columns) = array.form, array.axes
        m, k = self.plus(offsets[rows], row, "pixel"), offsets[columns]
        base, filters = [self.quotient(m, form.pixels, "image")], list[SSAValue]()
        for window in form.windows:
            digit = self.remainder(self.quotient(m, window.row.unit), window.row.size)
            tap = self.remainder(self.quotient(k, window.tap.unit), window.tap.size)
            base.append(self.shifted(digit, window.step, window.lower, "base"))
            filters.append(self.shifted(tap, window.dilation, 0, "tap"))
        taps = any(window.tap.size > 1 for window in form.windows)
        channel = self.plus(self.remainder(k, form.run) if taps else k, column)
        for axis, factor in form.channel_of:
            channel = self.plus(channel, self.times(offsets[axis], factor))
        base.append(self.plus(channel, self.index(form.first_channel), "channel"))
        return base, filters

    def shifted(self, value: SSAValue, factor: int, constant: int, name: str) -> SSAValue:
        """Returns `value · factor + constant`."""
        scaled = self.index(0) if factor == 0 else self.times(value, factor)
        return self.plus(scaled, self.index(constant), name)

    def collect_arguments(self, scratch: Mapping[BlockArgument, Operation]) -> list[int | TensorMap | Operation]:
        """
        Returns the arguments to launch the kernel with, and erases unused ones, such as memrefs that only TMA accesses. Each is the
        number of an operand of the tile program's launch, a tensor map of such an operand, or the op that allocates a buffer.
        """
        made: dict[SSAValue, TensorMap | Operation] = {**{view.argument: view for view in self.tensor_maps}, **scratch}
        passed = [made.get(arg, arg.index) for arg in self.block.args if arg.uses]
        for arg in [a for a in self.block.args if not a.uses]:
            self.block.erase_arg(arg)
        return passed

    def box_coordinates(
        self, tensor_map: TensorMap, offsets: Sequence[SSAValue], row: SSAValue, column: SSAValue
    ) -> list[SSAValue]:
        """Returns the coordinates of the box that begins at `row` and `column` of the tile at `offsets`."""
        *others, rows, columns = tensor_map.array.axes
        return [
            *(offsets[axis] for axis in others),
            self.plus(offsets[rows], row, "box_row"),
            self.plus(offsets[columns], column, "box_column"),
        ]
