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
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseArrayBase,
    Float16Type,
    Float32Type,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    Signedness,
    StringAttr,
    f32,
    f64,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, Dialect, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, NoTerminator, Pure, SymbolOpInterface
from xdsl.utils.hints import isa

from ...errors import (
    DtypeMismatch,
    InvalidAttributeValue,
    OperandCountMismatch,
    ShapeMismatch,
    UnsupportedType,
    VerifyError,
)
from ..common.kernel import MATERIALIZE, SCRATCH, KernelOp
from ..common.shapes import FLOAT8, are_paired, memref_of, require_precision, spell
from ..common.syntax import Axes, Keyword, axes_attr, ints, parse_int, parse_ints
from ..poly import MapAttr
from .types import AnyTile, ChannelType, SameTile, TileType, tile_type
from .vector import BINARY, UNARY, CmpOp, CvtOp, ExpandsOp, SelOp

COMBINES = ("serial", "parallel")
SIGNED_I32 = IntegerType(32, Signedness.SIGNED)
"""The same values as i32: signless integers are signed."""


@irdl_op_definition
class PtoKernelOp(KernelOp):
    """A kernel whose body is one `pto.tiles`. Its last outputs may be a workspace and counters."""

    WORDS: ClassVar = (*MATERIALIZE, *SCRATCH)
    name = "pto.kernel"
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface(), NoTerminator())

    def verify_(self) -> None:
        super().verify_()
        if not isinstance(self.body.block.first_op, TilesOp) or self.body.block.first_op is not self.body.block.last_op:
            raise VerifyError(self, message="the body of a pto.kernel is one pto.tiles")
        for out, word in zip(self.outputs, self.materialize, strict=True):
            if word.data in SCRATCH:
                for use in out.uses:
                    if not isinstance(use.operation, CombineOp):
                        raise VerifyError(
                            use.operation, message=f"a memref marked '{word.data}' is pto.combine's alone"
                        )


@irdl_op_definition
class TilesOp(IRDLOperation):
    """
    Runs its body once for each tile of the box `sizes` cut by `steps`; the block arguments are the tile's
    offsets. Bodies are independent: each is one block of the grid.

    With `split %s of n` each tile has n bodies, the parts s = 0, 1, …, n - 1 of a sum, which one `pto.combine`
    joins; nothing is stored outside of it.

    ```mlir
    pto.tiles (%m, %n) in [70, 20] step [64, 32] split %s of 4 { … }
    ```
    """

    name = "pto.tiles"
    sizes = prop_def(DenseArrayBase.constr(i64))
    steps = prop_def(DenseArrayBase.constr(i64))
    split = opt_prop_def(IntegerAttr.constr(i64))
    body = region_def("single_block")
    traits = traits_def(NoTerminator())

    def __init__(self, sizes: Sequence[int], steps: Sequence[int], body: Region | Block, split: int | None = None):
        super().__init__(
            properties={
                "sizes": axes_attr(sizes),
                "steps": axes_attr(steps),
                "split": None if split is None else IntegerAttr(split, i64),
            },
            regions=[Region(body) if isinstance(body, Block) else body],
        )

    @property
    def counts(self) -> tuple[int, ...]:
        """How many tiles along each axis."""
        return tuple(-(-size // step) for size, step in zip(ints(self.sizes), ints(self.steps), strict=True))

    @property
    def parts(self) -> int:
        """How many bodies a tile has."""
        return 1 if self.split is None else self.split.value.data

    @property
    def offsets(self) -> tuple[BlockArgument, ...]:
        """The tile's offsets."""
        args = tuple(self.body.block.args)
        return args if self.split is None else args[:-1]

    @property
    def part(self) -> BlockArgument | None:
        """The number of the part that a body sums."""
        return None if self.split is None else self.body.block.args[-1]

    @classmethod
    def parse(cls, parser: Parser) -> TilesOp:
        def index() -> Parser.Argument:
            return parser.parse_argument(expect_type=False).resolve(IndexType())

        args = parser.parse_comma_separated_list(parser.Delimiter.PAREN, index)
        parser.parse_keyword("in")
        sizes = parse_ints(parser)
        parser.parse_keyword("step")
        steps = parse_ints(parser)
        split = None
        if parser.parse_optional_keyword("split"):
            args.append(index())
            parser.parse_keyword("of")
            split = parse_int(parser)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        op = cls(sizes, steps, parser.parse_region(args), split)
        if attributes is not None:
            op.attributes = dict(attributes.data)
        return op

    def print(self, printer: Printer) -> None:
        def argument(arg: BlockArgument) -> None:
            printer.print_block_argument(arg, print_type=False)

        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(self.offsets, argument)
        printer.print_string(f" in {spell(ints(self.sizes))} step {spell(ints(self.steps))}")
        if self.part is not None:
            printer.print_string(" split ")
            argument(self.part)
            printer.print_string(f" of {self.parts}")
        if self.attributes:
            printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)

    def verify_(self) -> None:
        if self.split is not None and not self.body.block.args:
            raise VerifyError(self, message="a split has an argument: the number of the part")
        rank = len(self.offsets)
        for what, numbers in (("in", self.sizes), ("step", self.steps)):
            if len(numbers) != rank:
                raise OperandCountMismatch(
                    self, what=f"'{what}'", want=f"one number for each argument ({rank})", got=len(numbers)
                )
        if any(n < 1 for n in (*ints(self.sizes), *ints(self.steps))):
            raise InvalidAttributeValue(
                self, name="in/step", problem="has an entry below 1", help="sizes and steps start at 1"
            )
        if self.split is not None:
            self._verify_split()

    def _verify_split(self) -> None:
        if self.parts < 2:
            raise InvalidAttributeValue(self, name="split", problem=f"is {self.parts}", help="2 parts or more, or none")
        joins = [o for o in self.body.block.ops if isinstance(o, CombineOp)]
        if len(joins) != 1:
            raise VerifyError(self, message=f"a split is joined by one pto.combine in its body, got {len(joins)}")
        for op in self.body.walk():
            if isinstance(op, StoreOp) and op.parent_op() is not joins[0]:
                raise VerifyError(op, message="stores a part of a sum: with a split, stores stand in the pto.combine")


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
            raise OperandCountMismatch(
                self, what="'in'", want=f"one size for each offset ({rank})", got=len(self.bounds)
            )
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


@irdl_op_definition
class CombineOp(IRDLOperation):
    """
    Joins the parts of a split: runs its body once a tile, on `((p0 + p1) + p2) + …` in the accumulator's type,
    where `p0, p1, …` are what each part has as `acc`.

    Parts run in any order and side by side, so the workspace holds what has to wait: with `serial` the sum so far,
    a slot a tile; with `parallel` all parts, and part s of tile t lies in slot `s · tiles + t`. Both add in the same
    order. There is a counter for each tile; tiles are numbered in row-major order.

    ```mlir
    pto.combine serial %acc across %s in %ws counters %count : !pto.tile<64x32xf32, Acc>, memref<2x64x32xf32>, memref<2xi32> {
    ^bb0(%sum: !pto.tile<64x32xf32, Acc>):
      %v = pto.tile.mov.a2v %sum : !pto.tile<64x32xf32, Acc> -> !pto.tile<64x32xf32>
      pto.tile.store %v, …
    }
    ```
    """

    name = "pto.combine"
    mode = prop_def(StringAttr)
    acc = operand_def(AnyTile)
    part = operand_def(IndexType)
    workspace = operand_def(base(MemRefType))
    counters = operand_def(base(MemRefType))
    body = region_def("single_block")
    traits = traits_def(NoTerminator())
    custom_directives = (Keyword,)
    assembly_format = (
        "custom<Keyword>($mode) $acc `across` $part `in` $workspace `counters` $counters attr-dict-with-keyword "
        "`:` type($acc) `,` type($workspace) `,` type($counters) $body"
    )

    def __init__(
        self,
        mode: str,
        acc: SSAValue,
        part: SSAValue,
        workspace: SSAValue,
        counters: SSAValue,
        body: Region | Block,
    ):
        super().__init__(
            operands=[acc, part, workspace, counters],
            properties={"mode": StringAttr(mode)},
            regions=[Region(body) if isinstance(body, Block) else body],
        )

    def verify_(self) -> None:
        if self.mode.data not in COMBINES:
            raise InvalidAttributeValue(
                self, name="mode", problem=f"is '{self.mode.data}'", help=f"one of {', '.join(COMBINES)}"
            )
        tiles = self.parent_op()
        if not isinstance(tiles, TilesOp) or self.part is not tiles.part:
            raise VerifyError(self, message="joins the parts of the pto.tiles around it: name its split")
        acc = tile_type(self.acc)
        if acc.loc.data != "Acc" or acc.element_type not in (f32, f64, i32, IntegerType(32, Signedness.SIGNED)):
            raise VerifyError(self, message=f"adds up Acc tiles of f32, f64 or i32, got {acc}")
        if list(self.body.block.arg_types) != [acc]:
            raise VerifyError(self, message=f"the body takes the sum, ({acc})")
        count = prod(tiles.counts)
        slots = count * (tiles.parts if self.mode.data == "parallel" else 1)
        for value, word, dtype, sizes in (
            (self.workspace, "workspace", acc.element_type, (slots, *acc.sizes)),
            (self.counters, "counters", i32, (count,)),
        ):
            kernel, t = tiles.parent_op(), memref_of(value)
            if isinstance(kernel, PtoKernelOp) and kernel.purpose(value) != word:
                raise VerifyError(self, message=f"the {word} must be an output of the kernel that is marked '{word}'")
            if t.element_type != dtype:
                raise DtypeMismatch(self, what=f"'{word}'", got=t.element_type, want=dtype)
            if t.get_shape()[1:] != sizes[1:] or len(t.get_shape()) != len(sizes) or t.get_shape()[0] < sizes[0]:
                want = f"at least {spell(sizes)}: {count} tiles in {tiles.parts} parts, {self.mode.data}"
                raise ShapeMismatch(self, what=f"'{word}'", got=spell(t.get_shape()), want=want)


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


def multiplies(a: Attribute, b: Attribute, acc: Attribute) -> bool:
    """Whether `matmul.acc` multiplies these element types; signless integers are signed."""
    if acc in (i32, SIGNED_I32):
        return all(isa(t, IntegerType) and t.width.data == 8 for t in (a, b))
    if acc == f64:
        return a == b == acc
    return acc == f32 and are_paired(a, b) and isinstance(a, (Float32Type, Float16Type, BFloat16Type, *FLOAT8))


@irdl_op_definition
class MatmulAccOp(IRDLOperation):
    """
    TMATMUL_ACC: `acc + a · b`; products are exact, sums round in the accumulator's type.

    Operands are two of f16, bf16 or f32, or fp8 of either kind, into f32, two of f64 into f64, or 8-bit integers, signed
    or not, into i32, where sums wrap. `precision tf32` rounds f32 operands first, as `tiny.unary tf32` does.

    ```mlir
    %t = pto.tile.matmul.acc %s, %l, %r precision tf32 : !pto.tile<64x32xf32, Acc>, !pto.tile<64x8xf32, Left>, !pto.tile<8x32xf32, Right>
    ```
    """

    name = "pto.tile.matmul.acc"
    acc = operand_def(SameTile)
    a = operand_def(AnyTile)
    b = operand_def(AnyTile)
    precision = opt_prop_def(StringAttr)
    result = result_def(SameTile)
    traits = traits_def(Pure())
    custom_directives = (Keyword,)
    assembly_format = (
        "$acc `,` $a `,` $b (`precision` custom<Keyword>($precision)^)? attr-dict "
        "`:` type($acc) `,` type($a) `,` type($b)"
    )

    def __init__(self, acc: SSAValue, a: SSAValue, b: SSAValue, precision: str | None = None):
        super().__init__(
            operands=[acc, a, b],
            properties={"precision": None if precision is None else StringAttr(precision)},
            result_types=[acc.type],
        )

    def verify_(self) -> None:
        acc, a, b = tile_type(self.acc), tile_type(self.a), tile_type(self.b)
        locs = [t.loc.data for t in (acc, a, b)]
        if locs != ["Acc", "Left", "Right"]:
            raise VerifyError(self, message=f"takes Acc, Left and Right tiles, got {', '.join(locs)}")
        if len(a.sizes) != 2 or len(b.sizes) != 2 or a.sizes[1] != b.sizes[0] or acc.sizes != (a.sizes[0], b.sizes[1]):
            raise ShapeMismatch(
                self, what="acc", got=spell(acc.sizes), want=f"the product of {spell(a.sizes)} and {spell(b.sizes)}"
            )
        dtypes = a.element_type, b.element_type, acc.element_type
        if not multiplies(*dtypes):
            raise UnsupportedType(
                self,
                what="the product",
                got="{} x {} into {}".format(*dtypes),
                want="the pairs are f16, bf16, f32 or fp8 into f32, f64 into f64, and 8-bit integers into i32",
            )
        require_precision(self, self.precision, dtypes)


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
        CombineOp,
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
