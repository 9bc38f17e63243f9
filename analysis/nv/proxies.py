"""
The order between what threads do in shared memory and what TMA and wgmma do there, along straight lines and loops.

```
nv.stmatrix → nv.fence_async → nv.barrier → nv.tma_store → nv.bulk.commit → nv.bulk.wait_read → nv.barrier → nv.stmatrix
nv.cp_async → nv.fence_async → nv.mbarrier.arrive
```

A loop is gone through twice; where the ways of a condition differ, nothing is said. PTX ISA §8 (proxies), §9.7.13.4.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from ...dialects.nv import CpAsyncOp
from ...dialects.nv.mbarrier import ArriveOp
from ...dialects.nv.roles import BarrierOp, RoleOp, SingleOp
from ...dialects.nv.tma import BulkCommitOp, BulkWaitReadOp, FenceAsyncOp, TmaStoreOp
from ...dialects.nv.types import smem
from ...dialects.nv.wgmma import StoreMatrixOp
from ...errors import VerifyError


class State(Enum):
    """What has happened last to a ring that TMA stores from."""

    STORED = 1
    FENCED = 2
    READ = 3
    WAITED = 4

    @property
    def missing(self) -> str:
        """What must come before the next access."""
        first = {State.STORED: "nv.fence_async, then ", State.READ: "nv.bulk.wait_read, then "}.get(self, "")
        return f"{first}nv.barrier"


@dataclass
class Order:
    """What a straight line has done so far."""

    rings: dict[SSAValue, State] = field(default_factory=dict[SSAValue, State])
    copied: bool = False
    """Whether threads have copied what wgmma reads."""
    fenced: bool = False
    """Whether a fence came since they last arrived."""

    def copy(self) -> Order:
        return Order(dict(self.rings), self.copied, self.fenced)

    def step(self, before: State, after: State | None) -> None:
        """Every ring in one state goes over to the next."""
        rings = {ring: after if state is before else state for ring, state in self.rings.items()}
        self.rings = {ring: state for ring, state in rings.items() if state is not None}

    def join(self, other: Order) -> Order:
        """What is so whichever way was taken."""
        rings = {ring: state for ring, state in self.rings.items() if other.rings.get(ring) is state}
        return Order(rings, self.copied and other.copied, self.fenced or other.fenced)


def check_proxies(role: RoleOp) -> None:
    """The rules for the statements of a role."""
    _through(role.body.block, Order(), single=False)
    last: Operation | None = None
    for op in role.walk():
        match op:
            case SingleOp():
                _check_committed(op)
            case TmaStoreOp():
                last = op
            case BulkWaitReadOp() if op.pending.value.data == 0:
                last = None
            case _:
                pass
    if last is not None:
        raise VerifyError(last, message="may read shared memory after the block's end: end with nv.bulk.wait_read 0")


def _check_committed(single: SingleOp) -> None:
    store: TmaStoreOp | None = None
    for op in single.walk():
        if isinstance(op, TmaStoreOp):
            store = op
        if isinstance(op, BulkCommitOp):
            store = None
    if store is not None:
        raise VerifyError(store, message="is in no group: nv.bulk.commit comes after it, in the same nv.single")


def _through(block: Block, order: Order, single: bool) -> Order:
    for op in block.ops:
        match op:
            case StoreMatrixOp():
                if (state := order.rings.get(op.smem)) in (State.READ, State.WAITED):
                    raise VerifyError(op, message=f"stores where TMA may still read: {state.missing} comes between")
                order.rings[op.smem] = State.STORED
            case FenceAsyncOp():
                order.step(State.STORED, State.FENCED)
                order.fenced = True
            case BarrierOp():
                order.step(State.FENCED, None)
                order.step(State.WAITED, None)
            case BulkWaitReadOp():
                order.step(State.READ, State.WAITED)
            case TmaStoreOp():
                if (state := order.rings.get(op.smem)) in (State.STORED, State.FENCED):
                    raise VerifyError(op, message=f"may not see what was stored there: {state.missing} comes between")
                order.rings[op.smem] = State.READ
            case CpAsyncOp():
                order.copied = order.copied or smem(op.smem).panel > 0
            case ArriveOp() if not single:
                if order.copied and not order.fenced:
                    raise VerifyError(op, message="wgmma may not see what was copied: nv.fence_async comes before")
                order.fenced = False
            case _:
                order = _inside(op, order, single or isinstance(op, SingleOp))
    return order


def _inside(op: Operation, order: Order, single: bool) -> Order:
    blocks = [block for region in op.regions for block in region.blocks]
    if isinstance(op, scf.IfOp):
        ends = [_through(block, order.copy(), single) for block in blocks]
        return ends[0].join(ends[1] if len(ends) > 1 else order) if ends else order
    for block in blocks:
        end = _through(block, order.copy(), single)
        if isinstance(op, scf.ForOp) and end != order:
            end = _through(block, end.copy(), single)
        order = end
    return order
