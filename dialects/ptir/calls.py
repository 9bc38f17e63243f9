"""Calls of external kernels. Contract: *Custom calls*."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Self, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    FunctionType,
    IntegerAttr,
    LocationAttr,
    StringAttr,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, prop_def, traits_def, var_operand_def, var_result_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from ...errors import InvalidAttributeValue, require
from ..common.checks import check_value
from .base import AnyTensor, TensorOp
from .control import AnyValue, parse_attributes, parse_signature

_TARGET = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+\.v(0|[1-9][0-9]*)")
SIGNATURE = "ptir.signature"
"""The attribute that holds the type of a function as its callers see it (`packed.py`)."""
Primitive = bool | int | float | str
Argument = Primitive | Sequence[Primitive]
"""The Python value of an attribute of a call."""


@irdl_op_definition
class CustomCallOp(TensorOp):
    """
    Calls the kernel `target`, a pure function of tensors. Contract: *CustomCall*.

    The target is a namespace, a name and a version, such as `acme.topk_mask.v1`, possibly with further words before the
    version. An attribute is an `i64`, an `f64`, `true` or `false`, a string, or an array of one of these kinds. An `i64` literal
    of 2^63 or more is the negative number with the same bits, as everywhere in MLIR: 18446744073709551615 is -1. The target
    decides which operand types it accepts, and must return the written result types. Several results are several values, or
    one tuple. Running a call of an unregistered target raises `Unimplemented`: there is no fallback.

    ```mlir
    %v, %i = ptir.custom_call "acme.best.f32.v1"(%x) {count = 2 : i64, names = ["a", "b"], largest = true}
       : (tensor<8xf32>) -> (tensor<2xf32>, tensor<2xi64>)
    ```
    """

    name = "ptir.custom_call"
    target = prop_def(StringAttr)
    attrs = prop_def(DictionaryAttr, default_value=DictionaryAttr({}))
    inputs = var_operand_def(AnyTensor)
    outputs = var_result_def(AnyValue)
    traits = traits_def(Pure())

    def __init__(
        self,
        target: str,
        inputs: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        attrs: Mapping[str, Argument] | DictionaryAttr | None = None,
    ):
        if not isinstance(attrs, DictionaryAttr):
            attrs = DictionaryAttr({name: attribute_of(value) for name, value in (attrs or {}).items()})
        super().__init__([inputs], [result_types], target=target, attrs=attrs)

    @property
    def signature(self) -> FunctionType:
        """The types that the Python function takes and returns."""
        seen = self.attributes.get(SIGNATURE)
        own = FunctionType.from_lists(list(self.inputs.types), list(self.outputs.types))
        return seen if isinstance(seen, FunctionType) else own

    @property
    def seen(self) -> CustomCallOp:
        """The call as the Python function sees it: the op itself, or an op of its own with the types of the signature."""
        if SIGNATURE not in self.attributes:
            return self
        return seen_call(self.target, self.signature, self.attrs, self.location)

    def arguments(self) -> dict[str, Argument]:
        """Returns the attributes as Python values."""
        return {name: value_of(attr) for name, attr in self.attrs.data.items()}

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        target = parser.parse_str_literal("the target, a string")
        operands = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        attrs = parser.parse_optional_attr_dict()
        attributes = parse_attributes(parser)
        inputs, outputs = parse_signature(parser, operands)
        op = cls(target, inputs, outputs, DictionaryAttr(attrs))
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.target.data)
        printer.print_operands(self.inputs)
        if self.attrs.data:
            printer.print_string(" ")
            printer.print_attr_dict(self.attrs.data)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" : ")
        printer.print_function_type(self.inputs.types, self.result_types)

    def verify_(self) -> None:
        require_target(self, self.target.data)
        for name, attr in self.attrs.data.items():
            kinds = {_kind(item) for item in _items(attr)}
            help = "an attribute is an i64, an f64, a bool, a string, or an array of one of these kinds"
            check_value(self, None not in kinds and len(kinds) <= 1, name, attr, help)


def seen_call(
    target: StringAttr, signature: FunctionType, attrs: DictionaryAttr, location: LocationAttr
) -> CustomCallOp:
    """Returns a call outside of any block, with operands and results of these types."""
    operands = Block(arg_types=signature.inputs.data).args
    call = CustomCallOp(target.data, operands, signature.outputs.data, attrs)
    call.location = location
    return call


def require_target(op: Operation | None, target: str) -> None:
    """Checks that `target` is a valid name of a target. Contract: *Stable naming*."""
    require(target, str, "the target", "text")
    help = "a target is a namespace, a name and a version, with dots between them: acme.softmax.v1"
    check_value(op, _TARGET.fullmatch(target) is not None, "target", f"'{target}'", help)


def _items(attr: Attribute) -> Sequence[Attribute]:
    return cast("ArrayAttr[Attribute]", attr).data if isinstance(attr, ArrayAttr) else [attr]


def _kind(attr: Attribute) -> Attribute | type[Attribute] | None:
    """Returns the kind of an attribute: i64, f64, i1 or `StringAttr`; None if it is illegal in a call."""
    if isinstance(attr, StringAttr):
        return StringAttr
    if not isinstance(attr, IntegerAttr | FloatAttr):
        return None
    dtype: Attribute = cast("FloatAttr[AnyFloat]", attr).type
    return dtype if dtype in (i64, f64, i1) else None


def attribute_of(value: Argument) -> Attribute:
    """Converts a Python value to an attribute of a call."""
    match value:
        case bool():
            return IntegerAttr(int(value), i1)
        case int():
            return IntegerAttr(value, i64)
        case float():
            return FloatAttr(value, f64)
        case str():
            return StringAttr(value)
        case _:
            return ArrayAttr(attribute_of(item) for item in value)


def value_of(attr: Attribute) -> Argument:
    """Converts an attribute of a call to a Python value, the inverse of `attribute_of`. Arrays become tuples."""
    match attr:
        case IntegerAttr():
            return bool(attr.value.data) if attr.type == i1 else attr.value.data
        case FloatAttr():
            return attr.value.data
        case StringAttr():
            return attr.data
        case ArrayAttr():
            return tuple(map(value_of, _items(attr)))  # pyright: ignore[reportReturnType]
        case _:
            raise InvalidAttributeValue(
                name="attrs", problem=f"has {attr}", help="use integers, floats, booleans, strings, and arrays of these"
            )
