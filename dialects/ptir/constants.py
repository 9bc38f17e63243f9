"""Literals. Contract: *constant and inline literals*."""

from __future__ import annotations

import abc
import re
from typing import Self

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, UnitAttr
from xdsl.irdl import (
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.hints import isa

from ...errors import ShapeMismatch
from ...text.literals import compact
from .base import AnyTensor, TensorOp
from .domains import is_integer


class LiteralOp(TensorOp, abc.ABC):
    """Base of constants: returns a dense tensor literal."""

    value = prop_def(DenseIntOrFPElementsAttr)
    result = result_def(AnyTensor)
    traits = traits_def(Pure(), ConstantLike())

    def __init__(self, value: DenseIntOrFPElementsAttr):
        super().__init__([], [value.get_type()], value=value)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        attributes = parser.parse_optional_attr_dict()
        at = parser.pos
        value = parser.parse_attribute()
        if not isa(value, DenseIntOrFPElementsAttr):
            parser.raise_error(f"{cls.name} takes a dense literal: dense<…> : tensor<…>", at, parser.pos)
        op = cls(value)
        op.attributes = attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes)
        printer.print_string(" ")
        value = compact(self.value)
        if type(printer) is not Printer:
            printer.print_attribute(value)
        elif not is_integer(value.get_element_type()) and len(value) <= 100 and re.search(r"\b0x", str(value)):
            # xDSL's printer writes infinities, NaNs and large integers as bits, but its parser reads these as numbers.
            # So print the bytes of the literal.
            printer.print_string(f'dense<"0x{value.data.data.hex().upper()}"> : ')
            printer.print_attribute(value.get_type())
        else:
            printer.print_attribute(value)

    def verify_(self) -> None:
        if self.value.get_type() != self.result.type:
            raise ShapeMismatch(self, what="the result", got=self.result.type, want=self.value.get_type())


@irdl_op_definition
class ConstantOp(LiteralOp):
    """
    A constant tensor, given by a dense literal. Contract: *Constant*. In the contract an operand can also be a literal
    (*Operand::Literal*); here such a literal is a constant marked `inline`, which has the same meaning.

    ```mlir
    %0 = ptir.constant dense<0.0> : tensor<f32>
    %1 = ptir.constant inline dense<[1, 2]> : tensor<2xsi64>
    ```
    """

    name = "ptir.constant"
    inline = opt_prop_def(UnitAttr)

    def __init__(self, value: DenseIntOrFPElementsAttr, *, inline: bool = False):
        super().__init__(value)
        if inline:
            self.inline = UnitAttr()

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        inline = parser.parse_optional_keyword("inline")
        op = super().parse(parser)
        if inline:
            op.inline = UnitAttr()
        return op

    def print(self, printer: Printer) -> None:
        if self.inline is not None:
            printer.print_string(" inline")
        super().print(printer)
