"""Shared memory, and copies into it by threads: `nv.smem`, `nv.cp_async` and its groups. PTX ISA §9.7.9.25."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    UnitAttr,
    f32,
    i64,
)
from xdsl.dialects.gpu import FuncOp as GpuFuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.utils.hints import isa

from ...errors import counted
from ...targets.mma import element_bytes
from ..common.checks import check_type, check_value
from ..common.ops import DialectOp
from ..common.syntax import Axes, ints
from ..poly import MapAttr, SetAttr
from .box import check_box
from .roles import Collective, Scope
from .types import SmemType, constant_of, global_memref, smem

COPY_BYTES = (16, 8, 4, 2, 1)
"""
Legal sizes of one copy, in bytes: 16, 8 and 4 are copied by cp.async (PTX ISA §9.7.9.25); 2 and 1, which are one element, through
registers.
"""


@irdl_op_definition
class SmemOp(DialectOp):
    """Declares a ring of tiles at a byte offset of the block's dynamic shared memory."""

    name = "nv.smem"
    offset = prop_def(IntegerAttr.constr(i64))
    result = result_def(base(SmemType))
    assembly_format = "`at` $offset attr-dict `:` type($result)"

    def __init__(self, offset: int, type: SmemType):
        super().__init__([], [type], offset=offset)

    def verify_(self) -> None:
        alignment = smem(self.result).alignment
        offset, help = self.offset.value.data, f"the swizzle needs a multiple of {alignment} bytes"
        check_value(self, offset >= 0 and offset % alignment == 0, "at", offset, help)


@irdl_op_definition
class CpAsyncOp(DialectOp):
    """
    Copies one tile into a slot of a ring, collectively over the role or block. Element (r, c) of the tile is a point of an
    index space: `offsets`, plus r along axis `dims[0]`, plus c along axis `dims[1]`. If the point is inside the box `bounds`,
    its value is the memref's element at offset `address`, else zero. Only the axes in `guard` are checked against the box. Outside
    of the set `where`, the value is zero, too; all elements of a copy are in it, or none.
    Each copy of a thread has `bytes` bytes. Elements pass through registers if `bytes` is less than 4, which cp.async does not
    support, or if `tf32` rounds them. Spec: `CpAsync`.

    With a `table`, the copy is a gather: the space has a further axis, on which the points of a row are at the element of the table at offset
    `index`. It must be inside of the box.
    """

    name = "nv.cp_async"
    memref = operand_def(base(MemRefType))
    table = opt_operand_def(base(MemRefType))
    offsets = var_operand_def(IndexType)
    smem = operand_def(base(SmemType))
    slot = operand_def(IndexType)
    address = prop_def(MapAttr)
    bounds = prop_def(DenseArrayBase.constr(i64))
    dims = prop_def(DenseArrayBase.constr(i64))
    guards = prop_def(DenseArrayBase.constr(i64))
    bytes = prop_def(IntegerAttr.constr(i64))
    tf32 = opt_prop_def(UnitAttr)
    where = opt_prop_def(SetAttr)
    index = opt_prop_def(MapAttr)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Collective(Scope.ROLE))
    custom_directives = (Axes,)
    assembly_format = (
        "$memref `[` $offsets `]` (`at` `(` $table^ `by` $index `:` type($table) `)`)? `to` $smem `[` $slot `]` "
        "`address` $address `in` custom<Axes>($bounds) "
        "`dims` custom<Axes>($dims) `guard` custom<Axes>($guards) `bytes` $bytes "
        "(`tf32` $tf32^)? (`where` $where^)? attr-dict `:` type($memref) `,` type($smem)"
    )

    def __init__(
        self,
        memref: SSAValue,
        offsets: Sequence[SSAValue],
        smem: SSAValue,
        slot: SSAValue,
        address: str,
        bounds: Sequence[int],
        dims: Sequence[int],
        guards: Sequence[int],
        bytes: int,
        tf32: bool = False,
        where: str | None = None,
        table: SSAValue | None = None,
        index: str | None = None,
    ):
        super().__init__(
            [memref, [] if table is None else [table], offsets, smem, slot],
            index=None if index is None else MapAttr(index),
            address=MapAttr(address),
            bounds=bounds,
            dims=dims,
            guards=guards,
            bytes=bytes,
            tf32=tf32,
            where=None if where is None else SetAttr(where),
        )

    @property
    def through_registers(self) -> bool:
        return self.bytes.value.data < 4 or self.tf32 is not None

    def verify_(self) -> None:
        rank = len(self.offsets)
        check_box(self, rank + (self.table is not None), ints(self.bounds), ints(self.dims), ints(self.guards))
        if self.table is not None:
            dtype = global_memref(self, self.table).element_type
            integer = isa(dtype, IntegerType) and dtype.width.data in (32, 64)
            check_type(self, integer, "the table's element type", dtype, "an index is an integer of 32 or 64 bits")
            check_value(self, max(ints(self.dims)) < rank, "dims", list(ints(self.dims)), "axes of the offsets")
        t, held = global_memref(self, self.memref), smem(self.smem).element_type
        size, element = self.bytes.value.data, element_bytes(t.element_type)
        legal = size in COPY_BYTES and (size >= 4 or size == element) and size >= element
        help = f"16, 8 or 4, but not less than an element's {element} (by cp.async), or {element} (through registers)"
        check_value(self, legal, "bytes", size, help)
        rounds = self.tf32 is None or (t.element_type == f32 and size == 4)
        got = f"of {size} bytes of {t.element_type}"
        check_type(self, rounds, "a copy rounded to tf32", got, "it must be of 4 bytes of f32")
        check_type(self, t.element_type == held, "the memref's element type", t.element_type, f"the ring holds {held}")


@irdl_op_definition
class CommitGroupOp(IRDLOperation):
    """
    Commits the asynchronous copies that this thread has issued since the previous commit as one group. An empty group is
    complete at once. Spec: `CommitGroup`.
    """

    name = "nv.commit_group"
    assembly_format = "attr-dict"


class PendingGroupsOp(DialectOp, abc.ABC):
    """Base of waits for all but the last `pending` groups of asynchronous ops."""

    pending = prop_def(IntegerAttr.constr(i64))
    assembly_format = "$pending attr-dict"

    def __init__(self, pending: int):
        super().__init__(pending=pending)

    def verify_(self) -> None:
        check_value(self, 0 <= self.pending.value.data <= 7, "pending", self.pending.value.data, "0 to 7 groups")


@irdl_op_definition
class WaitGroupOp(PendingGroupsOp):
    """Waits until all but the last `pending` of this thread's groups are complete. Spec: `WaitGroup`."""

    name = "nv.wait_group"

    def verify_(self) -> None:
        super().verify_()
        pending = self.pending.value.data
        if (groups := groups_before(self)) is not None:
            got = f"{pending}, with only {counted(groups, 'committed group')} when this wait is first reached"
            check_value(self, pending < groups, "pending", got, "this wait has no effect: leave fewer pending")


def groups_before(wait: WaitGroupOp) -> int | None:
    """
    Returns the number of groups that are committed when `wait` is first reached. Returns None if it is not known statically:
    a loop bound is not constant, or a region has several blocks.
    """
    total, op = 0, cast("Operation | None", wait)
    while op is not None and not isinstance(op, GpuFuncOp):
        if op.parent is not None and op.parent.prev_block is not None:
            return None
        before = op.prev_op
        while before is not None:
            groups = _groups_committed_by(before)
            if groups is None:
                return None
            total, before = total + groups, before.prev_op
        op = op.parent_op()
    return total


def _groups_committed_by(op: Operation) -> int | None:
    """Returns a lower bound on the number of groups that `op` commits; None if it is not known statically."""
    if isinstance(op, CommitGroupOp):
        return 1
    if any(len(region.blocks) > 1 for region in op.regions):
        return None
    inside = [[_groups_committed_by(o) for o in region.block.ops] for region in op.regions if region.blocks]
    if not any(any(group != 0 for group in groups) for groups in inside):
        return 0
    counts = [sum(cast("list[int]", groups)) for groups in inside if None not in groups]
    if isinstance(op, scf.IfOp) and len(counts) == len(inside):
        return min(counts) if len(inside) == 2 else 0
    if isinstance(op, scf.ForOp) and counts:
        bounds = [constant_of(v) for v in (op.lb, op.ub, op.step)]
        if None not in bounds:
            low, high, step = cast("list[int]", bounds)
            return counts[0] * max(0, -(-(high - low) // max(1, step)))
    return None
