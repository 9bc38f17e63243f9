"""Dependencies are pinned to the tested versions; and a sample of the campaign over the releases of NVRTC."""

from __future__ import annotations

import json
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.nvrtc_versions.__main__ import ROOT, differences, page, pinned
from tests.nvrtc_versions.kernel_facts import KERNELS, facts, opcodes


def test_the_constraints_pin_every_dependency_to_a_release_that_is_allowed():
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pins = {canonicalize_name(name): release for name, release in (s.split("==") for s in lines if s[0] != "#")}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for text in [*project["dependencies"], *project["optional-dependencies"]["test"]]:
        requirement = Requirement(text)
        assert requirement.specifier.contains(pins[canonicalize_name(requirement.name)]), text


@pytest.mark.parametrize("family", KERNELS)
def test_the_installed_release_compiles_a_kernel_of_each_family(family: str):
    found = facts(*KERNELS[family])
    assert found["problem"] is None and found["registers"][0] > 0


def test_opcodes_are_counted_wherever_they_stand():
    ptx = "  // begin\n{\n.reg .pred p;\n@!p bra $L1; { setp.ne.b32 p, %r1, 0; ret; }\n mov.b64 {%r1, %r2}, %rd1;"
    assert opcodes(ptx) == {"bra": 1, "setp.ne.b32": 1, "ret": 1, "mov.b64": 1}


def test_differences_are_those_of_the_counts():
    assert differences({"opcodes": {"a": 1, "b": 2}}, {"opcodes": {"b": 3, "c": 1, "a": 1}}) == {
        "b": "2 to 3",
        "c": "0 to 1",
    }


def test_the_last_run_is_of_the_pinned_release_and_found_no_problem():
    last = max((ROOT / "tests" / "nvrtc_versions" / "results").glob("*.json"))
    report = json.loads(last.read_text("utf-8"))
    assert report["pinned"] == pinned()
    assert not [k for entry in report["releases"] for k in entry["kernels"].values() if k["problem"] is not None]
    assert last.with_suffix(".md").read_text("utf-8") == page(report)
