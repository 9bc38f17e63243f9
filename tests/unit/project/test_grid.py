"""A fixed sample of the proof grid passes; its checks find seeded errors; its covering sets cover all combinations."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from ptir.backends.cuda.errors import KernelSpills
from ptir.emulator.engine.report import Counts, Report
from ptir.errors import InvalidAttributeValue
from ptir.runtime.compile import Program, compile_module
from ptir.runtime.execute import execute
from ptir.targets.machines import MACHINES
from tests.grid import campaign, check
from tests.grid.__main__ import main
from tests.grid.campaign import Campaign, OtherCampaign, markdown, summary
from tests.grid.check import Outcome, arrays_of, examine, judge, judge_integers, text_of
from tests.grid.covering import cover
from tests.grid.grid import grid, sample, schedules
from tests.grid.machines import NUMPY, Bounded, Dot, Exact, Near, Text, tf32, unit
from tests.grid.plans import PLANS, multiprocessors
from tests.grid.points import AXES, DTYPES, EPILOGUES, SHAPES, Point, legal, template

pytestmark = pytest.mark.sampled(4)

# --- the product --------------------------------------------------------------------------------


@pytest.mark.sampled(30)
@pytest.mark.parametrize("point", [*sample(16, seed=4), *sample(28, seed=4, arch="sm90")], ids=str)
def test_a_point(point: Point):
    outcome = examine(point, schedules=schedules(point))
    assert not outcome.problems, f"python -m tests.grid --point '{point}' shows it alone\n{outcome.problems}"


# --- its judges ---------------------------------------------------------------------------------

SMALL = Point("17x19x70", "bf16", "rc", "bias_relu")


def right(point: Point, given: list[Any]) -> Any:
    """Returns a right result of a point."""
    return np.ascontiguousarray(point.program(Exact(given)))


@pytest.mark.parametrize("dtype", [name for name in DTYPES if name != "e4m3_e5m2"])
@pytest.mark.parametrize("epilogue", ["none", "bias_relu", "scale_clamp", "narrow"])
def test_one_unit_more_is_not_the_same_integer(dtype: str, epilogue: str):
    point = replace(SMALL, dtype=dtype, epilogue=epilogue)
    given = arrays_of(point, 0, integers=True)
    got = right(point, given)
    assert not list(judge_integers(point, given, got))
    if got.dtype.kind in "iu":
        got[3, 4] ^= 1
    else:
        got[3, 4] = np.nextafter(got[3, 4], got.dtype.type(np.inf))
    (problem,) = judge_integers(point, given, got)
    assert problem.startswith("1 of 323 elements are wrong, first [3, 4]")


def test_another_type_or_shape_is_wrong():
    given = arrays_of(SMALL, 0, integers=True)
    got = right(SMALL, given)
    assert list(judge_integers(SMALL, given, got.T)) == ["float32 (19, 17) instead of float32 (17, 19)"]
    assert list(judge(SMALL, given, got.astype(np.float64))) == ["float64 (17, 19) instead of float32 (17, 19)"]


@pytest.mark.parametrize("dtype", ["bf16", "f16", "bf16_out", "tf32", "f32", "f64"])
@pytest.mark.parametrize("epilogue", ["none", "gelu_erf", "gelu_tanh", "scale_clamp", "narrow"])
def test_bounds_hold_what_is_right_and_not_twice_as_much_off(dtype: str, epilogue: str):
    point = replace(SMALL, dtype=dtype, epilogue=epilogue)
    given = arrays_of(point, 0, integers=False)
    near = point.program(Bounded(given))
    got = near.value.astype(NUMPY[near.dtype])
    assert not list(judge(point, given, got))
    worst = np.unravel_index(np.argmax(near.off), got.shape)
    got[worst] = near.value[worst] + 2 * near.off[worst] + unit(near.value[worst], near.dtype)
    assert len(list(judge(point, given, got))) == 1
    got[worst] = np.nan
    assert len(list(judge(point, given, got))) == 1


def test_bounds_are_those_of_the_design():
    """`4·√K·2⁻²³·(|A|·|B|)`, and half a unit where 16 bits are stored."""
    given = arrays_of(replace(SMALL, epilogue="none", layout="rr"), 0, integers=False)
    a, b = (np.abs(x.astype(np.float64)) for x in given)
    want = 4 * math.sqrt(70) * 2.0**-23 * (a @ b)
    near = replace(SMALL, epilogue="none", layout="rr").program(Bounded(given))
    np.testing.assert_allclose(near.off.astype(np.float64), want, rtol=1e-12)
    short = replace(SMALL, epilogue="none", layout="rr", dtype="bf16_out").program(Bounded(given))
    half = unit(np.abs(near.value) + near.off, "bf16") / 2
    np.testing.assert_allclose((short.off - half).astype(np.float64), want, rtol=1e-12)


@pytest.mark.parametrize("fn", ["add", "sub", "mul", "maximum", "minimum", "erf", "tanh"])
def test_intervals_hold_what_any_operand_of_theirs_gives_and_little_more(fn: str):
    rng = np.random.default_rng(0)
    x, y = (Near(rng.standard_normal(500).astype(np.longdouble), rng.random(500) * 0.01, "f32") for _ in "xy")
    on, erf = Bounded([]), np.vectorize(math.erf)
    near = on.unary(fn, x) if fn in ("erf", "tanh") else on.binary(fn, x, y)
    reached = np.zeros(500)
    for i, j in product((-1, 1), (-1, 1)):
        a, b = (x.value + i * x.off).astype(np.float64), (y.value + j * y.off).astype(np.float64)
        want = {
            "add": a + b, "sub": a - b, "mul": a * b, "maximum": np.maximum(a, b), "minimum": np.minimum(a, b),
            "erf": erf(a), "tanh": np.tanh(a),
        }[fn]  # fmt: skip
        reached = np.maximum(reached, np.abs(want - near.value) / near.off)
    assert 0.9 < reached.max() < 1 + 1e-9


def test_an_unsure_choice_admits_both_sides():
    on = Bounded([])
    x = Near(np.array([1.0, 2.0], np.longdouble), np.array([0.5, 0.5], np.longdouble), "f32")
    low = on.number(1.25, x)
    clamped = on.select(on.less(x, low), low, x)
    assert clamped.value.tolist() == [1.25, 2.0] and clamped.off.tolist() == [0.75, 0.5]


@pytest.mark.parametrize(
    ("x", "dtype", "step"), [(1.0, "f32", -23), (0.75, "bf16", -8), (0.0, "f16", -24), (3, "f64", -51)]
)
def test_units(x: float, dtype: str, step: int):
    assert unit(np.longdouble(x), dtype) == 2.0**step


def test_tf32_rounds_ties_away():
    assert tf32(np.array([1 + 2**-11, -1 - 2**-11, 1 + 2**-12])).tolist() == [1 + 2**-10, -1 - 2**-10, 1]


def test_layouts_are_the_same_product():
    rng = np.random.default_rng(0)
    a, b = rng.integers(-9, 9, (2, 3, 5)), rng.integers(-9, 9, (2, 5, 4))
    for left, right_ in product((0, 1), (0, 1)):
        x, y = a if left else a.swapaxes(1, 2), b.swapaxes(1, 2) if right_ else b
        got = Exact([]).dot(x, y, Dot(1, (left, right_), "i32", "i32"))
        np.testing.assert_array_equal(got, np.einsum("bmk,bkn->bmn", a, b))
        text = Text()
        text.dot(text.argument(x.shape, "i8"), text.argument(y.shape, "i8"), Dot(1, (left, right_), "i32", "i32"))
        assert f"batch [0] x [0] contract [{1 + left}] x [{1 + right_}]" in text.lines[0]
        assert text.lines[0].endswith("tensor<2x3x4xi32>")


def test_integers_stay_below_the_limit():
    for shape, dtype in product(SHAPES, ("bf16", "f16", "tf32", "f32")):
        p = Point(shape, dtype, "rr", "none")
        a, b = (float(np.abs(x.astype(np.float32)).max()) for x in arrays_of(p, 0, integers=True)[:2])
        assert a * b * p.sizes.k < 2**24


def test_bank_conflicts_are_a_problem(monkeypatch: pytest.MonkeyPatch):
    point = Point("32x48x128", "bf16", "rr", "none", "unswizzled")
    assert not examine(point).problems
    monkeypatch.setitem(check.PLANS, "unswizzled", replace(PLANS["unswizzled"], conflicts=False))
    assert any("bank conflicts" in problem for problem in examine(point).problems)


def test_more_wavefronts_than_bytes_are_a_problem_where_tiles_are_whole():
    """Eight bytes a lane: two wavefronts a warp; one is a broadcast, three are not what whole rows need."""
    point = Point("32x48x128", "bf16", "rr", "none")
    for wavefronts, tail, want in ((20, (), 0), (10, (), 0), (30, (), 1), (30, ("m.i.i",), 0)):
        counts = Counts(lanes=320, wavefronts=wavefronts, bytes=Counter(shared_load=2560))
        report = Report(by_opcode={"ld.shared.b64": counts})
        outcome = Outcome({}, plan={"predicate_tail": tail})
        assert len(list(check.counter_problems(point, [report], outcome))) == want
        assert outcome.ideal == (not tail)


def test_other_bits_under_another_schedule_are_a_problem(monkeypatch: pytest.MonkeyPatch):
    def flaky(program: Any, given: Any, device: Any) -> Any:
        (result,) = execute(program, given, device)
        if device.seed == 2:
            result[0, 0] += 1
        return (result,)

    monkeypatch.setattr(check, "execute", flaky)
    assert examine(SMALL, schedules=(1, 2)).problems == ["schedule 2 gives other bits"]


@pytest.mark.parametrize(("plan", "tries"), [("scalar", 3), ("tile64", 1)])
def test_a_plan_that_spills_is_made_again_where_there_is_a_smaller_one(
    plan: str, tries: int, monkeypatch: pytest.MonkeyPatch
):
    seen: list[ModuleOp] = []

    def spilling(module: ModuleOp, *args: Any, **kwargs: Any) -> Program:
        seen.append(module.clone())
        if len(seen) < 3:
            raise KernelSpills(kernel="f_0", bytes=4, registers=255, help="a smaller tile")
        return compile_module(module, *args, **kwargs)

    monkeypatch.setattr(check, "compile_module", spilling)
    problems = examine(Point("150x70x130", "bf16", "rr", "none", plan)).problems
    assert len(seen) == tries and bool(problems) == (tries == 1)
    assert len({str(module) for module in seen}) == tries


def test_errors_and_crashes_are_problems(monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: Any) -> Any:
        raise InvalidAttributeValue(name="x", problem="is y", help="z")

    monkeypatch.setattr(check, "planned", refuse)
    assert examine(SMALL).problems[0].startswith("InvalidAttributeValue: PTIR")
    monkeypatch.setattr(check, "planned", lambda *_: 1 / 0)
    assert examine(SMALL).problems == ["crash: ZeroDivisionError: division by zero"]


def test_spills_many_registers_and_the_wrong_machine_are_problems(monkeypatch: pytest.MonkeyPatch):
    def spoilt(*args: Any, **kwargs: Any) -> Program:
        program = compile_module(*args, **kwargs)
        used = {name: replace(k, spill_stores=4, registers=256) for name, k in program.binary.kernels.items()}
        ptx = program.binary.ptx.replace(".target sm_80", ".target sm_81").replace("add.rn.f32", "add.f32")
        return replace(program, binary=replace(program.binary, kernels=used, ptx=ptx))

    monkeypatch.setattr(check, "compile_module", spoilt)
    assert examine(SMALL).problems == [
        "the PTX is not for sm_80",
        "add.f32 names no rounding: ptxas may fuse it",
        "f_0 spills 4 and 0 bytes",
        "f_0 takes 256 registers",
    ]


def test_what_the_emulator_reports_is_a_problem(monkeypatch: pytest.MonkeyPatch):
    """A kernel without its barriers."""

    def spoilt(*args: Any, **kwargs: Any) -> Program:
        program = compile_module(*args, **kwargs)
        lines = [line for line in program.binary.ptx.splitlines() if "bar.sync" not in line]
        return replace(program, binary=replace(program.binary, ptx="\n".join(lines)))

    monkeypatch.setattr(check, "compile_module", spoilt)
    (problem,) = examine(replace(SMALL, plan="tile64")).problems
    assert "race" in problem.lower()


# --- its points ---------------------------------------------------------------------------------


def test_a_covering_set_covers_every_legal_pair():
    axes = {"a": ("0", "1", "2"), "b": ("0", "1", "2", "3"), "c": ("0", "1"), "d": ("0", "1", "2")}

    def allowed(row: tuple[str, ...]) -> bool:
        return not (row[0] == "2" and row[1] == "3") and not (row[2] == "1" and row[3] == "0")

    rows = cover(axes, allowed)
    everything = [row for row in product(*axes.values()) if allowed(row)]
    assert all(map(allowed, rows)) and len(rows) < len(everything) // 2
    for i, j in combinations(range(4), 2):
        assert {(r[i], r[j]) for r in rows} == {(r[i], r[j]) for r in everything}
    assert cover(axes, allowed, given=rows) == []
    assert rows == cover(axes, allowed) != cover(axes, allowed, seed=1)


@pytest.mark.campaign
@pytest.mark.parametrize("arch", ["sm80", "sm90"])
def test_the_grid_has_what_it_says(arch: str):
    points, values = grid(arch=arch), template(arch)
    assert len(points) == len(set(points)) and all(map(legal, points))
    assert all(getattr(p, axis) in values[axis] for p in points for axis in AXES)
    for axis, other in combinations(AXES, 2):
        pairs = {(getattr(p, axis), getattr(p, other)) for p in points}
        missing = set(product(values[axis], values[other])) - pairs
        assert all(not _exists(values, axis, a, other, b) for a, b in missing)


def _exists(values: Mapping[str, tuple[str, ...]], axis: str, a: str, other: str, b: str) -> bool:
    chosen = {**values, axis: (a,), other: (b,)}
    return any(legal(Point(*row)) for row in product(*chosen.values()))


@pytest.mark.campaign
def test_small_shapes_have_every_program():
    points = set(grid())
    for shape, dtype, epilogue in product(("1x2x1", "17x19x70"), template("sm80")["dtype"], EPILOGUES):
        if legal(Point(shape, dtype, "rr", epilogue)):
            assert Point(shape, dtype, "cct", epilogue) in points


def test_plans_with_roles_are_for_what_wgmma_multiplies():
    assert legal(Point("17x19x70", "e4m3", "rr", "none", "two", "sm90"))
    assert not legal(Point("17x19x70", "e4m3", "rr", "none", "own", "sm90"))
    assert not legal(Point("17x19x70", "f64", "rr", "none", "two", "sm90"))
    assert not legal(Point("17x19x70", "bf16", "rr", "none", "two", "sm80"))
    assert not legal(Point("17x19x70", "bf16", "rr", "none", "roles_serial3", "sm90"))


def test_blocks_are_as_many_as_the_plan_says():
    before = dict(MACHINES)
    with multiprocessors(3):
        assert {m.multiprocessors for m in MACHINES.values()} == {3}
    assert before == MACHINES


@pytest.mark.parametrize(("arch", "count"), [("sm80", 24), ("sm90", 36)])
def test_the_sample_has_every_plan_dtype_and_layout(arch: str, count: int):
    points = sample(count, 4, arch)
    assert points == sample(count, 4, arch) and len(set(points)) == count
    for axis in ("plan", "dtype", "layout", "epilogue", "arch"):
        assert {getattr(p, axis) for p in points} == set(template(arch)[axis])


def test_text_is_what_the_point_says():
    assert text_of(Point("2x5x33x17x40", "tf32", "cct", "none")).splitlines()[1:-2] == [
        "  %0 = ptir.dot_general %a0, %a1 batch [0, 1] x [0, 1] contract [2] x [3] accum f32 out f32 precision tf32"
        " : (tensor<2x5x40x33xf32>, tensor<2x5x17x40xf32>) -> tensor<2x5x33x17xf32>",
        "  %1 = ptir.transpose %0 [0, 1, 3, 2] : tensor<2x5x33x17xf32> -> tensor<2x5x17x33xf32>",
    ]


# --- its campaign -------------------------------------------------------------------------------


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> list[Point]:
    """Replaces the examination of points: those with f64 fail. Returns the list of examined points."""
    seen: list[Point] = []

    def pretend(point: Point, seed: int, **_: Any) -> Outcome:
        seen.append(point)
        names = {axis: str(getattr(point, axis)) for axis in AXES}
        return Outcome(
            names, [f"wrong | so {len(seen)}"] if point.dtype == "f64" else [], registers=40, ideal=True, seconds=1.0
        )

    monkeypatch.setattr(campaign, "examine", pretend)
    return seen


def test_a_campaign_goes_on_where_it_was_stopped(tmp_path: Path, quick: list[Point]):
    points, journal = sample(24, seed=4), tmp_path / "journal"
    Campaign(points[:10], 4, journal).run()
    journal.write_text(journal.read_text()[:-20])  # killed while it wrote the tenth
    again = Campaign(points, 4, journal)
    assert len(again.done) == 9
    again.run()
    assert quick == points[:10] + points[9:]
    with pytest.raises(OtherCampaign):
        Campaign(points, 5, journal)


def test_the_report_counts_and_names_failures(tmp_path: Path, quick: list[Point], capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "grid.json"
    assert main(["--sample", "24", "--seed", "4", "--report", str(file)]) == 1
    report, text = json.loads(file.read_text()), file.with_suffix(".md").read_text()
    failed = [p for p in quick if p.dtype == "f64"]
    assert report["total"]["points"] == 24 and report["total"]["passed"] == 24 - len(failed)
    assert [f["point"]["dtype"] for f in report["failures"]] == ["f64"] * len(failed)
    assert (
        f"| {len(failed)} | wrong \\| so # | {failed[0]} |" in text
        and f"| f64 | {len(failed)} | 0 | 40 | {len(failed)} |" in text
    )
    assert capsys.readouterr().out == text


def test_a_part_of_the_grid(quick: list[Point], capsys: pytest.CaptureFixture[str]):
    assert main(["--filter", "dtype=ui8,arch=sm90"]) == 0
    assert quick and {(p.dtype, p.arch) for p in quick} == {("ui8", "sm90")}
    for wrong in ("dtype=f8", "color=red"):
        with pytest.raises(SystemExit):
            main(["--filter", wrong])
    assert "is no axis=value" in capsys.readouterr().err


def test_summaries_of_nothing():
    assert "0 points" in markdown(summary(Campaign([])))
