"""
Examines one text: parses and verifies it, prints it and parses that again, and runs each pass on it.

Any stage may reject a text with a message and a location. A `Finding` is an outcome that must not occur: a Python exception that
is not a diagnostic, a stage that exceeds the time limit, IR that does not verify after a pass, a message without a location, or a
printed text that parses to another program. A crash that does not involve ptir's code is `upstream`: a bug of xDSL, which ptir
must still report properly.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from types import FrameType
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from ptir.backends.cuda.emit import print_cuda
from ptir.backends.pto.emit import print_pto
from ptir.diagnostics.diagnostic import LogDiagnostics
from ptir.diagnostics.rendering import render
from ptir.passes.environment import make_context
from ptir.passes.manager import PassManager
from ptir.passes.pipeline import PipelineElement
from ptir.passes.registry import PASSES
from ptir.text.errors import RoundTripFailed
from ptir.text.parsing import parse_text
from ptir.text.roundtrip import check_round_trip
from ptir.text.verify import verify_module
from ptir.text.writing import print_module

from .findings import Finding, TookTooLong, findings_of, lost

Pipelines = Mapping[str, str | list[PipelineElement]]

PIPELINES: Pipelines = {
    **{name: name for name in PASSES},
    "plan-regions": "plan-regions{arch=sm80}",
    **{name: name for name in ("canonicalize", "cse", "dce")},
    "ptir-to-cuda": "ptir-to-cuda{arch=sm80}",
}
"""The pipelines that run on copies of each program that verifies."""

_PTO_TARGETS = ("a3", "a5")
PTO_PIPELINES: Pipelines = {
    **{name: name for name in ("pto-canonicalize", "pto-canonicalize-views", "pto-pipeline", "pto-insert-events", "pto-to-nv")},
    **{f"{name} {t}": f"{name}{{target={t}}}"
       for name in ("pto-infer-tile-info", "pto-bufferize", "pto-legalize", "pto-check-legality") for t in _PTO_TARGETS},
    "pto-check-legality sm90": "pto-check-legality{target=sm90}",
    **{f"pto-cpp {t}": "" for t in _PTO_TARGETS},
    **{f"all, pto-cpp {t}": f"pto-canonicalize,pto-canonicalize-views,pto-legalize{{target={t}}},pto-infer-tile-info{{target={t}}},"
       f"pto-pipeline,pto-bufferize{{target={t}}},pto-insert-events" for t in _PTO_TARGETS},
}  # fmt: skip
"""The pipelines for programs of `pto`: each pass, the printer, and the printer after all passes."""

PRINTERS: Mapping[str, Callable[[ModuleOp], str]] = {
    "ptir-to-cuda": print_cuda,
    **{f"{way}pto-cpp {t}": lambda m, t=t: print_pto(m, t) for t in _PTO_TARGETS for way in ("", "all, ")},
}
"""How the result of a pipeline is also printed."""


@dataclass
class Verdict:
    """The outcome for a text. `reached` is its generic form if it verifies; `sound` says whether it parses back unchanged."""

    reached: str | None = None
    sound: bool = False
    passes: dict[str, Literal["passed", "refused", "failed"]] = field(default_factory=dict)  # pyright: ignore[reportUnknownVariableType]
    findings: list[Finding] = field(default_factory=list[Finding])


@dataclass(frozen=True)
class Examiner:
    """Examines texts. `limit` is the processor time per stage in seconds, which does not depend on the load of the machine."""

    pipelines: Pipelines = field(default_factory=lambda: PIPELINES)
    limit: float = 5.0

    @cached_property
    def ctx(self) -> Context:
        return make_context()

    def examine(self, text: str, only: str | None = None) -> Verdict:
        """Runs all stages that a text reaches; with `only`, just one of the pipelines."""
        verdict = Verdict()
        read: list[ModuleOp] = []
        if not self._stage(verdict, "read", lambda: read.append(self._read(text))):
            return verdict
        (module,) = read
        verdict.sound = self._stage(verdict, "read again", lambda: self._reread(verdict, module))
        for name, pipeline in self.pipelines.items():
            if only is None or name == only:
                before = len(verdict.findings)
                done = self._stage(verdict, name, lambda n=name, p=pipeline: self._run(verdict, n, p, module))
                failed = len(verdict.findings) > before
                verdict.passes[name] = "failed" if failed else "passed" if done else "refused"
        return verdict

    def _read(self, text: str) -> ModuleOp:
        module = parse_text(text, self.ctx, "mutant.mlir")
        verify_module(module)
        return module

    def _reread(self, verdict: Verdict, module: ModuleOp) -> None:
        verdict.reached = print_module(module, generic=True)
        self._check_round_trip(module)

    def _run(self, verdict: Verdict, name: str, pipeline: str | list[PipelineElement], original: ModuleOp) -> None:
        module = original.clone()
        PassManager(pipeline, self.ctx, verify_input=False).run(module)
        if verdict.sound and print_module(module, generic=True) != verdict.reached:
            self._check_round_trip(module)
        if name in PRINTERS:
            PRINTERS[name](module)

    def _check_round_trip(self, module: ModuleOp) -> None:
        try:
            check_round_trip(module, self.ctx)
        except RoundTripFailed as e:
            raise Lost(e, module) from e

    def _stage(self, verdict: Verdict, stage: str, action: Callable[[], None]) -> bool:
        """Runs one stage and adds its findings to the verdict. Returns whether it succeeded."""
        log = LogDiagnostics()
        try:
            with log.attached(), time_limit(self.limit):
                action()
        except Lost as e:
            verdict.findings.append(lost(e.error, stage, e.module, self.ctx))
            return False
        except (Exception, TookTooLong) as e:
            verdict.findings += findings_of(e, stage)
            return False
        finally:
            for diagnostic in log.found:
                if diagnostic.place is None:
                    where = f"{stage}: {diagnostic.severity}: {diagnostic.message}"
                    verdict.findings.append(Finding("no position", stage, where, render(diagnostic)))
        return True


class Lost(Exception):
    """Raised if a printed module does not parse back as the same module."""

    def __init__(self, error: RoundTripFailed, module: ModuleOp):
        super().__init__(str(error))
        self.error = error
        self.module = module


@contextmanager
def time_limit(seconds: float) -> Generator[None]:
    """Raises `TookTooLong` in the `with` body, repeatedly, once it has used that many seconds of processor time."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TookTooLong(f"more than {seconds} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
