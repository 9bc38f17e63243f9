"""
Reproducers: a program and the pipeline that failed on it, in one file, as MLIR writes them.

    func.func @f() { … }

    {-#
      external_resources: {
        mlir_reproducer: {
          pipeline: "builtin.module(cse,ptir-to-tiny)",
          disable_threading: true,
          verify_each: true
        }
      }
    #-}

`ptir-opt --run-reproducer FILE` runs it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException, ParseError

from ..diagnostics.diagnostic import REPRODUCER_NOTE
from ..errors import message_of
from ..text.errors import VerificationFailed
from ..text.parsing import parse_text
from ..text.writing import print_module
from .environment import make_context
from .errors import FunctionLost, MeaningChanged, MeaningLost, NoReproducer, NotLegal, PassCrashed, Unwritable
from .manager import Instrumentation, PassManager, passes_of
from .pipeline_elements import PipelineElement, dump_pipeline

RESOURCE = "mlir_reproducer"
UNREGISTERED = ",\n      allow_unregistered: true"
_RESOURCES = re.compile(rf"\{{-#\s*external_resources:\s*\{{\s*{RESOURCE}:.*?#-\}}", re.DOTALL)


@dataclass(frozen=True)
class Configuration:
    """The configuration that a reproducer stores with its program."""

    pipeline: str
    verify_each: bool = True

    @staticmethod
    def of(resources: dict[str, dict[str, Any]], name: str) -> Configuration:
        """Returns the configuration in the external resources of a file. Raises `NoReproducer` if there is none."""
        found = resources.get(RESOURCE, {})
        pipeline = found.get("pipeline")
        if not isinstance(pipeline, str):
            raise NoReproducer(path=name)
        return Configuration(pipeline, found.get("verify_each") is not False)


def reproducer(program: str, pipeline: str, verify_each: bool = True, allow_unregistered: bool = False) -> str:
    """Returns the text of a reproducer. If `program` is itself a reproducer, its configuration is replaced."""
    program = _RESOURCES.sub("", program)
    return (
        f"{program.rstrip()}\n\n{{-#\n  external_resources: {{\n    {RESOURCE}: {{\n"
        f"      pipeline: {StringAttr(pipeline)},\n      disable_threading: true,\n"
        f"      verify_each: {str(verify_each).lower()}{UNREGISTERED if allow_unregistered else ''}\n    }}\n  }}\n#-}}\n"
    )


BUGS = (PassCrashed, VerificationFailed, MeaningChanged, MeaningLost, FunctionLost)
"""Errors that are the fault of a pass rather than of the program."""


def needs_unregistered(text: str) -> bool:
    """Returns whether the text of a reproducer says that its program needs `--allow-unregistered-dialect`."""
    found = _RESOURCES.search(text)
    return found is not None and UNREGISTERED.strip(",\n ") in found[0]


def is_bug(error: BaseException) -> bool:
    """Returns whether `error` shows a bug of a pass: a crash, or a result that is invalid or has other semantics."""
    if isinstance(error, NotLegal):  # the fault is in the program
        return False
    return isinstance(error, BUGS) or not isinstance(error, DiagnosticException | ParseError)


@dataclass
class Reproducers(Instrumentation):
    """
    Writes a reproducer to `path` when a pass fails. If `path` is None, writes only for bugs of a pass, to a new temporary file.
    `written` and a note on the exception hold the name of the file.

    `program` is the input of the pipeline. With `local`, the reproducer has only the failed pass and its input, which is
    computed by running the preceding passes again.
    """

    program: str
    pipeline: Sequence[PipelineElement]
    path: Path | None = None
    local: bool = False
    verify_each: bool = True
    allow_unregistered: bool = False
    written: Path | None = None

    def after_failed_pass(self, pass_: ModulePass, scope: Operation, error: BaseException) -> None:
        if isinstance(error, Exception) and (self.path is not None or is_bug(error)):
            self.write(error, pass_)

    def write(self, error: BaseException, failed: ModulePass | None = None) -> None:
        """Writes the file and adds a note to `error` with its name, or the reason why it cannot be written."""
        try:
            program, pipeline = self.program, self.pipeline
            if self.local and failed is not None:
                program, pipeline = self._cut_down(failed)
            text = reproducer(program, dump_pipeline(pipeline), self.verify_each, self.allow_unregistered)
            self.written = _write(self.path, text)
            error.add_note(f"{REPRODUCER_NOTE}written to {self.written}")
        except Exception as further:
            error.add_note(f"{REPRODUCER_NOTE}not written: {message_of(further)}")

    def _cut_down(self, failed: ModulePass) -> tuple[str, Sequence[PipelineElement]]:
        at = next(k for k, element in enumerate(self.pipeline) if any(p is failed for p in passes_of([element])))
        ctx = make_context(allow_unregistered=self.allow_unregistered)
        module = parse_text(self.program, ctx, "<reproducer>")
        PassManager(self.pipeline[:at], ctx, verify="never").run(module)
        return print_module(module), self.pipeline[at : at + 1]


def _write(path: Path | None, text: str) -> Path:
    import tempfile  # only needed after a failure

    try:
        if path is None:
            descriptor, name = tempfile.mkstemp(prefix="ptir-", suffix=".mlir")
            os.close(descriptor)
            path = Path(name)
        path.write_text(text, "utf-8")
        return path
    except OSError as e:
        raise Unwritable(path=path or tempfile.gettempdir(), reason=e.strerror or str(e)) from e
