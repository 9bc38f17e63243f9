"""Views of arrays, and loads and stores of tiles. Spec: `pto-ir.md §4.2`, `§4.3`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, IndexType, NoneAttr, StridedLayoutAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure

from ...errors import DtypeMismatch, UnsupportedType
from ..common.checks import check_attribute, check_count, check_shape, check_value
from ..common.ops import DialectOp
from ..common.syntax import Keyword, axes_attr
from .asynchronous import EVENT, WAITS, InstructionOp
from .indices import Index, Indices, Placed, checked, joined, split
from .syntax import Bare, Waits
from .types import AnyTile, EventType, MemRefType, TileType, tile_type
from .words import LayoutAttr, LocAttr

AnyMemRef = base(MemRefType)


def memref_type(value: SSAValue) -> MemRefType:
    if not isinstance(value.type, MemRefType):
        raise UnsupportedType(what="a value", got=value.type, want="expected a pto.memref")
    return value.type


@irdl_op_definition
class SubviewOp(DialectOp):
    """
    Returns a view of a part of an array: its offsets, sizes and strides along each axis, in elements of the array. Nothing is copied.

    ```mlir
    %sv = pto.memref.subview %x[%i, 0] [32, 32] [1, 1]
        : pto.memref<1024x1024xf32> to pto.memref<32x32xf32, strided<[1024, 1], offset: ?>>
    ```
    """

    name = "pto.memref.subview"
    source = operand_def(AnyMemRef)
    offsets = var_operand_def(IndexType)
    sizes = var_operand_def(IndexType)
    strides = var_operand_def(IndexType)
    static_offsets = prop_def(DenseArrayBase.constr(i64))
    static_sizes = prop_def(DenseArrayBase.constr(i64))
    static_strides = prop_def(DenseArrayBase.constr(i64))
    result = result_def(AnyMemRef)
    traits = traits_def(Pure())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    custom_directives = (Bare, Indices)
    assembly_format = (
        "$source `` custom<Indices>($offsets, $static_offsets) custom<Indices>($sizes, $static_sizes) "
        "custom<Indices>($strides, $static_strides) attr-dict `:` custom<Bare>(type($source)) `to` custom<Bare>(type($result))"
    )

    def __init__(
        self,
        source: SSAValue,
        offsets: Sequence[Index],
        sizes: Sequence[Index],
        strides: Sequence[Index],
        result: MemRefType,
    ):
        (so, o), (ss, s), (st, t) = map(split, (offsets, sizes, strides))
        super().__init__([source, o, s, t], [result], static_offsets=so, static_sizes=ss, static_strides=st)

    @property
    def parts(self) -> tuple[list[Index], list[Index], list[Index]]:
        """The offsets, sizes and strides."""
        return (
            checked(self, "offsets", self.static_offsets, self.offsets),
            checked(self, "sizes", self.static_sizes, self.sizes),
            checked(self, "strides", self.static_strides, self.strides),
        )

    def verify_(self) -> None:
        source, result = memref_type(self.source), memref_type(self.result)
        rank = len(source.sizes)
        offsets, sizes, strides = self.parts
        for name, indices, least in (("offsets", offsets, 0), ("sizes", sizes, 1), ("strides", strides, 1)):
            check_count(self, len(indices) == rank, f"'{name}'", f"one index for each axis ({rank})", len(indices))
            for i in indices:
                known = isinstance(i, int)
                check_value(self, not known or i >= least, name, i, f"an index is at least {least}")
        for axis, (offset, size, stride, whole) in enumerate(zip(offsets, sizes, strides, source.sizes, strict=True)):
            if isinstance(offset, int) and isinstance(size, int) and isinstance(stride, int) and whole != -1:
                last = offset + (size - 1) * stride
                help = f"axis {axis} of {source} has {whole} elements, and the view ends at element {last}"
                check_value(self, last < whole, "sizes", list(sizes), help)
        if source.element_type != result.element_type:
            raise DtypeMismatch(self, what="the view", got=result.element_type, want=source.element_type)
        want = self.view_type()
        fits = (
            result.sizes == want.sizes
            and result.space in (NoneAttr(), want.space)
            and all(
                r is None or r == w
                for r, w in zip((*result.strides, result.offset), (*want.strides, want.offset), strict=True)
            )
        )
        check_shape(self, fits, "the view", result, str(want))

    def view_type(self) -> MemRefType:
        """Returns the type of the view; what is not known statically is `?`."""
        source = memref_type(self.source)
        offsets, sizes, strides = self.parts
        steps = [
            s * t if isinstance(s, int) and t is not None else None
            for s, t in zip(strides, source.strides, strict=True)
        ]
        start = source.offset
        for o, t in zip(offsets, source.strides, strict=True):
            start = start + o * t if start is not None and isinstance(o, int) and t is not None else None
        shape = [s if isinstance(s, int) else -1 for s in sizes]
        space = None if isinstance(source.space, NoneAttr) else source.space
        return MemRefType(shape, source.element_type, StridedLayoutAttr(steps, start), space)


class TransferOp(InstructionOp):
    """Base of copies between a tile and the elements of a memref from `offsets` on; both have the same rank and element type."""

    memref = operand_def(AnyMemRef)
    offsets = var_operand_def(IndexType)
    static_offsets = prop_def(DenseArrayBase.constr(i64))
    loc = opt_prop_def(LocAttr)
    layout = opt_prop_def(LayoutAttr)
    custom_directives = (Bare, Indices, Keyword, Placed, Waits)

    def verify_transfer(self, tile: TileType, dtype: Attribute | None = None) -> None:
        """Checks a copy between `tile` and the memref, which has elements of `dtype`, or else those of the tile."""
        super().verify_()
        memref = memref_type(self.memref)
        for name, attribute, words in (("space", memref.space, ("gm",)), ("layout", memref.layout, ("ND", "DN"))):
            legal = isinstance(attribute, NoneAttr) or attribute.word in words
            check_attribute(
                self,
                legal,
                name,
                f"of the array is {attribute}",
                f"loads and stores access arrays in {' or '.join(words)}",
            )
        offsets = checked(self, "offsets", self.static_offsets, self.offsets)
        rank = len(memref.sizes)
        check_count(self, len(offsets) == rank, "'offsets'", f"one index for each axis ({rank})", len(offsets))
        check_shape(self, len(tile.sizes) == rank, "the tile", tile, f"a tile of rank {rank}, like {memref}")
        counts = tile.sizes if self.static_valid is None else joined(self.static_valid, self.valid)
        for axis, (offset, count, size) in enumerate(zip(offsets, counts, memref.sizes, strict=True)):
            if isinstance(offset, int) and isinstance(count, int) and -1 not in (count, size):
                help = f"axis {axis} of {memref} has {size} elements, and {count} are copied; 'valid' says how many"
                check_value(self, 0 <= offset <= size - count, "offsets", offset, help)
        if memref.element_type != (dtype or tile.element_type):
            raise DtypeMismatch(self, what="the tile", got=tile.element_type, want=memref.element_type)
        for name, attribute, own in (("loc", self.loc, tile.loc), ("layout", self.layout, tile.layout)):
            agree = attribute is None or isinstance(tile.info, NoneAttr) or attribute.word == own
            check_attribute(self, agree, name, f"is {attribute}, but the tile is {tile}", "write one of the two")


@irdl_op_definition
class LoadOp(TransferOp):
    """
    TLOAD: loads a tile. With `valid`, only so many elements along each axis are read, and the others are unspecified.

    ```mlir
    %t0, %e0 = pto.tile.load %x[%c0, %c0] : pto.memref<32x32xf32>, tile<32x32xf32>, !pto.event<producer = #pto.op<TLOAD>>
    %t1 = pto.tile.load %x[%c0, 0] wait(%e0) {loc = #pto.loc<Vec>, valid = [%c1, 32]} : pto.memref<32x32xf32>, tile<32x32xf32>
    ```
    """

    name = "pto.tile.load"
    result = result_def(AnyTile)
    traits = traits_def(MemoryReadEffect())
    assembly_format = (
        "$memref `` custom<Indices>($offsets, $static_offsets) custom<Waits>($waits, type($waits)) "
        "custom<Placed>($valid, $static_valid, $loc, $layout) attr-dict "
        f"`:` custom<Bare>(type($memref)) `,` custom<Bare>(type($result)) {EVENT}"
    )

    def __init__(
        self,
        memref: SSAValue,
        offsets: Sequence[Index],
        tile: TileType,
        *,
        valid: Sequence[Index] = (),
        waits: Sequence[SSAValue] = (),
        event: EventType | None = None,
    ):
        static, values = split(offsets)
        super().__init__(
            [memref, values], [tile], valid=valid, waits=waits, event=event, static_offsets=axes_attr(static)
        )

    def verify_(self) -> None:
        self.verify_transfer(tile_type(self.result))


@irdl_op_definition
class StoreOp(TransferOp):
    """
    TSTORE: stores the valid elements of a tile.

    ```mlir
    pto.tile.store %t1, %sv[%c0, %c0] : pto.memref<32x32xf32, strided<[1024, 1], offset: ?>>, tile<32x32xf32>
    ```
    """

    name = "pto.tile.store"
    tile = operand_def(AnyTile)
    traits = traits_def(MemoryWriteEffect())
    assembly_format = (
        "$tile `,` $memref `` custom<Indices>($offsets, $static_offsets) custom<Waits>($waits, type($waits)) "
        "custom<Placed>($valid, $static_valid, $loc, $layout) attr-dict "
        f"`:` custom<Bare>(type($memref)) `,` custom<Bare>(type($tile)) {EVENT}"
    )

    def __init__(
        self,
        tile: SSAValue,
        memref: SSAValue,
        offsets: Sequence[Index],
        *,
        valid: Sequence[Index] = (),
        waits: Sequence[SSAValue] = (),
        event: EventType | None = None,
    ):
        static, values = split(offsets)
        super().__init__(
            [tile, memref, values], [], valid=valid, waits=waits, event=event, static_offsets=axes_attr(static)
        )

    @property
    def opcode(self) -> str:
        return "TSTORE_ACC" if tile_type(self.tile).loc == "Acc" else "TSTORE_VEC"

    def verify_(self) -> None:
        self.verify_transfer(tile_type(self.tile))


@irdl_op_definition
class PrefetchOp(InstructionOp):
    """
    TPREFETCH: hints that an array or a view will be loaded soon. It has no effect on values.

    ```mlir
    pto.tile.prefetch %sv : pto.memref<32x32xf32, strided<[1024, 1], offset: ?>>
    ```
    """

    name = "pto.tile.prefetch"
    memref = operand_def(AnyMemRef)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = f"$memref {WAITS} attr-dict `:` custom<Bare>(type($memref)) {EVENT}"

    def __init__(self, memref: SSAValue):
        super().__init__([memref], [])
