"""Writes a function of the `intent` dialect as IntentIR's JSON. Every value is declared in `tensors`."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Attribute, Operation, Region, SSAValue

from ....dialects import intent
from ....dialects.common.syntax import ints
from ....dialects.intent.types import DTYPES, type_of
from ..common.errors import NotInTheForm, Unrepresentable
from ..common.writing import Names, errors_of, require_module_attributes, require_none
from .attributes import to_json, write_amount
from .program import FORM, Contract, Function, Op, Tensor, format_function
from .reading import PRODUCT
from .table import OPS, OpForm

_DTYPE_NAMES = {t: name for name, t in DTYPES.items()}


def export_json(module: ModuleOp) -> str:
    """Returns the only function of `module` as JSON. Raises `NotInTheForm` for what the form cannot express."""
    require_module_attributes(module, FORM)
    functions = list(module.ops)
    if len(functions) != 1 or not isinstance(function := functions[0], intent.FuncOp):
        raise NotInTheForm(module, form=FORM, what="this module", help="a file has one intent.func and nothing else")
    return format_function(_Writer(function).function())


class _Writer:
    def __init__(self, source: intent.FuncOp):
        self.source = source
        self.names = Names("v")
        self.tensors: dict[str, Tensor] = {}

    def function(self) -> Function:
        source = self.source
        require_none(source, "the attribute", source.attributes, FORM)
        for argument in source.inputs:
            self._declare(argument)
        *ops, end = source.body.block.ops
        written = [self._op(op) for op in ops]
        require_none(end, "the attribute", end.attributes, FORM)
        made = Function(source.sym_name.data, self.tensors, written, [self.names[v] for v in end.operands])
        with errors_of(source, FORM):
            for name in ("parallel_axes", "axis_roles", "schedule", "meta"):
                if name in source.properties:
                    setattr(made, name, to_json(source.properties[name]))
            if source.contract is not None:
                made.contract = Contract(cast(Any, source.level))
                if "assumptions" in source.contract.data:
                    made.contract.assumptions = list(source.assumptions)
        return made

    def _declare(self, value: SSAValue) -> str:
        name, t = self.names.of_value(value), type_of(value)
        self.tensors[name] = Tensor(_DTYPE_NAMES[t.element_type], list(t.dims), t.layout.data)
        return name

    def _op(self, op: Operation) -> Op:
        inputs = [self.names[v] for v in op.operands]
        require_none(op, "the attribute", op.attributes, FORM)
        name, described = form_of(op)
        with errors_of(op, FORM):
            attrs = _attrs(op, described)
            if isinstance(op, intent.MatmulOp) and op.epilogue is not None:
                attrs["epilogue"] = self._epilogue(op)
        return Op(name, inputs, self._declare(op.results[0]), attrs)

    def _epilogue(self, op: intent.MatmulOp) -> Any:
        block = cast(Region, op.epilogue).block
        product, result = type_of(block.args[0]).element_type, type_of(op.result).element_type
        if product != intent.MatmulOp.product_element(type_of(op.lhs).element_type, result):
            help = "JSON has no type of the product: it is that of the result, if both are floats or both are integers"
            raise Unrepresentable(f"an epilogue of {product} with the result {result}", help)
        used: set[Operation] = set()

        def tree(value: SSAValue) -> Any:
            inner = value.owner
            if value is block.args[0]:
                return PRODUCT
            if not isinstance(inner, Operation) or inner.parent is not block:
                return self.names[value]
            used.add(inner)
            if not value.has_one_use():
                raise Unrepresentable(
                    "a value with several uses in an epilogue", "an epilogue is a tree: compute it twice"
                )
            require_none(inner, "the attribute", inner.attributes, FORM)
            name, described = form_of(inner)
            written: dict[str, Any] = {"op": name, "inputs": [tree(v) for v in inner.operands]}
            if attrs := _attrs(inner, described):
                written["attrs"] = attrs
            return written

        written = tree(cast(Operation, block.last_op).operands[0])
        if len(used) < len(block.ops) - 1:
            raise Unrepresentable("an op without uses in an epilogue", "remove it")
        return written


def form_of(op: Operation) -> tuple[str, OpForm]:
    """Returns the name of an op in JSON and its description. Raises `NotInTheForm`."""
    fn = op.properties.get("fn")
    word = fn.data if isinstance(fn, StringAttr) else ""
    for name, described in OPS.items():
        if isinstance(op, described.kind) and described.fn == word:
            return name, described
    raise NotInTheForm(op, form=FORM, what=op.name, help="its ops are those of the intent dialect")


def _attrs(op: Operation, described: OpForm) -> dict[str, Any]:
    result = type_of(op.results[0])
    attrs: dict[str, Any] = {}
    for name, field in described.fields.items():
        if field.kind == "shape":
            attrs[name] = list(result.dims)
        elif field.kind == "dtype":
            attrs[name] = _DTYPE_NAMES[result.element_type]
        elif field.property:
            value = _value(op.properties.get(field.property), field.kind)
            if value is not None and (field.required is False or value != field.default):
                attrs[name] = value
    return attrs


def _value(value: Attribute | None, kind: str) -> Any:
    match value:
        case None:
            return None
        case UnitAttr():
            return True
        case DenseArrayBase():
            return list(ints(cast("DenseArrayBase[IntegerType]", value)))
        case IntegerAttr() if kind == "int":
            return value.value.data
        case _:
            return _DTYPE_NAMES[value] if kind == "accum" else write_amount(value)
