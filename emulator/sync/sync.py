"""CTA barriers and control flow (PTX ISA §9.7.12, §9.7.13)."""

from __future__ import annotations

import numpy as np

from ..engine.lanes import Lanes
from ..engine.machine import Machine
from ..errors import BadOperand, Trap
from ..isa.decode import Decoder, Step
from ..isa.syntax import Instruction, Symbol
from ..isa.types import SCALARS
from ..violation import Violation
from .barriers import Barriers, Reduction, require_converged

U32, PRED = SCALARS["u32"], SCALARS["pred"]


def build_barrier(ins: Instruction, d: Decoder) -> Step:
    """Builds `bar.sync a[, b]`, `bar.arrive`, `bar.red.op`, and their forms as `barrier[.cta]`."""
    word, kind, *modifiers = [p for p in ins.parts if p != "cta"]
    aligned = word == "bar" or "aligned" in modifiers
    red: Reduction | None = None
    operands = list(ins.operands)
    vote = None
    if kind == "red":
        red = Reduction(modifiers[0], d.write(operands.pop(0), U32 if modifiers[0] == "popc" else PRED))
        vote = d.read(operands.pop(), PRED)
    number = d.read(operands[0], U32)
    need = d.read(operands[1], U32) if len(operands) > 1 else None

    def step(m: Machine, lanes: Lanes) -> None:
        if aligned:
            require_converged(m, lanes, ins.opcode)
        votes = vote(m, lanes) if vote else False
        if kind != "arrive":
            m.block(lanes)
        numbers = np.broadcast_to(number(m, lanes), lanes.count)
        m.note(lanes.index, kind, numbers)
        needs = np.broadcast_to(need(m, lanes), lanes.count) if need else np.zeros(lanes.count, np.int64)
        kinds = np.unique(np.stack([numbers.astype(np.int64), needs.astype(np.int64)]), axis=1).T
        for which, count in kinds:
            chosen = (numbers == which) & (needs == count)
            part = lanes if chosen.all() else lanes.among(chosen)
            mine = np.asarray(votes)[chosen] if np.ndim(votes) else votes
            m.part(Barriers).arrive(int(which), part, int(count), kind != "arrive", mine, red)

    return step


# --- control flow ----------------------------------------------------------------------------------


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
                problem = f"branch index {value} beyond {len(targets)} targets"
                raise BadOperand(line=ins.line, problem=problem, text=ins.text)
            m.jump(lanes.among(wanted == value), targets[int(value)])

    return step


def trap(m: Machine, lanes: Lanes) -> None:
    raise Violation(Trap, 0)
