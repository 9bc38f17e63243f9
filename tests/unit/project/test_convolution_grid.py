"""Points of the grid of convolutions that cover its types, layouts, ranks and ways of loading windows; its checks find wrong results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.convolution_grid import check
from tests.convolution_grid.__main__ import arch_of, main
from tests.convolution_grid.check import by_jax, by_taps, examine, operands
from tests.convolution_grid.points import Point, point

POINTS = (42, 547, 299, 306, 595, 333, 432, 133, 200, 177, 256, 430, 519)
"""Together: every type, layout, rank and way of loading on both architectures, every epilogue, groups, depthwise and transposed."""


def plain(images: int, size: int, channels: int, filters: int, window: int, stride: int, dtype: str = "bf16") -> Point:
    """Returns a padded convolution of square images."""
    pads = [window // 2] * 2
    lists = [window] * 2, [stride] * 2, [1, 1], pads, pads, [1, 1]
    return Point(images, [size] * 2, channels, filters, *lists, 1, dtype, "NHWC", "bias_relu")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", POINTS)
def test_a_point(number: int):
    outcome = examine(point(number), arch_of(number))
    assert not outcome["problems"], f"python -m tests.convolution_grid --only {number} shows it alone"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("found", "arch", "way"),
    [
        (plain(1, 7, 64, 16, 7, 1), "sm80", "offsets"),  # 49 taps: two masks; parts of k, the last of which is shorter
        (plain(5, 9, 64, 24, 3, 2), "sm90", "im2col"),  # tiles end within an image, and beyond the last one
        (plain(3, 5, 32, 40, 3, 1, "f8E4M3FN"), "sm90", "im2col"),
        (plain(2, 6, 48, 16, 3, 1), "sm80", "offsets"),  # 48 channels: steps of 16
        (plain(2, 6, 24, 16, 3, 1), "sm80", "other"),  # 24 channels: steps reach over taps
    ],
)
def test_ways_of_loading(found: Point, arch: str, way: str):
    outcome = examine(found, arch)
    assert (outcome["problems"], outcome["way"]) == ([], way)


def test_the_oracles_agree_and_wrong_results_are_found(monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("jax", reason="JAX, the second oracle of convolutions, is not installed")
    found = plain(1, 4, 3, 5, 3, 1)
    arrays = operands(found, 0)
    assert np.array_equal(by_taps(found, arrays), by_jax(found, arrays))
    right = check.by_taps

    def wrong(p: Point, given: list[Any]) -> np.ndarray:
        y = right(p, given)
        y[0, -1, -1, -1] += 1
        return y

    monkeypatch.setattr(check, "by_taps", wrong)
    assert examine(found, "sm80")["problems"] == ["the oracles differ", "1 of 80 elements are wrong"]


def test_a_campaign_goes_on_from_its_journal(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    state, report = tmp_path / "state.jsonl", tmp_path / "report.json"
    assert main(["--count", "1", "--state", str(state), "--report", str(report)]) == 0
    first = state.read_text("utf-8")
    assert main(["--count", "1", "--state", str(state)]) == 0 and state.read_text("utf-8") == first
    assert json.loads(report.read_text("utf-8"))["passed"] == 1
    assert "1 of 1 points passed" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="give another --state"):
        main(["--count", "1", "--seed", "5", "--state", str(state)])
