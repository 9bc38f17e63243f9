"""CTA barriers, fences and control flow: the steps after which lanes are somewhere else (PTX ISA §9.7.12, §9.7.13)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..errors import BadOperand, DivergentWarp, Trap
from .decode import Builder, Decoder, Step, Writer
from .lanes import Lanes
from .syntax import Instruction, Symbol
from .types import SCALARS, Array
from .violation import Violation
from .warp import warp_barrier

if TYPE_CHECKING:
    from .machine import Machine

U32, PRED = SCALARS["u32"], SCALARS["pred"]


@dataclass
class _Reduction:
    """A `bar.red` in progress: what to do with the votes, and where the result goes."""

    kind: str
    put: Writer


@dataclass
class Barrier:
    """One barrier number in all CTAs of the batch. `need` is 0 where all threads of the CTA must come."""

    arrived: Array
    blocked: Array
    need: Array
    votes: Array
    reduction: _Reduction | None = field(default=None)


class Barriers:
    """The barriers of a batch (16 numbers a CTA), and who waits where."""

    def __init__(self, m: Machine):
        self._m = m
        self._known: dict[int, Barrier] = {}

    def waiting(self) -> list[tuple[int, Array]]:
        """Barrier numbers with the lanes blocked there."""
        return [(n, np.flatnonzero(b.blocked)) for n, b in self._known.items() if b.blocked.any()]

    def arrive(self, number: int, lanes: Lanes, need: int, blocks: bool, votes: Any, red: _Reduction | None) -> None:
        m = self._m
        barrier = self._known.get(number)
        if barrier is None:
            flags = [np.zeros(m.lane_count, np.bool_) for _ in range(3)]
            barrier = Barrier(flags[0], flags[1], np.zeros(m.cta_count, np.int64), flags[2])
            self._known[number] = barrier
        barrier.arrived[lanes.index] = True
        barrier.blocked[lanes.index] = blocks
        barrier.need[m.cta_of_lane[lanes.index] - m.first_cta] = need
        barrier.votes[lanes.index] = votes
        barrier.reduction = red
        self._complete(barrier)

    def exited(self) -> None:
        """Lanes are gone: a barrier that waited for all threads may be complete now."""
        for barrier in self._known.values():
            if barrier.arrived.any():
                self._complete(barrier)

    def _complete(self, barrier: Barrier) -> None:
        m = self._m
        lanes = barrier.arrived.reshape(m.cta_count, -1)
        warps = cast(Array, lanes.reshape(m.cta_count, -1, 32).any(axis=2))
        someone = cast(Array, warps.any(axis=1))
        everyone = cast(Array, (lanes | ~m.alive.reshape(m.cta_count, -1)).all(axis=1))
        enough = cast(Array, 32 * warps.sum(axis=1) >= barrier.need)
        done = np.flatnonzero(someone & np.where(barrier.need > 0, enough, everyone))
        if not done.size:
            return
        m.clocks.barrier(done, warps[done])
        free = np.zeros(lanes.shape, np.bool_)
        free[done] = True
        free = free.reshape(-1) & barrier.arrived
        released = np.flatnonzero(free & barrier.blocked)
        if barrier.reduction:
            self._reduce(barrier, released, done)
        barrier.arrived[free] = False
        barrier.blocked[free] = False
        m.release(released)

    def _reduce(self, barrier: Barrier, released: Array, done: Array) -> None:
        m, red = self._m, barrier.reduction
        assert red is not None
        arrived = barrier.arrived.reshape(m.cta_count, -1)
        counts = (barrier.votes.reshape(m.cta_count, -1) & arrived).sum(axis=1)
        totals = arrived.sum(axis=1)
        result = {"popc": counts.astype(np.uint32), "and": counts == totals, "or": counts > 0}[red.kind]
        lanes = m.lanes(released)
        red.put(m, lanes, result[m.cta_of_lane[released] - m.first_cta])


def build_barrier(ins: Instruction, d: Decoder) -> Step:
    """`bar.sync a[, b]`, `bar.arrive`, `bar.red.op`, and the same as `barrier[.cta]`."""
    parts = [p for p in ins.parts if p != "cta"]
    if parts[1] == "warp":
        return warp_barrier(ins, d)
    kind = parts[1]
    aligned = parts[0] == "bar" or "aligned" in parts
    red: _Reduction | None = None
    operands = list(ins.operands)
    vote = None
    if kind == "red":
        put = d.write(operands.pop(0), U32 if parts[2] == "popc" else PRED)
        red = _Reduction(parts[2], put)
        vote = d.read(operands.pop(), PRED)
    elif kind not in ("sync", "arrive"):
        d.unknown()
    number = d.read(operands[0], U32)
    need = d.read(operands[1], U32) if len(operands) > 1 else None

    def step(m: Machine, lanes: Lanes) -> None:
        if aligned:
            _require_converged(m, lanes, ins.opcode)
        votes = vote(m, lanes) if vote else False
        if kind != "arrive":
            m.block(lanes)
        numbers = np.broadcast_to(number(m, lanes), lanes.count)
        needs = np.broadcast_to(need(m, lanes), lanes.count) if need else np.zeros(lanes.count, np.int64)
        kinds = np.unique(np.stack([numbers.astype(np.int64), needs.astype(np.int64)]), axis=1).T
        for which, count in kinds:
            chosen = (numbers == which) & (needs == count)
            part = lanes if chosen.all() else lanes.among(chosen)
            m.barriers.arrive(
                int(which),
                part,
                int(count),
                kind != "arrive",
                np.asarray(votes)[chosen] if np.ndim(votes) else votes,
                red,
            )

    return step


def _require_converged(m: Machine, lanes: Lanes, what: str) -> None:
    """An aligned barrier is for whole warps: a live lane that is elsewhere makes it undefined."""
    bits = lanes.bits
    bad = (bits != 0) & (bits != m.alive_bits())
    if bad.any():
        warp = int(np.argmax(bad))
        position = int(np.searchsorted(lanes.index, warp * 32))
        problem = f"lanes {int(bits[warp]):#010x} are here, {int(m.alive_bits()[warp]):#010x} are alive"
        raise Violation(DivergentWarp, position, what=what, problem=problem)


# --- going elsewhere -------------------------------------------------------------------------------


def build_bra(ins: Instruction, d: Decoder) -> Step:
    target = d.operand(0)
    if not isinstance(target, Symbol) or target.name not in d.kernel.labels:
        d.fail("the target is not a label")
    to = d.kernel.labels[target.name]
    return lambda m, lanes: m.jump(lanes, to)


def build_brx(ins: Instruction, d: Decoder) -> Step:
    """`brx.idx index, table`."""
    table = d.operand(1)
    if not isinstance(table, Symbol) or table.name not in d.kernel.branch_targets:
        d.fail("the second operand is not a list of branch targets")
    targets = [d.kernel.labels[name] for name in d.kernel.branch_targets[table.name]]
    index = d.read(d.operand(0), U32)

    def step(m: Machine, lanes: Lanes) -> None:
        wanted = np.broadcast_to(index(m, lanes), lanes.count)
        for value in np.unique(wanted):
            if value >= len(targets):
                raise BadOperand(
                    line=ins.line, problem=f"branch index {value} beyond {len(targets)} targets", text=ins.text
                )
            m.jump(lanes.among(wanted == value), targets[int(value)])

    return step


def build_exit(ins: Instruction, d: Decoder) -> Step:
    return lambda m, lanes: m.exit(lanes)


def build_trap(ins: Instruction, d: Decoder) -> Step:
    def step(m: Machine, lanes: Lanes) -> None:
        raise Violation(Trap, 0)

    return step


def build_nothing(ins: Instruction, d: Decoder) -> Step:
    """Fences order memory that is sequentially consistent here; `nanosleep` and `griddepcontrol` have no effect."""
    return lambda m, lanes: None


TABLE: dict[str, Builder] = {
    "bar": build_barrier,
    "barrier": build_barrier,
    "bra": build_bra,
    "brx": build_brx,
    "ret": build_exit,
    "exit": build_exit,
    "trap": build_trap,
    "brkpt": build_trap,
    "fence": build_nothing,
    "membar": build_nothing,
    "nanosleep": build_nothing,
}
