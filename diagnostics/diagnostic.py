"""
Diagnostics as data.

`diagnose` converts any exception to `Diagnostic`s, each with its place, notes and help; `rendering.py` formats them.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from io import StringIO
from typing import Literal, cast

from xdsl.dialects.builtin import FileLineColLoc, StringAttr
from xdsl.ir import Attribute, BlockArgument, Operation
from xdsl.utils.exceptions import (
    ArgSpecParseError,
    DiagnosticException,
    ParseError,
    PassFailedException,
    UnregisteredConstructException,
    VerifyException,
)
from xdsl.utils.lexer import Span

from ..errors import PtirError, SourceError, file_location, in_file, shortened
from ..text.errors import VerificationFailed
from ..text.location_syntax import FileLineColRange
from ..text.printing import ExactPrinter
from ..text.sources import SEPARATOR, near_separators, source_of
from .logs import Listener

PASS_NOTE = "while running pass "
"""The start of the note that names the pass in which an exception was raised."""

REPRODUCER_NOTE = "reproducer "
"""The start of the note that names the reproducer."""

Severity = Literal["error", "warning", "note", "remark"]


@dataclass(frozen=True)
class Place:
    """A range of source text: `length` characters from `line` and `column`, both counted from 1. `text` is the line, if known."""

    file: str
    line: int
    column: int
    length: int = 1
    text: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Note:
    """A note, usually about another place. Tests need not expect `implied` notes, which `diagnose` adds to an error."""

    message: str
    place: Place | None = None
    implied: bool = False


@dataclass(frozen=True)
class Diagnostic:
    """A diagnostic. `function` is the enclosing symbol. `excerpt` is IR that is shown if there is no source line."""

    severity: Severity
    message: str
    code: str = ""
    place: Place | None = None
    notes: tuple[Note, ...] = ()
    help: str = ""
    function: str = ""
    excerpt: str = ""


# --- exception → diagnostics --------------------------------------------------------------------


def diagnose(error: BaseException) -> list[Diagnostic]:
    """Returns the diagnostics of `error`, several if several operations fail."""
    if isinstance(error, VerificationFailed):
        return [_about_operation(cause, op, _pass_notes(error)) for op, cause in error.failures]
    if isinstance(error, SourceError):
        notes = [Note(text, place_of_span(span)) for span, text in error.span_notes]
        first = _at_span(error.message, error.code, error.span, [*notes, *_pass_notes(error)], error.help)
        return [first, *(diagnostic for other in error.others for diagnostic in diagnose(other))]
    if isinstance(error, PtirError):
        return [_about_operation(error, error.op, _pass_notes(error))]
    if isinstance(error, ParseError):
        return [_at_span(error.msg, "PTIR0001", error.span, _pass_notes(error), "")]
    for kind, code in _CODES:
        if isinstance(error, kind):
            message = _without_ir(str(error)) or kind.__name__
            return [Diagnostic("error", message, code, notes=tuple(_pass_notes(error)))]
    return [
        Diagnostic(
            "error",
            _in_one_line(f"internal error: {type(error).__name__}: {error}"),
            "PTIR0699",
            notes=tuple(_pass_notes(error)),
            help="this is a bug in ptir; --debug shows the traceback",
        )
    ]


_CODES: tuple[tuple[type[BaseException], str], ...] = (
    (VerifyException, "PTIR0100"),
    (PassFailedException, "PTIR0600"),
    (ArgSpecParseError, "PTIR0601"),
    (UnregisteredConstructException, "PTIR0003"),
    (DiagnosticException, "PTIR0000"),
    (OSError, "PTIR0002"),
    (RecursionError, "PTIR0004"),
    (MemoryError, "PTIR0007"),
)
"""The codes of exceptions without a code of their own; the first match applies."""


def _at_span(message: str, code: str, span: Span[str] | Span[bytes], notes: Iterable[Note], help: str) -> Diagnostic:
    return Diagnostic("error", message, code, place_of_span(span), tuple(notes), help)


def _about_operation(error: BaseException, op: Operation | None, extra: Iterable[Note]) -> Diagnostic:
    """Returns a diagnostic at the location of `op`, or at the nearest known location around it."""
    notes: list[Note] = []
    if isinstance(error, PtirError):
        op = error.op or op
        crashed = error.crashed
        message, code, help = _in_one_line(error.message) if crashed else error.message, error.code, error.help
        notes += [Note(text, place_of(other)) for other, text in error.notes]
    else:
        name = f"'{op.name}' " if op is not None else ""
        message, code, help = f"{name}{_without_ir(str(error))}", "PTIR0100", ""
        if op is not None and (match := _OPERAND.match(str(error))) and int(match[1]) < len(op.operands):
            value = op.operands[int(match[1])]
            place = (
                _place_at(value.location)
                if isinstance(value, BlockArgument)
                else place_of(cast(Operation, value.owner))
            )
            notes.append(Note("the operand is defined here", place, implied=True))
    if op is None:
        return Diagnostic("error", message, code, None, (*notes, *extra), help)
    place = place_of(op)
    excerpt = ""
    if place is None:
        excerpt = one_line(op)
    elif not _names(place, op):
        # A pass created this operation: the source line at its location shows the operation it was made from.
        notes.append(Note(f"the operation is: {one_line(op)}", implied=True))
    return Diagnostic("error", message, code, place, (*notes, *extra), help, enclosing_symbol(op), excerpt)


_OPERAND = re.compile(r"operand '\w+' at position ([0-9]{1,9}) does not verify")
"""Matches the start of xDSL's messages about operands."""

_MESSAGE = 500
"""Maximum number of characters shown of the message of an exception, unless the exception is a `PtirError`."""


def _in_one_line(message: str) -> str:
    return shortened(" ".join(message.split()), _MESSAGE)


def _without_ir(message: str) -> str:
    """Returns xDSL's message with printed operations cut to their first lines."""
    lines: list[str] = []
    depth = 0
    for line in message.strip().split("\n"):
        if depth == 0:
            lines.append(line.strip())
        opened = depth + line.count("{") - line.count("}")
        if depth > 0 >= opened:  # the operation ends here: keep the text after it
            lines.append("…" + line[line.rindex("}") :].strip())
        depth = max(opened, 0)
    return shortened(" ".join(lines), _MESSAGE)


def _pass_notes(error: BaseException) -> list[Note]:
    """Returns the notes on the pass and the reproducer. (xDSL's own notes contain the whole module.)"""
    notes = cast(list[str], getattr(error, "__notes__", []))
    return [Note(note, implied=True) for note in notes if note.startswith((PASS_NOTE, REPRODUCER_NOTE))]


# --- places -------------------------------------------------------------------------------------


def place_of_span(span: Span[str] | Span[bytes]) -> Place:
    """Returns the place of a span, cut to its first line."""
    file, line, column = span.get_location()
    source = span.input
    if isinstance(source.content, bytes):
        return Place(file, line, column)
    text = source.content[source.get_start_of_line(span.start) : source.get_end_of_line(span.start)].rstrip("\r")
    return Place(file, line, column, max(1, min(len(span), len(text) - column + 1)), text)


def place_of(op: Operation | None) -> Place | None:
    """Returns the place of an operation, or of the nearest operation around it that has one."""
    return None if (location := file_location(op)) is None else _place_at(location)


def _place_at(location: Attribute) -> Place | None:
    """Returns the place of `location`, with its line if the text is in memory; no file is opened."""
    if (found := in_file(location)) is None:
        return None
    source, line = source_of(found.filename), found.line.data
    text = None if source is None else source.line(line)
    return Place(found.filename.data, line, found.column.data, _length(found, text), text)


def _length(location: FileLineColLoc, text: str | None) -> int:
    """Returns the number of characters to underline: those of the location's range, else those of the name at its start."""
    if isinstance(location, FileLineColRange) and location.end_line == location.line:
        return max(1, location.end_column.data - location.column.data)
    token = None if text is None else _TOKEN.match(text, min(location.column.data, len(text) + 1) - 1)
    return 1 if token is None else len(token.group())


_TOKEN = re.compile(r'"?[A-Za-z_][A-Za-z0-9_.$]*"?')


def _names(place: Place, op: Operation) -> bool:
    """Whether the text at the place is the operation's name."""
    if place.text is None:
        return True
    token = place.text[place.column - 1 : place.column - 1 + place.length].strip('"')
    return token == op.name or op.name.endswith("." + token)


def enclosing_symbol(op: Operation) -> str:
    """Returns the `@name` of the function (or other symbol) around `op`, or an empty string."""
    current: Operation | None = op
    while current is not None:
        name = current.properties.get("sym_name", current.attributes.get("sym_name"))
        if isinstance(name, StringAttr) and name.data:
            return f"@{name.data}"
        current = current.parent_op()
    return ""


def one_line(op: Operation, limit: int = 160) -> str:
    """Returns the start of the operation's generic form, without its regions."""
    out = _Start(limit)
    try:
        ExactPrinter(stream=out, print_generic_format=True).print_op(op)
    except _EnoughError:
        pass
    except Exception:  # an operation broken enough to be reported may be too broken to be printed
        return f'"{op.name}"(...)'
    text = out.getvalue().split("\n", 1)[0]
    return text if len(text) <= limit else text[: limit - 1] + "…"


class _EnoughError(Exception):
    """Stops printing."""


class _Start(StringIO):
    """A stream that stops the printer after one line, or after `limit` characters."""

    def __init__(self, limit: int):
        super().__init__()
        self._limit = limit

    def write(self, text: str, /) -> int:
        count = super().write(text)
        if "\n" in text or self.tell() > self._limit:
            raise _EnoughError
        return count


# --- warnings and remarks -----------------------------------------------------------------------


class LogDiagnostics(Listener):
    """
    Collects messages on the `ptir` logger, so that packages that may not import this one can warn.

    `logging.getLogger(__name__).warning("slow path", extra={"op": op})` becomes a warning at `op`;
    level INFO becomes a remark.
    """

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.found: list[Diagnostic] = []

    def emit(self, record: logging.LogRecord) -> None:
        op = getattr(record, "op", None)
        place, function = (place_of(op), enclosing_symbol(op)) if isinstance(op, Operation) else (None, "")
        severity: Severity = "warning" if record.levelno >= logging.WARNING else "remark"
        self.found.append(Diagnostic(severity, record.getMessage(), place=place, function=function))


def separator_warnings(text: str, file: str) -> list[Diagnostic]:
    """Returns a warning for each line that resembles a separator of `--split-input-file` but is not one."""
    message = f"this resembles a separator but is not one: a separator is exactly '{SEPARATOR}'"
    return [
        Diagnostic("warning", message, place=replace(place_of_span(span), file=file)) for span in near_separators(text)
    ]
