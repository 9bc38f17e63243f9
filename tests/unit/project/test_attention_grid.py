"""Points of the grid of attention that cover its masks, biases and ways of masking; its checks find wrong results."""

from __future__ import annotations

import numpy as np
import pytest

from tests.attention_grid import backward
from tests.attention_grid.__main__ import arch_of, main
from tests.attention_grid.check import compare, examine
from tests.attention_grid.points import SCORES, is_one_kernel, point

POINTS = (1, 5, 7, 13)
"""The first and the last have fewer keys than a causal mask keeps."""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", POINTS)
def test_a_point(number: int):
    outcome = examine(point(number), arch_of(number))
    assert not outcome["problems"], f"python -m tests.attention_grid --only {number} shows it alone"


def test_points_are_small_and_most_are_one_kernel():
    cases = [point(number).case for number in range(200)]
    assert max(c.batch * c.heads * c.group * c.queries * c.keys for c in cases) <= SCORES
    assert 100 < sum(map(is_one_kernel, cases)) <= 200


def test_wrong_results_are_found():
    want = np.array([1.0, 2.0, np.nan])
    problems: list[str] = []
    assert compare(np.array([1.0, 2.01, np.nan]), want, 2**-6, problems) < 1 and not problems
    compare(np.array([1.0, 2.1, np.nan]), want, 2**-6, problems)
    compare(np.array([1.0, np.nan, 0.0]), want, 2**-6, problems)
    assert problems == [
        "1 of 3 elements are wrong, by up to 3.2 times the tolerance",
        "2 of 3 elements are NaN, or should be",
    ]


def test_the_report_counts_points_of_several_kernels(capsys: pytest.CaptureFixture[str]):
    assert main(["--count", "1", "--seed", "11"]) == 0
    assert "0 points are not one kernel" in capsys.readouterr().out


def test_points_of_the_backward_pass_are_small_and_most_are_three_kernels():
    cases = [backward.point(number)[0] for number in range(200)]
    assert max(c.batch * c.heads * c.group * c.queries * c.keys for c in cases) <= backward.SCORES
    assert sum(backward.most_kernels(c) == 3 + c.forward for c in cases) > 80
