"""
Packing of intervals: addresses for tiles that are live at overlapping times.

Deciding whether intervals fit into a memory is NP-complete. Each is placed at the lowest free address, in several orders; then those that
reach highest are placed earlier, until the size is that of the tiles that are live at one time, a lower bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from ...dialects.pto.storage import aligned

ROUNDS = 60
"""Number of times that the intervals which reach highest are placed earlier."""
MAX_WORK = 400_000
"""Maximum number of pairs of intervals that are compared in all rounds together."""


@dataclass(frozen=True)
class Interval:
    """`size` bytes that are used from `start` to `end`, inclusive. `address` is given, or None."""

    start: int
    end: int
    size: int
    address: int | None = None


def live_bytes(intervals: Sequence[Interval]) -> tuple[int, int]:
    """Returns the maximum number of bytes that are live at one time, and that time."""
    events = sorted([(i.start, 0, i.size) for i in intervals] + [(i.end, 1, -i.size) for i in intervals])
    live, peak, when = 0, 0, 0
    for time, _, size in events:
        live += size
        if live > peak:
            peak, when = live, time
    return peak, when


def neighbors(intervals: Sequence[Interval]) -> list[list[int]]:
    """Returns for each interval those that overlap it in time."""
    found: list[list[int]] = [[] for _ in intervals]
    active: list[tuple[int, int]] = []
    for k in sorted(range(len(intervals)), key=lambda k: intervals[k].start):
        while active and active[0][0] < intervals[k].start:
            heappop(active)
        for _, other in active:
            found[k].append(other)
            found[other].append(k)
        heappush(active, (intervals[k].end, k))
    return found


def pack(intervals: Sequence[Interval], alignment: int, limit: int | None = None) -> list[int]:
    """
    Returns an address for each interval, so that those which overlap in time do not overlap in memory. The search ends when their end is
    at most `limit`, or the lower bound.
    """
    if not intervals:
        return []
    beside = neighbors(intervals)
    enough = max(live_bytes(intervals)[0], limit or 0)
    count = range(len(intervals))

    def area(k: int) -> int:
        return intervals[k].size * (intervals[k].end - intervals[k].start + 1)

    keys: tuple[Callable[[int], tuple[int, int]], ...] = (
        lambda k: (intervals[k].start, -intervals[k].size),
        lambda k: (-intervals[k].size, intervals[k].start),
        lambda k: (-area(k), intervals[k].start),
        lambda k: (intervals[k].start - intervals[k].end, -intervals[k].size),
    )
    best: list[int] | None = None
    order, lowest = list(count), 0
    for key in keys:
        tried = sorted(count, key=key)
        addresses = _place(intervals, beside, tried, alignment)
        height = _height(intervals, addresses)
        if best is None or height < lowest:
            best, order, lowest = addresses, tried, height
        if lowest <= enough:
            return best
    assert best is not None
    work = sum(map(len, beside)) + len(intervals)
    addresses = best
    for _ in range(min(ROUNDS, MAX_WORK // work)):
        height = _height(intervals, addresses)
        high = {k for k in count if addresses[k] + intervals[k].size == height}
        order = [*(k for k in order if k in high), *(k for k in order if k not in high)]
        addresses = _place(intervals, beside, order, alignment)
        if _height(intervals, addresses) < lowest:
            best, lowest = addresses, _height(intervals, addresses)
        if lowest <= enough:
            break
    return best


def _place(intervals: Sequence[Interval], beside: list[list[int]], order: list[int], alignment: int) -> list[int]:
    """Places the intervals in order, each at the lowest address that is free; those with an address come first."""
    placed = [-1 if i.address is None else i.address for i in intervals]
    for k in order:
        if placed[k] >= 0:
            continue
        address = 0
        for low, high in sorted((placed[n], placed[n] + intervals[n].size) for n in beside[k] if placed[n] >= 0):
            if address + intervals[k].size <= low:
                break
            address = max(address, aligned(high, alignment))
        placed[k] = address
    return placed


def _height(intervals: Sequence[Interval], addresses: Sequence[int]) -> int:
    return max(a + i.size for a, i in zip(addresses, intervals, strict=True))
