"""A point of the campaign over the cost model; the committed report is that of its markdown, and its ranks are as good as they were."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ptir.planning.prediction import limit, predicted
from ptir.planning.template import Request
from tests.cost_model.compare import compared, markdown, rows
from tests.cost_model.facts import facts_of
from tests.cost_model.points import FAMILIES
from tests.unit.builders.plan_families import PROGRAMS, kernel_of, regions

RESULTS = Path(__file__).resolve().parents[2] / "cost_model" / "results"


def test_a_kernel_is_predicted_and_counted():
    line = facts_of(26, 0)
    assert line["family"] == "product" and line["facts"]["emulated"] == line["facts"]["blocks"]
    (row,) = found = rows([line], 0)
    assert row["kind"] == "multistage" and all(
        len(set(row[name])) == 1 for name in ("shared memory", "threads", "blocks")
    )
    guess, registers = row["registers"]
    assert 0.5 < guess / registers < 2
    assert compared(found)["shared memory"]["all"] == {"kernels": 1, "rank": None, "error": 0.0}


def test_the_committed_report():
    """Issue 19: rank correlations of at least 0.9 each, and registers within 12 %, for 200 kernels or more of all families."""
    last = max(RESULTS.glob("*.json"))
    report = json.loads(last.read_text("utf-8"))
    assert last.with_suffix(".md").read_text("utf-8") == markdown(report)
    assert compared(report["rows"]) == report["quantities"] and len(report["rows"]) >= 200
    assert {(family, arch) for family, arch in FAMILIES if arch} <= {(r["family"], r["arch"]) for r in report["rows"]}
    of_all = {name: kinds["all"] for name, kinds in report["quantities"].items()}
    assert all(found["rank"] >= 0.9 for found in of_all.values()) and of_all["registers"]["error"] <= 0.12


@pytest.mark.parametrize("family", PROGRAMS)
def test_a_plan_of_each_family_is_predicted(family: str):
    """Registers are at most those that the launch bounds allow, and a block fits the machine."""
    kernel = kernel_of(regions(family))
    assert kernel.plan is not None
    plan = kernel.plan.schedule()
    found = predicted(plan, Request.of(kernel, plan.arch))
    assert 8 <= found.registers <= limit(plan) <= 255 and found.occupancy >= 1
    assert found.threads == plan.threads and min(found.blocks, found.sectors, found.instructions) > 0
