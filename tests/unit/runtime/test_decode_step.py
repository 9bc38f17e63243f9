"""A decode step of GPT-2 on the fake driver: what a call costs after the first one, counted by the driver's functions."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ptir
from ptir.runtime.driver import Driver
from ptir.runtime.steps import Step
from ptir.semantics.errors import IndexOutOfRange
from tests.unit.builders.fake_driver import FakeDriver

pytestmark = pytest.mark.sampled(2)

ROOT = Path(__file__).resolve().parents[3]
COPIES = {"cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuMemcpyDtoDAsync", "cuMemsetD8Async"}
ALLOCATIONS = {"cuMemAllocAsync", "cuMemHostAlloc"}
LOADS = {"cuModuleGetFunction", "cuEventCreate", "cuStreamCreate"}


@pytest.fixture(scope="module")
def step(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """
    A compiled step of one layer on arrays of the fake GPU; `counts` has the calls of the driver. NVRTC takes seconds for its kernels.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PTIR_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        driver, counts, call = FakeDriver().install(patch), Counter[str](), Driver.call

        def counted(self: Driver, name: str, *arguments: Any) -> Any:
            counts[name] += 1
            return call(self, name, *arguments)

        patch.setattr(Driver, "call", counted)
        patch.setattr(sys, "path", [*sys.path, str(ROOT)])
        network = import_module("examples.models").network("gpt2_decode")
        config = replace(network.CONFIGS["tiny"], layers=1)
        arguments = network.weights(config, 0) | network.inputs(config, 1)
        program = ptir.compile(network.build(config))
        arrays = {name: ptir.to_device(x) for name, x in arguments.items()}
        first = program(**arrays)
        want = [result.numpy() for result in first]
        compiled = program.compile_for(B=config.batch, T=config.positions)
        launches = [s.launch.kernel for s in compiled._executable.host.steps if isinstance(s, Step)]
        yield SimpleNamespace(
            driver=driver, counts=counts, program=program, arrays=arrays, first=first, want=want,
            launches=launches, exact=network.reference(config, network.weights(config, 0), network.inputs(config, 1)),
        )  # fmt: skip


@pytest.fixture
def counted(step: Any) -> Any:
    """The step with its counts at zero."""
    step.counts.clear()
    step.driver.launched.clear()
    return step


def values(results: Any) -> list[Any]:
    return [result.numpy() for result in results]


def same(results: Any, want: Any) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(values(results), want, strict=True))


@pytest.mark.campaign
def test_the_first_call_agrees_with_numpy(step: Any):
    for got, want in zip(step.want, step.exact.values(), strict=True):
        assert np.allclose(got, want, rtol=0, atol=1e-4 * np.abs(want).max())


def test_a_step_launches_its_kernels_and_allocates_its_results(counted: Any):
    results = counted.program(**counted.arrays)
    assert counted.counts["cuLaunchKernelEx"] == len(counted.launches)
    assert counted.counts["cuMemAllocAsync"] == len(results)
    assert not counted.counts.keys() & (COPIES | LOADS | {"cuMemHostAlloc"})
    assert sorted(counted.driver.launched) == sorted(counted.launches)
    assert same(results, counted.want)


def test_a_step_into_given_arrays_allocates_and_copies_nothing(counted: Any):
    """It waits once, as the token's index may be out of range. The sizes of the arrays are known from the first call."""
    for repeated in (1, 2):
        results = counted.program(**counted.arrays, out=counted.first)
        assert counted.counts["cuLaunchKernelEx"] == len(counted.launches) * repeated
        assert counted.counts["cuStreamSynchronize"] == repeated
    assert not counted.counts.keys() & (COPIES | ALLOCATIONS | LOADS)
    assert sorted(counted.driver.launched) == sorted(counted.launches * 2)
    assert same(results, counted.want)


def test_a_graph_of_a_step_is_one_launch(counted: Any):
    graph = counted.program.graph(**counted.arrays)
    assert not counted.driver.launched, "recording runs nothing"
    counted.counts.clear()
    graph.launch()
    assert counted.counts["cuGraphLaunch"] == 1 and not counted.counts.keys() & (COPIES | ALLOCATIONS | LOADS)
    assert sorted(counted.driver.launched) == sorted(counted.launches)
    assert same(graph.outputs, counted.want)


def test_a_token_out_of_range_is_reported_by_calls_and_graphs(step: Any):
    wrong = step.arrays | {"token": ptir.to_device(np.full(1, 96, np.int32))}
    for run in (lambda: step.program(**wrong), step.program.graph(**wrong).launch):
        with pytest.raises(IndexOutOfRange):
            run()
    assert same(step.program(**step.arrays), step.want), "the status word is cleared"
