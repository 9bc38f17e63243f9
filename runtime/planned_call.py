"""
The memory that a call needs, and its launches, measured by a call that does nothing else.

Both branches of a condition are taken. A loop runs a few times: after as many iterations as it carries values, every buffer that it
takes has been given back. A recursive call is not followed; a device gets more memory where it goes deeper than that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .arena import UNBOUNDED, Arena, Range
from .execution import Execution, Frame, Place, Value, release
from .host import Buffer, Host
from .steps import Body, Call, CustomCall, If, Step, While


def arena_size(host: Host, *, exact: bool = False) -> int:
    """
    Returns the number of bytes of the arena that calls need. With `exact`, loops of known length run completely, so that a program
    without data-dependent control flow never needs more.
    """
    return planned_call(host, exact=exact).arenas[0].peak


def planned_call(host: Host, *, exact: bool = False) -> PlannedCall:
    """Returns the call that `arena_size` measures."""
    fixed = {(f.name, k): Place(None) for f in host.functions.values() for k in f.fixed}
    given = dict.fromkeys(host.outputs, Place(None))
    planned = PlannedCall(Arena(UNBOUNDED), fixed, exact)
    planned.call(host, [Place(None)] * host.arguments, given)
    return planned


class PlannedCall(Execution):
    def __init__(self, arena: Arena, fixed: Any, exact: bool):
        super().__init__([arena], fixed)
        self.exact = exact
        self.running: list[str] = []
        self.launches = 0

    def new_arena(self, size: int) -> Arena:
        raise AssertionError("the arena is unbounded")

    def place(self, buffer: Buffer, taken: Range) -> Place:
        return Place(None, taken)

    def clear(self, buffer: Buffer, place: Place) -> None: ...
    def copy(self, buffer: Buffer, source: Place, target: Place) -> None: ...
    def row(self, buffer: Buffer, array: Place, index: int) -> None: ...
    def custom_call(self, step: CustomCall, buffers: Sequence[Buffer], places: Sequence[Place]) -> None: ...

    def launch(self, step: Step, buffers: Sequence[Buffer], places: Sequence[Place]) -> None:
        self.launches += 1

    def read(self, predicate: Place) -> bool:
        return True

    def call_function(self, frame: Frame, step: Call, arguments: Sequence[Value]) -> list[Value]:
        if step.function in self.running:
            release(arguments)
            return [self.place(b, self.take(b.nbytes)) for b in frame.host.buffers_of(step.makes)]
        self.running.append(step.function)
        results = super().call_function(frame, step, arguments)
        self.running.pop()
        return results

    def branch(self, frame: Frame, step: If) -> list[Value]:
        results, others = (self.run(frame, body, ()) for body in step.bodies)
        release(others)
        return results

    def loop(self, frame: Frame, step: While, carried: list[Value]) -> list[Value]:
        before, after = step.bodies
        for _ in range(len(carried) + 2):
            _, *carried = self.run(frame, before, carried)
            carried = self.run(frame, after, carried)
        _, *carried = self.run(frame, before, carried)
        return carried

    def repeat(self, frame: Frame, body: Body, steps: range, carried: list[Value]) -> list[Value]:
        return super().repeat(frame, body, steps if self.exact else steps[: len(carried) + 2], carried)
