"""
Results that are rows of one computed array: the array is stored, and the results are names of parts of its memory.

```
%0 = shrink %y from [0, 0, 0] : 3x4x8 -> 1x4x8    %q = reshape %0 : 4x8        %y is stored;  %q = region.row %y[0], …
```
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import element, shape
from ...dialects.common.syntax import ints
from ...targets.mma import element_bytes
from .places import is_computed

ROW_ALIGNMENT = 16
"""Alignment, in bytes, of rows that leave a function, as of any array."""


@dataclass(frozen=True)
class ResultRow:
    """Row `index` of an array along its first axis."""

    array: SSAValue
    index: int


def result_rows(results: Sequence[SSAValue]) -> Mapping[SSAValue, ResultRow]:
    """Returns the results that are rows of a computed array, of which each row is read, and nothing else is."""
    found = {value: row for value in results if (row := row_of(value)) is not None}
    return {value: row for value, row in found.items() if _is_read_by_rows(row.array)}


def row_of(value: SSAValue) -> ResultRow | None:
    """Returns the row that a value is, if it is a reshaped window of one index along the first axis of a computed array."""
    size = prod(shape(value)) * element_bytes(element(value))
    if not isinstance(op := value.owner, tiny.MovementOp) or op.kind.data != "reshape" or size % ROW_ALIGNMENT:
        return None
    if not isinstance(window := op.input.owner, tiny.MovementOp) or (row := _window(window)) is None:
        return None
    return row if shape(value) == shape(row.array)[1:] else None


def _window(op: tiny.MovementOp) -> ResultRow | None:
    if op.kind.data != "shrink" or op.start is None or not is_computed(op.input):
        return None
    sizes, (first, *others) = shape(op.input), ints(op.start)
    whole = len(sizes) > 1 and shape(op.result) == (1, *sizes[1:]) and not any(others)
    return ResultRow(op.input, first) if whole else None


def _is_read_by_rows(array: SSAValue) -> bool:
    rows: set[int] = set()
    for use in array.uses:
        row = _window(use.operation) if isinstance(use.operation, tiny.MovementOp) else None
        if row is None:
            return False
        rows.add(row.index)
    return len(rows) == shape(array)[0]
