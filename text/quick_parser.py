"""
xDSL's parser with faster hot paths; grammar, errors and results are the same.

- Tokens are compared and consumed directly.
- Types are cached by their text, such as `i32` or `memref<64xf32>`. (Attributes are immutable.)
- At the end of a region, the names defined in it are truncated. xDSL copies all names at every `{` instead.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from typing import Any

from xdsl.context import Context
from xdsl.ir import Attribute, Region, SSAValue, TypeAttribute
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.lexer import Input, Position, Span
from xdsl.utils.mlir_lexer import KIND_BY_PUNCTUATION_SPELLING, MLIRTokenKind, PunctuationSpelling

from .lexing import QuickLexer, QuickToken

_SHAPED_TYPE = re.compile(r'[a-z]++<[^<>"/#!(\-]*+>')
"""Matches types that end at the first `>` and contain no aliases; only these are cached."""

_INTEGER_TYPE = re.compile(r"[su]?i([0-9]+)")
_MAX_INTEGER_WIDTH = (1 << 24) - 1
"""Maximum width of an integer type, in bits, as in MLIR. Arithmetic on wider integers would exhaust memory."""

_BARE_IDENT = MLIRTokenKind.BARE_IDENT


class Names(dict[str, tuple[SSAValue, ...]]):
    """
    The values in scope by name, in the order of definition, with the positions of their definitions.

    A scope only adds names, so at its end the last names are dropped.
    """

    def __init__(self) -> None:
        self.positions = array("Q")

    def copy(self) -> Names:
        """Returns itself. xDSL's parser copies the names when it enters a region; here `leave` restores them."""
        return self

    def leave(self, count: int) -> None:
        """Drops all but the first `count` names."""
        while len(self) > count:
            self.popitem()
        del self.positions[count:]


class QuickParser(Parser):
    """Parses `source`, with a faster lexer, type cache and scopes than xDSL's parser."""

    def __init__(self, ctx: Context, source: Input[str]):
        super().__init__(ctx, "", source.name)
        self._lexer = QuickLexer(source)
        self._parser_state = ParserState(self._lexer)
        self.names = self.ssa_values = Names()
        self._types: dict[str, TypeAttribute] = {}

    # --- tokens -----------------------------------------------------------------------------------

    @property
    def _token(self) -> QuickToken:
        return self._parser_state.current_token  # pyright: ignore[reportReturnType]

    @property
    def pos(self) -> Position:
        return self._token.start

    def _consume_token(self, expected_kind: MLIRTokenKind | None = None) -> QuickToken:
        token = self._token
        if expected_kind is not None and token.kind is not expected_kind:
            self.raise_error(f"expected {_spelling(expected_kind)}")
        self._parser_state.current_token = self._parser_state.lexer.lex()
        return token

    def _parse_optional_token(self, expected_kind: MLIRTokenKind) -> QuickToken | None:
        state = self._parser_state
        token = state.current_token
        if token.kind is not expected_kind:
            return None
        state.current_token = state.lexer.lex()
        return token  # pyright: ignore[reportReturnType]

    def parse_optional_punctuation(self, punctuation: PunctuationSpelling) -> PunctuationSpelling | None:
        return punctuation if self._parse_optional_token(KIND_BY_PUNCTUATION_SPELLING[punctuation]) else None

    def parse_punctuation(self, punctuation: PunctuationSpelling, context_msg: str = "") -> PunctuationSpelling:
        if self._parse_optional_token(KIND_BY_PUNCTUATION_SPELLING[punctuation]) is None:
            self.raise_error(f"Expected '{punctuation}'{context_msg}")
        return punctuation

    def parse_optional_characters(self, text: str) -> str | None:
        state = self._parser_state
        if state.current_token.text != text:
            return None
        state.current_token = state.lexer.lex()
        return text

    def parse_optional_keyword(self, keyword: str) -> str | None:
        token = self._parser_state.current_token
        return self.parse_optional_characters(keyword) if token.kind is _BARE_IDENT else None

    # --- types ------------------------------------------------------------------------------------

    def _known_type(self) -> TypeAttribute | None:
        """If a cached type starts at the current token, consumes and returns it."""
        token = self._token
        if token.kind is not _BARE_IDENT:
            return None
        known = self._types.get(token.text)
        if known is None:
            if (shaped := self._shaped_type()) is None or (known := self._types.get(shaped)) is None:
                return None
            self._lexer.pos = token.start + len(shaped)
        self._parser_state.current_token = self._parser_state.lexer.lex()
        return known

    def _shaped_type(self) -> str | None:
        match = _SHAPED_TYPE.match(self._lexer.input.content, self._token.start)
        return match and match[0]

    def parse_optional_attribute(self) -> Attribute | None:
        return self._known_type() or super().parse_optional_attribute()

    def _parse_optional_integer_or_float_type(self) -> TypeAttribute | None:
        token = self._token
        if token.kind is _BARE_IDENT and (match := _INTEGER_TYPE.fullmatch(token.text)) is not None:
            digits = match[1].lstrip("0")
            if len(digits) > 8 or int(digits or "0") > _MAX_INTEGER_WIDTH:
                self.raise_error(f"integers have at most {_MAX_INTEGER_WIDTH} bits")
        return super()._parse_optional_integer_or_float_type()

    def _parse_optional_builtin_type(self) -> TypeAttribute | None:
        if (known := self._known_type()) is not None:
            return known
        token = self._token
        shaped = self._shaped_type() if token.kind is _BARE_IDENT else None
        type = super()._parse_optional_builtin_type()
        if type is not None and token.kind is _BARE_IDENT:
            text = self._lexer.input.content[token.start : self.pos].rstrip()
            if text in (token.text, shaped):
                self._types[text] = type
        return type

    # --- values -----------------------------------------------------------------------------------

    def parse_optional_region(self, arguments: Iterable[Parser.Argument] | None = None) -> Region | None:
        outside = len(self.names)
        region = super().parse_optional_region(arguments)
        self.names.leave(outside)
        return region

    def _register_ssa_definition(self, name: str, values: Any, span: Span) -> None:
        super()._register_ssa_definition(name, values, span)
        self.names.positions.append(span.start)

    def resolve_operand(self, operand: UnresolvedOperand, type: Any) -> SSAValue[Any]:
        values = self.names.get(operand.operand_name)
        if values is not None and operand.index < len(values) and values[operand.index].type is type:
            return values[operand.index]
        return super().resolve_operand(operand, type)


def _spelling(kind: MLIRTokenKind) -> str:
    return f"'{kind.value}'" if isinstance(kind.value, str) else kind.name.lower().replace("_", " ")
