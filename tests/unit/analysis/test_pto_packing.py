"""`analysis/pto`: packing of intervals, modulo schedules, and boxes that overlap."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from ptir.analysis.pto.accesses import Accesses, Range
from ptir.analysis.pto.affine import Affine, Box, Symbol, overlaps
from ptir.analysis.pto.modulo import Dependence, least_interval, schedule
from ptir.analysis.pto.packing import Interval, live_bytes, pack
from tests.pto_programs.intervals import random_intervals


@pytest.mark.parametrize("seed", range(20))
def test_packed_intervals_are_apart(seed: int):
    intervals = random_intervals(seed)
    addresses = pack(intervals, 32)
    for k, a in enumerate(intervals):
        assert addresses[k] % 32 == 0
        for n, b in enumerate(intervals[:k]):
            together = a.start <= b.end and b.start <= a.end
            assert not together or addresses[k] >= addresses[n] + b.size or addresses[n] >= addresses[k] + a.size
    bound, _ = live_bytes(intervals)
    assert max(x + i.size for x, i in zip(addresses, intervals, strict=True)) <= 1.1 * bound


def test_given_addresses_stay():
    intervals = [Interval(0, 5, 64), Interval(2, 9, 64, 0), Interval(6, 7, 64)]
    assert pack(intervals, 32) == [64, 0, 64]
    assert live_bytes(intervals) == (128, 2)


def test_a_modulo_schedule_has_the_interval_of_the_busiest_pipe():
    pipes, cycles = [0, 1, 2], [100, 40, 60]
    chain = [Dependence(0, 1, 0), Dependence(1, 2, 0)]
    assert least_interval(pipes, cycles) == 100
    found = schedule(pipes, cycles, chain, 100)
    assert found is not None and (found.starts, found.stages, found.order) == ((0, 100, 140), 2, [0, 1, 2])
    assert schedule(pipes, cycles, chain, 90) is None
    assert schedule(pipes, cycles, [*chain, Dependence(2, 0, 1)], 150) is None
    assert schedule(pipes, cycles, [*chain, Dependence(2, 0, 1)], 200) is not None


def test_two_instructions_of_a_pipe_do_not_meet_in_any_iteration():
    rng = Random(4)
    for _ in range(50):
        pipes = [rng.randrange(3) for _ in range(8)]
        cycles = [rng.randrange(1, 20) for _ in range(8)]
        chain = [Dependence(a, b, 0) for b in range(8) for a in range(b) if rng.random() < 0.2]
        interval = least_interval(pipes, cycles) + rng.randrange(10)
        if (found := schedule(pipes, cycles, chain, interval)) is None:
            continue
        busy = [(p, (s + t) % interval) for p, s, c in zip(pipes, found.starts, cycles, strict=True) for t in range(c)]
        assert len(busy) == len(set(busy))
        assert all(found.starts[d.source] + cycles[d.source] <= found.starts[d.target] for d in chain)


def test_boxes_overlap_unless_their_distance_is_known():
    from xdsl.dialects.builtin import f32
    from xdsl.dialects.test import TestOp

    x, y = TestOp(result_types=[f32, f32]).results
    i, far = Affine.of(Symbol()), Affine.of(Symbol(8, 24))
    here = Box(x, (i, Affine(0)), (8, 8))

    def at(start: Affine, column: int = 0, root=x) -> Box:
        return Box(root, (start, Affine(column)), (8, 8))

    def may_overlap(a: Box, b: Box) -> bool:
        return bool(overlaps(a.form, np.array(a.constants), b.form, np.array(b.constants)))

    assert may_overlap(here, at(i.plus(Affine(7)))) and not may_overlap(here, at(i.plus(Affine(8))))
    assert may_overlap(here, at(i.plus(Affine(-7)))) and not may_overlap(here, at(i.plus(Affine(-8))))
    assert may_overlap(here, at(Affine(0))) and not may_overlap(here, at(Affine(0), 8))
    assert not may_overlap(here, at(i.plus(far))) and may_overlap(here, at(i.plus(far).plus(Affine(-1))))
    assert not may_overlap(here, at(i, root=y))
    accesses = Accesses()
    accesses.add(((), (here,), 2, 7))
    assert list(accesses.conflicts([at(i.plus(Affine(7)))], write=False, own=0)) == [(2, 7)]
    assert not list(accesses.conflicts([at(i.plus(far))], write=True, own=0))
    accesses.add(((Range("Vec", 64, 32),), (), 3, 8))
    assert list(accesses.conflicts([Range("Vec", 0, 96)], write=True, own=0)) == [(3, 8)]
    assert not list(accesses.conflicts([Range("Vec", 0, 64), Range("Mat", 64, 32)], write=True, own=0))
    assert not list(accesses.conflicts([Range("Vec", 0, 96)], write=False, own=0))
