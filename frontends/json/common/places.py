"""
The positions of the values of a JSON text, which decoders do not report.

One pass over the tokens of a text builds a tree of places. An array of plain numbers is one token, so that literals
written as arrays of bytes cost nothing; its elements are located on demand.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import msgspec
from xdsl.utils.lexer import Input, Span

from .errors import DuplicateId

Path = Sequence[str | int]

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|\[[-+.\deE,\s]*\]|[][{},:]|[^][{},:"\s]+', re.DOTALL)
_NUMBER = re.compile(r"[-+.\deE]+")


@dataclass(slots=True)
class Place:
    """The extent of a value and of its key, and the places of the values in it."""

    start: int
    end: int
    key: tuple[int, int] | None = None
    inside: dict[str | int, Place] = field(default_factory=dict["str | int", "Place"])


class Places:
    """The places of a text. The text may be malformed: parts that cannot be tokenized have no place."""

    def __init__(self, text: str, name: str):
        self.source = Input(text, name)
        self.duplicates: list[Place] = []
        """Values whose key occurs earlier in the same object."""
        self._open: list[int] = []
        """The offsets of brackets that are never closed."""
        self._deepest = 0
        self._lines = [0, *(m.end() for m in re.finditer("\n", text))]
        self.root = self._read(text)

    def find(self, path: Path) -> Span[str] | None:
        """Returns the span of the value at `path`, or None if there is none."""
        place: Place | None = self.root
        for step in path:
            place = place and (place.inside.get(step) or self._number(place, step))
        return None if place is None else Span(place.start, place.end, self.source)

    def span(self, path: Path, *, key: bool = False) -> Span[str]:
        """Returns the span of the value at `path`, or of its key; if there is none, of the innermost value around it."""
        place = self.root
        for step in path:
            inner = place.inside.get(step) or self._number(place, step)
            if inner is None:
                break
            place = inner
        start, end = place.key if key and place.key is not None else (place.start, place.end)
        return Span(start, end, self.source)

    def first_key(self, path: Path) -> Span[str]:
        """Returns the span of the first key of the object at `path`, or of the value if it is not an object."""
        span = self.span(path)
        key = _TOKEN.search(self.source.content, span.start + 1, span.end) if self._at(span.start) == "{" else None
        return span if key is None else Span(key.start(), key.end(), self.source)

    def key(self, path: Path, name: str) -> Span[str]:
        """Returns the span of the key `name` of the object at `path`."""
        return self.span([*path, name], key=True)

    def last_opened(self) -> Span[str] | None:
        return self._bracket(self._open[-1]) if self._open else None

    def word(self, end: int) -> Span[str] | None:
        """Returns the misspelled `true`, `false` or `null` that begins 4 or 5 characters before `end`, or None."""
        for token in _TOKEN.finditer(self.source.content, 0, end):
            if end - token.start() in (4, 5) and token[0][0] in "tfn":
                return Span(token.start(), token.end(), self.source)
        return None

    def deepest(self) -> Span[str]:
        """Returns the span of the most deeply nested bracket."""
        return self._bracket(self._deepest)

    def _bracket(self, start: int) -> Span[str]:
        return Span(start, start + 1, self.source)

    def position(self, offset: int) -> tuple[int, int]:
        """Returns the line and column of an offset, both counted from 1."""
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

    def require_unique_keys(self) -> None:
        """Raises `DuplicateId` if an object has a key twice; decoders silently ignore one of its two values."""
        if self.duplicates:
            start, end = self.duplicates[0].key or (0, 0)
            text = self.source.content[start:end]
            raise DuplicateId(Span(start, end, self.source), what="field", id=text)

    def _read(self, text: str) -> Place:
        root, stack, depth = None, list[Place](), 0
        key: tuple[int, int] | None = None
        for token in _TOKEN.finditer(text):
            start, end = token.span()
            first = text[start]
            if first in "}]":
                if stack:
                    stack.pop().end = end
            elif first == ":" or first == ",":
                continue
            elif first == '"' and stack and key is None and text[stack[-1].start] == "{":
                key = start, end
            else:
                place = Place(start, end, key)
                if stack:
                    self._attach(place, stack[-1], text)
                else:
                    root = root or place
                key = None
                if first in "{[" and end == start + 1:
                    stack.append(place)
                    if len(stack) > depth:
                        depth, self._deepest = len(stack), start
        for place in stack:
            place.end = len(text)
        self._open = [place.start for place in stack]
        return root or Place(0, len(text))

    def _attach(self, place: Place, parent: Place, text: str) -> None:
        if place.key is None:
            parent.inside[len(parent.inside)] = place
            return
        name = text[slice(*place.key)]
        name = _unescaped(name) if "\\" in name else name[1:-1]
        if name in parent.inside:
            self.duplicates.append(place)
        parent.inside[name] = place

    def _number(self, place: Place, step: str | int) -> Place | None:
        """Returns the place of an element of an array of numbers."""
        if not isinstance(step, int) or self._at(place.start) != "[":
            return None
        for k, number in enumerate(_numbers(self.source.content, place)):
            if k == step:
                return number
        return None

    def _at(self, offset: int) -> str:
        return self.source.content[offset : offset + 1]


def _numbers(text: str, array: Place) -> Iterator[Place]:
    for number in _NUMBER.finditer(text, array.start + 1, array.end):
        yield Place(*number.span())


def _unescaped(key: str) -> str:
    try:
        return msgspec.json.decode(key, type=str)
    except msgspec.DecodeError:
        return key[1:-1]
