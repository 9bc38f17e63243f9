"""
Statements of the `nv` dialect on fragments: loads from shared memory, multiplication, change of layout.

Fragments are storage: an operand that a statement fills is written as its last one. Spec:
`tensor-compiler.ja §1.8` (`LdMatrix`, `MmaSync`).
"""

from __future__ import annotations

import abc
from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import IRDLOperation, base, irdl_op_definition, operand_def, prop_def, result_def, traits_def

from ...errors import InvalidAttributeValue, ShapeMismatch, UnsupportedType, VerifyError
from ...targets.mma import ROWS, element_bytes
from ..common.shapes import spell
from ..common.syntax import Keyword
from .roles import WARPGROUP, Collective, Scope, role_of
from .types import FragType, SmemType, frag, smem

LAYOUTS = ("ND", "DN")


@dataclass(frozen=True)
class OfFragments(Collective):
    """A statement of those who hold its fragments: a warp, or a warpgroup, which has a role; `scope` without any."""

    def scope_of(self, op: Operation) -> Scope:
        threads = [v.type.layout.threads for v in (*op.operands, *op.results) if isinstance(v.type, FragType)]
        if not threads:
            return self.scope
        return Scope.WARPGROUP if max(threads) == WARPGROUP else Scope.WARP

    def verify(self, op: Operation) -> None:
        super().verify(op)
        if self.scope_of(op) == Scope.WARPGROUP and role_of(op) is None:
            raise VerifyError(op, message="is for a warpgroup, which holds the fragment: it stands inside of nv.role")


@irdl_op_definition
class FragOp(IRDLOperation):
    """Registers for a fragment; sums start as zeros, A and B as nothing."""

    name = "nv.frag"
    traits = traits_def(OfFragments(Scope.WARP))
    result = result_def(base(FragType))
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, type: FragType):
        super().__init__(result_types=[type])


# --- loads --------------------------------------------------------------------------------------------


class LoadFragmentOp(IRDLOperation, abc.ABC):
    """Row `row`, column `column` of a slot is where the fragment begins."""

    smem = operand_def(base(SmemType))
    slot = operand_def(IndexType)
    row = operand_def(IndexType)
    column = operand_def(IndexType)
    layout = prop_def(StringAttr)
    frag = operand_def(base(FragType))
    traits = traits_def(OfFragments(Scope.WARP))
    custom_directives = (Keyword,)
    assembly_format = "$smem `[` $slot `,` $row `,` $column `]` custom<Keyword>($layout) `to` $frag attr-dict `:` type($smem) `,` type($frag)"

    def __init__(self, smem: SSAValue, slot: SSAValue, row: SSAValue, column: SSAValue, layout: str, frag: SSAValue):
        super().__init__(operands=[smem, slot, row, column, frag], properties={"layout": StringAttr(layout)})

    @property
    def along_k(self) -> bool:
        """Whether the tile's rows follow k, so that neighbours in memory are neighbours of the sum."""
        return (frag(self.frag).operand.data == "A") == (self.layout.data == "ND")

    def verify_(self) -> None:
        if self.layout.data not in LAYOUTS:
            raise InvalidAttributeValue(
                self, name="layout", problem=f"is '{self.layout.data}'", help=f"one of {', '.join(LAYOUTS)}"
            )
        fragment, ring = frag(self.frag), smem(self.smem)
        if fragment.operand.data not in ("A", "B") or fragment.mma is None:
            raise VerifyError(self, message=f"loads operands A and B, not '{fragment.spelling}'")
        if fragment.element_type != ring.element_type:
            raise UnsupportedType(
                self,
                what="the fragment's element type",
                got=fragment.element_type,
                want=f"the ring holds {ring.element_type}",
            )
        sizes = fragment.sizes if self.layout.data == "ND" else fragment.sizes[::-1]
        if any(size > limit for size, limit in zip(sizes, ring.sizes[1:], strict=True)):
            raise ShapeMismatch(
                self, what="the fragment", got=spell(sizes), want=f"within a slot of {spell(ring.sizes[1:])}"
            )


@irdl_op_definition
class LdMatrixOp(LoadFragmentOp):
    """
    Each warp loads an A or B fragment by ldmatrix. `ND` says that the tile's rows are the operand's rows, `DN`
    that they are its columns; the lane addresses and `.trans` follow from that and the role. Only 16-bit
    elements can be transposed, and only words of 32 bits along k are lanes' shares. PTX ISA §9.7.14.5.15.
    """

    name = "nv.ldmatrix"

    def verify_(self) -> None:
        super().verify_()
        fragment = frag(self.frag)
        if fragment.of.data in ("fma", "m8n8k4"):
            raise UnsupportedType(
                self,
                what="the layout",
                got=fragment.spelling,
                want="ldmatrix gives each lane words of 32 bits: use nv.ld_shared",
            )
        if not self.along_k and element_bytes(fragment.element_type) != 2:
            raise UnsupportedType(
                self,
                what="a transposed element",
                got=fragment.element_type,
                want="ldmatrix.trans moves 16-bit elements: use nv.ld_shared",
            )


@irdl_op_definition
class LdSharedOp(LoadFragmentOp):
    """Each lane loads its elements of an A or B fragment itself, as many at a time as lie side by side. PTX ISA §9.7.9.8."""

    name = "nv.ld_shared"


@irdl_op_definition
class ToTf32Op(IRDLOperation):
    """Rounds the elements of an operand to tf32, to nearest, ties away from zero. PTX ISA §9.7.9.22 (`cvt.rna.tf32.f32`)."""

    name = "nv.to_tf32"
    traits = traits_def(OfFragments(Scope.WARP))
    frag = operand_def(base(FragType))
    assembly_format = "$frag attr-dict `:` type($frag)"

    def __init__(self, frag: SSAValue):
        super().__init__(operands=[frag])

    def verify_(self) -> None:
        fragment = frag(self.frag)
        if fragment.of.data != "m16n8k8" or fragment.operand.data == "C":
            raise UnsupportedType(
                self, what="the fragment", got=fragment.spelling, want="operands A and B of m16n8k8 are tf32"
            )


# --- multiplication -----------------------------------------------------------------------------------


class MultiplyOp(IRDLOperation, abc.ABC):
    """`acc += a · b` on each warp's fragments, which are operands of one instruction."""

    acc = operand_def(base(FragType))
    a = operand_def(base(FragType))
    b = operand_def(base(FragType))
    traits = traits_def(OfFragments(Scope.WARP))
    assembly_format = "$acc `,` $a `,` $b attr-dict `:` type($acc) `,` type($a) `,` type($b)"

    def __init__(self, acc: SSAValue, a: SSAValue, b: SSAValue):
        super().__init__(operands=[acc, a, b])

    def verify_(self) -> None:
        acc, a, b = frag(self.acc), frag(self.a), frag(self.b)
        roles = [t.operand.data for t in (acc, a, b)]
        if roles != ["C", "A", "B"]:
            raise VerifyError(self, message=f"takes fragments C, A and B, got {', '.join(roles)}")
        names = [t.of.data for t in (acc, a, b)]
        if len(set(names)) != 1:
            raise VerifyError(self, message=f"takes operands of one instruction, got {', '.join(names)}")
        if (names[0] == "fma") != isinstance(self, FmaOp):
            raise VerifyError(self, message=f"{names[0]} is {'nv.fma' if names[0] == 'fma' else 'nv.mma_sync'}")
        if a.element_type != b.element_type and names[0] != "m16n8k32":
            raise UnsupportedType(self, what="b's element type", got=b.element_type, want=f"a holds {a.element_type}")
        if (a.sizes[0], a.sizes[1], b.sizes[1]) != (acc.sizes[0], b.sizes[0], acc.sizes[1]):
            raise ShapeMismatch(
                self, what="acc", got=spell(acc.sizes), want=f"the product of {spell(a.sizes)} and {spell(b.sizes)}"
            )


@irdl_op_definition
class MmaSyncOp(MultiplyOp):
    """`acc += a · b` by the tensor cores. Spec: `MmaSync`; PTX ISA §9.7.14.5.14."""

    name = "nv.mma_sync"


@irdl_op_definition
class FmaOp(MultiplyOp):
    """`acc += a · b` in f32, each product and sum rounded once together, k ascending: no tensor core does that."""

    name = "nv.fma"


# --- layouts ------------------------------------------------------------------------------------------


@irdl_op_definition
class ConvertLayoutOp(IRDLOperation):
    """
    The same sums in other lanes: the only way to change a layout. The four lanes that hold a row of a 16x8 tile
    exchange pairs, so that each holds 4 or 8 neighbours. PTX ISA §9.7.9.6 (`shfl.sync`).

    ```mlir
    %sums = nv.convert_layout %acc : !nv.frag<64x32xf32, C of m16n8k16> -> !nv.frag<64x32xf32, rows of 8>
    ```
    """

    name = "nv.convert_layout"
    traits = traits_def(OfFragments(Scope.WARP))
    input = operand_def(base(FragType))
    result = result_def(base(FragType))
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, result: FragType):
        super().__init__(operands=[input], result_types=[result])

    def verify_(self) -> None:
        source, result = frag(self.input), frag(self.result)
        if source.operand.data != "C" or element_bytes(source.element_type) != 4 or result.operand.data != "rows":
            raise VerifyError(
                self,
                message=f"cannot turn '{source.spelling}' into '{result.spelling}': "
                f"32-bit sums C become rows of {' or '.join(map(str, ROWS))}",
            )
        if source.element_type != result.element_type or source.sizes != result.sizes:
            raise ShapeMismatch(
                self, what="the result", got=result, want=f"{spell(source.sizes)} of {source.element_type}"
            )
