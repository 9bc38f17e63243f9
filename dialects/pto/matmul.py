"""Matrix multiplication of tiles, and moves of its operands and of its result."""

from __future__ import annotations

import abc
from typing import ClassVar

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    IntegerType,
    StringAttr,
    f32,
    f64,
    i32,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.hints import isa

from ..common.checks import check, check_shape, check_type
from ..common.ops import DialectOp
from ..common.shapes import FLOAT8, are_paired, require_precision, shape_text
from ..common.syntax import Keyword
from .kernel import SIGNED_I32
from .types import AnyTile, SameTile, tile_type


class MoveOp(IRDLOperation, abc.ABC):
    """Base of moves (TMOV): copies a tile from location `FROM` to location `TO`."""

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
        placed = (src.loc.data, dst.loc.data) == (self.FROM, self.TO)
        check(self, placed, f"moves {self.FROM} to {self.TO}, got {src.loc.data} to {dst.loc.data}")
        same = (src.sizes, src.element_type) == (dst.sizes, dst.element_type)
        check_shape(self, same, "the result", dst, f"the shape and element type of {src}")


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
    %l = pto.tile.mov.v2l %x : !pto.tile<64x32xbf16> -> !pto.tile<64x32xbf16, Left>
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
    %a = pto.tile.mov.v2a %x : !pto.tile<64x32xf32> -> !pto.tile<64x32xf32, Acc>
    ```
    """

    name = "pto.tile.mov.v2a"
    FROM: ClassVar[str] = "Vec"
    TO: ClassVar[str] = "Acc"


MOVES = (
    MoveToLeftOp,
    MoveToRightOp,
    MoveToVecOp,
    MoveMatToVecOp,
    MoveVecToLeftOp,
    MoveVecToRightOp,
    MoveVecToAccOp,
)


def multiplies(a: Attribute, b: Attribute, acc: Attribute) -> bool:
    """Whether `matmul.acc` multiplies element types `a` and `b` into `acc`. Signless integers are treated as signed."""
    if acc in (i32, SIGNED_I32):
        return all(isa(t, IntegerType) and t.width.data == 8 for t in (a, b))
    if acc == f64:
        return a == b == acc
    return acc == f32 and are_paired(a, b) and isinstance(a, (Float32Type, Float16Type, BFloat16Type, *FLOAT8))


@irdl_op_definition
class MatmulAccOp(DialectOp):
    """
    TMATMUL_ACC: `acc + a · b`. Products are exact; each sum is rounded to the accumulator's type.

    Element types: f16, bf16, f32 or fp8 (of one or both kinds) into f32; f64 into f64; 8-bit integers, signed or unsigned,
    into i32, where sums wrap. `precision tf32` first rounds f32 operands, like `tiny.unary tf32`.

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
        super().__init__([acc, a, b], [acc.type], precision=precision)

    def verify_(self) -> None:
        acc, a, b = tile_type(self.acc), tile_type(self.a), tile_type(self.b)
        locs = [t.loc.data for t in (acc, a, b)]
        check(self, locs == ["Acc", "Left", "Right"], f"takes Acc, Left and Right tiles, got {', '.join(locs)}")
        matrices = len(a.sizes) == len(b.sizes) == 2
        fits = matrices and a.sizes[1] == b.sizes[0] and acc.sizes == (a.sizes[0], b.sizes[1])
        want = f"the product of {shape_text(a.sizes)} and {shape_text(b.sizes)}"
        check_shape(self, fits, "acc", shape_text(acc.sizes), want)
        dtypes = a.element_type, b.element_type, acc.element_type
        want = "the supported products are f16, bf16, f32 or fp8 into f32, f64 into f64, and 8-bit integers into i32"
        check_type(self, multiplies(*dtypes), "the product", "{} x {} into {}".format(*dtypes), want)
        require_precision(self, self.precision, dtypes)
