"""
Diagnostics as text.

    m.mlir:3:8: error[PTIR0102]: operand #1 has shape 4, expected 5
      %0 = ptir.add %a, %b : tensor<4xf32>
           ^~~~~~~~
      in @linear
    m.mlir:2:8: note: defined here
      %b = ...
    help: broadcast it first
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence

from ..errors import counted
from .diagnostic import Diagnostic, Place, diagnose

_COLORS = {"error": "1;31", "warning": "1;35", "note": "1;36", "remark": "1;34", "help": "1;32", "caret": "1;32"}
_WIDTH = 160
"""Maximum number of characters that are shown of a source line."""

MAX_ERRORS = 100
"""Maximum number of errors that are shown; the others are only counted."""


def render_error(error: BaseException) -> str:
    """Returns the text of all diagnostics of `error`, with a newline at the end."""
    return render_all(diagnose(error))


def report(diagnostics: Sequence[Diagnostic]) -> None:
    """Writes diagnostics to stderr."""
    sys.stderr.write(render_all(diagnostics, color=stderr_has_color()))


def render_all(diagnostics: Sequence[Diagnostic], *, color: bool = False) -> str:
    """
    Returns the text of diagnostics, with a newline at the end.

    After the first `MAX_ERRORS` errors, only their number is shown. (`--verify-diagnostics` sees all.)
    """
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.severity == "error"]
    hidden = {id(error) for error in errors[MAX_ERRORS:]}
    texts = [render(diagnostic, color=color) for diagnostic in diagnostics if id(diagnostic) not in hidden]
    return "".join(texts) + f"… and {counted(len(hidden), 'more error')}\n" * bool(hidden)


def render(diagnostic: Diagnostic, *, color: bool = False) -> str:
    """Returns the text of one diagnostic, with a newline at the end."""
    return "\n".join(_lines(diagnostic, _painter(color))) + "\n"


def _lines(diagnostic: Diagnostic, paint: Callable[[str, str], str]) -> Iterator[str]:
    code = f"[{diagnostic.code}]" if diagnostic.code else ""
    yield from _headed(diagnostic.place, diagnostic.severity, code, diagnostic.message, paint)
    if diagnostic.place is None and diagnostic.excerpt:
        yield f"  {_visible(diagnostic.excerpt)}"
    if diagnostic.function:
        yield f"  in {_visible(diagnostic.function)}"
    for note in diagnostic.notes:
        yield from _headed(note.place, "note", "", note.message, paint)
    if diagnostic.help:
        yield f"{paint('help', 'help')}: {_visible(diagnostic.help)}"


def _headed(
    place: Place | None, severity: str, code: str, message: str, paint: Callable[[str, str], str]
) -> Iterator[str]:
    where = f"{place}: " if place is not None else ""
    yield f"{_visible(where)}{paint(severity, severity + code)}: {_visible(message)}"
    if place is not None and place.text is not None:
        yield from _underlined(place.text, place, paint)


def _underlined(text: str, place: Place, paint: Callable[[str, str], str]) -> Iterator[str]:
    start = min(place.column - 1, len(text))
    length = max(1, min(place.length, len(text) - start))
    if len(text) > _WIDTH:
        # Show a window around the place: a line with a dense constant can have megabytes.
        low = max(0, start - _WIDTH // 2)
        cut = text[low : low + _WIDTH]
        head = "…" if low else ""
        text, start = head + cut + "…" * (low + _WIDTH < len(text)), start - low + len(head)
        length = max(1, min(length, len(text) - start))
    text = _visible(text)
    padding = "".join("\t" if c == "\t" else " " * _columns(c) for c in text[:start])
    yield f"  {text}"
    yield f"  {padding}{paint('caret', '^' + '~' * (_columns(text[start : start + length]) - 1))}"


_CONTROLS = {
    **{c: 0x2400 + c for c in range(0x20) if c not in b"\t\n"},
    0x7F: 0x2421,
    **dict.fromkeys([*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)], 0xFFFD),
}
"""Printable replacements of terminal control characters: control pictures, or `�` for C1 and bidirectional controls."""


def _visible(text: str) -> str:
    return text.translate(_CONTROLS)


def _columns(text: str) -> int:
    """Returns the width of `text` in a terminal, in columns: wide characters take two, combining characters none."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    return sum(0 if category(c) in ("Mn", "Me", "Cf") else 2 if east_asian_width(c) in ("W", "F") else 1 for c in text)


def _painter(color: bool) -> Callable[[str, str], str]:
    if not color:
        return lambda kind, text: text
    return lambda kind, text: f"\x1b[{_COLORS[kind]}m{text}\x1b[0m"


def stderr_has_color() -> bool:
    """Whether messages are colored: stderr is a terminal and NO_COLOR is not set."""
    return sys.stderr.isatty() and not os.environ.get("NO_COLOR")
