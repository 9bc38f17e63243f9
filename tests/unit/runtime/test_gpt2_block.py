"""The GPT-2 block: its text is what the script writes, and the interpreter gives what NumPy by hand gives."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import ptir

BLOCK = Path(__file__).resolve().parents[3] / "examples" / "gpt2_block"
sys.path.insert(0, str(BLOCK))
try:
    import make  # pyright: ignore[reportMissingImports]
    import reference  # pyright: ignore[reportMissingImports]
finally:
    sys.path.remove(str(BLOCK))


def test_the_text_is_what_the_script_writes():
    assert (BLOCK / "block.mlir").read_text("utf-8") == make.text()


def test_it_computes_the_block():
    arrays = reference.arguments(seed=3)
    (got,) = ptir.reference(BLOCK / "block.mlir", *arrays)
    np.testing.assert_allclose(got, reference.block(*arrays), rtol=1e-4, atol=2e-5)


def test_attention_is_causal():
    """What a token becomes does not depend on the tokens after it."""
    arrays = reference.arguments(seed=4)
    changed = [arrays[0].copy(), *arrays[1:]]
    changed[0][:, 100:] += 1
    (before,), (after,) = (ptir.reference(BLOCK / "block.mlir", *a) for a in (arrays, changed))
    assert np.array_equal(before[:, :100], after[:, :100]) and not np.allclose(before[:, 100:], after[:, 100:])
