"""
Parses the text of a pass pipeline to a syntax tree, with the place of every name.

    pipeline ::= element (`,` element)*
    element  ::= pass-name options?  |  op-name `(` pipeline? `)`
    options  ::= `{` (key (`=` value (`,` value)*)?)* `}`
    value    ::= string-literal | `{` text `}` | `{` value (`,` value)* `}` | characters other than space , { } " '

In a string between `"`, `\\n \\t \\r \\f \\v \\" \\\\` are escapes; any other backslash stands for itself.
`passes/pipeline.py` looks up the names of passes and options.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from xdsl.utils.lexer import Input, Span

from .errors import PipelineSyntax


@dataclass(frozen=True)
class OptionValue:
    """
    A value of an option. A `quoted` value is never a number. `items` holds the elements of a braced value `{a,b}` that is a list,
    and is None for any other value.
    """

    text: str
    quoted: bool
    span: Span
    items: tuple[OptionValue, ...] | None = None


@dataclass(frozen=True)
class OptionSyntax:
    """An option: `name`, or `name=value,value`."""

    name: str
    values: tuple[OptionValue, ...]
    span: Span


@dataclass(frozen=True)
class PassSyntax:
    """A pass, or a named pipeline, with its options."""

    name: str
    options: tuple[OptionSyntax, ...]
    span: Span


@dataclass(frozen=True)
class NestSyntax:
    """A nested pipeline: the name of an operation and the passes to run on each such operation."""

    anchor: str
    body: tuple[PassSyntax | NestSyntax, ...]
    span: Span


# --- text → tree --------------------------------------------------------------------------------

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]*")
_SPACE = re.compile(r"\s*")
_WORD = re.compile(r"""[^\s,{}"']+""")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"|\'[^\']*+\'')
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", '"': '"', "\\": "\\"}
_NEXT_OPTION = re.compile(r"[A-Za-z_][A-Za-z0-9_\-]*(?==)")

_MAX_DEPTH = 200
"""Maximum depth of nested pipelines and braces."""


def parse_pipeline(text: str, name: str = "<pass-pipeline>") -> tuple[PassSyntax | NestSyntax, ...]:
    """
    Returns the syntax tree of a pipeline, without an outermost `builtin.module(…)`.

    >>> [element.name for element in parse_pipeline("a,b{x=1 y=2}") if isinstance(element, PassSyntax)]
    ['a', 'b']
    """
    elements = _PipelineParser(text, name).parse()
    match elements:
        case (NestSyntax("builtin.module", body, _),):
            return body
        case (NestSyntax("builtin.module"), other, *_):
            raise PipelineSyntax(other.span, message="write one builtin.module(…) around the whole pipeline")
        case _:
            return elements


def parse_pass_flag(flag: str, option: str) -> PassSyntax:
    """
    Parses a pass as an option of the command line, as LLVM writes it: `--cse`, `-plan-regions=arch=sm80 stages=3`.

    >>> [option.name for option in parse_pass_flag("--plan-regions=arch=sm80 stages=3", "").options]
    ['arch', 'stages']
    """
    return _PipelineParser(flag, option).parse_flag()


class _PipelineParser:
    """Recursive descent; one method per rule of the grammar above."""

    def __init__(self, text: str, name: str):
        self._input = Input(text, name)
        self._text = text
        self._pos = 0
        self._open: list[int] = []

    def parse(self) -> tuple[PassSyntax | NestSyntax, ...]:
        self._skip()
        if self._pos == len(self._text):
            return ()
        elements = self._elements()
        if self._pos < len(self._text):
            self._fail("unmatched ')'" if self._peek() == ")" else "expected ',' between passes")
        return elements

    def parse_flag(self) -> PassSyntax:
        self._pos = len(self._text) - len(self._text.lstrip("-"))
        name, start = self._text[self._pos :].partition("=")[0], self._pos
        self._pos += len(name) + 1
        self._skip()
        options: list[OptionSyntax] = []
        while self._pos < len(self._text):
            options.append(self._option())
        return PassSyntax(name, tuple(options), self._span(start, start + len(name)))

    def _elements(self) -> tuple[PassSyntax | NestSyntax, ...]:
        elements = [self._element()]
        while self._take(","):
            elements.append(self._element())
        return tuple(elements)

    def _element(self) -> PassSyntax | NestSyntax:
        span = self._match(_NAME, "expected a pass name")
        self._skip()
        if self._peek() == "(":
            return self._nest(span)
        return PassSyntax(span.text, self._options() if self._peek() == "{" else (), span)

    def _nest(self, anchor: Span) -> NestSyntax:
        self._open.append(self._pos)
        if len(self._open) > _MAX_DEPTH:
            self._fail("nested too deeply")
        self._take("(")
        body = () if self._peek() == ")" else self._elements()
        if not self._take(")"):
            if self._pos < len(self._text):
                self._fail("expected ',' or ')'")
            self._fail_unclosed("(")
        self._open.pop()
        return NestSyntax(anchor.text, body, anchor)

    def _options(self) -> tuple[OptionSyntax, ...]:
        self._open.append(self._pos)
        self._take("{")
        options: list[OptionSyntax] = []
        while not self._take("}"):
            if self._pos == len(self._text):
                self._fail_unclosed("{")
            options.append(self._option())
        self._open.pop()
        return tuple(options)

    def _option(self) -> OptionSyntax:
        name = self._match(_NAME, "expected an option name or '}'")
        values: list[OptionValue] = []
        while self._peek() == ("," if values else "="):
            self._pos += 1
            if values and (option := _NEXT_OPTION.match(self._text, self._pos)):
                self._fail(f"options are separated by spaces: write a space before '{option.group()}'", option.end())
            values.append(self._value())
        if not (self._peek() in ("", "}") or self._peek().isspace()):
            expected = "a space or '}' after the value" if values else "'=', a space or '}' after the option name"
            self._fail(f"expected {expected}")
        self._skip()
        return OptionSyntax(name.text, tuple(values), name)

    def _value(self) -> OptionValue:
        match self._peek():
            case "{":
                return self._braced_value()
            case "'" | '"' as quote:
                span = self._match(_STRING, "string is not closed")
                text = span.text[1:-1]
                text = _ESCAPE.sub(lambda m: _ESCAPES.get(m[1], m[0]), text) if quote == '"' else text
                return OptionValue(text, True, span)
            case _:
                span = self._match(_WORD, "expected a value")
                return OptionValue(span.text, False, span)

    def _braced_value(self) -> OptionValue:
        """Parses MLIR's `{a b c}`: all text up to the matching brace. An option that takes a list reads `{a,b}` as a list."""
        start, depth = self._pos, 0
        items = self._list()
        self._pos = start
        while self._pos < len(self._text):
            depth += {"{": 1, "}": -1}.get(self._peek(), 0)
            self._pos += 1
            if depth == 0:
                break
        else:
            self._open.append(start)
            self._fail_unclosed("{")
        return OptionValue(self._text[start + 1 : self._pos - 1], True, self._span(start, self._pos), items)

    def _list(self) -> tuple[OptionValue, ...] | None:
        """Parses a list of values between braces. Returns None if there is other text between the braces."""
        self._take("{")
        items: list[OptionValue] = []
        try:
            while not self._take("}"):
                if (items and not self._take(",")) or self._peek() == "{":
                    return None
                items.append(self._value())
        except PipelineSyntax:
            return None
        return tuple(items)

    def _match(self, pattern: re.Pattern[str], problem: str) -> Span:
        """Consumes text that matches `pattern`. Raises `PipelineSyntax` with `problem` if it does not match."""
        if (match := pattern.match(self._text, self._pos)) is None:
            self._fail(problem)
        self._pos = match.end()
        return self._span(match.start(), self._pos)

    def _peek(self) -> str:
        return self._text[self._pos : self._pos + 1]

    def _skip(self) -> None:
        if (match := _SPACE.match(self._text, self._pos)) is not None:
            self._pos = match.end()

    def _take(self, character: str) -> bool:
        self._skip()
        if self._peek() != character:
            return False
        self._pos += 1
        self._skip()
        return True

    def _span(self, start: int, end: int) -> Span:
        return Span(start, end, self._input)

    def _fail(self, message: str, end: int = 0) -> NoReturn:
        raise PipelineSyntax(self._span(self._pos, max(end, self._pos + 1)), message=message)

    def _fail_unclosed(self, bracket: str) -> NoReturn:
        start = self._open[-1]
        raise PipelineSyntax(self._span(start, start + 1), message=f"this '{bracket}' is never closed")
