"""Cells of the conformance table: each affine op on each element type, on both architectures; `python -m tests.conformance` runs all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ptir
from ptir.dialects.ptir import PTIR
from ptir.errors import Unsupported
from ptir.transforms.ptir_to_tiny import LOWERINGS
from tests.conformance.cells import SHAPES, Cell, case, cells
from tests.conformance.check import run


@pytest.mark.sampled(127)
@pytest.mark.parametrize("cell", cells(), ids=str)
def test_results_are_those_of_the_reference(cell: Cell):
    assert not run(cell).problems


def test_no_op_and_no_type_is_left_out():
    """Each op that has a lowering has cells; one on which every shape is possible has every shape."""
    assert {c.op for c in cells()} == {op.name for op in PTIR.operations if op in LOWERINGS}
    assert len({c.dtype for c in cells() if c.op == "ptir.reshape"}) == 24
    assert case(Cell("ptir.add", "si4"))[1] == list(SHAPES)


def test_a_refusal_is_a_problem(monkeypatch: pytest.MonkeyPatch):
    """What is refused, or crashes, is the outcome of a cell with its code."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise Unsupported(what="this", need="something else")

    monkeypatch.setattr(ptir, "compile", refuse)
    assert run(Cell("ptir.div", "si8")).problems["sm80"].startswith("PTIR0210: ")


def test_no_cell_is_refused():
    """In the last campaign."""
    report = max((Path(__file__).parents[2] / "conformance" / "results").glob("*.json"))
    outcomes = json.loads(report.read_text("utf-8"))["cells"]
    assert {Cell(**o["cell"]) for o in outcomes} == set(cells())
    assert [o["cell"] for o in outcomes if o["problems"]] == []
