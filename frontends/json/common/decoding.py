"""
Text → program, or an error at its place in the text.

The decoder says what is wrong, and where as a byte or as a path (`$.functions[0].body[3]`); `Places` finds the path in
the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import msgspec
from xdsl.utils.lexer import Span

from ....dialects.common.schema import Mismatch, mismatch, words
from ....errors import SourceError
from .errors import MalformedJson, SchemaViolation, TooDeep
from .places import Place, Places

_BYTE = re.compile(r"\(byte (\d+)\)")
T = TypeVar("T")


@dataclass(frozen=True)
class Form(Generic[T]):
    """A form of JSON: the `type` of a program, and what to say about a text that is none."""

    type: type[T]
    help: str
    """To a text that is no JSON at all."""
    meant: Callable[[str], str] = lambda word: ""
    """What may have been meant by a word that does not belong where it stands, if it is known better than by its letters."""
    problem: Callable[[str, Places], SourceError | None] = lambda text, places: None
    """What is to be said before all else that is wrong."""
    maps: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The type of the values of those fields of the program that are maps: the decoder does not say which value is wrong."""


def decode(text: str, name: str, form: Form[T]) -> tuple[T, Places]:
    """The program that `text` is, and where its parts stand. Raises `SourceError`."""
    try:
        program = msgspec.json.decode(text, type=form.type)
    except msgspec.ValidationError as e:
        raise _violation(text, name, e, form) from None
    except msgspec.DecodeError as e:
        raise _malformed(text, name, str(e), form.help) from None
    except RecursionError:
        raise TooDeep(Places(text, name).deepest()) from None
    places = Places(text, name)
    places.require_unique_keys()
    if (problem := form.problem(text, places)) is not None:
        raise problem
    return program, places


def _malformed(text: str, name: str, message: str, help: str) -> MalformedJson:
    places = Places(text, name)
    byte = _BYTE.search(message)
    if byte is None:  # it ends too early
        end = len(text.rstrip())
        problem = "the text ends too early" if end else "there is no text"
        opened = places.last_opened()
        notes = [(opened, "this is never closed")] if opened is not None else []
        return MalformedJson(Span(max(end - 1, 0), end, places.source), problem=problem, help="", span_notes=notes)
    # A byte of UTF-8 → a character of the text.
    at = len(text.encode()[: int(byte[1])].decode("utf-8", "ignore"))
    problem = _BYTE.sub("", message.partition(": ")[2]).strip()
    # The decoder is past a word when it sees that it is none, and past what follows the end.
    at -= problem == "trailing characters"
    span = places.word(at) or Span(at, min(at + 1, len(text)), places.source)
    return MalformedJson(span, problem=problem, help="" if text.lstrip()[:1] in ("{", "[") else help)


def _violation(text: str, name: str, error: msgspec.ValidationError, form: Form[Any]) -> SourceError:
    places = Places(text, name)
    if (first := form.problem(text, places)) is not None:
        return first
    found = mismatch(error, form.type, places.root.inside)
    path, help = found.path, ""
    if found.of_map and (inner := _in_map(text, places.root.inside.get(path[0]), form.maps.get(str(path[0])))):
        key, found = inner
        path = (path[0], key, *found.path)
    if found.word:
        help = form.meant(found.word) or found.help(words(form.type))
    return SchemaViolation(places.span(path, key=found.is_field), message=found.problem, help=help)


def _in_map(text: str, place: Place | None, of: Any) -> tuple[str | int, Mismatch] | None:
    """The key of the first value of a map that is not of its type, and what is wrong with it."""
    if place is None or of is None:
        return None
    for key, value in place.inside.items():
        try:
            msgspec.json.decode(text[value.start : value.end], type=of)
        except msgspec.ValidationError as e:
            return key, mismatch(e, of)
    return None
