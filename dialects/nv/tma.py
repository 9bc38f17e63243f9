"""
Statements of the `nv` dialect on bulk copies: tensor maps, TMA loads and stores, and the fence between the proxies.

```mlir
%t = nv.tensor_map %x offset 0 sizes [4, 512, 768] strides [393216, 768, 1] : memref<4x512x768xbf16> -> !nv.tensor_map<1x128x64xbf16, b128>
nv.tma_load %t[%b, %m, %k] to %s[%slot, %r, %c] signal %full[%slot] : …
nv.tma_load %t[%b, %m, %k] to %s[%slot, %r, %c] signal %full[%slot] multicast %mask : …
nv.fence_async
nv.tma_store %s[%slot, %r, %c] to %u[%b, %m, %n] : …
nv.bulk.commit
nv.bulk.wait_read 1
```

A tensor map is made by the host and passed to the kernel. What a load reads beyond the sizes is zero; a store leaves
out what lies there. Spec: `TmaLoad`; PTX ISA §5.5, §9.7.9.27.1 (`cp.async.bulk.tensor`), §9.7.13.4 (`fence.proxy.async`).
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from math import prod

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
from ..common.shapes import signless, spell
from ..common.syntax import Axes, axes_attr, ints
from .mbarrier import mbarrier, require_slot
from .roles import OfSingle, blocks_of, within
from .types import MbarrierType, SmemType, TensorMapType, constant_of, global_memref, smem

CHUNK = 16
"""Bytes to which the rows and the base of what TMA moves are aligned in global memory."""
ALIGNMENT = 128
"""Bytes to which its place in shared memory is (PTX ISA §5.5.6)."""


def tensor_map(value: SSAValue) -> TensorMapType:
    if not isinstance(value.type, TensorMapType):
        raise VerifyError(message=f"expected a tensor map, got {value.type}")
    return value.type


@irdl_op_definition
class TensorMapOp(IRDLOperation):
    """
    On the host: how TMA sees a buffer from element `offset` on, as an array of `sizes` with `strides` in elements,
    outermost axis first; the last stride is 1, the others and the offset are multiples of 16 bytes. It is passed to
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
        if within(self, GpuFuncOp) is not None:
            raise VerifyError(self, message="is made on the host: the kernel takes it as an argument")
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
        if not all(1 <= s <= 2**32 for s in sizes):
            raise InvalidAttributeValue(self, name="sizes", problem=f"is {spell(sizes)}", help="1 to 2^32 elements")
        each = element_bytes(t.element_type)
        if strides[-1] != 1 or any(s < 1 or s * each % CHUNK or s * each >= 2**40 for s in strides[:-1]):
            raise InvalidAttributeValue(
                self,
                name="strides",
                problem=f"is {spell(strides)}",
                help=f"1 along the last axis, multiples of {CHUNK} bytes ({CHUNK // each} elements) along the others",
            )
        if self.offset.value.data < 0 or self.offset.value.data * each % CHUNK:
            raise InvalidAttributeValue(
                self, name="offset", problem=f"is {self.offset.value.data}", help=f"a multiple of {CHUNK} bytes"
            )
        last = self.offset.value.data + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
        count = prod(t.get_shape())
        if last >= count:
            raise InvalidAttributeValue(
                self,
                name="sizes",
                problem=f"is {spell(sizes)}",
                help=f"element {last} is beyond the {count} of the memref",
            )


class TensorCopyOp(IRDLOperation, abc.ABC):
    """Between a box of a tensor, whose first element `at` names, and a slot of a ring from `row` and `column` on."""

    map = operand_def(base(TensorMapType))
    at = var_operand_def(IndexType)
    smem = operand_def(base(SmemType))
    slot = operand_def(IndexType)
    row = operand_def(IndexType)
    column = operand_def(IndexType)
    traits = traits_def(OfSingle())

    def verify_(self) -> None:
        t, ring = tensor_map(self.map), smem(self.smem)
        kernel = within(self, GpuFuncOp)
        if kernel is not None and self.map not in kernel.body.block.args:
            raise VerifyError(self, message="takes a tensor map that is an argument of the kernel")
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
                got=spell(t.sizes),
                want=f"at most {ring.sizes[1]} rows of the {width} columns of a panel of the slot",
            )
        slot = ring.bytes // ring.sizes[0]
        if ring.sizes[0] > 1 and slot % ALIGNMENT:
            raise InvalidAttributeValue(
                self,
                name="smem",
                problem=f"has slots of {slot} bytes",
                help=f"bulk copies need multiples of {ALIGNMENT}",
            )
        require_slot(self, self.slot, ring.sizes[0])
        row, column = constant_of(self.row), constant_of(self.column)
        if row is not None and not (0 <= row <= ring.sizes[1] - rows and row * width * each % ALIGNMENT == 0):
            raise InvalidAttributeValue(
                self,
                name="row",
                problem=f"is {row}",
                help=f"{rows} rows within {ring.sizes[1]}, from a multiple of {ALIGNMENT} bytes on",
            )
        if column is not None and not (0 <= column <= ring.sizes[2] - columns and column % width == 0):
            raise InvalidAttributeValue(
                self,
                name="column",
                problem=f"is {column}",
                help=f"a panel of {width} columns begins at its multiples, within {ring.sizes[2]}",
            )


@irdl_op_definition
class TmaLoadOp(TensorCopyOp):
    """
    One thread starts the copy of a box into a slot; its bytes are counted by the mbarrier. With `multicast`, whose
    bits are numbers of blocks of the cluster, it lands at the same place in each of them, and their mbarriers count it.
    Spec: `TmaLoad`; PTX ISA §9.7.9.27.1.2 (`cp.async.bulk.tensor`).

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
        require_slot(self, self.barrier, mbarrier(self.barriers).count.data)
        if self.mask is None or (blocks := blocks_of(self)) is None:
            return
        if blocks == 1:
            raise VerifyError(self, message="no other block to send to: the kernel has no nv.cluster")
        known = constant_of(self.mask)
        if known is not None and not 1 <= known < 1 << blocks:
            raise InvalidAttributeValue(
                self,
                name="multicast",
                problem=f"is {known}",
                help=f"a bit for each of the {blocks} blocks of the cluster",
            )


@irdl_op_definition
class TmaStoreOp(TensorCopyOp):
    """
    One thread starts the copy of a box out of a slot, in its bulk group. What other threads stored there must have passed
    `nv.fence_async` and then a barrier; what lies beyond the sizes of the map is left out. PTX ISA §9.7.9.27.1.2.

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
    traits = traits_def(OfSingle())
    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__()


@irdl_op_definition
class BulkWaitReadOp(IRDLOperation):
    """
    Waits until all but `pending` of this thread's groups have read shared memory: it may be written again, or the block
    may end. PTX ISA §9.7.9.25.4.2 (`cp.async.bulk.wait_group.read`).

    ```mlir
    nv.bulk.wait_read 1
    ```
    """

    name = "nv.bulk.wait_read"
    pending = prop_def(IntegerAttr.constr(i64))
    traits = traits_def(OfSingle())
    assembly_format = "$pending attr-dict"

    def __init__(self, pending: int):
        super().__init__(properties={"pending": IntegerAttr(pending, i64)})

    def verify_(self) -> None:
        if not 0 <= self.pending.value.data <= 7:
            raise InvalidAttributeValue(
                self, name="pending", problem=f"is {self.pending.value.data}", help="0 to 7 groups"
            )


@irdl_op_definition
class FenceAsyncOp(IRDLOperation):
    """
    What this thread stored in shared memory is visible to TMA and wgmma that a barrier or an mbarrier orders behind it.
    PTX ISA §9.7.13.4 (`fence.proxy.async`).

    ```mlir
    nv.fence_async
    ```
    """

    name = "nv.fence_async"
    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__()
