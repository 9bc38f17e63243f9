"""Cells of the conformance table: each affine op on each element type, on both architectures; `python -m tests.conformance` runs all."""

from __future__ import annotations

import pytest

from ptir.dialects.ptir import PTIR
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


def test_a_refusal_is_a_problem():
    """What is refused, or crashes, is the outcome of a cell with its code."""
    outcome = run(Cell("ptir.div", "si8"))
    assert not outcome.problems or outcome.problems["sm80,sm90"].startswith("PTIR02")
