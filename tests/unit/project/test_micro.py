"""The micro-kernels of `benchmarks/micro.py`: the emulator's results are those that a GPU gave."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ptir.runtime.devices import Emulator

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"
RECORDED = sorted((BENCHMARKS / "results").glob("micro-*.json"))


@pytest.fixture
def micro(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("micro")


def replay(micro: Any, path: Path) -> list[str]:
    """Returns the kernels for which the emulator's results differ from the recorded ones."""
    found: list[str] = []
    for entry in json.loads(path.read_text(encoding="utf-8"))["kernels"]:
        kernel, answer = micro.from_json(entry)
        found += [f"{kernel.name}: {text}" for text in micro.differences(kernel, micro.run(kernel, Emulator()), answer)]
    return found


@pytest.mark.parametrize("path", RECORDED, ids=[path.stem for path in RECORDED])
def test_the_emulator_answers_as_the_gpu_did(micro: Any, path: Path):
    assert not replay(micro, path)


def test_recorded_answers_are_compared_to_the_bit(micro: Any, tmp_path: Path):
    chosen = {"cp.async.ca 8", "ldmatrix x4.trans", "cvt.rn.bf16.f32", "exchange with the lane 2 away"}
    kernels = [kernel for kernel in micro.kernels() if kernel.name in chosen]
    assert len(kernels) == 4
    answers = [micro.run(kernel, Emulator()) for kernel in kernels]
    path = tmp_path / "micro-x.json"
    path.write_text(json.dumps({"kernels": [micro.to_json(k, a) for k, a in zip(kernels, answers, strict=True)]}))
    assert not replay(micro, path)
    for answer in answers:
        answer[0].view(np.uint8)[5] ^= 1
    path.write_text(json.dumps({"kernels": [micro.to_json(k, a) for k, a in zip(kernels, answers, strict=True)]}))
    assert len(replay(micro, path)) == 4


def test_only_rounding_may_differ(micro: Any):
    (kernel,) = [k for k in micro.kernels() if k.name == "mma m16n8k16.row.col.f32.bf16.bf16.f32 on random"]
    (answer,) = micro.run(kernel, Emulator())
    assert not micro.differences(kernel, [np.nextafter(answer, np.float32(9))], [answer])
    assert micro.differences(kernel, [answer + np.float32(0.001)], [answer])
    assert micro.differences(kernel, [np.roll(answer, 1)], [answer])


def test_every_kernel_runs_and_is_named_once(micro: Any):
    """Results are compared with NumPy if the op is a line of it; other tests have oracles for the emulator."""
    kernels = {kernel.name: kernel for kernel in micro.kernels()}
    assert len(kernels) == len(list(micro.kernels())) > 80
    for kernel in kernels.values():
        if kernel.name in ("cvt.rn.f16.f32", "add.rn.f32", "cvt.f64.f32") or "cp.async" in kernel.name:
            (got,) = micro.run(kernel, Emulator())
            with np.errstate(all="ignore"):
                if kernel.name == "add.rn.f32":
                    want = kernel.inputs[0] + kernel.inputs[1]
                elif kernel.name == "cvt.rn.f16.f32":
                    got, want = got.view(np.float16), kernel.inputs[0].astype(np.float16)
                elif kernel.name == "cvt.f64.f32":
                    want = kernel.inputs[0].astype(np.float64)
                else:
                    width = int(kernel.name.split()[1])
                    rows = kernel.inputs[0].view(np.uint8).reshape(32, width)
                    kept = np.arange(width) < (np.arange(32) % (width + 1))[:, None]
                    got, want = got.view(np.uint8), np.where(kept, rows, 0).ravel()
            np.testing.assert_array_equal(got, want)
