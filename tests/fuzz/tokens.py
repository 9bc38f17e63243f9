"""
Splits IR text into tokens, and collects the pools of tokens from which mutations draw.

Unlike xDSL's lexer, this one accepts any text, keeps white space, and splits shapes, so that `tensor<4x8xf32>` has two sizes and
an element type that can be replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*)
      | (?P<string>"(?:[^"\\\n]|\\.)*")
      | (?P<value>%[\w$.-]+(?:\#\d+)?)
      | (?P<block>\^[\w$.-]+)
      | (?P<symbol>@(?:[\w$.-]+|"[^"\n]*"))
      | (?P<sigil>[!\#][A-Za-z_][\w$.]*)
      | (?P<by>(?<=[\d?\]])x(?=[\d?a-z!\[]))
      | (?P<float>\d+\.\d*(?:[eE][-+]?\d+)?)
      | (?P<integer>0x[0-9a-fA-F]{2,}|\d+)
      | (?P<scalar>(?:[su]?i\d+|f\d\w*|bf16|tf32|index|none)\b)
      | (?P<op>[A-Za-z_]\w*\.[\w.]*\w)
      | (?P<word>[A-Za-z_][\w$]*)
      | (?P<punctuation>->|\.\.\.|.)""",
    re.VERBOSE | re.DOTALL,
)

_PHRASE = re.compile(r"(?:\b(?:tensor|memref|vector|dense|array|complex|tuple|dense_resource)|[!#][A-Za-z_][\w.]*)<")
_CLOSERS = {"<": ">", "(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True)
class Token:
    """A piece of the text from `start` to `end`."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def tokenize(text: str) -> list[Token]:
    """Returns all tokens of any text in order, without white space and comments."""
    return [
        Token(match.lastgroup or "", match.group(), match.start())
        for match in _TOKEN.finditer(text)
        if match.lastgroup != "space"
    ]


def of_kind(text: str, kinds: Sequence[str]) -> list[Token]:
    """Returns the tokens of these kinds."""
    return [token for token in tokenize(text) if token.kind in kinds]


def put(text: str, token: Token, new: str) -> str:
    """Returns the text in which `new` replaces the token."""
    return text[: token.start] + new + text[token.end :]


def phrases(text: str) -> list[Token]:
    """Returns the types and attributes with parameters, such as `memref<4xf32>`, including nested ones."""
    found: list[Token] = []
    for match in _PHRASE.finditer(text):
        end = _closing(text, match.end() - 1)
        if end is not None:
            kind = match.group()[:-1]
            found.append(Token(kind, text[match.start() : end], match.start()))
    return found


def _closing(text: str, start: int) -> int | None:
    """Returns the position at which the bracket at `start` is closed on the same line, ignoring strings; None if it is not."""
    expected: list[str] = []
    for token in tokenize(text[start : text.find("\n", start) + 1 or len(text)]):
        if token.text in _CLOSERS:
            expected.append(_CLOSERS[token.text])
        elif token.text in _CLOSERS.values() and token.text != expected.pop():
            return None
        if not expected:
            return start + token.end
    return None


@dataclass(frozen=True)
class Pools:
    """The distinct tokens, phrases (types and attributes) and lines of the corpus, sorted."""

    texts: tuple[str, ...]

    @cached_property
    def tokens(self) -> dict[str, list[str]]:
        return _by_kind(token for text in self.texts for token in tokenize(text))

    @cached_property
    def phrases(self) -> dict[str, list[str]]:
        return _by_kind(phrase for text in self.texts for phrase in phrases(text))

    @cached_property
    def lines(self) -> list[str]:
        return sorted({line for text in self.texts for line in text.splitlines()})

    @cached_property
    def peers(self) -> dict[tuple[str, ...], list[str]]:
        """Operation names and words by their `surroundings`. Those with the same surroundings can often replace each other."""
        found: dict[tuple[str, ...], set[str]] = {}
        for text in self.texts:
            tokens = tokenize(text)
            for at, token in enumerate(tokens):
                if token.kind in ("op", "word"):
                    found.setdefault(surroundings(text, tokens, at), set()).add(token.text)
        return {key: sorted(names) for key, names in found.items()}

    @cached_property
    def operations(self) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
        """Lines with one operation that has operands, and the operands' types; keyed by the type of the first operand."""
        found: dict[str, set[tuple[str, tuple[str, ...]]]] = {}
        for text in self.texts:
            types = types_of_values(text)
            for line in text.splitlines():
                _, equals, right = line.partition(" = ")
                operands = [t.text for t in tokenize(right or line) if t.kind == "value"]
                if operands and not line.rstrip().endswith("{") and (equals or "%" in line):
                    kinds = tuple(types.get(name, "") for name in operands)
                    found.setdefault(kinds[0], set()).add((line.strip(), kinds))
        return {kind: sorted(lines) for kind, lines in sorted(found.items())}


def types_of_values(text: str) -> dict[str, str]:
    """Guesses the type of each value: the text after the colon of an argument, or at the end of the line of a result."""
    return {m[1]: m[2].strip() for m in _ARGUMENT.finditer(text)} | {m[1]: m[2].strip() for m in _RESULT.finditer(text)}


_ARGUMENT = re.compile(r"(%[\w$.-]+)\s*:\s*([^,)%]+?)(?=\s*[,)]| align )")
_RESULT = re.compile(r"^\s*(%[\w$.-]+) = .*(?:->|:)([^:\n]*)$", re.MULTILINE)


def surroundings(text: str, tokens: Sequence[Token], at: int) -> tuple[str, ...]:
    """Returns the kinds of the tokens that follow on the line, after the dialect of an operation or the token before a word."""
    token = tokens[at]
    end = text.find("\n", token.end)
    line = list(takewhile(lambda t: end < 0 or t.start < end, tokens[at + 1 : at + 12]))
    after = [t.text if t.kind in ("punctuation", "word") else t.kind for t in line]
    before = token.text.partition(".")[0] if token.kind == "op" else tokens[at - 1].text if at else ""
    return (before, *after)


def _by_kind(tokens: Iterable[Token]) -> dict[str, list[str]]:
    found: dict[str, set[str]] = {}
    for token in tokens:
        found.setdefault(token.kind, set()).add(token.text)
    return {kind: sorted(texts) for kind, texts in sorted(found.items())}
