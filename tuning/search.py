"""
The search: tries the candidates of each shape set, keeps a record of every trial, and stores the fastest plan.

```
kernels ──▶ shape sets ──▶ candidates ──▶ trials, in parallel ──▶ (on a GPU: measured one at a time) ──▶ the fastest ──▶ the file
               │                              └ those that the file has are not repeated
               └ one kernel, the representative, is tuned for each
```
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version

import msgspec

from ..planning.shape_sets import MAX_SETS, ShapeSet, shape_sets
from ..targets.machines import Machine
from .candidates import COUNT, Candidate, candidates
from .executors import Workers
from .kernels import Tunable
from .store import Key, Store, Trial, Tuned
from .trial import How, Outcome, Task

log = logging.getLogger(__name__)

LIMIT = 120.0
"""Default time within which a trial must answer, in seconds."""


def toolchain() -> str:
    """Returns the versions on which a measurement depends: those of this package and of NVRTC."""
    return " ".join(f"{name} {_version(name)}" for name in ("ptir", "nvidia-cuda-nvrtc"))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "?"


@dataclass(frozen=True)
class Settings:
    """Settings of a search. `count` is the number of candidates, None for all; `again` repeats trials that the file has."""

    machine: Machine
    how: How = "model"
    count: int | None = COUNT
    limit: float = LIMIT
    seed: int = 0
    again: bool = False
    most_sets: int = MAX_SETS


@dataclass(eq=False)
class Problem:
    """A shape set of a kernel, the member that is tuned for it, and what came of each candidate."""

    key: Key
    shapes: ShapeSet
    kernel: Tunable
    candidates: Sequence[Candidate]
    trials: dict[str, Trial] = field(default_factory=dict[str, Trial])
    """The finished trials by their plans."""

    @property
    def name(self) -> str:
        return self.kernel.op.sym_name.data

    @property
    def planned(self) -> Trial | None:
        """The trial of the planner's own plan, the first candidate."""
        return self.trials.get(self.candidates[0].plan.to_json())

    @property
    def best(self) -> Trial | None:
        """The fastest trial; of equals, the one with the lower estimate, then the earlier candidate. None if all were left out."""
        found = [self.trials[c.plan.to_json()] for c in self.candidates if c.plan.to_json() in self.trials]
        timed = [(t.seconds, t.estimate, k) for k, t in enumerate(found) if t.seconds is not None]
        return found[min(timed)[2]] if timed else None


def problems(kernels: Iterable[Tunable], settings: Settings) -> list[Problem]:
    """Returns what is to be tuned: the shape sets of each structure, in the order of the kernels. Raises `NoPlanFits`."""
    structures: dict[Key, list[Tunable]] = {}
    for kernel in kernels:
        structures.setdefault(kernel.key, []).append(kernel)
    found: list[Problem] = []
    for key, same in structures.items():
        histogram = {sizes: sum(k.requests for k in same if k.sizes == sizes) for sizes in {k.sizes for k in same}}
        for shapes in shape_sets(histogram, settings.most_sets):
            members = [k for k in same if shapes.contains(k.sizes)]
            kernel = next(k for k in members if k.sizes == shapes.representative)
            tried = candidates(kernel, members, settings.machine, settings.count)
            found.append(Problem(key, shapes, kernel, tried))
    return found


def search(
    todo: Sequence[Problem],
    store: Store,
    workers: Workers,
    settings: Settings,
    watch: Callable[[Problem, Trial], None] = lambda problem, trial: None,
) -> None:
    """
    Runs the trials that `store` does not have, records each when it is finished, and stores the best plan of each problem. `watch` is
    called with each finished trial, also with those of earlier runs.
    """
    tools, running = toolchain(), dict[Future[Outcome], tuple[Problem, Candidate, bool]]()

    def submit(problem: Problem, candidate: Candidate, how: How) -> None:
        task = Task(
            kernel=str(problem.kernel.module),
            plan=candidate.plan.to_json(),
            machine=settings.machine.name,
            how=how,
            estimate=candidate.estimate,
            seed=settings.seed,
        )
        running[workers.submit(task, settings.limit)] = problem, candidate, how == settings.how

    def finish(problem: Problem, trial: Trial) -> None:
        problem.trials[trial.plan] = trial
        watch(problem, trial)
        if len(problem.trials) == len(problem.candidates) and (best := problem.best) is not None:
            store.put(_tuned(problem, best))

    for problem in todo:
        old = {} if settings.again else store.trials(problem.kernel.region, settings.machine.name, settings.how, tools)
        for candidate in problem.candidates:
            if (known := old.get(candidate.plan.to_json())) is not None:
                finish(problem, known)
            else:
                submit(problem, candidate, "model" if settings.how == "gpu" else settings.how)
    while running:
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            problem, candidate, is_last = running.pop(future)
            outcome = workers.outcome(future)
            if outcome.word == "measured" and not is_last:
                submit(problem, candidate, settings.how)
                continue
            trial = Trial(
                problem.kernel.region,
                settings.machine.name,
                candidate.plan.to_json(),
                settings.how,
                tools,
                outcome.word,
                outcome.reason,
                candidate.estimate,
                outcome.seconds,
                "{}" if outcome.facts is None else msgspec.json.encode(outcome.facts).decode(),
            )
            store.record(trial)
            finish(problem, trial)


def _tuned(problem: Problem, best: Trial) -> Tuned:
    assert best.seconds is not None
    return Tuned(problem.key, problem.shapes, best.plan, best.how, best.toolchain, best.estimate, best.seconds)
