"""
Copies into shared memory whose addresses are computed once a tile: `nv.copy_offsets`, `nv.cp_async_at`, `nv.move_offsets`.

```mlir
%offsets = nv.copy_offsets %x[%m, %c0] to %s address <"…"> in [1568, 4608] dims [0, 1] guard [0] bytes 16
  along 1 units [512] counts [9] where [<"…">] : …
scf.for … {
  nv.cp_async_at %offsets[%delta] bits [%tap] to %s[%slot] : !nv.smem<4x128x64xbf16, xor>
  nv.move_offsets %offsets by 384
```
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IndexType, IntegerAttr, MemRefType, i1, i64
from xdsl.ir import ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    base,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)

from ...targets.mma import element_bytes
from ..common.checks import check_count, check_type, check_value
from ..common.ops import DialectOp
from ..common.syntax import Axes, ints
from ..poly import MapAttr, SetAttr
from .box import check_box
from .roles import Collective, Scope
from .types import SmemType, global_memref, smem

MASK_BITS = 32
"""The number of bits of a mask: those of a register."""


@irdl_attr_definition
class CopyOffsetsType(ParametrizedAttribute, TypeAttribute):
    """The registers in which each thread has the offsets and the masks of its copies of one tile."""

    name = "nv.offsets"


@irdl_op_definition
class CopyOffsetsOp(DialectOp):
    """
    Computes, for each copy of `bytes` bytes by which a thread takes part in copying a tile to `smem`, the offset in bytes of its
    first element, and masks. The points of a tile are those of `nv.cp_async`, at `offsets`; those along axis `along` are at the first step.
    Bit t of mask p says whether the copy's point, moved to t·`units[p]` along that axis, is in the set `where[p]`, and inside the
    bounds along the axes in `guard`; there are `counts[p]` bits. Collective over the role or block.
    """

    name = "nv.copy_offsets"
    memref = operand_def(base(MemRefType))
    offsets = var_operand_def(IndexType)
    smem = operand_def(base(SmemType))
    address = prop_def(MapAttr)
    bounds = prop_def(DenseArrayBase.constr(i64))
    dims = prop_def(DenseArrayBase.constr(i64))
    guards = prop_def(DenseArrayBase.constr(i64))
    bytes = prop_def(IntegerAttr.constr(i64))
    along = prop_def(IntegerAttr.constr(i64))
    units = prop_def(DenseArrayBase.constr(i64))
    counts = prop_def(DenseArrayBase.constr(i64))
    where = prop_def(ArrayAttr[SetAttr])
    result = result_def(base(CopyOffsetsType))
    traits = traits_def(Collective(Scope.ROLE))
    custom_directives = (Axes,)
    assembly_format = (
        "$memref `[` $offsets `]` `to` $smem `address` $address `in` custom<Axes>($bounds) `dims` custom<Axes>($dims) "
        "`guard` custom<Axes>($guards) `bytes` $bytes `along` $along `units` custom<Axes>($units) "
        "`counts` custom<Axes>($counts) `where` $where attr-dict `:` type($memref) `,` type($smem) `->` type($result)"
    )

    def __init__(
        self,
        memref: SSAValue,
        offsets: Sequence[SSAValue],
        smem: SSAValue,
        address: str,
        bounds: Sequence[int],
        dims: Sequence[int],
        guards: Sequence[int],
        bytes: int,
        along: int,
        units: Sequence[int],
        counts: Sequence[int],
        where: Sequence[str],
    ):
        super().__init__(
            [memref, offsets, smem],
            [CopyOffsetsType()],
            address=MapAttr(address),
            bounds=bounds,
            dims=dims,
            guards=guards,
            bytes=bytes,
            along=along,
            units=units,
            counts=counts,
            where=ArrayAttr([SetAttr(s) for s in where]),
        )

    @property
    def moves(self) -> bool:
        """Whether a loop moves the offsets: each copy then has a pointer of its own."""
        return any(isinstance(use.operation, MoveOffsetsOp) for use in self.result.uses)

    @property
    def masks(self) -> int:
        """The number of masks of a copy: one without a set, if there are only guards."""
        return len(self.where) or int(bool(ints(self.guards)))

    def verify_(self) -> None:
        bounds, dims = ints(self.bounds), ints(self.dims)
        check_box(self, len(self.offsets), bounds, dims, ints(self.guards))
        t, held = global_memref(self, self.memref), smem(self.smem).element_type
        size = self.bytes.value.data
        check_value(self, size in (4, 8, 16), "bytes", size, "16, 8 or 4: cp.async copies them")
        check_value(self, size >= element_bytes(t.element_type), "bytes", size, "an element has more bytes")
        check_type(self, t.element_type == held, "the memref's element type", t.element_type, f"the ring holds {held}")
        along = self.along.value.data
        check_value(
            self, along in dims and along not in ints(self.guards), "along", along, "an axis of dims without a guard"
        )
        units, counts = ints(self.units), ints(self.counts)
        check_count(self, len(units) == len(self.where), "'units'", f"one for each set ({len(self.where)})", len(units))
        check_count(
            self, len(counts) == len(self.where), "'counts'", f"one for each set ({len(self.where)})", len(counts)
        )
        check_value(self, all(u >= 1 for u in units), "units", list(units), "units are positive")
        legal = all(1 <= c <= MASK_BITS for c in counts)
        check_value(self, legal, "counts", list(counts), f"a mask has 1 to {MASK_BITS} bits")


@irdl_op_definition
class CpAsyncAtOp(DialectOp):
    """
    Copies one tile into a slot of a ring by cp.async, as `nv.cp_async` does, but each copy from `delta` bytes after its
    offset. A copy one of whose masks lacks the bit in `bits` writes zeros and reads nothing; so do all copies if `predicate` is false.
    Collective over the role or block. Spec: `CpAsync`.
    """

    name = "nv.cp_async_at"
    offsets = operand_def(base(CopyOffsetsType))
    delta = operand_def(IndexType)
    bits = var_operand_def(IndexType)
    smem = operand_def(base(SmemType))
    slot = operand_def(IndexType)
    predicate = opt_operand_def(i1)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Collective(Scope.ROLE))
    assembly_format = "$offsets `[` $delta `]` `bits` `[` $bits `]` `to` $smem `[` $slot `]` (`if` $predicate^)? attr-dict `:` type($smem)"

    def __init__(
        self,
        offsets: SSAValue,
        delta: SSAValue,
        bits: Sequence[SSAValue],
        smem: SSAValue,
        slot: SSAValue,
        predicate: SSAValue | None = None,
    ):
        super().__init__([offsets, delta, bits, smem, slot, [predicate] if predicate is not None else []])

    @property
    def computed(self) -> CopyOffsetsOp:
        """The op that computes the offsets."""
        return cast(CopyOffsetsOp, self.offsets.owner)

    def verify_(self) -> None:
        found = self.offsets.owner
        known = isinstance(found, CopyOffsetsOp)
        check_type(self, known, "the offsets", self.offsets.type, "they must be the result of nv.copy_offsets")
        of = self.computed
        same = smem(of.smem) == smem(self.smem)
        check_type(self, same, "the ring", smem(self.smem), f"the offsets are for {smem(of.smem)}")
        check_count(
            self, len(self.bits) == len(of.where), "'bits'", f"one for each mask ({len(of.where)})", len(self.bits)
        )


@irdl_op_definition
class MoveOffsetsOp(DialectOp):
    """
    Adds `bytes` to the offsets of all copies, for the copies after it.

    ```mlir
    nv.move_offsets %offsets_a by 384
    ```
    """

    name = "nv.move_offsets"
    offsets = operand_def(base(CopyOffsetsType))
    bytes = prop_def(IntegerAttr.constr(i64))
    traits = traits_def(Collective(Scope.ROLE))
    assembly_format = "$offsets `by` $bytes attr-dict"

    def __init__(self, offsets: SSAValue, bytes: int):
        super().__init__([offsets], bytes=bytes)

    def verify_(self) -> None:
        known = isinstance(self.offsets.owner, CopyOffsetsOp)
        check_type(self, known, "the offsets", self.offsets.type, "they must be the result of nv.copy_offsets")
