"""Composites: computations with a name, by which a consumer can recognize them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FloatAttr, IntegerAttr, StringAttr, UnitAttr
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, RecursivelySpeculatable, RecursiveMemoryEffect

from ..common.checks import check_value
from .base import Extension
from .control import (
    AnyValue,
    ControlOp,
    parse_attributes,
    parse_body,
    parse_operands,
    parse_signature,
    print_operands,
    yielded_types,
)

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)*\.v[0-9]+")
"""The grammar of names: words separated by dots, of which the last is a version, as in custom calls."""


@irdl_op_definition
class CompositeOp(ControlOp):
    """
    A computation with a name. An extension of the contract. The region computes the results from the operands alone. The name
    and the attributes identify the computation for a consumer that has a kernel for it; they do not change the semantics.
    `ptir-recognize` creates composites, `ptir-inline-composites` replaces them by the ops of their regions.

    The name ends in a version, like the target of a custom call (contract, *Custom calls*, *Stable naming*). Attributes are
    units, integers, floats, strings, and arrays of integers, of floats or of strings.

    ```mlir
    %p = ptir.composite "softmax.v1" (%z) {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32> do (%x) {
      %m = ptir.reduce max %x axes [1] keepdims : tensor<4x8xf32> -> tensor<4x1xf32>
      %a = ptir.broadcast_to %m : tensor<4x1xf32> -> tensor<4x8xf32>
      %d = ptir.sub %x, %a : tensor<4x8xf32>
      %e = ptir.exp %d : tensor<4x8xf32>
      %s = ptir.reduce sum %e axes [1] keepdims : tensor<4x8xf32> -> tensor<4x1xf32>
      %b = ptir.broadcast_to %s : tensor<4x1xf32> -> tensor<4x8xf32>
      %r = ptir.div %e, %b : tensor<4x8xf32>
      ptir.yield %r : tensor<4x8xf32>
    }
    ```
    """

    name = "ptir.composite"
    known_as = prop_def(StringAttr)
    facts = opt_prop_def(DictionaryAttr)
    inputs = var_operand_def(AnyValue)
    outputs = var_result_def(AnyValue)
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), RecursiveMemoryEffect(), RecursivelySpeculatable(), Extension())

    def __init__(
        self,
        known_as: str,
        inputs: Sequence[SSAValue],
        body: Region | Block,
        facts: Mapping[str, Attribute] | None = None,
        result_types: Sequence[Attribute] | None = None,
    ):
        types = yielded_types(body) if result_types is None else result_types
        super().__init__([inputs], [types], [body], known_as=known_as, facts=DictionaryAttr(facts) if facts else None)

    @classmethod
    def parse(cls, parser: Parser) -> CompositeOp:
        name = parser.parse_str_literal(" for the composite's name")
        operands = parse_operands(parser)
        facts = parser.parse_optional_attr_dict()
        inputs, outputs = parse_signature(parser, operands)
        attributes = parse_attributes(parser)
        op = cls(name, inputs, parse_body(parser, "do", [v.type for v in inputs]), facts, outputs)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.known_as.data)
        print_operands(printer, self.inputs)
        if self.facts is not None:
            printer.print_op_attributes(self.facts.data)
        self.print_signature(printer)
        self.print_body(printer, "do", self.body, self.inputs.types)

    def fact(self, name: str) -> Attribute | None:
        return self.facts.data.get(name) if self.facts is not None else None

    def verify_(self) -> None:
        named = NAME.fullmatch(self.known_as.data) is not None
        help = 'a name is words with dots between them, the last one a version: "attention.v1"'
        check_value(self, named, "name", f"'{self.known_as.data}'", help)
        facts = self.facts.data if self.facts is not None else dict[str, Attribute]()
        for name, value in facts.items():
            help = "an attribute is a unit, a number, a string, or an array of integers, of floats or of strings"
            check_value(self, _is_fact(value), name, value, help)
        self.require_region(self.body, "'do'", self.inputs.types, self.outputs.types)


def _is_fact(value: Attribute) -> bool:
    if isinstance(value, ArrayAttr):
        items: Sequence[Attribute] = cast("ArrayAttr[Attribute]", value).data
        scalars = all(isinstance(item, IntegerAttr | FloatAttr | StringAttr) for item in items)
        return scalars and len({type(item) for item in items}) <= 1
    return isinstance(value, UnitAttr | IntegerAttr | FloatAttr | StringAttr)
