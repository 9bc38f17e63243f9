"""Numbers and indices outside of tiles. Spec: `pto-ir.md §4.1`."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import FloatAttr, IndexTypeConstr, IntegerAttr, SignlessIntegerConstraint
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    MessageConstraint,
    ParamAttrConstraint,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Commutative, ConstantLike, Pure

from ...errors import DtypeMismatch
from ..common.ops import DialectOp
from ..common.shapes import signless

_T: VarConstraint[Any] = VarConstraint("T", AnyAttr())
_INTEGER = MessageConstraint(
    SignlessIntegerConstraint | IndexTypeConstr, "an integer here is signless or of type index"
)
_I: VarConstraint[Any] = VarConstraint("I", _INTEGER)


@irdl_op_definition
class ConstantOp(DialectOp, HasFolderInterface):
    """
    Returns a number.

    ```mlir
    %cz = pto.constant 0.0 : f32
    %c32 = pto.constant 32 : index
    ```
    """

    name = "pto.constant"
    value = prop_def(IntegerAttr.constr(_INTEGER & _T) | ParamAttrConstraint(FloatAttr, (AnyAttr(), _T)))
    result = result_def(_T)
    traits = traits_def(Pure(), ConstantLike())
    assembly_format = "$value attr-dict"

    def __init__(self, value: IntegerAttr | FloatAttr):
        super().__init__([], [value.type], value=value)

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        return (self.value,)


class IntegerOp(DialectOp, abc.ABC):
    """Base of arithmetic on indices and integers, which wraps."""

    lhs = operand_def(_I)
    rhs = operand_def(_I)
    result = result_def(_I)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        super().__init__([lhs, rhs], [lhs.type])


@irdl_op_definition
class AddIOp(IntegerOp):
    """
    Adds integers.

    ```mlir
    %1 = pto.addi %0, %c32 : index
    ```
    """

    name = "pto.addi"
    traits = traits_def(Commutative())


@irdl_op_definition
class SubIOp(IntegerOp):
    """
    Subtracts integers.

    ```mlir
    %1 = pto.subi %0, %c32 : index
    ```
    """

    name = "pto.subi"


@irdl_op_definition
class MulIOp(IntegerOp):
    """
    Multiplies integers.

    ```mlir
    %1 = pto.muli %0, %c32 : index
    ```
    """

    name = "pto.muli"
    traits = traits_def(Commutative())


def check_scalar(op: Operation, got: Attribute, dtype: Attribute) -> None:
    """Checks the type of the scalar operand of an op on a tile of `dtype`: it is the same, or the signless integer of that width."""
    if got not in (dtype, signless(dtype)):
        raise DtypeMismatch(op, what="the scalar", got=got, want=signless(dtype))
