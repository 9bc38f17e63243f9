"""How a step of the machine says that one of its lanes went wrong, before anyone knows which thread that is."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import EmulatorFault
from .isa.types import Array


class Violation(Exception):
    """`position` counts within the lanes of the current step; the machine adds kernel, ctaid, tid and line."""

    def __init__(self, fault: type[EmulatorFault], position: int, /, **fields: Any):
        super().__init__(fault.code)
        self.fault = fault
        self.position = position
        self.fields = fields


def first(bad: Array) -> int:
    """The first position (of a lane; further axes are parts of its access) where `bad` holds."""
    flat = int(np.argmax(bad))
    return flat if bad.ndim == 1 else int(np.unravel_index(flat, bad.shape)[0])
