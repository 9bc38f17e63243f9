"""
The `nv` dialect: what one NVIDIA kernel does, statement by statement, inside `gpu.func`.

Statements are collective: copies by the whole block or, inside of `nv.role`, by the role, fragment ops by each warp, those
of wgmma by each warpgroup. A fragment is storage whose type says how the lanes hold it; the printer derives the indices
of each lane from that. `scf`, `arith`, `math` and `gpu` stand around them.

```mlir
%s = nv.smem at 0 : !nv.smem<3x128x64xbf16, xor>
nv.cp_async %x[%m, %k] to %s[%slot] address <"{ [i0, i1] -> [(64i0 + i1)] }"> in [1797, 64] dims [0, 1] guard [0] bytes 16 : …
nv.ldmatrix %s[%slot, %row, %kk] ND to %a : !nv.smem<3x128x64xbf16, xor>, !nv.frag<64x16xbf16, A of m16n8k16>
nv.mma_sync %acc, %a, %b : !nv.frag<64x32xf32, C of m16n8k16>, !nv.frag<64x16xbf16, A of m16n8k16>, !nv.frag<16x32xbf16, B of m16n8k16>
```

A kernel with roles is verified as a whole (`analysis/nv/checks.py`):

- mbarriers are initialised once, before the roles, with a fence and a barrier behind; the arrivals and bytes of a phase
  are those that come, where they can be counted;
- statements for one thread stand in `nv.single`, others where all for whom they are come: not under a condition, or in
  a loop, on which these do not agree;
- nothing touches a sum, or an operand in registers, between its wgmma and an `nv.wgmma.wait` that covers it; a group of
  wgmmas begins with a fence and ends with a commit; over the back edge of a loop one sum is in flight at most;
- between `nv.stmatrix` and `nv.tma_store` come `nv.fence_async` and then `nv.barrier`, between the store and what
  overwrites its buffer `nv.bulk.wait_read` and then `nv.barrier`; stores are committed, and the role ends when they have
  read; between copies of threads and their arrival comes `nv.fence_async`;
- roles share no threads and no hardware barriers, and not more registers than there are;
- a kernel with a cluster ends with `nv.cluster.sync`; only there are other blocks to arrive at and to send to.

Spec: `tensor-compiler.ja §1.8`. Lane layouts: PTX ISA §9.7.14.5 (mma.m16n8k16, ldmatrix), §9.7.15.5.1 (wgmma).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar, cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    MemRefType,
    SymbolRefAttr,
    UnitAttr,
    f32,
    i64,
)
from xdsl.dialects.gpu import FuncOp as GpuFuncOp
from xdsl.ir import Attribute, Dialect, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import IsTerminator, SymbolTable, SymbolUserOpInterface

from ...errors import InvalidAttributeValue, OperandCountMismatch, ShapeMismatch, UnsupportedType, VerifyError
from ...targets.mma import element_bytes
from ..common.kernel import require_distinct
from ..common.shapes import memref_of, signless, spell
from ..common.syntax import Axes, axes_attr, ints
from ..poly import MapAttr
from .fragments import ConvertLayoutOp, FmaOp, FragOp, LdMatrixOp, LdSharedOp, MmaSyncOp, OfFragments, ToTf32Op
from .mbarrier import ArriveOp, ExpectTxOp, MbarrierInitFenceOp, MbarrierInitOp, MbarrierOp, WaitOp
from .roles import (
    MOST_BLOCKS,
    BarrierOp,
    ClusterRankOp,
    ClusterSyncOp,
    Collective,
    RoleOp,
    Scope,
    SetMaxRegistersOp,
    SingleOp,
    WarpgroupOp,
    cluster_of,
)
from .splitk import ArriveLastOp, CounterOp, FragAddOp, FragLoadOp, FragStoreOp, TurnPassOp, TurnWaitOp
from .tma import BulkCommitOp, BulkWaitReadOp, FenceAsyncOp, TensorMapOp, TmaLoadOp, TmaStoreOp
from .types import FragType, MbarrierType, SmemType, TensorMapType, constant_of, frag, global_memref, smem
from .wgmma import PromoteOp, StoreMatrixOp, WgmmaCommitOp, WgmmaFenceOp, WgmmaFragOp, WgmmaMmaOp, WgmmaWaitOp

COPY_BYTES = (16, 8, 4, 2, 1)
"""Bytes that one copy moves: 16, 8 and 4 by cp.async (PTX ISA §9.7.9.25), one element of 2 or 1 through registers."""


def _two_axes(dims: Sequence[int], rank: int) -> bool:
    return len(dims) == 2 and dims[0] != dims[1] and all(0 <= d < rank for d in dims)


def _check_bounds(op: Operation, bounds: Sequence[int]) -> None:
    if min(bounds) < 1:
        raise InvalidAttributeValue(op, name="in", problem=f"is {list(bounds)}", help="sizes start at 1")


def _check_guards(op: Operation, guards: Sequence[int], dims: Sequence[int]) -> None:
    if not set(guards) <= set(dims):
        raise InvalidAttributeValue(
            op,
            name="guard",
            problem=f"is {spell(guards)}",
            help=f"guards are among the axes of the tile, {spell(dims)}",
        )


# --- storage ------------------------------------------------------------------------------------------


@irdl_op_definition
class SmemOp(IRDLOperation):
    """A ring at a byte offset of the block's dynamic shared memory."""

    name = "nv.smem"
    offset = prop_def(IntegerAttr.constr(i64))
    result = result_def(base(SmemType))
    assembly_format = "`at` $offset attr-dict `:` type($result)"

    def __init__(self, offset: int, type: SmemType):
        super().__init__(properties={"offset": IntegerAttr(offset, i64)}, result_types=[type])

    def verify_(self) -> None:
        alignment = smem(self.result).alignment
        if self.offset.value.data < 0 or self.offset.value.data % alignment:
            raise InvalidAttributeValue(
                self,
                name="at",
                problem=f"is {self.offset.value.data}",
                help=f"a multiple of {alignment} bytes keeps the swizzle whole",
            )


# --- copies -------------------------------------------------------------------------------------------


@irdl_op_definition
class CpAsyncOp(IRDLOperation):
    """
    The block, or the role in which it stands, copies one tile into a slot of a ring. Row r, column c of the tile is the point
    `offsets + r·dims[0] + c·dims[1]` of an index space; inside the box `bounds` it is the element at `address` of
    the memref, outside it is zero; only the axes in `guard` are compared with the box. Each copy moves `bytes`; 2 means that memory is too
    unaligned for cp.async and the elements pass through registers, as they do to be rounded to `tf32`. Spec: `CpAsync`.
    """

    name = "nv.cp_async"
    memref = operand_def(base(MemRefType))
    offsets = var_operand_def(IndexType)
    smem = operand_def(base(SmemType))
    slot = operand_def(IndexType)
    address = prop_def(MapAttr)
    bounds = prop_def(DenseArrayBase.constr(i64))
    dims = prop_def(DenseArrayBase.constr(i64))
    guards = prop_def(DenseArrayBase.constr(i64))
    bytes = prop_def(IntegerAttr.constr(i64))
    tf32 = opt_prop_def(UnitAttr)
    traits = traits_def(Collective(Scope.ROLE))
    custom_directives = (Axes,)
    assembly_format = (
        "$memref `[` $offsets `]` `to` $smem `[` $slot `]` `address` $address `in` custom<Axes>($bounds) "
        "`dims` custom<Axes>($dims) `guard` custom<Axes>($guards) `bytes` $bytes "
        "(`tf32` $tf32^)? attr-dict `:` type($memref) `,` type($smem)"
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
    ):
        super().__init__(
            operands=[memref, list(offsets), smem, slot],
            properties={
                "address": MapAttr(address),
                "bounds": axes_attr(bounds),
                "dims": axes_attr(dims),
                "guards": axes_attr(guards),
                "bytes": IntegerAttr(bytes, i64),
                "tf32": UnitAttr() if tf32 else None,
            },
        )

    @property
    def through_registers(self) -> bool:
        """Whether elements pass through registers one by one."""
        return self.bytes.value.data < 4 or self.tf32 is not None

    def verify_(self) -> None:
        rank = len(self.offsets)
        if len(self.bounds) != rank:
            raise OperandCountMismatch(
                self, what="'in'", want=f"one size for each offset ({rank})", got=len(self.bounds)
            )
        if not _two_axes(ints(self.dims), rank):
            raise InvalidAttributeValue(
                self, name="dims", problem=f"is {list(ints(self.dims))}", help="name the axes of rows and columns"
            )
        _check_bounds(self, ints(self.bounds))
        _check_guards(self, ints(self.guards), ints(self.dims))
        t = global_memref(self, self.memref)
        size, element = self.bytes.value.data, element_bytes(t.element_type)
        if size not in COPY_BYTES or (size < 4 and size != element) or size < element:
            raise InvalidAttributeValue(
                self,
                name="bytes",
                problem=f"is {size}",
                help=f"16, 8 or 4 by cp.async and at least an element of {element}, or that element through registers",
            )
        if self.tf32 is not None and (t.element_type != f32 or size != 4):
            raise UnsupportedType(
                self,
                what="a copy rounded to tf32",
                got=f"of {size} bytes of {t.element_type}",
                want="it must be of 4 bytes of f32",
            )
        if t.element_type != smem(self.smem).element_type:
            raise UnsupportedType(
                self,
                what="the memref's element type",
                got=t.element_type,
                want=f"the ring holds {smem(self.smem).element_type}",
            )


@irdl_op_definition
class CommitGroupOp(IRDLOperation):
    """Closes this thread's group of asynchronous copies; an empty group is complete. Spec: `CommitGroup`."""

    name = "nv.commit_group"
    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__()


@irdl_op_definition
class WaitGroupOp(IRDLOperation):
    """Waits until at most `pending` of this thread's groups are under way. Spec: `WaitGroup`."""

    name = "nv.wait_group"
    pending = prop_def(IntegerAttr.constr(i64))
    assembly_format = "$pending attr-dict"

    def __init__(self, pending: int):
        super().__init__(properties={"pending": IntegerAttr(pending, i64)})

    def verify_(self) -> None:
        pending = self.pending.value.data
        if not 0 <= pending <= 7:
            raise InvalidAttributeValue(self, name="pending", problem=f"is {pending}", help="0 to 7 groups")
        if (groups := groups_before(self)) is not None and pending >= groups:
            raise InvalidAttributeValue(
                self,
                name="pending",
                problem=f"is {pending}, but only {groups} groups are committed when this wait is first reached",
                help="a wait for nothing: wait until fewer are under way",
            )


def groups_before(wait: WaitGroupOp) -> int | None:
    """How many groups are committed when `wait` is first reached; None where a loop's bounds are computed, or blocks jump."""
    total, op = 0, cast("Operation | None", wait)
    while op is not None and not isinstance(op, GpuFuncOp):
        if op.parent is not None and op.parent.prev_block is not None:
            return None
        before = op.prev_op
        while before is not None:
            groups = _groups(before)
            if groups is None:
                return None
            total, before = total + groups, before.prev_op
        op = op.parent_op()
    return total


def _groups(op: Operation) -> int | None:
    """How many groups `op` commits at least."""
    if isinstance(op, CommitGroupOp):
        return 1
    if any(len(region.blocks) > 1 for region in op.regions):
        return None
    inside = [[_groups(o) for o in region.block.ops] for region in op.regions if region.blocks]
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


# --- the epilogue -------------------------------------------------------------------------------------


@irdl_op_definition
class EpilogueOp(IRDLOperation):
    """
    Runs its body once for each element of a tile: the arguments are the accumulator (where there is one) and
    an element of each input; the yielded values go to the outputs. Scalars only, `arith` and `math`, whose integers
    are signless whatever the memrefs hold.

    With an accumulator the tile is the warp's fragment, the neighbours of a lane at a time; without one it is
    the block's or the role's `tile`, spread over its threads. Row r, column c is the point `offsets + r·dims[0] +
    c·dims[1]`; points outside of `bounds` are skipped, where only the axes in `guard` can be. A width is how many neighbours along the columns one
    load or store moves. Values that are yielded beyond the outputs are results: fragments in the accumulator's lanes,
    whose elements outside of `bounds` mean nothing. With `column` the tile begins at that column of the accumulator and
    may have fewer: what takes its results can take them panel by panel, and few registers hold them. Spec: `Epilogue`, `StGlobalVec`.
    """

    name = "nv.epilogue"
    acc = opt_operand_def(base(FragType))
    offsets = var_operand_def(IndexType)
    ins = var_operand_def(base(MemRefType))
    outs = var_operand_def(base(MemRefType))
    bounds = prop_def(DenseArrayBase.constr(i64))
    dims = prop_def(DenseArrayBase.constr(i64))
    guards = prop_def(DenseArrayBase.constr(i64))
    tile = prop_def(DenseArrayBase.constr(i64))
    addresses = prop_def(ArrayAttr[MapAttr])
    widths = prop_def(DenseArrayBase.constr(i64))
    first = opt_prop_def(IntegerAttr.constr(i64))
    fragments = var_result_def(base(FragType))
    body = region_def("single_block")
    traits = traits_def(OfFragments(Scope.ROLE))
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    custom_directives = (Axes,)
    assembly_format = (
        "($acc^ `:` type($acc))? (`column` $first^)? `[` $offsets `]` `in` custom<Axes>($bounds) `dims` custom<Axes>($dims) "
        "`guard` custom<Axes>($guards) `tile` custom<Axes>($tile) "
        "(`ins` `(` $ins^ `:` type($ins) `)`)? (`outs` `(` $outs^ `:` type($outs) `)`)? "
        "`addresses` $addresses `widths` custom<Axes>($widths) (`->` type($fragments)^)? attr-dict-with-keyword $body"
    )

    def __init__(
        self,
        acc: SSAValue | None,
        offsets: Sequence[SSAValue],
        ins: Sequence[SSAValue],
        outs: Sequence[SSAValue],
        bounds: Sequence[int],
        dims: Sequence[int],
        guards: Sequence[int],
        tile: Sequence[int],
        addresses: Sequence[str],
        widths: Sequence[int],
        body: Region,
        results: Sequence[FragType] = (),
        first: int = 0,
    ):
        super().__init__(
            operands=[[acc] if acc is not None else [], list(offsets), list(ins), list(outs)],
            result_types=[list(results)],
            properties={
                "bounds": axes_attr(bounds),
                "dims": axes_attr(dims),
                "guards": axes_attr(guards),
                "tile": axes_attr(tile),
                "addresses": ArrayAttr([MapAttr(a) for a in addresses]),
                "widths": axes_attr(widths),
                "first": IntegerAttr(first, i64) if acc is not None and tuple(tile) != frag(acc).sizes else None,
            },
            regions=[body],
        )

    @property
    def first_column(self) -> int:
        """Where in the accumulator the tile begins."""
        return self.first.value.data if self.first is not None else 0

    @property
    def vector(self) -> int:
        """Neighbours along the columns that a lane computes together; with an accumulator, those that it holds."""
        return max(ints(self.widths)) if self.acc is None else frag(self.acc).layout.neighbours

    def verify_(self) -> None:
        memrefs = (*self.ins, *self.outs)
        for memref in memrefs:
            global_memref(self, memref)
        if len(self.addresses) != len(memrefs) or len(self.widths) != len(memrefs):
            raise OperandCountMismatch(
                self,
                what="nv.epilogue",
                want=f"an address and a width for each memref ({len(memrefs)})",
                got=f"{len(self.addresses)} and {len(self.widths)}",
            )
        rank = len(self.offsets)
        if len(self.bounds) != rank or not _two_axes(ints(self.dims), rank):
            raise InvalidAttributeValue(
                self,
                name="dims",
                problem=f"is {list(ints(self.dims))}",
                help="bounds and dims name the axes of the offsets",
            )
        _check_bounds(self, ints(self.bounds))
        _check_guards(self, ints(self.guards), ints(self.dims))
        if len(self.tile) != 2 or min(ints(self.tile)) < 1:
            raise InvalidAttributeValue(
                self, name="tile", problem=f"is {spell(ints(self.tile))}", help="rows and columns of the tile"
            )
        if any(width not in (1, 2, 4, 8) for width in ints(self.widths)):
            raise InvalidAttributeValue(
                self, name="widths", problem=f"is {spell(ints(self.widths))}", help="1, 2, 4 or 8 neighbours"
            )
        column = ints(self.dims)[1]
        limits = [ints(self.tile)[1], *([ints(self.bounds)[column]] if column in ints(self.guards) else [])]
        if any(limit % width for limit in limits for width in ints(self.widths)):
            raise InvalidAttributeValue(
                self,
                name="widths",
                problem=f"is {spell(ints(self.widths))}",
                help=f"widths divide the columns of the tile and of the guarded box, {spell(limits)}",
            )
        if self.acc is not None and frag(self.acc).role.data not in ("C", "rows"):
            raise UnsupportedType(self, what="the accumulator", got=frag(self.acc).spelling, want="sums: C or rows")
        if max(ints(self.widths), default=1) > self.vector:
            raise InvalidAttributeValue(
                self,
                name="widths",
                problem=f"is {spell(ints(self.widths))}",
                help=f"a lane holds {self.vector} neighbours: nv.convert_layout gives it more",
            )
        self._check_columns()
        want: list[Attribute] = [signless(memref_of(m).element_type) for m in self.ins]
        if self.acc is not None:
            want = [signless(frag(self.acc).element_type), *want]
        if list(self.body.block.arg_types) != want:
            raise VerifyError(self, message=f"the body takes ({', '.join(map(str, want))})")
        last = self.body.block.last_op
        for result in self.fragments:
            t = frag(result)
            if self.acc is None or (t.role, t.of, t.sizes) != ((a := frag(self.acc)).role, a.of, ints(self.tile)):
                raise UnsupportedType(self, what="a result", got=t, want="the tile's shape, the accumulator's layout")
        out = [signless(memref_of(m).element_type) for m in self.outs]
        out += [signless(frag(r).element_type) for r in self.fragments]
        if not out:
            raise OperandCountMismatch(self, what="nv.epilogue", want="an output or a result", got="none")
        if not isinstance(last, YieldOp) or [v.type for v in last.values] != out:
            raise VerifyError(self, message=f"the body ends with nv.yield of ({', '.join(map(str, out))})")

    def _check_columns(self) -> None:
        """The tile is the accumulator, or columns of it that are whole tiles of its layout."""
        first, (rows, columns) = self.first_column, ints(self.tile)
        if self.acc is None:
            if self.first is not None:
                raise InvalidAttributeValue(self, name="column", problem=f"is {first}", help="there is no accumulator")
            return
        t = frag(self.acc)
        step = t.layout.columns
        whole = (rows, columns) == t.sizes or self.first is not None
        if (
            not whole
            or rows != t.sizes[0]
            or first < 0
            or first % step
            or columns % step
            or first + columns > t.sizes[1]
        ):
            raise ShapeMismatch(
                self,
                what="tile",
                got=f"{spell((rows, columns))} from column {first} on",
                want=f"the accumulator's {spell(t.sizes)}, or from a column on a multiple of {step} of them",
            )


@irdl_op_definition
class YieldOp(IRDLOperation):
    """The elements that an epilogue stores, one an output."""

    name = "nv.yield"
    values = var_operand_def()
    traits = traits_def(IsTerminator())
    assembly_format = "$values attr-dict `:` type($values)"

    def __init__(self, values: Sequence[SSAValue]):
        super().__init__(operands=[list(values)])


# --- the host -----------------------------------------------------------------------------------------


def outputs(kernel: Operation) -> dict[SSAValue, str]:
    """
    The memrefs that a kernel writes, and the tensor maps through which it does, each with what for: `result`, or
    `workspace` and `counters` (`kernel.py`).
    """
    out: dict[SSAValue, str] = {}
    for op in kernel.walk():
        match op:
            case EpilogueOp():
                out |= dict.fromkeys(op.outs, "result")
            case TmaStoreOp():
                out[op.map] = "result"
            case FragStoreOp():
                out[op.workspace] = "workspace"
            case CounterOp():
                out[op.counters] = "counters"
            case _:
                pass
    return out


def _buffer(value: SSAValue) -> SSAValue:
    """The memref of a launch's argument, which may be a view of it."""
    return value.owner.memref if isinstance(value.owner, TensorMapOp) else value


class LaunchSymbolUse(SymbolUserOpInterface):
    """A launch names a gpu.func that takes its operands."""

    def verify(self, op: Operation) -> None:
        if not isinstance(op, LaunchOp):
            return
        callee = SymbolTable.lookup_symbol(op, op.kernel)
        if not isinstance(callee, GpuFuncOp):
            raise VerifyError(op, message=f"no gpu.func {op.kernel} in this module")
        if len(callee.body.blocks) != 1:
            raise VerifyError(op, message=f"{op.kernel} is not one block", notes=[(callee, "the kernel is here")])
        written = outputs(callee)
        outs = [_buffer(v) for v, arg in zip(op.arguments, callee.body.block.args, strict=False) if arg in written]
        require_distinct(op, outs, [_buffer(v) for v in op.arguments])
        for value in op.arguments:
            if isinstance(value.type, TensorMapType) and not isinstance(value.owner, TensorMapOp):
                raise VerifyError(op, message="a tensor map is made by nv.tensor_map, for the launch that takes it")
        got = [v.type for v in op.arguments]
        if got != list(callee.function_type.inputs):
            raise VerifyError(
                op, message=f"the operands do not fit {op.kernel}", notes=[(callee, "the kernel is here")]
            )
        size = callee.known_block_size
        if size is not None and tuple(ints(size)) != tuple(ints(op.block)):  # pyright: ignore[reportArgumentType]
            raise InvalidAttributeValue(
                op, name="block", problem=f"is {spell(ints(op.block))}", help="the kernel's gpu.known_block_size"
            )
        if cluster_of(callee) != op.cluster_sizes:
            raise InvalidAttributeValue(
                op, name="cluster", problem=f"is {spell(op.cluster_sizes)}", help="the kernel's nv.cluster"
            )
        end = 0
        rings = [o for o in callee.body.block.ops if isinstance(o, SmemOp | MbarrierOp)]
        for ring in sorted(rings, key=lambda o: o.offset.value.data):
            if ring.offset.value.data < end:
                raise VerifyError(ring, message="overlaps another ring in shared memory")
            end = ring.offset.value.data + ring.result.type.bytes
        if op.shared.value.data < end:
            raise InvalidAttributeValue(
                op, name="shared", problem=f"is {op.shared.value.data}", help=f"the kernel's rings take {end} bytes"
            )


@irdl_op_definition
class LaunchOp(IRDLOperation):
    """Runs a kernel on a grid of blocks with so many bytes of dynamic shared memory."""

    name = "nv.launch"
    kernel = prop_def(SymbolRefAttr)
    grid = prop_def(DenseArrayBase.constr(i64))
    block = prop_def(DenseArrayBase.constr(i64))
    shared = prop_def(IntegerAttr.constr(i64))
    cluster = opt_prop_def(DenseArrayBase.constr(i64))
    arguments = var_operand_def(base(MemRefType) | base(TensorMapType))
    traits = traits_def(LaunchSymbolUse())
    custom_directives = (Axes,)
    assembly_format = (
        "$kernel `grid` custom<Axes>($grid) `block` custom<Axes>($block) (`cluster` custom<Axes>($cluster)^)? "
        "`shared` $shared `(` $arguments `:` type($arguments) `)` attr-dict"
    )

    LIMITS: ClassVar = ((2**31 - 1, 65535, 65535), (1024, 1024, 64))

    def __init__(
        self,
        kernel: SymbolRefAttr,
        grid: Sequence[int],
        block: Sequence[int],
        shared: int,
        arguments: Sequence[SSAValue],
        cluster: Sequence[int] | None = None,
    ):
        super().__init__(
            operands=[list(arguments)],
            properties={
                "kernel": kernel,
                "grid": axes_attr(grid),
                "block": axes_attr(block),
                "cluster": axes_attr(cluster) if cluster is not None else None,
                "shared": IntegerAttr(shared, i64),
            },
        )

    @property
    def cluster_sizes(self) -> tuple[int, ...]:
        """Blocks of a cluster along x, y and z."""
        return ints(self.cluster) if self.cluster is not None else (1, 1, 1)

    def verify_(self) -> None:
        for name, got, limits in zip(("grid", "block"), (ints(self.grid), ints(self.block)), self.LIMITS, strict=True):
            if len(got) != 3 or not all(1 <= g <= limit for g, limit in zip(got, limits, strict=True)):
                raise InvalidAttributeValue(
                    self, name=name, problem=f"is {spell(got)}", help=f"three sizes from 1 to {spell(limits)}"
                )
        cluster, grid = self.cluster_sizes, ints(self.grid)
        if (
            len(cluster) != 3
            or min(cluster) < 1
            or prod(cluster) > MOST_BLOCKS
            or any(g % c for g, c in zip(grid, cluster, strict=True))
        ):
            raise InvalidAttributeValue(
                self,
                name="cluster",
                problem=f"is {spell(cluster)}",
                help=f"three sizes that divide the grid's {spell(grid)}, {MOST_BLOCKS} blocks at most",
            )
        if prod(ints(self.block)) > 1024:
            raise InvalidAttributeValue(
                self, name="block", problem=f"has {prod(ints(self.block))} threads", help="at most 1024"
            )


NV = Dialect(
    "nv",
    [
        SmemOp,
        FragOp,
        CpAsyncOp,
        CommitGroupOp,
        WaitGroupOp,
        LdMatrixOp,
        LdSharedOp,
        ToTf32Op,
        MmaSyncOp,
        FmaOp,
        ConvertLayoutOp,
        FragStoreOp,
        FragLoadOp,
        FragAddOp,
        TurnWaitOp,
        TurnPassOp,
        ArriveLastOp,
        MbarrierOp,
        MbarrierInitOp,
        MbarrierInitFenceOp,
        ExpectTxOp,
        ArriveOp,
        WaitOp,
        TensorMapOp,
        TmaLoadOp,
        TmaStoreOp,
        BulkCommitOp,
        BulkWaitReadOp,
        FenceAsyncOp,
        WgmmaFenceOp,
        WgmmaMmaOp,
        WgmmaFragOp,
        WgmmaCommitOp,
        WgmmaWaitOp,
        PromoteOp,
        StoreMatrixOp,
        RoleOp,
        SingleOp,
        SetMaxRegistersOp,
        WarpgroupOp,
        BarrierOp,
        ClusterRankOp,
        ClusterSyncOp,
        EpilogueOp,
        YieldOp,
        LaunchOp,
    ],
    [SmemType, FragType, MbarrierType, TensorMapType],
)
