"""
Writes a module as PTIR JSON.

Each op becomes an instruction, except for those that become inline operands: `ptir.constant inline`, and `ptir.tuple_element`
and `ptir.tuple` of an op's results if they stand right before their only user, where the reader puts them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import cast

from msgspec import UNSET
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir import Region as OpRegion
from xdsl.irdl import IRDLOperation

from ....dialects.ptir import ConstantOp, TupleElementOp, TupleOp, YieldOp
from ....dialects.ptir.module import ENTRY, SPEC_VERSION
from ....text.op_names import op_name
from ..common.errors import NotInTheForm
from ..common.writing import errors_of, require_body, require_end, require_module_attributes, require_none
from .fields import OpParts
from .program import Function, Instruction, Operand, Program, Region, TupleElement, format_json
from .table import Row, make_form, result_count, row_of
from .values import ValueType, write_literal, write_type

FORM = "PTIR JSON"
_not_in_the_form = partial(NotInTheForm, form=FORM)


def export_json(module: ModuleOp, *, byte_arrays: bool = False) -> str:
    """
    Returns a verified module in JSON. Literals are written in base64, or with `byte_arrays` as arrays of numbers.

    Raises `NotInTheForm` for a module that the form cannot express; nothing is omitted.
    """
    return format_json(_Writer().program(module), byte_arrays=byte_arrays)


class _Writer:
    def __init__(self) -> None:
        self.regions: list[Region | None] = []

    def program(self, module: ModuleOp) -> Program:
        entry = module.attributes.get(ENTRY)
        require_module_attributes(module, FORM, **{ENTRY: entry})
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
        return Program(SPEC_VERSION, name, functions, regions, "ptir.extensions" in module.attributes)

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
                raise _not_in_the_form(op, what=f"'{op_name(op)}'", help="instructions are ops of the ptir dialect")
        numbers = _Numbers(block)
        body = [self._instruction(op, numbers) for op in numbers.of_op]
        return body, [numbers.result(value) for value in last.operands]

    def _types(self, values: Sequence[SSAValue], op: Operation) -> list[ValueType]:
        with errors_of(op, FORM):
            return [write_type(value.type) for value in values]

    # --- instructions -----------------------------------------------------------------------------

    def _instruction(self, op: Operation, numbers: _Numbers) -> Instruction:
        row = cast(Row, row_of(op))
        require_none(op, "the attribute", op.attributes, FORM)
        held = {prop for field in row.fields for prop in field.holds}
        require_none(op, "the property", {k: v for k, v in op.properties.items() if k not in held}, FORM)
        operands = [numbers.operand(value) for value in op.operands]
        parts = OpParts(op.operands, op.result_types, self._region, op.properties, list(op.regions))
        with errors_of(op, FORM):
            form = make_form(row, {field.name: field.write(parts) for field in row.fields})
        types = self._types(op.results, op)
        output = types[0] if _is_single_value(op) else ValueType(tuple=types)
        return Instruction(numbers.of_op[op], form, operands, output, _names(op.results))


class _Numbers:
    """The numbers of a block's values, the operands that refer to them, and the ops that become inline operands."""

    def __init__(self, block: Block):
        self.inline = _inline_ops(block)
        self.of_op: dict[Operation, int] = {}
        self._operands: dict[SSAValue, Operand] = {a: Operand(value=k) for k, a in enumerate(block.args)}
        last = block.last_op
        for number, op in enumerate((o for o in block.ops if o is not last and o not in self.inline), len(block.args)):
            self.of_op[op] = number
            for k, result in enumerate(op.results):
                element = Operand(tuple_element=TupleElement(number, k))
                self._operands[result] = Operand(value=number) if _is_single_value(op) else element

    def operand(self, value: SSAValue) -> Operand:
        """Returns the operand that refers to a value."""
        if (known := self._operands.get(value)) is not None:
            return known
        op = value.owner
        if isinstance(op, ConstantOp):
            return Operand(literal=write_literal(op.value))
        if isinstance(op, TupleElementOp):
            of = self.operand(op.input).value
            return Operand(tuple_element=TupleElement(cast(int, of), op.index.value.data))
        return Operand(value=self.of_op[cast(Operation, cast(TupleOp, op).elements[0].owner)])

    def result(self, value: SSAValue) -> int | Operand:
        """Returns the entry of `result_ids` that refers to a value: its number if it has one."""
        operand = self.operand(value)
        return operand if operand.value is UNSET else operand.value


def _inline_ops(block: Block) -> set[Operation]:
    """
    Returns the ops that become inline operands: constants that are marked `inline`, wherever they stand, and ops that stand
    where the reader would put them, which is right before their only user and in the order of its operands.
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
    """Returns whether the op is a constant that is marked `inline`."""
    return isinstance(op, ConstantOp) and op.inline is not None and not op.attributes


def _can_be_inline(op: Operation) -> bool:
    """Returns whether an inline operand can express the op."""
    if len(op.results) != 1 or not op.results[0].has_one_use() or op.attributes:
        return False
    match op:
        case ConstantOp():
            return _is_inline(op)
        case TupleElementOp():
            owner = op.input.owner
            return isinstance(owner, Block) or _is_single_value(owner)
        case TupleOp():
            owner = op.elements[0].owner if op.elements else None
            return (
                isinstance(owner, Operation)
                and not _is_single_value(owner)
                and list(op.elements) == list(owner.results)
            )
        case _:
            return False


def _is_single_value(op: Operation) -> bool:
    """Returns whether the op's only result is the instruction's value, rather than an element of a tuple."""
    one = result_count(cast("type[IRDLOperation]", type(op))) == 1
    return one or (len(op.results) == 1 and isinstance(op.results[0].type, TensorType))


def _names(values: Sequence[SSAValue]) -> list[str | None]:
    names = [value.name_hint for value in values]
    return names if any(names) else []
