"""
Which points are examined: the product where it is cheap, a covering set where it is not.

```
small shapes     dtype × layout × epilogue                   every combination, with the planner's plan
small shapes     dtype, layout, epilogue, plan, shape        every combination of three of them
all shapes       all axes, the architecture too              every combination of two of them
```

That is the grid of the multistage template. The grid of the warp-specialized template has:

```
few shapes       dtype, layout, epilogue, shape, some plans  every combination of three of them
all shapes       all axes                                    every combination of two of them
```
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence
from itertools import product

from .covering import Row, cover
from .plans import PLANS
from .points import AXES, EPILOGUES, LAYOUTS, SMALL, Point, legal, template

SEVERAL = ("17x19x70", "32x48x128", "150x70x130")
"""Shapes of the warp-specialized grid that are combined with everything; the last has several tiles, with tails."""
CORE = ("warp_specialized", "pingpong", "cluster21", "stream_k", "turned_narrow")
"""Plans of the warp-specialized grid that are combined with everything."""


def _legal(row: Row) -> bool:
    return legal(Point(*row))


def _row(point: Point) -> Row:
    return tuple(getattr(point, axis) for axis in AXES)


def small_product() -> list[Point]:
    """All programs of the small shapes."""
    return [p for row in product(SMALL, template("sm80")["dtype"], LAYOUTS, EPILOGUES) if legal(p := Point(*row))]


def grid(seed: int = 0, arch: str = "sm80") -> list[Point]:
    """All points of a template, each once; `seed` draws what the covering sets leave open."""
    values = template(arch)
    if arch == "sm90":
        few = {**values, "shape": SEVERAL, "plan": CORE}
        rows = cover(few, _legal, 3, seed)
    else:
        rows = [_row(p) for p in small_product()]
        few = {**values, "shape": SMALL[1:], "arch": ("sm80",)}
        rows += cover(few, _legal, 3, seed, rows)
    rows += cover(values, _legal, 2, seed, rows)
    return [Point(*row) for row in dict.fromkeys(rows)]


def sample(count: int, seed: int = 0, arch: str = "sm80") -> list[Point]:
    """So many points of small shapes, in which as many values of each axis occur as can."""
    small = {**template(arch), "shape": (*SEVERAL, "3x5x2000") if arch == "sm90" else SMALL}
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
    """
    Seeds of further runs: two where parts of k meet in memory, one for every eighth of the others, every other where
    there are roles; none where large.
    """
    if point.sizes.work > 1 << 20 << 3 * PLANS[point.plan].roles:
        return ()
    if any(word in point.plan for word in ("serial", "parallel", "stream")):
        return (1, 2)
    return (1,) if zlib.crc32(str(point).encode()) % (2 if PLANS[point.plan].roles else 8) == 0 else ()
