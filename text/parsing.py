"""
Parses IR with locations.

xDSL's own parser attaches no locations, reports an undefined value at the end of the file and an unknown operation one
token late, and takes exponential time for an unclosed quote. `LocatingParser` fixes these defects; the grammar is xDSL's.

>>> module = parse_file("m.mlir", ctx)          # doctest: +SKIP
>>> module.body.block.first_op.location         # doctest: +SKIP
loc("m.mlir":1:1)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn, TypeAlias, TypeVar, cast

from xdsl.context import Context
from xdsl.dialects.builtin import UNKNOWN_LOC, FileLineColLoc, IntAttr, LocationAttr, ModuleOp
from xdsl.ir import Attribute, BlockArgument, Operation, Region, SSAValue, TypeAttribute
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.utils.exceptions import MultipleSpansParseError, ParseError, VerifyException
from xdsl.utils.lexer import Input, Position, Span
from xdsl.utils.mlir_lexer import MLIRTokenKind

from ..errors import SourceError, message_of
from .errors import InvalidInText, SyntaxFailure, TooDeep, UndefinedValue, UnknownName
from .location_syntax import LocationParser
from .optional_groups import require_anchors
from .sources import read_source
from .suggest import nearest, suggest_attribute, suggest_operation, suggest_type

require_anchors()

Resources: TypeAlias = dict[str, dict[str, Any]]
"""External resources by group and key; values are strings, booleans or numbers."""

MAX_DEPTH = 500
"""Maximum nesting depth of operations, and of attributes and types. Recursive functions can handle this depth."""

_A = TypeVar("_A")


def parse_file(path: str | Path, ctx: Context) -> ModuleOp:
    """Parses the file at `path`; the operations have their locations in this file. Raises `SourceError` or `Unreadable`."""
    return parse_text(read_source(path), ctx, str(path))


def parse_text(
    text: str,
    ctx: Context,
    name: str = "<string>",
    *,
    first_line: int = 1,
    allow_implicit_module: bool = True,
    resources: Resources | None = None,
) -> ModuleOp:
    """
    Parses `text`, which starts on line `first_line` of the file `name`. Its external resources are added to `resources`.

    Raises no other exception than `SourceError`, whatever the text is.
    """
    # If the text is a part of a file, blank lines before it make its line numbers those of the file.
    source = Input("\n" * (first_line - 1) + text, name)
    parser: LocatingParser | None = None
    try:
        parser = LocatingParser(ctx, source, resources)
        return parser.parse_module(allow_implicit_module)
    except SourceError:
        raise
    except ParseError as e:
        raise _syntax_failure(e, parser, source) from None  # it contains all information of xDSL's error
    except RecursionError:
        raise TooDeep(_where(parser, source)) from None
    except UnicodeError as e:
        raise SyntaxFailure(_where(parser, source), message="this text is not UTF-8", help="") from e
    except (MemoryError, OverflowError) as e:
        raise SyntaxFailure(_where(parser, source), message="out of memory while parsing this", help="") from e
    except Exception as e:
        # The parse function of a dialect crashed.
        reason = f"{type(e).__name__}: {message_of(e)}"
        raise SyntaxFailure(_where(parser, source), message=f"cannot parse this ({reason})", help="") from e


def _syntax_failure(error: ParseError, parser: LocatingParser | None, source: Input[str]) -> SyntaxFailure:
    """Converts xDSL's error, with a message in our style and further help."""
    span = cast(Span[str], error.span)
    message, help = _sentence(error.msg), ""
    notes: list[tuple[Span[str] | Span[bytes], str]] = []
    if isinstance(error, MultipleSpansParseError):
        notes += [(span, text or error.ref_text or "here") for span, text in error.refs]
    if source.content.startswith("/*", span.start):
        message, help = "/* */ comments are not supported", "comments begin with // and end with the line"
    elif message in ("type expected", "expected shape type") and (word := _WORD.match(source.content, span.start)):
        message, help = f"'{word[0]}' is not a type", suggest_type(word[0])
    elif message.startswith("expected 'x' in shape delimiter"):
        help = "sizes and element type are written without spaces: tensor<4x2xf32>"
    elif parser is not None and not source.content[span.start :].strip():
        if parser.open_regions:
            brace = parser.open_regions[-1]
            notes.append((Span(brace, brace + 1, source), "this region is never closed"))
            message = "the file ends inside a region"
        else:
            message = f"the file ends too early: {message}"
    return SyntaxFailure(span, message=message, help=help or _HELP.get(message, ""), span_notes=notes)


_HELP = {
    "operand expected": "an operand is a value, %x; a number becomes one by %c = ptir.constant dense<1.0> : tensor<f32>",
    "expected ':'": "an operation ends with its types: %y = ptir.exp %x : tensor<4xf32>",
    "invalid type given for integer or float attribute": "the constant of a tensor is written dense<0.0> : tensor<4xf32>",
}
"""Help for those messages of xDSL that beginners see most often."""


_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+")

_ALIAS_DEPTH = 100
"""Maximum length of a chain of aliases, in which each is defined by the next."""

_NEARBY = 10_000
"""Number of characters before, and after, an undefined name that are searched for similar names."""

_NOTES = 10
"""Maximum number of undefined names that are shown in addition to the first."""


_OTHERS = 20
"""Maximum number of unregistered operations that are shown in addition to the first."""

_OPERATION = re.compile(
    r"^[ \t]*+(?:%[^\s=,]++(?:[ \t]*+,[ \t]*+%[^\s=,]++)*+[ \t]*+=[ \t]*+)?+"
    r'(?P<quote>"?)(?P<name>[A-Za-z_][A-Za-z0-9_$]*+\.[A-Za-z0-9_$.]++)(?P=quote)(?![ \t]*+[=,}:])',
    re.MULTILINE,
)
"""The likely start of an operation, as opposed to a continuation line such as `, %x` or a type."""


# --- the parser ---------------------------------------------------------------------------------


class LocatingParser(LocationParser):
    """Attaches `FileLineColLoc` (of the name, as MLIR does) to every operation and block argument it reads."""

    def __init__(self, ctx: Context, source: Input[str], resources: Resources | None = None):
        super().__init__(ctx, source)
        self.resources: Resources = {} if resources is None else resources
        self._counted, self._line, self._line_start, self._line_attr = 0, 1, 0, IntAttr(1)
        self._columns: dict[int, IntAttr] = {}
        self._open: list[tuple[Position, FileLineColLoc]] = []
        self.open_regions: list[Position] = []
        self._depth = 0
        self._aliases = _Aliases(1_000_000 + 10 * len(source.content))
        self._first_use: dict[str, Span] = {}

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        if allow_implicit_module and self._current_token.kind is MLIRTokenKind.EOF:
            return ModuleOp([])
        try:
            module = super().parse_module()
            if not allow_implicit_module and module.location is UNKNOWN_LOC:
                self.raise_error("expected a top-level builtin.module", Span(0, 1, self.lexer.input))
            self.resolve_locations(module)
            return module
        except SourceError:
            raise
        except ParseError:
            # xDSL's last check, for undefined values, reports them at the end of the file.
            if self._current_token.kind is MLIRTokenKind.EOF and self.forward_ssa_references and not self._open:
                self._raise_undefined()
            raise

    def parse_operation(self) -> Operation:
        start = self.pos
        self._open.append((start, self._location(start)))
        try:
            op = super().parse_operation()
        except VerifyException as e:
            # The operation's constructor, or an attribute that it builds, raised.
            self._raise_invalid(e, self._open[-1][0])
        start, location = self._open.pop()
        if op.attributes:
            self._refuse_properties(op, start)
        if op.location is UNKNOWN_LOC:  # not ==: a written `loc(unknown)` stays
            op.location = location
        return op

    def _refuse_properties(self, op: Operation, start: Position) -> None:
        """Rejects properties that are written as attributes: in the generic form, they would be read as attributes."""
        if isinstance(op, IRDLOperation) and type(op).__module__.startswith("ptir."):
            for name in op.attributes.keys() & op.get_irdl_definition().properties.keys():
                span = Span(start, start + len(op.name), self.lexer.input)
                problem = f"'{name}' is a property of '{op.name}' and cannot be written as an attribute"
                raise InvalidInText(span, VerifyException(problem))

    def _has_outer_module(self) -> bool:
        """Whether the text has an explicit outermost module. It does not count as a level: the printer always writes one."""
        return self._lexer.input.content.startswith(("builtin.module", '"builtin.module"'), self._open[0][0])

    def _parse_op_result_list(self) -> list[tuple[Span, int]]:
        results = super()._parse_op_result_list()
        if results:
            self._open[-1] = (self.pos, self._location(self.pos))
        return results

    def parse_optional_region(self, arguments: Iterable[Parser.Argument] | None = None) -> Region | None:
        depth = len(self.open_regions)
        if depth >= MAX_DEPTH and depth >= MAX_DEPTH + self._has_outer_module():
            raise TooDeep(self._token.span)
        self.open_regions.append(self.pos)
        region = super().parse_optional_region(arguments)
        self.open_regions.pop()
        return region

    def _parse_alias_def(self) -> None:
        span = self._token.span
        with self._aliases.defining(span):
            super()._parse_alias_def()

    def _parse_extended_type_or_attribute(self, attr_or_dialect_name: str, is_type: bool) -> Any:
        sigil = "!" if is_type else "#"
        if sigil + attr_or_dialect_name in self.attribute_aliases:
            self._use_alias(sigil + attr_or_dialect_name, self._token.span)
        return super()._parse_extended_type_or_attribute(attr_or_dialect_name, is_type)  # pyright: ignore

    def _use_alias(self, name: str, span: Span) -> None:
        self._aliases.use(name, span)

    def _parse_external_resources(self) -> None:
        """Parses `{group: {key: value, …}, …}`, which xDSL's parser rejects."""

        def value() -> Any:
            if (text := self.parse_optional_str_literal()) is not None:
                return text
            if (boolean := self.parse_optional_boolean()) is not None:
                return boolean
            return self.parse_number(context_msg=" as value of a resource")

        def entry(group: dict[str, Any]) -> None:
            key = self.parse_identifier_or_str_literal(" as key of a resource")
            self.parse_punctuation(":")
            group[key] = value()

        def group() -> None:
            into = self.resources.setdefault(self.parse_identifier_or_str_literal(" as name of a resource group"), {})
            self.parse_punctuation(":")
            self.parse_comma_separated_list(self.Delimiter.BRACES, lambda: entry(into))

        self.parse_comma_separated_list(self.Delimiter.BRACES, group)

    def _get_op_by_name(self, name: str) -> type[Operation]:
        op_type = self.ctx.get_optional_op(name, dialect_stack=self._parser_state.dialect_stack)
        if op_type is None:
            self._raise_unknown_op(name)
        return op_type

    def _register_ssa_definition(self, name: str, values: Any, span: Span) -> None:
        if name in self.names:
            raise SyntaxFailure(
                span,
                message=f"redefinition of value %{name}",
                help="a name is defined once in a region and its nested regions",
                span_notes=[(self._definition(name), "first defined here")],
            )
        super()._register_ssa_definition(name, values, span)
        for value in values:
            value.name_hint = value.name_hint or None  # xDSL's name hint for %_1 is "", which its clone() rejects
            if type(value) is BlockArgument and value.location is UNKNOWN_LOC:
                value.location = self._location(span.start)
        self._first_use.pop(name, None)

    def resolve_operand(self, operand: UnresolvedOperand, type: Any) -> SSAValue[Any]:
        name = operand.operand_name
        if name not in self.names:
            self._first_use.setdefault(name, operand.span)
        elif operand.index < len(values := self.names[name]) and values[operand.index].type != type:
            raise SyntaxFailure(
                operand.span,
                message=f"{operand.span.text} has type {values[operand.index].type} but is used as {type}",
                help="there is no implicit conversion: convert the value with an op, or correct the type",
                span_notes=[(self._definition(name), "defined here")],
            )
        return super().resolve_operand(operand, type)

    def _definition(self, name: str) -> Span:
        """Returns the span of the value's definition."""
        start = self.names.positions[list(self.names).index(name)]
        return Span(start, start + len(name) + 1, self.lexer.input)

    def parse_optional_type(self) -> TypeAttribute | None:
        return self._nested(super().parse_optional_type, MAX_DEPTH + 2)  # the deepest attribute may be `1 : i64`

    def parse_optional_attribute(self) -> Attribute | None:
        return self._nested(super().parse_optional_attribute, MAX_DEPTH)

    def _parse_location(self) -> LocationAttr:
        return self._nested(super()._parse_location, MAX_DEPTH)

    def _parse_tensor_literal(self) -> Any:
        return self._nested(super()._parse_tensor_literal, MAX_DEPTH)

    def _nested(self, parse: Callable[[], _A], max_depth: int) -> _A:
        """Calls `parse` for a part of an attribute or type, one level deeper. Raises `TooDeep` beyond `max_depth`."""
        start = self.pos
        self._depth += 1
        if self._depth > max_depth:
            raise TooDeep(self._token.span)
        try:
            return parse()
        except VerifyException as e:
            self._raise_invalid(e, start)
        finally:
            self._depth -= 1

    def _parse_dialect_type_or_attribute_body(
        self, attr_name: str, is_type: bool, is_opaque: bool, starting_opaque_pos: Position | None
    ) -> Any:
        if "." in attr_name:
            find = self.ctx.get_optional_type if is_type else self.ctx.get_optional_attr
            if find(attr_name) is None:
                self._raise_unknown_attribute(attr_name, is_type)
        return super()._parse_dialect_type_or_attribute_body(attr_name, is_type, is_opaque, starting_opaque_pos)

    def _location(self, position: Position) -> FileLineColLoc:
        """Returns the location of `position`. Lines are counted forward or backward from the position of the previous call."""
        content = self._lexer.input.content
        low, high = sorted((self._counted, position))
        if newlines := content.count("\n", low, high):
            self._line += newlines if low == self._counted else -newlines
            self._line_start = content.rfind("\n", 0, position) + 1
            self._line_attr = IntAttr(self._line)
        self._counted = position
        number = position - self._line_start + 1
        if (column := self._columns.get(number)) is None:
            column = self._columns[number] = IntAttr(number)
        # Creates FileLineColLoc(file, line, column) without its verification, which takes time.
        location = FileLineColLoc.__new__(FileLineColLoc)
        object.__setattr__(location, "filename", self._file)
        object.__setattr__(location, "line", self._line_attr)
        object.__setattr__(location, "column", column)
        return location

    def _raise_invalid(self, error: VerifyException, start: Position) -> NoReturn:
        end = min(self.lexer.input.get_end_of_line(start), max(self.pos, start + 1))
        span = Span(start, end, self.lexer.input)
        raise InvalidInText(span, error) from error

    def _raise_undefined(self) -> NoReturn:
        names = [name for name in self.forward_ssa_references if name in self._first_use]
        if not names:
            self.raise_error("values used but not defined")
        first, *others = names
        use = self._first_use[first].start
        around = self._lexer.input.content[max(0, use - _NEARBY) : use + _NEARBY]
        near = nearest(first, set(re.findall(r"%([A-Za-z0-9_$.-]+)", around)) - set(names))
        raise UndefinedValue(
            self._first_use[first],
            name=first,
            help=f"did you mean %{near[0]}?" if near else "",
            span_notes=[(self._first_use[name], f"%{name} is not defined either") for name in others[:_NOTES]],
        )

    def _raise_unknown_op(self, name: str) -> NoReturn:
        raise self._unknown_op(name, self._open[-1][0], tuple(self._further_unknown_ops(self._open[-1][0] + 1)))

    def _unknown_op(self, name: str, start: Position, others: Sequence[SourceError] = ()) -> UnknownName:
        span = Span(start, start + len(name) + (2 if self.lexer.input.at(start) == '"' else 0), self.lexer.input)
        return UnknownName(span, what="operation", name=name, help=suggest_operation(name, self.ctx), others=others)

    def _further_unknown_ops(self, start: Position) -> Iterator[UnknownName]:
        """
        Yields errors for the unregistered operations after `start`. Their syntax is not known, so this is a heuristic: it finds
        qualified names at the start of a line or after results.
        """
        matches = (match for match in _OPERATION.finditer(self.lexer.input.content, start))
        unknown = (match for match in matches if self.ctx.get_optional_op(match["name"]) is None)
        for match in islice(unknown, _OTHERS):
            yield self._unknown_op(match["name"], match.start("name") - len(match["quote"]))

    def _raise_unknown_attribute(self, name: str, is_type: bool) -> NoReturn:
        # The name was the token before the current one: `!name` or `#name`.
        sigil = "!" if is_type else "#"
        start = self.lexer.input.content.rfind(sigil + name, 0, self.pos)
        span = self._current_token.span if start < 0 else Span(start, start + len(name) + 1, self.lexer.input)
        what = "type" if is_type else "attribute"
        raise UnknownName(span, what=what, name=name, help=suggest_attribute(name, self.ctx))


class _Aliases:
    """
    Limits the size of types and attributes after the expansion of aliases: a chain of fifty aliases of the form
    `!b = tuple<!a, !a>` would exceed any memory. `budget` is the maximum expanded size of all uses together.
    """

    def __init__(self, budget: int):
        self._budget = budget
        self._sizes: dict[str, tuple[int, int]] = {}
        self._size, self._depth = 0, 0

    @contextmanager
    def defining(self, name: Span[str]) -> Generator[None]:
        """Measures the definition of the alias `name`."""
        self._size, self._depth = 1, 0
        yield
        self._sizes[name.text] = self._size, self._depth + 1
        if self._depth >= _ALIAS_DEPTH:
            raise TooDeep(name)

    def use(self, name: str, span: Span[str]) -> None:
        """Counts a use of an alias at `span`."""
        size, depth = self._sizes[name]
        self._size += size
        self._depth = max(self._depth, depth)
        self._budget -= size - 1
        if self._budget < 0:
            raise SyntaxFailure(span, message="the expansion of nested aliases is too large", help="")


def _where(parser: LocatingParser | None, source: Input[str]) -> Span:
    """Returns the span of the token at which the parser stopped."""
    if parser is None:
        return Span(0, 1, source)
    token = parser._current_token.span  # pyright: ignore[reportPrivateUsage]
    return Span(token.start, token.end, source)


def _sentence(message: str) -> str:
    """Returns an xDSL message in our style, without a capital at the start and punctuation at the end."""
    message = message.strip().rstrip(".!")
    if message == "Could not parse entire input":
        return "expected an operation"
    if message == "in block definition":
        return "expected a block, an operation or '}'"
    if message == "Expected suffix identifier after {first_char}":  # sic
        return "expected a name of ASCII letters, digits and $ . _ -, or a number"
    if message.startswith("Unexpected character") and not message[-1].isprintable():
        message = message[:-1] + message[-1].encode("unicode_escape").decode()
    if len(message) > 1 and message[0].isupper() and message[1].islower():
        message = message[0].lower() + message[1:]
    return message


def allow_deep_nesting() -> None:
    """
    Raises the stack and recursion limits, so that nesting up to `MAX_DEPTH` is parsed and deeper nesting is reported as
    `TooDeep`. To be called by `main()` of a tool.

    A Python frame that passes through C takes up to 2 KiB of stack, so 12,000 frames fit easily in 64 MiB.
    """
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    stack = 64 << 20
    if soft != resource.RLIM_INFINITY:
        stack = min(stack, hard) if hard != resource.RLIM_INFINITY else stack
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_STACK, (max(soft, stack), hard))
    sys.setrecursionlimit(max(sys.getrecursionlimit(), min(12_000, stack // 5000)))
