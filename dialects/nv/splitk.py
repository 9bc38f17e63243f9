"""
Split-K ops: semaphores on counters in global memory, and workspaces of fragments.

```mlir
nv.semaphore.acquire %count[%tile] for %s : memref<6xi32>                           // earlier blocks have stored their part
nv.frag_add %ws[%tile] to %acc : memref<6x64x64xf32>, !nv.frag<32x32xf32, C of m16n8k16>
nv.frag_store %acc to %ws[%tile] : !nv.frag<32x32xf32, C of m16n8k16>, memref<6x64x64xf32>
nv.semaphore.release %count[%tile] to %next : memref<6xi32>
```

One thread of a block accesses the counter. A release begins with a block barrier. Since causality order is cumulative over the
barrier, the release also covers the stores of the other threads. An acquire ends with a block barrier. PTX ISA §8.8 (causality
order), §9.7.13 (`ld.acquire`, `st.release`, `atom`).

Forward progress: a block that waits requires that the earlier blocks of its counter are resident. A GPU starts blocks in the
order of their ids, so the split must be the slowest axis of the grid.
"""

from __future__ import annotations

import abc
from math import prod

from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, MemRefType, Signedness, i1, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import base, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.utils.hints import isa

from ...errors import counted
from ...targets.architectures import WARP
from ..common.checks import check, check_shape, check_type, check_value
from ..common.ops import DialectOp
from ..common.shapes import shape_text
from .fragments import FragmentCollective
from .roles import Collective, Scope, threads_of
from .types import FragType, frag, global_memref

# --- counters -----------------------------------------------------------------------------------------


class CounterOp(DialectOp, abc.ABC):
    """Base of ops on a counter, collective over the role or block."""

    counters = operand_def(base(MemRefType))
    tile = operand_def(IndexType)
    traits = traits_def(Collective(Scope.ROLE))

    def verify_(self) -> None:
        t = global_memref(self, self.counters)
        listed = t.element_type == i32 and len(t.get_shape()) == 1
        check_type(self, listed, "the counter array", t, "it must be a one-dimensional memref of i32")


class SemaphoreOp(CounterOp, abc.ABC):
    """Base of ops that wait until the counter has the value `turn`, or set it to `turn`."""

    turn = operand_def(IndexType)

    def __init__(self, counters: SSAValue, tile: SSAValue, turn: SSAValue):
        super().__init__([turn, counters, tile])


@irdl_op_definition
class SemaphoreAcquireOp(SemaphoreOp):
    """
    Waits until the tile's counter is `turn`. Then the stores that other blocks made before their releases are visible.

    ```mlir
    nv.semaphore.acquire %count[%tile] for %s : memref<6xi32>
    ```
    """

    name = "nv.semaphore.acquire"
    assembly_format = "$counters `[` $tile `]` `for` $turn attr-dict `:` type($counters)"


@irdl_op_definition
class SemaphoreReleaseOp(SemaphoreOp):
    """
    Sets the tile's counter to `turn` after the block's stores. The last block sets it to 0.

    ```mlir
    nv.semaphore.release %count[%tile] to %next : memref<6xi32>
    ```
    """

    name = "nv.semaphore.release"
    assembly_format = "$counters `[` $tile `]` `to` $turn attr-dict `:` type($counters)"


@irdl_op_definition
class ArriveLastOp(CounterOp):
    """
    Increments the tile's counter, and returns whether this block is the last of `parts` blocks to do so. For the last block,
    the stores that the others made before are visible, and the counter is reset to 0. The result is uniform over the block.

    ```mlir
    %last = nv.arrive_last %count[%tile] of 3 : memref<6xi32>
    ```
    """

    name = "nv.arrive_last"
    parts = prop_def(IntegerAttr.constr(i64))
    result = result_def(i1)
    assembly_format = "$counters `[` $tile `]` `of` $parts attr-dict `:` type($counters)"

    def __init__(self, counters: SSAValue, tile: SSAValue, parts: int):
        super().__init__([counters, tile], [i1], parts=parts)

    def verify_(self) -> None:
        super().verify_()
        parts = self.parts.value.data
        check_value(self, 2 <= parts < 2**31, "of", parts, "2 blocks or more share a counter")


# --- fragments in global memory -----------------------------------------------------------------------


class WorkspaceOp(DialectOp, abc.ABC):
    """
    Base of copies between a fragment and a slot of a workspace, which is a memref<slots x rows x columns>. Each warp, or
    warpgroup, of the block or role has a part of the slot. It stores its fragment there in the order of lanes, 16 bytes per
    lane, which is not row-major order.
    """

    workspace = operand_def(base(MemRefType))
    slot = operand_def(IndexType)
    frag = operand_def(base(FragType))
    traits = traits_def(FragmentCollective(Scope.WARP))
    assembly_format = "$workspace `[` $slot `]` `to` $frag attr-dict `:` type($workspace) `,` type($frag)"

    def __init__(self, workspace: SSAValue, slot: SSAValue, frag: SSAValue):
        super().__init__([workspace, slot, frag])

    def verify_(self) -> None:
        t, fragment = global_memref(self, self.workspace), frag(self.frag)
        check(self, fragment.operand == "C", f"moves accumulators, not '{fragment.layout_text}'")
        same = storage_type(t.element_type) == storage_type(fragment.element_type)
        want = f"the accumulator is {fragment.element_type}"
        check_type(self, same, "the workspace's element type", t.element_type, want)
        slot, share = t.get_shape()[1:], prod(fragment.sizes)
        threads, unit = threads_of(self), fragment.layout.threads
        holder = "warp" if unit == WARP else "warpgroup"
        holders = None if threads is None else threads // unit
        fits = len(slot) == 2 and prod(slot) % share == 0 and (holders is None or prod(slot) == holders * share)
        block = f"of each {holder}" if holders is None else f"of {counted(holders, holder)}"
        want = f"slots of {shape_text(fragment.sizes)} {block}"
        check_shape(self, fits, "the workspace", shape_text(t.get_shape()), want)


def storage_type(dtype: Attribute) -> Attribute:
    """Returns the element type in memory: the signless type for signed integers, other types unchanged."""
    if isa(dtype, IntegerType) and dtype.signedness.data == Signedness.SIGNED:
        return IntegerType(dtype.width)
    return dtype


@irdl_op_definition
class FragStoreOp(WorkspaceOp):
    """
    Stores each warp's fragment in its part of a slot.

    ```mlir
    nv.frag_store %acc to %ws[%slot] : !nv.frag<32x32xf32, C of m16n8k16>, memref<6x64x64xf32>
    ```
    """

    name = "nv.frag_store"
    assembly_format = "$frag `to` $workspace `[` $slot `]` attr-dict `:` type($frag) `,` type($workspace)"


@irdl_op_definition
class FragLoadOp(WorkspaceOp):
    """
    Loads a fragment that `nv.frag_store` stored from a fragment of the same type.

    ```mlir
    nv.frag_load %ws[%slot] to %acc : memref<6x64x64xf32>, !nv.frag<32x32xf32, C of m16n8k16>
    ```
    """

    name = "nv.frag_load"


@irdl_op_definition
class FragAddOp(WorkspaceOp):
    """
    Adds a fragment that `nv.frag_store` stored from one of the same type: `frag = workspace + frag`, element by element.

    ```mlir
    nv.frag_add %ws[%slot] to %acc : memref<6x64x64xf32>, !nv.frag<32x32xf32, C of m16n8k16>
    ```
    """

    name = "nv.frag_add"
