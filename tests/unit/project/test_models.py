"""The networks of `examples/models`: the interpreter and the kernels against NumPy references that share nothing with ptir."""

from __future__ import annotations

import cProfile
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptir
from ptir.passes.manager import PassManager
from ptir.semantics.bounds import check
from ptir.semantics.errors import NoBounds

ROOT = Path(__file__).resolve().parents[3]
NETWORKS = ("gpt2", "gpt2_decode", "llama", "resnet", "vit", "lstm", "moe", "mamba", "unet", "beam_search")
DRAWN = {
    "gpt2": ("sm80", "bf16"),
    "gpt2_decode": ("sm90", "bf16"),
    "llama": ("sm80", "bf16"),
    "resnet": ("sm90", "f32"),
    "vit": ("sm90", "bf16"),
    "lstm": ("sm80", "f32"),
    "moe": ("sm90", "bf16"),
    "mamba": ("sm90", "f32"),
    "unet": ("sm80", "f32"),
    "beam_search": ("sm80", "f32"),
}
"""The architecture and the type of weights of each network that every run of the tests takes."""
UNBOUNDED = {"moe", "beam_search"}
"""The networks whose errors have no bounds: they choose indices by computed floats."""
ATTENTION = {"gpt2", "gpt2_decode", "llama", "vit"}
"""
Networks with attention. Its kernel rounds weights before it divides them by their sum, which the bounds do not include: errors may be twice as
large.
"""


@pytest.fixture(scope="module", autouse=True)
def models() -> Iterator[Any]:
    """The package of the networks."""
    sys.path.append(str(ROOT))
    yield import_module("examples.models")
    sys.path.remove(str(ROOT))


class Case:
    """A network at its tiny configuration with weights, inputs and the results of its reference."""

    def __init__(self, models: Any, name: str, **changes: Any):
        self.name, self.network = name, models.network(name)
        self.config = replace(self.network.CONFIGS["tiny"], **changes)
        self.tolerance = models.TOLERANCE[self.config.dtype]
        self.module = self.network.build(self.config)
        self.weights, self.inputs = self.network.weights(self.config, 0), self.network.inputs(self.config, 1)
        self.arguments = self.weights | self.inputs
        self.want = self.network.reference(self.config, self.weights, self.inputs)

    def error(self, results: Any) -> float:
        """Returns the largest error of a result, relative to its largest element."""
        assert results._fields == tuple(self.want)
        errors = list[float]()
        for y, want in zip(results, self.want.values(), strict=True):
            assert y.shape == want.shape
            errors.append(np.abs(y.astype(float) - want.astype(float)).max() / np.abs(want.astype(float)).max())
        return max(errors)


def test_all_networks_are_listed(models: Any):
    assert models.NETWORKS == NETWORKS


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
@pytest.mark.parametrize("name", NETWORKS)
def test_the_interpreter_agrees_with_numpy(models: Any, name: str, dtype: str):
    case = Case(models, name, dtype=dtype)
    assert case.error(ptir.reference(case.module, **case.arguments)) <= case.tolerance


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NETWORKS)
def test_every_parameter_and_input_matters(models: Any, name: str):
    """Otherwise the comparison above would say nothing about it."""
    case = Case(models, name)
    for argument, x in case.arguments.items():
        changed = np.flip(x).copy() if x.size > 1 else x + x.dtype.type(1)
        results = ptir.reference(case.module, **case.arguments | {argument: changed})
        assert case.error(results) > case.tolerance, argument


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NETWORKS)
def test_the_kernels_agree_with_numpy_and_are_within_the_bounds(models: Any, name: str):
    """NVRTC and the emulator take a second or two each."""
    arch, dtype = DRAWN[name]
    within(Case(models, name, dtype=dtype), arch)


@pytest.mark.campaign
@pytest.mark.parametrize("dtype", ["f32", "bf16"])
@pytest.mark.parametrize("arch", ["sm80", "sm86", "sm89", "sm90"])
@pytest.mark.parametrize("name", NETWORKS)
def test_the_kernels_of_every_architecture_and_type(models: Any, name: str, arch: str, dtype: str):
    within(Case(models, name, dtype=dtype), arch)


def within(case: Case, arch: str) -> None:
    """Checks the results of the kernels."""
    results = ptir.run(case.module, arch=arch, device=ptir.Emulator(), **case.arguments)
    assert case.error(results) <= case.tolerance
    if case.name in UNBOUNDED:
        with pytest.raises(NoBounds):
            ptir.bounds(case.module, **case.arguments)
        return
    for y, interval in zip(results, ptir.bounds(case.module, **case.arguments), strict=True):
        report = check(y, interval)
        assert report.ok or (case.name in ATTENTION and report.max_error_over_bound <= 2)


def lowered(models: Any, layers: int, before: str = "") -> str:
    """Returns the CUDA C++ of GPT-2, from its text."""
    gpt2 = models.network("gpt2")
    text = str(gpt2.build(replace(gpt2.CONFIGS["tiny"], layers=layers)))
    return ptir.print_cuda(PassManager(f"{before}ptir-to-cuda{{arch=sm80}}").run(ptir.parse(text)))


@pytest.mark.campaign
def test_layers_are_compiled_once(models: Any):
    assert lowered(models, 2) == lowered(models, 4)


@pytest.mark.campaign
@pytest.mark.parametrize("before", ["", "inline,symbol-dce,"])
def test_twice_the_layers_take_at_most_twice_the_work(models: Any, before: str):
    """Counted in calls of Python functions. Fusion sees all layers if they are inlined, and makes the same kernels."""
    counts: list[int] = []
    for layers in (6, 12):
        profile = cProfile.Profile()
        assert profile.runcall(lowered, models, layers, before) == lowered(models, 4, before)
        counts.append(sum(entry.callcount for entry in profile.getstats()))
    assert counts[1] <= 2.2 * counts[0], f"{counts} calls for 6 and 12 layers"


def test_a_prefill_and_a_decode_step_are_a_longer_prefill(models: Any):
    short = Case(models, "gpt2")
    longer = Case(models, "gpt2", tokens=short.config.tokens + 1)
    step = models.network("gpt2_decode")
    tokens = longer.inputs["tokens"]
    prefilled = ptir.reference(short.module, **short.weights, tokens=tokens[:, :-1])._asdict()
    room = ((0, 0), (0, 0), (0, short.config.positions - short.config.tokens), (0, 0))
    caches = {name: np.pad(x, room, constant_values=7) for name, x in prefilled.items() if name != "logits"}
    position = np.array(short.config.tokens, np.int32)
    decoded = ptir.reference(
        step.build(short.config), token=tokens[:, -1], position=position, **caches, **short.weights
    )
    assert np.allclose(decoded.logits, longer.want["logits"], atol=1e-5)
    assert np.allclose(decoded.k1_next[:, :, : tokens.shape[1]], longer.want["k1"], atol=1e-5)


@pytest.mark.campaign
def test_the_command():
    def run(*arguments: str) -> str:
        command = [sys.executable, "-m", "examples.models", *arguments]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert "resnet: tiny, small, resnet18" in run()
    out = run("lstm", "--arch", "sm90")
    for words in ("kernels for sm90", "compiled in ", "launches moved ", "of the bound", "agreement: ok"):
        assert words in out
    assert "the bound is infinite" in run("gpt2", "--reference")
