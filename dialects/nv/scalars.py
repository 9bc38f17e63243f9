"""Scalar functions that `arith` and `math` lack, or do not define for all operands, for the body of an `nv.epilogue`."""

from __future__ import annotations

import abc

from xdsl.dialects.builtin import AnyFloatConstr, SignlessIntegerConstraint
from xdsl.ir import SSAValue
from xdsl.irdl import VarConstraint, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure

from ..common.ops import DialectOp

Float = VarConstraint("Float", AnyFloatConstr)
Integer = VarConstraint("Integer", SignlessIntegerConstraint)


@irdl_op_definition
class ErfcOp(DialectOp):
    """
    `1 - erf(x)`, accurate where `erf(x)` is near 1.

    ```mlir
    %1 = nv.erfc %0 : f32
    ```
    """

    name = "nv.erfc"
    x = operand_def(Float)
    result = result_def(Float)
    traits = traits_def(Pure())
    assembly_format = "$x attr-dict `:` type($result)"

    def __init__(self, x: SSAValue):
        super().__init__([x], [x.type])


@irdl_op_definition
class FmodOp(DialectOp):
    """
    The exact remainder of the division, with the sign of `lhs`; NaN if `rhs` is zero or `lhs` is infinite.

    ```mlir
    %2 = nv.fmod %0, %1 : f32
    ```
    """

    name = "nv.fmod"
    lhs = operand_def(Float)
    rhs = operand_def(Float)
    result = result_def(Float)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        super().__init__([lhs, rhs], [lhs.type])


class IntegerOp(DialectOp, abc.ABC):
    """Base of functions of two integers that are defined for all operands."""

    lhs = operand_def(Integer)
    rhs = operand_def(Integer)
    result = result_def(Integer)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        super().__init__([lhs, rhs], [lhs.type])


@irdl_op_definition
class PowSIOp(IntegerOp):
    """
    The power of signed integers, modulo 2^width. A negative exponent gives 0 unless the base is 1 or -1.

    ```mlir
    %2 = nv.powsi %0, %1 : i32
    ```
    """

    name = "nv.powsi"


@irdl_op_definition
class PowUIOp(IntegerOp):
    """
    The power of unsigned integers, modulo 2^width.

    ```mlir
    %2 = nv.powui %0, %1 : i32
    ```
    """

    name = "nv.powui"


@irdl_op_definition
class DivSIOp(IntegerOp):
    """
    The quotient of signed integers, truncated toward zero. The least number divided by -1 wraps; a zero divisor counts as 1.

    ```mlir
    %2 = nv.divsi %0, %1 : i32
    ```
    """

    name = "nv.divsi"


@irdl_op_definition
class DivUIOp(IntegerOp):
    """
    The quotient of unsigned integers; a zero divisor counts as 1.

    ```mlir
    %2 = nv.divui %0, %1 : i32
    ```
    """

    name = "nv.divui"


@irdl_op_definition
class RemSIOp(IntegerOp):
    """
    The remainder of the quotient of `nv.divsi`, which has the sign of `lhs`.

    ```mlir
    %2 = nv.remsi %0, %1 : i32
    ```
    """

    name = "nv.remsi"


@irdl_op_definition
class RemUIOp(IntegerOp):
    """
    The remainder of the quotient of `nv.divui`.

    ```mlir
    %2 = nv.remui %0, %1 : i32
    ```
    """

    name = "nv.remui"
