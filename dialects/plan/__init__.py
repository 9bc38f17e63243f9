"""
The `plan` dialect: the Schedule Plan of a region, as an attribute and as JSON.

One schema, `Schedule`, checks both forms. The names of fields are those of `tensor-compiler.ja §1.7` and `§12.5`. All values that
the hardware allows are legal.

```mlir
#plan.schedule<{arch = "sm80", tile = [128, 64, 64], stages = 3, warp_tile = "64x32",
                bind = {m.o = "block.y", n.o = "block.x"}, vectorize = {axis = "n.i.i", width = 8}}>
```
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import ArrayAttr, BoolAttr, DictionaryAttr, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute, Dialect, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.lexer import Span

from ...errors import InvalidPlan, InvalidPlanText

if TYPE_CHECKING:
    from .schedule import Schedule

Path = tuple[str | int, ...]


def to_attribute(value: Any) -> Attribute:
    """Converts a JSON value to a builtin attribute."""
    match value:
        case bool():
            return BoolAttr.from_bool(value)
        case int():
            return IntegerAttr(value, i64)
        case str():
            return StringAttr(value)
        case dict():
            return DictionaryAttr({str(k): to_attribute(v) for k, v in cast(dict[Any, Any], value).items()})
        case _:
            return ArrayAttr([to_attribute(v) for v in cast(Sequence[Any], value)])


def from_attribute(attr: Attribute, path: Path = ()) -> Any:
    """Converts the builtin attribute at `path` of a plan to a JSON value. Raises `InvalidPlan` if JSON has no such value."""
    match attr:
        case IntegerAttr():
            data = attr.value.data
            return bool(data) if attr.type != i64 else data
        case StringAttr():
            return attr.data
        case DictionaryAttr():
            return {k: from_attribute(v, (*path, k)) for k, v in attr.data.items()}
        case ArrayAttr():
            return [from_attribute(v, (*path, k)) for k, v in enumerate(attr)]
        case _:
            help = "use integers, booleans, strings, lists and dictionaries"
            raise InvalidPlan(path, problem=f"{attr} has no place in a plan", help=help)


Places = dict[tuple[Path, bool], Span[str]]
"""The spans of values, by `(path, False)`, and of the keys of dictionaries, by `(path, True)`."""

MAX_LOCATED_DEPTH = 4
"""Maximum nesting depth at which the spans of values are recorded. No valid plan is nested deeper."""


def parse_value(parser: AttrParser, places: Places, path: Path = ()) -> Attribute:
    """Parses the JSON value at `path` of a plan, in attribute syntax, and records the spans of all values in it in `places`."""
    delimiters, numbers, start = parser.Delimiter, count(), parser.pos

    def span(start: int) -> Span[str]:
        text = parser.lexer.input
        return Span(start, start + len(text.content[start : parser.pos].rstrip()), text)

    def entry() -> tuple[str, Attribute]:
        at, name = parser.pos, parser.parse_identifier_or_str_literal()
        if ((*path, name), True) in places:
            parser.raise_error(f"duplicate key '{name}' in a plan", at)
        places[(*path, name), True] = span(at)
        parser.parse_punctuation("=")
        return name, parse_value(parser, places, (*path, name))

    def item() -> Attribute:
        return parse_value(parser, places, (*path, next(numbers)))

    if len(path) > MAX_LOCATED_DEPTH:
        value = parser.parse_attribute()
    elif (entries := parser.parse_optional_comma_separated_list(delimiters.BRACES, entry)) is not None:
        value = DictionaryAttr(dict(entries))
    elif (items := parser.parse_optional_comma_separated_list(delimiters.SQUARE, item)) is not None:
        value = ArrayAttr(items)
    else:
        value = parser.parse_attribute()
    places[path, False] = span(start)
    return value


def print_value(printer: Printer, attr: Attribute) -> None:
    """Prints a JSON value in attribute syntax. The type of an i64 is not printed."""

    def entry(item: tuple[str, Attribute]) -> None:
        printer.print_identifier_or_string_literal(item[0])
        printer.print_string(" = ")
        print_value(printer, item[1])

    match attr:
        case IntegerAttr() if attr.type == i64:
            printer.print_int(attr.value.data)
        case DictionaryAttr():
            with printer.in_braces():
                printer.print_list(attr.data.items(), entry)
        case ArrayAttr():
            with printer.in_square_brackets():
                printer.print_list(attr, lambda value: print_value(printer, value))
        case _:
            printer.print_attribute(attr)


@irdl_attr_definition
class ScheduleAttr(ParametrizedAttribute):
    """The plan of one region. `schedule()` returns it as a `Schedule`."""

    name = "plan.schedule"
    fields: DictionaryAttr

    def __init__(self, fields: DictionaryAttr | Schedule):
        if not isinstance(fields, DictionaryAttr):
            fields = cast(DictionaryAttr, to_attribute(fields.to_dict()))
        super().__init__(fields)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        places: Places = {}
        with parser.in_angle_brackets():
            fields = parse_value(parser, places)
        if not isinstance(fields, DictionaryAttr):
            parser.raise_error("expected the fields of a plan in braces", places[(), False].start)
        try:
            cls(fields)
        except InvalidPlan as error:
            path = error.path
            while (path, False) not in places:  # a missing field has no span: use the dictionary around it
                path = path[:-1]
            span = places.get((path, error.is_field), places[path, False])
            raise InvalidPlanText(span, message=error.message, help=error.help) from None
        return (fields,)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            print_value(printer, self.fields)

    def schedule(self) -> Schedule:
        """Returns the fields of the plan. Raises `InvalidPlan` with the path of an invalid field."""
        import msgspec

        from ..common.schema import mismatch, words
        from .schedule import Schedule

        value = from_attribute(self.fields)
        try:
            return msgspec.convert(value, Schedule)
        except msgspec.ValidationError as e:
            found = mismatch(e, Schedule, value)
            help = found.help(words(Schedule))
            raise InvalidPlan(found.path, found.is_field, problem=found.problem, help=help) from None

    def verify(self) -> None:
        self.schedule()


Plan = Dialect("plan", [], [ScheduleAttr])
