"""The spelling of types in the C++ of the PTO tile library: elements, tiles, and arrays in global memory."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    IndexType,
    IntegerType,
    Signedness,
    i1,
)
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from ...analysis.pto.legality import layout_of
from ...dialects import pto
from ...dialects.pto.storage import contiguous_axis, mask_bytes, stored_sizes
from ...errors import Unsupported
from ...targets.pto.machine import PtoMachine

DYNAMIC = -1
"""A size, stride or extent that is not known statically."""
FLOATS: dict[type[Attribute], tuple[str, str]] = {
    Float32Type: ("float", "f32"),
    Float16Type: ("half", "f16"),
    BFloat16Type: ("bfloat16_t", "bf16"),
    Float8E4M3FNType: ("float8_e4m3_t", "f8e4m3"),
    Float8E5M2Type: ("float8_e5m2_t", "f8e5m2"),
}
"""The C++ type of each float type, and its abbreviation in names."""
BOXES = {
    "ND": ("BLayout::RowMajor", "SLayout::NoneBox"),
    "DN": ("BLayout::ColMajor", "SLayout::NoneBox"),
    "Zz": ("BLayout::RowMajor", "SLayout::RowMajor"),
    "Zn": ("BLayout::RowMajor", "SLayout::ColMajor"),
    "Nz": ("BLayout::ColMajor", "SLayout::RowMajor"),
    "Nn": ("BLayout::ColMajor", "SLayout::ColMajor"),
}
"""The order of blocks and the order inside a block, by layout."""


def element_word(dtype: Attribute, op: Operation) -> tuple[str, str]:
    """Returns the C++ type of an element or scalar, and its abbreviation. Raises `Unsupported`."""
    if type(dtype) in FLOATS:
        return FLOATS[type(dtype)]
    if isinstance(dtype, IndexType):
        return "int64_t", "index"
    if isa(dtype, IntegerType) and dtype.width.data in (8, 16, 32, 64):
        sign = "u" * (dtype.signedness.data == Signedness.UNSIGNED)
        return f"{sign}int{dtype.width.data}_t", f"{sign}i{dtype.width.data}"
    if isa(dtype, IntegerType) and dtype.width.data == 1:
        return "uint8_t", "mask"
    raise Unsupported(op, what=f"{dtype} in the C++ of PTO", need="convert it to f32, f16, bf16 or an integer")


def stored_extents(tile: pto.TileType, extents: Sequence[int]) -> list[int]:
    """Returns the valid extents of a tile in storage. The lines of a mask, which are of bytes, are whole."""
    if tile.element_type != i1:
        return list(extents)
    axis = contiguous_axis(tile)
    return [mask_bytes(tile.sizes[axis]) if k == axis else extent for k, extent in enumerate(extents)]


def tile_word(tile: pto.TileType, extents: Sequence[int], machine: PtoMachine, op: Operation) -> tuple[str, str]:
    """Returns the C++ type of a tile with these valid extents in storage, and a name for it."""
    (rows, columns), (dtype, short) = stored_sizes(tile), element_word(tile.element_type, op)
    layout = layout_of(tile, machine)
    whole = list(extents) == [rows, columns]
    valid = "" if whole else f", {extents[0]}, {extents[1]}"
    name = f"{tile.loc}_{short}_{tile.sizes[0]}x{tile.sizes[1]}"
    if list(extents) != stored_extents(tile, tile.sizes):
        name += "_valid_" + "x".join("n" if e == DYNAMIC else str(e) for e in extents)
    if tile.loc in ("Left", "Right", "Acc"):
        return f"Tile{tile.loc}<{dtype}, {rows}, {columns}{valid}>", name
    where = {"Scale": "Scaling"}.get(tile.loc, tile.loc)
    if layout != machine.layout(tile.loc):
        name += f"_{layout}"
    if layout == "ND" and whole:
        return f"Tile<TileType::{where}, {dtype}, {rows}, {columns}>", name
    blocks, inside = BOXES[layout]
    box = f", {inside}, {machine.fractals.get(tile.loc, 512)}" * (layout not in ("ND", "DN"))
    e = f"{extents[0]}, {extents[1]}"
    return f"Tile<TileType::{where}, {dtype}, {rows}, {columns}, {blocks}, {e}{box}>", name
