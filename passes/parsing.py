"""
Reading IR from text: xDSL's parser, with places.

xDSL's own parser attaches no location to what it reads, reports an undefined value at the end of the
file, an unknown operation one token late, and takes exponential time over an unclosed quote.
`LocatingParser` mends these and nothing else: the grammar is xDSL's.

>>> module = parse_file("m.mlir", ctx)          # doctest: +SKIP
>>> module.body.block.first_op.location         # doctest: +SKIP
loc("m.mlir":1:1)
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from pathlib import Path
from typing import Any, NoReturn

from xdsl.context import Context
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    AnyFloat,
    ComplexType,
    FileLineColLoc,
    IndexType,
    IntAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue, TypeAttribute
from xdsl.parser import AttrParser, Parser, UnresolvedOperand
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.exceptions import MultipleSpansParseError, ParseError, VerifyException
from xdsl.utils.lexer import Input, Position, Span
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRToken, MLIRTokenKind

from .errors import (
    InvalidInText,
    NotText,
    SourceError,
    SyntaxFailure,
    TooDeep,
    UndefinedValue,
    UnknownName,
    Unreadable,
)
from .suggest import did_you_mean, nearest


def parse_file(path: str | Path, ctx: Context, *, allow_implicit_module: bool = True) -> ModuleOp:
    """Parse the file at `path`; every operation knows its place in it."""
    return parse_text(read_source(path), ctx, str(path), allow_implicit_module=allow_implicit_module)


def parse_text(
    text: str,
    ctx: Context,
    name: str = "<string>",
    *,
    first_line: int = 1,
    allow_implicit_module: bool = True,
) -> ModuleOp:
    """
    Parse `text`, which starts on line `first_line` of the file `name`.

    Raises `SourceError` and nothing else, whatever the text holds.
    """
    # Blank lines before a piece of a file make all its line numbers right.
    source = Input("\n" * (first_line - 1) + text, name)
    remember_source(source)
    parser: LocatingParser | None = None
    try:
        parser = LocatingParser(ctx, source)
        return parser.parse_module(allow_implicit_module)
    except SourceError:
        raise
    except MultipleSpansParseError as e:
        notes = [(span, text or e.ref_text or "here") for span, text in e.refs]
        raise SyntaxFailure(e.span, message=_sentence(e.msg), help="", span_notes=notes) from e
    except ParseError as e:
        raise SyntaxFailure(e.span, message=_sentence(e.msg), help="") from e
    except RecursionError:
        raise TooDeep(_where(parser, source)) from None
    except Exception as e:
        # A parse function of some dialect tripped over its input.
        reason = f"{type(e).__name__}: {e}"
        raise SyntaxFailure(_where(parser, source), message=f"cannot parse this ({reason})", help="") from e


def read_source(path: str | Path) -> str:
    """The text of a file. Raises `Unreadable` or `NotText`."""
    try:
        data = Path(path).read_bytes()
    except OSError as e:
        raise Unreadable(path=path, reason=e.strerror or str(e)) from e
    except ValueError as e:  # a NUL in the file name
        raise Unreadable(path=path, reason=str(e)) from e
    return decode_source(data, str(path))


def decode_source(data: bytes, name: str) -> str:
    """Bytes of IR as text, with the place of the first bad byte if they are none."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as e:
        reason = f"{e.reason} 0x{data[e.start]:02x}" if e.start < len(data) else e.reason
        raise NotText(Span(e.start, e.start + 1, Input(data, name)), path=name, reason=reason) from e
    if (nul := text.find("\0")) >= 0:
        raise NotText(Span(nul, nul + 1, Input(text, name)), path=name, reason="it holds a NUL")
    return text


# --- texts by name ------------------------------------------------------------------------------

_SOURCES: dict[str, Input[str]] = {}
"""The last text parsed under each name, so that an operation's location can show its line."""

_SOURCES_KEPT = 64


def remember_source(source: Input[str]) -> None:
    """Keep the text for diagnostics; the oldest of many are forgotten."""
    _SOURCES.pop(source.name, None)
    _SOURCES[source.name] = source
    while len(_SOURCES) > _SOURCES_KEPT:
        del _SOURCES[next(iter(_SOURCES))]


def source_named(name: str) -> Input[str] | None:
    """The text parsed under `name`, if it is still kept."""
    return _SOURCES.get(name)


# --- the parser ---------------------------------------------------------------------------------


class LocatingLexer(MLIRLexer):
    """xDSL's lexer, linear on every input."""

    # Possessive: no backtracking into the body when the closing quote is missing.
    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')
    _string_body = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+')

    def _lex_string_literal(self, start_pos: Position) -> MLIRToken:
        if self._unescaped_characters_regex.match(self.input.content, start_pos) is None:
            body = self._string_body.match(self.input.content, start_pos)
            end = start_pos + 1 if body is None else body.end()
            if self.input.at(end) == "\\":
                raise SyntaxFailure(
                    Span(end, end + 2, self.input),
                    message="invalid escape in a string",
                    help='escapes are \\n, \\t, \\\\, \\" and two hexadecimal digits',
                )
            raise SyntaxFailure(
                Span(start_pos, end, self.input),
                message="string is not closed",
                help='strings end with " on the line they start on',
            )
        return super()._lex_string_literal(start_pos)


class _BitPattern(AttrParser._TensorLiteralElement):  # pyright: ignore[reportPrivateUsage]
    """A hexadecimal element of a dense float literal: the bits of the float, as MLIR has it, not its value."""

    def to_type(self, parser: AttrParser, type: AnyFloat | IntegerType | IndexType | ComplexType) -> Any:
        if not isinstance(type, AnyFloat) or not isinstance(self.value, int):
            return super().to_type(parser, type)
        size = len(type.pack((0.0,)))
        try:
            return type.unpack(self.value.to_bytes(size, "little"), 1)[0]
        except OverflowError:
            parser.raise_error(f"hexadecimal float of more than {size} bytes", at_position=self.span)


class LocatingParser(Parser):
    """Attaches `FileLineColLoc` (of the operation's name, as MLIR does) to every operation it reads."""

    def __init__(self, ctx: Context, source: Input[str]):
        super().__init__(ctx, "", source.name)
        self._parser_state = ParserState(LocatingLexer(source))
        self._file = StringAttr(source.name)
        self._line_starts = [0, *(m.end() for m in re.finditer("\n", source.content))]
        self._op_starts: list[Position] = []
        self._first_use: dict[str, Span] = {}

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        if allow_implicit_module and self._current_token.kind is MLIRTokenKind.EOF:
            return ModuleOp([])
        try:
            return super().parse_module(allow_implicit_module)
        except SourceError:
            raise
        except ParseError:
            # xDSL's last check: values used and never defined. Say where instead of at the end.
            if self._current_token.kind is MLIRTokenKind.EOF and self.forward_ssa_references and not self._op_starts:
                self._raise_undefined()
            raise

    def parse_operation(self) -> Operation:
        self._op_starts.append(self.pos)
        try:
            op = super().parse_operation()
        except VerifyException as e:
            # The operation's constructor, or an attribute that it builds, refused what was read.
            self._raise_invalid(e, self._op_starts[-1])
        start = self._op_starts.pop()
        if op.location is UNKNOWN_LOC:  # not ==: a written `loc(unknown)` stays
            op.location = self._location(start)
        return op

    def _parse_tensor_literal_element(self) -> AttrParser._TensorLiteralElement:  # pyright: ignore[reportPrivateUsage]
        element = super()._parse_tensor_literal_element()
        if element.span.text.lower().startswith("0x"):
            return _BitPattern(element.is_negative, element.value, element.span)
        return element

    def _parse_op_result_list(self) -> list[tuple[Span, int]]:
        results = super()._parse_op_result_list()
        self._op_starts[-1] = self.pos
        return results

    def _get_op_by_name(self, name: str) -> type[Operation]:
        op_type = self.ctx.get_optional_op(name, dialect_stack=self._parser_state.dialect_stack)
        if op_type is None:
            self._raise_unknown_op(name)
        return op_type

    def resolve_operand(self, operand: UnresolvedOperand, type: Any) -> SSAValue[Any]:
        if operand.operand_name not in self.ssa_values:
            self._first_use.setdefault(operand.operand_name, operand.span)
        return super().resolve_operand(operand, type)

    def parse_optional_type(self) -> TypeAttribute | None:
        start = self.pos
        try:
            return super().parse_optional_type()
        except VerifyException as e:
            self._raise_invalid(e, start)

    def parse_optional_attribute(self) -> Attribute | None:
        start = self.pos
        try:
            return super().parse_optional_attribute()
        except VerifyException as e:
            self._raise_invalid(e, start)

    def _parse_dialect_type_or_attribute_body(
        self, attr_name: str, is_type: bool, is_opaque: bool, starting_opaque_pos: Position | None
    ) -> Any:
        if "." in attr_name:
            find = self.ctx.get_optional_type if is_type else self.ctx.get_optional_attr
            if find(attr_name) is None:
                self._raise_unknown_attribute(attr_name, is_type)
        return super()._parse_dialect_type_or_attribute_body(attr_name, is_type, is_opaque, starting_opaque_pos)

    def _location(self, position: Position) -> FileLineColLoc:
        line = bisect_right(self._line_starts, position)
        column = position - self._line_starts[line - 1] + 1
        return FileLineColLoc(self._file, IntAttr(line), IntAttr(column))

    def _raise_invalid(self, error: VerifyException, start: Position) -> NoReturn:
        end = min(self.lexer.input.get_end_of_line(start), max(self.pos, start + 1))
        span = Span(start, end, self.lexer.input)
        raise InvalidInText(span, message=str(error)) from error

    def _raise_undefined(self) -> NoReturn:
        names = [name for name in self.forward_ssa_references if name in self._first_use]
        if not names:
            self.raise_error("values used but not defined")
        first, *others = names
        written = set(re.findall(r"%([A-Za-z0-9_$.-]+)", self.lexer.input.content)) - set(names)
        near = nearest(first, written)
        raise UndefinedValue(
            self._first_use[first],
            name=first,
            help=f"did you mean %{near[0]}?" if near else "",
            span_notes=[(self._first_use[name], f"%{name} is not defined either") for name in others],
        )

    def _raise_unknown_op(self, name: str) -> NoReturn:
        start = self._op_starts[-1]
        length = len(name) + (2 if self.lexer.input.at(start) == '"' else 0)
        span = Span(start, start + length, self.lexer.input)
        raise UnknownName(span, what="operation", name=name, help=self._suggest(name, operations=True))

    def _raise_unknown_attribute(self, name: str, is_type: bool) -> NoReturn:
        # The name was the token before the current one: `!name` or `#name`.
        sigil = "!" if is_type else "#"
        start = self.lexer.input.content.rfind(sigil + name, 0, self.pos)
        span = self._current_token.span if start < 0 else Span(start, start + len(name) + 1, self.lexer.input)
        what = "type" if is_type else "attribute"
        raise UnknownName(span, what=what, name=name, help=self._suggest(name, operations=False))

    def _suggest(self, name: str, *, operations: bool) -> str:
        dialect_name, _, _ = name.partition(".")
        known = self.ctx.get_optional_dialect(dialect_name) if "." in name else None
        if known is None:
            dialects = list(self.ctx.registered_dialect_names)
            if "." not in name:
                return "operations are named dialect.operation"
            return f"there is no dialect '{dialect_name}'; " + did_you_mean(
                dialect_name, dialects, otherwise="--show-dialects lists them"
            )
        members = known.operations if operations else known.attributes
        return did_you_mean(name, [member.name for member in members])


def _where(parser: LocatingParser | None, source: Input[str]) -> Span:
    """The token the parser stopped at."""
    if parser is None:
        return Span(0, 1, source)
    token = parser._current_token.span  # pyright: ignore[reportPrivateUsage]
    return Span(token.start, token.end, source)


def _sentence(message: str) -> str:
    """xDSL's messages start sometimes with a capital and end sometimes with a stop; ours never do."""
    message = message.strip().rstrip(".!")
    if len(message) > 1 and message[0].isupper() and message[1].islower():
        message = message[0].lower() + message[1:]
    return message


def allow_deep_nesting(frames: int = 6000) -> None:
    """Room for about a thousand nested regions; more is `TooDeep`, never a crash. For `main()`."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), frames))


__all__ = [
    "LocatingParser",
    "allow_deep_nesting",
    "decode_source",
    "parse_file",
    "parse_text",
    "read_source",
    "remember_source",
    "source_named",
]
