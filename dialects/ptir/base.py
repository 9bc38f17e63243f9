"""Common parts of the ops: constraints, the accumulator policy, generic bases."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    Float64Type,
    ModuleOp,
    NoneAttr,
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

from ...errors import DtypeMismatch, ExtensionNotEnabled, InvalidDims, ShapeMismatch, UnsupportedType
from ...text.known_sizes import equate
from ..common.shapes import element, is_float
from .canonical import Simplifies
from .dims import DimsAttr, Size, may_be_equal, sizes, sizes_text
from .domains import is_element, require_domain
from .names import BindsNames
from .tuples import leaves

AnyTensor = base(TensorType)
SameType = VarConstraint("T", AnyTensor)


def default_accum(dtype: Attribute) -> Attribute:
    """f32 for floats up to f32, the input's own type otherwise (contract, *Accumulator policy*)."""
    return f32 if is_float(dtype) and not isinstance(dtype, Float64Type) else dtype


class TensorTypes(OpTrait):
    """Requires the dialect's element types, and no encoding but dimension names."""

    def verify(self, op: Operation) -> None:
        for value in (*op.operands, *op.results):
            for t in leaves([value.type]):
                if isinstance(t, TensorType):
                    _require_tensor(op, cast("TensorType[Attribute]", t))


def _require_tensor(op: Operation, t: TensorType[Attribute]) -> None:
    if not is_element(t.element_type):
        want = "elements are i1, integers of 4, 8, 16, 32 or 64 bits, floats from f8 to f64, and complex numbers of f32 or f64"
        raise UnsupportedType(op, what="the element type", got=t.element_type, want=want)
    if not isinstance(t.encoding, NoneAttr | DimsAttr):
        raise InvalidDims(op, type=t, problem=f"its encoding is {t.encoding}", help="an encoding names dimensions")


class TensorOp(IRDLOperation, abc.ABC):
    """An op on tensors, with the common checks."""

    traits = traits_def(Simplifies(), BindsNames(), TensorTypes())

    def require_shape(self, value: SSAValue, want: Sequence[Size], what: str) -> None:
        """Requires sizes that may be equal: the interpreter checks those that are not known statically."""
        wanted = [None if isinstance(w, int) and w < 0 else w for w in want]
        got = sizes(value)
        if len(got) != len(wanted) or not all(map(may_be_equal, got, wanted)):
            raise ShapeMismatch(self, what=what, got=sizes_text(got), want=sizes_text(wanted))
        if got != tuple(wanted):
            for a, b in zip(got, wanted, strict=True):
                equate(self, a, b, what)

    def require_element(self, value: SSAValue, want: Attribute, what: str) -> None:
        if element(value) != want:
            raise DtypeMismatch(self, what=what, got=element(value), want=want)


@dataclass(frozen=True)
class Extension(OpTrait):
    """The op is an extension of the contract: its module must have the attribute `ptir.extensions`."""

    def verify(self, op: Operation) -> None:
        require_extensions(op, op.name)


def require_extensions(op: Operation, name: str) -> None:
    """Requires the module around `op` to allow extensions, of which `name` is one."""
    module = op.parent_op()
    while module is not None and not isinstance(module, ModuleOp):
        module = module.parent_op()
    if module is not None and "ptir.extensions" not in module.attributes:
        raise ExtensionNotEnabled(op, name=name)


class SameShapes(OpTrait):
    """All operands have one shape; the interpreter checks sizes that are `?`."""


class ElementwiseOp(TensorOp, abc.ABC):
    """Applies a scalar function to each element; all operands have the result's shape."""

    traits = traits_def(SameShapes())

    DOMAIN: ClassVar[str] = "number"
    """The element types that the function is defined on: a row of `DOMAINS`."""

    def verify_(self) -> None:
        require_domain(self, element(self.results[0]), self.DOMAIN)


class MovementOp(TensorOp, abc.ABC):
    """Moves elements without changing them: operand and result have one element type."""

    input = operand_def(AnyTensor)
    result = result_def(AnyTensor)
    traits = traits_def(Pure())

    def verify_(self) -> None:
        self.require_element(self.result, element(self.input), "the result")
