"""Points of the campaign over random plans: its families on both architectures; its check finds wrong results."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.plan_grid import check
from tests.plan_grid.__main__ import main
from tests.plan_grid.points import point

POINTS = (2, 3, 6, 9, 16, 18, 19, 22, 24, 27)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", POINTS)
def test_a_point(number: int):
    outcome = check.examine(point(number))
    assert not outcome["problems"], f"python -m tests.plan_grid --only {number} shows it alone"


@pytest.mark.campaign
def test_the_journal_resumes_and_a_failure_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    state, report = tmp_path / "state.jsonl", tmp_path / "report.json"
    right = check.call
    monkeypatch.setattr(check, "call", lambda *given: tuple(np.asarray(y) + 1 for y in right(*given)))
    assert main(["--count", "1", "--state", str(state), "--report", str(report)]) == 1
    assert "differ" in json.loads(report.read_text("utf-8"))["failures"][0]["problems"][0]
    monkeypatch.undo()
    assert main(["--count", "2", "--state", str(state), "--report", str(report)]) == 1
    assert json.loads(report.read_text("utf-8"))["passed"] == 1
