"""
The `plan` dialect: the Schedule Plan of a region, as an attribute and as JSON.

One schema, `Schedule`, checks both spellings; names are those of `tensor-compiler.ja §1.7` and `§12.5`.
Any value that the hardware allows is legal.

```mlir
#plan.schedule<{arch = "sm80", tile = [128, 64, 64], stages = 3, warp_tile = "64x32",
                bind = {m.o = "block.y", n.o = "block.x"}, vectorize = {axis = "n.i.i", width = 8}}>
```
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import ArrayAttr, BoolAttr, DictionaryAttr, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute, Dialect, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

if TYPE_CHECKING:
    from .schedule import Schedule


def to_attribute(value: Any) -> Attribute:
    """A JSON value as a builtin attribute."""
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


def from_attribute(attr: Attribute) -> Any:
    """The JSON value of a builtin attribute."""
    match attr:
        case IntegerAttr():
            data = attr.value.data
            return bool(data) if attr.type != i64 else data
        case StringAttr():
            return attr.data
        case DictionaryAttr():
            return {k: from_attribute(v) for k, v in attr.data.items()}
        case ArrayAttr():
            return [from_attribute(v) for v in attr]
        case _:
            raise VerifyException(
                f"{attr} has no place in a plan: use integers, booleans, strings, lists and dictionaries"
            )


def print_value(printer: Printer, attr: Attribute) -> None:
    """Prints a JSON value as attributes read it back; an integer without its type, which is i64."""

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
    """The plan of one region. `schedule()` gives the checked structure."""

    name = "plan.schedule"
    fields: DictionaryAttr

    def __init__(self, fields: DictionaryAttr | Schedule):
        if not isinstance(fields, DictionaryAttr):
            fields = cast(DictionaryAttr, to_attribute(fields.to_dict()))
        super().__init__(fields)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return (DictionaryAttr(parser.parse_optional_dictionary_attr_dict()),)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            print_value(printer, self.fields)

    def schedule(self) -> Schedule:
        """The plan as a structure. Raises `VerifyException` naming the field at fault."""
        import msgspec

        from .schedule import Schedule

        try:
            return Schedule.from_dict(from_attribute(self.fields))
        except msgspec.ValidationError as e:
            raise VerifyException(f"invalid plan: {e}") from e

    def verify(self) -> None:
        self.schedule()


Plan = Dialect("plan", [], [ScheduleAttr])
