"""
Verifies that each mbarrier phase gets the arrivals and bytes that it waits for, where these are known statically.

An op that arrives is a *site*. Its arrivals per phase at a thread block are the number of the cluster's threads that execute
it with that block as the target. Sites on one slot in one basic block add up. Sites on different slots in one role (a peeled
loop) are alternatives. An mbarrier is not checked if its alternatives have different counts, or if a count is not known
statically: because it depends on the warpgroup or thread, because a loop arrives on one slot in every iteration, or because
a target is not computed from the cluster rank.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from ...dialects.nv.mbarrier import ArriveOp, ExpectTxOp, MbarrierInitOp, WaitOp
from ...dialects.nv.roles import RoleOp, Scope, SingleOp, blocks_of, role_of
from ...dialects.nv.tma import TmaLoadOp
from ...dialects.nv.types import constant_of, same_value, tensor_map
from ...errors import InvalidAttributeValue, VerifyError
from .cluster_values import ClusterValues
from .uniformity import Uniformity

MAX_TRIP_COUNT = 64
"""Maximum trip count of a loop whose iterations are evaluated one by one."""


class NotKnownStatically(Exception):
    """Raised where a count depends on values that are not known statically."""


def _induction_values(loop: scf.ForOp) -> range:
    """Returns the values of a loop's induction variable. Raises `NotKnownStatically` for unknown bounds or too many iterations."""
    low, high, step = (constant_of(v) for v in (loop.lb, loop.ub, loop.step))
    if low is None or high is None or step is None or step < 1 or (high - low) // step > MAX_TRIP_COUNT:
        raise NotKnownStatically
    return range(low, high, step)


def _executions(op: Operation, block: Block, values: ClusterValues) -> Iterator[ClusterValues]:
    """Yields, for each execution of `op` during one execution of the enclosing `block`, the values known at that point."""
    if op.parent is block or (parent := op.parent_op()) is None:
        yield values
        return
    for outer in _executions(parent, block, values):
        match parent:
            case scf.ForOp():
                for index in _induction_values(parent):
                    yield ClusterValues(outer.rank, outer.known | {parent.body.block.args[0]: index})
            case scf.IfOp():
                if (cond := outer.evaluate(parent.cond)) is None:
                    raise NotKnownStatically
                if bool(cond) == (op.parent_region() is parent.true_region):
                    yield outer
            case SingleOp():
                yield outer
            case _:
                raise NotKnownStatically


# --- arrivals -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Site:
    """The arriving ops of one slot in one basic block."""

    block: Block
    """The basic block that is executed once per phase of the slot."""
    slot: SSAValue
    last: Operation
    """The last of the ops in program order."""
    counts: tuple[int, ...]
    """Arrivals at each thread block of the cluster in one phase."""


def check_arrivals(init: MbarrierInitOp, users: Sequence[Operation], uniformity: Uniformity) -> None:
    """
    Compares the arrival count in `nv.mbarrier.init` with the arrivals of `users`, the ops on this ring of mbarriers. Raises
    `InvalidAttributeValue` if they differ, `VerifyError` if an op waits and none arrives.
    """
    want = init.arrivals.value.data
    arriving = [op for op in users if isinstance(op, ArriveOp | ExpectTxOp)]
    waiting = next((op for op in users if isinstance(op, WaitOp)), None)
    if waiting is None:
        return
    if not arriving:
        raise VerifyError(
            waiting, problem="waits on an mbarrier that no op arrives on", notes=[(init, "initialized here")]
        )
    kinds: dict[tuple[RoleOp | None, type[Operation]], list[ArriveOp | ExpectTxOp]] = {}
    for op in arriving:
        kinds.setdefault((role_of(op), type(op)), []).append(op)
    try:
        counts = [_arrivals(ops, uniformity) for ops in kinds.values()]
    except NotKnownStatically:
        return
    for got in zip(*counts, strict=True):
        if sum(got) and (max(got) > want or sum(got) < want or (len(got) == 1 and got[0] != want)):
            raise InvalidAttributeValue(
                init,
                name="arrivals",
                problem=f"is {want}, but each phase gets {' + '.join(map(str, got))}",
                help="a phase ends at its last arrival; further arrivals count for the next phase",
            )


def _arrivals(ops: Sequence[ArriveOp | ExpectTxOp], uniformity: Uniformity) -> tuple[int, ...]:
    """Returns the arrivals per phase at each block of the cluster, from the ops of one kind in one role."""
    sites: list[Site] = []
    for op in ops:
        site = _site(op, uniformity)
        known = next((s for s in sites if same_value(s.slot, site.slot)), None)
        if known is None:
            sites.append(site)
        elif known.block is site.block and not _waits_between(known.last, op, site.block):
            both = tuple(a + b for a, b in zip(known.counts, site.counts, strict=True))
            sites[sites.index(known)] = Site(site.block, site.slot, op, both)
        else:
            raise NotKnownStatically
    if len(counts := {site.counts for site in sites}) != 1:
        raise NotKnownStatically
    return counts.pop()


def _site(op: ArriveOp | ExpectTxOp, uniformity: Uniformity) -> Site:
    """Returns the site of one op. Raises `NotKnownStatically`."""
    role, blocks = role_of(op), blocks_of(op)
    if role is None or blocks is None or uniformity.scope_of(op.slot) < Scope.ROLE:
        raise NotKnownStatically
    phase_block, threads = _phase_block(op, role, uniformity)
    counts = [0] * blocks
    for rank in range(blocks):
        for values in _executions(op, phase_block, ClusterValues(rank)):
            to = values.evaluate(op.block) if isinstance(op, ArriveOp) and op.block is not None else rank
            if to is None or to >= blocks:
                raise NotKnownStatically
            counts[to] += threads
    return Site(phase_block, op.slot, op, tuple(counts))


def _phase_block(op: ArriveOp | ExpectTxOp, role: RoleOp, uniformity: Uniformity) -> tuple[Block, int]:
    """Returns the enclosing block that is executed once per phase of the op's slot, and the threads that execute `op`."""
    block, threads = op.parent, role.threads
    while block is not None and (parent := block.parent_op()) is not role:
        # A loop over target blocks, or a conditional on the cluster rank, is within one phase: _executions counts its
        # iterations. A loop that computes a new slot per iteration is a loop over phases, and ends the search.
        match parent:
            case SingleOp():
                threads = parent.threads_of(role)
                block = parent.parent
            case scf.ForOp() if isinstance(op, ArriveOp) and _depends(op.block, parent.body.block.args[0]):
                block = parent.parent
            case scf.ForOp() | scf.IfOp() if uniformity.control_scope(parent) < Scope.ROLE:
                raise NotKnownStatically
            case scf.ForOp() if _defined_in(op.slot, parent.body.block):
                return block, _threads_around(parent, threads, role, uniformity)
            case scf.IfOp() if ClusterValues(0).evaluate(parent.cond) is not None:
                block = parent.parent
            case scf.IfOp() if _defined_per_iteration(op.slot, parent):
                return block, _threads_around(parent, threads, role, uniformity)
            case _:
                raise NotKnownStatically
    if block is None:
        raise NotKnownStatically
    return block, threads


def _threads_around(op: Operation, threads: int, role: RoleOp, uniformity: Uniformity) -> int:
    """
    Returns the number of threads that reach `op`; `threads` is the number inside it. Raises `NotKnownStatically` unless all
    control flow around it is uniform over the role.
    """
    while (parent := op.parent_op()) is not role:
        if parent is None or uniformity.control_scope(parent) < Scope.ROLE:
            raise NotKnownStatically
        if isinstance(parent, SingleOp):
            threads = parent.threads_of(role)
        op = parent
    return threads


def _defined_in(value: SSAValue, body: Block) -> bool:
    """Whether `value` is defined in `body`, directly or in a nested region."""
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    while block is not None and block is not body:
        op = block.parent_op()
        block = op.parent if op is not None else None
    return block is not None


def _defined_per_iteration(value: SSAValue, op: Operation) -> bool:
    """Whether `value` is defined in the body of the innermost loop around `op`, or no loop encloses it."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, scf.ForOp | RoleOp):
        parent = parent.parent_op()
    return not isinstance(parent, scf.ForOp) or _defined_in(value, parent.body.block)


def _depends(value: SSAValue | None, on: SSAValue) -> bool:
    """Whether `value` is computed from `on`."""
    seen: set[SSAValue] = set()
    todo = [value] if value is not None else []
    while todo:
        v = todo.pop()
        if v is on:
            return True
        if v not in seen and isinstance(v.owner, Operation):
            seen.add(v)
            todo += v.owner.operands
    return False


def _waits_between(first: Operation, second: Operation, block: Block) -> bool:
    """Whether `block` waits at an mbarrier between two of its ops, which may then belong to different phases."""
    start, end = block.find_ancestor_op_in_block(first), block.find_ancestor_op_in_block(second)
    while start is not None and start is not end:
        if any(isinstance(op, WaitOp) for op in start.walk()):
            return True
        start = start.next_op
    return False


# --- bytes --------------------------------------------------------------------------------------------


def check_bytes(users: Sequence[Operation]) -> None:
    """Compares the bytes of each `nv.mbarrier.expect_tx` in `users` with those of the loads that signal its slot."""
    expecting = [op for op in users if isinstance(op, ExpectTxOp)]
    loads = [op for op in users if isinstance(op, TmaLoadOp)]
    if loads and not expecting:
        raise VerifyError(loads[0], problem="signals an mbarrier that has no nv.mbarrier.expect_tx")
    try:
        landing = {op: [0] * (blocks_of(op) or 1) for op in expecting}
        for load in loads:
            _add_bytes(load, landing)
    except NotKnownStatically:
        return
    for op, counts in landing.items():
        for got in counts:
            if got != op.bytes.value.data:
                raise InvalidAttributeValue(
                    op,
                    name="bytes",
                    problem=f"is {op.bytes.value.data}, but the loads that signal this slot bring {got}",
                    help="a phase ends when as many bytes have landed as were announced",
                )


def _add_bytes(load: TmaLoadOp, landing: dict[ExpectTxOp, list[int]]) -> None:
    """
    Adds the bytes that `load` brings to each block of the cluster to the `nv.mbarrier.expect_tx` of the same slot. It is
    searched from the basic block of the load outwards.
    """
    block = load.parent
    while block is not None:
        beside = [op for op in landing if op.parent is block and same_value(op.slot, load.barrier)]
        if len(beside) > 1:
            raise NotKnownStatically
        if beside:
            break
        above = block.parent_op()
        block = above.parent if above is not None else None
    else:
        raise NotKnownStatically
    counts = landing[beside[0]]
    for rank in range(len(counts)):
        for values in _executions(load, block, ClusterValues(rank)):
            mask = values.evaluate(load.mask) if load.mask is not None else 1 << rank
            if mask is None:
                raise NotKnownStatically
            for target in range(len(counts)):
                counts[target] += tensor_map(load.map).bytes * (mask >> target & 1)
