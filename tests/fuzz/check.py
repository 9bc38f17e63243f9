"""
What becomes of one text: parsed, verified, printed and read again, and taken through each pass alone.

A text may be refused anywhere, with a message and a place. `Finding`s are what must not happen: a Python
exception that is not a diagnostic, a stage that takes longer than the limit, IR that does not verify after a
pass, a message without a place, a text that reads back as another program. A crash in which no code of ptir
takes part is `upstream`: xDSL's, and still ours to report cleanly.
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
"""What runs on a copy of each program that verifies."""

CUDA = "ptir-to-cuda"
"""Where this one succeeds, the CUDA text is printed too."""


@dataclass
class Verdict:
    """What became of a text. `reached` is its generic form, if it came as far as the passes; `sound` if it reads back."""

    reached: str | None = None
    sound: bool = False
    passes: dict[str, Literal["passed", "refused", "failed"]] = field(default_factory=dict)  # pyright: ignore[reportUnknownVariableType]
    findings: list[Finding] = field(default_factory=list[Finding])


@dataclass(frozen=True)
class Examiner:
    """Examines texts. `limit` is in seconds of processor time a stage, so that a busy machine makes no hangs."""

    pipelines: Pipelines = field(default_factory=lambda: PIPELINES)
    limit: float = 5.0

    @cached_property
    def ctx(self) -> Context:
        return make_context()

    def examine(self, text: str, only: str | None = None) -> Verdict:
        """Take the text as far as it goes; with `only`, of the passes try that one."""
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
        if name == CUDA:
            print_cuda(module)

    def _check_round_trip(self, module: ModuleOp) -> None:
        try:
            check_round_trip(module, self.ctx)
        except RoundTripFailed as e:
            raise Lost(e, module) from e

    def _stage(self, verdict: Verdict, stage: str, action: Callable[[], None]) -> bool:
        """Whether the action went through; what must not happen is added to the verdict."""
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
    """A module does not read back as it was printed."""

    def __init__(self, error: RoundTripFailed, module: ModuleOp):
        super().__init__(str(error))
        self.error = error
        self.module = module


@contextmanager
def time_limit(seconds: float) -> Generator[None]:
    """Raises `TookTooLong` in the block, again and again, once it has used that much processor time."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TookTooLong(f"more than {seconds} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
