"""
Fragment ops: loads from shared memory, multiplication, change of layout.

A fragment is storage in registers: loads and multiplications write to a fragment that is their operand. Spec:
`tensor-compiler.ja §1.8` (`LdMatrix`, `MmaSync`).
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerAttr, StringAttr, i64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)

from ...targets.architectures import WARP, WARPGROUP
from ...targets.layouts import Layout, Mode, layout_of
from ...targets.matrices import MatrixRows, matrix_rows
from ...targets.mma import Mma, element_bytes
from ..common.checks import check, check_shape, check_type, check_value, check_word
from ..common.ops import DialectOp
from ..common.shapes import shape_text
from ..common.syntax import Axes, Keyword, ints
from .roles import Collective, Scope, role_of
from .types import FragType, SmemType, frag, smem

SameFragment = VarConstraint("Fragment", base(FragType))
LAYOUTS = ("ND", "DN")
"""Whether the rows of a tile in shared memory are the operand's rows (`ND`) or its columns (`DN`)."""


@dataclass(frozen=True)
class FragmentCollective(Collective):
    """The op is collective over the warp or warpgroup that holds its fragments; if it has none, over `scope`."""

    def holder_of(self, op: Operation) -> Scope:
        """Returns whether a warp or a warpgroup holds the op's fragments."""
        threads = [v.type.layout.threads for v in (*op.operands, *op.results) if isinstance(v.type, FragType)]
        if not threads:
            return self.scope
        return Scope.WARPGROUP if max(threads) == WARPGROUP else Scope.WARP

    def scope_of(self, op: Operation) -> Scope:
        return self.holder_of(op)

    def verify(self, op: Operation) -> None:
        super().verify(op)
        placed = self.holder_of(op) != Scope.WARPGROUP or role_of(op) is not None
        check(op, placed, "is collective over the fragment's warpgroup: it belongs inside nv.role")


@dataclass(frozen=True)
class FragmentElementwise(FragmentCollective):
    """The op computes on the elements of each warp by themselves: the warps of a warpgroup need not reach it together."""

    def scope_of(self, op: Operation) -> Scope:
        return self.scope


@irdl_op_definition
class FragOp(DialectOp):
    """Allocates registers for a fragment. Accumulators are zero; A, B and fragments with a spelled layout are uninitialized."""

    name = "nv.frag"
    traits = traits_def(FragmentCollective(Scope.WARP))
    result = result_def(base(FragType))
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, type: FragType):
        super().__init__([], [type])


@irdl_op_definition
class AssignOp(DialectOp):
    """
    Copies the elements of `value`, or its `columns` from the first number up to the second one, to the storage `frag`, a fragment of the same
    type. Loops keep fragments in such storage.

    ```mlir
    %acc = nv.frag : !nv.frag<16x8xf32, C of m16n8k16>
    nv.assign %rescaled to %acc : !nv.frag<16x8xf32, C of m16n8k16>
    nv.assign %rescaled to %acc columns [0, 8] : !nv.frag<16x8xf32, C of m16n8k16>
    ```
    """

    name = "nv.assign"
    traits = traits_def(FragmentElementwise(Scope.WARP))
    value = operand_def(SameFragment)
    frag = operand_def(SameFragment)
    columns = opt_prop_def(DenseArrayBase.constr(i64))
    custom_directives = (Axes,)
    assembly_format = "$value `to` $frag (`columns` custom<Axes>($columns)^)? attr-dict `:` type($frag)"

    def __init__(self, value: SSAValue, frag: SSAValue, columns: Sequence[int] | None = None):
        super().__init__([value, frag], columns=columns)

    def verify_(self) -> None:
        check(self, isinstance(self.frag.owner, FragOp), "assigns to storage: the result of an nv.frag")
        if self.columns is not None:
            t, columns = frag(self.frag), ints(self.columns)
            each = t.layout.columns
            legal = not t.spelled and not any(c % each for c in columns) and list(columns) == sorted(set(columns))
            legal = legal and len(columns) == 2 and columns[0] >= 0 and columns[1] <= t.sizes[1]
            want = f"the first one and the end of some of the {t.sizes[1]} columns, multiples of {each}, of tiles of a layout"
            check_value(self, legal, "columns", list(columns), want)


# --- loads --------------------------------------------------------------------------------------------


def in_slot(t: FragType, layout: str) -> tuple[Layout, tuple[Mode, ...]]:
    """Returns the layout of a fragment's tiles and the digits that number the tiles, in the rows and columns of a slot."""
    digits = t.tile_digits
    return (t.layout, digits) if layout == "ND" else (t.layout.transposed, tuple(d.transposed for d in digits))


@cache
def matrix_rows_of(t: FragType, ring: SmemType, layout: str, tiles: int = 1) -> MatrixRows | None:
    """Returns the rows of the matrices that make up so many adjacent tiles of a fragment; None if they are not stored as such rows."""
    tile, (*_, digit) = in_slot(t, layout)
    elements = [*tile.elements, replace(digit, radix=tiles)]
    return matrix_rows(layout_of(tile.lanes, (), elements), ring.layout, element_bytes(t.element_type))


class LoadFragmentOp(DialectOp, abc.ABC):
    """Base of loads of a fragment from a slot of a ring. The fragment's first element is at `row` and `column` of the slot."""

    smem = operand_def(base(SmemType))
    slot = operand_def(IndexType)
    row = operand_def(IndexType)
    column = operand_def(IndexType)
    layout = prop_def(StringAttr)
    frag = operand_def(base(FragType))
    traits = traits_def(FragmentCollective(Scope.WARP))
    custom_directives = (Keyword,)
    assembly_format = "$smem `[` $slot `,` $row `,` $column `]` custom<Keyword>($layout) `to` $frag attr-dict `:` type($smem) `,` type($frag)"

    def __init__(self, smem: SSAValue, slot: SSAValue, row: SSAValue, column: SSAValue, layout: str, frag: SSAValue):
        super().__init__([smem, slot, row, column, frag], layout=layout)

    def verify_(self) -> None:
        check_word(self, "layout", self.layout.data, LAYOUTS)
        fragment, ring = frag(self.frag), smem(self.smem)
        check(self, fragment.is_operand, f"loads operands A and B, not '{fragment.layout_text}'")
        same, want = fragment.element_type == ring.element_type, f"the ring holds {ring.element_type}"
        check_type(self, same, "the fragment's element type", fragment.element_type, want)
        sizes, slot = fragment.sizes if self.layout.data == "ND" else fragment.sizes[::-1], ring.sizes[1:]
        fits = all(size <= limit for size, limit in zip(sizes, slot, strict=True))
        check_shape(self, fits, "the fragment", shape_text(sizes), f"within a slot of {shape_text(slot)}")


class MatrixFragmentOp(LoadFragmentOp, abc.ABC):
    """Base of loads and stores of an A or B fragment as matrices of 8 rows of 16 bytes."""

    def matrix_rows(self, tiles: int = 1) -> MatrixRows | None:
        """Returns the rows of the matrices that make up so many tiles of the fragment; None if they are not stored as such rows."""
        return matrix_rows_of(frag(self.frag), smem(self.smem), self.layout.data, tiles)

    def verify_(self) -> None:
        super().verify_()
        t = frag(self.frag)
        problem = f"cannot load {t.element_type} as '{t.layout_text}' from {self.layout.data}"
        help = (
            "its matrices have rows of 16 bytes, of which each lane gets 4, and only 16-bit elements can be transposed"
        )
        check(self, self.matrix_rows() is not None, f"{problem}: {help}; use nv.ld_shared")


@irdl_op_definition
class LdMatrixOp(MatrixFragmentOp):
    """
    Loads an A or B fragment by ldmatrix. `ND`: the tile's rows are the operand's rows; `DN`: they are its columns. The lane
    addresses and `.trans` follow from the layout and the operand. Only 16-bit elements can be transposed, and each lane
    must hold 32-bit words along k. PTX ISA §9.7.14.5.15.
    """

    name = "nv.ldmatrix"


@irdl_op_definition
class StoreOperandOp(MatrixFragmentOp):
    """
    Stores an A fragment of a wgmma of 16-bit elements where `nv.ldmatrix` with the same operands loads it from, by stmatrix. PTX ISA
    §9.7.14.5.16.

    ```mlir
    nv.role consumer threads 128 to 256 {
      nv.ldmatrix %q[%c0, %row, %c16] ND to %raw : !nv.smem<1x128x64xbf16, b128>, !nv.frag<64x16xbf16, A of m64k16>
      nv.store_operand %q[%c0, %row, %c16] ND from %scaled : !nv.smem<1x128x64xbf16, b128>, !nv.frag<64x16xbf16, A of m64k16>
    }
    ```
    """

    name = "nv.store_operand"
    assembly_format = (
        "$smem `[` $slot `,` $row `,` $column `]` custom<Keyword>($layout) `from` $frag attr-dict "
        "`:` type($smem) `,` type($frag)"
    )

    def verify_(self) -> None:
        t = frag(self.frag)
        fits = t.operand == "A" and element_bytes(t.element_type) == 2 and t.layout.threads > WARP
        check(self, fits, f"stores operand A of a wgmma of 16-bit elements, not {t.element_type} as '{t.layout_text}'")
        super().verify_()


@irdl_op_definition
class LdSharedOp(LoadFragmentOp):
    """Loads an A or B fragment by ld.shared of each lane, vectorized over contiguous elements. PTX ISA §9.7.9.8."""

    name = "nv.ld_shared"


@irdl_op_definition
class ToTf32Op(DialectOp):
    """Rounds the elements of an operand to tf32, to nearest, ties away from zero. PTX ISA §9.7.9.21 (`cvt.rna.tf32.f32`)."""

    name = "nv.to_tf32"
    traits = traits_def(FragmentCollective(Scope.WARP))
    frag = operand_def(base(FragType))
    assembly_format = "$frag attr-dict `:` type($frag)"

    def __init__(self, frag: SSAValue):
        super().__init__([frag])

    def verify_(self) -> None:
        fragment = frag(self.frag)
        rounds = fragment.is_operand and fragment.mma is not None and fragment.mma.kind == "tf32"
        want = "expected A or B of m16n8k8 or A of m64k8, which hold tf32"
        check_type(self, rounds, "the fragment", fragment.layout_text, want)


# --- multiplication -----------------------------------------------------------------------------------


def check_converted(op: Operation, a: FragType, mma: Mma, rows: int, first: int) -> None:
    """Checks that the columns of a converted accumulator from `first` on are operand A of an instruction, for so many rows."""
    fits = (a.operand, a.mma, a.sizes[0], element_bytes(a.element_type)) == ("C", mma, rows, 2)
    check_type(op, fits, "a", a, f"it must have {rows} rows of 16-bit elements and be C of {mma.name}")
    within = 0 <= first <= a.sizes[1] - mma.k and first % mma.k == 0
    check_value(op, within, "column", first, f"a multiple of {mma.k}, so that {mma.k} columns are within {a}")


class MultiplyOp(DialectOp, abc.ABC):
    """Base of `acc += a · b` on the fragments of each warp, which are operands A, B and C of the same instruction."""

    acc = operand_def(base(FragType))
    a = operand_def(base(FragType))
    b = operand_def(base(FragType))
    first = opt_prop_def(IntegerAttr.constr(i64))
    traits = traits_def(FragmentCollective(Scope.WARP))
    assembly_format = "$acc `,` $a (`column` $first^)? `,` $b attr-dict `:` type($acc) `,` type($a) `,` type($b)"

    def __init__(self, acc: SSAValue, a: SSAValue, b: SSAValue, first: int | None = None):
        super().__init__([acc, a, b], first=first)

    def verify_(self) -> None:
        acc, a, b = frag(self.acc), frag(self.a), frag(self.b)
        operands = [t.operand or "a spelled layout" for t in (acc, a, b)]
        left = "A" if self.first is None else "C"
        check(self, operands == ["C", left, "B"], f"takes fragments C, {left} and B, got {', '.join(operands)}")
        names = [t.mma.name for t in (acc, a, b) if t.mma is not None]
        check(self, len(set(names)) == 1, f"takes operands of one instruction, got {', '.join(names)}")
        right = FmaOp if names[0] == "fma" else MmaSyncOp
        check(self, isinstance(self, right), f"does not multiply fragments of {names[0]}: use {right.name}")
        for name, t in (("a", a), ("b", b)):
            multiplied = t.mma is not None and t.mma.multiplies(t.element_type)
            check_type(self, multiplied, f"{name}'s element type", t.element_type, f"{names[0]} does not multiply it")
        paired = a.element_type == b.element_type or names[0] == "m16n8k32"
        check_type(self, paired, "b's element type", b.element_type, f"a holds {a.element_type}")
        if self.first is not None and acc.mma is not None:
            check_converted(self, a, acc.mma, acc.sizes[0], self.first.value.data)
        columns = a.sizes[1] if self.first is None else b.sizes[0]
        fits = (a.sizes[0], columns, b.sizes[1]) == (acc.sizes[0], b.sizes[0], acc.sizes[1])
        want = f"the product of {shape_text(a.sizes)} and {shape_text(b.sizes)}"
        check_shape(self, fits, "acc", shape_text(acc.sizes), want)


@irdl_op_definition
class MmaSyncOp(MultiplyOp):
    """
    `acc += a · b` on the tensor cores, by mma.sync. A converted accumulator of 16-bit elements is an operand, too, as the lanes hold the
    same elements: A is then its columns from `column` on. Spec: `MmaSync`; PTX ISA §9.7.14.5.14.

    ```mlir
    nv.mma_sync %acc, %p column 32, %v : !nv.frag<16x8xf32, C of m16n8k16>, !nv.frag<16x64xbf16, C of m16n8k16>, !nv.frag<16x8xbf16, B of m16n8k16>
    ```
    """

    name = "nv.mma_sync"


@irdl_op_definition
class FmaOp(MultiplyOp):
    """`acc += a · b` in f32 without tensor cores: one FMA, with one rounding, for each k in ascending order."""

    name = "nv.fma"
