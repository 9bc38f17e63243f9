"""What writers of JSON share: names that differ, and refusals of what a form has no place for."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from .errors import NotInTheForm


class Names:
    """
    A name for each value, and for each only one: its hint, and where that is taken `hint_1`; a number if it has none, as
    the printer of IR does.
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}
        self._of: dict[SSAValue, str] = {}

    def __getitem__(self, value: SSAValue) -> str:
        return self._of[value]

    def of_value(self, value: SSAValue) -> str:
        """A name for one more value."""
        name = self.of(value.name_hint) if value.name_hint else self._number()
        self._of[value] = name
        return name

    def of(self, hint: str) -> str:
        """`hint`, or what is nearest to it."""
        name = hint
        while name in self._taken:
            self._next[hint] = self._next.get(hint, 0) + 1
            name = f"{hint}_{self._next[hint]}"
        self._taken.add(name)
        return name

    def _number(self) -> str:
        self._next[""] = self._next.get("", -1) + 1
        return str(self._next[""])


def name_of(op: Operation) -> str:
    """The name of an op, of a dialect that is known or not."""
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def require_body(op: FuncOp, form: str) -> Block:
    """The one block of a function of which nothing is to be said but its name and its type."""
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
    """The last op of a block. A block ends in such an op, which has no attributes."""
    if not isinstance(last := block.last_op, end):
        op = last or block.parent_op()
        raise NotInTheForm(op, form=form, what="a block that ends otherwise", help=f"end it in {end.name}")
    require_none(last, "the attribute", last.attributes, form)
    return last


def require_none(op: Operation, what: str, attributes: Mapping[str, Attribute], form: str) -> None:
    for name, value in attributes.items():
        raise NotInTheForm(
            op, form=form, what=f"{what} {name} = {value}", help="remove it: nothing is left out silently"
        )
