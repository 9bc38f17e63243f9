"""Matrix multiplication of tiles, and moves of its operands and of its result."""

from __future__ import annotations

import abc
from typing import ClassVar

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    IntegerType,
    StringAttr,
    f32,
    f64,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.hints import isa

from ..common.checks import check, check_shape, check_type
from ..common.shapes import FLOAT8, are_paired, require_precision, shape_text
from .asynchronous import EVENT, WAITS, ConversionOp, InstructionOp, ValidAxes
from .kernel import SIGNED_I32
from .types import AnyTile, SameTile, TileType, tile_type


class MoveOp(ConversionOp, abc.ABC):
    """
    Base of moves (TMOV): copies a tile from location `FROM` to location `TO`. A location that is not written fits.

    ```mlir
    %1 = pto.tile.mov.m2l %0 : tile<64x32xbf16, #pto.tile_info<loc=Mat, layout=Nz>> -> tile<64x32xbf16, #pto.tile_info<loc=Left, layout=Zz>>
    ```
    """

    FROM: ClassVar[str] = "Mat"
    TO: ClassVar[str] = "Left"

    def __init__(self, input: SSAValue):
        super().__init__([input], [tile_type(input).at(None if self.TO == "Vec" else self.TO)])

    def verify_(self) -> None:
        super().verify_()
        src, dst = tile_type(self.input), tile_type(self.result)
        placed = all(not t.has_location or t.loc == loc for t, loc in ((src, self.FROM), (dst, self.TO)))
        check(self, placed, f"moves {self.FROM} to {self.TO}, got {src.loc} to {dst.loc}")
        same = (src.sizes, src.element_type) == (dst.sizes, dst.element_type)
        check_shape(self, same, "the result", dst, f"the shape and element type of {src}")
        check_shape(self, len(dst.sizes) == 2 or self.TO not in ("Left", "Right"), "the result", dst, "a matrix")


@irdl_op_definition
class MoveToLeftOp(MoveOp):
    """Moves a tile from shared memory to the left operand of a matmul."""

    name = "pto.tile.mov.m2l"


@irdl_op_definition
class MoveToRightOp(MoveOp):
    """Moves a tile from shared memory to the right operand of a matmul."""

    name = "pto.tile.mov.m2r"
    TO: ClassVar[str] = "Right"


@irdl_op_definition
class MoveToVecOp(MoveOp):
    """Moves accumulators to a vector tile."""

    name = "pto.tile.mov.a2v"
    FROM: ClassVar[str] = "Acc"
    TO: ClassVar[str] = "Vec"


@irdl_op_definition
class MoveMatToVecOp(MoveOp):
    """Moves shared memory to a vector tile, from which an operand is computed."""

    name = "pto.tile.mov.m2v"
    TO: ClassVar[str] = "Vec"


@irdl_op_definition
class MoveVecToLeftOp(MoveOp):
    """
    Moves a computed tile to the left operand of a matmul.

    ```mlir
    %l = pto.tile.mov.v2l %x : tile<64x32xbf16> -> tile<64x32xbf16, #pto.tile_info<loc=Left>>
    ```
    """

    name = "pto.tile.mov.v2l"
    FROM: ClassVar[str] = "Vec"


@irdl_op_definition
class MoveVecToRightOp(MoveOp):
    """Moves a computed tile to the right operand of a matmul."""

    name = "pto.tile.mov.v2r"
    FROM: ClassVar[str] = "Vec"
    TO: ClassVar[str] = "Right"


@irdl_op_definition
class MoveVecToAccOp(MoveOp):
    """
    Moves a computed tile to accumulators, such as those that online softmax has rescaled.

    ```mlir
    %a = pto.tile.mov.v2a %x : tile<64x32xf32> -> tile<64x32xf32, #pto.tile_info<loc=Acc>>
    ```
    """

    name = "pto.tile.mov.v2a"
    FROM: ClassVar[str] = "Vec"
    TO: ClassVar[str] = "Acc"


@irdl_op_definition
class MoveToBiasOp(MoveOp):
    """
    Moves a tile of one row to the bias table, for `pto.tile.matmul.bias`.

    ```mlir
    %1 = pto.tile.mov.m2b %0 : tile<1x32xf32, #pto.tile_info<loc=Mat>> -> tile<1x32xf32, #pto.tile_info<loc=Bias>>
    ```
    """

    name = "pto.tile.mov.m2b"
    TO: ClassVar[str] = "Bias"


@irdl_op_definition
class MoveToScaleOp(MoveOp):
    """
    Moves a tile of one row to the scales of fixpipe.

    ```mlir
    %1 = pto.tile.mov.m2s %0 : tile<1x32xf32, #pto.tile_info<loc=Mat>> -> tile<1x32xf32, #pto.tile_info<loc=Scale>>
    ```
    """

    name = "pto.tile.mov.m2s"
    TO: ClassVar[str] = "Scale"


@irdl_op_definition
class CopyOp(MoveOp):
    """
    Copies a vector tile.

    ```mlir
    %1 = pto.tile.mov.v2v %0 : tile<16x32xf32> -> tile<16x32xf32>
    ```
    """

    name = "pto.tile.mov.v2v"
    FROM: ClassVar[str] = "Vec"
    TO: ClassVar[str] = "Vec"

    def __init__(self, input: SSAValue):
        InstructionOp.__init__(self, [input], [input.type])


MOVES = (
    MoveToLeftOp,
    MoveToRightOp,
    MoveToVecOp,
    MoveMatToVecOp,
    MoveVecToLeftOp,
    MoveVecToRightOp,
    MoveVecToAccOp,
    MoveToBiasOp,
    MoveToScaleOp,
    CopyOp,
)


def multiplies(a: Attribute, b: Attribute, acc: Attribute) -> bool:
    """Whether `matmul.acc` multiplies element types `a` and `b` into `acc`. Signless integers are treated as signed."""
    if acc in (i32, SIGNED_I32):
        return all(isa(t, IntegerType) and t.width.data == 8 for t in (a, b))
    if acc == f64:
        return a == b == acc
    return acc == f32 and are_paired(a, b) and isinstance(a, (Float32Type, Float16Type, BFloat16Type, *FLOAT8))


def check_operands(op: Operation, acc: TileType, a: TileType, b: TileType) -> None:
    """Checks the locations and shapes of a product."""
    placed = all(not t.has_location or t.loc == loc for t, loc in ((acc, "Acc"), (a, "Left"), (b, "Right")))
    check(op, placed, f"takes Acc, Left and Right tiles, got {acc.loc}, {a.loc}, {b.loc}")
    matrices = len(a.sizes) == len(b.sizes) == 2
    fits = matrices and a.sizes[1] == b.sizes[0] and acc.sizes == (a.sizes[0], b.sizes[1])
    want = f"the product of {shape_text(a.sizes)} and {shape_text(b.sizes)}"
    check_shape(op, fits, "acc", shape_text(acc.sizes), want)


class ProductOp(InstructionOp, abc.ABC):
    """
    Base of matrix products `a · b`. Products are exact; each sum is rounded to the accumulator's type.

    Element types: f16, bf16, f32 or fp8 (of one or both kinds) into f32; f64 into f64; 8-bit integers, signed or unsigned,
    into i32, where sums wrap. `precision tf32` first rounds f32 operands, like `tiny.unary tf32`.
    """

    a = operand_def(AnyTile)
    b = operand_def(AnyTile)
    precision = opt_prop_def(StringAttr)
    traits = traits_def(Pure())

    @property
    def valid_axes(self) -> ValidAxes:
        return [(self.a, (0, None)), (self.b, (None, 1))]

    def check_product(self, acc: TileType) -> None:
        """Checks the locations, shapes and element types of the operands and of the accumulator."""
        a, b = tile_type(self.a), tile_type(self.b)
        check_operands(self, acc, a, b)
        dtypes = a.element_type, b.element_type, acc.element_type
        want = "the supported products are f16, bf16, f32 or fp8 into f32, f64 into f64, and 8-bit integers into i32"
        check_type(self, multiplies(*dtypes), "the product", "{} x {} into {}".format(*dtypes), want)
        require_precision(self, self.precision, dtypes)


PRECISION = "(`precision` custom<Keyword>($precision)^)?"


@irdl_op_definition
class MatmulOp(ProductOp):
    """
    TMATMUL: `a · b`.

    ```mlir
    %t = pto.tile.matmul %l, %r
      : tile<64x8xf16, #pto.tile_info<loc=Left>>,
        tile<8x32xf16, #pto.tile_info<loc=Right>>
     -> tile<64x32xf32, #pto.tile_info<loc=Acc>>
    ```
    """

    name = "pto.tile.matmul"
    result = result_def(AnyTile)
    assembly_format = (
        f"$a `,` $b {PRECISION} {WAITS} attr-dict `:` custom<Bare>(type($a)) `,` custom<Bare>(type($b)) "
        f"`->` custom<Bare>(type($result)) {EVENT}"
    )

    def __init__(self, a: SSAValue, b: SSAValue, result: TileType, precision: str | None = None):
        super().__init__([a, b], [result], precision=precision)

    def verify_(self) -> None:
        super().verify_()
        self.check_product(tile_type(self.result))


@irdl_op_definition
class MatmulAccOp(ProductOp):
    """
    TMATMUL_ACC: `acc + a · b`.

    ```mlir
    %t = pto.tile.matmul.acc %s, %l, %r precision tf32
      : tile<64x32xf32, #pto.tile_info<loc=Acc>>,
        tile<64x8xf32, #pto.tile_info<loc=Left>>,
        tile<8x32xf32, #pto.tile_info<loc=Right>>
     -> tile<64x32xf32, #pto.tile_info<loc=Acc>>
    ```
    """

    name = "pto.tile.matmul.acc"
    acc = operand_def(SameTile)
    result = result_def(SameTile)
    assembly_format = (
        f"$acc `,` $a `,` $b {PRECISION} {WAITS} attr-dict `:` custom<Bare>(type($acc)) `,` custom<Bare>(type($a)) `,` "
        f"custom<Bare>(type($b)) `->` custom<Bare>(type($result)) {EVENT}"
    )

    def __init__(self, acc: SSAValue, a: SSAValue, b: SSAValue, precision: str | None = None):
        super().__init__([acc, a, b], [acc.type], precision=precision)

    @property
    def valid_axes(self) -> ValidAxes:
        return [*super().valid_axes, (self.acc, (0, 1))]

    def verify_(self) -> None:
        super().verify_()
        self.check_product(tile_type(self.acc))


@irdl_op_definition
class MatmulBiasOp(ProductOp):
    """
    TMATMUL_BIAS: `a · b + bias`, where the bias is one row.

    ```mlir
    %t = pto.tile.matmul.bias %l, %r, %bias
      : tile<64x8xf16, #pto.tile_info<loc=Left>>,
        tile<8x32xf16, #pto.tile_info<loc=Right>>,
        tile<1x32xf32, #pto.tile_info<loc=Bias>>
     -> tile<64x32xf32, #pto.tile_info<loc=Acc>>
    ```
    """

    name = "pto.tile.matmul.bias"
    bias = operand_def(AnyTile)
    result = result_def(AnyTile)
    assembly_format = (
        f"$a `,` $b `,` $bias {PRECISION} {WAITS} attr-dict `:` custom<Bare>(type($a)) `,` custom<Bare>(type($b)) `,` "
        f"custom<Bare>(type($bias)) `->` custom<Bare>(type($result)) {EVENT}"
    )

    def __init__(self, a: SSAValue, b: SSAValue, bias: SSAValue, result: TileType, precision: str | None = None):
        super().__init__([bias, a, b], [result], precision=precision)

    def verify_(self) -> None:
        super().verify_()
        result, bias = tile_type(self.result), tile_type(self.bias)
        self.check_product(result)
        fits = bias.sizes == (1, *result.sizes[1:])
        check_shape(self, fits, "the bias", bias, f"one row of {result.sizes[-1]} elements")
        placed = not bias.has_location or bias.loc == "Bias"
        check(self, placed, f"takes its bias from Bias, got {bias.loc}")


MX_BLOCK = 32
"""The number of elements along k that share a scale."""


@irdl_op_definition
class MatmulMxOp(InstructionOp):
    """
    TMATMUL_MX: the product of matrices of fp8 in blocks (microscaling): `sum over k of a[i, k] * a_scale[i, k / 32] * b[k, j] *
    b_scale[k / 32, j]`. Products are exact; each sum is rounded to f32.

    ```mlir
    %t = pto.tile.matmul.mx %l, %ls, %r, %rs
      : tile<16x64xf8E4M3FN, #pto.tile_info<loc=Left>>, tile<16x2xf8E8M0FNU, #pto.tile_info<loc=Scale>>,
        tile<64x32xf8E4M3FN, #pto.tile_info<loc=Right>>, tile<2x32xf8E8M0FNU, #pto.tile_info<loc=Scale>>
     -> tile<16x32xf32, #pto.tile_info<loc=Acc>>
    ```
    """

    name = "pto.tile.matmul.mx"
    a = operand_def(AnyTile)
    a_scale = operand_def(AnyTile)
    b = operand_def(AnyTile)
    b_scale = operand_def(AnyTile)
    result = result_def(AnyTile)
    traits = traits_def(Pure())
    assembly_format = (
        f"$a `,` $a_scale `,` $b `,` $b_scale {WAITS} attr-dict `:` custom<Bare>(type($a)) `,` custom<Bare>(type($a_scale)) "
        f"`,` custom<Bare>(type($b)) `,` custom<Bare>(type($b_scale)) `->` custom<Bare>(type($result)) {EVENT}"
    )

    def __init__(self, a: SSAValue, a_scale: SSAValue, b: SSAValue, b_scale: SSAValue, result: TileType):
        super().__init__([a, a_scale, b, b_scale], [result])

    @property
    def valid_axes(self) -> ValidAxes:
        return [(self.a, (0, None)), (self.b, (None, 1))]

    def verify_(self) -> None:
        super().verify_()
        a, b, acc = (tile_type(v) for v in (self.a, self.b, self.result))
        check_operands(self, acc, a, b)
        for dtype in (a.element_type, b.element_type):
            check_type(self, isinstance(dtype, FLOAT8), "an operand's element type", dtype, "it is a type of fp8")
        check_type(self, acc.element_type == f32, "the result's element type", acc.element_type, "it is f32")
        blocks = a.sizes[1] // MX_BLOCK
        check_shape(self, a.sizes[1] % MX_BLOCK == 0, "a", a, f"a multiple of {MX_BLOCK} columns")
        for what, value, sizes in (
            ("a_scale", self.a_scale, (a.sizes[0], blocks)),
            ("b_scale", self.b_scale, (blocks, b.sizes[1])),
        ):
            scale = tile_type(value)
            fits = scale.sizes == sizes and isinstance(scale.element_type, Float8E8M0FNUType)
            check_shape(self, fits, what, scale, f"{shape_text(sizes)} of f8E8M0FNU")
            check(self, not scale.has_location or scale.loc == "Scale", f"takes scales from Scale, got {scale.loc}")
