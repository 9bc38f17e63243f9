"""
Selects the points to examine: all combinations of values where that is cheap, a covering set (`covering.py`) where it is not.

```
small shapes     dtype × layout × epilogue                   every combination, with the planner's plan
small shapes     dtype, layout, epilogue, plan, shape        every combination of three of them
all shapes       all axes, the architecture too              every combination of two of them
```

This is the grid of the multistage template. The grid of the warp-specialized template has:

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
"""Shapes of the warp-specialized grid of strength 3. The last one has several tiles, with tails."""
CORE = ("warp_specialized", "pingpong", "cluster21", "stream_k", "turned_narrow")
"""Plans of the warp-specialized grid of strength 3."""


def _legal(row: Row) -> bool:
    return legal(Point(*row))


def _row(point: Point) -> Row:
    return tuple(getattr(point, axis) for axis in AXES)


def small_product() -> list[Point]:
    """Returns the points of all programs of small shapes, with the planner's plan."""
    return [p for row in product(SMALL, template("sm80")["dtype"], LAYOUTS, EPILOGUES) if legal(p := Point(*row))]


def grid(seed: int = 0, arch: str = "sm80") -> list[Point]:
    """Returns the points of a template's grid, without duplicates. `seed` determines the random choices of covering sets."""
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
    """Returns `count` points of small shapes. If `count` is large enough, they contain all values of each axis."""
    small = {**template(arch), "shape": (*SEVERAL, "3x5x2000") if arch == "sm90" else SMALL}
    rows = cover(small, _legal, 1, seed)
    draw = random.Random(seed)
    while len(rows) < count:
        row = tuple(draw.choice(values) for values in small.values())
        if _legal(row) and row not in rows:
            rows.append(row)
    return [Point(*row) for row in rows[:count]]


def matching(points: Sequence[Point], wanted: dict[str, str]) -> list[Point]:
    """Returns the points that have these values."""
    return [p for p in points if all(getattr(p, axis) == value for axis, value in wanted.items())]


def schedules(point: Point) -> tuple[int, ...]:
    """
    Returns the seeds of additional schedules: two if blocks sum parts of k through memory; otherwise one for every eighth point,
    or for every second point of a plan with roles; none for large points.
    """
    if point.sizes.work > 1 << 20 << 3 * PLANS[point.plan].roles:
        return ()
    if any(word in point.plan for word in ("serial", "parallel", "stream")):
        return (1, 2)
    return (1,) if zlib.crc32(str(point).encode()) % (2 if PLANS[point.plan].roles else 8) == 0 else ()
