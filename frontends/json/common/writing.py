"""Helpers of JSON writers: unique names, and errors about IR that a form cannot express."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ....dialects.ptir.module import SPEC_VERSION
from .errors import NotInTheForm, Unrepresentable


class Names:
    """
    Unique names of values, as the printer of IR gives them: the value's hint, `hint_1` if that is taken, or a number, which
    follows `prefix`.
    """

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}
        self._of: dict[SSAValue, str] = {}

    def __getitem__(self, value: SSAValue) -> str:
        return self._of[value]

    def of_value(self, value: SSAValue) -> str:
        """Gives `value` a unique name, and returns the name."""
        name = self.unique(value.name_hint) if value.name_hint else self._number()
        self._of[value] = name
        return name

    def unique(self, hint: str) -> str:
        """Returns `hint`, with a suffix if it is taken."""
        name = hint
        while name in self._taken:
            self._next[hint] = self._next.get(hint, 0) + 1
            name = f"{hint}_{self._next[hint]}"
        self._taken.add(name)
        return name

    def _number(self) -> str:
        self._next[""] = self._next.get("", -1) + 1
        return self.unique(f"{self._prefix}{self._next['']}") if self._prefix else str(self._next[""])


@contextmanager
def errors_of(op: Operation | None, form: str) -> Generator[None]:
    """Converts `Unrepresentable`, raised in the `with` block, to an error at `op`."""
    try:
        yield
    except Unrepresentable as e:
        raise NotInTheForm(op, form=form, what=str(e), help=e.hint) from None


def require_module_attributes(module: ModuleOp, form: str, **others: Attribute | None) -> None:
    """Raises `NotInTheForm` if the module has attributes or properties other than the version, extensions and `others`."""
    known = {"ptir.spec_version": StringAttr(SPEC_VERSION), "ptir.extensions": UnitAttr(), **others}
    refused = {name: value for name, value in module.attributes.items() if value != known.get(name)}
    require_none(module, "the module's attribute", refused, form)
    require_none(module, "the module's property", module.properties, form)


def require_body(op: FuncOp, form: str) -> Block:
    """Returns the only block of a function. Refuses any attribute but the function's name and type."""
    known = ("sym_name", "function_type")
    require_none(op, "the function's attribute", op.attributes, form)
    require_none(op, "the function's attribute", {k: v for k, v in op.properties.items() if k not in known}, form)
    block = op.body.first_block
    if block is None or block is not op.body.last_block:
        problem = "a function without a body" if block is None else "a function of several blocks"
        raise NotInTheForm(op, form=form, what=problem, help="a function is one block of instructions")
    require_end(block, ReturnOp, form)
    return block


def require_end(block: Block, end: type[Operation], form: str) -> Operation:
    """Returns the terminator of a block, which must be an `end` without attributes."""
    if not isinstance(last := block.last_op, end):
        op = last or block.parent_op()
        raise NotInTheForm(op, form=form, what=f"a block without {end.name}", help=f"end it in {end.name}")
    require_none(last, "the attribute", last.attributes, form)
    return last


def require_none(op: Operation, what: str, attributes: Mapping[str, Attribute], form: str) -> None:
    """Raises `NotInTheForm` at `op` for the first of the attributes, if there is one; `what` describes it in the message."""
    for name, value in attributes.items():
        raise NotInTheForm(
            op, form=form, what=f"{what} {name} = {value}", help="remove it: nothing is left out silently"
        )
