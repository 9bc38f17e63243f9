"""Pipelining and events let the pipes of a core overlap, as `benchmarks/pto_pipes.py` measures."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"


def test_loads_and_moves_of_a_product_run_under_its_multiplications(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    plain, pipelined = importlib.import_module("pto_pipes").products()
    assert plain["barriers"] == pipelined["barriers"] == 0
    assert pipelined["overlap"] >= 0.85 > plain["overlap"]
