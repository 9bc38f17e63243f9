"""
The steps of a host function, and when each value is used for the last time.

```
  %0 = memref.alloc                   Allocate       makes 1
  nv.launch @k(%x, %0)                Step           reads 0, 1
  %1 = region.read %0                 Read           makes 2, reads 1        1 is dead after it
  %r = scf.if %1 { yield %x } …       If             makes 3, reads 2, two bodies
```

Values, memrefs and scalars alike, are numbered in each function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ..dialects import nv, region
from .launch import Launch


@dataclass(frozen=True, kw_only=True)
class AnyStep:
    """A step that makes the values `makes` from the values `reads`, and may run `bodies`."""

    makes: tuple[int, ...] = ()
    reads: tuple[int, ...] = ()
    bodies: tuple[Body, ...] = ()

    @cached_property
    def uses(self) -> frozenset[int]:
        """The values from outside that the step and its bodies use."""
        return frozenset(self.reads).union(*(body.free for body in self.bodies))


@dataclass(frozen=True)
class Allocate(AnyStep):
    """Makes a buffer, whose contents are undefined or `zero`."""

    zero: bool = False


@dataclass(frozen=True)
class Number(AnyStep):
    """Makes an index constant."""

    value: int


@dataclass(frozen=True)
class Step(AnyStep):
    """A launch; `reads` are the buffers of its arguments. A tensor map has the number of the buffer that it describes."""

    launch: Launch
    op: nv.LaunchOp


@dataclass(frozen=True)
class Row(AnyStep):
    """Makes another name for a row of an array, from the array and an index."""


@dataclass(frozen=True)
class Copy(AnyStep):
    """Copies the first buffer to the second."""


@dataclass(frozen=True)
class Read(AnyStep):
    """Reads a predicate, once it is computed."""


@dataclass(frozen=True)
class CustomCall(AnyStep):
    """Calls a Python function; `reads` are the operands and the buffers for the results."""

    op: region.CustomCallOp


@dataclass(frozen=True)
class Call(AnyStep):
    """Calls a host function of the program."""

    function: str


@dataclass(frozen=True)
class If(AnyStep):
    """Runs the first body if the condition is true, otherwise the second."""


@dataclass(frozen=True)
class While(AnyStep):
    """Runs the first body, whose first result is the condition; while it is true, the second body maps its other results to its next
    operands."""


@dataclass(frozen=True)
class For(AnyStep):
    """Runs the body on the number of the step and the carried values; the first three values in `reads` are the range."""


MOVING = (Call, While, For)
"""Steps that pass values on to a body or a function, which then decides when their memory is free."""


@dataclass(frozen=True)
class Body:
    """A block: its parameters, its steps in order, and its results."""

    parameters: tuple[int, ...]
    steps: tuple[AnyStep, ...]
    results: tuple[int, ...]
    free: frozenset[int] = field(init=False)
    """The values from outside that the body uses."""
    moved: tuple[tuple[int, ...], ...] = field(init=False)
    """For each step, the values of this body that it takes over, because it is their last use."""
    dead: tuple[tuple[int, ...], ...] = field(init=False)
    """For each step, the other values of this body that are not used after it."""
    kept: tuple[int, ...] = field(init=False)
    """The values of this body that are alive at its end."""

    def __post_init__(self) -> None:
        own = {*self.parameters, *(v for step in self.steps for v in step.makes)}
        used = frozenset(self.results).union(*(step.uses for step in self.steps))
        last = dict.fromkeys(self.parameters, 0)
        for k, step in enumerate(self.steps):
            last |= dict.fromkeys((*step.makes, *(step.uses & own)), k)
        kept = tuple(v for v in own if v in self.results or not self.steps)
        ends: list[list[int]] = [[] for _ in self.steps]
        for value in last.keys() - set(kept):
            ends[last[value]].append(value)
        moved = [
            {
                v
                for v in values
                if isinstance(step, MOVING) and v in step.reads and not any(v in b.free for b in step.bodies)
            }
            for step, values in zip(self.steps, ends, strict=True)
        ]
        set_ = object.__setattr__
        set_(self, "free", used - own)
        set_(self, "moved", tuple(map(tuple, moved)))
        set_(self, "dead", tuple(tuple(v for v in a if v not in b) for a, b in zip(ends, moved, strict=True)))
        set_(self, "kept", kept)

    def walk(self) -> Iterator[AnyStep]:
        """Yields the steps, each followed by those of the bodies inside it."""
        for step in self.steps:
            yield step
            for body in step.bodies:
                yield from body.walk()


def body(parameters: Sequence[int], steps: Sequence[AnyStep], results: Sequence[int]) -> Body:
    return Body(tuple(parameters), tuple(steps), tuple(results))
