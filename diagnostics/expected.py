"""
`--verify-diagnostics`: checks the diagnostics that a test file expects.

    // expected-error @+1 {{does not dominate}}
    %1 = arith.addi %0, %2 : i32        // expected-note-re {{defined {{here|there}}}}

As in MLIR, a comment names a kind (`error`, `warning`, `note`, `remark`), optionally a line (`@+N`, `@-N`,
`@above`, `@below`, `@unknown`) and a text that the message must contain. After `-re`, `{{…}}` inside the text
is a regular expression. `@above` and `@below` skip lines with such comments, even malformed ones. Unlike in MLIR, several
comments can share a line, a malformed comment is an error, and the text is searched in `[PTIR0123] message`, so that codes
can be expected too. There are no counts: a comment is written once for each diagnostic.

Unexpected diagnostics and unmet expectations are failures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..text.sources import Chunk
from .diagnostic import Diagnostic, Place

_COMMENT = (
    r"expected-(?P<kind>error|warning|note|remark)(?P<re>-re)?"
    r"[ \t]*(?:@(?P<where>[+-]\d{1,9}|above|below|unknown))?"
    r"[ \t]*\{\{(?P<text>(?:(?!\{\{|\}\}).|\{\{(?:(?!\}\}).)*+\}\})*+)\}\}"
)
_PIECE = r"\{\{((?:(?!\}\}).)*)\}\}"
_MALFORMED = (
    r"//.*?(?=expected-(?:error|warning|note|remark)\b"
    r"|\b(?:expect\w*-\w[\w-]*|\w+-(?:error|warning|note|remark)\w*(?:-re)?)[ \t]*(?:@[^\s{]*)?[ \t]*\{\{)"
)
"""A comment that resembles an expectation."""
# The patterns are compiled at their first use: compiling them here would add 2 ms to every start of the tool.


@dataclass(frozen=True)
class Expectation:
    """A diagnostic that the comment at `at` expects on `line`; if `line` is None, the diagnostic must have no place."""

    kind: str
    text: str
    line: int | None
    at: Place
    regex: bool = False

    def matches(self, message: str) -> bool:
        """Whether the expected text occurs in `message`."""
        return re.search(_as_regex(self.text), message) is not None if self.regex else self.text in message


def _as_regex(text: str) -> str:
    pieces = re.split(_PIECE, text)
    return "".join(f"(?:{piece})" if i % 2 else re.escape(piece) for i, piece in enumerate(pieces))


def verify_diagnostics(
    chunk: Chunk, file: str, produced: Sequence[Diagnostic], *, only_expected: bool = False
) -> list[Diagnostic]:
    """Returns an error for each difference between the diagnostics that `chunk` expects and those that are `produced`."""
    expectations, problems = find_expectations(chunk.text, file, chunk.first_line)
    return [*problems, *check_expectations(expectations, produced, only_expected=only_expected)]


def find_expectations(text: str, file: str, first_line: int = 1) -> tuple[list[Expectation], list[Diagnostic]]:
    """Returns the expectations in `text`, and an error for each malformed one."""
    lines = text.split("\n")
    designated = {i for i, line in enumerate(lines) if re.search(_COMMENT, line) or re.search(_MALFORMED, line)}
    expectations: list[Expectation] = []
    problems: list[Diagnostic] = []
    for i, line in enumerate(lines):
        found = list(re.finditer(_COMMENT, line))
        for match in found:
            at = Place(file, i + first_line, match.start() + 1, len(match.group()))
            target = _target(match["where"], i, designated)
            regex = match["re"] is not None
            try:
                re.compile(_as_regex(match["text"]) if regex else "")
            except re.error as e:
                problems.append(Diagnostic("error", f"bad regular expression: {e}", "PTIR0610", at))
                continue
            number = None if target is None else target + first_line
            expectations.append(Expectation(match["kind"], match["text"], number, at, regex))
        rest = re.sub(_COMMENT, lambda match: " " * len(match.group()), line)
        if malformed := re.search(_MALFORMED, rest):
            at = Place(file, i + first_line, malformed.end() + 1)
            problems.append(Diagnostic("error", "malformed expectation", "PTIR0610", at, help=_FORM))
    return expectations, problems


_FORM = "write: // expected-error @+1 {{text}}, once for each diagnostic"


def _target(where: str | None, line: int, designated: set[int]) -> int | None:
    if where is None:
        return line
    if where == "unknown":
        return None
    if where in ("above", "below"):
        step = -1 if where == "above" else 1
        line += step
        while line in designated:
            line += step
        return line
    return line + int(where)


def check_expectations(
    expectations: Sequence[Expectation], produced: Sequence[Diagnostic], *, only_expected: bool = False
) -> list[Diagnostic]:
    """
    Returns an error for every unexpected diagnostic and every unmet expectation.

    With `only_expected` (`--verify-diagnostics=only-expected`), unexpected diagnostics are ignored.
    """
    problems: list[Diagnostic] = []
    open_: dict[tuple[str, int | None], list[Expectation]] = {}
    for expectation in expectations:
        open_.setdefault((expectation.kind, expectation.line), []).append(expectation)
    for diagnostic in produced:
        for kind, message, code, place in _parts(diagnostic):
            line = None if place is None else place.line
            shown = f"[{code}] {message}" if code else message
            candidates = open_.get((kind, line), [])
            met = next((e for e in candidates if e.matches(shown)), None)
            if met is not None:
                candidates.remove(met)
            elif not only_expected:
                problems.append(Diagnostic("error", f"unexpected {kind}: {message}", code, place))
    unmet = {id(expectation) for candidates in open_.values() for expectation in candidates}
    for expectation in expectations:
        if id(expectation) in unmet:
            text = f'expected {expectation.kind} "{expectation.text}" was not produced'
            problems.append(Diagnostic("error", text, "PTIR0611", expectation.at))
    return problems


def _parts(diagnostic: Diagnostic) -> Iterator[tuple[str, str, str, Place | None]]:
    """Yields the diagnostic itself and the notes that a test must expect."""
    yield diagnostic.severity, diagnostic.message, diagnostic.code, diagnostic.place
    for note in diagnostic.notes:
        if not note.implied:
            yield "note", note.message, "", note.place
