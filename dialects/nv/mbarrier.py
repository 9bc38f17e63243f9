"""
Statements of the `nv` dialect on mbarriers: rings of them in shared memory, whose phases end when all have arrived.

```mlir
%full = nv.mbarrier at 196608 : !nv.mbarrier<4>
nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
nv.mbarrier.init_fence
nv.mbarrier.expect_tx %full[%slot] bytes 49152 : !nv.mbarrier<4>       // one arrival, and so many bytes to come
nv.mbarrier.wait %full[%slot] parity %phase : !nv.mbarrier<4>
nv.mbarrier.arrive %empty[%slot] at %block : !nv.mbarrier<4>           // of another block of the cluster
```

A phase ends when `arrivals` have come and all bytes announced have landed; then the next begins. A wait names the
parity of the phase that must have ended: 0 for the first, 1 for the second, and so on in turn; of a phase that is two
ahead it would say that it has ended, so no one may be as far ahead. Spec: `tensor-compiler.ja §1.8`; PTX ISA
§9.7.13.15.
"""

from __future__ import annotations

import abc

from xdsl.dialects.builtin import IndexType, IntegerAttr, i64
from xdsl.ir import Operation, SSAValue
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

from ...errors import InvalidAttributeValue, VerifyError
from .roles import OfSingle, blocks_of
from .types import MbarrierType, constant_of

MOST_ARRIVALS = 2**20 - 1
MOST_BYTES = 2**20 - 1


@irdl_op_definition
class MbarrierOp(IRDLOperation):
    """
    A ring of mbarriers at a byte offset of the block's dynamic shared memory, a multiple of 8.

    ```mlir
    %full = nv.mbarrier at 196608 : !nv.mbarrier<4>
    ```
    """

    name = "nv.mbarrier"
    offset = prop_def(IntegerAttr.constr(i64))
    result = result_def(base(MbarrierType))
    assembly_format = "`at` $offset attr-dict `:` type($result)"

    def __init__(self, offset: int, type: MbarrierType):
        super().__init__(properties={"offset": IntegerAttr(offset, i64)}, result_types=[type])

    def verify_(self) -> None:
        if self.offset.value.data < 0 or self.offset.value.data % 8:
            raise InvalidAttributeValue(
                self,
                name="at",
                problem=f"is {self.offset.value.data}",
                help="an mbarrier lies at a multiple of 8 bytes",
            )


@irdl_op_definition
class MbarrierInitOp(IRDLOperation):
    """
    One thread makes all mbarriers of a ring wait for so many arrivals a phase, 1 to 2²⁰ - 1. It stands before the roles,
    and behind it the fence and a barrier. PTX ISA §9.7.13.15.9.

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
    traits = traits_def(OfSingle())
    assembly_format = "$barriers `arrivals` $arrivals attr-dict `:` type($barriers)"

    def __init__(self, barriers: SSAValue, arrivals: int):
        super().__init__(operands=[barriers], properties={"arrivals": IntegerAttr(arrivals, i64)})

    def verify_(self) -> None:
        if not 1 <= self.arrivals.value.data <= MOST_ARRIVALS:
            raise InvalidAttributeValue(
                self, name="arrivals", problem=f"is {self.arrivals.value.data}", help=f"1 to {MOST_ARRIVALS}"
            )


@irdl_op_definition
class MbarrierInitFenceOp(IRDLOperation):
    """
    Makes this thread's initialisations visible to the cluster and to bulk copies; a barrier follows. PTX ISA §9.7.13.4
    (`fence.mbarrier_init`, `fence.proxy.async`).

    ```mlir
    nv.mbarrier.init_fence
    ```
    """

    name = "nv.mbarrier.init_fence"
    traits = traits_def(OfSingle())
    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__()


class OnSlotOp(IRDLOperation, abc.ABC):
    """On one mbarrier of a ring."""

    barriers = operand_def(base(MbarrierType))
    slot = operand_def(IndexType)

    def verify_(self) -> None:
        require_slot(self, self.slot, mbarrier(self.barriers).count.data)


def mbarrier(value: SSAValue) -> MbarrierType:
    if not isinstance(value.type, MbarrierType):
        raise VerifyError(message=f"expected mbarriers, got {value.type}")
    return value.type


def require_slot(op: Operation, slot: SSAValue, count: int) -> None:
    """A slot that is a constant is one of the ring's."""
    known = constant_of(slot)
    if known is not None and not 0 <= known < count:
        raise InvalidAttributeValue(op, name="slot", problem=f"is {known}", help=f"the ring has {count}, from 0 on")


@irdl_op_definition
class ExpectTxOp(OnSlotOp):
    """
    One thread arrives, and announces how many bytes bulk copies will bring into this block in this phase. PTX ISA
    §9.7.13.15.12 (`mbarrier.arrive.expect_tx`).

    ```mlir
    nv.mbarrier.expect_tx %full[%slot] bytes 49152 : !nv.mbarrier<4>
    ```
    """

    name = "nv.mbarrier.expect_tx"
    bytes = prop_def(IntegerAttr.constr(i64))
    traits = traits_def(OfSingle())
    assembly_format = "$barriers `[` $slot `]` `bytes` $bytes attr-dict `:` type($barriers)"

    def __init__(self, barriers: SSAValue, slot: SSAValue, bytes: int):
        super().__init__(operands=[barriers, slot], properties={"bytes": IntegerAttr(bytes, i64)})

    def verify_(self) -> None:
        super().verify_()
        if not 1 <= self.bytes.value.data <= MOST_BYTES:
            raise InvalidAttributeValue(
                self, name="bytes", problem=f"is {self.bytes.value.data}", help=f"1 to {MOST_BYTES}"
            )


@irdl_op_definition
class ArriveOp(OnSlotOp):
    """
    Each thread that comes here arrives; with `at` at the mbarrier of the same place of that block of the cluster. PTX ISA
    §9.7.13.15.13.

    ```mlir
    nv.mbarrier.arrive %empty[%slot] at %block : !nv.mbarrier<4>
    ```
    """

    name = "nv.mbarrier.arrive"
    block = opt_operand_def(IndexType)
    assembly_format = "$barriers `[` $slot `]` (`at` $block^)? attr-dict `:` type($barriers)"

    def __init__(self, barriers: SSAValue, slot: SSAValue, block: SSAValue | None = None):
        super().__init__(operands=[[block] if block is not None else [], barriers, slot])

    def verify_(self) -> None:
        super().verify_()
        if self.block is None or (blocks := blocks_of(self)) is None:
            return
        if blocks == 1:
            raise VerifyError(self, message="no other block to arrive at: the kernel has no nv.cluster")
        known = constant_of(self.block)
        if known is not None and not 0 <= known < blocks:
            raise InvalidAttributeValue(
                self, name="at", problem=f"is {known}", help=f"the cluster has {blocks} blocks, from 0 on"
            )


@irdl_op_definition
class WaitOp(OnSlotOp):
    """
    Each thread that comes here waits until the phase of this parity has ended: what was stored before the arrivals, and
    the bytes, are then visible to it. PTX ISA §9.7.13.15.16 (`mbarrier.try_wait`).

    ```mlir
    nv.mbarrier.wait %full[%slot] parity %phase : !nv.mbarrier<4>
    ```
    """

    name = "nv.mbarrier.wait"
    parity = operand_def(IndexType)
    assembly_format = "$barriers `[` $slot `]` `parity` $parity attr-dict `:` type($barriers)"

    def __init__(self, barriers: SSAValue, slot: SSAValue, parity: SSAValue):
        super().__init__(operands=[parity, barriers, slot])

    def verify_(self) -> None:
        super().verify_()
        known = constant_of(self.parity)
        if known is not None and known not in (0, 1):
            raise InvalidAttributeValue(
                self, name="parity", problem=f"is {known}", help="0 for the first phase, 1 for the second, and in turn"
            )
