"""
The rules of a target for tile programs: memories, alignment, blocks, layouts, products, sizes of matmuls and loads, and ops.

A tile is reported where it is defined. Spec: `pto-ir.md §7` (target legality).
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import IntegerType, NoneAttr, Signedness, i1
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects import pto
from ...dialects.common.syntax import ints
from ...dialects.pto.indices import joined, known
from ...dialects.pto.matmul import ProductOp
from ...dialects.pto.storage import element_bytes, tile_bytes
from ...dialects.pto.transfers import TransferOp
from ...errors import InvalidAttributeValue, PtirError
from ...targets.pto import PIPE_OF
from ...targets.pto.machine import ROWS_ALIGNMENT, PtoMachine
from .accesses import Range
from .errors import (
    AddressMisaligned,
    BeyondMemory,
    ComparesEquality,
    IllegalElementType,
    IllegalLayout,
    IllegalProduct,
    IllegalTransfer,
    LoadTooTall,
    MatmulTooLarge,
    MixedExtents,
    NoSuchInstruction,
    PlaceNotInferred,
    ReadsLate,
    TileMisaligned,
    TileTooLarge,
    UnsizedTile,
)
from .extents import Extents, static
from .lifetimes import reads_late

_SIGNED = {IntegerType(width, Signedness.SIGNED): f"i{width}" for width in (4, 8, 16, 32, 64)}
_UNSIGNED = {IntegerType(width, Signedness.UNSIGNED): f"i{width}" for width in (8, 16, 32)}
OTHER_ORDER = {"ND": "DN", "DN": "ND", "Nz": "Zn", "Zn": "Nz"}
"""The layout of the transpose of an array, whose other axis is contiguous."""


def dtype_name(dtype: Attribute) -> str:
    """Returns the name of an element type in the tables of targets, in which integers have no sign."""
    return _SIGNED.get(dtype) or str(dtype)  # pyright: ignore[reportArgumentType, reportCallIssue]


def layout_of(tile: pto.TileType, machine: PtoMachine) -> str:
    """Returns the layout of a tile, by default that of its location."""
    if isinstance(tile.info, pto.TileInfoAttr) and isinstance(tile.info.layout, pto.LayoutAttr):
        return tile.info.layout.word
    return machine.layout(tile.loc)


def violations(op: Operation, machine: PtoMachine, extents: Extents) -> Iterator[PtirError]:
    """Yields an error for each rule of the target that an op, or a tile that it defines, breaks. `extents` are those of the module's tiles."""
    if (help := machine.lacks.get(op.name)) is not None:
        yield NoSuchInstruction(op, name=op.name, target=machine.name, help=help)
        return
    if isinstance(op, pto.AssignOp):
        yield from address_violations(op, machine)
        return
    for tile in dict.fromkeys(v.type for v in defined(op) if isinstance(v.type, pto.TileType)):
        yield from tile_violations(op, tile, machine)
    if not isinstance(op, pto.InstructionOp):
        return
    if machine.has_pipes and PIPE_OF.get(op.opcode) == "V":
        yield from mixed_extents(op, extents)
    if machine.has_pipes and reads_late(op):
        yield from alias_violations(op)
    if isinstance(op, ProductOp | pto.MatmulMxOp):
        yield from product_violations(op, machine)
    tiles = [v.type for v in (*op.inputs, *op.results) if isinstance(v.type, pto.TileType)]
    tile = next((t for t in tiles if t.element_type != i1), tiles[0] if tiles else None)
    if tile is not None and not machine.takes(op.opcode, dtype_name(dtype := tile.element_type)):
        names = ", ".join(sorted(machine.element_types[op.opcode]))
        yield IllegalElementType(op, type=tile, target=machine.name, what=f"'{op.name}'", dtype=dtype, legal=names)
    mode = op.mode.word if isinstance(op, pto.CmpOp | pto.CmpsOp) else "EQ"
    if mode != "EQ" and tile is not None and dtype_name(tile.element_type) in machine.equality:
        yield ComparesEquality(op, type=tile, target=machine.name, dtype=tile.element_type, mode=mode)
    if op.static_valid is not None:  # the verifier checks the numbers, and this the constants
        tile = next(pto.tile_type(v) for v in (*op.results, *op.operands) if isinstance(v.type, pto.TileType))
        for v, size in zip(map(known, joined(op.static_valid, op.valid)), tile.sizes, strict=True):
            if v is not None and (v < 1 or -1 != size < v):
                help = f"it is at least 1 and at most the size of {tile}"
                yield InvalidAttributeValue(op, name="valid", problem=f"is {v}", help=help)
    if isinstance(op, TransferOp) and machine.has_pipes:
        yield from transfer_violations(op, machine)
    if isinstance(op, pto.LoadOp):
        tile = pto.tile_type(op.result)
        rows = ints(op.static_valid)[0] if op.static_valid is not None else tile.sizes[0]
        limit = machine.load_rows.get(tile.loc)
        if limit is not None and rows > limit:
            yield LoadTooTall(op, rows=rows, location=tile.loc, target=machine.name, limit=limit)


def defined(op: Operation) -> list[SSAValue]:
    """Returns the values of an op at which tiles are reported: its results and, of a function, its arguments."""
    arguments = [a for region in op.regions for block in region.blocks for a in block.args]
    carried = op.name.startswith("scf.")
    return [*([] if carried else op.results), *([] if carried else arguments)]


def tile_violations(op: Operation, tile: pto.TileType, machine: PtoMachine) -> Iterator[PtirError]:
    """Yields what is wrong with a tile's type."""
    target, location, dtype = machine.name, tile.loc, tile.element_type
    if machine.has_pipes and (len(tile.sizes) != 2 or -1 in tile.sizes):
        yield UnsizedTile(op, type=tile, target=target)
        return
    if location in machine.memories:
        limit, size = machine.memories[location], tile_bytes(tile)
        if size > limit:
            yield TileTooLarge(op, type=tile, bytes=size, location=location, target=target, limit=limit)
    if not machine.has_pipes:
        return
    legal = machine.vector_types
    if location == "Vec" and legal is not None and dtype_name(dtype) not in legal and dtype not in _UNSIGNED:
        names = ", ".join(sorted(legal))
        yield IllegalElementType(op, type=tile, target=target, what="vector tile", dtype=dtype, legal=names)
    layout, layouts = layout_of(tile, machine), machine.layouts.get(location, ())
    if layout not in layouts:
        yield IllegalLayout(
            op, type=tile, layout=layout, target=target, legal=", ".join(layouts) or "none", location=location
        )
        return
    if dtype == i1:  # predicates are padded in storage
        return
    rows, columns = machine.block(location, layout, element_bytes(dtype))
    if tile.sizes[0] % rows or tile.sizes[1] % columns:
        yield TileMisaligned(op, type=tile, layout=layout, rows=rows, columns=columns, target=target)


def mixed_extents(op: pto.InstructionOp, extents: Extents, *, as_read: bool = False) -> Iterator[PtirError]:
    """
    Yields an error for each axis along which some tiles of equal size have a static valid extent and others a dynamic one. With `as_read`, the
    extents of an operand are those of the part that the op reads. The rows of a transposition are the columns of its result.
    """
    tiles = [
        (v.type.sizes, extents.read(op, v) if as_read else extents.of(v))
        for v in op.operands
        if isinstance(v.type, pto.TileType)
    ]
    turn = -1 if isinstance(op, pto.TransOp) else 1
    tiles += [(r.type.sizes[::turn], extents.of(r)[::turn]) for r in op.results if isinstance(r.type, pto.TileType)]
    for axis, word in enumerate(("rows", "columns")):
        found: dict[int, list[int | None]] = {}
        for sizes, extent in tiles:
            if len(sizes) == 2:
                found.setdefault(sizes[axis], []).append(static(sizes[axis], extent[axis]))
        for seen in found.values():
            if None in seen and (number := next((e for e in seen if e is not None), None)) is not None:
                yield MixedExtents(op, name=op.name, axis=word, static=number)


def product_violations(op: ProductOp | pto.MatmulMxOp, machine: PtoMachine) -> Iterator[PtirError]:
    """Yields what is wrong with a matmul: its element types, and its sizes."""
    acc, a, b = (pto.tile_type(v) for v in (op.results[0], op.a, op.b))
    names = tuple(dtype_name(t.element_type) for t in (acc, a, b))
    if machine.products is not None and names not in machine.products:
        same = sorted(f"{x} x {y}" for c, x, y in machine.products if c == names[0])
        yield IllegalProduct(
            op, target=machine.name, a=names[1], b=names[2], acc=names[0], legal=", ".join(same) or "none"
        )
    if machine.matmul_sizes is not None:
        least, most = machine.matmul_sizes
        for axis, size in zip("mkn", (*a.sizes, b.sizes[1]), strict=True):
            if not least <= size <= most:
                yield MatmulTooLarge(op, axis=axis, size=size, target=machine.name, least=least, most=most)


def transfer_violations(op: TransferOp, machine: PtoMachine) -> Iterator[PtirError]:
    """
    Yields what is wrong with the location of the tile that a load or store copies, and with its order: the elements that are contiguous in the
    tile, or in its blocks, are contiguous in the array as well. A row or column may be stored across.
    """
    loads, target = isinstance(op, pto.LoadOp), machine.name
    tile = pto.tile_type(op.results[0] if loads else op.inputs[0])
    written = next(((n, a) for n, a in (("loc", op.loc), ("layout", op.layout)) if a is not None), None)
    if written is not None and isinstance(tile.info, NoneAttr):
        yield PlaceNotInferred(op, name=written[0], attribute=written[1])
        return
    verb, legal = ("load", tuple(machine.load_rows)) if loads else ("store", machine.stores)
    if tile.loc not in legal:
        help = f"it {verb}s only tiles in {', '.join(legal)}; pto.tile.mov moves tiles between memories"
        yield IllegalTransfer(op, target=target, verb=verb, type=tile, why="", help=help)
    layout, strides = layout_of(tile, machine), pto.memref_type(op.memref).strides
    axis = 0 if layout in ("DN", "Zn") else 1
    if len(strides) == 2 and strides[axis] not in (1, None) and (loads or 1 not in tile.sizes):
        why = f" in layout {layout}, as adjacent {('rows', 'columns')[axis]} of the array are {strides[axis]:,} elements apart"
        other = OTHER_ORDER.get(layout)
        turns = strides[1 - axis] == 1 and other in machine.layouts.get(tile.loc, ())
        help = (
            f"give the tile layout {other}"
            if turns
            else "copy the array first, so that the elements of an axis are contiguous"
        )
        yield IllegalTransfer(op, target=target, verb=verb, type=tile, why=why, help=help)


def place_of(value: SSAValue) -> Range | None:
    """Returns the bytes of a tile, if it has an address that is a number."""
    assigned = [value.owner, *(use.operation for use in value.uses)]
    op = next((each for each in assigned if isinstance(each, pto.AssignOp)), None)
    tile = pto.tile_type(value)
    return Range(tile.loc, op.place, tile_bytes(tile)) if op is not None and isinstance(op.place, int) else None


def alias_violations(op: pto.InstructionOp) -> Iterator[PtirError]:
    """Yields an error for each operand that shares memory with the result of an op that reads it late. An insertion may be in place."""
    result = op.results[0]
    if (written := place_of(result)) is None:
        return
    for operand in op.operands:
        if not isinstance(operand.type, pto.TileType) or (place := place_of(operand)) is None:
            continue
        if isinstance(op, pto.InsertOp) and operand is op.into and place == written:
            continue
        if place.overlaps(written):
            address = max(place.start, written.start)
            yield ReadsLate(
                op, name=op.name, operand=operand.type, result=result.type, address=address, location=place.loc
            )


def address_violations(op: pto.AssignOp, machine: PtoMachine) -> Iterator[PtirError]:
    """Yields an error if a tile at an address ends beyond its memory, or if the address is not aligned."""
    tile, address = pto.tile_type(op.tile), op.place
    limit = machine.memories.get(tile.loc)
    if limit is None or not isinstance(address, int):
        return
    if address % ROWS_ALIGNMENT:
        yield AddressMisaligned(op, address=address, multiple=ROWS_ALIGNMENT)
    if (end := address + tile_bytes(tile)) > limit:
        yield BeyondMemory(op, type=tile, address=address, end=end, location=tile.loc, target=machine.name, limit=limit)
