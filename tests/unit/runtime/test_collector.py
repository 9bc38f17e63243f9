"""The thresholds of the garbage collector during compilations."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

import ptir
from ptir.runtime.collector import THRESHOLD, collected_rarely

USUAL = (600, 11, 12)


@pytest.fixture(autouse=True)
def thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(*USUAL)
    yield
    gc.set_threshold(*before)


def test_the_threshold_is_raised_until_the_outermost_compilation_ends():
    with collected_rarely():
        with collected_rarely():
            assert gc.get_threshold() == (THRESHOLD, 11, 12)
        assert gc.get_threshold() == (THRESHOLD, 11, 12)
    assert gc.get_threshold() == USUAL


def test_an_error_restores_it():
    with pytest.raises(ZeroDivisionError), collected_rarely():
        _ = 1 // 0
    assert gc.get_threshold() == USUAL


@pytest.mark.parametrize("usual", [(0, 5, 5), (THRESHOLD + 1, 5, 5)])
def test_a_collector_that_is_off_or_runs_less_often_stays_so(usual: tuple[int, int, int]):
    gc.set_threshold(*usual)
    with collected_rarely():
        assert gc.get_threshold() == usual
    assert gc.get_threshold() == usual


def test_the_last_of_overlapping_threads_restores_it():
    first_begins, second_begins, first_ends = Event(), Event(), Event()

    def first() -> None:
        with collected_rarely():
            first_begins.set()
            second_begins.wait(10)
        first_ends.set()

    def second() -> tuple[int, int, int]:
        first_begins.wait(10)
        with collected_rarely():
            second_begins.set()
            first_ends.wait(10)
            return gc.get_threshold()

    with ThreadPoolExecutor(2) as pool:
        pool.submit(first)
        assert pool.submit(second).result() == (THRESHOLD, 11, 12)
    assert gc.get_threshold() == USUAL


def test_compilation_raises_it():
    seen: set[tuple[int, int, int]] = set()
    text = """func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = ptir.neg %x : tensor<4xf32>
      func.return %y : tensor<4xf32>
    }"""
    ptir.compile(text, watch=lambda name, module: seen.add(gc.get_threshold()))
    assert seen == {(THRESHOLD, 11, 12)} and gc.get_threshold() == USUAL
