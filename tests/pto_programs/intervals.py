"""Random intervals, as the tiles of a program have them."""

from __future__ import annotations

from random import Random

from ptir.analysis.pto.packing import Interval


def random_intervals(seed: int) -> list[Interval]:
    """Returns 20 to 150 intervals of tiles of 256 bytes to 32 KB; most are short, some are used for most of the program."""
    rng = Random(seed)
    count, found = rng.randrange(20, 150), list[Interval]()
    for start in range(count):
        length = rng.randrange(1, count) if rng.random() < 0.1 else 1 + int(rng.expovariate(1 / 6))
        size = rng.choice([1, 2, 4, 8, 16]) * rng.choice([8, 16, 32, 64]) * 32
        found.append(Interval(start, min(start + length, count), size))
    return found
