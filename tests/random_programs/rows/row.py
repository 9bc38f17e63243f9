"""A row of the table of ops: the function that adds the op to a random program, and the element types that it accepts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..maker import Maker


@dataclass(frozen=True)
class Row:
    """One op. `build` chooses operands and attributes and emits the op, or raises `NothingFits`."""

    build: Callable[[Maker], Any]
    dtypes: tuple[str, ...]
    """The element types of the op's first tensor operand, or of its result if it has no operand."""
    weight: float = 1.0
    extension: bool = False


Table = dict[str, Row]
