"""Schedules are not semantic: stripped, permuted or random, they never change a result; what cannot be honored is refused with the reason."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest

import ptir
from ptir.dialects.region import RegionKernelOp
from ptir.passes.environment import make_context
from ptir.passes.manager import PassManager
from ptir.runtime.devices import Emulator
from ptir.semantics.interpreter import call
from ptir.transforms.intent_attach_schedule import ScheduleNotHonored, fields

from ..builders.amount import examples

GEMM = {
    "name": "gemm",
    "tensors": {"a": {"dtype": "f16", "shape": ["M", 48]}, "b": {"dtype": "f16", "shape": [48, "N"]}},
    "ops": [
        {"op": "matmul", "inputs": ["a", "b"], "output": "c"},
        {"op": "relu", "inputs": ["c"], "output": "y"},
    ],
    "outputs": ["y"],
}
SIZES = {"M": 64, "N": 96}
PIPELINE = 'intent-to-ptir{sizes="M=64,N=96"},ptir-to-tiny,form-regions,intent-attach-schedule{arch=%s}'


def scheduled(schedule: dict[str, Any] | None) -> ptir.intent.Intent:
    return ptir.intent.load(json.dumps({**GEMM, **({} if schedule is None else {"schedule": schedule})}))


def arrays() -> tuple[Any, Any]:
    """Returns small integers, whose sums are exact in any order."""
    rng = np.random.default_rng(0)
    return tuple(rng.integers(-3, 4, shape).astype(np.float16) for shape in ((64, 48), (48, 96)))  # type: ignore[return-value]


def drawn(rng: random.Random) -> dict[str, Any]:
    """Draws a schedule: numbers that plans have or lack, names, bindings, hints, in any order."""
    tile = lambda: rng.choice((16, 32, 64, 128, "BLOCK"))  # noqa: E731
    all_fields: dict[str, Any] = {
        "tile_m": tile(),
        "tile_n": tile(),
        "tile_k": rng.choice((16, 32, 64, 7)),
        "vec_width": rng.choice((4, 8, "VEC")),
        "pipeline_depth": rng.choice((2, 3, 4, 99)),
        "axis_bindings": {"tile_m": "M", "tile_n": "N"},
        "vec_axis": "N",
        "parallel_axes": ["M", "N"],
        "memory_hint": {"a": "smem"},
    }
    names = rng.sample(list(all_fields), rng.randrange(1, 5))
    return {name: all_fields[name] for name in names}


def plans(source: ptir.intent.Intent, arch: str) -> tuple[Any, list[dict[str, int]]]:
    """Returns the result of the regions, and the fields of the plans."""
    module = source.module.clone()
    PassManager(PIPELINE % arch, make_context()).run(module)
    kernels = [op for op in module.walk() if isinstance(op, RegionKernelOp)]
    (result,) = call(module, "gemm", *arrays())
    return result, [fields(k.plan.schedule()) for k in kernels if k.plan is not None]


def test_random_schedules_do_not_change_a_result():
    rng, inputs = random.Random(3), arrays()
    (want,) = scheduled(None).run(*inputs)
    honored = refused = 0
    for _ in range(examples(48)):
        schedule = drawn(rng)
        source = scheduled(schedule)
        assert source.run(*inputs)[0].tobytes() == want.tobytes()
        permuted = dict(rng.sample(list(schedule.items()), len(schedule)))
        try:
            result, found = plans(source, "sm80")
        except ScheduleNotHonored as error:
            refused += 1
            assert str(error).startswith("<string>:1") and "help: " in str(error)
            with pytest.raises(ScheduleNotHonored):
                plans(scheduled(permuted), "sm80")
            continue
        honored += 1
        assert result.tobytes() == want.tobytes()
        numbers = {k: v for k, v in schedule.items() if isinstance(v, int)}
        assert all(plan.items() >= numbers.items() for plan in found) and bool(found) == bool(numbers)
        assert found == plans(scheduled(permuted), "sm80")[1]
    assert honored and refused


@pytest.mark.campaign
@pytest.mark.parametrize("arch", ["sm80", "sm90"])
@pytest.mark.parametrize("number", range(12))
def test_kernels_of_random_schedules_have_the_same_bits(number: int, arch: str):
    source, inputs = scheduled(drawn(random.Random(number))), arrays()
    try:
        program = source.compile(arch=arch, device=Emulator(), **SIZES)
    except ScheduleNotHonored:
        return
    assert program(*inputs)[0].tobytes() == scheduled(None).run(*inputs)[0].tobytes()
