"""Common parts of the ops: type constraints, the accumulator policy, base classes."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    Float64Type,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    NoneAttr,
    TensorType,
    f32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue, TypeAttribute
from xdsl.irdl import (
    VarConstraint,
    base,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait, OpTrait, Pure

from ...errors import DtypeMismatch, ExtensionNotEnabled, InvalidDims, OutMismatch, ShapeMismatch
from ...text.known_sizes import equate
from ..common.checks import check_type
from ..common.ops import DialectOp, Parameter
from ..common.shapes import element, is_float, normalize_axis
from .dims import DimsAttr, Size, may_be_equal, sizes, sizes_text, tensor_type
from .domains import is_element, require_castable, require_domain, require_kind
from .names import BindsNames
from .tuples import leaves

AnyTensor = base(TensorType)
SameType = VarConstraint("T", AnyTensor)


def default_accum(dtype: Attribute) -> Attribute:
    """Returns the default accumulator type: f32 for floats up to f32, else `dtype` itself (contract, *Accumulator policy*)."""
    return f32 if is_float(dtype) and not isinstance(dtype, Float64Type) else dtype


class TensorTypes(OpTrait):
    """Checks that tensors have element types of the dialect, and no other encoding than dimension names."""

    def verify(self, op: Operation) -> None:
        for value in (*op.operands, *op.results):
            for t in leaves([value.type]):
                if isinstance(t, TensorType):
                    _require_tensor(op, cast("TensorType[Attribute]", t))


def _require_tensor(op: Operation, t: TensorType[Attribute]) -> None:
    want = (
        "elements are i1, integers of 4, 8, 16, 32 or 64 bits, floats from f8 to f64, and complex numbers of f32 or f64"
    )
    check_type(op, is_element(t.element_type), "the element type", t.element_type, want)
    if not isinstance(t.encoding, NoneAttr | DimsAttr):
        raise InvalidDims(op, type=t, problem=f"its encoding is {t.encoding}", help="an encoding names dimensions")


class Simplifies(HasCanonicalizationPatternsTrait):
    """xDSL's `canonicalize` applies the rules of `ptir-canonicalize` to the op."""

    def verify(self, op: Operation) -> None:
        """Does nothing; the import of the rules would be expensive."""

    def get_patterns(self, op: type[Operation]) -> tuple[RewritePattern, ...]:
        # By name, since dialects may not import transforms.
        return resolve_name("ptir.transforms.ptir_rules.engine:patterns")()


class TensorOp(DialectOp, abc.ABC):
    """Base of ops on tensors, with common checks."""

    traits = traits_def(Simplifies(), BindsNames(), TensorTypes())

    def require_shape(self, value: SSAValue, want: Sequence[Size], what: str) -> None:
        """
        Checks that the sizes of `value` may be equal to `want`; errors call it `what`. Sizes that are not known statically are
        checked at run time.
        """
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

    def require_tensor(self, value: SSAValue, dtype: Attribute, want: Sequence[Size], what: str) -> None:
        self.require_element(value, dtype, what)
        self.require_shape(value, want, what)


@dataclass(frozen=True)
class Extension(OpTrait):
    """The op is an extension of the contract: its module must have the attribute `ptir.extensions`."""

    def verify(self, op: Operation) -> None:
        require_extensions(op, op.name)


def require_extensions(op: Operation, name: str) -> None:
    """Checks that the module around `op` allows extensions of the contract. The error calls the extension `name`."""
    module = op.parent_op()
    while module is not None and not isinstance(module, ModuleOp):
        module = module.parent_op()
    if module is not None and "ptir.extensions" not in module.attributes:
        raise ExtensionNotEnabled(op, name=name)


class SameShapes(OpTrait):
    """All operands have the same shape. Sizes that are `?` are checked at run time."""


class ElementwiseOp(TensorOp, abc.ABC):
    """Base of ops that apply a scalar function to each element. All operands have the result's shape."""

    traits = traits_def(SameShapes())

    DOMAIN: ClassVar[str] = "number"
    """The element types on which the function is defined: a key of `DOMAINS`."""

    def verify_(self) -> None:
        require_domain(self, element(self.results[0]), self.DOMAIN)


class AxisOp(TensorOp, abc.ABC):
    """Base of ops that work along one axis of their first operand or, without operands, of their result."""

    axis_attr = prop_def(IntegerAttr[IntegerType].constr(i64), prop_name="axis")

    def axis(self) -> int:
        """Returns the axis. A negative axis is normalized."""
        along = (*self.operands, *self.results)[0]
        return normalize_axis(self, self.axis_attr.value.data, len(sizes(along)))


class AccumulatingOp(TensorOp, abc.ABC):
    """
    Base of ops that accumulate in type `accum`, by default `default_accum`, and cast the result to type `out`, by default the
    element type of the first operand.
    """

    accum_dtype = opt_prop_def(TypeAttribute)
    out_dtype = opt_prop_def(TypeAttribute)

    @property
    def accum(self) -> Attribute:
        return self.accum_dtype or default_accum(element(self.operands[0]))

    @property
    def out(self) -> Attribute:
        return self.out_dtype or element(self.operands[0])

    def require_accum(self) -> None:
        require_kind(self, self.accum, element(self.operands[0]), "accum")
        require_castable(self, self.accum, self.out, "the cast to out")

    def require_result(self, want: Sequence[Size]) -> None:
        """Checks the type of the op's first result."""
        result = self.results[0]
        if self.out_dtype is None and element(result) != self.out:
            raise OutMismatch(self, got=element(result), want=self.out)
        self.require_tensor(result, self.out, want, "the result")


class MovementOp(TensorOp, abc.ABC):
    """Base of ops that move elements without changing them. Operand and result have the same element type."""

    input = operand_def(AnyTensor)
    result = result_def(AnyTensor)
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, sizes: Sequence[Size], **parameters: Parameter):
        super().__init__([input], [tensor_type(element(input), sizes)], (), **parameters)

    def verify_(self) -> None:
        self.require_element(self.result, element(self.input), "the result")
