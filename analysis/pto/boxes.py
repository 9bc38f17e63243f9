"""
The latest accesses of elements that an access can overlap, found without looking at all of them.

Accesses whose indices have the same symbols differ in constants only, and form a group. Groups, and the accesses of a group, are indexed by the
interval that they have along each axis, and looked for along the axis that leaves the fewest.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from math import inf
from operator import itemgetter
from typing import Generic, TypeVar

from .affine import Box, Distance, Form, axis_distance, form_bounds, placed

Key = TypeVar("Key")
Bounds = tuple[tuple[float, float], ...]
"""Each axis has its first and its last element, which are infinite where they are not known."""

FEW = 4
"""Up to this number of accesses are compared without an index."""


class Intervals(Generic[Key]):
    """Intervals of integers. Those of up to 2**n numbers are in cells of 2**n numbers, by where they start."""

    def __init__(self) -> None:
        self.cells: dict[int, dict[int, dict[Key, None]]] = {}
        self.unbounded: dict[Key, None] = {}

    def cell(self, low: float, high: float) -> dict[Key, None]:
        """Returns where an interval is."""
        if high - low == inf:
            return self.unbounded
        size = (int(high) - int(low)).bit_length()
        return self.cells.setdefault(size, {}).setdefault(int(low) >> size, {})

    def near(self, low: float, high: float) -> list[dict[Key, None]]:
        """Returns the cells of the intervals that can overlap one."""
        found = [self.unbounded] if self.unbounded else []
        for size, cells in self.cells.items():
            if high - low == inf:
                found += cells.values()
                continue
            first, last = (int(low) >> size) - 1, int(high) >> size
            if last - first < len(cells):
                for place in range(first, last + 1):
                    if place in cells:
                        found.append(cells[place])
            else:
                found += [cell for place, cell in cells.items() if first <= place <= last]
        return found


class Latest(Generic[Key]):
    """Keys of accesses, by bounds, with the number of the latest access of each."""

    def __init__(self) -> None:
        self.numbers: dict[Key, int] = {}
        """The latest is last."""
        self.bounds: dict[Key, Bounds] = {}
        self.axes: list[Intervals[Key]] = []
        """The index, as soon as there are more than `FEW` keys."""

    def add(self, key: Key, bounds: Bounds, number: int) -> None:
        if (old := self.bounds.get(key)) is not None:
            del self.numbers[key]
        self.bounds[key], self.numbers[key] = bounds, number
        if not self.axes and len(self.numbers) > FEW:
            self.axes = [Intervals() for _ in bounds]
            for each, places in self.bounds.items():
                for axis, (low, high) in zip(self.axes, places, strict=True):
                    axis.cell(low, high)[each] = None
        elif self.axes and old != bounds:
            for axis, before, after in zip(self.axes, old or bounds, bounds, strict=True):
                if old is not None:
                    del axis.cell(*before)[key]
                axis.cell(*after)[key] = None

    def near(self, bounds: Bounds, after: int) -> Iterable[tuple[Key, int]]:
        """Returns what can overlap `bounds` and is later than `after`, the latest first, and perhaps more."""
        if not self.axes:
            return reversed(self.numbers.items())
        found: Iterable[tuple[Key, int]] = list(islice(reversed(self.numbers.items()), FEW + 1))
        if found[-1][1] <= after:
            return found
        fewest = len(self.numbers) + 1
        for axis, (low, high) in zip(self.axes, bounds, strict=True):
            if fewest <= FEW:
                break
            cells = axis.near(low, high)
            if (count := sum([len(cell) for cell in cells])) < fewest:
                fewest = count
                found = [(key, self.numbers[key]) for cell in cells for key in cell]
                if count > 1:
                    found.sort(key=itemgetter(1), reverse=True)
        return found


class Group:
    """Accesses whose boxes have one form, by the constants of their starts."""

    __slots__ = ("around", "bounds", "distances", "ends", "form", "starts")

    def __init__(self, form: Form) -> None:
        self.form = form
        self.starts: Latest[tuple[int, ...]] = Latest()
        self.around = form_bounds(form)
        """The bounds of an access that starts at 0."""
        self.ends: Bounds = tuple([(0, inf if size is None else size - 1) for size in form[2]])
        """The same for one value of the symbols."""
        self.bounds: Bounds = ()
        """The bounds within which all accesses are."""
        self.distances: dict[Form, tuple[Bounds, list[tuple[int, Distance]]]] = {}
        """By form of a later box: where it is if it starts at 0, and the distances from it along axes on which they have a step."""

    def add(self, box: Box, number: int) -> None:
        start = box.constants
        if start not in self.starts.numbers:
            new = placed(self.around, start)
            old = self.bounds or new
            self.bounds = tuple([(min(a, c), max(b, d)) for (a, b), (c, d) in zip(old, new, strict=True)])
        self.starts.add(start, placed(self.ends, start), number)

    def latest(self, box: Box, after: int) -> int:
        """Returns the number of the latest access that can overlap `box`, if it is later than `after`, or `after`."""
        form = box.form
        if (known := self.distances.get(form)) is None:
            known = self.distances[form] = self._distances(form)
        around, strided = known
        places = placed(around, box.constants)
        for start, number in self.starts.near(places, after):
            if number <= after:
                break
            for (first, last), (low, high) in zip(self.starts.bounds[start], places, strict=True):
                if first > high or last < low:
                    break
            else:
                if not strided or self._meets(start, box, strided):
                    return number
        return after

    def _distances(self, form: Form) -> tuple[Bounds, list[tuple[int, Distance]]]:
        distances = [axis_distance(self.form, form, axis) for axis in range(len(form[1]))]
        around = [
            (distance.low, inf if size is None else distance.high + size - 1)
            for distance, size in zip(distances, form[2], strict=True)
        ]
        return tuple(around), [(axis, distance) for axis, distance in enumerate(distances) if distance.step > 1]

    def _meets(self, start: tuple[int, ...], box: Box, strided: list[tuple[int, Distance]]) -> bool:
        """Whether the access that starts at `start` can overlap `box` along axes on which their distances have a step."""
        for axis, distance in strided:
            (first, last), at, size = self.starts.bounds[start][axis], box.constants[axis], box.form[2][axis]
            if not distance.meets(-inf if size is None else first - at - size + 1, last - at):
                return False
        return True


class Boxes:
    """Accesses of an array by one pipe, all of them reads or all of them writes."""

    def __init__(self) -> None:
        self.groups: dict[Form, Group] = {}
        self.latest_groups: Latest[Group] = Latest()
        self.last = -1

    def add(self, box: Box, number: int) -> None:
        form = box.form
        if (group := self.groups.get(form)) is None:
            group = self.groups[form] = Group(form)
        group.add(box, number)
        self.latest_groups.add(group, group.bounds, number)
        self.last = number

    def latest(self, box: Box, after: int) -> int:
        """Returns the number of the latest access that can overlap `box`, if it is later than `after`, or `after`."""
        if self.last <= after:
            return after
        for group, number in self.latest_groups.near(box.bounds, after):
            if number <= after:
                break
            after = group.latest(box, after)
        return after
