"""
Text → program, or an error at its place in the text.

The decoder says what is wrong, and where as a byte or as a path (`$.functions[0].body[3]`); `Places` finds the path in
the text.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache
from typing import Any, cast

import msgspec
from xdsl.utils.lexer import Span

from .errors import MalformedJson, SchemaViolation, TooDeep, WrongVersion
from .places import Places
from .program import SPEC_VERSION, Program, Version, json_schema
from .table import PAYLOADS, UNITS

_BYTE = re.compile(r"\(byte (\d+)\)")
_AT = re.compile(r" - at (?:`(?:key|\w+)` in )?`(\$[^`]*)`$")
_STEP = re.compile(r"\.([A-Za-z_]\w*)|\[(\d+|\.\.\.)\]")
_QUOTED = re.compile(r"unknown field `([^`]*)`|[Ii]nvalid (?:enum )?value '(.*)'", re.DOTALL)


def decode(text: str, name: str) -> tuple[Program, Places]:
    """The program that `text` is, and where its parts stand. Raises `SourceError`."""
    try:
        program = msgspec.json.decode(text, type=Program)
    except msgspec.ValidationError as e:
        raise _violation(text, name, str(e)) from None
    except msgspec.DecodeError as e:
        raise _malformed(text, name, str(e)) from None
    except RecursionError:
        raise TooDeep(Places(text, name).deepest()) from None
    places = Places(text, name)
    places.require_unique_keys()
    if program.spec_version != SPEC_VERSION:
        raise _wrong_version(places, program.spec_version)
    return program, places


def _wrong_version(places: Places, got: str) -> WrongVersion:
    return WrongVersion(places.span(["spec_version"]), got=got, want=SPEC_VERSION)


def _malformed(text: str, name: str, message: str) -> MalformedJson:
    places = Places(text, name)
    byte = _BYTE.search(message)
    if byte is None:  # it ends too early
        end = len(text.rstrip())
        problem, help = "the text ends too early" if end else "there is no text", ""
        opened = places.last_opened()
        notes = [(opened, "this is never closed")] if opened is not None else []
        return MalformedJson(Span(max(end - 1, 0), end, places.source), problem=problem, help=help, span_notes=notes)
    # A byte of UTF-8 → a character of the text.
    at = len(text.encode()[: int(byte[1])].decode("utf-8", "ignore"))
    problem = _BYTE.sub("", message.partition(": ")[2]).strip()
    help = "a program is JSON; IR is read by --export-json" if text.lstrip()[:1] not in ("{", "[") else ""
    # The decoder is past a word when it sees that it is none, and past what follows the end.
    at -= problem == "trailing characters"
    span = places.word(at) or Span(at, min(at + 1, len(text)), places.source)
    return MalformedJson(span, problem=problem, help=help)


def _violation(text: str, name: str, message: str) -> SchemaViolation | WrongVersion:
    places = Places(text, name)
    try:
        version = msgspec.json.decode(text, type=Version).spec_version
    except (msgspec.DecodeError, RecursionError):
        version = SPEC_VERSION
    if version != SPEC_VERSION:
        return _wrong_version(places, version)
    at = _AT.search(message)
    problem = message[: at.start()] if at else message
    path: list[str | int] = []
    for step in _STEP.finditer(at[1] if at else ""):
        if step[2] == "...":  # some value of a map: the decoder does not say which
            break
        path.append(step[1] if step[1] else int(step[2]))
    span, help = places.span(path), ""
    if (quoted := _QUOTED.search(problem)) is not None:
        word = quoted[1] or quoted[2] or ""
        if quoted[1] is not None:
            span = places.key(path, word)
        help = _meant(word)
    return SchemaViolation(span, message=_sentence(problem), help=help)


def _sentence(problem: str) -> str:
    problem = problem.replace("`", "'").removeprefix("Object contains ")
    for theirs, ours in (
        ("Object missing", "missing"),
        ("Invalid enum value", "unknown word"),
        ("Invalid value", "unknown"),
    ):
        problem = problem.replace(theirs, ours)
    return problem[:1].lower() + problem[1:]


def _meant(word: str) -> str:
    """What may have been meant by a word that does not belong where it stands."""
    if word in UNITS:
        return f'an operation without fields is a word: "op": "{word}"'
    if word in PAYLOADS:
        return f'an operation with fields is an object: "op": {{"{word}": …}}'
    near = get_close_matches(word, _words() - {word}, 1)
    return f"did you mean '{near[0]}'?" if near else ""


@cache
def _words() -> set[str]:
    """Every field and every word of the schema."""
    found: set[str] = set()
    stack: list[Any] = [json_schema()]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            fields = cast("dict[str, Any]", node)
            found.update([*fields.get("properties", ()), *map(str, fields.get("enum", ()))])
            stack += fields.values()
        elif isinstance(node, list):
            stack += cast("list[Any]", node)
    return found
