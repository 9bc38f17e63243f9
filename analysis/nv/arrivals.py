"""
Who arrives at an mbarrier, and which bytes land: against what a phase waits for, where both can be counted.

A site (one statement) brings each phase of a slot the threads that come to it, of all blocks that name this one. Sites of one
slot in one place add up; those of other slots of the same role (the first, the others, the last) are alternatives.
What depends on a warpgroup, on threads, on a slot to which a loop returns or on a block that is not computed from
the rank is not counted, and its mbarriers are not judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from ...dialects.nv.mbarrier import ArriveOp, ExpectTxOp, MbarrierInitOp, WaitOp
from ...dialects.nv.roles import WARPGROUP, RoleOp, Scope, SingleOp, blocks_of, role_of
from ...dialects.nv.tma import TmaLoadOp, tensor_map
from ...dialects.nv.types import constant_of, same_value
from ...errors import InvalidAttributeValue, VerifyError
from .cluster_values import Numbers
from .uniformity import Uniformity

MOST_TRIPS = 64


class Uncounted(Exception):
    """What cannot be decided."""


def _steps(loop: scf.ForOp) -> range:
    """What the counter of a short loop is in turn."""
    low, high, step = (constant_of(v) for v in (loop.lb, loop.ub, loop.step))
    if low is None or high is None or step is None or step < 1 or (high - low) // step > MOST_TRIPS:
        raise Uncounted
    return range(low, high, step)


def _ways(op: Operation, around: Block, numbers: Numbers) -> Iterator[Numbers]:
    """Each time that a block of the cluster comes to an op while it is once in the block `around`."""
    if op.parent is around or (parent := op.parent_op()) is None:
        yield numbers
        return
    for outer in _ways(parent, around, numbers):
        match parent:
            case scf.ForOp():
                for step in _steps(parent):
                    yield Numbers(outer.rank, outer.known | {parent.body.block.args[0]: step})
            case scf.IfOp():
                if (cond := outer.of(parent.cond)) is None:
                    raise Uncounted
                if bool(cond) == (op.parent_region() is parent.true_region):
                    yield outer
            case SingleOp():
                yield outer
            case _:
                raise Uncounted


# --- arrivals -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Site:
    """Where arrivals come from: one slot in one place, and how many reach each block of the cluster."""

    place: Block
    slot: SSAValue
    last: Operation
    counts: tuple[int, ...]


def check_arrivals(init: MbarrierInitOp, users: Sequence[Operation], uniformity: Uniformity) -> None:
    """The arrivals that a ring of mbarriers was initialised for, against those of its users in the kernel."""
    want = init.arrivals.value.data
    arriving = [op for op in users if isinstance(op, ArriveOp | ExpectTxOp)]
    waiting = next((op for op in users if isinstance(op, WaitOp)), None)
    if waiting is None:
        return
    if not arriving:
        raise VerifyError(waiting, message="waits for arrivals, and nobody arrives", notes=[(init, "initialised here")])
    kinds: dict[tuple[RoleOp | None, type[Operation]], list[ArriveOp | ExpectTxOp]] = {}
    for op in arriving:
        kinds.setdefault((role_of(op), type(op)), []).append(op)
    try:
        counts = [_arrivals(ops, uniformity) for ops in kinds.values()]
    except Uncounted:
        return
    for got in zip(*counts, strict=True):
        if sum(got) and (max(got) > want or sum(got) < want or (len(got) == 1 and got[0] != want)):
            raise InvalidAttributeValue(
                init,
                name="arrivals",
                problem=f"is {want}, but {' and '.join(map(str, got))} arrive in each phase",
                help="a phase ends when so many have arrived; whoever comes after that counts for the next",
            )


def _arrivals(ops: Sequence[ArriveOp | ExpectTxOp], uniformity: Uniformity) -> tuple[int, ...]:
    """How many arrivals one kind of statement of a role brings to each block in each phase."""
    sites: list[Site] = []
    for op in ops:
        site = _site(op, uniformity)
        known = next((s for s in sites if same_value(s.slot, site.slot)), None)
        if known is None:
            sites.append(site)
        elif known.place is site.place and not _waits_between(known.last, op, site.place):
            both = tuple(a + b for a, b in zip(known.counts, site.counts, strict=True))
            sites[sites.index(known)] = Site(site.place, site.slot, op, both)
        else:
            raise Uncounted
    if len(counts := {site.counts for site in sites}) != 1:
        raise Uncounted
    return counts.pop()


def _site(op: ArriveOp | ExpectTxOp, uniformity: Uniformity) -> Site:
    role, blocks = role_of(op), blocks_of(op)
    if role is None or blocks is None or uniformity.of(op.slot) < Scope.ROLE:
        raise Uncounted
    place, threads = _place(op, role, uniformity)
    counts = [0] * blocks
    for rank in range(blocks):
        for numbers in _ways(op, place, Numbers(rank)):
            to = numbers.of(op.block) if isinstance(op, ArriveOp) and op.block is not None else rank
            if to is None or to >= blocks:
                raise Uncounted
            counts[to] += threads
    return Site(place, op.slot, op, tuple(counts))


def _place(op: ArriveOp | ExpectTxOp, role: RoleOp, uniformity: Uniformity) -> tuple[Block, int]:
    """The block that a statement comes to once for each phase of a slot, and how many threads come."""
    place, threads = op.parent, role.threads
    while place is not None and (parent := place.parent_op()) is not role:
        match parent:
            case SingleOp():
                threads = 1 if parent.who.data == "role" else role.threads // WARPGROUP
                place = parent.parent
            case scf.ForOp() if isinstance(op, ArriveOp) and _depends(op.block, parent.body.block.args[0]):
                place = parent.parent
            case scf.ForOp() if uniformity.control(parent) == Scope.ROLE and _made_in(op.slot, parent.body.block):
                return place, _threads_around(parent, threads, role, uniformity)
            case scf.IfOp() if uniformity.control(parent) == Scope.ROLE and Numbers(0).of(parent.cond) is not None:
                place = parent.parent
            case scf.IfOp() if uniformity.control(parent) == Scope.ROLE and _made_around(op.slot, parent):
                return place, _threads_around(parent, threads, role, uniformity)
            case _:
                raise Uncounted
    if place is None:
        raise Uncounted
    return place, threads


def _threads_around(op: Operation, threads: int, role: RoleOp, uniformity: Uniformity) -> int:
    """How many threads come to an op of a role, of which so many come to its inner statements."""
    while (parent := op.parent_op()) is not role:
        if parent is None or uniformity.control(parent) < Scope.ROLE:
            raise Uncounted
        if isinstance(parent, SingleOp):
            threads = 1 if parent.who.data == "role" else role.threads // WARPGROUP
        op = parent
    return threads


def _made_in(value: SSAValue, body: Block) -> bool:
    """Whether a loop makes a value anew each time."""
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    while block is not None and block is not body:
        op = block.parent_op()
        block = op.parent if op is not None else None
    return block is not None


def _made_around(value: SSAValue, op: Operation) -> bool:
    """Whether the nearest loop around an op, if there is one, makes a value anew each time."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, scf.ForOp | RoleOp):
        parent = parent.parent_op()
    return not isinstance(parent, scf.ForOp) or _made_in(value, parent.body.block)


def _depends(value: SSAValue | None, on: SSAValue) -> bool:
    """Whether a value is computed from another."""
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


def _waits_between(first: Operation, second: Operation, place: Block) -> bool:
    """Whether a block waits at an mbarrier between two of its statements: then they may be for two phases."""
    start, end = place.find_ancestor_op_in_block(first), place.find_ancestor_op_in_block(second)
    while start is not None and start is not end:
        if any(isinstance(op, WaitOp) for op in start.walk()):
            return True
        start = start.next_op
    return False


# --- bytes --------------------------------------------------------------------------------------------


def check_bytes(users: Sequence[Operation]) -> None:
    """What each `nv.mbarrier.expect_tx` of a ring announces, against the loads beside it that signal its slot."""
    expecting = [op for op in users if isinstance(op, ExpectTxOp)]
    loads = [op for op in users if isinstance(op, TmaLoadOp)]
    if loads and not expecting:
        raise VerifyError(loads[0], message="signals an mbarrier at which nv.mbarrier.expect_tx announces no bytes")
    try:
        landing = {op: [0] * (blocks_of(op) or 1) for op in expecting}
        for load in loads:
            _land(load, landing)
    except Uncounted:
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


def _land(load: TmaLoadOp, landing: dict[ExpectTxOp, list[int]]) -> None:
    """Adds the bytes of a load to what lands in each block by the nearest announcement around it."""
    place = load.parent
    while place is not None:
        beside = [op for op in landing if op.parent is place and same_value(op.slot, load.barrier)]
        if len(beside) > 1:
            raise Uncounted
        if beside:
            break
        above = place.parent_op()
        place = above.parent if above is not None else None
    else:
        raise Uncounted
    counts = landing[beside[0]]
    for rank in range(len(counts)):
        for numbers in _ways(load, place, Numbers(rank)):
            mask = numbers.of(load.mask) if load.mask is not None else 1 << rank
            if mask is None:
                raise Uncounted
            for block in range(len(counts)):
                counts[block] += tensor_map(load.map).bytes * (mask >> block & 1)
