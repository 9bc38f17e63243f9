"""
Which registers wgmma may still be writing: nothing else may touch a sum between its `nv.wgmma.mma` and a wait.

```
wgmma.mma %acc     %acc is in a group that is still open
wgmma.commit       %acc: age 0, one group
wgmma.commit       %acc: age 1, one group more recent than its own
wgmma.wait 1       all but one group are done: those of age 1 and more
```

A register has the age of the youngest group that may hold it, over all ways to a statement; the back edge of a loop is
one. One sum may be in flight over it, to which the loop goes on adding; of two, ptxas serialises the wgmmas (its remarks
C7514 and C7517). PTX ISA §9.7.15.3 (asynchronous proxy), §9.7.15.7.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from ...dialects.nv.types import FragType, frag
from ...dialects.nv.wgmma import WgmmaCommitOp, WgmmaFenceOp, WgmmaFragOp, WgmmaMmaOp, WgmmaOp, WgmmaWaitOp
from ...errors import VerifyError

OPEN = -1
"""The age of registers whose group is not committed."""


@dataclass
class Flight:
    """What may be in flight at a place in the program."""

    ages: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """Of sums, and of operands A in registers."""
    by: dict[SSAValue, Operation] = field(default_factory=dict[SSAValue, Operation])
    """The wgmma that last took the register."""
    fenced: bool = False

    def copy(self) -> Flight:
        return Flight(dict(self.ages), dict(self.by), self.fenced)

    def join(self, other: Flight) -> Flight:
        """What may be in flight where two ways meet."""
        ages = {
            v: min(a for a in (self.ages.get(v), other.ages.get(v)) if a is not None) for v in (*self.ages, *other.ages)
        }
        return Flight(ages, other.by | self.by, self.fenced and other.fenced)

    def same(self, other: Flight) -> bool:
        return self.ages == other.ages and self.fenced == other.fenced

    def unfinished(self) -> Operation | None:
        """A wgmma whose group is not committed."""
        return next((self.by[v] for v, age in self.ages.items() if age == OPEN), None)


def check_in_flight(block: Block) -> None:
    """The rule for the statements of a role."""
    end = _through(block, Flight())
    for value, age in end.ages.items():
        what = "nv.wgmma.commit" if age == OPEN else "nv.wgmma.wait"
        raise VerifyError(end.by[value], message=f"the role ends without {what} for this")


def _through(block: Block, flight: Flight) -> Flight:
    for op in block.ops:
        match op:
            case WgmmaFenceOp():
                flight.fenced = True
            case WgmmaMmaOp() | WgmmaFragOp():
                _multiply(op, flight)
            case WgmmaCommitOp():
                flight.ages = {value: age + 1 for value, age in flight.ages.items()}
                flight.fenced = False
            case WgmmaWaitOp():
                if (late := flight.unfinished()) is not None:
                    raise VerifyError(
                        op,
                        message="waits for groups, and these wgmmas are in none: nv.wgmma.commit comes first",
                        notes=[(late, "not committed")],
                    )
                flight.ages = {v: age for v, age in flight.ages.items() if age < op.pending.value.data}
            case _:
                _touch(op, flight)
                flight = _inside(op, flight)
    return flight


def _multiply(op: WgmmaOp, flight: Flight) -> None:
    if not flight.fenced:
        raise VerifyError(op, message="no nv.wgmma.fence before the first wgmma of a group")
    for value in (op.acc, op.a) if isinstance(op, WgmmaFragOp) else (op.acc,):
        flight.ages[value], flight.by[value] = OPEN, op


def _touch(op: Operation, flight: Flight) -> None:
    for value in (*op.operands, *op.results):
        if value in flight.ages:
            raise VerifyError(
                op,
                message="touches registers that a wgmma may still use: nv.wgmma.wait comes first",
                notes=[(flight.by[value], "in flight from here on")],
            )
        if op.name.startswith("scf.") and isinstance(value.type, FragType):
            raise VerifyError(op, message="fragments are storage: they do not go through loops and conditions")


def _inside(op: Operation, flight: Flight) -> Flight:
    """After the regions of an op: one of them, or, of all but `scf.if`, each any number of times."""
    blocks = [block for region in op.regions for block in region.blocks]
    if not blocks:
        return flight
    if isinstance(op, scf.IfOp):
        ends = [_through(block, flight.copy()) for block in blocks]
        joined = ends[0]
        for end in ends[1:] if len(ends) > 1 else [flight]:
            joined = joined.join(end)
        return joined
    while True:
        end = flight
        for block in blocks:
            end = _through(block, end.copy())
        _check_back_edge(op, end)
        joined = flight.join(end)
        if joined.same(flight):
            return joined
        flight = joined


def _check_back_edge(op: Operation, end: Flight) -> None:
    carried = [v for v in end.ages if frag(v).operand.data == "C"]
    if isinstance(op, scf.ForOp | scf.WhileOp) and len(carried) > 1:
        raise VerifyError(
            op,
            message="two sums are in flight over the back edge of this loop: ptxas serialises their wgmmas (C7514, C7517)",
            notes=[(end.by[v], "in flight from here on") for v in carried],
        )
