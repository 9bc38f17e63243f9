"""The GPT-2 block: its text is the output of the script, and the interpreter agrees with handwritten NumPy."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import numpy as np
import pytest

import ptir
from ptir.passes.manager import PassManager
from ptir.runtime.devices import Emulator
from ptir.semantics.bounds import bounds, check

BLOCK = Path(__file__).resolve().parents[3] / "examples" / "gpt2_block"
sys.path.insert(0, str(BLOCK))
try:
    import make  # pyright: ignore[reportMissingImports]
    import reference  # pyright: ignore[reportMissingImports]
finally:
    sys.path.remove(str(BLOCK))


def test_the_text_is_what_the_script_writes():
    assert (BLOCK / "block.mlir").read_text("utf-8") == make.text()


@pytest.mark.sampled(1)
def test_it_computes_the_block():
    arrays = reference.arguments(seed=3)
    (got,) = ptir.reference(BLOCK / "block.mlir", *arrays)
    np.testing.assert_allclose(got, reference.block(*arrays), rtol=1e-4, atol=2e-5)


@pytest.mark.sampled(1)
def test_attention_is_causal():
    """What a token becomes does not depend on the tokens after it."""
    arrays = reference.arguments(seed=4)
    changed = [arrays[0].copy(), *arrays[1:]]
    changed[0][:, 100:] += 1
    (before,), (after,) = (ptir.reference(BLOCK / "block.mlir", *a) for a in (arrays, changed))
    assert np.array_equal(before[:, :100], after[:, :100]) and not np.allclose(before[:, 100:], after[:, 100:])


def test_it_is_nine_kernels():
    """Two norms, six products and the softmax; every bias, residual and activation is in one of them."""
    module = PassManager("ptir-to-tiny,form-regions").run(ptir.parse((BLOCK / "block.mlir").read_text("utf-8")))
    assert sum(op.name == "region.kernel" for op in module.walk()) == 9


@pytest.mark.campaign
@pytest.mark.sampled(1)
@pytest.mark.parametrize("arch", ["sm80", "sm90"])
def test_a_small_block_runs_in_kernels(arch: str):
    small = types.ModuleType("make_small")
    sys.modules["make_small"], small.__file__ = small, str(BLOCK / "make.py")
    source = (BLOCK / "make.py").read_text("utf-8")
    sizes = "BATCH, TOKENS, FEATURES, HEADS = 1, 128, 768, 12"
    assert sizes in source
    exec(source.replace(sizes, "BATCH, TOKENS, FEATURES, HEADS = 2, 17, 48, 3"), vars(small))
    text, rng = small.text(), np.random.default_rng(0)
    x, *parameters = (rng.standard_normal(shape) for shape in (small.INPUT, *small.PARAMETERS.values()))
    arrays = [x.astype(np.float32), *((0.2 * p).astype(np.float32) for p in parameters)]
    (got,) = ptir.compile(text, arch=arch, device=Emulator())(*arrays)
    (interval,) = bounds(ptir.parse(text), "block", *arrays)
    report = check(got, interval)
    assert report.ok, str(report)
