"""
Judges all mutants of some kernels, or a sample of them, in several processes, and counts the verdicts.

The journal is a file of JSON lines: one per mutant, after one with the digest of the kernel's text. A campaign that is started
again is resumed where the journal ends; mutants of a text that has changed since are judged again.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tests import journal

from .judge import UNCOUNTED, Judge
from .kernels import KERNELS
from .operators import Mutant, mutants
from .proofs import proof


@dataclass(frozen=True)
class Result:
    """A mutant and its verdict."""

    mutant: Mutant
    verdict: str
    detail: str
    seconds: float


@dataclass
class Tally:
    """The results of one kernel."""

    kernel: str
    mutants: int
    results: list[Result] = field(default_factory=list[Result])

    @property
    def verdicts(self) -> Counter[str]:
        return Counter(r.verdict for r in self.results)

    @property
    def counted(self) -> list[Result]:
        """The results of mutants that differ from the original after compilation."""
        return [r for r in self.results if r.verdict not in UNCOUNTED]

    @property
    def survivors(self) -> list[Result]:
        return [r for r in self.counted if r.verdict in ("alive", "same trace")]

    def proved(self, result: Result) -> str | None:
        """Returns the proof that a survivor is equivalent, or None."""
        return result.verdict if result.verdict != "alive" else proof(self.kernel, result.mutant)

    @property
    def unproved(self) -> list[Result]:
        return [r for r in self.survivors if self.proved(r) is None]

    @property
    def caught(self) -> int:
        return len(self.counted) - len(self.survivors)

    @property
    def share(self) -> float:
        """The fraction of mutants that are caught, among those that are not proved equivalent."""
        return self.caught / max(1, self.caught + len(self.unproved))


@cache
def judge(kernel: str) -> Judge:
    return Judge(KERNELS[kernel])


def examine(kernel: str, mutant: Mutant) -> Result:
    begin = time.perf_counter()
    verdict, detail = judge(kernel).verdict(mutant.apply(judge(kernel).text))
    return Result(mutant, verdict, detail, round(time.perf_counter() - begin, 2))


def sample(kernel: str, seed: int, limit: int | None) -> list[Mutant]:
    """Returns the kernel's mutants in a random order, at most `limit`."""
    every = mutants(judge(kernel).text)
    random.Random(f"{seed} {kernel}").shuffle(every)
    return every[:limit]


class Campaign:
    """Judges the mutants of `kernels`; `state` is the journal."""

    def __init__(self, kernels: Sequence[str], seed: int, limit: int | None = None, state: Path | None = None):
        self.tallies = {name: Tally(name, len(mutants(judge(name).text))) for name in kernels}
        self._state = state
        self.todo = {name: sample(name, seed, limit) for name in kernels}
        for name in kernels:
            if not judge(name).right:
                raise ValueError(f"kernel {name} is wrong before it is mutated")
        self._resume()

    def _digest(self, kernel: str) -> str:
        return hashlib.sha256(judge(kernel).text.encode()).hexdigest()[:16]

    def _resume(self) -> None:
        if self._state is None or not self._state.exists():
            return
        known: dict[tuple[str, str], dict[str, Any]] = {}
        for entry in journal.read(self._state):
            known[entry["text"], entry["mutant"]] = entry
        for name, waiting in self.todo.items():
            left: list[Mutant] = []
            for m in waiting:
                entry = known.get((self._digest(name), _key(m)))
                if entry:
                    self.tallies[name].results.append(Result(m, entry["verdict"], entry["detail"], entry["seconds"]))
                else:
                    left.append(m)
            self.todo[name] = left

    def run(self, jobs: int = 1) -> Iterator[tuple[str, Result]]:
        """Judges the mutants that the journal does not have, kernel by kernel."""
        for name, waiting in self.todo.items():
            for result in _judged(name, waiting, jobs):
                self.tallies[name].results.append(result)
                entry = {"text": self._digest(name), "mutant": _key(result.mutant), "verdict": result.verdict}
                journal.append(self._state, {**entry, "detail": result.detail, "seconds": result.seconds})
                yield name, result


def _key(m: Mutant) -> str:
    return f"{m.operator} {m.start}-{m.end} {m.new}"


def _judged(kernel: str, waiting: Sequence[Mutant], jobs: int) -> Iterator[Result]:
    if jobs <= 1 or len(waiting) < 2:
        for m in waiting:
            yield examine(kernel, m)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(examine, kernel, m) for m in waiting]):
            yield future.result()
