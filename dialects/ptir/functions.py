"""
Elementwise functions that real models need and the contract lacks: all of them extensions, with StableHLO's meaning
(`erfc`: CHLO's).
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import FixedBitwidthType, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure

from ..common.shapes import element
from .base import AnyTensor, Extension, TensorOp
from .dims import sizes, tensor_type
from .domains import require_domain
from .elementwise import BinaryOp, UnaryOp

# --- functions of one number --------------------------------------------------------------------


@irdl_op_definition
class SqrtOp(UnaryOp):
    """
    The square root; NaN below zero, -0 at -0. An extension of the contract. Of complex numbers the principal one.

    ```mlir
    %0 = ptir.sqrt %a : tensor<4xf32>
    ```
    """

    name = "ptir.sqrt"
    traits = traits_def(Extension())


@irdl_op_definition
class SinOp(UnaryOp):
    """
    The sine of radians; NaN at the infinities. An extension of the contract.

    ```mlir
    %0 = ptir.sin %a : tensor<4xf32>
    ```
    """

    name = "ptir.sin"
    traits = traits_def(Extension())


@irdl_op_definition
class CosOp(UnaryOp):
    """
    The cosine of radians; NaN at the infinities. An extension of the contract.

    ```mlir
    %0 = ptir.cos %a : tensor<4xf32>
    ```
    """

    name = "ptir.cos"
    traits = traits_def(Extension())


@irdl_op_definition
class FloorOp(UnaryOp):
    """
    The greatest whole number that is not above `x`. An extension of the contract.

    ```mlir
    %0 = ptir.floor %a : tensor<4xf32>
    ```
    """

    name = "ptir.floor"
    DOMAIN: ClassVar[str] = "float"
    traits = traits_def(Extension())


@irdl_op_definition
class CeilOp(UnaryOp):
    """
    The least whole number that is not below `x`. An extension of the contract.

    ```mlir
    %0 = ptir.ceil %a : tensor<4xf32>
    ```
    """

    name = "ptir.ceil"
    DOMAIN: ClassVar[str] = "float"
    traits = traits_def(Extension())


@irdl_op_definition
class RoundOp(UnaryOp):
    """
    The nearest whole number, ties to even: StableHLO's `round_nearest_even`. An extension of the contract.

    ```mlir
    %0 = ptir.round %a : tensor<4xf32>
    ```
    """

    name = "ptir.round"
    DOMAIN: ClassVar[str] = "float"
    traits = traits_def(Extension())


@irdl_op_definition
class SignOp(UnaryOp):
    """
    -1, 0 or 1; zeros and NaN are themselves. An extension of the contract. Of complex numbers `x / |x|`.

    ```mlir
    %0 = ptir.sign %a : tensor<4xf32>
    ```
    """

    name = "ptir.sign"
    DOMAIN: ClassVar[str] = "number"
    traits = traits_def(Extension())


@irdl_op_definition
class Log1pOp(UnaryOp):
    """
    `log(1 + x)` without the rounding of the sum; NaN below -1, -Inf at -1. An extension of the contract.

    ```mlir
    %0 = ptir.log1p %a : tensor<4xf32>
    ```
    """

    name = "ptir.log1p"
    traits = traits_def(Extension())


@irdl_op_definition
class Expm1Op(UnaryOp):
    """
    `e**x - 1` without the rounding of the power. An extension of the contract.

    ```mlir
    %0 = ptir.expm1 %a : tensor<4xf32>
    ```
    """

    name = "ptir.expm1"
    traits = traits_def(Extension())


@irdl_op_definition
class ErfcOp(UnaryOp):
    """
    `1 - erf(x)` without the rounding of the error function. An extension of the contract.

    ```mlir
    %0 = ptir.erfc %a : tensor<4xf32>
    ```
    """

    name = "ptir.erfc"
    DOMAIN: ClassVar[str] = "float"
    traits = traits_def(Extension())


@irdl_op_definition
class LogisticOp(UnaryOp):
    """
    `1 / (1 + e**-x)`. An extension of the contract.

    ```mlir
    %0 = ptir.logistic %a : tensor<4xf32>
    ```
    """

    name = "ptir.logistic"
    traits = traits_def(Extension())


@irdl_op_definition
class NotOp(UnaryOp):
    """
    Every bit inverted; on `i1` the negation. An extension of the contract.

    ```mlir
    %0 = ptir.not %a : tensor<4xi1>
    ```
    """

    name = "ptir.not"
    DOMAIN: ClassVar[str] = "bits"
    traits = traits_def(Extension())


# --- functions of two numbers -------------------------------------------------------------------


@irdl_op_definition
class PowOp(BinaryOp):
    """
    `lhs` to the power of `rhs`. An extension of the contract: IEEE 754 `pow` on floats, the principal value on complex
    numbers. On integers it wraps; with a negative exponent it is 0, but for the bases 1 and -1.

    ```mlir
    %0 = ptir.pow %a, %b : tensor<4xf32>
    ```
    """

    name = "ptir.pow"
    traits = traits_def(Extension())


@irdl_op_definition
class RemainderOp(BinaryOp):
    """
    What division leaves, with the sign of `lhs`. An extension of the contract: exact on floats (C's `fmod`, NaN where
    `rhs` is zero or `lhs` infinite). On integers a zero divisor is a violation, as in `ptir.div`.

    ```mlir
    %0 = ptir.remainder %a, %b : tensor<4xf32>
    ```
    """

    name = "ptir.remainder"
    DOMAIN: ClassVar[str] = "real"
    traits = traits_def(Extension())


@irdl_op_definition
class AndOp(BinaryOp):
    """
    Bit by bit, 1 where both are. An extension of the contract.

    ```mlir
    %0 = ptir.and %a, %b : tensor<4xi1>
    ```
    """

    name = "ptir.and"
    DOMAIN: ClassVar[str] = "bits"
    traits = traits_def(Extension())


@irdl_op_definition
class OrOp(BinaryOp):
    """
    Bit by bit, 1 where either is. An extension of the contract.

    ```mlir
    %0 = ptir.or %a, %b : tensor<4xi1>
    ```
    """

    name = "ptir.or"
    DOMAIN: ClassVar[str] = "bits"
    traits = traits_def(Extension())


@irdl_op_definition
class XorOp(BinaryOp):
    """
    Bit by bit, 1 where they differ. An extension of the contract.

    ```mlir
    %0 = ptir.xor %a, %b : tensor<4xi1>
    ```
    """

    name = "ptir.xor"
    DOMAIN: ClassVar[str] = "bits"
    traits = traits_def(Extension())


@irdl_op_definition
class ShiftLeftOp(BinaryOp):
    """
    The bits of `lhs` moved up by `rhs`, zeros below. An extension of the contract. A shift counts as unsigned, and one by
    the width of the type or more leaves 0.

    ```mlir
    %0 = ptir.shift_left %a, %b : tensor<4xui32>
    ```
    """

    name = "ptir.shift_left"
    DOMAIN: ClassVar[str] = "integer"
    traits = traits_def(Extension())


@irdl_op_definition
class ShiftRightArithmeticOp(BinaryOp):
    """
    The bits of `lhs` moved down by `rhs`, copies of the highest one above. An extension of the contract. A shift counts as
    unsigned, and one by the width of the type or more leaves copies only; the highest bit of unsigned types counts too.

    ```mlir
    %0 = ptir.shift_right_arithmetic %a, %b : tensor<4xui32>
    ```
    """

    name = "ptir.shift_right_arithmetic"
    DOMAIN: ClassVar[str] = "integer"
    traits = traits_def(Extension())


@irdl_op_definition
class ShiftRightLogicalOp(BinaryOp):
    """
    The bits of `lhs` moved down by `rhs`, zeros above. An extension of the contract. A shift counts as unsigned, and one
    by the width of the type or more leaves 0.

    ```mlir
    %0 = ptir.shift_right_logical %a, %b : tensor<4xui32>
    ```
    """

    name = "ptir.shift_right_logical"
    DOMAIN: ClassVar[str] = "integer"
    traits = traits_def(Extension())


# --- functions to another type ------------------------------------------------------------------


@irdl_op_definition
class IsFiniteOp(TensorOp):
    """
    Whether a float is neither infinite nor NaN. An extension of the contract.

    ```mlir
    %0 = ptir.is_finite %x : tensor<4xf32> -> tensor<4xi1>
    ```
    """

    name = "ptir.is_finite"
    input = operand_def(AnyTensor)
    result = result_def(AnyTensor)
    traits = traits_def(Pure(), Extension())
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue):
        super().__init__(operands=[input], result_types=[tensor_type(i1, sizes(input))])

    def verify_(self) -> None:
        require_domain(self, element(self.input), "float")
        self.require_shape(self.result, sizes(self.input), "the result")
        self.require_element(self.result, i1, "the result")


@irdl_op_definition
class BitcastOp(TensorOp):
    """
    The same bits as values of another type. An extension of the contract. A narrower type adds a last axis that counts
    the parts of each element, the lowest bits first; a wider one takes such an axis away. On integers and floats.

    ```mlir
    %0 = ptir.bitcast %x : tensor<4xf32> -> tensor<4xui32>
    %1 = ptir.bitcast %x : tensor<4xf32> -> tensor<4x2xbf16>
    ```
    """

    name = "ptir.bitcast"
    input = operand_def(AnyTensor)
    result = result_def(AnyTensor)
    traits = traits_def(Pure(), Extension())
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, dtype: Attribute):
        of, old, new = sizes(input), bit_width(element(input)), bit_width(dtype)
        kept = [*of, old // new] if old > new else of[:-1] if old < new else of
        super().__init__(operands=[input], result_types=[tensor_type(dtype, kept)])

    def parts(self) -> int:
        """How many elements of the narrower type one of the wider type has."""
        widths = bit_width(element(self.input)), bit_width(element(self.result))
        return max(widths) // min(widths)

    def verify_(self) -> None:
        require_domain(self, element(self.input), "real")
        require_domain(self, element(self.result), "real", what="the result's element type")
        narrow, wide = self.input, self.result
        if bit_width(element(narrow)) >= bit_width(element(wide)):
            narrow, wide = wide, narrow
        parts = [self.parts()] if self.parts() > 1 else []
        self.require_shape(narrow, [*sizes(wide), *parts], "the result" if narrow is self.result else "the operand")


def bit_width(dtype: Attribute) -> int:
    """How many bits a value of an integer or float type has."""
    return dtype.bitwidth if isinstance(dtype, FixedBitwidthType) else 0
