"""
Wgmma ops: a warpgroup multiplies operands in shared memory, asynchronously.

```mlir
%acc = nv.frag : !nv.frag<64x256xf32, C of m64k16>
nv.wgmma.fence
nv.wgmma.mma %acc, %sa[%slot, %row, %kk] ND, %sb[%slot, %kk, %c0] ND if %add : …     // acc = a · b (+ acc, if %add)
nv.wgmma.commit
nv.wgmma.wait 1                                                                       // all groups but the last are complete
nv.stmatrix %half column 64 ND to %out[%buffer, %c0, %c0] : …
```

An accumulator is in flight from its wgmma until an `nv.wgmma.wait` covers the group. Meanwhile no other op may access it, and
the operands in shared memory must not be overwritten. At most one accumulator may be in flight over the back edge of a loop;
with two, ptxas serializes the wgmmas (remarks C7514, C7517). The layout of an operand says whether the rows of its tile are the
operand's rows (`ND`) or its columns (`DN`), as in `nv.ldmatrix`. If k is not the contiguous axis of a tile (A in `DN`, B in
`ND`), its elements must have 16 bits. Spec: `Wgmma`; PTX ISA §9.7.15.
"""

from __future__ import annotations

import abc
from typing import cast

from xdsl.dialects.builtin import IndexType, IntegerAttr, StringAttr, f32, i1, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
)

from ...targets.matrices import MatrixRows
from ...targets.mma import WGMMAS, Mma, element_bytes, wgmma_columns
from ..common.checks import check_shape, check_type, check_word
from ..common.ops import DialectOp
from ..common.shapes import shape_text, signless
from ..common.syntax import Keyword
from .copies import PendingGroupsOp
from .fragments import LAYOUTS, FragmentCollective, check_converted, matrix_rows_of
from .roles import Scope, WarpgroupCollective
from .types import FragType, SmemType, check_constant, check_slot, frag, smem


def is_wgmma_accumulator(t: FragType) -> bool:
    return t.operand == "C" and t.mma in WGMMAS.values()


@irdl_op_definition
class WgmmaFenceOp(IRDLOperation):
    """
    Orders the warpgroup's register accesses before the group of wgmmas that follows. PTX ISA §9.7.15.7.1.

    ```mlir
    nv.wgmma.fence
    ```
    """

    name = "nv.wgmma.fence"
    traits = traits_def(WarpgroupCollective())
    assembly_format = "attr-dict"


@irdl_op_definition
class WgmmaCommitOp(IRDLOperation):
    """
    Commits the wgmmas that the warpgroup has issued since the previous commit as one group. PTX ISA §9.7.15.7.2.

    ```mlir
    nv.wgmma.commit
    ```
    """

    name = "nv.wgmma.commit"
    traits = traits_def(WarpgroupCollective())
    assembly_format = "attr-dict"


@irdl_op_definition
class WgmmaWaitOp(PendingGroupsOp):
    """
    Waits until all but the last `pending` of the warpgroup's groups are complete. PTX ISA §9.7.15.7.3.

    ```mlir
    nv.wgmma.wait 1
    ```
    """

    name = "nv.wgmma.wait"
    traits = traits_def(WarpgroupCollective())


@irdl_op_definition
class HoldOp(DialectOp):
    """
    Holds later waits, fences and barriers back until a fragment is computed. Without it, ptxas moves an `nv.wgmma.wait` up, over
    arithmetic that does not use what the wait is for, so that the arithmetic does not run under the products.

    ```mlir
    nv.hold %sums : !nv.frag<64x4xf32, lane(4: j, 8: i, 4: 16i) reg(2: 8i)>
    nv.wgmma.wait 0
    ```
    """

    name = "nv.hold"
    traits = traits_def(FragmentCollective(Scope.WARP))
    frag = operand_def(base(FragType))
    assembly_format = "$frag attr-dict `:` type($frag)"

    def __init__(self, frag: SSAValue):
        super().__init__([frag])

    def verify_(self) -> None:
        t = frag(self.frag)
        held = t.spelled and t.element_type == f32
        check_type(self, held, "the fragment", t, "it must be f32 with a spelled layout, such as sums of rows")


class WgmmaOp(DialectOp, abc.ABC):
    """
    Base of wgmmas: `acc = a · b + acc`, or `acc = a · b` if the predicate `if` is false, for all rows of the accumulator
    and the elements of k that one instruction multiplies.

    The descriptor restricts where an operand can start in its slot: at a row that is a multiple of 8, and at a column that is
    a multiple of the instruction's k or, if k is not the contiguous axis, of the panel's width. PTX ISA §9.7.15.5.1.
    """

    acc = operand_def(base(FragType))
    b = operand_def(base(SmemType))
    b_slot = operand_def(IndexType)
    b_row = operand_def(IndexType)
    b_column = operand_def(IndexType)
    b_layout = prop_def(StringAttr)
    accumulate = opt_operand_def(i1)
    traits = traits_def(WarpgroupCollective())

    @property
    def mma(self) -> Mma:
        """The instruction."""
        return cast(Mma, frag(self.acc).mma)

    def verify_(self) -> None:
        t = frag(self.acc)
        want = f"it must be C of {', '.join(WGMMAS)}"
        check_type(self, is_wgmma_accumulator(t), "the accumulator", t.layout_text, want)
        mma = self.mma
        check_type(self, t.element_type == mma.accum, "the accumulator", t.element_type, f"it must be {mma.accum}")
        want = "columns in multiples of 8 up to 256; for integers 8, 16, 24, 32 and multiples of 16"
        check_shape(self, wgmma_columns(mma, t.sizes[1]), "the accumulator", shape_text(t.sizes), want)
        self.check_tile("b", self.b, self.b_layout.data, (mma.k, t.sizes[1]), (self.b_slot, self.b_row, self.b_column))

    def check_tile(
        self, name: str, ring: SSAValue, layout: str, sizes: tuple[int, int], place: tuple[SSAValue, ...]
    ) -> None:
        """
        Checks operand `name` in shared memory: its element type, its swizzle, and that its tile of `sizes` fits in the slot.
        `place` is the slot, row and column at which the tile starts.
        """
        t, mma = smem(ring), self.mma
        check_word(self, "layout", layout, LAYOUTS)
        multiplied, want = mma.multiplies(t.element_type), f"{mma.name} does not multiply it"
        check_type(self, multiplied, f"{name}'s element type", t.element_type, want)
        check_type(self, t.panel > 0, f"{name}'s swizzle", t.swizzle.data, "wgmma reads b128, b64 or b32")
        along_k = (name == "a") == (layout == "ND")
        readable = along_k or element_bytes(t.element_type) == 2
        want = "wgmma transposes 16-bit elements only: stage it with rows along k"
        check_type(self, readable, f"{name} with rows across k", t.element_type, want)
        rows, columns = sizes if layout == "ND" else sizes[::-1]
        fits, want = rows <= t.sizes[1] and columns <= t.sizes[2], f"within a slot of {shape_text(t.sizes[1:])}"
        check_shape(self, fits, name, f"{rows}x{columns}", want)
        check_slot(self, place[0], t.sizes[0])
        step = mma.k if along_k else t.panel // element_bytes(t.element_type)
        for what, value, multiple, size, limit in (
            ("row", place[1], 8, rows, t.sizes[1]),
            ("column", place[2], step, columns, t.sizes[2]),
        ):
            help = f"a multiple of {multiple}, so that the {size} {what}s are within the slot's {limit}"
            check_constant(self, f"{what} of {name}", value, range(0, limit - size + 1, multiple), help)

    def check_pair(self, a: Attribute) -> None:
        """Checks that b has the element type `a`, or can be mixed with it: the other fp8 type, or the other signedness."""
        b, mixed = smem(self.b).element_type, self.mma.kind in ("f8", "i8")
        check_type(self, a == b or mixed, "b's element type", b, f"a holds {a}")


@irdl_op_definition
class WgmmaMmaOp(WgmmaOp):
    """
    `acc = a · b + acc`, or `acc = a · b` if the predicate `if` is false, for all rows of the accumulator
    and the elements of k that one instruction multiplies. Both operands are in shared memory. `ND`: the rows of the slot are
    the operand's rows (m for A, k for B); `DN`: they are its columns. An
    operand starts at a multiple of 8 rows, and at a multiple of the instruction's k in columns or, if k is not the contiguous
    axis, at a panel. Spec: `Wgmma`; PTX ISA §9.7.15.5.2.

    ```mlir
    nv.wgmma.mma %acc, %sa[%slot, %m, %kk] ND, %sb[%slot, %n, %kk] DN if %add : !nv.frag<64x256xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, …
    ```
    """

    name = "nv.wgmma.mma"
    a = operand_def(base(SmemType))
    a_slot = operand_def(IndexType)
    a_row = operand_def(IndexType)
    a_column = operand_def(IndexType)
    a_layout = prop_def(StringAttr)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    custom_directives = (Keyword,)
    assembly_format = (
        "$acc `,` $a `[` $a_slot `,` $a_row `,` $a_column `]` custom<Keyword>($a_layout) `,` "
        "$b `[` $b_slot `,` $b_row `,` $b_column `]` custom<Keyword>($b_layout) (`if` $accumulate^)? attr-dict "
        "`:` type($acc) `,` type($a) `,` type($b)"
    )

    def __init__(
        self,
        acc: SSAValue,
        a: SSAValue,
        a_place: tuple[SSAValue, SSAValue, SSAValue],
        a_layout: str,
        b: SSAValue,
        b_place: tuple[SSAValue, SSAValue, SSAValue],
        b_layout: str,
        accumulate: SSAValue | None = None,
    ):
        operands = [a, *a_place, acc, b, *b_place, [accumulate] if accumulate is not None else []]
        super().__init__(operands, a_layout=a_layout, b_layout=b_layout)

    def verify_(self) -> None:
        super().verify_()
        t = frag(self.acc)
        place = (self.a_slot, self.a_row, self.a_column)
        self.check_tile("a", self.a, self.a_layout.data, (t.sizes[0], self.mma.k), place)
        self.check_pair(smem(self.a).element_type)


@irdl_op_definition
class WgmmaFragOp(WgmmaOp):
    """
    `nv.wgmma.mma` with A in registers, which are in flight like the accumulator. PTX ISA §9.7.15.5.2. A converted accumulator of
    16-bit elements is an operand, too, as the lanes hold the same elements: A is then its columns from `column` on.

    ```mlir
    nv.wgmma.mma_frag %acc, %a, %sb[%slot, %n, %kk] DN : !nv.frag<64x256xf32, C of m64k16>, !nv.frag<64x16xbf16, A of m64k16>, …
    nv.wgmma.mma_frag %acc, %p column 32, %sv[%slot, %kk, %n] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.frag<64x64xbf16, C of m64k16>, …
    ```
    """

    name = "nv.wgmma.mma_frag"
    a = operand_def(base(FragType))
    first = opt_prop_def(IntegerAttr.constr(i64))
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    custom_directives = (Keyword,)
    assembly_format = (
        "$acc `,` $a (`column` $first^)? `,` $b `[` $b_slot `,` $b_row `,` $b_column `]` custom<Keyword>($b_layout) "
        "(`if` $accumulate^)? attr-dict `:` type($acc) `,` type($a) `,` type($b)"
    )

    def __init__(
        self,
        acc: SSAValue,
        a: SSAValue,
        b: SSAValue,
        b_place: tuple[SSAValue, SSAValue, SSAValue],
        b_layout: str,
        accumulate: SSAValue | None = None,
        first: int | None = None,
    ):
        operands = [a, acc, b, *b_place, [accumulate] if accumulate is not None else []]
        super().__init__(operands, b_layout=b_layout, first=first)

    def verify_(self) -> None:
        super().verify_()
        t, a, mma = frag(self.acc), frag(self.a), self.mma
        if self.first is not None:
            check_converted(self, a, mma, t.sizes[0], self.first.value.data)
        else:
            fits = (a.operand, a.mma, a.sizes[0]) == ("A", mma, t.sizes[0])
            check_type(self, fits, "a", a, f"it must have {t.sizes[0]} rows and be A of {mma.name}")
        multiplied, want = mma.multiplies(a.element_type), f"{mma.name} does not multiply it"
        check_type(self, multiplied, "a's element type", a.element_type, want)
        self.check_pair(a.element_type)


@irdl_op_definition
class PromoteOp(DialectOp):
    """
    `acc += part`, element by element in f32. Adds the partial accumulator of an fp8 wgmma, which has less precision than f32.

    ```mlir
    nv.promote %part to %acc : !nv.frag<64x128xf32, C of m64k32_f8>, !nv.frag<64x128xf32, C of m64k32_f8>
    ```
    """

    name = "nv.promote"
    traits = traits_def(WarpgroupCollective())
    part = operand_def(base(FragType))
    acc = operand_def(base(FragType))
    assembly_format = "$part `to` $acc attr-dict `:` type($part) `,` type($acc)"

    def __init__(self, part: SSAValue, acc: SSAValue):
        super().__init__([part, acc])

    def verify_(self) -> None:
        part, acc = frag(self.part), frag(self.acc)
        accumulates = is_wgmma_accumulator(acc) and acc.element_type == f32
        check_type(self, accumulates, "acc", acc, "it must be f32, C of a wgmma")
        other = part == acc and self.part is not self.acc
        check_type(self, other, "part", part, f"it must be another accumulator of type {acc}")


@irdl_op_definition
class StoreMatrixOp(DialectOp):
    """
    Fills a slot with columns of a result, starting at `column`. `ND`: the slot's rows are the result's rows; `DN`: they are its
    columns. 16-bit elements are stored by stmatrix, others by st.shared, which cannot transpose. A slot has all rows of the
    result and a multiple of 16 of its columns. PTX ISA §9.7.14.5.16.

    ```mlir
    nv.stmatrix %half column 64 ND to %out[%buffer, %c0, %c0] : !nv.frag<64x128xbf16, C of m64k16>, !nv.smem<2x64x64xbf16, b128>
    ```
    """

    name = "nv.stmatrix"
    traits = traits_def(WarpgroupCollective())
    frag = operand_def(base(FragType))
    first = prop_def(IntegerAttr.constr(i64))
    layout = prop_def(StringAttr)
    smem = operand_def(base(SmemType))
    slot = operand_def(IndexType)
    row = operand_def(IndexType)
    column = operand_def(IndexType)
    custom_directives = (Keyword,)
    assembly_format = (
        "$frag `column` $first custom<Keyword>($layout) `to` $smem `[` $slot `,` $row `,` $column `]` attr-dict "
        "`:` type($frag) `,` type($smem)"
    )

    def __init__(
        self, frag: SSAValue, first: int, layout: str, smem: SSAValue, place: tuple[SSAValue, SSAValue, SSAValue]
    ):
        super().__init__([frag, smem, *place], first=first, layout=layout)

    @property
    def columns(self) -> int:
        """The number of columns of the result that are stored."""
        rows, columns = smem(self.smem).sizes[1:]
        return columns if self.layout.data == "ND" else rows

    @property
    def matrix_rows(self) -> MatrixRows | None:
        """The rows of the matrices that make up two tiles of the result side by side; None if stmatrix does not store them."""
        return matrix_rows_of(frag(self.frag), smem(self.smem), self.layout.data, 2)

    def verify_(self) -> None:
        t, ring = frag(self.frag), smem(self.smem)
        check_type(self, is_wgmma_accumulator(t), "the result", t.layout_text, "it must be C of a wgmma")
        same, want = t.element_type == signless(ring.element_type), f"the result is {t.element_type}"
        check_type(self, same, "the slot's element type", ring.element_type, want)
        check_word(self, "layout", self.layout.data, LAYOUTS)
        movable = self.layout.data == "ND" or self.matrix_rows is not None
        want = "stmatrix.trans moves 16-bit elements"
        check_type(self, movable, "a transposed result", t.element_type, want)
        rows = ring.sizes[1] if self.layout.data == "ND" else ring.sizes[2]
        first = self.first.value.data
        whole = rows == t.sizes[0] and not first % 16 and not self.columns % 16
        got = f"{shape_text(ring.sizes[1:])} from column {first} on"
        want = f"{t.sizes[0]} rows and a multiple of 16 columns, within {shape_text(t.sizes)}"
        check_shape(self, whole and 0 <= first <= t.sizes[1] - self.columns, "the slot", got, want)
        check_slot(self, self.slot, ring.sizes[0])
        for name, value in (("row", self.row), ("column", self.column)):
            check_constant(self, name, value, (0,), "0, as the result fills the slot")
