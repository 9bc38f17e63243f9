"""
Statements of the `nv` dialect for a sum that several blocks share: fragments in global memory, and counters.

```mlir
nv.semaphore.acquire %count[%tile] for %s : memref<6xi32>                           // the blocks before have added theirs
nv.frag_add %ws[%tile] to %acc : memref<6x64x64xf32>, !nv.frag<32x32xf32, C of m16n8k16>
nv.frag_store %acc to %ws[%tile] : !nv.frag<32x32xf32, C of m16n8k16>, memref<6x64x64xf32>
nv.semaphore.release %count[%tile] to %next : memref<6xi32>
```

A counter is read and written by one thread of a block, and a barrier of the block stands on the side where it orders
the others' accesses: that thread's release is cumulative over the barrier before it, its acquire is for all threads
behind the barrier after it. PTX ISA §8.8 (causality order), §9.7.13 (`ld.acquire`, `st.release`, `atom`).

A block that waits needs those before it to run: blocks of one counter must be numbered in the order in which they take
their turns, the part as the slowest axis of the grid, since a GPU starts blocks in the order of their numbers.
"""

from __future__ import annotations

import abc
from math import prod

from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, MemRefType, Signedness, i1, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, base, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.utils.hints import isa

from ...errors import InvalidAttributeValue, ShapeMismatch, UnsupportedType, VerifyError
from ..common.shapes import spell
from .fragments import OfFragments
from .roles import WARP, Collective, Scope, threads_of
from .types import FragType, frag, global_memref

# --- counters -----------------------------------------------------------------------------------------


class CounterOp(IRDLOperation, abc.ABC):
    """Collective over the block, or the role; all its threads must come here."""

    counters = operand_def(base(MemRefType))
    tile = operand_def(IndexType)
    traits = traits_def(Collective(Scope.ROLE))

    def verify_(self) -> None:
        t = global_memref(self, self.counters)
        if t.element_type != i32 or len(t.get_shape()) != 1:
            raise UnsupportedType(self, what="the counters", got=t, want="a list of i32 is needed")


@irdl_op_definition
class SemaphoreAcquireOp(CounterOp):
    """
    Waits until the tile's counter is `turn`: what blocks stored before they passed that turn is then visible.

    ```mlir
    nv.semaphore.acquire %count[%tile] for %s : memref<6xi32>
    ```
    """

    name = "nv.semaphore.acquire"
    turn = operand_def(IndexType)
    assembly_format = "$counters `[` $tile `]` `for` $turn attr-dict `:` type($counters)"

    def __init__(self, counters: SSAValue, tile: SSAValue, turn: SSAValue):
        super().__init__(operands=[turn, counters, tile])


@irdl_op_definition
class SemaphoreReleaseOp(CounterOp):
    """
    Sets the tile's counter to `turn`, after all that the block has stored. The last turn is passed to 0.

    ```mlir
    nv.semaphore.release %count[%tile] to %next : memref<6xi32>
    ```
    """

    name = "nv.semaphore.release"
    turn = operand_def(IndexType)
    assembly_format = "$counters `[` $tile `]` `to` $turn attr-dict `:` type($counters)"

    def __init__(self, counters: SSAValue, tile: SSAValue, turn: SSAValue):
        super().__init__(operands=[turn, counters, tile])


@irdl_op_definition
class ArriveLastOp(CounterOp):
    """
    Counts this block in, and says whether it is the last of `parts`: then what the others stored before they came is
    visible, and the counter is 0 again. The answer is the same in all threads.

    ```mlir
    %last = nv.arrive_last %count[%tile] of 3 : memref<6xi32>
    ```
    """

    name = "nv.arrive_last"
    parts = prop_def(IntegerAttr.constr(i64))
    result = result_def(i1)
    assembly_format = "$counters `[` $tile `]` `of` $parts attr-dict `:` type($counters)"

    def __init__(self, counters: SSAValue, tile: SSAValue, parts: int):
        super().__init__(operands=[counters, tile], properties={"parts": IntegerAttr(parts, i64)}, result_types=[i1])

    def verify_(self) -> None:
        super().verify_()
        if not 2 <= self.parts.value.data < 2**31:
            raise InvalidAttributeValue(
                self, name="of", problem=f"is {self.parts.value.data}", help="2 blocks or more share a counter"
            )


# --- fragments in global memory -----------------------------------------------------------------------


class WorkspaceOp(IRDLOperation, abc.ABC):
    """
    Every warp of the block (or of the role; or warpgroup, whose sums they are) moves its fragment to or from its share
    of one slot: memref<slots x rows x columns>. Within a slot a fragment lies in the order of its lanes, 16 bytes a
    lane, which is not the order of rows and columns.
    """

    workspace = operand_def(base(MemRefType))
    slot = operand_def(IndexType)
    frag = operand_def(base(FragType))
    traits = traits_def(OfFragments(Scope.WARP))

    def verify_(self) -> None:
        t, fragment = global_memref(self, self.workspace), frag(self.frag)
        if fragment.operand.data != "C":
            raise VerifyError(self, message=f"moves sums, not '{fragment.spelling}'")
        if storage(t.element_type) != storage(fragment.element_type):
            raise UnsupportedType(
                self, what="the workspace's element type", got=t.element_type, want=f"sums are {fragment.element_type}"
            )
        slot, share = t.get_shape()[1:], prod(fragment.sizes)
        threads, unit = threads_of(self), fragment.layout.threads
        holder = "warp" if unit == WARP else "warpgroup"
        holders = None if threads is None else threads // unit
        if len(slot) != 2 or prod(slot) % share or (holders is not None and prod(slot) != holders * share):
            block = f"of each {holder}" if holders is None else f"of {holders} {holder}s"
            raise ShapeMismatch(
                self, what="the workspace", got=spell(t.get_shape()), want=f"slots of {spell(fragment.sizes)} {block}"
            )


def storage(dtype: Attribute) -> Attribute:
    """An element type as memory holds it: a signed integer is like one without a sign."""
    if isa(dtype, IntegerType) and dtype.signedness.data == Signedness.SIGNED:
        return IntegerType(dtype.width)
    return dtype


@irdl_op_definition
class FragStoreOp(WorkspaceOp):
    """
    Each warp of the block stores its fragment in its share of a slot.

    ```mlir
    nv.frag_store %acc to %ws[%slot] : !nv.frag<32x32xf32, C of m16n8k16>, memref<6x64x64xf32>
    ```
    """

    name = "nv.frag_store"
    assembly_format = "$frag `to` $workspace `[` $slot `]` attr-dict `:` type($frag) `,` type($workspace)"

    def __init__(self, frag: SSAValue, workspace: SSAValue, slot: SSAValue):
        super().__init__(operands=[workspace, slot, frag])


@irdl_op_definition
class FragLoadOp(WorkspaceOp):
    """
    Each warp loads a fragment that was stored from the same layout.

    ```mlir
    nv.frag_load %ws[%slot] to %acc : memref<6x64x64xf32>, !nv.frag<32x32xf32, C of m16n8k16>
    ```
    """

    name = "nv.frag_load"
    assembly_format = "$workspace `[` $slot `]` `to` $frag attr-dict `:` type($workspace) `,` type($frag)"

    def __init__(self, workspace: SSAValue, slot: SSAValue, frag: SSAValue):
        super().__init__(operands=[workspace, slot, frag])


@irdl_op_definition
class FragAddOp(WorkspaceOp):
    """
    Each warp adds a fragment that was stored from the same layout: `frag = workspace + frag`, element by element.

    ```mlir
    nv.frag_add %ws[%slot] to %acc : memref<6x64x64xf32>, !nv.frag<32x32xf32, C of m16n8k16>
    ```
    """

    name = "nv.frag_add"
    assembly_format = "$workspace `[` $slot `]` `to` $frag attr-dict `:` type($workspace) `,` type($frag)"

    def __init__(self, workspace: SSAValue, slot: SSAValue, frag: SSAValue):
        super().__init__(operands=[workspace, slot, frag])
