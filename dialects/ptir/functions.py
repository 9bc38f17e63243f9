"""
Elementwise functions that are extensions of the contract, with the semantics of StableHLO (`erfc`: of CHLO).
"""

from __future__ import annotations

import abc
from typing import ClassVar

from xdsl.dialects.builtin import FixedBitwidthType, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, traits_def

from ..common.shapes import element
from .base import Extension
from .dims import sizes, tensor_type
from .domains import require_domain
from .elementwise import BinaryOp, ConversionOp, UnaryOp


class UnaryExtension(UnaryOp, abc.ABC):
    """Base of unary functions that are extensions of the contract: `%0 = ptir.sqrt %a : tensor<4xf32>`."""

    traits = traits_def(Extension())


class BinaryExtension(BinaryOp, abc.ABC):
    """Base of binary functions that are extensions of the contract: `%0 = ptir.pow %a, %b : tensor<4xf32>`."""

    traits = traits_def(Extension())


# --- functions of one number --------------------------------------------------------------------


@irdl_op_definition
class SqrtOp(UnaryExtension):
    """The square root; NaN below zero, -0 at -0; for complex numbers the principal root. An extension of the contract."""

    name = "ptir.sqrt"


@irdl_op_definition
class SinOp(UnaryExtension):
    """The sine of radians; NaN at the infinities. An extension of the contract."""

    name = "ptir.sin"


@irdl_op_definition
class CosOp(UnaryExtension):
    """The cosine of radians; NaN at the infinities. An extension of the contract."""

    name = "ptir.cos"


@irdl_op_definition
class FloorOp(UnaryExtension):
    """The greatest integer that is at most `x`. An extension of the contract."""

    name = "ptir.floor"
    DOMAIN: ClassVar[str] = "float"


@irdl_op_definition
class CeilOp(UnaryExtension):
    """The least integer that is at least `x`. An extension of the contract."""

    name = "ptir.ceil"
    DOMAIN: ClassVar[str] = "float"


@irdl_op_definition
class RoundOp(UnaryExtension):
    """The nearest integer, ties to even: StableHLO's `round_nearest_even`. An extension of the contract."""

    name = "ptir.round"
    DOMAIN: ClassVar[str] = "float"


@irdl_op_definition
class SignOp(UnaryExtension):
    """-1, 0 or 1; zeros and NaN are unchanged; `x / |x|` for complex numbers. An extension of the contract."""

    name = "ptir.sign"
    DOMAIN: ClassVar[str] = "number"


@irdl_op_definition
class Log1pOp(UnaryExtension):
    """`log(1 + x)`, accurate near 0; NaN below -1, -Inf at -1. An extension of the contract."""

    name = "ptir.log1p"


@irdl_op_definition
class Expm1Op(UnaryExtension):
    """`e**x - 1`, accurate near 0. An extension of the contract."""

    name = "ptir.expm1"


@irdl_op_definition
class Exp2Op(UnaryExtension):
    """
    `2**x`. In f32 and narrower types, subnormal results may be 0, as in a GPU's instruction. An extension of the contract.
    """

    name = "ptir.exp2"
    DOMAIN: ClassVar[str] = "float"


@irdl_op_definition
class ErfcOp(UnaryExtension):
    """`1 - erf(x)`, accurate where `erf(x)` is near 1. An extension of the contract."""

    name = "ptir.erfc"
    DOMAIN: ClassVar[str] = "float"


@irdl_op_definition
class LogisticOp(UnaryExtension):
    """`1 / (1 + e**-x)`. An extension of the contract. ```mlir %0 = ptir.logistic %a : tensor<4xf32> ```"""

    name = "ptir.logistic"


@irdl_op_definition
class NotOp(UnaryExtension):
    """Bitwise not; on `i1` the logical negation. An extension of the contract."""

    name = "ptir.not"
    DOMAIN: ClassVar[str] = "bits"


# --- functions of two numbers -------------------------------------------------------------------


@irdl_op_definition
class PowOp(BinaryExtension):
    """
    `lhs` to the power of `rhs`: `pow` of IEEE 754 on floats, the principal value on complex numbers. Integers wrap; a negative
    exponent gives 0 unless the base is 1 or -1. An extension of the contract.
    """

    name = "ptir.pow"


@irdl_op_definition
class RemainderOp(BinaryExtension):
    """
    The remainder of the division, with the sign of `lhs`. On floats it is exact, like C's `fmod`; NaN if `rhs` is zero or `lhs` is
    infinite. On integers a zero divisor violates the contract, as in `ptir.div`. An extension of the contract.
    """

    name = "ptir.remainder"
    DOMAIN: ClassVar[str] = "real"


@irdl_op_definition
class AndOp(BinaryExtension):
    """Bitwise and. An extension of the contract. ```mlir %0 = ptir.and %a, %b : tensor<4xi1> ```"""

    name = "ptir.and"
    DOMAIN: ClassVar[str] = "bits"


@irdl_op_definition
class OrOp(BinaryExtension):
    """Bitwise or. An extension of the contract. ```mlir %0 = ptir.or %a, %b : tensor<4xi1> ```"""

    name = "ptir.or"
    DOMAIN: ClassVar[str] = "bits"


@irdl_op_definition
class XorOp(BinaryExtension):
    """Bitwise exclusive or. An extension of the contract. ```mlir %0 = ptir.xor %a, %b : tensor<4xi1> ```"""

    name = "ptir.xor"
    DOMAIN: ClassVar[str] = "bits"


@irdl_op_definition
class ShiftLeftOp(BinaryExtension):
    """
    `lhs << rhs`. An extension of the contract. The amount is unsigned; shifting by the width of the type or more leaves 0.
    """

    name = "ptir.shift_left"
    DOMAIN: ClassVar[str] = "integer"


@irdl_op_definition
class ShiftRightArithmeticOp(BinaryExtension):
    """
    `lhs >> rhs`, which shifts in copies of the most significant bit, also for unsigned types. An extension of the contract.
    The amount is unsigned; shifting by the width of the type or more leaves only copies of that bit.
    """

    name = "ptir.shift_right_arithmetic"
    DOMAIN: ClassVar[str] = "integer"


@irdl_op_definition
class ShiftRightLogicalOp(BinaryExtension):
    """
    `lhs >> rhs`, which shifts in zeros. An extension of the contract. The amount is unsigned; shifting by the width of the
    type or more leaves 0.
    """

    name = "ptir.shift_right_logical"
    DOMAIN: ClassVar[str] = "integer"


# --- functions to another type ------------------------------------------------------------------


@irdl_op_definition
class IsFiniteOp(ConversionOp):
    """
    Whether a float is neither infinite nor NaN. An extension of the contract.

    ```mlir
    %0 = ptir.is_finite %x : tensor<4xf32> -> tensor<4xi1>
    ```
    """

    name = "ptir.is_finite"
    traits = traits_def(Extension())

    def __init__(self, input: SSAValue):
        super().__init__([input], [tensor_type(i1, sizes(input))])

    def verify_(self) -> None:
        require_domain(self, element(self.input), "float")
        self.require_tensor(self.result, i1, sizes(self.input), "the result")


@irdl_op_definition
class BitcastOp(ConversionOp):
    """
    Reinterprets the bits as values of another type. An extension of the contract. If the result type is narrower, the result has
    an additional last axis with the parts of each element, lowest bits first. If it is wider, the last axis of the operand has
    the parts, and the result lacks this axis. Defined on integers and floats. The sign and the payload of a NaN that an op computes
    are not specified.

    ```mlir
    %0 = ptir.bitcast %x : tensor<4xf32> -> tensor<4xui32>
    %1 = ptir.bitcast %x : tensor<4xf32> -> tensor<4x2xbf16>
    ```
    """

    name = "ptir.bitcast"
    traits = traits_def(Extension())

    def __init__(self, input: SSAValue, dtype: Attribute):
        of, old, new = sizes(input), bit_width(element(input)), bit_width(dtype)
        kept = [*of, old // new] if old > new else of[:-1] if old < new else of
        super().__init__([input], [tensor_type(dtype, kept)])

    def parts(self) -> int:
        """Returns the ratio of the two widths: how many elements of the narrower type make an element of the wider type."""
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
    """Returns the width of an integer or float type in bits; 0 for other types."""
    return dtype.bitwidth if isinstance(dtype, FixedBitwidthType) else 0
