"""Ready-made instrumentation: IR dumps between passes, and the timing report."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import IO

from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.printer import Printer

from .manager import Instrumentation, PassTiming

ALL = "*"
"""Stands for every pass in a set of pass names."""


@dataclass
class PrintIR(Instrumentation):
    """Prints the operation a pass works on, before or after the passes named, as `mlir-opt` does."""

    out: IO[str]
    before: Collection[str] = ()
    after: Collection[str] = ()
    after_failure: bool = False
    generic: bool = False
    debuginfo: bool = False

    def before_pass(self, pass_: ModulePass, scope: Operation) -> None:
        if ALL in self.before or pass_.name in self.before:
            self._dump(f"IR Dump Before {pass_.name}", scope)

    def after_pass(self, pass_: ModulePass, scope: Operation) -> None:
        if ALL in self.after or pass_.name in self.after:
            self._dump(f"IR Dump After {pass_.name}", scope)

    def after_failed_pass(self, pass_: ModulePass, scope: Operation, error: BaseException) -> None:
        if self.after_failure or ALL in self.after or pass_.name in self.after:
            # The generic form prints whatever the operation looks like.
            self._dump(f"IR Dump After {pass_.name} Failed", scope, generic=True)

    def _dump(self, title: str, scope: Operation, *, generic: bool = False) -> None:
        self.out.write(f"// -----// {title} //----- //\n")
        printer = Printer(stream=self.out, print_generic_format=self.generic or generic, print_debuginfo=self.debuginfo)
        printer.print_op(scope)
        self.out.write("\n\n")
        self.out.flush()


def format_timings(timings: Sequence[PassTiming]) -> str:
    """
    A table of wall times with their share of the total.

    >>> print(format_timings([PassTiming("parse", 0.75), PassTiming("cse", 0.25)]))
    // wall time: 1.0000 s
    //    0.7500 s   75.0 %  parse
    //    0.2500 s   25.0 %  cse
    """
    total = sum(timing.seconds for timing in timings)
    lines = [f"// wall time: {total:.4f} s"]
    for timing in timings:
        share = 100 * timing.seconds / total if total else 0.0
        lines.append(f"// {timing.seconds:9.4f} s  {share:5.1f} %  {timing.name}")
    return "\n".join(lines)
