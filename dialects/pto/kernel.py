"""Tile programs: the kernel, its iteration over output tiles, and the sum of the parts of a split."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import (
    DenseArrayBase,
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
from xdsl.ir import Block, BlockArgument, Region, SSAValue
from xdsl.irdl import (
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoTerminator

from ...errors import DtypeMismatch, VerifyError, counted
from ..common.checks import check, check_attribute, check_count, check_shape, check_value, check_word
from ..common.kernel import MATERIALIZE, SCRATCH, STATUS, UPDATED, KernelOp
from ..common.ops import DialectOp
from ..common.shapes import memref_of, shape_text
from ..common.syntax import Keyword, ints, parse_int, parse_ints
from .memory import ReportOp, ScatterMapOp, StoreMapOp
from .syntax import Bare
from .types import AnyTile, tile_type

COMBINES = ("serial", "parallel")
SIGNED_I32 = IntegerType(32, Signedness.SIGNED)
"""The type si32, which is treated like the signless i32."""


@irdl_op_definition
class PtoKernelOp(KernelOp):
    """A kernel whose body is one `pto.tiles` op. Its last outputs may be a workspace and counters, for a split, and a status word."""

    WORDS: ClassVar = (*MATERIALIZE, *SCRATCH, STATUS)
    name = "pto.kernel"
    traits = traits_def(NoTerminator())

    def verify_(self) -> None:
        super().verify_()
        if not isinstance(self.body.block.first_op, TilesOp) or self.body.block.first_op is not self.body.block.last_op:
            raise VerifyError(self, problem="must have a body of one pto.tiles")
        for out, word in zip(self.outputs, self.materialize, strict=True):
            if word.data in SCRATCH:
                for use in out.uses:
                    if not isinstance(use.operation, CombineOp):
                        raise VerifyError(
                            use.operation, problem=f"uses a memref marked '{word.data}', which only pto.combine may use"
                        )
            for use in out.uses if word.data == STATUS else ():
                reports = isinstance(use.operation, ReportOp)
                check(use.operation, reports, "uses a memref marked 'status', which only pto.tile.report may use")
            for use in out.uses:
                updates = isinstance(use.operation, ScatterMapOp)
                how = (
                    "only pto.tile.scatter.map may use"
                    if word.data == UPDATED
                    else "pto.tile.scatter.map may not update"
                )
                check(
                    use.operation, updates == (word.data == UPDATED), f"uses a memref marked '{word.data}', which {how}"
                )


@irdl_op_definition
class TilesOp(DialectOp):
    """
    Runs its body once for each tile of an index space. The space has the sizes `sizes`, the tiles have the sizes `steps`, and
    the block arguments are the offsets of the tile. The bodies are independent blocks of the grid.

    With `split %s of n`, the body runs n times for each tile, and part s = 0, 1, …, n - 1 computes one part of a sum. The body
    then has one `pto.combine`, which adds the parts and contains all stores.

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
        super().__init__(regions=[body], sizes=sizes, steps=steps, split=split)

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of tiles along each axis."""
        return tuple(-(-size // step) for size, step in zip(ints(self.sizes), ints(self.steps), strict=True))

    @property
    def parts(self) -> int:
        """The number of parts of a tile; 1 without a split."""
        return 1 if self.split is None else self.split.value.data

    @property
    def offsets(self) -> tuple[BlockArgument, ...]:
        """The block arguments that are the offsets of the tile."""
        args = tuple(self.body.block.args)
        return args if self.split is None else args[:-1]

    @property
    def part(self) -> BlockArgument | None:
        """The block argument that is the number of the part; None without a split."""
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
        printer.print_string(f" in {shape_text(ints(self.sizes))} step {shape_text(ints(self.steps))}")
        if self.part is not None:
            printer.print_string(" split ")
            argument(self.part)
            printer.print_string(f" of {self.parts}")
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)

    def verify_(self) -> None:
        numbered = self.split is None or bool(self.body.block.args)
        check(self, numbered, "must have a body that takes the index of the part")
        rank = len(self.offsets)
        for what, numbers in (("in", self.sizes), ("step", self.steps)):
            want = f"one number for each argument ({rank})"
            check_count(self, len(numbers) == rank, f"'{what}'", want, len(numbers))
        positive = all(n >= 1 for n in (*ints(self.sizes), *ints(self.steps)))
        check_attribute(self, positive, "in/step", "has an entry below 1", "sizes and steps are at least 1")
        if self.split is not None:
            self._verify_split()

    def _verify_split(self) -> None:
        check_value(self, self.parts >= 2, "split", self.parts, "2 parts or more, or none")
        joins = [o for o in self.body.block.ops if isinstance(o, CombineOp)]
        check(self, len(joins) == 1, f"needs exactly one pto.combine in the body of a split, got {len(joins)}")
        for op in self.body.walk():
            joined = not isinstance(op, StoreMapOp) or op.parent_op() is joins[0]
            check(op, joined, "stores a partial sum: with a split, stores belong in the pto.combine")


@irdl_op_definition
class CombineOp(DialectOp):
    """
    Adds the parts of a split, and runs its body once per tile on the sum `((p0 + p1) + p2) + …` in the accumulator's type, where
    `p0, p1, …` are the values of `acc` in the parts.

    Parts run concurrently, so the workspace holds intermediate results. With `serial` it has a slot for the partial sum of each
    tile; with `parallel` it has a slot for each part, and part s of tile t is in slot `s · tiles + t`. Both add in the same
    order. Each tile has a counter. Tiles are numbered in row-major order.

    ```mlir
    pto.combine serial %acc across %s in %ws counters %count : tile<64x32xf32, #pto.tile_info<loc=Acc>>, memref<2x64x32xf32>, memref<2xi32> {
    ^bb0(%sum: !pto.tile<64x32xf32, #pto.tile_info<loc=Acc>>):
      %v = pto.tile.mov.a2v %sum : tile<64x32xf32, #pto.tile_info<loc=Acc>> -> tile<64x32xf32>
      pto.tile.store.map %v, …
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
    custom_directives = (Bare, Keyword)
    assembly_format = (
        "custom<Keyword>($mode) $acc `across` $part `in` $workspace `counters` $counters attr-dict-with-keyword "
        "`:` custom<Bare>(type($acc)) `,` type($workspace) `,` type($counters) $body"
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
        super().__init__([acc, part, workspace, counters], regions=[body], mode=mode)

    def verify_(self) -> None:
        check_word(self, "mode", self.mode.data, COMBINES)
        tiles = self.parent_op()
        if not isinstance(tiles, TilesOp) or self.part is not tiles.part:
            raise VerifyError(self, problem="must name the split of the enclosing pto.tiles")
        acc = tile_type(self.acc)
        if acc.loc != "Acc" or acc.element_type not in (f32, f64, i32, SIGNED_I32):
            raise VerifyError(self, problem=f"adds up Acc tiles of f32, f64 or i32, got {acc}")
        check(self, list(self.body.block.arg_types) == [acc], f"must have a body that takes the sum, ({acc})")
        count = prod(tiles.counts)
        slots = count * (tiles.parts if self.mode.data == "parallel" else 1)
        for value, word, dtype, sizes in (
            (self.workspace, "workspace", acc.element_type, (slots, *acc.sizes)),
            (self.counters, "counters", i32, (count,)),
        ):
            kernel, t = tiles.parent_op(), memref_of(value)
            marked = not isinstance(kernel, PtoKernelOp) or kernel.purpose(value) == word
            check(self, marked, f"must take its {word} from an output of the kernel that is marked '{word}'")
            if t.element_type != dtype:
                raise DtypeMismatch(self, what=f"'{word}'", got=t.element_type, want=dtype)
            shape = t.get_shape()
            fits = shape[1:] == sizes[1:] and shape[:1] >= sizes[:1]
            want = f"at least {shape_text(sizes)}: {counted(count, 'tile')} in {tiles.parts} parts, {self.mode.data}"
            check_shape(self, fits, f"'{word}'", shape_text(shape), want)
