"""
Statements of the `nv` dialect on wgmma: a warpgroup multiplies out of shared memory while it goes on.

```mlir
%acc = nv.frag : !nv.frag<64x256xf32, C of m64k16>
nv.wgmma.fence
nv.wgmma.mma %acc, %sa[%slot, %row, %kk] ND, %sb[%slot, %kk, %c0] ND if %add : …     // acc = a · b (+ acc, if %add)
nv.wgmma.commit
nv.wgmma.wait 1                                                                       // all groups but one are done
nv.stmatrix %half column 64 ND to %out[%buffer, %c0, %c0] : …
```

Until its group is waited for, a sum is in flight: no other statement may touch it, and what it reads in shared memory
must stay. In flight over the back edge of a loop may be one sum only, which the loop goes on adding to: two that take
turns make ptxas serialise them (its remarks C7514, C7517). The layout of an operand says whether the rows of its tile
are the operand's rows (`ND`) or its columns (`DN`), as in `nv.ldmatrix`; a tile whose rows run across k (A in `DN`, B in
`ND`) is of 16-bit elements. Spec: `Wgmma`; PTX ISA §9.7.15.
"""

from __future__ import annotations

import abc

from xdsl.dialects.builtin import IndexType, IntegerAttr, StringAttr, f32, i1, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    traits_def,
)

from ...errors import InvalidAttributeValue, ShapeMismatch, UnsupportedType
from ...targets.mma import WGMMAS, element_bytes, wgmma_columns
from ..common.shapes import signless, spell
from ..common.syntax import Keyword
from .fragments import LAYOUTS
from .mbarrier import require_slot
from .roles import OfWarpgroup
from .types import FragType, SmemType, constant_of, frag, smem


@irdl_op_definition
class WgmmaFenceOp(IRDLOperation):
    """
    Orders what the warpgroup did with its registers before the group of wgmmas that follows. PTX ISA §9.7.15.7.1.

    ```mlir
    nv.wgmma.fence
    ```
    """

    name = "nv.wgmma.fence"
    traits = traits_def(OfWarpgroup())
    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__()


@irdl_op_definition
class WgmmaCommitOp(IRDLOperation):
    """
    Closes the warpgroup's group of wgmmas. PTX ISA §9.7.15.7.2.

    ```mlir
    nv.wgmma.commit
    ```
    """

    name = "nv.wgmma.commit"
    traits = traits_def(OfWarpgroup())
    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__()


@irdl_op_definition
class WgmmaWaitOp(IRDLOperation):
    """
    Waits until at most `pending` of the warpgroup's groups, the last ones, are under way. PTX ISA §9.7.15.7.3.

    ```mlir
    nv.wgmma.wait 1
    ```
    """

    name = "nv.wgmma.wait"
    traits = traits_def(OfWarpgroup())
    pending = prop_def(IntegerAttr.constr(i64))
    assembly_format = "$pending attr-dict"

    def __init__(self, pending: int):
        super().__init__(properties={"pending": IntegerAttr(pending, i64)})

    def verify_(self) -> None:
        if not 0 <= self.pending.value.data <= 7:
            raise InvalidAttributeValue(
                self, name="pending", problem=f"is {self.pending.value.data}", help="0 to 7 groups"
            )


class WgmmaOp(IRDLOperation, abc.ABC):
    """
    `acc = a · b + acc`, or `acc = a · b` where `if` is false; one step of k, all rows of the sums.

    Where an operand begins in its slot is what a descriptor can say: at a multiple of 8 rows, and, in columns, at a
    whole step of k (rows along k) or at a panel (rows across k). PTX ISA §9.7.15.5.1.
    """

    acc = operand_def(base(FragType))
    b = operand_def(base(SmemType))
    b_slot = operand_def(IndexType)
    b_row = operand_def(IndexType)
    b_column = operand_def(IndexType)
    b_layout = prop_def(StringAttr)
    accumulate = opt_operand_def(i1)
    traits = traits_def(OfWarpgroup())

    def verify_(self) -> None:
        t = frag(self.acc)
        if t.operand.data != "C" or t.of.data not in WGMMAS:
            raise UnsupportedType(
                self, what="the accumulator", got=t.spelling, want=f"it must be C of {', '.join(WGMMAS)}"
            )
        mma = WGMMAS[t.of.data]
        if t.element_type != mma.accum:
            raise UnsupportedType(self, what="the accumulator", got=t.element_type, want=f"it sums in {mma.accum}")
        if not wgmma_columns(mma, t.sizes[1]):
            raise ShapeMismatch(
                self,
                what="the accumulator",
                got=spell(t.sizes),
                want="columns in multiples of 8 up to 256; of integers 8, 16, 24, 32 and multiples of 16",
            )
        self.check_tile("b", self.b, self.b_layout.data, (mma.k, t.sizes[1]), (self.b_slot, self.b_row, self.b_column))

    def check_tile(
        self, name: str, ring: SSAValue, layout: str, sizes: tuple[int, int], place: tuple[SSAValue, ...]
    ) -> None:
        """An operand in shared memory: its type, its swizzle, what fits into a slot, and from where on."""
        t, mma = smem(ring), WGMMAS[frag(self.acc).of.data]
        if layout not in LAYOUTS:
            raise InvalidAttributeValue(
                self, name="layout", problem=f"is '{layout}'", help=f"one of {', '.join(LAYOUTS)}"
            )
        if not mma.takes(t.element_type):
            raise UnsupportedType(
                self, what=f"{name}'s element type", got=t.element_type, want=f"{mma.name} does not multiply it"
            )
        if not t.panel:
            raise UnsupportedType(
                self, what=f"{name}'s swizzle", got=t.swizzle.data, want="wgmma reads b128, b64 or b32"
            )
        along_k = (name == "a") == (layout == "ND")
        if not along_k and element_bytes(t.element_type) != 2:
            raise UnsupportedType(
                self,
                what=f"{name} with rows across k",
                got=t.element_type,
                want="wgmma transposes 16-bit elements only: stage it with rows along k",
            )
        rows, columns = sizes if layout == "ND" else sizes[::-1]
        if rows > t.sizes[1] or columns > t.sizes[2]:
            raise ShapeMismatch(
                self, what=f"{name}", got=f"{rows}x{columns}", want=f"within a slot of {spell(t.sizes[1:])}"
            )
        require_slot(self, place[0], t.sizes[0])
        step = mma.k if along_k else t.panel // element_bytes(t.element_type)
        for what, value, of, size, room in (
            ("row", place[1], 8, rows, t.sizes[1]),
            ("column", place[2], step, columns, t.sizes[2]),
        ):
            known = constant_of(value)
            if known is not None and (known < 0 or known % of or known + size > room):
                raise InvalidAttributeValue(
                    self,
                    name=f"{what} of {name}",
                    problem=f"is {known}",
                    help=f"a multiple of {of}, and from there {size} {what}s within the slot's {room}",
                )


@irdl_op_definition
class WgmmaMmaOp(WgmmaOp):
    """
    `acc = a · b + acc`, or `acc = a · b` where `if` is false: one step of k, all rows of the sums, both operands in shared
    memory. `ND`: the rows of the slot are the operand's (A: m, B: k), `DN`: they are its columns; a and b lie at a multiple
    of 8 rows, in columns at a whole step of k or, rows across k, at a panel. Spec: `Wgmma`; PTX ISA §9.7.15.5.2.

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
        super().__init__(
            operands=[a, *a_place, acc, b, *b_place, [accumulate] if accumulate is not None else []],
            properties={"a_layout": StringAttr(a_layout), "b_layout": StringAttr(b_layout)},
        )

    def verify_(self) -> None:
        super().verify_()
        t = frag(self.acc)
        place = (self.a_slot, self.a_row, self.a_column)
        self.check_tile("a", self.a, self.a_layout.data, (t.sizes[0], WGMMAS[t.of.data].k), place)
        a, b = smem(self.a).element_type, smem(self.b).element_type
        if a != b and WGMMAS[t.of.data].k != 32:
            raise UnsupportedType(self, what="b's element type", got=b, want=f"a holds {a}")


@irdl_op_definition
class WgmmaFragOp(WgmmaOp):
    """
    Like `nv.wgmma.mma`, with A in registers, which too are in flight until the wait. PTX ISA §9.7.15.5.2.

    ```mlir
    nv.wgmma.mma_frag %acc, %a, %sb[%slot, %n, %kk] DN : !nv.frag<64x256xf32, C of m64k16>, !nv.frag<64x16xbf16, A of m64k16>, …
    ```
    """

    name = "nv.wgmma.mma_frag"
    a = operand_def(base(FragType))
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    custom_directives = (Keyword,)
    assembly_format = (
        "$acc `,` $a `,` $b `[` $b_slot `,` $b_row `,` $b_column `]` custom<Keyword>($b_layout) "
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
    ):
        super().__init__(
            operands=[a, acc, b, *b_place, [accumulate] if accumulate is not None else []],
            properties={"b_layout": StringAttr(b_layout)},
        )

    def verify_(self) -> None:
        super().verify_()
        t, a = frag(self.acc), frag(self.a)
        if (a.operand.data, a.of.data) != ("A", t.of.data) or a.sizes[0] != t.sizes[0]:
            raise UnsupportedType(self, what="a", got=a, want=f"it must have {t.sizes[0]} rows and be A of {t.of.data}")
        if a.element_type != smem(self.b).element_type and WGMMAS[t.of.data].k != 32:
            raise UnsupportedType(
                self, what="b's element type", got=smem(self.b).element_type, want=f"a holds {a.element_type}"
            )


@irdl_op_definition
class PromoteOp(IRDLOperation):
    """
    `acc += part`, element by element, rounded in f32: what the tensor cores summed of fp8 with fewer bits.

    ```mlir
    nv.promote %part to %acc : !nv.frag<64x128xf32, C of m64k32_f8>, !nv.frag<64x128xf32, C of m64k32_f8>
    ```
    """

    name = "nv.promote"
    traits = traits_def(OfWarpgroup())
    part = operand_def(base(FragType))
    acc = operand_def(base(FragType))
    assembly_format = "$part `to` $acc attr-dict `:` type($part) `,` type($acc)"

    def __init__(self, part: SSAValue, acc: SSAValue):
        super().__init__(operands=[part, acc])

    def verify_(self) -> None:
        part, acc = frag(self.part), frag(self.acc)
        if acc.operand.data != "C" or acc.of.data not in WGMMAS or acc.element_type != f32:
            raise UnsupportedType(self, what="acc", got=acc, want="it must be f32, C of a wgmma")
        if part != acc or self.part is self.acc:
            raise UnsupportedType(self, what="part", got=part, want=f"it must be another accumulator of type {acc}")


@irdl_op_definition
class StoreMatrixOp(IRDLOperation):
    """
    A warpgroup stores columns of a result, from `column` on, into a slot: as many as the slot has. `ND`: the
    slot's rows are the result's; `DN`: its columns. 16-bit elements go by stmatrix, others by stores of each lane, which
    cannot transpose. A slot has 64 rows for each 64 of the result, and 16 columns or a multiple. PTX ISA §9.7.14.5.16.

    ```mlir
    nv.stmatrix %half column 64 ND to %out[%buffer, %c0, %c0] : !nv.frag<64x128xbf16, C of m64k16>, !nv.smem<2x64x64xbf16, b128>
    ```
    """

    name = "nv.stmatrix"
    traits = traits_def(OfWarpgroup())
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
        super().__init__(
            operands=[frag, smem, *place],
            properties={"first": IntegerAttr(first, i64), "layout": StringAttr(layout)},
        )

    @property
    def columns(self) -> int:
        """How many columns of the result go."""
        rows, columns = smem(self.smem).sizes[1:]
        return columns if self.layout.data == "ND" else rows

    def verify_(self) -> None:
        t, ring = frag(self.frag), smem(self.smem)
        if t.operand.data != "C" or t.of.data not in WGMMAS:
            raise UnsupportedType(self, what="the result", got=t.spelling, want="it must be C of a wgmma")
        if t.element_type != signless(ring.element_type):
            raise UnsupportedType(
                self, what="the slot's element type", got=ring.element_type, want=f"the result is {t.element_type}"
            )
        if self.layout.data not in LAYOUTS:
            raise InvalidAttributeValue(
                self, name="layout", problem=f"is '{self.layout.data}'", help=f"one of {', '.join(LAYOUTS)}"
            )
        if self.layout.data == "DN" and element_bytes(t.element_type) != 2:
            raise UnsupportedType(
                self, what="a transposed result", got=t.element_type, want="stmatrix.trans moves 16-bit elements"
            )
        rows = ring.sizes[1] if self.layout.data == "ND" else ring.sizes[2]
        first = self.first.value.data
        if rows != t.sizes[0] or first < 0 or first % 16 or self.columns % 16 or first + self.columns > t.sizes[1]:
            raise ShapeMismatch(
                self,
                what="the slot",
                got=f"{spell(ring.sizes[1:])} from column {first} on",
                want=f"{t.sizes[0]} rows and 16 columns or a multiple, within {spell(t.sizes)}",
            )
        require_slot(self, self.slot, ring.sizes[0])
        for name, value in (("row", self.row), ("column", self.column)):
            if (known := constant_of(value)) is not None and known != 0:
                raise InvalidAttributeValue(self, name=name, problem=f"is {known}", help="the result fills the slot: 0")
