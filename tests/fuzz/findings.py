"""
Classifies the exception that ended a stage. A diagnostic with a location is no finding.

A crash is `upstream` if it does not involve ptir's code, except for the pass manager and the fuzzer, and so is an operation of
another dialect whose printed form is incomplete.
"""

from __future__ import annotations

import re
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import xdsl
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ptir.diagnostics.diagnostic import diagnose
from ptir.diagnostics.rendering import render
from ptir.errors import PtirError, SourceError
from ptir.passes.errors import PassCrashed
from ptir.passes.registry import DIALECTS
from ptir.text.errors import RoundTripFailed, VerificationFailed, VerifierCrashed
from ptir.text.parsing import parse_text
from ptir.text.writing import print_module

Kind = Literal["traceback", "hang", "invalid after pass", "no position", "round trip", "upstream"]


@dataclass(frozen=True)
class Finding:
    """An outcome that must not occur. Findings with the same `signature` most likely have the same cause."""

    kind: Kind
    stage: str
    signature: str
    detail: str


class TookTooLong(BaseException):
    """Raised at the time limit. It is not an `Exception`, so that the code that it interrupts does not catch it."""


def findings_of(error: BaseException, stage: str) -> list[Finding]:
    """Returns the findings for an exception that ended a stage: none if it is a diagnostic with a location."""
    if isinstance(error, TookTooLong):
        return [Finding("hang", stage, f"{stage}: hang at {_where(error)}", _traceback(error))]
    crash = _crash(error)
    found: list[Finding] = []
    if crash is not None:
        kind: Kind = "traceback" if _is_ours(crash) else "upstream"
        found.append(Finding(kind, stage, f"{stage}: {type(crash).__name__} at {_where(crash)}", _traceback(crash)))
    elif isinstance(error, VerificationFailed) and " after pass " in error.message:
        found.append(Finding("invalid after pass", stage, f"{stage}: {_message(error)}", str(error)))
    try:
        diagnostics = diagnose(error)
        text = "".join(render(diagnostic) for diagnostic in diagnostics)
        text.encode("utf-8", "surrogatepass")
    except Exception as e:
        return [*found, Finding("traceback", stage, f"diagnose: {type(e).__name__} at {_where(e)}", _traceback(e))]
    if not diagnostics or any(diagnostic.place is None or not diagnostic.message for diagnostic in diagnostics):
        cause = _where(crash) if crash is not None else f"{type(error).__name__} {_message(error)}"
        found.append(Finding("no position", stage, f"{stage}: no position: {cause}", text))
    return found


def lost(error: RoundTripFailed, stage: str, module: ModuleOp, ctx: Context) -> Finding:
    """Returns the finding for a module whose printed text does not parse back as the same module."""
    name = _reads_back_otherwise(error, module, ctx)
    kind: Kind = "round trip" if name.partition(".")[0] in ("", *DIALECTS) else "upstream"
    problem = error.message.splitlines()[0] if not name else f"{name} reads back otherwise"
    return Finding(kind, stage, f"round trip: {_shape(problem)}", error.message)


def _reads_back_otherwise(error: RoundTripFailed, module: ModuleOp, ctx: Context) -> str:
    """Returns the name of the first operation that does not parse back unchanged, or "" if it cannot be determined."""
    want = print_module(module, generic=True).splitlines()
    for generic in (True, False):
        text = print_module(module, generic=generic)
        try:
            again = parse_text(text, ctx, "again.mlir")
        except SourceError as e:
            _, line, _ = e.span.get_location()
            found = re.search(r"[a-z]+\.[a-z_.]+", text.splitlines()[line - 1])
            return found.group() if found else ""
        for at, (before, after) in enumerate(zip(want, print_module(again, generic=True).splitlines(), strict=False)):
            if before != after:
                return _operation_at(want, at)
    return ""


def _operation_at(lines: list[str], at: int) -> str:
    """Returns the operation to which a line of the generic form belongs. Its last line, `}`, is searched back to the first."""
    if lines[at].lstrip().startswith("^"):  # xDSL's printer renames blocks
        return "builtin.block"
    indent = len(lines[at]) - len(lines[at].lstrip())
    if lines[at].lstrip().startswith("}"):
        at = max(i for i in range(at) if lines[i][indent : indent + 1] not in ("", " ", "}", "^"))
    found = re.search(r'"([\w.]+)"\(', lines[at])
    return found[1] if found else ""


def _crash(error: BaseException) -> BaseException | None:
    """Returns the exception in the chain of `error` that is a crash rather than a diagnostic, or None."""
    if isinstance(error, VerificationFailed):
        return next((c for _, cause in error.failures if (c := _crash(cause)) is not None), None)
    if isinstance(error, PassCrashed | VerifierCrashed):
        return error.__cause__ or error.__context__ or error
    codes = {diagnostic.code for diagnostic in diagnose(error)}
    if "PTIR0699" in codes:
        return error
    if isinstance(error, PtirError) and "cannot parse this (" in error.message:
        return error.__cause__ or error
    return None


def _frames(error: BaseException) -> list[tuple[str, int]]:
    return [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]


PACKAGE = Path(__file__).resolve().parents[2]
XDSL = Path(xdsl.__file__).resolve().parent
NEUTRAL = ("passes", "tests")
"""Folders whose code only calls the code under test: the pass manager and the fuzzer."""


def _is_ours(error: BaseException) -> bool:
    """
    Whether ptir's code raised the exception, or called the code that raised it. Folders in `NEUTRAL` do not count, nor does a
    call of xDSL's parser, whose crashes are xDSL's.
    """
    files = [Path(file) for file, _ in _frames(error)]
    if not files or files[-1].is_relative_to(PACKAGE):
        return True
    own = [at for at, file in enumerate(files) if file.is_relative_to(PACKAGE) and _room(file) not in NEUTRAL]
    return bool(own) and "parser" not in files[own[-1] + 1].parts


def _room(file: Path) -> str:
    return file.relative_to(PACKAGE).parts[0]


def _where(error: BaseException) -> str:
    """Returns where an exception was raised, such as `xdsl/parser/core.py:123`."""
    if not (frames := _frames(error)):
        return "unknown"
    file, line = frames[-1]
    path = Path(file)
    if path.is_relative_to(PACKAGE):
        return f"{path.relative_to(PACKAGE).as_posix()}:{line}"
    return f"{'/'.join(path.parts[-3:])}:{line}"


def _message(error: BaseException) -> str:
    """Returns the message without numbers and names, which differ between mutants."""
    op = f"{error.op.name}: " if isinstance(error, PtirError) and isinstance(error.op, Operation) else ""
    return op + _shape(" ".join(str(error).split("\n", 2)[:2]))


def _shape(text: str) -> str:
    return re.sub(r"\d+|'[^']*'|%\S+|@\S+|(?<![(])\"[^\"]*\"", "_", text)[:100]


def _traceback(error: BaseException, keep: int = 12) -> str:
    lines = traceback.format_exception(error, chain=False)
    text = "".join(lines if len(lines) <= keep else [lines[0], "  …\n", *lines[-keep:]])
    return text.replace(f"{PACKAGE}/", "").replace(f"{XDSL.parent}/", "")
