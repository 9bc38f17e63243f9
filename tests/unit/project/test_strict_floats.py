"""Points of the campaign over strict floats; its check finds a wrong bit."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.strict_floats import check
from tests.strict_floats.__main__ import main
from tests.strict_floats.points import point

POINTS = (3, 7)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("number", POINTS)
def test_a_point(number: int):
    outcome = check.examine(point(number))
    assert not outcome["problems"], f"python -m tests.strict_floats --only {number} shows it alone"


@pytest.mark.campaign
def test_the_journal_resumes_and_a_wrong_bit_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    state, report = tmp_path / "state.jsonl", tmp_path / "report.json"
    right = check.execute
    monkeypatch.setattr(check, "execute", lambda *given: tuple(np.nextafter(y, y.dtype.type(9)) for y in right(*given)))
    assert main(["--count", "1", "--state", str(state), "--report", str(report)]) == 1
    assert "differ" in json.loads(report.read_text("utf-8"))["failures"][0]["problems"][0]
    monkeypatch.undo()
    assert main(["--count", "2", "--state", str(state), "--report", str(report)]) == 1
    assert json.loads(report.read_text("utf-8"))["passed"] == 1
