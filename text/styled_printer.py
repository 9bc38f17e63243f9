"""
Prints IR in a `Style`: with comments on the users of values, names from locations, or elided literals.

    %0 = ptir.exp %x : tensor<4xf32> // users: %1, %2            value_users
    %sum = ptir.add %0, %1 loc("sum"("m.mlir":3:8))              nameloc_as_prefix
    ptir.constant dense_resource<__elided__> : tensor<9xf32>     elide_elements
    func.func @f() {...}                                         skip_regions

The comments name values that are printed later. So with `value_users`, the IR is first printed silently to assign the names.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from io import StringIO
from typing import Any, cast

from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import (
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    LocationAttr,
    NameLoc,
    NoneAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, BlockArgument, Dialect, Operation, OpResult, Region, SSAValue
from xdsl.syntax_printer import SyntaxPrinter

from .printing import ExactPrinter
from .style import Style


class StyledPrinter(ExactPrinter):
    """An `ExactPrinter` with a style."""

    def __init__(self, *, style: Style, **kwargs: Any):
        super().__init__(**kwargs)
        self.style = style
        self.max_printed = style.hex_elements
        self.max_kept = math.inf if style.elide_elements is None else style.elide_elements
        self._order: dict[Operation, int] = {}
        self._ids: dict[Operation, str] = {}
        """Ids of operations that use values but have no results, by which the comments refer to them."""
        self._silent = False
        self._started = False

    # --- values -----------------------------------------------------------------------------------

    def print_op(self, op: Operation) -> None:
        if not self.style.value_users:
            return super().print_op(op)
        if not self._started:
            self._started = True
            self._name_everything(op)
        if op.parent is not None and op is op.parent.first_op and not self._silent:
            for arg in op.parent.args:
                users = self._users([arg])
                self.print_string(f"// %{self._ssa_values[arg]} is {f'used by {users}' if users else 'unused'}")
                self._print_new_line()
        super().print_op(op)
        if self._silent:
            self._order[op] = len(self._order)
            if op.operands and not op.results:
                self._ids[op] = self._get_new_valid_name_id()
        else:
            self.print_string(self._comment(op))
        return None

    def _name_everything(self, root: Operation) -> None:
        silent = StyledPrinter(
            stream=StringIO(),
            print_generic_format=self.print_generic_format,
            print_properties_as_attributes=self.print_properties_as_attributes,
            print_debuginfo=self.print_debuginfo,
            style=self.style,
        )
        silent._started = silent._silent = True
        silent.print_op(root)
        self._ssa_values, self._ids, self._order = silent._ssa_values, silent._ids, silent._order

    def _comment(self, op: Operation) -> str:
        if not op.results:
            return f" // id: %{self._ids[op]}" if op.operands else ""
        users = {use.operation: None for result in op.results for use in result.uses}
        if not users:
            return " // unused"
        one = len(users) == 1 and sum(len(user.results) for user in users) <= 1
        lists = [self._users([result]) or "unused" for result in op.results]
        shown = ", ".join(f"({users})" for users in lists) if len(lists) > 1 else lists[0]
        return f" // {'user' if one else 'users'}: {shown}"

    def _users(self, values: Iterable[SSAValue]) -> str:
        """Returns the names of the users of the values, in the order of the text."""
        users = {use.operation for value in values for use in value.uses}
        shown = sorted((self._order[user], user) for user in users if user in self._order)
        names = ([self._ssa_values[r] for r in user.results] or [self._ids[user]] for _, user in shown)
        return ", ".join(f"%{name}" for of in names for name in of)

    def print_ssa_value(self, value: SSAValue) -> str:
        if (
            self.style.nameloc_as_prefix
            and value not in self._ssa_values
            and (name := _location_name(value) or value.name_hint)
        ):
            unique = name
            while unique in self.ssa_names:  # another location may be named "a_1"
                self.ssa_names[name] += 1
                unique = f"{name}_{self.ssa_names[name]}"
            self.ssa_names[unique] = 0
            self._ssa_values[value] = unique
        return super().print_ssa_value(value)

    def enter_scope(self) -> None:
        if not self.style.unique_ids:
            super().enter_scope()

    def exit_scope(self) -> None:
        if not self.style.unique_ids:
            super().exit_scope()

    # --- regions and attributes -------------------------------------------------------------------

    def print_region(self, region: Region, *args: Any, **kwargs: Any) -> None:
        if self.style.skip_regions:
            self.print_string("{...}")
        else:
            super().print_region(region, *args, **kwargs)

    def print_attribute(self, attribute: Attribute) -> None:
        if self.style.pretty_debuginfo and isinstance(attribute, LocationAttr):
            self.print_string(_location_text(attribute))
        else:
            super().print_attribute(attribute)

    def print_metadata(self, dialects: Iterable[Dialect]) -> None:
        dialects = list(dialects)
        most = math.inf if self.style.elide_resources is None else self.style.elide_resources
        for dialect in dialects:
            used = self._dialect_resources.get(dialect.name)
            interface = dialect.get_interface(OpAsmDialectInterface)
            if used and interface is not None:
                used -= {key for key, text in interface.build_resources(used).items() if len(text) > most}
        self._dialect_resources = {name: keys for name, keys in self._dialect_resources.items() if keys}
        super().print_metadata(dialects)


class HighlightingPrinter(StyledPrinter, SyntaxPrinter):
    """A `StyledPrinter` with xDSL's colors for terminals."""


def _location_name(value: SSAValue) -> str:
    """Returns the name in the value's location as an identifier, or an empty string."""
    location = value.location if isinstance(value, BlockArgument) else cast(OpResult, value).op.location
    if not isinstance(location, NameLoc):
        return ""
    name = re.sub(r"[^\w$.-]", "_", location.desc.data, flags=re.ASCII)
    return f"_{name}" if name[:1].isdigit() else name


def _location_text(location: Attribute) -> str:
    """Returns a location in human-readable form."""
    match location:
        case UnknownLoc():
            return "[unknown]"
        case FileLineColLoc():
            return f"{location.filename.data}:{location.line.data}:{location.column.data}"
        case NameLoc():
            child = location.location
            around = "" if isinstance(child, NoneAttr | UnknownLoc) else f"({_location_text(child)})"
            return f'"{location.desc.data}"{around}'
        case CallSiteLoc():
            return f"{_location_text(location.callee)} at {_location_text(location.caller)}"
        case FusedLoc():
            return f"[{', '.join(map(_location_text, cast(Iterable[Attribute], location.locations)))}]"
        case _:
            return str(location)
