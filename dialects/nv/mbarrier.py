"""
Mbarrier ops: rings of mbarriers in shared memory.

```mlir
%full = nv.mbarrier at 196608 : !nv.mbarrier<4>
nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
nv.mbarrier.init_fence
nv.mbarrier.expect_tx %full[%slot] bytes 49152 : !nv.mbarrier<4>       // one arrival; the phase also waits for the bytes
nv.mbarrier.wait %full[%slot] parity %phase : !nv.mbarrier<4>
nv.mbarrier.arrive %empty[%slot] at %block : !nv.mbarrier<4>           // in another block of the cluster
```

A phase ends after `arrivals` arrivals, once all expected bytes have been copied; then the next phase begins. A wait names the
parity of the phase that it waits for: 0 for the first, 1 for the second, and so on alternately. Phases n and n + 2 have the
same parity, so a thread must never run two phases ahead. Spec: `tensor-compiler.ja §1.8`; PTX ISA §9.7.13.15.
"""

from __future__ import annotations

import abc

from xdsl.dialects.builtin import IndexType, IntegerAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
)

from ..common.checks import check, check_value
from ..common.ops import DialectOp
from .roles import SingleThread, blocks_of
from .types import MbarrierType, check_constant, check_slot, mbarrier

MAX_COUNT = 2**20 - 1
"""Maximum number of arrivals, and maximum number of bytes, that one phase can wait for."""


@irdl_op_definition
class MbarrierOp(DialectOp):
    """
    Declares a ring of mbarriers at a byte offset of the block's dynamic shared memory. The offset is a multiple of 8.

    ```mlir
    %full = nv.mbarrier at 196608 : !nv.mbarrier<4>
    ```
    """

    name = "nv.mbarrier"
    offset = prop_def(IntegerAttr.constr(i64))
    result = result_def(base(MbarrierType))
    assembly_format = "`at` $offset attr-dict `:` type($result)"

    def __init__(self, offset: int, type: MbarrierType):
        super().__init__([], [type], offset=offset)

    def verify_(self) -> None:
        offset = self.offset.value.data
        check_value(self, offset >= 0 and offset % 8 == 0, "at", offset, "mbarriers are aligned to 8 bytes")


@irdl_op_definition
class MbarrierInitOp(DialectOp):
    """
    Initializes all mbarriers of a ring for `arrivals` arrivals per phase, 1 to 2²⁰ - 1. This op must precede the roles; a
    fence and a barrier must follow it. PTX ISA §9.7.13.15.9.

    ```mlir
    nv.single block {
      nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    ```
    """

    name = "nv.mbarrier.init"
    barriers = operand_def(base(MbarrierType))
    arrivals = prop_def(IntegerAttr.constr(i64))
    traits = traits_def(SingleThread())
    assembly_format = "$barriers `arrivals` $arrivals attr-dict `:` type($barriers)"

    def __init__(self, barriers: SSAValue, arrivals: int):
        super().__init__([barriers], arrivals=arrivals)

    def verify_(self) -> None:
        arrivals = self.arrivals.value.data
        check_value(self, 1 <= arrivals <= MAX_COUNT, "arrivals", arrivals, f"1 to {MAX_COUNT}")


@irdl_op_definition
class MbarrierInitFenceOp(IRDLOperation):
    """
    Makes the mbarriers that this thread has initialized visible to the cluster and to bulk copies. A barrier must follow. PTX
    ISA §9.7.13.4 (`fence.mbarrier_init`, `fence.proxy.async`).

    ```mlir
    nv.mbarrier.init_fence
    ```
    """

    name = "nv.mbarrier.init_fence"
    traits = traits_def(SingleThread())
    assembly_format = "attr-dict"


class MbarrierSlotOp(DialectOp, abc.ABC):
    """Base of ops on one mbarrier of a ring."""

    barriers = operand_def(base(MbarrierType))
    slot = operand_def(IndexType)

    def verify_(self) -> None:
        check_slot(self, self.slot, mbarrier(self.barriers).count.data)


@irdl_op_definition
class ExpectTxOp(MbarrierSlotOp):
    """
    Arrives at an mbarrier, and makes its phase also wait for `bytes` bytes of bulk copies into this block. PTX ISA
    §9.7.13.15.13 (`mbarrier.arrive.expect_tx`).

    ```mlir
    nv.mbarrier.expect_tx %full[%slot] bytes 49152 : !nv.mbarrier<4>
    ```
    """

    name = "nv.mbarrier.expect_tx"
    bytes = prop_def(IntegerAttr.constr(i64))
    traits = traits_def(SingleThread())
    assembly_format = "$barriers `[` $slot `]` `bytes` $bytes attr-dict `:` type($barriers)"

    def __init__(self, barriers: SSAValue, slot: SSAValue, bytes: int):
        super().__init__([barriers, slot], bytes=bytes)

    def verify_(self) -> None:
        super().verify_()
        check_value(self, 1 <= (n := self.bytes.value.data) <= MAX_COUNT, "bytes", n, f"1 to {MAX_COUNT}")


@irdl_op_definition
class ArriveOp(MbarrierSlotOp):
    """
    Arrives at an mbarrier, once per executing thread. With `at`, arrives at the same mbarrier in that block of the cluster.
    PTX ISA §9.7.13.15.13.

    ```mlir
    nv.mbarrier.arrive %empty[%slot] at %block : !nv.mbarrier<4>
    ```
    """

    name = "nv.mbarrier.arrive"
    block = opt_operand_def(IndexType)
    assembly_format = "$barriers `[` $slot `]` (`at` $block^)? attr-dict `:` type($barriers)"

    def __init__(self, barriers: SSAValue, slot: SSAValue, block: SSAValue | None = None):
        super().__init__([[block] if block is not None else [], barriers, slot])

    def verify_(self) -> None:
        super().verify_()
        if self.block is not None and (blocks := blocks_of(self)) is not None:
            check(self, blocks > 1, "arrives at another block, but the kernel has no nv.cluster")
            check_constant(self, "at", self.block, range(blocks), f"the blocks of the cluster are 0 to {blocks - 1}")


@irdl_op_definition
class WaitOp(MbarrierSlotOp):
    """
    Waits until the phase of this parity has ended. Then the stores that precede the arrivals of the phase, and the bytes that
    the phase waited for, are visible to this thread. PTX ISA §9.7.13.15.16 (`mbarrier.try_wait`).

    ```mlir
    nv.mbarrier.wait %full[%slot] parity %phase : !nv.mbarrier<4>
    ```
    """

    name = "nv.mbarrier.wait"
    parity = operand_def(IndexType)
    assembly_format = "$barriers `[` $slot `]` `parity` $parity attr-dict `:` type($barriers)"

    def __init__(self, barriers: SSAValue, slot: SSAValue, parity: SSAValue):
        super().__init__([parity, barriers, slot])

    def verify_(self) -> None:
        super().verify_()
        help = "0 for the first phase, 1 for the second, and so on alternately"
        check_constant(self, "parity", self.parity, (0, 1), help)
