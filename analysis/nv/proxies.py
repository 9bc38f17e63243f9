"""
Verifies the order of shared-memory accesses by threads (generic proxy) and by TMA and wgmma (async proxy).

```
nv.stmatrix → nv.fence_async → nv.barrier → nv.tma_store → nv.bulk.commit → nv.bulk.wait_read → nv.barrier → nv.stmatrix
nv.cp_async → nv.fence_async → nv.mbarrier.arrive
nv.store_operand → nv.fence_async → nv.barrier → nv.wgmma.mma
```

If each warp stores to global memory what it has written itself (`nv.single warp`), `nv.warp_sync` serves instead of `nv.barrier`.

The analysis follows the ops of a role in program order. Loop bodies are visited twice, so that the state at the back edge
is known; where the branches of a conditional differ, the state is unknown and nothing is reported. PTX ISA §8 (proxies),
§9.7.13.4.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field
from enum import Enum

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from ...dialects.nv import CpAsyncAtOp, CpAsyncOp, StoreOperandOp
from ...dialects.nv.mbarrier import ArriveOp
from ...dialects.nv.roles import BarrierOp, RoleOp, SingleOp, WarpSyncOp, enclosing
from ...dialects.nv.tma import BulkCommitOp, BulkWaitReadOp, FenceAsyncOp, TmaStoreOp
from ...dialects.nv.types import smem
from ...dialects.nv.wgmma import StoreMatrixOp, WgmmaFragOp, WgmmaMmaOp
from ...errors import VerifyError


class State(Enum):
    """The last event on a ring that TMA stores from, or wgmma reads what threads have stored to."""

    STORED = 1
    """Threads have stored to it."""
    FENCED = 2
    """`nv.fence_async` has followed those stores."""
    READ = 3
    """A TMA store that reads it has been issued."""
    WAITED = 4
    """`nv.bulk.wait_read` has covered that TMA store."""

    @property
    def missing(self) -> str:
        """The ops that must precede an access by the other proxy."""
        first = {State.STORED: "nv.fence_async, then ", State.READ: "nv.bulk.wait_read, then "}.get(self, "")
        return f"{first}nv.barrier"


@dataclass
class ProxyState:
    """The state of shared memory at a program point; a ring that is not in `rings` may be accessed by both proxies."""

    rings: dict[SSAValue, State] = field(default_factory=dict[SSAValue, State])
    copied: bool = False
    """Whether threads have copied into a ring that wgmma reads."""
    fenced: bool = False
    """Whether `nv.fence_async` has followed the last arrival."""

    def copy(self) -> ProxyState:
        return ProxyState(dict(self.rings), self.copied, self.fenced)

    def check_read(self, op: Operation, *rings: SSAValue) -> None:
        """Raises `VerifyError` if `op` reads a ring before what threads have stored to it is visible to the async proxy."""
        for ring in rings:
            if (state := self.rings.get(ring)) in (State.STORED, State.FENCED):
                raise VerifyError(
                    op, problem=f"may read stale elements: put {state.missing} after the stores that it reads"
                )

    def advance(self, before: State, after: State | None, only: Container[SSAValue] | None = None) -> None:
        """
        Moves every ring in state `before`, or every such ring in `only`, to state `after`; None removes it, so that both proxies
        may access it.
        """
        moved = {ring for ring, state in self.rings.items() if state is before and (only is None or ring in only)}
        rings = {ring: after if ring in moved else state for ring, state in self.rings.items()}
        self.rings = {ring: state for ring, state in rings.items() if state is not None}

    def join(self, other: ProxyState) -> ProxyState:
        """Keeps what holds on both branches, so that a missing fence is reported only if it is missing on both."""
        rings = {ring: state for ring, state in self.rings.items() if other.rings.get(ring) is state}
        return ProxyState(rings, self.copied and other.copied, self.fenced or other.fenced)


def check_proxies(role: RoleOp) -> None:
    """Raises `VerifyError` at the first op in the body of a role that lacks a fence, barrier, commit or wait."""
    _visit_block(role.body.block, ProxyState(), single=False)
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
        raise VerifyError(
            last, problem="may read shared memory after the block has ended: end with nv.bulk.wait_read 0"
        )


def _check_committed(single: SingleOp) -> None:
    """Checks that TMA stores in a single-thread region are committed there."""
    store: TmaStoreOp | None = None
    for op in single.walk():
        if isinstance(op, TmaStoreOp):
            store = op
        if isinstance(op, BulkCommitOp):
            store = None
    if store is not None:
        raise VerifyError(store, problem="is in no group: put nv.bulk.commit after it, in the same nv.single")


def _warp_private(op: Operation) -> set[SSAValue]:
    """Returns the rings that each warp of the op's role stores from by itself."""
    role = enclosing(op, RoleOp)
    stores = [o for o in role.walk() if isinstance(o, TmaStoreOp)] if role is not None else []
    shared = {o.smem for o in stores if (single := enclosing(o, SingleOp)) is None or single.who.data != "warp"}
    return {o.smem for o in stores} - shared


def _visit_block(block: Block, order: ProxyState, single: bool) -> ProxyState:
    """Returns the state at the end of `block`; `single` says whether one thread executes it."""
    for op in block.ops:
        match op:
            case StoreMatrixOp() | StoreOperandOp():
                if (state := order.rings.get(op.smem)) in (State.READ, State.WAITED):
                    raise VerifyError(op, problem=f"overwrites what TMA may still read: put {state.missing} before it")
                order.rings[op.smem] = State.STORED
            case FenceAsyncOp():
                order.advance(State.STORED, State.FENCED)
                order.fenced = True
            case BarrierOp() | WarpSyncOp():
                private = _warp_private(op) if isinstance(op, WarpSyncOp) else None
                order.advance(State.FENCED, None, private)
                order.advance(State.WAITED, None, private)
            case BulkWaitReadOp():
                order.advance(State.READ, State.WAITED)
            case TmaStoreOp():
                order.check_read(op, op.smem)
                order.rings[op.smem] = State.READ
            case WgmmaMmaOp() | WgmmaFragOp():
                order.check_read(op, op.a, op.b)
            case CpAsyncOp() | CpAsyncAtOp():
                order.copied = order.copied or smem(op.smem).panel > 0
            case ArriveOp() if not single:
                if order.copied and not order.fenced:
                    raise VerifyError(op, problem="lets wgmma read stale elements: put nv.fence_async before it")
                order.fenced = False
            case _:
                order = _visit_regions(op, order, single or isinstance(op, SingleOp))
    return order


def _visit_regions(op: Operation, order: ProxyState, single: bool) -> ProxyState:
    blocks = [block for region in op.regions for block in region.blocks]
    if isinstance(op, scf.IfOp):
        ends = [_visit_block(block, order.copy(), single) for block in blocks]
        return ends[0].join(ends[1] if len(ends) > 1 else order) if ends else order
    for block in blocks:
        end = _visit_block(block, order.copy(), single)
        if isinstance(op, scf.ForOp) and end != order:  # again, with the state at the back edge
            end = _visit_block(block, end.copy(), single)
        order = end
    return order
