"""
Reads IntentIR's JSON into a module.

The location of an op is its place in the text, so that diagnostics of the verifier point there. Types of intermediate values that
`tensors` does not declare are inferred.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, cast

from msgspec import UNSET
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ....dialects import intent
from ....dialects.common.syntax import axes_attr
from ....dialects.intent.broadcast import may_agree
from ....dialects.intent.types import DTYPES, ROW_MAJOR, TensorType, type_of
from ....errors import SourceError, VerifyError, counted
from ..common.decoding import Form, decode
from ..common.errors import DuplicateId, SchemaViolation, UndefinedId, Unrepresentable
from ..common.places import Path
from ..common.reading import Reader
from . import program as form
from .attributes import read_amount, to_attribute
from .table import EPILOGUE, OPS, OpForm

MAX_EPILOGUE_DEPTH = 64
PRODUCT = "$x"
"""The name of the product in an epilogue."""

_FORM = Form(
    form.Function,
    "an intent is JSON; IR is read by --export-intent-json",
    lambda word: {"float32": "it is called f32", "eq": "write not of ne"}.get(word, ""),
    maps={"tensors": form.Tensor},
)


class UnknownType(SourceError):
    """A value whose type neither `tensors` nor its op determines."""

    code = "PTIR0653"
    template = "the type of {name} is not known: {why}"
    hint = "declare {name} in 'tensors'"


def import_json(text: str, file: StringAttr | None = None) -> ModuleOp:
    """
    Returns the module of a function in JSON, not yet verified. `file` names the text in locations.

    Whatever the text is, raises no other error than `SourceError` or, at an invalid op, `VerifyError`.
    """
    return _IntentReader(text, file or StringAttr("<json>")).module()


class _IntentReader(Reader):
    def __init__(self, text: str, file: StringAttr):
        self.function, places = decode(text, file.data, _FORM)
        super().__init__(places, file)
        self.values: dict[str, SSAValue] = {}
        self.defined_at: dict[str, Path] = {}
        self.declared: dict[str, TensorType] = {}

    def module(self) -> ModuleOp:
        function, block = self.function, Block()
        made = {op.output for op in function.ops}
        for name, tensor in function.tensors.items():
            path = ["tensors", name]
            self.declared[name] = self._type(tensor.dtype, tensor.shape, path, tensor.layout)
            if name not in made:
                argument = block.insert_arg(self.declared[name], len(block.args))
                argument.location = self.location_of(self.places.key(["tensors"], name))
                self._define(name, argument, path)
        for k, op in enumerate(function.ops):
            path = ["ops", k]
            self._define(op.output, self._add(block, op, path), [*path, "output"])
        outputs = [self._value(name, ["outputs", k]) for k, name in enumerate(function.outputs)]
        end = intent.ReturnOp([outputs])
        end.location = self.location(["outputs"])
        block.add_op(end)
        module = ModuleOp([self._function(block)])
        module.location = self.location([])
        return module

    def _function(self, block: Block) -> intent.FuncOp:
        function = self.function
        given: dict[str, Attribute] = {}
        for name in ("parallel_axes", "axis_roles", "schedule", "meta"):
            if (value := getattr(function, name)) is not UNSET:
                with self.errors_at([name]):
                    given[name] = to_attribute(value)
        if function.contract is not UNSET:
            contract: dict[str, Attribute] = {"level": StringAttr(function.contract.level)}
            if function.contract.assumptions is not UNSET:
                contract["assumptions"] = ArrayAttr([StringAttr(a) for a in function.contract.assumptions])
            given["contract"] = DictionaryAttr(contract)
        made = intent.FuncOp(function.name, block, **given)
        made.location = self.location(["name"])
        return made

    # --- values -----------------------------------------------------------------------------------

    def _define(self, name: str, value: SSAValue, path: Path) -> None:
        if name in self.values:
            notes = [(self.places.span(self.defined_at[name]), "the first is here")]
            raise DuplicateId(self.places.span(path), what="value", id=name, span_notes=notes)
        value.name_hint = name
        self.values[name], self.defined_at[name] = value, path

    def _value(self, name: str, path: Path) -> SSAValue:
        if (value := self.values.get(name)) is not None:
            return value
        later = any(op.output == name for op in self.function.ops)
        near = get_close_matches(name, self.values, 1)
        help = "an op that is later in the list defines it: ops are in the order of their values" if later else ""
        help = help or (f"did you mean '{near[0]}'?" if near else "declare an argument in 'tensors'")
        raise UndefinedId(self.places.span(path), what="value", id=name, where=" here" * later, help=help)

    def _type(self, dtype: str, shape: Sequence[form.Dim], path: Path, layout: str = ROW_MAJOR) -> TensorType:
        with self.errors_at(path, SchemaViolation):
            return TensorType(shape, DTYPES["bool" if dtype == "i1" else dtype], layout)

    # --- ops --------------------------------------------------------------------------------------

    def _add(self, block: Block, op: form.Op, path: Path) -> SSAValue:
        described = OPS[op.op]
        operands = [self._value(name, [*path, "inputs", k]) for k, name in enumerate(op.inputs)]
        self._require_count(op.op, described, len(operands), [*path, "inputs"])
        given = self._attributes(op.op, described, op.attrs, [*path, "attrs"])
        properties = self._properties(described, given, operands, [*path, "attrs"])
        declared = self.declared.get(op.output)
        written = self._written(described, given, declared, path)
        regions = (
            [self._epilogue(given["epilogue"], operands, properties, written, path)] if "epilogue" in given else []
        )
        made = self._make(described.kind, operands, properties, written or declared, op.output, path, regions)
        block.add_op(made)
        return made.results[0]

    def _make(
        self,
        kind: type[Operation],
        operands: Sequence[SSAValue],
        properties: Mapping[str, Attribute],
        declared: TensorType | None,
        name: str,
        path: Path,
        regions: Sequence[Region] = (),
    ) -> Operation:
        """Creates an op; a result type that is not declared is inferred. Its verifier checks one that is declared."""
        draft = declared or next((type_of(v) for v in operands), None)
        if draft is None or (declared is None and kind in _DECLARED):
            why = "nothing else determines the result type of this op"
            raise UnknownType(self.places.span([*path, "output"]), name=name, why=why)
        made = kind.create(
            operands=list(operands), result_types=[draft], properties=dict(properties), regions=list(regions)
        )
        made.location = self.location_of(self._op_span(path))
        if declared is None:
            try:
                inferred = cast(intent.IntentOp, made).inferred()
            except VerifyError as error:
                raise SchemaViolation(self._op_span(path), message=error.message, help=error.help) from None
            made.results[0]._type = inferred  # pyright: ignore[reportPrivateUsage]
        return made

    def _op_span(self, path: Path) -> Any:
        return self.places.span([*path, "op"])

    def _require_count(self, name: str, described: OpForm, got: int, path: Path) -> None:
        low, high = described.inputs
        if not low <= got <= high:
            want = counted(low, "input") if low == high else f"{low} to {high} inputs"
            raise SchemaViolation(self.places.span(path), message=f"{name} has {want}, got {got}", help="")

    def _attributes(self, name: str, described: OpForm, attrs: Mapping[str, Any], path: Path) -> dict[str, Any]:
        """Returns the attributes of an op by their own names. Refuses unknown, missing and repeated ones."""
        given: dict[str, Any] = {}
        names = {alias: own for own, field in described.fields.items() for alias in (own, *field.aliases)}
        for key, value in attrs.items():
            if key not in names:
                help = (
                    f"its attributes are {', '.join(described.fields)}" if described.fields else "it has no attributes"
                )
                raise SchemaViolation(self.places.key(path, key), message=f"{name} has no attribute '{key}'", help=help)
            if names[key] in given:
                raise SchemaViolation(
                    self.places.key(path, key), message=f"'{key}' repeats '{names[key]}'", help="give one"
                )
            with self.errors_at([*path, key], SchemaViolation):
                given[names[key]] = _checked(described.fields[names[key]].kind, key, value)
        for own, field in described.fields.items():
            if own not in given and field.default is not None:
                given[own] = field.default
            if own not in given and field.required:
                where = self.places.span(path)
                raise SchemaViolation(where, message=f"{name} needs the attribute '{own}'", help="")
        return given

    def _properties(
        self, described: OpForm, given: Mapping[str, Any], operands: Sequence[SSAValue], path: Path
    ) -> dict[str, Attribute]:
        properties: dict[str, Attribute] = {"fn": StringAttr(described.fn)} if described.fn else {}
        for name, field in described.fields.items():
            if name in given and field.property and (value := _CONVERTERS[field.kind](given[name])) is not None:
                with self.errors_at([*path, name], SchemaViolation):
                    properties[field.property] = value
        if described.kind is intent.ReduceOp and "reduce_axes" not in properties:
            properties["reduce_axes"] = axes_attr(range(len(type_of(operands[0]).dims)))
        return properties

    def _written(
        self, described: OpForm, given: Mapping[str, Any], declared: TensorType | None, path: Path
    ) -> TensorType | None:
        """Returns the result type that the attributes say, which must agree with the declaration."""
        dtype = next((given[name] for name in ("to", "dtype") if name in given), None)
        shape = next((given[name] for name in ("shape", "out_shape") if name in given), None)
        name, at = self.function.ops[cast(int, path[1])].output, [*path, "attrs"]
        if dtype is not None and declared is not None and declared.element_type != DTYPES[dtype]:
            raise self.contradiction(at, f"the op makes {dtype}, but {name} is declared {_dtype_name(declared)}")
        if shape is not None and declared is not None:
            written = self._type(_dtype_name(declared), shape, at)
            if not _may_be(declared, written):
                raise self.contradiction(at, f"the shape is {shape}, but {name} is declared {list(declared.dims)}")
        if declared is not None:
            return declared
        operand = self.function.ops[cast(int, path[1])].inputs
        source = type_of(self.values[operand[0]]) if operand else None
        if described.kind is intent.ConstOp and shape is None:
            shape = list[form.Dim]()
        if described.kind is intent.CastOp and source is not None:
            return self._type(cast(str, dtype), source.dims, at)
        if shape is None:
            return None
        if source is not None:
            dtype = _dtype_name(source)
        return None if dtype is None else self._type(dtype, shape, at)

    # --- epilogues --------------------------------------------------------------------------------

    def _epilogue(
        self,
        tree: Any,
        operands: Sequence[SSAValue],
        properties: Mapping[str, Attribute],
        declared: TensorType | None,
        path: Path,
    ) -> Region:
        bare = self._make(intent.MatmulOp, operands, properties, None, PRODUCT, path)
        product = type_of(bare.results[0])
        if declared is not None:
            product = TensorType(
                product.dims, intent.MatmulOp.product_element(product.element_type, declared.element_type)
            )
        bare.erase()
        block = Block(arg_types=[product])
        block.args[0].name_hint = "x"
        value = self._tree(tree, block, [*path, "attrs", "epilogue"], 0)
        end = intent.YieldOp([value])
        end.location = self.location(path)
        block.add_op(end)
        return Region(block)

    def _tree(self, tree: Any, block: Block, path: Path, depth: int) -> SSAValue:
        """Adds the ops of an epilogue, each `{"op", "inputs", "attrs"}`, whose inputs are names or such ops."""
        if isinstance(tree, str):
            return block.args[0] if tree == PRODUCT else self._value(tree, path)
        if depth > MAX_EPILOGUE_DEPTH:
            raise SchemaViolation(self.places.span(path), message="the epilogue is nested too deeply", help="")
        fields = cast("dict[str, Any]", tree) if isinstance(tree, dict) else {}
        name, inputs = fields.get("op"), fields.get("inputs")
        if name not in EPILOGUE or not isinstance(inputs, list) or fields.keys() - {"op", "inputs", "attrs"}:
            message = 'an epilogue is the name of a value, or {"op": …, "inputs": […], "attrs": {…}}'
            raise SchemaViolation(self.places.span(path), message=message, help=f"ops are {', '.join(EPILOGUE)}")
        inner = cast("list[Any]", inputs)
        operands = [self._tree(part, block, [*path, "inputs", k], depth + 1) for k, part in enumerate(inner)]
        described, at = OPS[cast(str, name)], [*path, "attrs"]
        self._require_count(cast(str, name), described, len(operands), [*path, "inputs"])
        attrs = fields.get("attrs", {})
        if not isinstance(attrs, dict):
            raise SchemaViolation(self.places.span(at), message="expected an object", help="")
        given = self._attributes(cast(str, name), described, cast("dict[str, Any]", attrs), at)
        properties = self._properties(described, given, operands, at)
        declared = self._type(given["to"], type_of(operands[0]).dims, at) if "to" in given else None
        made = self._make(described.kind, operands, properties, declared, cast(str, name), path)
        block.add_op(made)
        return made.results[0]


_DECLARED = (
    intent.ConstOp,
    intent.IotaOp,
    intent.ReshapeOp,
    intent.BroadcastInDimOp,
    intent.CorrelationOp,
    intent.UpsampleBicubic2dAaOp,
)
"""Ops whose operands do not determine the result type."""


def _dtype_name(t: TensorType) -> str:
    return next(name for name, dtype in DTYPES.items() if dtype == t.element_type)


def _may_be(a: TensorType, b: TensorType) -> bool:
    return len(a.dims) == len(b.dims) and all(map(may_agree, a.dims, b.dims))


# --- attributes -----------------------------------------------------------------------------------


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63


def _are_ints(value: object, count: int | None = None) -> bool:
    numbers = cast("list[Any]", value) if isinstance(value, list) else [None]
    return all(map(_is_int, numbers)) and count in (None, len(numbers))


_KINDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "int": (_is_int, "an integer"),
    "ints": (lambda v: _is_int(v) or _are_ints(v), "a list of integers"),
    "pair": (lambda v: _is_int(v) or _are_ints(v, 2), "an integer, or a list of two"),
    "flag": (lambda v: isinstance(v, bool), "true or false"),
    "dtype": (lambda v: isinstance(v, str) and v in (*DTYPES, "i1"), f"one of {', '.join(DTYPES)}"),
    "accum": (lambda v: isinstance(v, str) and v in DTYPES, f"one of {', '.join(DTYPES)}"),
    "amount": (lambda v: isinstance(v, int | float | str), "a number, or an expression of symbols"),
    "shape": (
        lambda v: isinstance(v, list) and all(_is_int(d) or isinstance(d, str) for d in cast("list[Any]", v)),
        "a list of sizes",
    ),
    "epilogue": (lambda v: isinstance(v, str | dict), "an elementwise graph"),
}


def _checked(kind: str, name: str, value: Any) -> Any:
    holds, want = _KINDS[kind]
    if not holds(value):
        raise Unrepresentable(f"'{name}' is not {want}")
    if kind == "amount":
        read_amount(value)
    if kind == "dtype" and value == "i1":
        return "bool"
    if kind == "ints" and _is_int(value):
        return [value]
    return [value, value] if kind == "pair" and _is_int(value) else value


_CONVERTERS: Mapping[str, Callable[[Any], Attribute | None]] = {
    "int": lambda v: IntegerAttr(v, i64),
    "ints": axes_attr,
    "pair": axes_attr,
    "flag": lambda v: UnitAttr() if v else None,
    "amount": read_amount,
    "accum": lambda v: DTYPES[v],
}
