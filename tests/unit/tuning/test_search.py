"""The search: candidates, the choice of the fastest, what is left out and why, and how a run that was stopped goes on."""

from __future__ import annotations

import json
from argparse import Namespace
from concurrent.futures import CancelledError
from pathlib import Path

import numpy as np
import pytest

from ptir.dialects.plan.schedule import Schedule
from ptir.planning.planner import Planner
from ptir.planning.row_time import memory_clocks
from ptir.runtime.driver import DeviceUnavailable
from ptir.targets.machines import MACHINES
from ptir.tools import ptir_tune
from ptir.tuning import trial as trials
from ptir.tuning.candidates import candidates
from ptir.tuning.errors import ExecutorUnavailable
from ptir.tuning.exchange import COLUMNS, log_rows
from ptir.tuning.executors import Workers, workers
from ptir.tuning.facts import Facts, parts
from ptir.tuning.search import Problem, Settings, problems, search
from ptir.tuning.store import Store, Trial
from ptir.tuning.trial import Outcome, Task

from .builder import A100, ROWS, Here, here, kernels, product


@pytest.fixture(scope="module")
def small() -> list[Problem]:
    return problems(kernels(product(20)), Settings(A100, count=4))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "tuned.sqlite", write=True)


def fresh(found: list[Problem]) -> list[Problem]:
    return [Problem(p.key, p.shapes, p.kernel, p.candidates) for p in found]


@pytest.mark.parametrize(("text", "machine"), [(product(20), "a100"), (product(64, 32, 64), "h100"), (ROWS, "rtx4090")])
def test_candidates_are_legal_and_distinct_and_the_planners_plan_is_the_first(text: str, machine: str):
    (kernel,) = kernels(text, machine=MACHINES[machine])
    planner = Planner(kernel.request(MACHINES[machine]))
    found = candidates(kernel, [kernel], MACHINES[machine], 12)
    plans = [candidate.plan for candidate in found]
    assert len({plan.to_json() for plan in plans}) == len(found) and 2 <= len(found) <= 12
    assert all(map(planner.accepts, plans)) and all(candidate.estimate > 0 for candidate in found)
    template = planner.templates[0]
    assert plans[0] == template.completed(template.ranked()[0])
    if text == ROWS:
        whole = candidates(kernel, [kernel], MACHINES[machine], None)
        assert len(whole) >= len(found) and {p.to_json() for p in plans} <= {c.plan.to_json() for c in whole}


def test_a_plan_is_a_candidate_only_if_all_members_of_the_set_can_have_it(monkeypatch: pytest.MonkeyPatch):
    """Here the other member refuses wide vectors; guards are those of each member's own sizes."""
    first, other = [*kernels(ROWS), *kernels(ROWS.replace("64", "60"))]
    asked: list[Schedule] = []
    accepts = Planner.accepts

    def narrow(planner: Planner, plan: Schedule) -> bool:
        if planner.request.kernel is other.op:
            asked.append(plan)
            return plan.vectorize.width <= 2
        return accepts(planner, plan)

    monkeypatch.setattr(Planner, "accepts", narrow)
    found = candidates(first, [first, other], A100, None)
    assert found and all(c.plan.vectorize.width <= 2 for c in found)
    assert any("n.i.i" in plan.predicate_tail for plan in asked)


def test_kernels_of_one_structure_share_shape_sets():
    found = kernels(product("B"), [({"B": 8}, 5), ({"B": 10}, 90), ({"B": 200}, 1), ({"B": 8}, 2)])
    assert len({k.key for k in found}) == 1 and [(k.sizes[0], k.requests) for k in found] == [
        (8, 7),
        (10, 90),
        (200, 1),
    ]
    tuned = problems(found, Settings(A100, count=2))
    assert [(p.shapes.low[0], p.shapes.high[0], p.shapes.representative[0]) for p in tuned] == [
        (8, 10, 10),
        (200, 200, 200),
    ]
    (other,) = kernels(
        product(8).replace("xf32>", "xf64>").replace("f32 out f32", "f64 out f64").replace("bf16", "f64")
    )
    assert other.key.structure != found[0].key.structure and other.key.types == "f64,f64->f64"


def test_the_fastest_is_stored_and_what_cannot_be_used_is_recorded(small: list[Problem], store: Store):
    words = iter(["hung", "measured", "crashed", "measured"])
    times = iter([3e-6, 2e-6])

    def trial(task: Task) -> Outcome:
        word = next(words)
        return Outcome(word=word, reason="why", seconds=next(times) if word == "measured" else None)  # pyright: ignore[reportArgumentType]

    (problem,) = todo = fresh(small)
    seen: list[Trial] = []
    search(todo, store, here(trial), Settings(A100, "emulator"), lambda _, t: seen.append(t))
    assert sorted(t.outcome for t in seen) == ["crashed", "hung", "measured", "measured"]
    assert problem.best is not None and problem.best.seconds == 2e-6 and problem.planned is not None
    (tuned,) = store.sets(problem.key)
    assert (tuned.plan, tuned.seconds, tuned.how, tuned.shapes) == (problem.best.plan, 2e-6, "emulator", problem.shapes)
    rows = log_rows(problem, seen, A100, header=True).splitlines()
    assert rows[0].split(",") == list(COLUMNS) and len(rows) == 5
    assert rows[1].startswith("f_0,a100,20x24x40,38400,5440,,,emulator,")


def test_nothing_is_stored_if_no_candidate_can_be_used(small: list[Problem], store: Store):
    (problem,) = todo = fresh(small)
    search(todo, store, here(lambda _: Outcome(word="wrong", reason="off")), Settings(A100, "emulator"))
    assert problem.best is None and not store.everything()


def test_a_run_that_was_stopped_goes_on(small: list[Problem], store: Store):
    left = iter([1, 1])

    def stopping(task: Task) -> Outcome:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return Outcome(word="measured", seconds=1e-6)

    def fine(task: Task) -> Outcome:
        return Outcome(word="measured", seconds=1e-6)

    settings = Settings(A100, "emulator")
    with pytest.raises(KeyboardInterrupt):
        for problem in fresh(small):  # one after the other, so that two are recorded
            for candidate in problem.candidates:
                one = Problem(problem.key, problem.shapes, problem.kernel, [candidate])
                search([one], store, here(stopping), settings)
    rest = Here(fine)
    pool = workers_of(rest)
    search(todo := fresh(small), store, pool, settings)
    assert len(rest.tasks) == 2 and len(todo[0].trials) == 4
    search(fresh(small), store, pool, settings)
    assert len(rest.tasks) == 2, "everything is known"
    search(fresh(small), store, pool, Settings(A100, "emulator", again=True))
    assert len(rest.tasks) == 6
    search(fresh(small), store, pool, Settings(A100, "model"))
    assert len(rest.tasks) == 10, "measured in another way"


def workers_of(executor: Here) -> Workers:
    return Workers("processes", executor, executor)


def test_gpu_trials_are_compiled_first_and_measured_by_others(small: list[Problem], store: Store):
    compiling = Here(
        lambda task: Outcome(word="measured" if len(compiling.tasks) > 1 else "spills", seconds=task.estimate)
    )
    measuring = Here(lambda task: Outcome(word="measured", seconds=1e-6))
    search(todo := fresh(small), store, Workers("processes", compiling, measuring), Settings(A100, "gpu"))
    assert [t.how for t in compiling.tasks] == ["model"] * 4 and [t.how for t in measuring.tasks] == ["gpu"] * 3
    assert {t.outcome for t in todo[0].trials.values()} == {"spills", "measured"}
    assert {t.how for t in todo[0].trials.values()} == {"gpu"}


def test_an_exception_of_a_worker_is_a_crash_and_a_lost_cluster_an_error(small: list[Problem], store: Store):
    def dies(task: Task) -> Outcome:
        raise RuntimeError("KilledWorker: three workers died\nmore")

    search(todo := fresh(small), store, here(dies), Settings(A100, "emulator"))
    assert {t.outcome for t in todo[0].trials.values()} == {"crashed"}

    def lost(task: Task) -> Outcome:
        raise CancelledError

    with pytest.raises(ExecutorUnavailable, match="the cluster is lost"):
        search(fresh(small), store, here(lost), Settings(A100, "model"))


# --- one trial --------------------------------------------------------------------------------------


def task_of(problem: Problem, how: str = "emulator") -> Task:
    plan = problem.candidates[0].plan.to_json()
    return Task(kernel=str(problem.kernel.module), plan=plan, machine="a100", how=how, estimate=5e-6)  # pyright: ignore[reportArgumentType]


def test_the_emulator_counts_and_checks(small: list[Problem]):
    outcome = trials.run(task_of(small[0]))
    assert outcome.word == "measured" and outcome.checked and outcome.facts is not None
    facts, (m, n, k) = outcome.facts, small[0].kernel.sizes
    assert facts.emulated == facts.blocks and facts.synchronous and facts.spilled == 0 and facts.registers > 8
    assert facts.tensor["f16"] >= m * n * k and facts.sectors * 32 >= 2 * (m * k + k * n) + 4 * m * n
    assert trials.run(task_of(small[0], "model")).seconds == 5e-6


def test_only_some_blocks_of_a_large_kernel_run(monkeypatch: pytest.MonkeyPatch):
    (problem,) = problems(kernels(product(256, 64, 64)), Settings(A100, count=1))
    whole = trials.run(task_of(problem))
    monkeypatch.setattr(trials, "EMULATED", 256 * 64 * 64 // 2)
    part = trials.run(task_of(problem))
    assert whole.facts is not None and part.facts is not None and part.checked
    assert part.facts.emulated * 2 == whole.facts.emulated == whole.facts.blocks == part.facts.blocks
    assert part.facts.instructions * 2 == whole.facts.instructions and part.seconds == pytest.approx(whole.seconds)
    monkeypatch.setattr(trials, "EMULATED", 10)
    monkeypatch.setattr(trials, "TOO_LARGE", 10)
    assert trials.run(task_of(problem)).word == "too large"


def test_wrong_results_are_found(small: list[Problem], monkeypatch: pytest.MonkeyPatch):
    right = trials.execute

    def wrong(*given: object):
        (y,) = right(*given)  # pyright: ignore[reportArgumentType]
        y = np.array(y)
        y[3, 5] += 1
        return (y,)

    monkeypatch.setattr(trials, "execute", wrong)
    outcome = trials.run(task_of(small[0]))
    assert outcome.word == "wrong" and outcome.reason.startswith("result 0 is wrong at [3, 5]: off by 1, ")


def test_a_plan_that_does_not_compile_is_refused(small: list[Problem]):
    plan = {**small[0].candidates[0].plan.to_dict(), "stages": 8, "tile": [128, 128, 128], "warp_tile": "64x64"}
    task = Task(kernel=str(small[0].kernel.module), plan=json.dumps(plan), machine="a100", how="model", estimate=1.0)
    assert trials.run(task).word == "refused"


def test_the_formula_of_the_time():
    """Twice the blocks that one wave holds take twice as long where blocks decide, and no longer than the memory needs where it does."""
    facts = Facts(
        registers=64,
        spilled=0,
        shared=1000,
        threads=256,
        blocks=108,
        occupancy=1,
        emulated=108,
        instructions=108 * 4000,
    )
    one = parts(facts, A100, 0)
    assert (one.waves, one.issue, one.total) == (1, 1000, 1000 + 1200)
    two = parts(Facts(**{**{f: getattr(facts, f) for f in facts.__struct_fields__}, "blocks": 216}), A100, 0)
    assert two.waves == 2 and two.issue == 2000
    assert parts(facts, A100, 10**9).dram == pytest.approx(memory_clocks(A100, 10**9, 10**6) - 600)


def test_other_executors_are_refused():
    message = r"error\[PTIR0311\]: --executor=slurm: there is no such executor"
    with pytest.raises(ExecutorUnavailable, match=message), workers("slurm"):
        pass


def test_without_a_gpu_the_error_names_other_ways_to_measure(monkeypatch: pytest.MonkeyPatch):
    def no_gpu() -> None:
        raise DeviceUnavailable(reason="there is none")

    monkeypatch.setattr("ptir.runtime.gpu.Gpu", no_gpu)
    asked = Namespace(measure="gpu", executor="processes", machine=None)
    with pytest.raises(DeviceUnavailable, match="--measure=emulator and --measure=model need none"):
        ptir_tune._machine_and_way(asked)  # pyright: ignore[reportPrivateUsage]
    assert ptir_tune._machine_and_way(Namespace(**{**vars(asked), "measure": None})) == (A100, "emulator")  # pyright: ignore[reportPrivateUsage]


def test_an_interrupted_run_says_how_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def interrupted(todo: list[Problem], *rest: object) -> None:
        todo[0].trials["plan"] = Trial("r", "a100", "plan", "model", "t", "measured", "", 1.0, 1.0)
        raise KeyboardInterrupt

    monkeypatch.setattr("ptir.tuning.search.search", interrupted)
    (program := tmp_path / "p.mlir").write_text(product(20), "utf-8")
    with pytest.raises(KeyboardInterrupt):
        ptir_tune._run([str(program), "--measure=model", "--candidates=3", f"--tuned={tmp_path / 't.sqlite'}"])  # pyright: ignore[reportPrivateUsage]
    assert "interrupted: 1 of 3 trials are in" in capsys.readouterr().err
