"""A point of the campaign over the cost model; the committed report is that of its markdown, and its ranks are as good as they were."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cost_model.compare import compared, markdown, rows
from tests.cost_model.facts import facts_of

RESULTS = Path(__file__).resolve().parents[2] / "cost_model" / "results"


def test_a_kernel_is_predicted_and_counted():
    line = facts_of(2, 0)
    assert line["family"] == "product" and line["facts"]["emulated"] == line["facts"]["blocks"]
    ((kind, prediction, facts),) = rows([line], 0)
    assert kind == "multistage" and (prediction.shared, prediction.threads) == (facts["shared"], facts["threads"])
    assert 0.5 < prediction.registers / facts["registers"] < 2 and prediction.blocks == facts["blocks"]
    table = compared([(kind, prediction, facts)])
    assert table["shared memory"]["all"] == {"kernels": 1, "rank": None, "error": 0.0}


def test_the_committed_report():
    last = max(RESULTS.glob("*.json"))
    report = json.loads(last.read_text("utf-8"))
    assert last.with_suffix(".md").read_text("utf-8") == markdown(report)
    ranks = {name: kinds["all"]["rank"] for name, kinds in report["quantities"].items()}
    assert ranks["blocks"] == pytest.approx(1, abs=0.05) and min(ranks.values()) > 0.5
