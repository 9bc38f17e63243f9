"""
xDSL's lexer, made linear on every input and several times faster.

One regular expression matches a token and the white space and comments before it. Text that it does not match (a string
with escapes, `{-#`, letters beyond ASCII, invalid text) goes to xDSL's lexer, so that tokens and errors are the same.
"""

from __future__ import annotations

import re

from xdsl.utils.lexer import Input, Position, Span, Token
from xdsl.utils.mlir_lexer import KIND_BY_PUNCTUATION_SPELLING, MLIRLexer, MLIRToken, MLIRTokenKind, StringLiteral

from .errors import SyntaxFailure

_TOKEN = re.compile(
    r"(?:[ \t\n\r\f\v]++|//[^\n]*+)*+"
    r"(?:"
    r"(%(?:[0-9]++|[a-zA-Z$._-][a-zA-Z0-9$._-]*+))"
    r"|([:,()}\[\]<>=+*?|]|->|-|\{(?!-#))"
    r"|([a-zA-Z_][a-zA-Z0-9_$.]*+)"
    r"|(0x[0-9a-fA-F]++|[0-9]++(?!\.))"
    r'|("[^"\\\n\v\f]*+")'
    r"|(![a-zA-Z$._-][a-zA-Z0-9$._-]*+)"
    r"|(#[a-zA-Z$._][a-zA-Z0-9$._-]*+)"
    r"|(@[a-zA-Z_][a-zA-Z0-9_$.]*+)"
    r"|(\^[a-zA-Z$._-][a-zA-Z0-9$._-]*+)"
    r"|([0-9]++\.[0-9]*+(?:[eE][+-]?[0-9]++)?+)"
    r")"
)
_KINDS = (
    None,  # groups count from 1
    MLIRTokenKind.PERCENT_IDENT,
    None,  # punctuation
    MLIRTokenKind.BARE_IDENT,
    MLIRTokenKind.INTEGER_LIT,
    MLIRTokenKind.STRING_LIT,
    MLIRTokenKind.EXCLAMATION_IDENT,
    MLIRTokenKind.HASH_IDENT,
    MLIRTokenKind.AT_IDENT,
    MLIRTokenKind.CARET_IDENT,
    MLIRTokenKind.FLOAT_LIT,
)
"""The kind of each group of `_TOKEN`."""


_MAX_DIGITS = 4300
"""
Maximum number of decimal digits of an integer, which is Python's limit (conversion takes quadratic time). It also applies to
hexadecimal numbers, since they are printed in decimal.
"""

_NUMBER = re.compile(r"0x[0-9a-fA-F]+|#?[0-9]+")


class QuickToken(Token[MLIRTokenKind, str]):
    """A token with its text. Its span, which is rarely needed, is created on demand."""

    __slots__ = ("_input", "kind", "start", "text")

    def __init__(self, kind: MLIRTokenKind, text: str, start: Position, input: Input[str]):
        self.kind = kind
        self.text: str = text  # pyright: ignore[reportIncompatibleMethodOverride]
        self.start = start
        self._input = input

    @property
    def span(self) -> Span[str]:  # pyright: ignore[reportIncompatibleVariableOverride]
        return Span(self.start, self.start + len(self.text), self._input)


class QuickLexer(MLIRLexer):
    """The lexer of `LocatingParser`."""

    def lex(self) -> QuickToken:
        content = self.input.content
        match = _TOKEN.match(content, self.pos)
        if match is None:
            token = super().lex()
            return self._checked(QuickToken(token.kind, token.text, token.span.start, self.input))
        group = match.lastindex or 0
        text = match[group]
        self.pos = match.end()
        kind = _KINDS[group] or KIND_BY_PUNCTUATION_SPELLING[text]
        return self._checked(QuickToken(kind, text, self.pos - len(text), self.input))

    def _checked(self, token: QuickToken) -> QuickToken:
        """Returns the token. Raises `SyntaxFailure` if it is a number (or the `#number` of a result) too long for Python."""
        text = token.text
        most = _MAX_DIGITS * 5 // 6 if text.startswith("0x") else _MAX_DIGITS
        if len(text) > most and _NUMBER.fullmatch(text) is not None:
            raise SyntaxFailure(token.span, message=f"a number of more than {_MAX_DIGITS} digits", help="")
        return token

    # The quantifiers are possessive, so that a missing closing quote causes no backtracking into the body.
    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')
    _string_body = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+')

    def _lex_number(self, start_pos: Position) -> MLIRToken:
        if not self.input.content[start_pos].isascii():  # xDSL reads digits of other scripts, and `²`, as numbers
            character = Span(start_pos, start_pos + 1, self.input)
            raise SyntaxFailure(character, message=f"unexpected character: {character.text}", help="")
        return super()._lex_number(start_pos)

    def _lex_string_literal(self, start_pos: Position) -> MLIRToken:
        body = self._string_body.match(self.input.content, start_pos)
        end = start_pos + 1 if body is None else body.end()
        if self.input.at(end) == "\\":
            raise SyntaxFailure(
                Span(end, end + 2, self.input),
                message="invalid escape in a string",
                help='escapes are \\n, \\t, \\\\, \\" and two hexadecimal digits',
            )
        if self.input.at(end) != '"':
            raise SyntaxFailure(
                Span(start_pos, end, self.input),
                message="string is not closed",
                help='strings end with " on the line they start on',
            )
        token = super()._lex_string_literal(start_pos)
        if token.kind is MLIRTokenKind.BYTES_LIT and _is_utf8(token.span):
            # xDSL reads a string with non-ASCII characters as bytes, although its printer writes such strings.
            return Token(MLIRTokenKind.STRING_LIT, token.span)
        return token


def _is_utf8(literal: Span[str]) -> bool:
    try:
        StringLiteral(literal.start, literal.end, literal.input).bytes_contents.decode()
    except UnicodeDecodeError:
        return False
    return True
