"""A row of the table of ops: how an op is put into a random program, and which element types it admits."""

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
    """Which types the op's first tensor operand, or the result of an op without one, may have."""
    weight: float = 1.0
    extension: bool = False


Table = dict[str, Row]
