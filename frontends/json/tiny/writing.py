"""
Module → JSON.

An op becomes an op, but for a `tiny.reduce` without a name right before the cast that alone reads it: the two are one fold
whose result is of another type than its accumulator, which is what reading makes of one.
"""

from __future__ import annotations

from typing import cast

from msgspec import UNSET
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ....dialects import tiny
from ....dialects.common.shapes import element, is_as_wide
from ....dialects.common.syntax import ints
from ....dialects.ptir import SPEC_VERSION
from ....dialects.ptir.dims import sizes
from ....dialects.ptir.scalars import ScalarAttr
from ..common.errors import NotInTheForm
from ..common.writing import Names, name_of, require_body, require_none
from ..ptir.values import Unfit
from . import program as form
from .flow import default_inputs, default_outputs
from .inference import are_of_one_kind, folded
from .layout import lay_out
from .program import FORM, MAIN, Attrs, Program, Value
from .reading import OP_NAME
from .values import write_dtype, write_literal, write_number, write_sizes, write_value


def _not_tiny(op: Operation | None, what: str, help: str) -> NotInTheForm:
    return NotInTheForm(op, form=FORM, what=what, help=help)


def export_json(module: ModuleOp) -> str:
    """
    A verified module of one function of tiny ops in JSON.

    Raises `NotInTheForm` for what a tiny program cannot say: nothing is left out.
    """
    return lay_out(_Writer().program(module))


class _Writer:
    def __init__(self) -> None:
        self.names = Names()
        self.op_names = Names()
        self.values: dict[str, Value] = {}

    def program(self, module: ModuleOp) -> Program:
        known = {"ptir.spec_version": StringAttr(SPEC_VERSION), "ptir.extensions": UnitAttr()}
        others = {name: value for name, value in module.attributes.items() if value != known.get(name)}
        require_none(module, "the module's attribute", others, FORM)
        require_none(module, "the module's property", module.properties, FORM)
        functions, help = list(module.ops), "a tiny program is one function"
        for op in functions:
            if not isinstance(op, FuncOp):
                raise _not_tiny(op, f"'{name_of(op)}'", help)
        if len(functions) != 1:
            raise _not_tiny((functions or [module])[-1], f"a module of {len(functions)} functions", help)
        function = cast(FuncOp, functions[0])
        name = function.sym_name.data
        block = require_body(function, FORM)
        end = cast(ReturnOp, block.last_op)
        ops = self._ops(block)
        inputs = [self.names[argument] for argument in block.args]
        outputs = [self.names[value] for value in end.operands]
        written = UNSET if outputs == default_outputs(ops) else outputs
        return Program(
            spec_version=SPEC_VERSION if "ptir.spec_version" in module.attributes else UNSET,
            extensions="ptir.extensions" in module.attributes,
            name=MAIN if name == MAIN else name,  # a default is left out if it is that object
            inputs=UNSET if inputs == default_inputs(ops, written) else inputs,
            outputs=written,
            ops=ops,
            values=self.values,
        )

    def _ops(self, block: Block) -> list[form.OpForm]:
        folds = {op: reduce for op in block.ops if (reduce := _fold_before(op)) is not None}
        inner = set(folds.values())
        written = [op for op in block.ops if op not in inner and not isinstance(op, ReturnOp)]
        for argument in block.args:
            self._declare(argument, block.parent_op())
        for op in written:
            if not isinstance(op, tuple(tiny.Tiny.operations)):
                raise _not_tiny(op, f"'{name_of(op)}'", "a tiny program has tiny ops only")
            self._declare(op.results[0], op)
        given = [op.attributes.get(OP_NAME) for op in written]
        names = [self.op_names.of(n.data) if isinstance(n, StringAttr) else None for n in given]
        taken = set(names)
        out: list[form.OpForm] = []
        for op, name in zip(written, names, strict=True):
            others = {key: value for key, value in op.attributes.items() if key != OP_NAME or name is None}
            require_none(op, "the attribute", others, FORM)
            own = self.names[op.results[0]]
            try:
                made = self._op(op, folds.get(op))
            except Unfit as e:
                raise _not_tiny(op, str(e), e.hint) from None
            made.name = name if name is not None else UNSET if own in taken else own
            out.append(made)
        return out

    def _declare(self, value: SSAValue, op: Operation | None) -> None:
        name = self.names.of_value(value)
        try:
            self.values[name] = write_value(value.type)
        except Unfit as e:
            raise _not_tiny(op, str(e), e.hint) from None

    def _op(self, op: Operation, reduce: tiny.ReduceOp | None) -> form.OpForm:
        inputs = [self.names[v] for v in (op if reduce is None else reduce).operands]
        outputs = [self.names[op.results[0]]]
        match reduce or op:
            case tiny.ReduceOp() as fold:
                axes, accum = _axes(fold), write_dtype(fold.accum)
                rounds = (
                    fold.fn.data == "sum"
                    and tiny.is_product(fold.input.owner)
                    and not is_as_wide(element(fold.input), fold.accum)
                )
                return form.ReduceForm(
                    fn=fold.fn.data,
                    inputs=inputs,
                    outputs=outputs,
                    axes=axes,
                    accum=accum,
                    products="rounded" if rounds else "exact",
                )
            case tiny.MovementOp() as movement:
                attrs = _attrs(movement)
                return form.MovementForm(kind=movement.kind.data, inputs=inputs, outputs=outputs, attrs=attrs)
            case tiny.BinaryOp() as binary:
                return form.BinaryForm(fn=binary.fn.data, inputs=inputs, outputs=outputs)
            case tiny.UnaryOp() as unary:
                cast_to = write_dtype(element(unary.result)) if unary.fn.data in ("cast", "bitcast") else UNSET
                return form.UnaryForm(fn=unary.fn.data, inputs=inputs, outputs=outputs, dtype=cast_to)
            case tiny.ConstOp() as const:
                return form.ConstForm(outputs=outputs, value=write_literal(const.value))
            case _:
                axis = cast(tiny.IotaOp, op).axis_attr.value.data
                return form.IotaForm(outputs=outputs, axis=axis)


def _fold_before(op: Operation) -> tiny.ReduceOp | None:
    """The reduction of which a cast gives the result, if the two are what reading makes of one fold."""
    reduce = op.prev_op
    if not (isinstance(op, tiny.UnaryOp) and op.fn.data == "cast" and isinstance(reduce, tiny.ReduceOp)):
        return None
    x = reduce.result
    is_alone = op.input is x and x.has_one_use() and x.name_hint is None and not reduce.attributes
    is_plain = sizes(x) == tuple(folded(sizes(reduce.input), reduce.axes()) or ())
    accum, out = element(x), element(op.result)
    return reduce if is_alone and is_plain and accum != out and are_of_one_kind(accum, out) else None


def _axes(op: tiny.ReduceOp) -> list[form.Axis]:
    """Each axis by the name of its size where that says which it is, else by its number."""
    of = sizes(op.input)
    return [
        name if axis >= 0 and isinstance(name := of[axis], str) and of.count(name) == 1 else axis
        for axis in ints(op.reduce_axes)
    ]


def _attrs(op: tiny.MovementOp) -> Attrs:
    attrs = Attrs()
    if op.kind.data not in ("permute", "pad"):
        attrs.new_shape = write_sizes(sizes(op.result))
    for name in tiny.MOVEMENTS[op.kind.data]:
        setattr(attrs, name, _attr(op.properties[name]))
    return attrs


def _attr(value: Attribute) -> object:
    if isinstance(value, ScalarAttr):
        return write_number(value)
    if isinstance(value, IntegerAttr):
        return value.value.data
    return list(ints(cast("DenseArrayBase[IntegerType]", value)))
