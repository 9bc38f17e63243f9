"""The examples run by their documented commands, and report that the numbers agree."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptir

ROOT = Path(__file__).resolve().parents[3]


def run(*arguments: str) -> str:
    """Runs an example, which must succeed, and returns its output."""
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_embed():
    out = run("examples/embed.py")
    assert "parsed and built: the same operations" in out
    assert "a pipeline from passes: the same IR" in out
    assert "float32[70, 24]" in out
    assert "within the bound" in out


def test_halo():
    out = run("examples/halo.py")
    assert " 8 x  8: reads 1 x 17 x 17 x 8, halo 1056 bytes, smem_ring of 27744 bytes" in out


@pytest.mark.campaign
def test_generation_says_what_went_in_and_came_out():
    out = run("-m", "examples.models.generate", "--steps", "1")
    for word in ("prefill", "step at 8", "NumPy", "launches", "kernels: ", "bytes: "):
        assert word in out
    assert "agreement: ok" in out


def test_generation_fails_when_a_token_is_wrong(monkeypatch: pytest.MonkeyPatch):
    """The programs run in the interpreter; the reference knows nothing of them."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])
    generate = import_module("examples.models.generate")
    config = generate.gpt2.CONFIGS["tiny"]
    prefill, step = (partial(ptir.reference, n.build(config)) for n in (generate.gpt2, generate.gpt2_decode))

    def wrong(**arguments: Any) -> Any:
        results = step(**arguments)
        return results._replace(logits=results.logits + np.float32(0.01) * (np.arange(96) == 7))

    for decode, right in ((step, True), (wrong, False)):
        generation = generate.Generation(config, prefill, decode, None)
        generation.start()
        generation.go_on()
        assert generation.ok is right


def test_demo_says_what_happened_at_every_level_and_saves_it(tmp_path: Path):
    out = run("examples/digits/demo.py", "--save", str(tmp_path))
    for word in ("ptir-to-tiny", "plan-regions", "pto-to-nv", "CUDA C++", "NVRTC", "mlp_0", "mlp_1", "registers"):
        assert word in out
    assert "argmax over the 10 logits is a NumPy step" in out
    assert "predictions: 0 of " in out
    assert "left out: " in out
    assert out.rstrip().endswith("agreement: ok")
    saved = sorted(path.name for path in tmp_path.iterdir())
    assert saved[0] == "00-ptir.mlir"
    assert saved[-3].endswith("-pto-to-nv.mlir") and saved[-2:] == ["mlp.cu", "mlp.ptx"]
    assert "mma.sync" in (tmp_path / "mlp.ptx").read_text()


def test_the_demo_fails_when_a_logit_or_a_prediction_is_wrong():
    """A wrong logit, or a swapped prediction, makes the comparison fail."""
    sys.path.insert(0, str(ROOT / "examples" / "digits"))
    try:
        import demo  # pyright: ignore[reportMissingImports]
    finally:
        sys.path.pop(0)

    inputs, digits = demo.load()
    module = ptir.parse(demo.HERE / "mlp.mlir")
    (right,) = ptir.reference(module, *inputs)
    assert demo.compare(module, inputs, right, digits)
    off, swapped = right.copy(), right.copy()
    off[1000, 3] += np.float32(0.1)
    swapped[7] = swapped[7][::-1]
    assert not demo.compare(module, inputs, off, digits)
    assert not demo.compare(module, inputs, swapped, digits)
