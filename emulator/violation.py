"""The exception by which a step reports a fault of one of its lanes."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np

from .errors import EmulatorFault
from .isa.types import Array


class Violation(Exception):
    """
    A fault at the lane `position` of the current step. The machine turns it into an `EmulatorFault` with kernel, ctaid,
    tid and line.
    """

    def __init__(self, fault: type[EmulatorFault], position: int, /, **fields: Any):
        super().__init__(fault.code)
        self.fault = fault
        self.position = position
        self.fields = fields


def first(bad: Array) -> int:
    """Returns the first lane at which `bad` holds; further axes of `bad` are parts of a lane's access."""
    flat = int(np.argmax(bad))
    return flat if bad.ndim == 1 else int(np.unravel_index(flat, bad.shape)[0])


Field: TypeAlias = "int | str | Array | Callable[[int], int | str]"


def reject(bad: Array, fault: type[EmulatorFault], /, **fields: Field) -> None:
    """
    Raises a `Violation` at the first lane at which `bad` holds (is not zero). If a field is an array, that lane's
    element is reported; if it is a function, it is called with the lane's position.
    """
    if bad.any():
        position = first(bad != 0)
        for name, value in fields.items():
            if isinstance(value, np.ndarray):
                fields[name] = int(value[position])
            elif callable(value):
                fields[name] = value(position)
        raise Violation(fault, position, **fields)


@contextmanager
def relocated(positions: Array | int) -> Generator[None]:
    """
    Corrects the position of a violation that is raised inside: from an index into a subset of the step's lanes, which are
    at `positions`, to an index into all of them.
    """
    try:
        yield
    except Violation as violation:
        violation.position = positions if isinstance(positions, int) else int(positions[violation.position])
        raise
