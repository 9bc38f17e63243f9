"""
Verifies that no op accesses the registers of a wgmma in flight: its accumulator, and operand A in registers.

A dataflow analysis tracks an age for each register: the number of groups that were committed after the register's own group.

```
wgmma.mma %acc     %acc is in the open group
wgmma.commit       %acc has age 0
wgmma.commit       %acc has age 1: one group was committed after its own
wgmma.wait 1       at most one group is pending: groups of age 1 and more are complete
```

Joins, loop back edges included, take the smallest age. At most one accumulator may be in flight over a back edge: with
two, ptxas serializes the wgmmas (its remarks C7514 and C7517). PTX ISA §9.7.15.3 (asynchronous proxy), §9.7.15.7.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from ...dialects.nv.types import FragType, frag
from ...dialects.nv.wgmma import WgmmaCommitOp, WgmmaFenceOp, WgmmaFragOp, WgmmaMmaOp, WgmmaOp, WgmmaWaitOp
from ...errors import VerifyError

OPEN = -1
"""The age of registers whose group is not yet committed."""


@dataclass
class InFlight:
    """The registers that may be in flight at a program point."""

    ages: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    by: dict[SSAValue, Operation] = field(default_factory=dict[SSAValue, Operation])
    """The last wgmma that uses the register."""
    fenced: bool = False
    """Whether `nv.wgmma.fence` has opened a group."""

    def copy(self) -> InFlight:
        return InFlight(dict(self.ages), dict(self.by), self.fenced)

    def join(self, other: InFlight) -> InFlight:
        ages = {v: min(self.ages.get(v, age), age) for v, age in other.ages.items()}
        return InFlight(self.ages | ages, other.by | self.by, self.fenced and other.fenced)

    def same(self, other: InFlight) -> bool:
        return self.ages == other.ages and self.fenced == other.fenced

    def uncommitted(self) -> Operation | None:
        """Returns a wgmma whose group is not yet committed, or None."""
        return next((self.by[v] for v, age in self.ages.items() if age == OPEN), None)


def check_in_flight(block: Block) -> None:
    """Raises `VerifyError` at the first op in the body of a role that breaks these rules."""
    end = _visit_block(block, InFlight())
    for value, age in end.ages.items():
        what = "nv.wgmma.commit" if age == OPEN else "nv.wgmma.wait"
        raise VerifyError(end.by[value], problem=f"is not followed by {what} before its role ends")


def _visit_block(block: Block, flight: InFlight) -> InFlight:
    """Returns the state at the end of `block`; `flight` is the state at its beginning, and is modified."""
    for op in block.ops:
        match op:
            case WgmmaFenceOp():
                flight.fenced = True
            case WgmmaMmaOp() | WgmmaFragOp():
                _issue(op, flight)
            case WgmmaCommitOp():
                flight.ages = {value: age + 1 for value, age in flight.ages.items()}
                flight.fenced = False
            case WgmmaWaitOp():
                if (late := flight.uncommitted()) is not None:
                    raise VerifyError(
                        op,
                        problem="waits while a wgmma is in no committed group: put nv.wgmma.commit before it",
                        notes=[(late, "not committed")],
                    )
                flight.ages = {v: age for v, age in flight.ages.items() if age < op.pending.value.data}
            case _:
                _check_accesses(op, flight)
                flight = _visit_regions(op, flight)
    return flight


def _issue(op: WgmmaOp, flight: InFlight) -> None:
    if not flight.fenced:
        raise VerifyError(op, problem="begins a group of wgmmas without nv.wgmma.fence before it")
    for value in (op.acc, op.a) if isinstance(op, WgmmaFragOp) else (op.acc,):
        flight.ages[value], flight.by[value] = OPEN, op


def _check_accesses(op: Operation, flight: InFlight) -> None:
    for value in (*op.operands, *op.results):
        if value in flight.ages:
            raise VerifyError(
                op,
                problem="accesses registers of a wgmma in flight: put nv.wgmma.wait before it",
                notes=[(flight.by[value], "in flight from here")],
            )
        if op.name.startswith("scf.") and isinstance(value.type, FragType):
            raise VerifyError(
                op,
                problem="takes or returns a fragment, which is storage: loops cannot carry it and conditionals cannot yield it",
            )


def _visit_regions(op: Operation, flight: InFlight) -> InFlight:
    """Returns the state after `op`: after one branch of an `scf.if`, or any number of iterations of another op's regions."""
    blocks = [block for region in op.regions for block in region.blocks]
    if not blocks:
        return flight
    if isinstance(op, scf.IfOp):
        ends = [_visit_block(block, flight.copy()) for block in blocks]
        joined = ends[0]
        for end in ends[1:] if len(ends) > 1 else [flight]:
            joined = joined.join(end)
        return joined
    while True:  # to a fixpoint over the back edge; it exists because joins only lower ages and clear `fenced`
        end = flight
        for block in blocks:
            end = _visit_block(block, end.copy())
        _check_back_edge(op, end)
        joined = flight.join(end)
        if joined.same(flight):
            return joined
        flight = joined


def _check_back_edge(op: Operation, end: InFlight) -> None:
    carried = [v for v in end.ages if frag(v).operand == "C"]
    if isinstance(op, scf.ForOp | scf.WhileOp) and len(carried) > 1:
        raise VerifyError(
            op,
            problem="keeps two accumulators in flight over its back edge: ptxas serializes their wgmmas (C7514, C7517)",
            notes=[(end.by[v], "in flight from here") for v in carried],
        )
