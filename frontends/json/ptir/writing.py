"""
Module → JSON.

An op becomes an instruction, but for those that an operand says inline: `ptir.constant inline`, and `ptir.tuple_element`
and `ptir.tuple` of an op's results where they stand right before their only user, which is where reading puts them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from msgspec import UNSET
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType, UnitAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir import Region as OpRegion
from xdsl.irdl import IRDLOperation

from ....dialects.ptir import ConstantOp, TupleElementOp, TupleOp, YieldOp
from ....dialects.ptir.module import ENTRY, SPEC_VERSION
from ..common.errors import NotInTheForm
from ..common.writing import name_of, require_body, require_end, require_none
from .fields import Written
from .layout import lay_out
from .program import Function, Instruction, Operand, Program, Region, TupleElement
from .table import Row, make_form, result_count, row_of
from .values import Unfit, ValueType, write_literal, write_type

FORM = "PTIR JSON"


def export_json(module: ModuleOp, *, byte_arrays: bool = False) -> str:
    """
    A verified module as a program in JSON; with `byte_arrays` literals are arrays of numbers, else they are base64.

    Raises `NotInTheForm` for what a program cannot say: nothing is left out.
    """
    return lay_out(_Writer().program(module), byte_arrays=byte_arrays)


class _Writer:
    def __init__(self) -> None:
        self.regions: list[Region | None] = []

    def program(self, module: ModuleOp) -> Program:
        entry, extensions = module.attributes.get(ENTRY), "ptir.extensions" in module.attributes
        known = {"ptir.spec_version": StringAttr(SPEC_VERSION), "ptir.extensions": UnitAttr(), ENTRY: entry}
        others = {name: value for name, value in module.attributes.items() if value != known.get(name)}
        require_none(module, "the module's attribute", others, FORM)
        require_none(module, "the module's property", module.properties, FORM)
        functions: list[Function] = []
        for op in module.ops:
            if not isinstance(op, FuncOp):
                raise _not_in_the_form(op, what=f"'{op.name}'", help="a program consists of functions")
            functions.append(self._function(op))
        first = functions[0].name if functions else ""
        name = entry.data if isinstance(entry, StringAttr) else first if entry is None else None
        if name not in ([f.name for f in functions] or [""]):
            raise _not_in_the_form(module, what=f"the entry {entry}", help="it is the name of a function, as a string")
        regions = cast("list[Region]", self.regions)
        return Program(SPEC_VERSION, name, functions, regions, extensions)

    # --- functions and regions --------------------------------------------------------------------

    def _function(self, op: FuncOp) -> Function:
        block = require_body(op, FORM)
        body, ids = self._block(block, ReturnOp)
        return Function(
            name=op.sym_name.data,
            parameters=self._types(block.args, op),
            parameter_ids=list(range(len(block.args))),
            results=self._types(cast(Operation, block.last_op).operands, op),
            body=body,
            result_ids=ids,
            parameter_names=_names(block.args),
        )

    def _region(self, region: OpRegion) -> int:
        number = len(self.regions)
        self.regions.append(None)
        block = region.block
        body, ids = self._block(block, YieldOp)
        last = [instruction.id for instruction in body[len(body) - len(ids) :]] if len(body) >= len(ids) else None
        end = cast(Operation, block.last_op)
        self.regions[number] = Region(
            id=number,
            parameters=self._types(block.args, end),
            body=body,
            results=self._types(end.operands, end),
            result_ids=UNSET if ids == last else ids,
            parameter_names=_names(block.args),
        )
        return number

    def _block(self, block: Block, end: type[Operation]) -> tuple[list[Instruction], list[int | Operand]]:
        last = require_end(block, end, FORM)
        for op in block.ops:
            if op is not last and row_of(op) is None:
                raise _not_in_the_form(op, what=f"'{name_of(op)}'", help="instructions are ops of the ptir dialect")
        numbers = _Numbers(block)
        body = [self._instruction(op, numbers) for op in numbers.of_op]
        return body, [numbers.plain(value) for value in last.operands]

    def _types(self, values: Sequence[SSAValue], op: Operation) -> list[ValueType]:
        return [_written_type(value.type, op) for value in values]

    # --- instructions -----------------------------------------------------------------------------

    def _instruction(self, op: Operation, numbers: _Numbers) -> Instruction:
        row = cast(Row, row_of(op))
        require_none(op, "the attribute", op.attributes, FORM)
        fields = (row.whole,) if row.whole else row.fields
        held = {prop for field in fields for prop in field.holds}
        require_none(op, "the property", {k: v for k, v in op.properties.items() if k not in held}, FORM)
        operands = [numbers.operand(value) for value in op.operands]
        try:
            written = Written(op, self._region)
            form = make_form(row, {field.name: field.write(written) for field in fields})
        except Unfit as e:
            raise _not_in_the_form(op, what=str(e), help=e.hint) from None
        types = self._types(op.results, op)
        output = types[0] if _is_plain(op) else ValueType(tuple=types)
        return Instruction(numbers.of_op[op], form, operands, output, _names(op.results))


class _Numbers:
    """The numbers of a block's values, and which of its ops are said inline."""

    def __init__(self, block: Block):
        self.inline = _inline_ops(block)
        self.of_op: dict[Operation, int] = {}
        self._operands: dict[SSAValue, Operand] = {a: Operand(value=k) for k, a in enumerate(block.args)}
        last = block.last_op
        for number, op in enumerate((o for o in block.ops if o is not last and o not in self.inline), len(block.args)):
            self.of_op[op] = number
            for k, result in enumerate(op.results):
                element = Operand(tuple_element=TupleElement(number, k))
                self._operands[result] = Operand(value=number) if _is_plain(op) else element

    def operand(self, value: SSAValue) -> Operand:
        """What an instruction says for a value."""
        if (known := self._operands.get(value)) is not None:
            return known
        op = value.owner
        if isinstance(op, ConstantOp):
            return Operand(literal=write_literal(op.value))
        if isinstance(op, TupleElementOp):
            of = self.operand(op.input).value
            return Operand(tuple_element=TupleElement(cast(int, of), op.index.value.data))
        return Operand(value=self.of_op[cast(Operation, cast(TupleOp, op).elements[0].owner)])

    def plain(self, value: SSAValue) -> int | Operand:
        """The same for a result: a number where that will do."""
        operand = self.operand(value)
        return operand if operand.value is UNSET else operand.value


def _inline_ops(block: Block) -> set[Operation]:
    """
    Constants that say so, wherever they stand, and ops that stand where reading would put them: in a row right before
    their only user, in the order of its operands.
    """
    inline: set[Operation] = {op for op in block.ops if _is_inline(op) and op.results[0].first_use}
    user = block.last_op
    while user is not None:
        if user in inline:
            user = user.prev_op
            continue
        waiting = [operand.owner for operand in user.operands]
        user = user.prev_op
        while user is not None and user in waiting and _can_be_inline(user):
            while waiting.pop() is not user:
                pass
            inline.add(user)
            user = user.prev_op
    return inline


def _is_inline(op: Operation) -> bool:
    """Whether the op is a literal that says that it is an operand."""
    return isinstance(op, ConstantOp) and op.inline is not None and not op.attributes


def _can_be_inline(op: Operation) -> bool:
    """Whether an operand can say all that the op does."""
    if len(op.results) != 1 or not op.results[0].has_one_use() or op.attributes:
        return False
    match op:
        case ConstantOp():
            return _is_inline(op)
        case TupleElementOp():
            owner = op.input.owner
            return isinstance(owner, Block) or _is_plain(owner)
        case TupleOp():
            owner = op.elements[0].owner if op.elements else None
            return isinstance(owner, Operation) and not _is_plain(owner) and list(op.elements) == list(owner.results)
        case _:
            return False


def _is_plain(op: Operation) -> bool:
    """Whether the op's one result is the instruction's value, and no element of a tuple."""
    one = result_count(cast("type[IRDLOperation]", type(op))) == 1
    return one or (len(op.results) == 1 and isinstance(op.results[0].type, TensorType))


def _names(values: Sequence[SSAValue]) -> list[str | None]:
    names = [value.name_hint for value in values]
    return names if any(names) else []


def _written_type(t: Attribute, op: Operation) -> ValueType:
    try:
        return write_type(t)
    except Unfit as e:
        raise _not_in_the_form(op, what=str(e), help=e.hint) from None


def _not_in_the_form(op: Operation | None, *, what: str, help: str) -> NotInTheForm:
    return NotInTheForm(op, form=FORM, what=what, help=help)
