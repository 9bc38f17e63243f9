"""
Verifies a kernel as a whole. The pass `nv-check-kernels` calls `check_kernel`, and so does the verifier of a kernel's last
`nv.role`. Kernels without roles have only collective ops to check.

| rule | module |
| --- | --- |
| mbarriers are initialized once, before the roles, followed by a fence and a barrier | here |
| a kernel with a cluster ends with `nv.cluster.sync` | here |
| roles share no threads and no hardware barriers, and fit the register file | here |
| `nv.fence_async` orders generic-proxy accesses to shared memory against those of TMA and wgmma | `proxies.py` |
| collective ops are reached by all their threads | `uniformity.py` |
| no op accesses the accumulator of a wgmma in flight | `in_flight.py` |
| each mbarrier phase gets the arrivals and bytes that it waits for | `arrivals.py` |

xDSL's sparse data-flow framework (0.74) rejects ops with regions, because it has no region-branch interface; the analyses
here visit `scf` ops themselves.
"""

from __future__ import annotations

from xdsl.dialects import gpu
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from ...dialects.nv.mbarrier import MbarrierInitFenceOp, MbarrierInitOp, MbarrierSlotOp
from ...dialects.nv.roles import (
    BarrierOp,
    ClusterSyncOp,
    OrderOp,
    RoleOp,
    SetMaxRegistersOp,
    WarpgroupOp,
    block_sizes,
    blocks_of,
)
from ...dialects.nv.tma import TmaLoadOp
from ...errors import InvalidAttributeValue, VerifyError
from ...targets.architectures import REGISTERS
from ...text.verified import verify_once
from .arrivals import check_arrivals, check_bytes
from .in_flight import check_in_flight
from .proxies import check_proxies
from .uniformity import Uniformity


def check_kernel(kernel: Block) -> None:
    """
    Raises `VerifyError` or `InvalidAttributeValue` at the first op that breaks a rule. Does nothing if an op fails its own
    verifier: the rules rely on valid ops, and that error is reported anyway.
    """
    roles = [op for op in kernel.ops if isinstance(op, RoleOp)]
    try:
        for op in kernel.walk():
            if not roles or op is not roles[-1]:  # the verifier of the last role calls `check_kernel`
                verify_once(op)
    except VerifyException:
        return
    uniformity = Uniformity(kernel)
    if not roles:
        uniformity.check_convergence(kernel)
        return
    _check_threads(roles)
    inits = _check_initialized(kernel, roles)
    _check_end(kernel, roles[-1])
    _check_registers(roles)
    _check_barriers(roles)
    for role in roles:
        uniformity.check_convergence(role.body.block)
        check_in_flight(role.body.block)
        check_proxies(role)
    _check_mbarriers(kernel, inits, uniformity)


def _check_threads(roles: list[RoleOp]) -> None:
    for before, role in zip(ordered := sorted(roles, key=lambda r: r.first.value.data), ordered[1:], strict=False):
        if role.first.value.data < before.end.value.data:
            raise VerifyError(role, problem="shares threads with another role", notes=[(before, "the other role")])


# --- the order of the kernel --------------------------------------------------------------------------


def _check_initialized(kernel: Block, roles: list[RoleOp]) -> dict[SSAValue, MbarrierInitOp]:
    """
    Returns the op that initializes each ring of mbarriers. Checks that it precedes the roles and is followed by a fence,
    then by a barrier of all threads that use the ring.
    """
    clustered = blocks_of(roles[0]) != 1
    inits: dict[SSAValue, MbarrierInitOp] = {}
    unfenced: MbarrierInitOp | None = None
    unsynchronized: MbarrierInitOp | None = None
    in_roles = False
    for top in kernel.ops:
        if isinstance(top, RoleOp) and not in_roles:
            in_roles = True
            if unfenced is not None:
                raise VerifyError(unfenced, problem="needs nv.mbarrier.init_fence after it, before the roles")
            if unsynchronized is not None:
                what = "nv.cluster.sync" if clustered else "gpu.barrier"
                raise VerifyError(unsynchronized, problem=f"needs {what} after its fence, before the roles")
        for op in top.walk():
            match op:
                case MbarrierInitOp():
                    if in_roles:
                        raise VerifyError(op, problem="is too late: mbarriers are initialized before the roles")
                    if op.barriers in inits:
                        notes = [(inits[op.barriers], "first initialized here")]
                        raise VerifyError(op, problem="initializes these mbarriers again", notes=notes)
                    inits[op.barriers] = unfenced = unsynchronized = op
                case MbarrierInitFenceOp():
                    unfenced = None
                case gpu.BarrierOp() if isinstance(top, RoleOp):
                    raise VerifyError(
                        op, problem="synchronizes the block, but only one role reaches it: use nv.barrier"
                    )
                case ClusterSyncOp():
                    unsynchronized = unfenced
                case gpu.BarrierOp():
                    unsynchronized = unsynchronized if clustered else unfenced
                case _:
                    pass
    return inits


def _check_mbarriers(kernel: Block, inits: dict[SSAValue, MbarrierInitOp], uniformity: Uniformity) -> None:
    users: dict[SSAValue, list[Operation]] = {}
    for op in kernel.walk():
        if isinstance(op, MbarrierSlotOp | TmaLoadOp):
            users.setdefault(op.barriers, []).append(op)
    for barriers, ops in users.items():
        if barriers not in inits:
            raise VerifyError(ops[0], problem="uses mbarriers that no nv.mbarrier.init initializes")
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
            problem="ends the kernel while other blocks of the cluster may still write to this block's shared memory: end with nv.cluster.sync",
        )


# --- what roles share ---------------------------------------------------------------------------------


def _check_registers(roles: list[RoleOp]) -> None:
    """
    Checks that `nv.setmaxnreg` is the first op of its role and the only one of its kind there, and that all roles together
    need no more registers than the block got at launch.
    """
    changes: list[tuple[RoleOp, SetMaxRegistersOp]] = []
    for role in roles:
        first, *more = [op for op in role.body.block.ops if isinstance(op, SetMaxRegistersOp)] or [None]
        if first is None:
            continue
        if more:
            raise VerifyError(
                more[0],
                problem="must be the only one in its role",
                notes=[(first, "the first one")],
            )
        before = first.prev_op
        while before is not None and (before.name.startswith("arith.") or isinstance(before, WarpgroupOp)):
            before = before.prev_op
        if before is not None:
            raise VerifyError(first, problem="must be the first op of its role", notes=[(before, "precedes it")])
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
            problem=f"raises the registers of the block's roles to {total} in total",
            help=f"{sizes[0]} threads have {at_launch} each at launch, {at_launch * sizes[0]} in total: other roles must release some",
        )


def _check_barriers(roles: list[RoleOp]) -> None:
    """Checks that a hardware barrier is used by one role, always with the same number of threads."""
    owners: dict[int, BarrierOp | OrderOp] = {}
    for role in roles:
        for op in role.walk():
            if not isinstance(op, BarrierOp | OrderOp):
                continue
            for number in op.hardware_barriers:
                owner = owners.setdefault(number, op)
                if owner.participants != op.participants or owner.id != op.id or not role.is_ancestor(owner):
                    raise InvalidAttributeValue(
                        op,
                        name="barrier",
                        problem=f"uses hardware barrier {number}, which another {owner.name} uses",
                        help="barriers of different roles, or of different numbers of threads, need different ids",
                    )
