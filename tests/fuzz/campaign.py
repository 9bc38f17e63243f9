"""
A fuzzing campaign: examines one mutant after the other, keeps a journal from which it can be resumed, and writes the report.

The journal is a file of JSON lines. The first line has the seed and the digest of the corpus. Each mutant has one line when it
is started and another one when it is done. If a mutant was started but never done, it crashed the process, or was stopped with
it. It is examined once more; if that happens again, it is a finding.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests import journal

from .check import Examiner, Verdict
from .corpus import digest
from .findings import Finding
from .minimise import minimise
from .mutate import Mutant, Mutator


class OtherCampaign(Exception):
    """Raised if the journal belongs to another seed or corpus."""


@dataclass
class Totals:
    """Counts over all mutants that are done. `found` maps each signature to its first finding, with the smallest text."""

    mutants: int = 0
    parsed: int = 0
    reached: int = 0
    passes: dict[str, Counter[str]] = field(default_factory=dict[str, "Counter[str]"])
    kinds: Counter[str] = field(default_factory=Counter[str])
    found: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])

    @property
    def share(self) -> float:
        """The fraction of mutants that reached the passes and differ from the program that they were made from."""
        return self.reached / self.mutants if self.mutants else 0.0

    @property
    def failures(self) -> list[dict[str, Any]]:
        return [entry for entry in self.found.values() if entry["kind"] != "upstream"]

    @property
    def upstream(self) -> list[dict[str, Any]]:
        return [entry for entry in self.found.values() if entry["kind"] == "upstream"]

    def add(self, done: dict[str, Any]) -> None:
        """Adds one line of the journal to the counts."""
        self.mutants += 1
        self.parsed += done["parsed"]
        self.reached += done["reached"]
        for name, outcome in done["passes"].items():
            self.passes.setdefault(name, Counter())[outcome] += 1
        for finding in done["findings"]:
            self.kinds[finding["kind"]] += 1
            entry = self.found.setdefault(finding["signature"], {**finding, "index": done["index"], "count": 0})
            entry["count"] += 1


@dataclass
class Campaign:
    """Examines the mutants of `mutator` and counts the outcomes. With a `journal`, a campaign that was stopped is resumed."""

    mutator: Mutator
    examiner: Examiner = field(default_factory=Examiner)
    journal: Path | None = None
    tries: int = 400
    """Maximum number of attempts to minimize the text of a new signature; 0 leaves texts as they are."""
    totals: Totals = field(default_factory=Totals)
    next_index: int = 0
    _begun: list[int] = field(default_factory=list[int])

    def __post_init__(self) -> None:
        if self.journal is None:
            return
        head = {"seed": self.mutator.seed, "corpus": digest(self.mutator.programs)}
        if not self.journal.exists():
            journal.append(self.journal, head)
            return
        lines = journal.read(self.journal)
        if not lines or lines[0] != head:
            raise OtherCampaign(f"{self.journal} is about {lines[0] if lines else 'nothing'}, this is {head}")
        for line in lines[1:]:
            if "begun" in line:
                self._begun.append(line["begun"])
            else:
                self.totals.add(line)
                self.next_index = line["index"] + 1
        if self._begun.count(self.next_index) > 1:
            self._finish(self.mutator.mutant(self.next_index), Verdict(findings=[_DIED]))

    def step(self) -> dict[str, Any]:
        """Examines the next mutant. Returns its line of the journal."""
        journal.append(self.journal, {"begun": self.next_index})
        mutant = self.mutator.mutant(self.next_index)
        return self._finish(mutant, self.examiner.examine(mutant.text))

    def _finish(self, mutant: Mutant, verdict: Verdict) -> dict[str, Any]:
        done = {
            "index": mutant.index,
            "origin": mutant.origin.name,
            "edits": mutant.edits,
            "parsed": verdict.reached is not None,
            "reached": verdict.reached not in (None, mutant.origin.generic),
            "passes": verdict.passes,
            "findings": [self._describe(mutant, finding) for finding in verdict.findings],
        }
        journal.append(self.journal, done)
        self.totals.add(done)
        self.next_index = mutant.index + 1
        return done

    def _describe(self, mutant: Mutant, finding: Finding) -> dict[str, Any]:
        if finding.signature in self.totals.found:
            return {"kind": finding.kind, "stage": finding.stage, "signature": finding.signature}

        def fails(text: str) -> bool:
            found = self.examiner.examine(text, finding.stage).findings
            return any(f.signature == finding.signature for f in found)

        tries = 0 if finding is _DIED else self.tries // 20 if finding.kind == "hang" else self.tries
        return {**asdict(finding), "text": minimise(mutant.text, fails, tries) if tries else mutant.text}


_DIED = Finding("hang", "process", "process: died or was killed", "the process ended twice while it examined this")
