"""`ptir.compile` finds tuned plans, adapts their guards, and refuses those that are damaged, stale or illegal with a warning."""

from __future__ import annotations

import dataclasses
import logging
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.gpu import FuncOp

import ptir
from ptir.backends.cuda.emit import CudaText
from ptir.backends.cuda.nvrtc import Binary, Resources
from ptir.backends.cuda.resources import plan_of
from ptir.dialects.plan.schedule import Schedule
from ptir.errors import PlanMismatch, WrongType
from ptir.planning.planner import Planner
from ptir.planning.shape_sets import ShapeSet
from ptir.runtime import compile as compile_
from ptir.runtime.tuned_file import default_path
from ptir.tuning.candidates import candidates
from ptir.tuning.errors import NotATunedFile
from ptir.tuning.exchange import export_json, import_json
from ptir.tuning.kernels import Tunable
from ptir.tuning.lookup import TunedPlans, usable
from ptir.tuning.store import Store, Tuned

from .builder import A100, kernels, product


@pytest.fixture(scope="module")
def kernel() -> Tunable:
    (found,) = kernels(product(20))
    return found


@pytest.fixture(scope="module")
def other(kernel: Tunable) -> Schedule:
    """A legal plan that is not the planner's."""
    found = [c.plan for c in candidates(kernel, [kernel], A100, 4)]
    return next(plan for plan in found if plan.tile != found[0].tile)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tuned.sqlite"


def put(path: Path, kernel: Tunable, plan: str, sizes: tuple[int, ...] | None = None) -> None:
    box = kernel.sizes if sizes is None else sizes
    with Store(path, write=True) as store:
        store.put(Tuned(kernel.key, ShapeSet(box, box, box), plan, "model", "t", 1.0, 1.0))


def planned(text: str, **options: object) -> list[Schedule]:
    """Returns the plans with which a program is compiled."""
    module = ptir.compile(text, **options).program.module  # pyright: ignore[reportArgumentType]
    return [plan for op in module.walk() if isinstance(op, FuncOp) and (plan := plan_of(op)) is not None]


def test_a_tuned_plan_is_used_by_argument_and_by_variable(
    path: Path, kernel: Tunable, other: Schedule, monkeypatch: pytest.MonkeyPatch
):
    put(path, kernel, other.to_json())
    (own,) = planned(product(20), tuned=False)
    assert own != other and planned(product(20), tuned=path) == planned(product(20), tuned=str(path)) == [other]
    monkeypatch.setenv("PTIR_TUNED", str(path))
    assert planned(product(20)) == [other] and planned(product(20), tuned=False) == [own]
    assert planned(product(20), arch="sm90") != [other], "another machine"
    monkeypatch.setenv("PTIR_TUNED", "")
    assert planned(product(20)) == [own]


def test_the_default_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.delenv("PTIR_TUNED", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_path() == tmp_path / "ptir" / "tuned.sqlite"
    monkeypatch.delenv("XDG_DATA_HOME")
    assert default_path() == Path.home() / ".local" / "share" / "ptir" / "tuned.sqlite"


def test_other_sizes_use_the_nearest_set_with_guards_of_their_own(path: Path, kernel: Tunable, other: Schedule):
    put(path, kernel, other.to_json())
    (found,) = planned(product(16 * 2), tuned=path)
    assert found.tile == other.tile and found.predicate_tail != other.predicate_tail
    assert planned(product(400), tuned=path) == planned(product(400), tuned=False), "too far"


def widened(plan: Schedule) -> str:
    return plan.to_json().replace('"tile":', '"tile_of":')


BAD: dict[str, tuple[Callable[[Schedule], str], str]] = {
    "another schema": (widened, "invalid plan: unknown field 'tile_of'"),
    "no plan": (lambda plan: '["exec"]', "a tuned plan of @f_0 is refused"),
    "broken": (lambda plan: plan.to_json()[:-5], "a tuned plan of @f_0 is refused"),
    "statements that are no plan": (lambda plan: "import os", "a tuned plan of @f_0 is refused"),
    "another architecture": (lambda plan: plan.to_json().replace("sm80", "sm86"), "it is for sm86"),
    "illegal": (lambda plan: plan.to_json().replace("{", '{"epilogue":["bias"],', 1), "'bias'"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_plan_that_cannot_be_used_is_refused(
    what: str, path: Path, kernel: Tunable, other: Schedule, caplog: pytest.LogCaptureFixture
):
    make, message = BAD[what]
    assert make(other) != other.to_json()
    put(path, kernel, make(other))
    with caplog.at_level(logging.WARNING):
        assert TunedPlans(path, A100)(kernel.op) is None
    assert message in caplog.text and "a tuned plan of @f_0 is refused" in caplog.text


def test_after_an_illegal_plan_the_next_set_is_tried(
    path: Path, kernel: Tunable, other: Schedule, caplog: pytest.LogCaptureFixture
):
    put(path, kernel, other.to_json(), (30, 24, 40))
    put(path, kernel, other.to_json().replace("sm80", "sm86"))
    assert planned(product(20), tuned=path) == [other] and "it is for sm86" in caplog.text


def test_a_plan_with_which_the_kernel_spills_is_dropped(
    path: Path, kernel: Tunable, other: Schedule, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    """ptxas' report is made up: it says that the tuned plan spills."""
    put(path, kernel, other.to_json())
    spilled = {"f_0": Resources(registers=255, spill_stores=8, spill_loads=8)}
    right = compile_.compile_text

    def spilling(cuda: CudaText, *given: Any, **named: Any) -> Binary:
        tiles = [plan.tile for op in cuda.kernels.values() if (plan := plan_of(op)) is not None]
        binary = right(cuda, *given, **named)
        return dataclasses.replace(binary, kernels=spilled) if tiles == [other.tile] else binary

    monkeypatch.setattr(compile_, "compile_text", spilling)
    assert planned(product(20), tuned=path) == planned(product(20), tuned=False)
    assert "the tuned plan of @f_0 is dropped: @f_0 spills 8 bytes" in caplog.text

    def failing(cuda: CudaText, *given: Any, **named: Any) -> Binary:
        tiles = [plan.tile for op in cuda.kernels.values() if (plan := plan_of(op)) is not None]
        if tiles == [other.tile]:
            raise PlanMismatch(kernel="f_0", problem="no", help="")
        return right(cuda, *given, **named)

    monkeypatch.setattr(compile_, "compile_text", failing)
    assert planned(product(20), tuned=path) == planned(product(20), tuned=False)
    assert "the tuned plans are dropped: the plan of @f_0 does not fit it: no" in caplog.text


def test_files_that_cannot_be_read(path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(NotATunedFile, match="there is no such file"):
        ptir.compile(product(20), tuned=path)
    path.write_bytes(b"nothing" * 1000)
    with pytest.raises(NotATunedFile, match="file is not a database"):
        ptir.compile(product(20), tuned=path)
    monkeypatch.setenv("PTIR_TUNED", str(path))
    ptir.compile(product(20))
    assert "tuned plans are not used" in caplog.text
    with pytest.raises(WrongType):
        ptir.compile(product(20), tuned=3)  # pyright: ignore[reportArgumentType]


def test_calls_with_dynamic_sizes_are_counted(path: Path, monkeypatch: pytest.MonkeyPatch):
    Store(path, write=True).close()
    program = ptir.compile(product("B"), tuned=path, device=ptir.Emulator())
    w = np.ones((40, 24), ml_dtypes.bfloat16)
    for rows in (3, 3, 5):
        program(np.ones((rows, 40), ml_dtypes.bfloat16), w)
    assert program.requests == {"B=3": 2, "B=5": 1}  # pyright: ignore[reportAttributeAccessIssue]
    del program
    counted = sqlite3.connect(path).execute("SELECT sizes, count FROM requests ORDER BY sizes").fetchall()
    assert counted == [("B=3", 2), ("B=5", 1)]


def test_plans_are_exported_and_imported(path: Path, kernel: Tunable, other: Schedule):
    put(path, kernel, other.to_json())
    put(path, replace(kernel, key=replace(kernel.key, structure="x")), other.to_json(), (1, 2, 3))
    with Store(path) as store:
        found = store.everything()
    text = export_json(found)
    assert [replace(t, plan="") for t in import_json(text, "t.json")] == [replace(t, plan="") for t in found]
    assert [usable(t.plan, Planner(kernel.request(A100))) for t in import_json(text, "t")] == [other, other]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"a100"', '"z9"', r"t:2:\d+: error\[PTIR0313\]: there is no such machine"),
        ('"low":[20,', '"low":[21,', r"t:2:\d+: error\[PTIR0313\]: these sizes are no box"),
        ('"low":[20,24,40]', '"low":[20,24]', r"t:2:\d+: error\[PTIR0313\]: these sizes are no box"),
        ('"tile":[', '"tiles":[', r"t:2:\d+: error\[PTIR0483\]: invalid plan: unknown field 'tiles'"),
        ('"how":"model"', '"how":"magic"', r"t:2:\d+: error\[PTIR0641\]"),
        ('"requests":1', '"requests":-1', r"t:2:\d+: error\[PTIR0641\]"),
        ("]}", "]", r"t:\d+:\d+: error\[PTIR0640\]"),
    ],
)
def test_what_is_wrong_in_an_imported_text_is_located(
    kernel: Tunable, other: Schedule, old: str, new: str, message: str
):
    box = ShapeSet(kernel.sizes, kernel.sizes, kernel.sizes)
    text = export_json([Tuned(kernel.key, box, other.to_json(), "model", "t", 1.0, 1.0)])
    assert old in text
    with pytest.raises(ptir.PtirError, match=message):
        import_json(new.join(text.rsplit(old, 1)), "t")
