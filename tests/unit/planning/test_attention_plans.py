"""Plans of attention: how many parts of the keys they have, and what they refuse."""

from __future__ import annotations

import pytest
from msgspec import structs

import ptir
from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.plan.schedule import Schedule
from ptir.dialects.region import RegionKernelOp
from ptir.errors import NoPlanFits, PlanMismatch
from ptir.passes.errors import BadOptionValue
from ptir.passes.manager import PassManager
from ptir.planning.attention.multistage import lefts_in_registers
from ptir.planning.template import Request
from ptir.transforms.plan_regions import plan_region
from tests.unit.builders.attention_cases import Case

ARCHS = ("sm80", "sm90")


def planned(case: Case, arch: str, options: str = "") -> tuple[RegionKernelOp, Schedule]:
    module = ptir.parse(case.text)
    first = f"ptir-to-tiny,cse,tiny-split-reductions{{arch={arch}}},form-regions{{arch={arch}}}"
    PassManager(f"{first},plan-regions{{arch={arch} {options}}}").run(module)
    (kernel,) = (op for op in module.body.block.ops if isinstance(op, RegionKernelOp))
    assert kernel.plan is not None
    return kernel, kernel.plan.schedule()


@pytest.mark.campaign
@pytest.mark.parametrize("arch", ARCHS)
def test_long_keys_are_divided_if_few_blocks_would_read_them(arch: str):
    _, plan = planned(Case(1, 65536, 64), arch)
    assert plan.algo_choice == {"attention": "split_kv"} and plan.split > 4
    for case in (Case(1, 512, 64), Case(2048, 2048, 64, heads=16)):
        _, plan = planned(case, arch)
        assert plan.algo_choice == {"attention": "online_softmax"} and plan.split == 1


@pytest.mark.parametrize("arch", ARCHS)
def test_a_split_that_is_asked_for(arch: str):
    _, plan = planned(Case(1, 512, 64), arch, "split=2")
    assert plan.split == 2 and plan.algo_choice == {"attention": "split_kv"}
    _, plan = planned(Case(1, 65536, 64), arch, "split=1")
    assert plan.split == 1
    with pytest.raises(NoPlanFits):
        planned(Case(1, 16, 64), arch, "split=2")


@pytest.mark.parametrize("arch", ARCHS)
def test_an_algorithm_that_is_asked_for(arch: str):
    for name in ("online_softmax", "split_kv", "streaming_softmax_2pass"):
        _, plan = planned(Case(64, 512, 64), arch, f"attention={name}")
        assert plan.algo_choice == {"attention": name}
    _, plan = planned(Case(1, 65536, 64), arch, "attention=online_softmax")
    assert plan.split == 1
    with pytest.raises(BadOptionValue, match="'attention' of 'plan-regions' is 'online'"):
        planned(Case(64, 512, 64), arch, "attention=online")


@pytest.mark.parametrize(
    ("case", "name"),
    [
        (Case(1, 16, 64), "split_kv"),
        (Case(1, 16, 64), "streaming_softmax_2pass"),
    ],
)
def test_an_algorithm_without_a_plan(case: Case, name: str):
    """Keys of one tile have no parts; products of one query are those of a vector, which no kernel has as chained products."""
    with pytest.raises(NoPlanFits, match=f"fits sm90: none has attention = {name}"):
        planned(case, "sm90", f"attention={name}")


def test_queries_that_are_read_from_memory_stay_in_registers():
    """They would be read again for every tile of keys."""
    _, plan = planned(Case(64, 512, 192, rotates="halves"), "sm80")
    assert lefts_in_registers(plan, [192], 1)
    _, plan = planned(Case(64, 512, 192), "sm80")
    assert not lefts_in_registers(plan, [192], 1)


@pytest.mark.parametrize(("queries", "kernels"), [(128, 2), (1, 1)])
def test_many_queries_of_long_keys_are_rotated_before(queries: int, kernels: int):
    module = ptir.parse(Case(queries, 4096, 64, rotates="halves").text)
    PassManager("ptir-to-tiny,cse,form-regions{arch=sm80}").run(module)
    assert sum(isinstance(op, RegionKernelOp) for op in module.body.block.ops) == kernels


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"algo_choice": {"attention": "streaming_softmax_2pass"}}, "algo_choice must have attention ="),
        ({"algo_choice": {"attention": "split_kv"}, "split": 64}, "split must leave no part without one of the"),
    ],
)
def test_an_algorithm_that_cannot_be_had_is_refused(changes: dict[str, object], why: str):
    kernel, plan = planned(Case(1, 512, 64), "sm90")
    kernel.plan = ScheduleAttr(structs.replace(plan, **changes))
    with pytest.raises(PlanMismatch, match="PTIR0302") as error:
        plan_region(Request.of(kernel, "sm90"))
    assert why in str(error.value)


def test_a_split_and_its_algorithm_belong_together():
    _, plan = planned(Case(1, 512, 64), "sm90")
    for changes in ({"split": 2}, {"algo_choice": {"attention": "split_kv"}}):
        with pytest.raises(ValueError, match="split_kv needs a split"):
            structs.replace(plan, **changes)


def test_causal_work_is_balanced():
    """By the numbers of tiles of keys that isl counts; sizes that do not fill the machine keep the program's order."""
    for case, want in (
        (Case(2048, 2048, 64, heads=32, mask="causal"), "down_32"),
        (Case(2048, 2048, 64, heads=32), "row"),
        (Case(512, 512, 64, heads=8, mask="causal"), "row"),
    ):
        assert planned(case, "sm90")[1].order == want


def test_a_kernel_that_spills_gets_a_smaller_tile():
    tiles = [planned(Case(2048, 2048, 64, heads=32), "sm90", f"fallback={n}")[1].tile for n in range(3)]
    assert tiles == [(128, 64, 176), (128, 64, 128), (128, 64, 96)]
