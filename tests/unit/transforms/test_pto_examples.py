"""Blocks of models, and programs of sizes that nothing divides, as kernels for a PTO target, in the interpreter, against that of ptir."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ptir
from ptir.analysis.program.signature import entry_function
from ptir.passes.manager import PassManager
from ptir.tools.arrays import random_inputs

ROOT = Path(__file__).parents[3]
BLOCKS = sorted([*(ROOT / "examples/blocks").glob("*.mlir"), *(ROOT / "tests/pto_programs/tensors").glob("*.mlir")])


SLOW = ("conv_block",)
"""A tile whose rows are loaded one by one takes a minute in the interpreter; `test_pto_padding.py` runs it as C++."""


@pytest.mark.sampled(len(BLOCKS) - len(SLOW))
@pytest.mark.parametrize("path", [b for b in BLOCKS if b.stem not in SLOW], ids=lambda path: path.stem)
def test_equals_the_interpreter_of_ptir(path: Path):
    source = ptir.parse(path)
    arrays = random_inputs(entry_function(source, None), 1)
    lowered = PassManager("ptir-to-pto{target=a3}").run(source.clone())
    for got, want in zip(ptir.reference(lowered, *arrays), ptir.reference(source, *arrays), strict=True):
        got, want = (x.astype(np.float64) for x in (got, want))
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-2 * np.abs(want).max())
