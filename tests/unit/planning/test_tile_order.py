"""
The order of tiles: each tile once; sectors as a cache of lines counts them that sees every access; what the planner chooses.
"""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import pytest

from ptir.dialects.plan.schedule import HILBERT
from ptir.planning.tile_order import SECTOR, Sweep, best_order, dram_sectors, positions

ORDERS = ("row", "col", "grouped_1", "grouped_2", "grouped_3", "grouped_8")
A100 = 40e6
"""Bytes of the L2 cache."""
F26 = Sweep(8192, 32768, 4096, (128, 64), (2, 2, 2), 2 * 108)


@pytest.mark.parametrize("order", ORDERS)
def test_each_tile_is_taken_once(order: str):
    for down, across in ((1, 1), (1, 7), (7, 1), (4, 4), (5, 3), (16, 9)):
        rows, columns = positions(order, down, across)
        assert sorted(zip(rows, columns, strict=True)) == [(i, j) for i in range(down) for j in range(across)]


def test_orders_are_what_they_say():
    def tiles(order: str) -> list[tuple[int, int]]:
        return [(int(i), int(j)) for i, j in zip(*positions(order, 3, 2), strict=True)]

    assert tiles("row") == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)] == tiles("grouped_1")
    assert tiles("col") == [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)] == tiles("grouped_8")
    assert tiles("grouped_2") == [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (2, 1)]


@pytest.mark.parametrize("side", (2, 4, 16))
def test_a_hilbert_curve_steps_to_neighbors(side: int):
    """Each tile once; a step goes to a neighbor, also into the next square along n; aligned parts of the curve are squares."""
    rows, columns = positions(f"{HILBERT}{side}", 2 * side, 3 * side)
    assert sorted(zip(rows, columns, strict=True)) == [(i, j) for i in range(2 * side) for j in range(3 * side)]
    steps = np.abs(np.diff(rows)) + np.abs(np.diff(columns))
    assert np.flatnonzero(steps != 1).tolist() == [3 * side * side - 1]  # only from one row of squares to the next
    quarters = np.reshape(rows, (-1, side * side // 4)), np.reshape(columns, (-1, side * side // 4))
    assert all(np.ptp(part, axis=1).max() < side // 2 or side == 2 for part in quarters)


def lines_read(s: Sweep, order: str, capacity: int, bk: int, line: int = 128) -> int:
    """
    Returns the sectors that a cache of lines reads, of which each block of a wave reads those of its tiles of A and B, which are stored
    along k, step by step. It stores its tile at the end. All blocks of a wave do each step together.
    """
    held: OrderedDict[tuple[str, int, int], None] = OrderedDict()
    read = 0

    def touch(*key: int | str) -> bool:
        found = key in held
        held[key] = None  # pyright: ignore[reportArgumentType]
        held.move_to_end(key)  # pyright: ignore[reportArgumentType]
        if len(held) > capacity // line:
            held.popitem(last=False)
        return not found

    (bm, bn), (of_a, of_b, of_c) = s.tile, s.sizes
    rows, columns = positions(order, *s.counts)
    for first in range(0, len(rows), s.at_once):
        wave = list(zip(rows[first : first + s.at_once], columns[first : first + s.at_once], strict=True))
        for k in range(0, s.k, bk):
            for i, j in wave:
                for name, at, side, end, size in (("a", i, bm, s.m, of_a), ("b", j, bn, s.n, of_b)):
                    for row in range(at * side, min(end, (at + 1) * side)):
                        for x in range(k * size // line, -(-min(s.k, k + bk) * size // line)):
                            read += touch(name, row, x)
        for i, j in wave:
            for row in range(i * bm, min(s.m, (i + 1) * bm)):
                for x in range(j * bn * of_c // line, -(-min(s.n, (j + 1) * bn) * of_c // line)):
                    touch("c", row, x)
    return read * line // SECTOR


@pytest.mark.parametrize("order", ("row", "grouped_2", "col", "hilbert_2"))
def test_panels_are_what_lines_add_up_to(order: str):
    """An independent count of single lines; panels of a few steps differ from it by less than a tenth."""
    for sweep, capacity in (
        (Sweep(96, 160, 512, (16, 16), (2, 2, 4), 6), 50_000),
        (Sweep(100, 84, 512, (16, 32), (2, 2, 2), 5), 90_000),
    ):
        if order == "hilbert_2" and sweep.counts[0] % 2:
            continue
        lines = lines_read(sweep, order, capacity, bk=64)
        assert dram_sectors(sweep, order, capacity, slices=8) == pytest.approx(lines, rel=0.1)


def test_no_order_reads_less_than_the_operands_and_a_large_cache_no_more():
    sweep = Sweep(1000, 1100, 640, (128, 64), (2, 2, 2), 11)
    least = sweep.operands // SECTOR
    assert all(dram_sectors(sweep, order, 1e9) == least for order in ORDERS)
    assert all(dram_sectors(sweep, order, 5e5) > 2 * least for order in ORDERS)


def test_a_large_product_is_computed_in_groups():
    """F26: in row order every wave reads all of w."""
    least = F26.operands // SECTOR
    assert dram_sectors(F26, "row", A100) > 50 * least
    assert best_order(F26, A100) == "grouped_16"
    assert dram_sectors(F26, "grouped_16", A100) < 3.5 * least


@pytest.mark.parametrize(
    ("m", "n", "k", "want"),
    [
        (1024, 1024, 1024, "row"),  # L2 holds both operands
        (64, 65536, 8192, "row"),  # one row of tiles
        (65536, 256, 2048, "row"),  # B stays in L2, and each row of A is read once
        (5000, 30001, 3000, "col"),  # A stays in L2
        (8192, 8192, 8192, "grouped_8"),
        (32768, 8192, 4096, "grouped_16"),
    ],
)
def test_what_is_chosen(m: int, n: int, k: int, want: str):
    sweep = Sweep(m, n, k, (128, 128), (2, 2, 2), 108)
    assert best_order(sweep, A100) == want
    others = [dram_sectors(sweep, order, A100) for order in ("row", "col", "grouped_4", "grouped_32")]
    assert dram_sectors(sweep, want, A100) <= min(others)


def test_the_first_waves_stand_for_all():
    few, all_ = (dram_sectors(F26, "grouped_16", A100, waves=waves) for waves in (64, None))
    assert few == pytest.approx(all_, rel=0.05)
    rows, columns = positions("grouped_8", 131074, 131074, 1000)  # more tiles than memory holds
    assert len(rows) == 1000 and rows.max() == 7 and columns.max() == 124


def test_ragged_panels_have_their_own_sizes():
    whole, ragged = Sweep(256, 256, 64, (128, 128), (2, 2, 2), 1), Sweep(130, 130, 64, (128, 128), (2, 2, 2), 1)
    assert dram_sectors(whole, "row", 1e9) == 2 * 256 * 64 * 2 // SECTOR
    assert dram_sectors(ragged, "row", 1e9) == 2 * 130 * 64 * 2 // SECTOR
    assert np.array_equal(ragged.counts, (2, 2))
