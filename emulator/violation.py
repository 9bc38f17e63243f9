"""The exception by which a step reports a fault of one of its lanes."""

from __future__ import annotations

from typing import Any

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
