"""Control flow on intervals. Predicates must be certain; regions then run as on arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter
from xdsl.ir import Operation, SSAValue

from ..errors import NoBounds
from ..ptir.control import ControlFunctions
from .intervals import Interval


class ControlBounds(ControlFunctions):
    """Values are `Interval`s, and tuples of them."""

    def holds(self, op: Operation, predicate: Interval) -> bool:
        if predicate.lo != predicate.hi:
            raise NoBounds(op, what=f"{op.name} where rounding may change the predicate")
        return bool(predicate.lo)

    def row(self, x: Interval, at: int) -> Interval:
        return x.move(lambda v: v[at, ...])

    def stack(self, rows: Sequence[Interval]) -> Interval:
        known = [row.known for row in rows if row.known is not None]
        lo, hi, nan = (np.stack([getattr(row, end) for row in rows]) for end in ("lo", "hi", "nan"))
        return Interval(lo, hi, nan, rows[0].dtype).keeping(known=np.stack(known) if len(known) == len(rows) else None)

    def empty(self, interpreter: Interpreter, row: SSAValue) -> Any:
        return Interval.of(super().empty(interpreter, row))
