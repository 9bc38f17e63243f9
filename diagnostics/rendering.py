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

from collections.abc import Callable, Iterator, Sequence
from typing import IO

from .diagnostic import Diagnostic, Place, diagnose

_COLOURS = {"error": "1;31", "warning": "1;35", "note": "1;36", "remark": "1;34", "help": "1;32", "caret": "1;32"}
_WIDTH = 160


MOST_ERRORS = 100
"""How many errors are shown in full; the others are counted."""


def render_error(error: BaseException, *, colour: bool = False) -> str:
    """Every diagnostic of `error`, with a newline at the end."""
    return render_all(diagnose(error), colour=colour)


def render_all(diagnostics: Sequence[Diagnostic], *, colour: bool = False) -> str:
    """
    Diagnostics as text, with a newline at the end.

    The first `MOST_ERRORS` errors are written out, then how many more there are. (`--verify-diagnostics` sees all.)
    """
    texts: list[str] = []
    errors = 0
    for diagnostic in diagnostics:
        errors += diagnostic.severity == "error"
        if diagnostic.severity != "error" or errors <= MOST_ERRORS:
            texts.append(render(diagnostic, colour=colour))
    if errors > MOST_ERRORS:
        more = errors - MOST_ERRORS
        texts.append(f"… and {more:,} more error{'s' * (more > 1)}\n")
    return "".join(texts)


def render(diagnostic: Diagnostic, *, colour: bool = False) -> str:
    """One diagnostic as text, with a newline at the end."""
    return "\n".join(_lines(diagnostic, _painter(colour))) + "\n"


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
        # Keep a window around the place: constants make lines of megabytes.
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
"""What a terminal would obey, by what shows it in one column: control pictures, `�` for C1 and turns of direction."""


def _visible(text: str) -> str:
    return text.translate(_CONTROLS)


def _columns(text: str) -> int:
    """How many columns a terminal gives to `text`: two to a wide character, none to a combining one."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    return sum(0 if category(c) in ("Mn", "Me", "Cf") else 2 if east_asian_width(c) in ("W", "F") else 1 for c in text)


def _painter(colour: bool) -> Callable[[str, str], str]:
    if not colour:
        return lambda kind, text: text
    return lambda kind, text: f"\x1b[{_COLOURS[kind]}m{text}\x1b[0m"


def wants_colour(stream: IO[str]) -> bool:
    """Whether to colour what is written to `stream`: terminals, unless NO_COLOR is set."""
    import os

    return stream.isatty() and not os.environ.get("NO_COLOR")
