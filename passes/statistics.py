"""`--mlir-pass-statistics`: counts the operations that each pass creates and erases, and the events that the pass itself counts."""

from __future__ import annotations

from collections import Counter
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from xdsl.ir import Operation
from xdsl.passes import ModulePass

from ..analysis.program.statistics import counting
from .manager import Instrumentation, scope_name


@dataclass(frozen=True)
class PassStatistics:
    """
    The statistics of one run of a pass: the number of operations left, created and erased, and what the pass itself counts with
    `analysis.program.statistics.count`.
    """

    name: str
    scope: str
    counts: dict[str, int]


@dataclass
class Statistics(Instrumentation):
    """Collects the statistics of every run of a pass, in order."""

    runs: list[PassStatistics] = field(default_factory=list[PassStatistics])
    _before: set[Operation] = field(default_factory=set[Operation])
    _counting: AbstractContextManager[Counter[str]] | None = None
    _counter: Counter[str] = field(default_factory=Counter[str])

    def before_pass(self, pass_: ModulePass, scope: Operation) -> None:
        self._before = set(scope.walk())
        self._counting = counting()
        self._counter = self._counting.__enter__()

    def after_pass(self, pass_: ModulePass, scope: Operation) -> None:
        after = set(scope.walk())
        counts = {
            "operations": len(after),
            "operations made": len(after - self._before),
            "operations erased": len(self._before - after),
        }
        self.runs.append(PassStatistics(pass_.name, scope_name(scope), counts | dict(sorted(self._counter.items()))))
        self._close()

    def after_failed_pass(self, pass_: ModulePass, scope: Operation, error: BaseException) -> None:
        self._close()

    def _close(self) -> None:
        if self._counting is not None:
            self._counting.__exit__(None, None, None)
            self._counting = None

    # --- reports ----------------------------------------------------------------------------------

    def as_pipeline(self) -> str:
        """Returns the report on every run of a pass, in order."""
        lines = ["// pass statistics"]
        for run in self.runs:
            lines.append(f"// {run.name}{f' on {run.scope}' if run.scope else ''}")
            lines += [f"// {number:9d}  {what}" for what, number in run.counts.items()]
        return "\n".join(lines)

    def as_list(self) -> str:
        """Returns the report on each pass, sorted by name: the sums over all its runs, without the number of operations left."""
        totals: dict[str, Counter[str]] = {}
        for run in self.runs:
            totals.setdefault(run.name, Counter()).update(run.counts)
            del totals[run.name]["operations"]
        lines = ["// pass statistics"]
        for name, counts in sorted(totals.items()):
            lines += [f"// {name}", *(f"// {number:9d}  {what}" for what, number in counts.items())]
        return "\n".join(lines)

    def as_json(self) -> str:
        """Returns a list of `{"pass", "scope", "counts"}`, one for each run."""
        import json

        return json.dumps([{"pass": r.name, "scope": r.scope, "counts": r.counts} for r in self.runs], indent=2)
