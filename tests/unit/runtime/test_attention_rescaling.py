"""Attention whose maxima move by much, by little or not at all: accumulators are rescaled where they must be, and only there."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import ptir
from ptir.runtime.compile import Program, compile_module
from ptir.runtime.devices import Emulator
from ptir.runtime.execute import execute
from tests.unit.builders.attention_cases import Case

CASE = Case(64, 320, size=16, dtype="f16")
"""At least three tiles of keys."""
SLOPES = {"falls": -1.0, "rises by less than 8": 0.008, "rises by more than 8": 0.4, "rises in some rows": 0.1}


@cache
def compiled() -> Program:
    return compile_module(ptir.parse(CASE.text), "sm80")


def arrays(name: str) -> list[np.ndarray]:
    """Returns queries, keys and values with scores `slope * key`, of rows that differ by up to a factor of 2, or of 8."""
    q, k, v = CASE.arrays(0.1)
    row = np.linspace(1, 2, CASE.queries) if name != "rises in some rows" else 8 * (np.arange(CASE.queries) % 16 == 5)
    q[..., 0] = row * SLOPES[name] / CASE.scale
    k[..., 0] = np.arange(CASE.keys)
    return [q, k, v]


def steps(name: str) -> int:
    """Runs a case, checks the result, and returns the number of instructions."""
    device, given = Emulator(), arrays(name)
    (got,), want = execute(compiled(), given, device), CASE.expected(*given)
    np.testing.assert_allclose(got.astype(np.float64), want, atol=2**-9 * np.abs(want).max(), rtol=0)
    (report,) = device.reports
    return report.steps


def test_results_are_right_and_accumulators_are_rescaled_where_maxima_move():
    seldom = steps("falls")
    assert steps("rises by less than 8") == seldom
    assert steps("rises by more than 8") > seldom


def test_one_row_of_a_warp_that_moves_suffices():
    assert steps("rises in some rows") > steps("falls")


@pytest.mark.parametrize("slope", [-30.0, 30.0])
def test_numbers_that_underflow_or_start_at_the_least(slope: float):
    q, k, v = arrays("falls")
    q[..., 0] = slope
    (got,) = execute(compiled(), [q, k, v], Emulator())
    want = CASE.expected(q, k, v)
    np.testing.assert_allclose(got.astype(np.float64), want, atol=2**-9 * np.abs(want).max(), rtol=0)
