"""Literals. Contract: *constant and inline literals*."""

from __future__ import annotations

import abc
import re
from typing import Self

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
)
from xdsl.irdl import (
    irdl_op_definition,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.hints import isa

from ...errors import (
    ShapeMismatch,
)
from ..shapes import (
    is_float,
)
from .base import AnyTensor, TensorOp


class LiteralOp(TensorOp, abc.ABC):
    """A dense tensor literal; its type is the literal's."""

    value = prop_def(DenseIntOrFPElementsAttr)
    result = result_def(AnyTensor)
    traits = traits_def(Pure(), ConstantLike())

    def __init__(self, value: DenseIntOrFPElementsAttr):
        super().__init__(result_types=[value.get_type()], properties={"value": value})

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
        if is_float(self.value.get_element_type()) and re.search(r"\b0x", str(self.value)):
            # xDSL prints infinities, NaNs and large integers as bits and reads them as numbers: print the bytes
            printer.print_string(f'dense<"0x{self.value.data.data.hex().upper()}"> : ')
            printer.print_attribute(self.value.get_type())
        else:
            printer.print_attribute(self.value)

    def verify_(self) -> None:
        if self.value.get_type() != self.result.type:
            raise ShapeMismatch(self, what="the result", got=self.result.type, want=self.value.get_type())


@irdl_op_definition
class ConstantOp(LiteralOp):
    """
    A dense tensor literal. Contract: *Constant*.

    ```mlir
    %0 = ptir.constant dense<0.0> : tensor<f32>
    ```
    """

    name = "ptir.constant"
