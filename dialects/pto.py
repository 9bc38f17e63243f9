"""
The `pto` dialect: the tile program of one kernel, target-neutral.

Tiles are SSA values. `pto.tiles` says which tiles of the output a block owns, a `pto.process` feeds a
`pto.channel` with tiles that the rest of the body consumes; the two run side by side and only the channel's
depth bounds how far one may run ahead. nv lowers a channel to cp.async groups or an mbarrier ring.

A load carries its access map and its guard: the element of the tile at space point `p` is
`memref[map(p)]` where `p` lies in the box `bounds`, and zero elsewhere. The two axes `dims` of the space are
the tile's rows and columns; the offsets place the tile in the space.

```mlir
pto.kernel @k(%x: memref<70x40xbf16> align 16, %w: memref<40x20xbf16> align 16) -> (%y: memref<70x20xf32> align 16 gmem) plan … {
  pto.tiles (%m, %n) in [70, 20] step [64, 32] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x32xbf16, Mat>, !pto.tile<32x32xbf16, Mat>]>
    pto.process { scf.for %k = … { pto.channel.acquire %ring … pto.channel.commit %ring, %a, %b … } }
    …
    pto.tile.store %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [70, 20] dims [0, 1] : …
  }
}
```

Spec: `pto-ir.md` §2-§6; channels, tiles and access maps are DESIGN §4's additions.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    IndexType,
    IntAttr,
    IntegerAttr,
    MemRefType,
    StringAttr,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Dialect, ParametrizedAttribute, Region, SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    base,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, NoTerminator, Pure, SymbolOpInterface

from ..errors import (
    DtypeMismatch,
    InvalidAttributeValue,
    OperandCountMismatch,
    ShapeMismatch,
    VerifyError,
)
from .kernel import KernelOp
from .poly import MapAttr
from .shapes import is_float, is_predicate, memref_of, spell
from .syntax import Axes, Keyword, axes_attr, ints, parse_ints

LOCATIONS = ("Vec", "Mat", "Left", "Right", "Acc")
LAYOUTS = ("ND", "DN")


@irdl_attr_definition
class TileType(ParametrizedAttribute, TypeAttribute):
    """
    A rectangular tile: `!pto.tile<64x32xbf16, Mat, DN>`. The location defaults to Vec, the layout to ND
    (row-major; DN is column-major). The layout is storage only: element (i, j) means the same in both.
    """

    name = "pto.tile"
    shape: ArrayAttr[IntAttr]
    element_type: Attribute
    loc: StringAttr
    layout: StringAttr

    def __init__(
        self,
        shape: Sequence[int] | ArrayAttr[IntAttr],
        element_type: Attribute,
        loc: str | StringAttr = "Vec",
        layout: str | StringAttr = "ND",
    ):
        super().__init__(
            shape if isinstance(shape, ArrayAttr) else ArrayAttr([IntAttr(s) for s in shape]),
            element_type,
            StringAttr(loc) if isinstance(loc, str) else loc,
            StringAttr(layout) if isinstance(layout, str) else layout,
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(s.data for s in self.shape)

    def at(self, loc: str) -> TileType:
        """The same tile in another place, row-major."""
        return TileType(self.shape, self.element_type, loc)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            sizes, dtype = parser.parse_ranked_shape()
            loc = parser.parse_identifier() if parser.parse_optional_punctuation(",") else "Vec"
            layout = parser.parse_identifier() if parser.parse_optional_punctuation(",") else "ND"
        return ArrayAttr([IntAttr(s) for s in sizes]), dtype, StringAttr(loc), StringAttr(layout)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("x".join(str(s) for s in self.sizes) + "x")
            printer.print_attribute(self.element_type)
            if self.loc.data != "Vec" or self.layout.data != "ND":
                printer.print_string(f", {self.loc.data}")
            if self.layout.data != "ND":
                printer.print_string(f", {self.layout.data}")

    def verify(self) -> None:
        for word, words in ((self.loc.data, LOCATIONS), (self.layout.data, LAYOUTS)):
            if word not in words:
                raise InvalidAttributeValue(name="tile", problem=f"has '{word}'", help=f"one of {', '.join(words)}")
        if not self.sizes or min(self.sizes) < 1:
            raise InvalidAttributeValue(name="tile", problem=f"has shape {spell(self.sizes)}", help="sizes start at 1")


@irdl_attr_definition
class ChannelType(ParametrizedAttribute, TypeAttribute):
    """A queue of at most `depth` tuples of tiles: `!pto.channel<3, [!pto.tile<…>, !pto.tile<…>]>`."""

    name = "pto.channel"
    depth: IntAttr
    tiles: ArrayAttr[TileType]

    def __init__(self, depth: int | IntAttr, tiles: Sequence[TileType] | ArrayAttr[TileType]):
        super().__init__(
            depth if isinstance(depth, IntAttr) else IntAttr(depth),
            tiles if isinstance(tiles, ArrayAttr) else ArrayAttr(list(tiles)),
        )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            depth = parser.parse_integer(allow_negative=False)
            parser.parse_punctuation(",")
            tiles = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_type)
        return IntAttr(depth), ArrayAttr(tiles)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{self.depth.data}, ")
            with printer.in_square_brackets():
                printer.print_list(self.tiles, printer.print_attribute)

    def verify(self) -> None:
        if self.depth.data < 2:
            raise InvalidAttributeValue(
                name="depth", problem=f"is {self.depth.data}", help="a ring has at least 2 slots"
            )


AnyTile = base(TileType)
SameTile = VarConstraint("T", AnyTile)


def tile_type(value: SSAValue) -> TileType:
    if not isinstance(value.type, TileType):
        raise VerifyError(message=f"expected a tile, got {value.type}")
    return value.type


@irdl_op_definition
class PtoKernelOp(KernelOp):
    """A kernel whose body is one `pto.tiles`."""

    name = "pto.kernel"
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface(), NoTerminator())

    def verify_(self) -> None:
        super().verify_()
        if not isinstance(self.body.block.first_op, TilesOp) or self.body.block.first_op is not self.body.block.last_op:
            raise VerifyError(self, message="the body of a pto.kernel is one pto.tiles")


@irdl_op_definition
class TilesOp(IRDLOperation):
    """
    Runs its body once for each tile of the box `sizes` cut by `steps`; the block arguments are the tile's
    offsets. Bodies are independent: each is one block of the grid.
    """

    name = "pto.tiles"
    sizes = prop_def(DenseArrayBase.constr(i64))
    steps = prop_def(DenseArrayBase.constr(i64))
    body = region_def("single_block")
    traits = traits_def(NoTerminator())

    def __init__(self, sizes: Sequence[int], steps: Sequence[int], body: Region | Block):
        super().__init__(
            properties={"sizes": axes_attr(sizes), "steps": axes_attr(steps)},
            regions=[Region(body) if isinstance(body, Block) else body],
        )

    @property
    def counts(self) -> tuple[int, ...]:
        """How many tiles along each axis."""
        return tuple(-(-size // step) for size, step in zip(ints(self.sizes), ints(self.steps), strict=True))

    @classmethod
    def parse(cls, parser: Parser) -> TilesOp:
        def index() -> Parser.Argument:
            return parser.parse_argument(expect_type=False).resolve(IndexType())

        args = parser.parse_comma_separated_list(parser.Delimiter.PAREN, index)
        parser.parse_keyword("in")
        sizes = parse_ints(parser)
        parser.parse_keyword("step")
        steps = parse_ints(parser)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        op = cls(sizes, steps, parser.parse_region(args))
        if attributes is not None:
            op.attributes = dict(attributes.data)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(self.body.block.args, lambda a: printer.print_block_argument(a, print_type=False))
        printer.print_string(f" in {spell(ints(self.sizes))} step {spell(ints(self.steps))}")
        if self.attributes:
            printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)

    def verify_(self) -> None:
        rank = len(self.body.block.args)
        for what, numbers in (("in", self.sizes), ("step", self.steps)):
            if len(numbers) != rank:
                raise OperandCountMismatch(
                    self, what=f"'{what}'", want=f"{rank} numbers, one an argument,", got=len(numbers)
                )
        if any(n < 1 for n in (*ints(self.sizes), *ints(self.steps))):
            raise InvalidAttributeValue(
                self, name="in/step", problem="has an entry below 1", help="sizes and steps start at 1"
            )


# --- channels -----------------------------------------------------------------------------------------


@irdl_op_definition
class ChannelOp(IRDLOperation):
    """A new, empty channel of this block."""

    name = "pto.channel"
    result = result_def(base(ChannelType))
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, channel: ChannelType):
        super().__init__(result_types=[channel])


@irdl_op_definition
class ProcessOp(IRDLOperation):
    """A producer: runs beside the rest of the block and meets it in channels only."""

    name = "pto.process"
    body = region_def("single_block")
    traits = traits_def(NoTerminator())
    assembly_format = "attr-dict-with-keyword $body"

    def __init__(self, body: Region | Block):
        super().__init__(regions=[Region(body) if isinstance(body, Block) else body])


class ChannelUserOp(IRDLOperation, abc.ABC):
    channel = operand_def(base(ChannelType))

    def require_tiles(self, values: Sequence[SSAValue]) -> None:
        channel = self.channel.type
        want = list(channel.tiles) if isinstance(channel, ChannelType) else []
        if [v.type for v in values] != want:
            raise VerifyError(self, message=f"the tiles do not fit {channel}")


@irdl_op_definition
class AcquireOp(ChannelUserOp):
    """Waits until a slot of the ring is free and takes it."""

    name = "pto.channel.acquire"
    assembly_format = "$channel attr-dict `:` type($channel)"

    def __init__(self, channel: SSAValue):
        super().__init__(operands=[channel])


@irdl_op_definition
class CommitOp(ChannelUserOp):
    """Publishes tiles in the slot that the last acquire took."""

    name = "pto.channel.commit"
    tiles = var_operand_def(AnyTile)
    assembly_format = "$channel `,` $tiles attr-dict `:` type($channel) `,` type($tiles)"

    def __init__(self, channel: SSAValue, tiles: Sequence[SSAValue]):
        super().__init__(operands=[list(tiles), channel])

    def verify_(self) -> None:
        self.require_tiles(self.tiles)
        for tile in self.tiles:
            if not isinstance(tile.owner, LoadOp) or not tile.has_one_use():
                raise VerifyError(
                    self,
                    message="a committed tile must be a load that only this commit uses: it goes straight into the slot",
                )


@irdl_op_definition
class WaitOp(ChannelUserOp):
    """Waits for the oldest committed tiles; they stay valid until the release."""

    name = "pto.channel.wait"
    tiles = var_result_def(AnyTile)
    assembly_format = "$channel attr-dict `:` type($channel) `->` type($tiles)"

    def __init__(self, channel: SSAValue):
        t = channel.type
        super().__init__(operands=[channel], result_types=[list(t.tiles) if isinstance(t, ChannelType) else []])

    def verify_(self) -> None:
        self.require_tiles(self.tiles)


@irdl_op_definition
class ReleaseOp(ChannelUserOp):
    """Gives the slot of the oldest wait back to the producer."""

    name = "pto.channel.release"
    assembly_format = "$channel attr-dict `:` type($channel)"

    def __init__(self, channel: SSAValue):
        super().__init__(operands=[channel])


# --- memory -------------------------------------------------------------------------------------------


class AccessOp(IRDLOperation, abc.ABC):
    """A tile's worth of a memref: offsets into an index space, a map to the memref, a guard box."""

    memref = operand_def(base(MemRefType))
    offsets = var_operand_def(IndexType)
    map = prop_def(MapAttr)
    bounds = prop_def(DenseArrayBase.constr(i64))
    dims = prop_def(DenseArrayBase.constr(i64))

    def verify_access(self, tile: TileType) -> None:
        rank = len(self.offsets)
        if len(self.bounds) != rank:
            raise OperandCountMismatch(self, what="'in'", want=f"{rank} sizes, one an offset,", got=len(self.bounds))
        dims = ints(self.dims)
        if len(dims) != len(tile.sizes) or len(set(dims)) != len(dims) or not all(0 <= d < rank for d in dims):
            raise InvalidAttributeValue(
                self,
                name="dims",
                problem=f"is {list(dims)}",
                help=f"name the {len(tile.sizes)} axes of the space that the tile covers",
            )
        t = memref_of(self.memref)
        if t.element_type != tile.element_type:
            raise DtypeMismatch(self, what="the tile", got=tile.element_type, want=t.element_type)


@irdl_op_definition
class LoadOp(AccessOp):
    """TLOAD: the tile at `offsets`, zero outside of the box."""

    name = "pto.tile.load"
    result = result_def(AnyTile)
    traits = traits_def(Pure())
    custom_directives = (Axes,)
    assembly_format = (
        "$memref `[` $offsets `]` `by` $map `in` custom<Axes>($bounds) `dims` custom<Axes>($dims) attr-dict "
        "`:` type($memref) `->` type($result)"
    )

    def __init__(
        self,
        memref: SSAValue,
        offsets: Sequence[SSAValue],
        map: str,
        bounds: Sequence[int],
        dims: Sequence[int],
        tile: TileType,
    ):
        super().__init__(
            operands=[memref, list(offsets)],
            properties={"map": MapAttr(map), "bounds": axes_attr(bounds), "dims": axes_attr(dims)},
            result_types=[tile],
        )

    def verify_(self) -> None:
        self.verify_access(tile_type(self.result))


@irdl_op_definition
class StoreOp(AccessOp):
    """TSTORE: writes the elements of the tile that lie in the box."""

    name = "pto.tile.store"
    tile = operand_def(AnyTile)
    traits = traits_def()
    custom_directives = (Axes,)
    assembly_format = (
        "$tile `,` $memref `[` $offsets `]` `by` $map `in` custom<Axes>($bounds) `dims` custom<Axes>($dims) attr-dict "
        "`:` type($tile) `,` type($memref)"
    )

    def __init__(
        self,
        tile: SSAValue,
        memref: SSAValue,
        offsets: Sequence[SSAValue],
        map: str,
        bounds: Sequence[int],
        dims: Sequence[int],
    ):
        super().__init__(
            operands=[tile, memref, list(offsets)],
            properties={"map": MapAttr(map), "bounds": axes_attr(bounds), "dims": axes_attr(dims)},
        )

    def verify_(self) -> None:
        self.verify_access(tile_type(self.tile))


# --- moves and matmul ---------------------------------------------------------------------------------


class MoveOp(IRDLOperation, abc.ABC):
    """TMOV: the same tile in another place."""

    FROM: ClassVar[str] = "Mat"
    TO: ClassVar[str] = "Left"
    input = operand_def(AnyTile)
    result = result_def(AnyTile)
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue):
        super().__init__(operands=[input], result_types=[tile_type(input).at(self.TO)])

    def verify_(self) -> None:
        src, dst = tile_type(self.input), tile_type(self.result)
        if (src.loc.data, dst.loc.data) != (self.FROM, self.TO):
            raise VerifyError(self, message=f"moves {self.FROM} to {self.TO}, got {src.loc.data} to {dst.loc.data}")
        if (src.sizes, src.element_type) != (dst.sizes, dst.element_type):
            raise ShapeMismatch(self, what="the result", got=dst, want=f"the shape and element type of {src}")


@irdl_op_definition
class MoveToLeftOp(MoveOp):
    """Shared memory to the left operand of a matmul."""

    name = "pto.tile.mov.m2l"


@irdl_op_definition
class MoveToRightOp(MoveOp):
    """Shared memory to the right operand of a matmul."""

    name = "pto.tile.mov.m2r"
    TO: ClassVar[str] = "Right"


@irdl_op_definition
class MoveToVecOp(MoveOp):
    """Accumulators to a vector tile."""

    name = "pto.tile.mov.a2v"
    FROM: ClassVar[str] = "Acc"
    TO: ClassVar[str] = "Vec"


@irdl_op_definition
class MatmulAccOp(IRDLOperation):
    """TMATMUL_ACC: `acc + a · b`; products are exact, sums round in the accumulator's type."""

    name = "pto.tile.matmul.acc"
    acc = operand_def(SameTile)
    a = operand_def(AnyTile)
    b = operand_def(AnyTile)
    result = result_def(SameTile)
    traits = traits_def(Pure())
    assembly_format = "$acc `,` $a `,` $b attr-dict `:` type($acc) `,` type($a) `,` type($b)"

    def __init__(self, acc: SSAValue, a: SSAValue, b: SSAValue):
        super().__init__(operands=[acc, a, b], result_types=[acc.type])

    def verify_(self) -> None:
        acc, a, b = tile_type(self.acc), tile_type(self.a), tile_type(self.b)
        locs = [t.loc.data for t in (acc, a, b)]
        if locs != ["Acc", "Left", "Right"]:
            raise VerifyError(self, message=f"takes Acc, Left and Right tiles, got {', '.join(locs)}")
        if len(a.sizes) != 2 or len(b.sizes) != 2 or a.sizes[1] != b.sizes[0] or acc.sizes != (a.sizes[0], b.sizes[1]):
            raise ShapeMismatch(
                self, what="acc", got=spell(acc.sizes), want=f"the product of {spell(a.sizes)} and {spell(b.sizes)}"
            )
        if a.element_type != b.element_type:
            raise DtypeMismatch(self, what="b", got=b.element_type, want=a.element_type)


# --- vector ops ---------------------------------------------------------------------------------------


@irdl_op_definition
class ExpandsOp(IRDLOperation):
    """TEXPANDS: every element is the given number."""

    name = "pto.tile.expands"
    value = prop_def(FloatAttr | IntegerAttr)
    result = result_def(AnyTile)
    traits = traits_def(Pure())
    assembly_format = "$value attr-dict `:` type($result)"

    def __init__(self, value: FloatAttr | IntegerAttr, tile: TileType):
        super().__init__(properties={"value": value}, result_types=[tile])

    def verify_(self) -> None:
        if self.value.type != tile_type(self.result).element_type:
            raise DtypeMismatch(self, what="the value", got=self.value.type, want=tile_type(self.result).element_type)


class VectorUnaryOp(IRDLOperation, abc.ABC):
    """`out[i] = f(x[i])`, rounded to the element type."""

    input = operand_def(SameTile)
    result = result_def(SameTile)
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($result)"

    def __init__(self, input: SSAValue):
        super().__init__(operands=[input], result_types=[input.type])


class VectorFloatOp(VectorUnaryOp, abc.ABC):
    """A unary function that floats have."""

    def verify_(self) -> None:
        if not is_float(dtype := tile_type(self.result).element_type):
            raise VerifyError(self, message=f"{self.name} is defined on floats, got {dtype}")


class VectorBinaryOp(IRDLOperation, abc.ABC):
    """`out[i] = f(lhs[i], rhs[i])`, rounded to the element type."""

    lhs = operand_def(SameTile)
    rhs = operand_def(SameTile)
    result = result_def(SameTile)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[lhs, rhs], result_types=[lhs.type])

    def verify_(self) -> None:
        if is_predicate(dtype := tile_type(self.result).element_type):
            raise VerifyError(self, message=f"{self.name} is defined on numbers, got {dtype}")


def _vector_op(base_class: type[IRDLOperation], fn: str, doc: str) -> type[IRDLOperation]:
    body = {"__doc__": doc, "name": f"pto.tile.{fn}", "__module__": __name__}
    return irdl_op_definition(type(f"{fn.capitalize()}Op", (base_class,), body))


UNARY: dict[str, type[IRDLOperation]] = {
    fn: _vector_op(VectorFloatOp if floats else VectorUnaryOp, fn, f"T{fn.upper()}: {doc}.")
    for fn, doc, floats in (
        ("neg", "the negative", False),
        ("abs", "the magnitude", False),
        ("exp", "e to the power", True),
        ("log", "the natural logarithm", True),
        ("sqrt", "the square root", True),
        ("rsqrt", "one over the square root", True),
        ("recip", "one over", True),
        ("tanh", "the hyperbolic tangent (nv only)", True),
        ("erf", "the error function (nv only)", True),
    )
}
"""Vector op of each unary function, by tiny's name for it."""

BINARY: dict[str, type[IRDLOperation]] = {
    fn: _vector_op(VectorBinaryOp, fn, f"T{fn.upper()}: {doc}.")
    for fn, doc in (
        ("add", "the sum"),
        ("sub", "the difference"),
        ("mul", "the product"),
        ("div", "the quotient"),
        ("max", "the larger, NaN if either is"),
        ("min", "the smaller, NaN if either is"),
    )
}
"""Vector op of each arithmetic function, by tiny's name for it."""

COMPARES = {"eq": "EQ", "ne": "NE", "lt": "LT", "le": "LE", "gt": "GT", "ge": "GE"}


@irdl_op_definition
class CmpOp(IRDLOperation):
    """TCMP: an i1 tile; only NE is true of a NaN."""

    name = "pto.tile.cmp"
    mode = prop_def(StringAttr)
    lhs = operand_def(SameTile)
    rhs = operand_def(SameTile)
    result = result_def(AnyTile)
    traits = traits_def(Pure())
    custom_directives = (Keyword,)
    assembly_format = "custom<Keyword>($mode) $lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"

    def __init__(self, mode: str, lhs: SSAValue, rhs: SSAValue):
        result = TileType(tile_type(lhs).sizes, i1, tile_type(lhs).loc)
        super().__init__(operands=[lhs, rhs], properties={"mode": StringAttr(mode)}, result_types=[result])

    def verify_(self) -> None:
        if self.mode.data not in COMPARES.values():
            raise InvalidAttributeValue(
                self, name="mode", problem=f"is '{self.mode.data}'", help="one of EQ, NE, LT, LE, GT, GE"
            )
        result = tile_type(self.result)
        if result.sizes != tile_type(self.lhs).sizes or result.element_type != i1:
            raise ShapeMismatch(self, what="the result", got=result, want="an i1 tile of the operands' shape")


@irdl_op_definition
class SelOp(IRDLOperation):
    """TSEL: `mask ? on_true : on_false`."""

    name = "pto.tile.sel"
    mask = operand_def(AnyTile)
    on_true = operand_def(SameTile)
    on_false = operand_def(SameTile)
    result = result_def(SameTile)
    traits = traits_def(Pure())
    assembly_format = "$mask `,` $on_true `,` $on_false attr-dict `:` type($mask) `,` type($result)"

    def __init__(self, mask: SSAValue, on_true: SSAValue, on_false: SSAValue):
        super().__init__(operands=[mask, on_true, on_false], result_types=[on_true.type])

    def verify_(self) -> None:
        mask = tile_type(self.mask)
        if mask.sizes != tile_type(self.result).sizes or mask.element_type != i1:
            raise ShapeMismatch(self, what="the mask", got=mask, want="an i1 tile of the result's shape")


@irdl_op_definition
class CvtOp(IRDLOperation):
    """TCVT with CAST_RINT between floats; to integers it truncates and saturates, as `ptir.cast` does."""

    name = "pto.tile.cvt"
    input = operand_def(AnyTile)
    result = result_def(AnyTile)
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, dtype: Attribute):
        t = tile_type(input)
        super().__init__(operands=[input], result_types=[TileType(t.sizes, dtype, t.loc)])

    def verify_(self) -> None:
        if tile_type(self.result).sizes != tile_type(self.input).sizes:
            raise ShapeMismatch(self, what="the result", got=self.result.type, want=f"the shape of {self.input.type}")


PTO = Dialect(
    "pto",
    [
        PtoKernelOp,
        TilesOp,
        ChannelOp,
        ProcessOp,
        AcquireOp,
        CommitOp,
        WaitOp,
        ReleaseOp,
        LoadOp,
        StoreOp,
        MoveToLeftOp,
        MoveToRightOp,
        MoveToVecOp,
        MatmulAccOp,
        ExpandsOp,
        *UNARY.values(),
        *BINARY.values(),
        CmpOp,
        SelOp,
        CvtOp,
    ],
    [TileType, ChannelType],
)
