"""
The notation of pass pipelines: text to syntax tree, with the place of every name.

    pipeline ::= element (`,` element)*
    element  ::= pass-name options?  |  op-name `(` pipeline? `)`
    options  ::= `{` (key (`=` value (`,` value)*)?)* `}`
    value    ::= string-literal | `{` text `}` | `{` value (`,` value)* `}` | characters other than space , { } " '

In a string between `"`, `\\n \\t \\r \\f \\v \\" \\\\` are escapes and every other backslash is one.
No name is looked up here; `pipeline` does that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from xdsl.utils.lexer import Input, Span

from .errors import PipelineSyntax


@dataclass(frozen=True)
class OptionValue:
    """One value as written. A quoted one is never read as a number. Text in braces may also be a list: of `items`."""

    text: str
    quoted: bool
    span: Span
    items: tuple[OptionValue, ...] | None = None


@dataclass(frozen=True)
class OptionSyntax:
    """`name`, or `name=value,value`."""

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
    """A pipeline under an operation's name."""

    anchor: str
    body: tuple[PassSyntax | NestSyntax, ...]
    span: Span


# --- text → tree --------------------------------------------------------------------------------

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]*")
_SPACE = re.compile(r"\s*")
_WORD = re.compile(r"""[^\s,{}"']+""")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"|\'([^\']*+)\'')
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", '"': '"', "\\": "\\"}
_NEXT_OPTION = re.compile(r"[A-Za-z_][A-Za-z0-9_\-]*(?==)")

_DEEPEST = 200


def parse_pipeline(text: str, name: str = "<pass-pipeline>") -> tuple[PassSyntax | NestSyntax, ...]:
    """
    The syntax tree of a pipeline; an outermost `builtin.module(…)` is taken off.

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
    A pass as an option of the command line, LLVM's way: `--cse`, `-plan-regions=arch=sm80 stages=3`.

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
        start = self._pos
        if (match := _NAME.match(self._text, start)) is None:
            self._fail("expected a pass name")
        self._pos = match.end()
        span = self._span(start, self._pos)
        self._skip()
        if self._peek() == "(":
            return self._nest(match.group(), span)
        options = self._options() if self._peek() == "{" else ()
        return PassSyntax(match.group(), options, span)

    def _nest(self, anchor: str, span: Span) -> NestSyntax:
        self._open.append(self._pos)
        if len(self._open) > _DEEPEST:
            self._fail("nested too deeply")
        self._take("(")
        body = () if self._peek() == ")" else self._elements()
        if not self._take(")"):
            if self._pos < len(self._text):
                self._fail("expected ',' or ')'")
            self._fail_unclosed("(")
        self._open.pop()
        return NestSyntax(anchor, body, span)

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
        start = self._pos
        if (match := _NAME.match(self._text, start)) is None:
            self._fail("expected an option name or '}'")
        self._pos = match.end()
        span = self._span(start, self._pos)
        if self._peek() != "=":
            if not (self._peek() in ("", "}") or self._peek().isspace()):
                self._fail("expected '=', a space or '}' after the option name")
            self._skip()
            return OptionSyntax(match.group(), (), span)
        self._pos += 1
        values = [self._value()]
        while self._peek() == ",":
            self._pos += 1
            if option := _NEXT_OPTION.match(self._text, self._pos):
                self._fail(f"options are separated by spaces: write a space before '{option.group()}'", option.end())
            values.append(self._value())
        if not (self._peek() in ("", "}") or self._peek().isspace()):
            self._fail("expected a space or '}' after the value")
        self._skip()
        return OptionSyntax(match.group(), tuple(values), span)

    def _value(self) -> OptionValue:
        start = self._pos
        if self._peek() == "{":
            return self._braced_value()
        if self._peek() in ("'", '"') and self._peek():
            if (match := _STRING.match(self._text, start)) is None:
                self._fail("string is not closed")
            self._pos = match.end()
            double, single = match.groups()
            text = single if double is None else _ESCAPE.sub(lambda m: _ESCAPES.get(m[1], m[0]), double)
            return OptionValue(text, True, self._span(start, self._pos))
        if (match := _WORD.match(self._text, start)) is None:
            self._fail("expected a value")
        self._pos = match.end()
        return OptionValue(match.group(), False, self._span(start, self._pos))

    def _braced_value(self) -> OptionValue:
        """MLIR's `{a b c}`: everything up to the matching brace. For an option that is a list, `{a,b}` is that list."""
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
        """The values between braces, if that is what stands there."""
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
