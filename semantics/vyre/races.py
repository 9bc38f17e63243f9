"""
Detection of races: of accesses of an element by different invocations whose order is not defined.

A barrier orders the accesses of the invocations of a workgroup; nothing orders those of different workgroups. Unordered accesses race if
one of them writes. Unordered atomics do not race if they are of one kind that commutes, and no result of them is used: then their order
does not change the result. A program without a race therefore has one result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from xdsl.ir import Operation

from .errors import VyreRace

Array = npt.NDArray[Any]
Access = Literal["read", "write", "atomic"]
NONE, ORDERED, NOBODY = -1, -2, np.iinfo(np.int32).max
COMMUTING = ("add", "min", "max", "and", "or", "xor")


@dataclass(frozen=True)
class Lanes:
    """Invocations that execute an access: their numbers, those of their workgroups, and the barriers that these have passed."""

    number: Array
    group: Array
    epoch: Array


class Accesses:
    """The workgroups that accessed each element, and the invocations that did so since the last barrier."""

    def __init__(self, count: int):
        self.first_group = np.full(count, NOBODY, np.int32)
        self.last_group = np.full(count, NONE, np.int32)
        self.epoch = np.full(count, NONE, np.int32)
        self.first = np.full(count, NOBODY, np.int32)
        self.last = np.full(count, NONE, np.int32)
        self.first_op = np.zeros(count, np.int32)
        self.last_op = np.zeros(count, np.int32)

    def add(self, at: Array, lanes: Lanes, op: int) -> Array:
        """Adds accesses of the elements `at` by an op; returns those elements whose earlier accesses are before the last barrier."""
        newer = at[lanes.epoch > self.epoch[at]]
        np.maximum.at(self.epoch, at, lanes.epoch)
        self.first[newer], self.last[newer] = NOBODY, NONE
        for ufunc, array, values in (
            (np.minimum, self.first_group, lanes.group),
            (np.maximum, self.last_group, lanes.group),
            (np.minimum, self.first, lanes.number),
            (np.maximum, self.last, lanes.number),
        ):
            ufunc.at(array, at, values)
        for lane, ops in ((self.first, self.first_op), (self.last, self.last_op)):
            ops[at[lane[at] == lanes.number]] = op
        return newer

    def conflicts(self, at: Array, lanes: Lanes) -> Array:
        """Returns which accesses of the elements `at` are not ordered after those of other invocations."""
        apart = (self.first_group[at] != lanes.group) | (self.last_group[at] != lanes.group)
        same = (self.epoch[at] == lanes.epoch) & ((self.first[at] != lanes.number) | (self.last[at] != lanes.number))
        return (self.last_group[at] != NONE) & (apart | same)

    def other(self, at: int, lane: int) -> tuple[str, int | None]:
        """Returns the name of an invocation other than `lane` that accessed an element, and the op, if it is known."""
        for found, op in ((self.first[at], self.first_op[at]), (self.last[at], self.last_op[at])):
            if found not in (lane, NOBODY, NONE):
                return f"invocation {found}", int(op)
        return "invocations of another workgroup", None


class Races:
    """The accesses of one buffer. `count` is its number of elements, of all workgroups if they have one each."""

    def __init__(self, name: str, count: int, elements: int):
        self.name = name
        self.count = count
        self.elements = elements
        self.kinds = np.full(count, NONE, np.int8)
        self.ops: dict[Operation, int] = {}
        self.known: dict[Access, Accesses] = {}

    def read(self, op: Operation, at: Array, lanes: Lanes) -> None:
        self._add("read", op, at, lanes)
        self._check(op, "the load", at, lanes, "write", "atomic")

    def write(self, op: Operation, at: Array, lanes: Lanes) -> None:
        self._add("write", op, at, lanes)
        self._check(op, "the store", at, lanes, "write", "read", "atomic")

    def atomic(self, op: Operation, kind: str, at: Array, lanes: Lanes) -> None:
        """Adds atomics of a kind. Any but those of `COMMUTING` without a use of their result depend on their order."""
        number = COMMUTING.index(kind) if kind in COMMUTING and not op.results[0].uses else ORDERED
        self.kinds[self._add("atomic", op, at, lanes)] = NONE
        mixed = (self.kinds[at] != number) & (self.kinds[at] != NONE)
        self.kinds[at] = np.where(mixed, ORDERED, number)
        self._check(op, "the atomic", at, lanes, "write", "read")
        depends = self.kinds[at] == ORDERED
        chosen = Lanes(lanes.number[depends], lanes.group[depends], lanes.epoch[depends])
        self._check(op, "the order of the atomic", at[depends], chosen, "atomic")

    def _add(self, access: Access, op: Operation, at: Array, lanes: Lanes) -> Array:
        if access not in self.known:
            self.known[access] = Accesses(self.count)
        return self.known[access].add(at, lanes, self.ops.setdefault(op, len(self.ops)))

    def _check(self, op: Operation, what: str, at: Array, lanes: Lanes, *others: Access) -> None:
        for accesses in (self.known[other] for other in others if other in self.known):
            bad = accesses.conflicts(at, lanes)
            if bad.any():
                k = int(np.argmax(bad))
                where, lane = int(at[k]), int(lanes.number[k])
                other, number = accesses.other(where, lane)
                before = None if number is None else list(self.ops)[number]
                fix = "put a vyre.barrier between them, use atomics whose result is not used, or other elements"
                raise VyreRace(
                    op,
                    notes=[] if before in (None, op) else [(before, f"{other} accesses it here")],
                    what=what,
                    element=where % self.elements,
                    name=self.name,
                    lane=lane,
                    other=other,
                    fix=fix,
                )
