"""
Which points are examined: the product where it is cheap, a covering set where it is not.

```
small shapes     dtype × layout × epilogue                   every combination, with the planner's plan
small shapes     dtype, layout, epilogue, plan, shape        every combination of three of them
all shapes       all axes, the architecture too              every combination of two of them
```
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence
from itertools import product

from .covering import Row, cover
from .points import AXES, DTYPES, EPILOGUES, LAYOUTS, SMALL, VALUES, Point, legal


def _legal(row: Row) -> bool:
    return legal(Point(*row))


def _row(point: Point) -> Row:
    return tuple(getattr(point, axis) for axis in AXES)


def small_product() -> list[Point]:
    """All programs of the small shapes."""
    return [p for row in product(SMALL, DTYPES, LAYOUTS, EPILOGUES) if legal(p := Point(*row))]


def grid(seed: int = 0) -> list[Point]:
    """All points, each once; `seed` draws what the covering sets leave open."""
    rows = [_row(p) for p in small_product()]
    few = {**VALUES, "shape": SMALL[1:], "arch": ("sm80",)}
    rows += cover(few, _legal, 3, seed, rows)
    rows += cover(VALUES, _legal, 2, seed, rows)
    return [Point(*row) for row in dict.fromkeys(rows)]


def sample(count: int, seed: int = 0) -> list[Point]:
    """So many points of small shapes, in which as many values of each axis occur as can."""
    small = {**VALUES, "shape": SMALL}
    rows = cover(small, _legal, 1, seed)
    draw = random.Random(seed)
    while len(rows) < count:
        row = tuple(draw.choice(values) for values in small.values())
        if _legal(row) and row not in rows:
            rows.append(row)
    return [Point(*row) for row in rows[:count]]


def matching(points: Sequence[Point], wanted: dict[str, str]) -> list[Point]:
    """The points that have these values."""
    return [p for p in points if all(getattr(p, axis) == value for axis, value in wanted.items())]


def schedules(point: Point) -> tuple[int, ...]:
    """Seeds of further runs: two where parts of k meet in memory, one for every eighth of the others; none where large."""
    if point.sizes.work > 1 << 20:
        return ()
    if "serial" in point.plan or "parallel" in point.plan:
        return (1, 2)
    return (1,) if zlib.crc32(str(point).encode()) % 8 == 0 else ()
