"""
Runs the steps of a host program. What a step does on a device is defined by subclasses: `emulated_call.py`, `gpu_call.py`, and
`planned_call.py`, which only measures the memory that a call needs.

Memory is counted: a buffer's range of the arena is free for the next buffer when the last value that refers to it is dead. A loop
therefore alternates between the buffers that it carries, and no buffer is written while a value refers to it.
"""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..semantics.errors import TooLarge
from .arena import Arena, Range
from .host import Buffer, Host
from .steps import Allocate, AnyStep, Body, Call, Copy, CustomCall, For, If, Number, Read, Row, Step, While


@dataclass(frozen=True, eq=False)
class Place:
    """Where an array is: a NumPy array or an address, and the range of an arena that it is in, if it is in one."""

    at: Any
    memory: Range | None = None

    def retain(self) -> Place:
        if self.memory is not None:
            self.memory.retain()
        return self


Value = Place | int
"""A value of a host function: the place of an array, or a scalar."""


@dataclass
class Frame:
    """A call of a host function: the values of its variables, and the places of buffers that a caller has `given`."""

    host: Host
    values: dict[int, Value]
    given: Mapping[int, Place] = field(default_factory=dict[int, Place])


class Execution(abc.ABC):
    """One call of a host program. Buffers are taken from `arenas`; `fixed` has those that outlive it, by function and number."""

    def __init__(self, arenas: list[Arena], fixed: Mapping[tuple[str, int], Place]):
        self.arenas = arenas
        self.fixed = fixed

    # --- what a device does ---

    @abc.abstractmethod
    def new_arena(self, size: int) -> Arena:
        """Returns an arena of at least `size` bytes."""

    @abc.abstractmethod
    def place(self, buffer: Buffer, taken: Range) -> Place: ...
    @abc.abstractmethod
    def clear(self, buffer: Buffer, place: Place) -> None: ...
    @abc.abstractmethod
    def launch(self, step: Step, buffers: Sequence[Buffer], places: Sequence[Place]) -> None: ...
    @abc.abstractmethod
    def copy(self, buffer: Buffer, source: Place, target: Place) -> None: ...
    @abc.abstractmethod
    def row(self, buffer: Buffer, array: Place, index: int) -> Any:
        """Returns where row `index` of an array is; `buffer` describes the row."""

    @abc.abstractmethod
    def read(self, predicate: Place) -> bool: ...
    @abc.abstractmethod
    def custom_call(self, step: CustomCall, buffers: Sequence[Buffer], places: Sequence[Place]) -> None: ...

    # --- steps ---

    def start(self, host: Host, arguments: Sequence[Place], given: Mapping[int, Place]) -> list[Place]:
        """Runs the program. Returns the places of the results, which the caller must release. Raises `TooLarge`."""
        try:
            results = self.call(host, arguments, given)
        except RecursionError as error:
            why = "calls and regions are nested too deeply"
            raise TooLarge(host.function, what=f"@{host.name}", why=why) from error
        return [place for place in results if isinstance(place, Place)]

    def call(self, host: Host, arguments: Sequence[Value], given: Mapping[int, Place] | None = None) -> list[Value]:
        """Runs a function, which takes over `arguments`, and returns its results, which the caller must release."""
        name = host.name
        values: dict[int, Value] = {k: self.fixed[name, k] for k in host.fixed}
        return self.run(Frame(host, values, given or {}), host.body, arguments)

    def run(self, frame: Frame, body: Body, arguments: Sequence[Value]) -> list[Value]:
        values = frame.values
        values.update(zip(body.parameters, arguments, strict=True))
        for step, moved, dead in zip(body.steps, body.moved, body.dead, strict=True):
            made = self.step(frame, step, moved)
            values.update(zip(step.makes, made, strict=True))
            self.drop(values, dead)
        results = [_retained(values[r]) for r in body.results]
        self.drop(values, body.kept)
        return results

    def step(self, frame: Frame, step: AnyStep, moved: Sequence[int]) -> Sequence[Value]:
        """Runs a step and returns the values that it makes."""
        values = frame.values
        match step:
            case Allocate(makes=(number,)):
                return (self.allocate(frame, number, zero=step.zero),)
            case Number():
                return (step.value,)
            case Step():
                self.launch(step, frame.host.buffers_of(step.reads), _places(values, step.reads))
            case Copy(reads=(source, target)):
                self.copy(frame.host.buffer(target), *_places(values, (source, target)))
            case Row(makes=(number,), reads=(array, index)):
                (of,) = _places(values, (array,))
                at = self.row(frame.host.buffer(number), of, _number(values[index]))
                return (Place(at, of.retain().memory),)
            case Read(reads=(predicate,)):
                return (self.read(*_places(values, (predicate,))),)
            case CustomCall():
                self.custom_call(step, frame.host.buffers_of(step.reads), _places(values, step.reads))
            case Call():
                return self.call_function(frame, step, self.taken(frame, step.reads, moved))
            case If():
                return self.branch(frame, step)
            case While():
                return self.loop(frame, step, self.taken(frame, step.reads, moved))
            case For():
                first, end, by = (_number(values[v]) for v in step.reads[:3])
                return self.repeat(
                    frame, step.bodies[0], range(first, end, by), self.taken(frame, step.reads[3:], moved)
                )
            case _:
                raise AssertionError(step)
        return ()

    def allocate(self, frame: Frame, number: int, *, zero: bool) -> Place:
        buffer = frame.host.buffer(number)
        place = frame.given.get(number) or self.place(buffer, self.take(buffer.nbytes))
        if zero:
            self.clear(buffer, place)
        return place

    def take(self, size: int) -> Range:
        """Takes a range of the first arena that has room, or of a new one."""
        for arena in self.arenas:
            if (taken := arena.take(size)) is not None:
                return taken
        self.arenas.append(self.new_arena(size))
        return self.take(size)

    def taken(self, frame: Frame, operands: Sequence[int], moved: Sequence[int]) -> list[Value]:
        """Returns operands that the step owns; the frame gives up those in `moved`."""
        out = [_retained(frame.values[v]) for v in operands]
        self.drop(frame.values, moved)
        return out

    def drop(self, values: dict[int, Value], numbers: Sequence[int]) -> None:
        release([values.pop(v) for v in numbers])

    # --- control flow ---

    def call_function(self, frame: Frame, step: Call, arguments: Sequence[Value]) -> list[Value]:
        """Calls a function, which computes results for the caller of `frame` in their places."""
        callee = frame.host.functions[step.function]
        results = zip(callee.results, step.makes, strict=True)
        return self.call(callee, arguments, {r: frame.given[n] for r, n in results if n in frame.given})

    def branch(self, frame: Frame, step: If) -> list[Value]:
        return self.run(frame, step.bodies[not frame.values[step.reads[0]]], ())

    def loop(self, frame: Frame, step: While, carried: list[Value]) -> list[Value]:
        before, after = step.bodies
        while True:
            more, *carried = self.run(frame, before, carried)
            if not more:
                return carried
            carried = self.run(frame, after, carried)

    def repeat(self, frame: Frame, body: Body, steps: range, carried: list[Value]) -> list[Value]:
        for number in steps:
            carried = self.run(frame, body, (number, *carried))
        return carried


def release(values: Sequence[Value]) -> None:
    """Gives up references to the memory of values."""
    for value in values:
        if isinstance(value, Place) and value.memory is not None:
            value.memory.release()


def _retained(value: Value) -> Value:
    return value.retain() if isinstance(value, Place) else value


def _places(values: Mapping[int, Value], numbers: Sequence[int]) -> list[Place]:
    found = [values[n] for n in numbers]
    return [place for place in found if isinstance(place, Place)]


def _number(value: Value) -> int:
    if isinstance(value, Place):
        raise AssertionError("an index is a number")
    return value
