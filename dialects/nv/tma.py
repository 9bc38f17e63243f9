"""
Bulk-copy ops: tensor maps, TMA loads and stores, bulk groups, and the fence between the proxies.

```mlir
%t = nv.tensor_map %x offset 0 sizes [4, 512, 768] strides [393216, 768, 1] : memref<4x512x768xbf16> -> !nv.tensor_map<1x128x64xbf16, b128>
nv.tma_load %t[%b, %m, %k] to %s[%slot, %r, %c] signal %full[%slot] : …
nv.tma_load %t[%b, %m, %k] to %s[%slot, %r, %c] signal %full[%slot] multicast %mask : …
nv.fence_async
nv.tma_store %s[%slot, %r, %c] to %u[%b, %m, %n] : …
nv.bulk.commit
nv.bulk.wait_read 1
```

The host makes a tensor map and passes it to the kernel. Elements beyond its sizes are loaded as zero, and are not stored.
Spec: `TmaLoad`; PTX ISA §5.5, §9.7.9.27.1 (`cp.async.bulk.tensor`), §9.7.13.4 (`fence.proxy.async`).
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from math import gcd, prod

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerAttr, MemRefType, UnitAttr, f32, i64
from xdsl.dialects.gpu import FuncOp as GpuFuncOp
from xdsl.ir import SSAValue
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

from ...errors import InvalidAttributeValue, OperandCountMismatch, ShapeMismatch, UnsupportedType, VerifyError
from ...targets.mma import element_bytes
from ..common.checks import check_value
from ..common.shapes import shape_text, signless
from ..common.syntax import Axes, axes_attr, ints
from .copies import PendingGroupsOp
from .roles import SingleThread, blocks_of, enclosing
from .types import (
    CHUNK,
    MbarrierType,
    SmemType,
    TensorMapType,
    check_constant,
    check_slot,
    global_memref,
    mbarrier,
    smem,
    tensor_map,
)

ALIGNMENT = 128
"""Alignment of a TMA copy in shared memory, in bytes (PTX ISA §5.5.6); in global memory it is `CHUNK`."""


@irdl_op_definition
class TensorMapOp(IRDLOperation):
    """
    Host op: describes a buffer to TMA as an array of `sizes` with `strides` in elements, outermost axis first, starting at
    element `offset`. The last stride is 1; the others and the offset are multiples of 16 bytes. The result is passed to
    `nv.launch`. CUDA driver API, `cuTensorMapEncodeTiled`.

    ```mlir
    %t = nv.tensor_map %x offset 0 sizes [4, 512, 768] strides [393216, 768, 1] : memref<4x512x768xbf16> -> !nv.tensor_map<1x128x64xbf16, b128>
    ```
    """

    name = "nv.tensor_map"
    memref = operand_def(base(MemRefType))
    offset = prop_def(IntegerAttr.constr(i64))
    sizes = prop_def(DenseArrayBase.constr(i64))
    strides = prop_def(DenseArrayBase.constr(i64))
    tf32 = opt_prop_def(UnitAttr)
    result = result_def(base(TensorMapType))
    custom_directives = (Axes,)
    assembly_format = (
        "$memref `offset` $offset `sizes` custom<Axes>($sizes) `strides` custom<Axes>($strides) "
        "(`tf32` $tf32^)? attr-dict `:` type($memref) `->` type($result)"
    )

    def __init__(
        self,
        memref: SSAValue,
        offset: int,
        sizes: Sequence[int],
        strides: Sequence[int],
        result: TensorMapType,
        tf32: bool = False,
    ):
        super().__init__(
            operands=[memref],
            properties={
                "offset": IntegerAttr(offset, i64),
                "sizes": axes_attr(sizes),
                "strides": axes_attr(strides),
                "tf32": UnitAttr() if tf32 else None,
            },
            result_types=[result],
        )

    def verify_(self) -> None:
        t, result = global_memref(self, self.memref), tensor_map(self.result)
        if enclosing(self, GpuFuncOp) is not None:
            raise VerifyError(self, message="belongs in host code: the kernel takes the tensor map as an argument")
        sizes, strides = ints(self.sizes), ints(self.strides)
        if not len(sizes) == len(strides) == len(result.sizes):
            raise OperandCountMismatch(
                self,
                what="nv.tensor_map",
                want=f"a size and a stride for each axis of the box ({len(result.sizes)})",
                got=f"{len(sizes)} and {len(strides)}",
            )
        if t.element_type != result.element_type:
            raise UnsupportedType(
                self, what="the map's element type", got=result.element_type, want=f"the memref holds {t.element_type}"
            )
        if self.tf32 is not None and t.element_type != f32:
            raise UnsupportedType(
                self, what="the element type of a box rounded to tf32", got=t.element_type, want="it must be f32"
            )
        check_value(self, all(1 <= s <= 2**32 for s in sizes), "sizes", shape_text(sizes), "1 to 2^32 elements")
        each = element_bytes(t.element_type)
        if strides[-1] != 1 or any(s < 1 or s * each % CHUNK or s * each >= 2**40 for s in strides[:-1]):
            help = f"1 along the last axis, multiples of {CHUNK} bytes ({CHUNK // each} elements) along the others"
            raise InvalidAttributeValue(self, name="strides", problem=f"is {shape_text(strides)}", help=help)
        offset = self.offset.value.data
        check_value(self, offset >= 0 and offset * each % CHUNK == 0, "offset", offset, f"a multiple of {CHUNK} bytes")
        last = offset + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
        count = prod(t.get_shape())
        check_value(
            self, last < count, "sizes", shape_text(sizes), f"element {last} is beyond the {count} of the memref"
        )


class TensorCopyOp(IRDLOperation, abc.ABC):
    """Base of copies between the box of a tensor that starts at `at`, and a slot of a ring, from `row` and `column` on."""

    map = operand_def(base(TensorMapType))
    at = var_operand_def(IndexType)
    smem = operand_def(base(SmemType))
    slot = operand_def(IndexType)
    row = operand_def(IndexType)
    column = operand_def(IndexType)
    traits = traits_def(SingleThread())

    def verify_(self) -> None:
        t, ring = tensor_map(self.map), smem(self.smem)
        kernel = enclosing(self, GpuFuncOp)
        if kernel is not None and self.map not in kernel.body.block.args:
            raise VerifyError(self, message="the tensor map must be an argument of the kernel")
        if len(self.at) != len(t.sizes):
            raise OperandCountMismatch(
                self, what="the map", want=f"one coordinate for each axis ({len(t.sizes)})", got=len(self.at)
            )
        if signless(t.element_type) != signless(ring.element_type):
            raise UnsupportedType(
                self, what="the ring's element type", got=ring.element_type, want=f"the map has {t.element_type}"
            )
        if t.swizzle.data != ring.swizzle.data:
            raise InvalidAttributeValue(
                self, name="swizzle", problem=f"is '{ring.swizzle.data}'", help=f"the map's {t.swizzle.data}"
            )
        box = tuple(s for s in t.sizes[:-1] if s != 1)
        rows, columns = (box or (1,))[0], t.sizes[-1]
        each = element_bytes(ring.element_type)
        width = ring.panel // each or ring.sizes[2]
        if len(box) > 1 or rows > ring.sizes[1] or columns != min(width, ring.sizes[2]):
            raise ShapeMismatch(
                self,
                what="the box",
                got=shape_text(t.sizes),
                want=f"at most {ring.sizes[1]} rows of the {width} columns of a panel of the slot",
            )
        slot = ring.bytes // ring.sizes[0]
        if ring.sizes[0] > 1 and slot % ALIGNMENT:
            help = f"bulk copies need multiples of {ALIGNMENT}"
            raise InvalidAttributeValue(self, name="smem", problem=f"has slots of {slot} bytes", help=help)
        check_slot(self, self.slot, ring.sizes[0])
        row_step = ALIGNMENT // gcd(ALIGNMENT, width * each)
        help = f"{rows} rows within {ring.sizes[1]}, from a multiple of {ALIGNMENT} bytes on"
        check_constant(self, "row", self.row, range(0, ring.sizes[1] - rows + 1, row_step), help)
        help = f"panels of {width} columns start at multiples of {width}, within {ring.sizes[2]}"
        check_constant(self, "column", self.column, range(0, ring.sizes[2] - columns + 1, width), help)


@irdl_op_definition
class TmaLoadOp(TensorCopyOp):
    """
    Starts the copy of a box into a slot; its bytes complete on the mbarrier. With `multicast`, a mask of cluster ranks, the
    box is copied to the same slot of each of these blocks, and completes on the mbarrier of each. Spec: `TmaLoad`; PTX ISA
    §9.7.9.27.1.2 (`cp.async.bulk.tensor`).

    ```mlir
    nv.tma_load %t[%b, %m, %k] to %s[%slot, %r, %c] signal %full[%slot] multicast %mask : !nv.tensor_map<1x128x64xbf16, b128>, …
    ```
    """

    name = "nv.tma_load"
    barriers = operand_def(base(MbarrierType))
    barrier = operand_def(IndexType)
    mask = opt_operand_def(IndexType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = (
        "$map `[` $at `]` `to` $smem `[` $slot `,` $row `,` $column `]` `signal` $barriers `[` $barrier `]` "
        "(`multicast` $mask^)? attr-dict `:` type($map) `,` type($smem) `,` type($barriers)"
    )

    def __init__(
        self,
        map: SSAValue,
        at: Sequence[SSAValue],
        smem: SSAValue,
        place: tuple[SSAValue, SSAValue, SSAValue],
        barriers: SSAValue,
        barrier: SSAValue,
        mask: SSAValue | None = None,
    ):
        super().__init__(operands=[barriers, barrier, [mask] if mask is not None else [], map, list(at), smem, *place])

    def verify_(self) -> None:
        super().verify_()
        check_slot(self, self.barrier, mbarrier(self.barriers).count.data)
        if self.mask is None or (blocks := blocks_of(self)) is None:
            return
        if blocks == 1:
            raise VerifyError(self, message="no other block to send to: the kernel has no nv.cluster")
        help = f"a bit for each of the {blocks} blocks of the cluster"
        check_constant(self, "multicast", self.mask, range(1, 1 << blocks), help)


@irdl_op_definition
class TmaStoreOp(TensorCopyOp):
    """
    Starts the copy of a box out of a slot, in this thread's bulk group. `nv.fence_async`, then a barrier must order the
    stores of other threads before it. Elements beyond the sizes of the map are not stored. PTX ISA §9.7.9.27.1.2.

    ```mlir
    nv.tma_store %s[%slot, %r, %c] to %u[%b, %m, %n] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<1x64x64xbf16, b128>
    ```
    """

    name = "nv.tma_store"
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = (
        "$smem `[` $slot `,` $row `,` $column `]` `to` $map `[` $at `]` attr-dict `:` type($smem) `,` type($map)"
    )

    def __init__(
        self, smem: SSAValue, place: tuple[SSAValue, SSAValue, SSAValue], map: SSAValue, at: Sequence[SSAValue]
    ):
        super().__init__(operands=[map, list(at), smem, *place])


@irdl_op_definition
class BulkCommitOp(IRDLOperation):
    """
    Closes this thread's group of bulk stores. PTX ISA §9.7.9.25.4.1.

    ```mlir
    nv.bulk.commit
    ```
    """

    name = "nv.bulk.commit"
    traits = traits_def(SingleThread())
    assembly_format = "attr-dict"


@irdl_op_definition
class BulkWaitReadOp(PendingGroupsOp):
    """
    Waits until all but the last `pending` of this thread's groups have read shared memory, which may then be overwritten.
    PTX ISA §9.7.9.25.4.2 (`cp.async.bulk.wait_group.read`).

    ```mlir
    nv.bulk.wait_read 1
    ```
    """

    name = "nv.bulk.wait_read"
    traits = traits_def(SingleThread())


@irdl_op_definition
class FenceAsyncOp(IRDLOperation):
    """
    Orders this thread's stores to shared memory before the accesses by TMA and wgmma that a barrier or an mbarrier orders
    after the fence. PTX ISA §9.7.13.4 (`fence.proxy.async`).

    ```mlir
    nv.fence_async
    ```
    """

    name = "nv.fence_async"
    assembly_format = "attr-dict"
