"""
Decodes the text of a program, or reports an error at its place in the text.

msgspec gives the place of an error as a byte or as a path (`$.functions[0].body[3]`); `Places` finds the path in the text.
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
_OUT_OF_RANGE = "number out of range"
T = TypeVar("T")


@dataclass(frozen=True)
class Form(Generic[T]):
    """A JSON form: the `type` of a program, and the help texts of its errors."""

    type: type[T]
    help: str
    """The help for a text that is not JSON."""
    suggest: Callable[[str], str] = lambda word: ""
    """The help for an unexpected word; empty to suggest words of similar letters."""
    precheck: Callable[[str, Places], SourceError | None] = lambda text, places: None
    """Returns an error that takes precedence over all others."""
    maps: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The value types of the program's fields that are maps, since msgspec does not say which value of a map is wrong."""


def decode(text: str, name: str, form: Form[T]) -> tuple[T, Places]:
    """Returns the program and the places of its parts. Raises `SourceError`."""
    try:
        program = msgspec.json.decode(text, type=form.type)
    except UnicodeEncodeError as e:  # only a text from Python has a lone surrogate
        source = Places(text.encode("utf-8", "replace").decode(), name).source
        problem = f"U+{ord(text[e.start]):X} is no character"
        raise MalformedJson(Span(e.start, e.start + 1, source), problem=problem, help="") from None
    except msgspec.ValidationError as e:
        raise _violation(text, name, e, form) from None
    except msgspec.DecodeError as e:
        raise _malformed(text, name, str(e), form.help) from None
    except RecursionError:
        raise TooDeep(Places(text, name).deepest()) from None
    places = Places(text, name)
    places.require_unique_keys()
    if (error := form.precheck(text, places)) is not None:
        raise error
    return program, places


def _malformed(text: str, name: str, message: str, help: str) -> MalformedJson:
    places = Places(text, name)
    byte = _BYTE.search(message)
    if byte is None:  # the text ends too early
        end = len(text.rstrip())
        problem = "the text ends too early" if end else "there is no text"
        opened = places.last_opened()
        notes = [(opened, "this is never closed")] if opened is not None else []
        return MalformedJson(Span(max(end - 1, 0), end, places.source), problem=problem, help="", span_notes=notes)
    # The message counts bytes of UTF-8, spans count characters.
    at = len(text.encode()[: int(byte[1])].decode("utf-8", "ignore"))
    problem = _BYTE.sub("", message.partition(": ")[2]).strip()
    # msgspec reports the position after an invalid word, and after the first trailing character.
    at -= problem == "trailing characters"
    span = places.word(at) or Span(at, min(at + 1, len(text)), places.source)
    return MalformedJson(span, problem=problem, help="" if text.lstrip()[:1] in ("{", "[") else help)


def _violation(text: str, name: str, error: msgspec.ValidationError, form: Form[Any]) -> SourceError:
    places = Places(text, name)
    if (first := form.precheck(text, places)) is not None:
        return first
    found = mismatch(error, form.type, places.root.inside)
    path, help = found.path, ""
    if found.problem == _OUT_OF_RANGE:  # msgspec gives no path within values of any type
        path = _undecodable(text, places.root)
    elif found.of_map and (inner := _in_map(text, places.root.inside.get(path[0]), form.maps.get(str(path[0])))):
        key, found = inner
        path = (path[0], key, *found.path)
    if found.word:
        help = form.suggest(found.word) or found.help(words(form.type))
    return SchemaViolation(places.span(path, key=found.is_field), message=found.problem, help=help)


def _undecodable(text: str, place: Place) -> tuple[str | int, ...]:
    """Returns the path to the first value in `place` that msgspec cannot decode."""
    for key, value in place.inside.items():
        try:
            msgspec.json.decode(text[value.start : value.end])
        except msgspec.ValidationError:
            return key, *_undecodable(text, value)
    return ()


def _in_map(text: str, place: Place | None, of: Any) -> tuple[str | int, Mismatch] | None:
    """Returns the key of the first value of a map that does not match the type `of`, and the mismatch."""
    if place is None or of is None:
        return None
    for key, value in place.inside.items():
        try:
            msgspec.json.decode(text[value.start : value.end], type=of)
        except msgspec.ValidationError as e:
            return key, mismatch(e, of)
    return None
