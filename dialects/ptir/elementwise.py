"""
Elementwise ops. Contract: *Elementwise ops*, *Comparisons and selection*, *cast*, *stop_gradient*.

A result that the contract does not define is that of StableHLO. All operands have the same type; sizes that are `?` must be equal,
which is checked at run time. Complex arithmetic and functions follow the textbook formulas; if a formula gives NaN for an
infinity, so does the op. Complex numbers are not ordered.
"""

from __future__ import annotations

import abc
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from ..common.checks import check_word
from ..common.shapes import element, is_predicate
from ..common.syntax import Keyword
from .base import AnyTensor, ElementwiseOp, SameShapes, SameType, TensorOp
from .dims import sizes, tensor_type
from .domains import require_castable, require_domain

COMPARISONS = ("lt", "le", "eq", "ge", "gt", "ne")
EQUALITIES = ("eq", "ne")
"""The comparisons that are also defined on types without an order."""


class UnaryOp(ElementwiseOp, abc.ABC):
    """Base of unary functions: `out[i] = f(x[i])`. Contract: *ElementwiseUnary*."""

    DOMAIN: ClassVar[str] = "analytic"
    input = operand_def(SameType)
    result = result_def(SameType)
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($result)"

    def __init__(self, input: SSAValue):
        super().__init__([input], [input.type])


@irdl_op_definition
class NegOp(UnaryOp):
    """`-x`; integers wrap, including unsigned ones."""

    name = "ptir.neg"
    DOMAIN: ClassVar[str] = "number"


@irdl_op_definition
class AbsOp(UnaryOp):
    """`|x|`; the most negative integer wraps to itself. Not defined on complex numbers, whose magnitude has another type."""

    name = "ptir.abs"
    DOMAIN: ClassVar[str] = "real"


@irdl_op_definition
class ExpOp(UnaryOp):
    """`e**x`."""

    name = "ptir.exp"


@irdl_op_definition
class LogOp(UnaryOp):
    """The natural logarithm; NaN below zero, -Inf at both zeros. For complex numbers, the principal value."""

    name = "ptir.log"


@irdl_op_definition
class TanhOp(UnaryOp):
    """The hyperbolic tangent."""

    name = "ptir.tanh"


@irdl_op_definition
class ErfOp(UnaryOp):
    """The error function. Defined on floats only."""

    name = "ptir.erf"
    DOMAIN: ClassVar[str] = "float"


@irdl_op_definition
class RsqrtOp(UnaryOp):
    """`1 / sqrt(x)`: NaN below zero, +Inf at +0, and -Inf at -0, as in IEEE 754 (the contract and StableHLO do not define -0)."""

    name = "ptir.rsqrt"


@irdl_op_definition
class ReciprocalOp(UnaryOp):
    """`1 / x`; at a zero, the infinity of the same sign."""

    name = "ptir.reciprocal"


class BinaryOp(ElementwiseOp, abc.ABC):
    """Base of binary functions: `out[i] = f(lhs[i], rhs[i])`. The operands have the same type. Contract: *ElementwiseBinary*."""

    lhs = operand_def(SameType)
    rhs = operand_def(SameType)
    result = result_def(SameType)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        super().__init__([lhs, rhs], [lhs.type])


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
    """
    Division. On floats it is that of IEEE 754. On integers a zero divisor violates the contract, the quotient is truncated toward
    zero as in StableHLO (the contract does not say), and the most negative number divided by -1 wraps to itself.
    """

    name = "ptir.div"


@irdl_op_definition
class MaximumOp(BinaryOp):
    """
    The larger operand. NaN if either is NaN, and -0 is below +0: `maximum` of IEEE 754-2019, as in StableHLO (the contract does
    not say).
    """

    name = "ptir.maximum"
    DOMAIN: ClassVar[str] = "real"


@irdl_op_definition
class MinimumOp(BinaryOp):
    """
    The smaller operand. NaN if either is NaN, and -0 is below +0: `minimum` of IEEE 754-2019, as in StableHLO (the contract does
    not say).
    """

    name = "ptir.minimum"
    DOMAIN: ClassVar[str] = "real"


@irdl_op_definition
class CompareOp(TensorOp):
    """
    `out[i] = lhs[i] <op> rhs[i]`. If an operand is NaN, only `ne` is true. False is below true. Complex numbers can only be
    compared by `eq` and `ne`, which compare both parts. Contract: *Compare*.

    ```mlir
    %1 = ptir.compare lt %a, %b : tensor<4xf32> -> tensor<4xi1>
    ```
    """

    name = "ptir.compare"
    op = prop_def(StringAttr)
    lhs = operand_def(SameType)
    rhs = operand_def(SameType)
    result = result_def(AnyTensor)
    traits = traits_def(Pure(), SameShapes())
    custom_directives = (Keyword,)
    assembly_format = "custom<Keyword>($op) $lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"

    def __init__(self, op: str, lhs: SSAValue, rhs: SSAValue):
        super().__init__([lhs, rhs], [tensor_type(i1, sizes(lhs))], op=op)

    def verify_(self) -> None:
        check_word(self, "op", self.op.data, COMPARISONS)
        if self.op.data not in EQUALITIES and not is_predicate(dtype := element(self.lhs)):
            require_domain(self, dtype, "real")
        self.require_tensor(self.result, i1, sizes(self.lhs), "the result")


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
    traits = traits_def(Pure(), SameShapes())
    assembly_format = "$pred `,` $on_true `,` $on_false attr-dict `:` type($pred) `,` type($result)"

    def __init__(self, pred: SSAValue, on_true: SSAValue, on_false: SSAValue):
        super().__init__([pred, on_true, on_false], [on_true.type])

    def verify_(self) -> None:
        self.require_tensor(self.pred, i1, sizes(self.result), "the predicate")


@irdl_op_definition
class ClampOp(ElementwiseOp):
    """
    `min(max(x, lo), hi)`, with the rules of `ptir.maximum` and `ptir.minimum` for NaN and zeros. If `lo` is above `hi`, the
    result is `hi`. The bounds have the shape of `x`. Contract: *Clamp*.
    """

    name = "ptir.clamp"
    DOMAIN: ClassVar[str] = "real"
    input = operand_def(SameType)
    lo = operand_def(SameType)
    hi = operand_def(SameType)
    result = result_def(SameType)
    traits = traits_def(Pure())
    assembly_format = "$input `,` $lo `,` $hi attr-dict `:` type($result)"

    def __init__(self, input: SSAValue, lo: SSAValue, hi: SSAValue):
        super().__init__([input, lo, hi], [input.type])


class ConversionOp(TensorOp, abc.ABC):
    """Base of ops that map each element to a value of another type."""

    input = operand_def(AnyTensor)
    result = result_def(AnyTensor)
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"


@irdl_op_definition
class CastOp(ConversionOp):
    """
    Converts each element to the element type of the result. Contract: *cast*.

    Float to float rounds to nearest even; float to integer truncates and saturates, and NaN becomes 0; integer to float rounds to
    nearest even; integer to integer saturates. The contract does not define casts of `i1`, overflow of f8E4M3FN, and complex
    numbers. True is 1, and every number other than zero, also NaN, is true, as in StableHLO's `convert`. A float beyond the range of
    f8E4M3FN becomes NaN, because the type has no infinity. Complex numbers can only be cast to complex numbers, part by part.

    ```mlir
    %1 = ptir.cast %0 : tensor<4xbf16> -> tensor<4xf32>
    ```
    """

    name = "ptir.cast"

    def __init__(self, input: SSAValue, dtype: Attribute):
        super().__init__([input], [tensor_type(dtype, sizes(input))])

    def verify_(self) -> None:
        self.require_shape(self.result, sizes(self.input), "the result")
        require_castable(self, element(self.input), element(self.result), "the cast")


@irdl_op_definition
class StopGradientOp(UnaryOp):
    """
    Returns its operand. Automatic differentiation treats the result as a constant. Contract: *StopGradient*.

    ```mlir
    %1 = ptir.stop_gradient %0 : tensor<4xf32>
    ```
    """

    name = "ptir.stop_gradient"
    DOMAIN: ClassVar[str] = "any"
