"""Ops that work element by element. Contract: *Elementwise ops*, *Comparisons and selection*, *cast*."""

from __future__ import annotations

import abc
from typing import ClassVar

from xdsl.dialects.builtin import (
    ComplexType,
    StringAttr,
    TensorType,
    i1,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from ...errors import (
    InvalidAttributeValue,
    UnsupportedType,
)
from ..shapes import (
    element,
    shape,
)
from ..syntax import Keyword
from .base import AnyTensor, ElementwiseOp, SameType, TensorOp

COMPARISONS = ("lt", "le", "eq", "ge", "gt", "ne")


class UnaryOp(ElementwiseOp, abc.ABC):
    """`out[i] = f(x[i])`. Contract: *ElementwiseUnary*."""

    DOMAIN: ClassVar[str] = "float"
    input = operand_def(SameType)
    result = result_def(SameType)
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($result)"

    def __init__(self, input: SSAValue):
        super().__init__(operands=[input], result_types=[input.type])


@irdl_op_definition
class NegOp(UnaryOp):
    """`-x`; wraps on integers."""

    name = "ptir.neg"
    DOMAIN: ClassVar[str] = "number"


@irdl_op_definition
class AbsOp(UnaryOp):
    """`|x|`; wraps on the most negative integer."""

    name = "ptir.abs"
    DOMAIN: ClassVar[str] = "number"


@irdl_op_definition
class ExpOp(UnaryOp):
    """`e**x`."""

    name = "ptir.exp"


@irdl_op_definition
class LogOp(UnaryOp):
    """The natural logarithm; NaN below zero, -Inf at zero."""

    name = "ptir.log"


@irdl_op_definition
class TanhOp(UnaryOp):
    """The hyperbolic tangent."""

    name = "ptir.tanh"


@irdl_op_definition
class ErfOp(UnaryOp):
    """The error function."""

    name = "ptir.erf"


@irdl_op_definition
class RsqrtOp(UnaryOp):
    """`1 / sqrt(x)`."""

    name = "ptir.rsqrt"


@irdl_op_definition
class ReciprocalOp(UnaryOp):
    """`1 / x`."""

    name = "ptir.reciprocal"


class BinaryOp(ElementwiseOp, abc.ABC):
    """`out[i] = f(lhs[i], rhs[i])`, both of one type and shape. Contract: *ElementwiseBinary*."""

    lhs = operand_def(SameType)
    rhs = operand_def(SameType)
    result = result_def(SameType)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[lhs, rhs], result_types=[lhs.type])


@irdl_op_definition
class AddOp(BinaryOp):
    """Addition; integers wrap."""

    name = "ptir.add"


@irdl_op_definition
class SubOp(BinaryOp):
    """Subtraction; integers wrap."""

    name = "ptir.sub"


@irdl_op_definition
class MulOp(BinaryOp):
    """Multiplication; integers wrap."""

    name = "ptir.mul"


@irdl_op_definition
class DivOp(BinaryOp):
    """IEEE division on floats; truncating on integers, where a zero divisor is a violation."""

    name = "ptir.div"


@irdl_op_definition
class MaximumOp(BinaryOp):
    """The larger; NaN if either is NaN (as IEEE 754-2019 `maximum`)."""

    name = "ptir.maximum"


@irdl_op_definition
class MinimumOp(BinaryOp):
    """The smaller; NaN if either is NaN (as IEEE 754-2019 `minimum`)."""

    name = "ptir.minimum"


@irdl_op_definition
class CompareOp(TensorOp):
    """
    `out[i] = lhs[i] <op> rhs[i]`, IEEE on NaN: only `ne` is true. Contract: *Compare*.

    ```mlir
    %1 = ptir.compare lt %a, %b : tensor<4xf32> -> tensor<4xi1>
    ```
    """

    name = "ptir.compare"
    op = prop_def(StringAttr)
    lhs = operand_def(SameType)
    rhs = operand_def(SameType)
    result = result_def(AnyTensor)
    traits = traits_def(Pure())
    custom_directives = (Keyword,)
    assembly_format = "custom<Keyword>($op) $lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"

    def __init__(self, op: str, lhs: SSAValue, rhs: SSAValue):
        super().__init__(
            operands=[lhs, rhs], result_types=[TensorType(i1, shape(lhs))], properties={"op": StringAttr(op)}
        )

    def verify_(self) -> None:
        if self.op.data not in COMPARISONS:
            raise InvalidAttributeValue(
                self, name="op", problem=f"is '{self.op.data}'", help=f"one of {', '.join(COMPARISONS)}"
            )
        self.require_shape(self.result, shape(self.lhs), "the result")
        self.require_element(self.result, i1, "the result")


@irdl_op_definition
class SelectOp(TensorOp):
    """
    `out[i] = pred[i] ? on_true[i] : on_false[i]`. Contract: *Select*.

    ```mlir
    %1 = ptir.select %p, %a, %b : tensor<4xi1>, tensor<4xf32>
    ```
    """

    name = "ptir.select"
    pred = operand_def(AnyTensor)
    on_true = operand_def(SameType)
    on_false = operand_def(SameType)
    result = result_def(SameType)
    traits = traits_def(Pure())
    assembly_format = "$pred `,` $on_true `,` $on_false attr-dict `:` type($pred) `,` type($result)"

    def __init__(self, pred: SSAValue, on_true: SSAValue, on_false: SSAValue):
        super().__init__(operands=[pred, on_true, on_false], result_types=[on_true.type])

    def verify_(self) -> None:
        self.require_element(self.pred, i1, "the predicate")
        self.require_shape(self.pred, shape(self.result), "the predicate")


@irdl_op_definition
class ClampOp(ElementwiseOp):
    """`min(max(x, lo), hi)`. Contract: *Clamp*."""

    name = "ptir.clamp"
    input = operand_def(SameType)
    lo = operand_def(SameType)
    hi = operand_def(SameType)
    result = result_def(SameType)
    traits = traits_def(Pure())
    assembly_format = "$input `,` $lo `,` $hi attr-dict `:` type($result)"

    def __init__(self, input: SSAValue, lo: SSAValue, hi: SSAValue):
        super().__init__(operands=[input, lo, hi], result_types=[input.type])


@irdl_op_definition
class CastOp(TensorOp):
    """
    Converts each element. Contract: *cast*: float→float rounds to nearest even, float→int truncates and
    saturates (NaN is 0), int→float is the nearest, int→int saturates.

    ```mlir
    %1 = ptir.cast %0 : tensor<4xbf16> -> tensor<4xf32>
    ```
    """

    name = "ptir.cast"
    input = operand_def(AnyTensor)
    result = result_def(AnyTensor)
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, dtype: Attribute):
        super().__init__(operands=[input], result_types=[TensorType(dtype, shape(input))])

    def verify_(self) -> None:
        self.require_shape(self.result, shape(self.input), "the result")
        if isinstance(element(self.result), ComplexType) != isinstance(element(self.input), ComplexType):
            raise UnsupportedType(
                self,
                what="the cast",
                got=f"{element(self.input)} to {element(self.result)}",
                want="complex casts only to complex",
            )
