"""What the ops of the dialect share: constraints, the accumulator policy, the generic bases."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import (
    Float64Type,
    ModuleOp,
    TensorType,
    f32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    base,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import OpTrait, Pure

from ...errors import (
    DtypeMismatch,
    ExtensionNotEnabled,
    ShapeMismatch,
    UnsupportedType,
)
from ..shapes import (
    element,
    is_float,
    is_predicate,
)
from .dims import Size, may_be_equal, sizes, spell

AnyTensor = base(TensorType)
SameType = VarConstraint("T", AnyTensor)


def default_accum(dtype: Attribute) -> Attribute:
    """f32 for floats up to f32, the input's own type otherwise (contract, *Accumulator policy*)."""
    return f32 if is_float(dtype) and not isinstance(dtype, Float64Type) else dtype


class TensorOp(IRDLOperation, abc.ABC):
    """An op on tensors: what the rules that all of them share need."""

    def require_shape(self, value: SSAValue, want: Sequence[Size], what: str) -> None:
        """Sizes that may be equal are: what only a run can tell, the run checks."""
        wanted = [None if isinstance(w, int) and w < 0 else w for w in want]
        got = sizes(value)
        if len(got) != len(wanted) or not all(map(may_be_equal, got, wanted)):
            raise ShapeMismatch(self, what=what, got=spell(got), want=spell(wanted))

    def require_element(self, value: SSAValue, want: Attribute, what: str) -> None:
        if element(value) != want:
            raise DtypeMismatch(self, what=what, got=element(value), want=want)


@dataclass(frozen=True)
class Extension(OpTrait):
    """The op is none of the contract's: its module must have the attribute `ptir.extensions`."""

    def verify(self, op: Operation) -> None:
        module = op.parent_op()
        while module is not None and not isinstance(module, ModuleOp):
            module = module.parent_op()
        if module is not None and "ptir.extensions" not in module.attributes:
            raise ExtensionNotEnabled(op, name=op.name)


class ElementwiseOp(TensorOp, abc.ABC):
    """Applies a scalar function to each element; all operands have the result's shape."""

    DOMAIN: ClassVar[str] = "number"
    """Which element types the function takes: `number`, `float` or `any`."""

    def verify_(self) -> None:
        dtype = element(self.results[0])
        if self.DOMAIN == "float" and not is_float(dtype):
            raise UnsupportedType(self, what="the element type", got=dtype, want=f"{self.name} is defined on floats")
        if self.DOMAIN == "number" and is_predicate(dtype):
            raise UnsupportedType(self, what="the element type", got=dtype, want=f"{self.name} is defined on numbers")


class MovementOp(TensorOp, abc.ABC):
    """Moves elements without changing them: operand and result have one element type."""

    input = operand_def(AnyTensor)
    result = result_def(AnyTensor)
    traits = traits_def(Pure())

    def verify_(self) -> None:
        self.require_element(self.result, element(self.input), "the result")
