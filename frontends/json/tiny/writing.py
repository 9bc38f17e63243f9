"""
Writes a module as Tiny JSON.

If the only user of a `tiny.reduce` without a name hint is a cast right after it, the two are written as one reduction whose
result type differs from its accumulator type. The reader splits such a reduction.
"""

from __future__ import annotations

from typing import cast

from msgspec import UNSET
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ....dialects import tiny
from ....dialects.common.shapes import element, is_as_wide
from ....dialects.common.syntax import ints
from ....dialects.ptir import SPEC_VERSION
from ....dialects.ptir.dims import sizes
from ....dialects.ptir.scalars import ScalarAttr
from ....dialects.tiny.vocabulary import OP_NAME
from ....text.op_names import op_name
from ..common.errors import NotInTheForm
from ..common.writing import Names, errors_of, require_body, require_module_attributes, require_none
from . import program as form
from .flow import default_inputs, default_outputs
from .inference import reduced_sizes, same_kind
from .program import FORM, MAIN, Attrs, Program, Value, format_json
from .values import write_dtype, write_literal, write_number, write_sizes, write_value


def export_json(module: ModuleOp) -> str:
    """
    Returns a verified module, of one function of tiny ops, in JSON.

    Raises `NotInTheForm` for a module that the form cannot express; nothing is omitted.
    """
    return format_json(TinyWriter().program(module))


class TinyWriter:
    """Writes a module of one function of tiny ops."""

    def __init__(self) -> None:
        self.names = Names()
        self.op_names = Names()
        self.values: dict[str, Value] = {}

    def program(self, module: ModuleOp) -> Program:
        require_module_attributes(module, FORM)
        functions, help = list(module.ops), "a tiny program is one function"
        for op in functions:
            if not isinstance(op, FuncOp):
                raise NotInTheForm(op, form=FORM, what=f"'{op_name(op)}'", help=help)
        if len(functions) != 1:
            what = f"a module of {len(functions)} functions"
            raise NotInTheForm((functions or [module])[-1], form=FORM, what=what, help=help)
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
            name=MAIN if name == MAIN else name,  # msgspec omits a field only if it is the default object itself
            inputs=UNSET if inputs == default_inputs(ops, written) else inputs,
            outputs=written,
            ops=ops,
            values=self.values,
        )

    def _ops(self, block: Block) -> list[form.OpForm]:
        reductions = {op: reduce for op in block.ops if (reduce := _split_reduction(op)) is not None}
        inner = set(reductions.values())
        written = [op for op in block.ops if op not in inner and not isinstance(op, ReturnOp)]
        for argument in block.args:
            self._declare(argument, block.parent_op())
        for op in written:
            if not isinstance(op, tuple(tiny.Tiny.operations)):
                raise NotInTheForm(op, form=FORM, what=f"'{op_name(op)}'", help="a tiny program has tiny ops only")
            self._declare(op.results[0], op)
        given = [op.attributes.get(OP_NAME) for op in written]
        names = [self.op_names.unique(n.data) if isinstance(n, StringAttr) else None for n in given]
        taken = set(names)
        out: list[form.OpForm] = []
        for op, name in zip(written, names, strict=True):
            others = {key: value for key, value in op.attributes.items() if key != OP_NAME or name is None}
            require_none(op, "the attribute", others, FORM)
            own = self.names[op.results[0]]
            with errors_of(op, FORM):
                made = self._op(op, reductions.get(op))
            made.name = name if name is not None else UNSET if own in taken else own
            out.append(made)
        return out

    def _declare(self, value: SSAValue, op: Operation | None) -> None:
        name = self.names.of_value(value)
        with errors_of(op, FORM):
            self.values[name] = write_value(value.type)

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
                products = "rounded" if rounds else "exact"
                return form.ReduceForm(
                    fn=fold.fn.data, inputs=inputs, outputs=outputs, axes=axes, accum=accum, products=products
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


def _split_reduction(op: Operation) -> tiny.ReduceOp | None:
    """Returns the reduction before a cast `op`, if the reader would create both from one reduction in JSON."""
    reduce = op.prev_op
    if not (isinstance(op, tiny.UnaryOp) and op.fn.data == "cast" and isinstance(reduce, tiny.ReduceOp)):
        return None
    x = reduce.result
    is_alone = op.input is x and x.has_one_use() and x.name_hint is None and not reduce.attributes
    is_plain = sizes(x) == tuple(reduced_sizes(sizes(reduce.input), reduce.axes()) or ())
    accum, out = element(x), element(op.result)
    return reduce if is_alone and is_plain and accum != out and same_kind(accum, out) else None


def _axes(op: tiny.ReduceOp) -> list[form.Axis]:
    """Returns each axis by the name of its size if that is unique, else by its number."""
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
