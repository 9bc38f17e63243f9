"""
The rules of the `nv` dialect that take a whole kernel with roles to see; its last `nv.role` asks for them.

| rule | here or in |
| --- | --- |
| mbarriers are initialised once, before the roles, with a fence and a barrier behind | here |
| a kernel with a cluster ends with `nv.cluster.sync` | here |
| roles share no threads, no hardware barriers, and not more registers than there are | here |
| what threads store or copy has passed `nv.fence_async` before TMA or wgmma read it, and the other way round | `proxies.py` |
| all for whom a statement is come to it | `uniformity.py` |
| nothing touches a sum that wgmma may still be writing | `in_flight.py` |
| arrivals and bytes are those that a phase waits for | `arrivals.py` |
"""

from __future__ import annotations

from xdsl.dialects import gpu
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from ...dialects.nv.mbarrier import MbarrierInitFenceOp, MbarrierInitOp, OnSlotOp
from ...dialects.nv.roles import (
    REGISTERS,
    BarrierOp,
    ClusterSyncOp,
    RoleOp,
    SetMaxRegistersOp,
    WarpgroupOp,
    block_sizes,
    blocks_of,
)
from ...dialects.nv.tma import TmaLoadOp
from ...errors import InvalidAttributeValue, VerifyError
from .arrivals import check_arrivals, check_bytes
from .in_flight import check_in_flight
from .proxies import check_proxies
from .uniformity import Uniformity


def check_kernel(kernel: Block) -> None:
    """All rules, unless a statement breaks one of its own, whose error is enough."""
    roles = [op for op in kernel.ops if isinstance(op, RoleOp)]
    try:
        for op in kernel.walk():
            if op is not roles[-1]:
                op.verify_()
    except VerifyException:
        return
    _check_threads(roles)
    inits = _check_initialised(kernel, roles)
    _check_end(kernel, roles[-1])
    _check_registers(roles)
    _check_barriers(roles)
    uniformity = Uniformity(kernel)
    for role in roles:
        uniformity.check_participants(role.body.block)
        check_in_flight(role.body.block)
        check_proxies(role)
    _check_mbarriers(kernel, inits, uniformity)


def _check_threads(roles: list[RoleOp]) -> None:
    for before, role in zip(ordered := sorted(roles, key=lambda r: r.first.value.data), ordered[1:], strict=False):
        if role.first.value.data < before.end.value.data:
            raise VerifyError(role, message="roles have threads in common", notes=[(before, "the other one")])


# --- the order of the kernel --------------------------------------------------------------------------


def _check_initialised(kernel: Block, roles: list[RoleOp]) -> dict[SSAValue, MbarrierInitOp]:
    """The initialisation of each ring of mbarriers: before the roles, fenced, and behind a barrier of all who use it."""
    clustered = blocks_of(roles[0]) != 1
    inits: dict[SSAValue, MbarrierInitOp] = {}
    unfenced: MbarrierInitOp | None = None
    pending: MbarrierInitOp | None = None
    started = False
    for top in kernel.ops:
        if isinstance(top, RoleOp) and not started:
            started = True
            if unfenced is not None:
                raise VerifyError(unfenced, message="lacks nv.mbarrier.init_fence behind it, before the roles")
            if pending is not None:
                what = "nv.cluster.sync" if clustered else "gpu.barrier"
                raise VerifyError(pending, message=f"lacks {what} behind its fence, before the roles")
        for op in top.walk():
            match op:
                case MbarrierInitOp():
                    if started:
                        raise VerifyError(op, message="comes too late: mbarriers are initialised before the roles")
                    if op.barriers in inits:
                        notes = [(inits[op.barriers], "the first time")]
                        raise VerifyError(op, message="initialises these mbarriers again", notes=notes)
                    inits[op.barriers] = unfenced = pending = op
                case MbarrierInitFenceOp():
                    unfenced = None
                case gpu.BarrierOp() if isinstance(top, RoleOp):
                    raise VerifyError(op, message="is for the block, and only a role comes here: use nv.barrier")
                case ClusterSyncOp():
                    pending = unfenced
                case gpu.BarrierOp():
                    pending = pending if clustered else unfenced
                case _:
                    pass
    return inits


def _check_mbarriers(kernel: Block, inits: dict[SSAValue, MbarrierInitOp], uniformity: Uniformity) -> None:
    users: dict[SSAValue, list[Operation]] = {}
    for op in kernel.walk():
        if isinstance(op, OnSlotOp | TmaLoadOp):
            users.setdefault(op.barriers, []).append(op)
    for barriers, ops in users.items():
        if barriers not in inits:
            raise VerifyError(ops[0], message="uses mbarriers that nv.mbarrier.init does not initialise")
        check_arrivals(inits[barriers], ops, uniformity)
        check_bytes(ops)


def _check_end(kernel: Block, last: RoleOp) -> None:
    if blocks_of(last) == 1:
        return
    op = kernel.last_op
    while op is not None and (isinstance(op, gpu.ReturnOp) or op.name.startswith("arith.")):
        op = op.prev_op
    if not isinstance(op, ClusterSyncOp):
        raise VerifyError(
            op or last,
            message="is the last of a kernel with a cluster, whose blocks may still write here: end with nv.cluster.sync",
        )


# --- what roles share ---------------------------------------------------------------------------------


def _check_registers(roles: list[RoleOp]) -> None:
    """At most once a role, before all else; what the roles hold together is what the block got at launch."""
    changes: list[tuple[RoleOp, SetMaxRegistersOp]] = []
    for role in roles:
        first, *more = [op for op in role.body.block.ops if isinstance(op, SetMaxRegistersOp)] or [None]
        if first is None:
            continue
        if more:
            raise VerifyError(more[0], message="a role changes its registers once", notes=[(first, "the first time")])
        before = first.prev_op
        while before is not None and (before.name.startswith("arith.") or isinstance(before, WarpgroupOp)):
            before = before.prev_op
        if before is not None:
            raise VerifyError(first, message="is a role's first statement", notes=[(before, "comes before it")])
        changes.append((role, first))
    sizes = block_sizes(roles[0])
    if not changes or sizes is None:
        return
    at_launch = min(256, REGISTERS // sizes[0] // 8 * 8)
    rest = sizes[0] - sum(role.threads for role, _ in changes)
    total = at_launch * rest + sum(role.threads * op.registers.value.data for role, op in changes)
    if total > at_launch * sizes[0]:
        raise InvalidAttributeValue(
            changes[-1][1],
            name="setmaxnreg",
            problem=f"makes {total} registers of the block's roles together",
            help=f"{sizes[0]} threads have {at_launch} each at launch, {at_launch * sizes[0]}: others must give up some",
        )


def _check_barriers(roles: list[RoleOp]) -> None:
    """A hardware barrier is one role's, and always for as many threads."""
    owners: dict[int, BarrierOp] = {}
    for role in roles:
        for op in role.walk():
            if not isinstance(op, BarrierOp):
                continue
            for number in op.numbers:
                owner = owners.setdefault(number, op)
                if owner.threads != op.threads or owner.id != op.id or not role.is_ancestor(owner):
                    raise InvalidAttributeValue(
                        op,
                        name="barrier",
                        problem=f"takes hardware barrier {number}, which others use",
                        help="give each role, and each number of threads, barriers of its own",
                    )
