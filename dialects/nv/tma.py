"""
Bulk-copy ops: tensor maps, TMA loads and stores, bulk groups, and the fence between the proxies.

```mlir
%t = nv.tensor_map %x offset 0 sizes [4, 512, 768] strides [393216, 768, 1] : memref<4x512x768xbf16> -> !nv.tensor_map<1x128x64xbf16, b128>
nv.tma_load %t[%b, %m, %k] to %s[%slot, %r, %c] signal %full[%slot] : …
nv.tma_load %t[%b, %m, %k] to %s[%slot, %r, %c] signal %full[%slot] multicast %mask : …
nv.tma_load %i[%n, %h, %w, %c] filter [%r, %s] to %s[%slot, %r, %c] signal %full[%slot] : …
nv.fence_async
nv.tma_store %s[%slot, %r, %c] to %u[%b, %m, %n] : …
nv.bulk.commit
nv.bulk.wait_read 1
```

The host creates a tensor map and passes it to the kernel. Elements beyond its sizes are zero when loaded, and are not stored.
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

from ...targets.mma import element_bytes
from ...targets.shared_layouts import CHUNK
from ..common.checks import check, check_attribute, check_count, check_shape, check_type, check_value
from ..common.ops import DialectOp
from ..common.shapes import shape_text, signless
from ..common.syntax import Axes, ints
from .copies import PendingGroupsOp
from .pick import picked
from .roles import SingleThread, blocks_of, enclosing
from .types import (
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

IM2COL_CORNERS = {3: (-(2**15), 2**15 - 1), 4: (-128, 127), 5: (-16, 15)}
"""For each rank of a map in im2col mode, the least and the greatest corner (CUDA driver API, `cuTensorMapEncodeIm2col`)."""
ALIGNMENT = 128
"""Alignment of a TMA copy in shared memory, in bytes (PTX ISA §5.5.6); in global memory it is `CHUNK`."""


@irdl_op_definition
class TensorMapOp(DialectOp):
    """
    Host op: describes a buffer to TMA as an array of `sizes` with `strides`, both in elements and outermost axis first, that
    starts at element `offset`. The last stride is 1; the others and the offset are multiples of 16 bytes. `tf32` makes loads
    round to tf32. The result is an argument of `nv.launch`. CUDA driver API, `cuTensorMapEncodeTiled`.

    With `lower`, `upper` and `steps`, numbers for each axis but the first and the last one, the map is in im2col mode. Its box has
    pixels and channels: the pixels are the filter bases `lower`, `lower + step`, … up to `size - 1 + upper` of each of these axes, in
    row-major order, then those of the next index along the first axis. PTX ISA §5.5.4; `cuTensorMapEncodeIm2col`.

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
    lower = opt_prop_def(DenseArrayBase.constr(i64))
    upper = opt_prop_def(DenseArrayBase.constr(i64))
    steps = opt_prop_def(DenseArrayBase.constr(i64))
    result = result_def(base(TensorMapType))
    custom_directives = (Axes,)
    assembly_format = (
        "$memref `offset` $offset `sizes` custom<Axes>($sizes) `strides` custom<Axes>($strides) "
        "(`tf32` $tf32^)? (`lower` custom<Axes>($lower)^)? (`upper` custom<Axes>($upper)^)? "
        "(`steps` custom<Axes>($steps)^)? attr-dict `:` type($memref) `->` type($result)"
    )

    def __init__(
        self,
        memref: SSAValue,
        offset: int,
        sizes: Sequence[int],
        strides: Sequence[int],
        result: TensorMapType,
        tf32: bool = False,
        corners: tuple[Sequence[int], Sequence[int], Sequence[int]] | None = None,
    ):
        """`corners` are `lower`, `upper` and `steps`."""
        lower, upper, steps = corners or (None, None, None)
        super().__init__(
            [memref],
            [result],
            offset=offset,
            sizes=sizes,
            strides=strides,
            tf32=tf32,
            lower=lower,
            upper=upper,
            steps=steps,
        )

    @property
    def is_im2col(self) -> bool:
        return self.lower is not None

    @property
    def corners(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]] | None:
        """The lower and upper corners and the steps of a map in im2col mode."""
        if self.lower is None or self.upper is None or self.steps is None:
            return None
        return tuple(ints(self.lower)), tuple(ints(self.upper)), tuple(ints(self.steps))

    def verify_(self) -> None:
        t, result = global_memref(self, self.memref), tensor_map(self.result)
        on_host = enclosing(self, GpuFuncOp) is None
        check(self, on_host, "belongs in host code: the kernel takes the tensor map as an argument")
        sizes, strides = ints(self.sizes), ints(self.strides)
        rank = self._verify_corners(len(sizes)) if self.is_im2col else len(result.sizes)
        want, got = f"a size and a stride for each axis of the box ({rank})", f"{len(sizes)} and {len(strides)}"
        check_count(self, len(sizes) == len(strides) == rank, "nv.tensor_map", want, got)
        same, want = t.element_type == result.element_type, f"the memref holds {t.element_type}"
        check_type(self, same, "the map's element type", result.element_type, want)
        rounds = self.tf32 is None or t.element_type == f32
        check_type(self, rounds, "the element type of a box rounded to tf32", t.element_type, "it must be f32")
        check_value(self, all(1 <= s <= 2**32 for s in sizes), "sizes", shape_text(sizes), "1 to 2^32 elements")
        each = element_bytes(t.element_type)
        legal = strides[-1] == 1 and all(s >= 1 and s * each % CHUNK == 0 and s * each < 2**40 for s in strides[:-1])
        help = f"1 along the last axis, multiples of {CHUNK} bytes ({CHUNK // each} elements) along the others"
        check_value(self, legal, "strides", shape_text(strides), help)
        offset = self.offset.value.data
        check_value(self, offset >= 0 and offset * each % CHUNK == 0, "offset", offset, f"a multiple of {CHUNK} bytes")
        last = offset + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
        count = prod(t.get_shape())
        help = f"element {last} is beyond the {count} of the memref"
        check_value(self, last < count, "sizes", shape_text(sizes), help)

    def _verify_corners(self, rank: int) -> int:
        """Checks the corners and steps of a map in im2col mode, and returns its rank."""
        given = [p for p in (self.lower, self.upper, self.steps) if p is not None]
        check_count(self, len(given) == 3, "nv.tensor_map", "lower, upper and steps, or none of them", len(given))
        lower, upper, steps = map(ints, given)
        check_count(self, rank in IM2COL_CORNERS, "'sizes'", "3 to 5 axes in im2col mode", rank)
        counts = {len(lower), len(upper), len(steps)}
        check_count(
            self,
            counts == {rank - 2},
            "'lower'",
            f"as many as axes between the first and the last ({rank - 2})",
            len(lower),
        )
        low, high = IM2COL_CORNERS[rank]
        legal = all(low <= corner <= high for corner in (*lower, *upper))
        check_value(self, legal, "lower", [*lower, *upper], f"corners of {rank} axes are from {low} to {high}")
        check_value(self, all(1 <= s <= 8 for s in steps), "steps", list(steps), "1 to 8")
        box = tensor_map(self.result).sizes
        check_count(self, len(box) == 2, "the box", "pixels and channels", len(box))
        return rank


class TensorCopyOp(DialectOp, abc.ABC):
    """Base of copies between a box of a tensor, whose first element is `at`, and a slot of a ring, from `row` and `column` on."""

    map = operand_def(base(TensorMapType))
    at = var_operand_def(IndexType)
    smem = operand_def(base(SmemType))
    slot = operand_def(IndexType)
    row = operand_def(IndexType)
    column = operand_def(IndexType)
    traits = traits_def(SingleThread())

    @property
    def rank(self) -> int:
        """The number of coordinates: one for each axis of the box, unless the copy is in im2col mode."""
        return len(tensor_map(self.map).sizes)

    def verify_(self) -> None:
        t, ring = tensor_map(self.map), smem(self.smem)
        kernel = enclosing(self, GpuFuncOp)
        passed = kernel is None or all(v in kernel.body.block.args for v in picked(self.map))
        check(self, passed, "must take its tensor map from the kernel's arguments")
        rank = self.rank
        check_count(self, len(self.at) == rank, "the map", f"one coordinate for each axis ({rank})", len(self.at))
        same = signless(t.element_type) == signless(ring.element_type)
        check_type(self, same, "the ring's element type", ring.element_type, f"the map has {t.element_type}")
        same = t.swizzle == ring.swizzle
        check_value(self, same, "swizzle", f"'{ring.swizzle.data}'", f"the map's {t.swizzle.data}")
        box = tuple(s for s in t.sizes[:-1] if s != 1)
        rows, columns = (box or (1,))[0], t.sizes[-1]
        each = element_bytes(ring.element_type)
        width = ring.panel // each or ring.sizes[2]
        fits = len(box) <= 1 and rows <= ring.sizes[1] and columns == min(width, ring.sizes[2])
        want = f"at most {ring.sizes[1]} rows of the {width} columns of a panel of the slot"
        check_shape(self, fits, "the box", shape_text(t.sizes), want)
        slot = ring.bytes // ring.sizes[0]
        aligned, help = ring.sizes[0] == 1 or slot % ALIGNMENT == 0, f"bulk copies need multiples of {ALIGNMENT}"
        check_attribute(self, aligned, "smem", f"has slots of {slot} bytes", help)
        check_slot(self, self.slot, ring.sizes[0])
        row_step = ALIGNMENT // gcd(ALIGNMENT, width * each)
        help = (
            f"a row at a multiple of {ALIGNMENT} bytes, so that the {rows} rows are within the slot's {ring.sizes[1]}"
        )
        check_constant(self, "row", self.row, range(0, ring.sizes[1] - rows + 1, row_step), help)
        help = f"panels of {width} columns start at multiples of {width}, within {ring.sizes[2]}"
        check_constant(self, "column", self.column, range(0, ring.sizes[2] - columns + 1, width), help)


@irdl_op_definition
class TmaLoadOp(TensorCopyOp):
    """
    Starts an asynchronous copy of a box into a slot. Its bytes are counted by the mbarrier `signal`. With `multicast`, a mask
    of cluster ranks, the box is copied to the same slot in each of these blocks, and counted by the same mbarrier in each.
    With a `filter`, the map is in im2col mode: the box begins at the filter base `at`, and its pixels are those at the offsets
    `filter` from the bases. Spec: `TmaLoad`; PTX ISA §9.7.9.27.1.2 (`cp.async.bulk.tensor`), §5.5.4.

    ```mlir
    nv.tma_load %t[%b, %m, %k] to %s[%slot, %r, %c] signal %full[%slot] multicast %mask : !nv.tensor_map<1x128x64xbf16, b128>, …
    ```
    """

    name = "nv.tma_load"
    barriers = operand_def(base(MbarrierType))
    barrier = operand_def(IndexType)
    mask = opt_operand_def(IndexType)
    filter = var_operand_def(IndexType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = (
        "$map `[` $at `]` (`filter` `[` $filter^ `]`)? `to` $smem `[` $slot `,` $row `,` $column `]` `signal` $barriers `[` $barrier `]` "
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
        filter: Sequence[SSAValue] = (),
    ):
        super().__init__([barriers, barrier, [mask] if mask is not None else [], filter, map, at, smem, *place])

    @property
    def rank(self) -> int:
        return len(self.filter) + 2 if self.filter else super().rank

    def verify_(self) -> None:
        super().verify_()
        check_slot(self, self.barrier, mbarrier(self.barriers).count.data)
        if self.mask is not None and (blocks := blocks_of(self)) is not None:
            check(self, blocks > 1, "sends to other blocks, but the kernel has no nv.cluster")
            help = f"a bit for each of the {blocks} blocks of the cluster"
            check_constant(self, "multicast", self.mask, range(1, 1 << blocks), help)


@irdl_op_definition
class TmaStoreOp(TensorCopyOp):
    """
    Starts an asynchronous copy of a box out of a slot, in this thread's current bulk group. Between the stores of the threads
    to the slot and this op, there must be an `nv.fence_async` and then a barrier. Elements beyond the sizes of the map are not
    stored. PTX ISA §9.7.9.27.1.2.

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
        super().__init__([map, at, smem, *place])


@irdl_op_definition
class PrefetchMapOp(IRDLOperation):
    """
    Starts to bring a tensor map into the cache from which the first TMA load or store reads it. PTX ISA §9.7.9.17 (`prefetch.tensormap`).

    ```mlir
    nv.prefetch_map %t : !nv.tensor_map<1x128x64xbf16, b128>
    ```
    """

    name = "nv.prefetch_map"
    map = operand_def(base(TensorMapType))
    traits = traits_def(SingleThread())
    assembly_format = "$map attr-dict `:` type($map)"

    def __init__(self, map: SSAValue):
        super().__init__(operands=[map])


@irdl_op_definition
class BulkCommitOp(IRDLOperation):
    """
    Commits the bulk stores that this thread has issued since the previous commit as one group. PTX ISA §9.7.9.27.2.1.

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
    Waits until all but the last `pending` of this thread's groups have read their slots, which may then be overwritten.
    PTX ISA §9.7.9.27.2.2 (`cp.async.bulk.wait_group.read`).

    ```mlir
    nv.bulk.wait_read 1
    ```
    """

    name = "nv.bulk.wait_read"
    traits = traits_def(SingleThread())


@irdl_op_definition
class FenceAsyncOp(IRDLOperation):
    """
    Orders this thread's stores to shared memory before later accesses by the async proxy (TMA and wgmma). Accesses are later
    if a barrier or an mbarrier orders them after this fence. PTX ISA §9.7.13.4 (`fence.proxy.async`).

    ```mlir
    nv.fence_async
    ```
    """

    name = "nv.fence_async"
    assembly_format = "attr-dict"
