"""Varying one field of a plan changes the code and the expected counters, but no bit of the result."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

from ptir.dialects.plan.schedule import Schedule
from ptir.errors import PlanMismatch
from tests.grid.check import arrays_of
from tests.grid.fields import POINT, REFUSED, STATED, VARIATIONS, Run, run
from tests.grid.machines import Exact


@cache
def base() -> Run:
    return run({})


def test_the_base_is_right():
    given = arrays_of(POINT, 0, integers=True)
    np.testing.assert_array_equal(base().result, POINT.program(Exact(given)))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", VARIATIONS)
def test_a_field_changes_the_code_and_what_shows_it(name: str):
    row = VARIATIONS[name]
    varied = run(row.changes)
    assert varied.ptx != base().ptx
    assert (varied.cuda != base().cuda) == (name != "arch"), "the CUDA text says nothing of the machine"
    for shows in row.shows:
        assert shows(varied) != shows(base()), f"{row.why}: {shows(varied)}"
    assert varied.result.tobytes() == base().result.tobytes()


@pytest.mark.parametrize("name", STATED)
def test_what_only_states_how_things_are_changes_nothing(name: str):
    assert run(STATED[name]).cuda == base().cuda


@pytest.mark.parametrize("changes", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_honoured_is_refused_by_name(changes: Mapping[str, Any]):
    with pytest.raises(PlanMismatch, match="|".join(changes)):
        run(changes)


def test_no_field_is_forgotten():
    named = {name.split(":")[0].split(".")[0] for name in (*VARIATIONS, *STATED, *REFUSED)}
    of_roles = {"roles", "cluster", "order", "epilogue_tile", "accumulators", "multiprocessors", "rescale_threshold"}
    assert named | of_roles == set(Schedule.__struct_fields__)
