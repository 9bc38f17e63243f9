"""
The `ptir` dialect: the portable tensor program (PTIR v0.4), level one.

Pure SSA over builtin tensors, row-major, with explicit broadcasting and no implicit promotion. The
meaning of each op is the backend contract's; its interpreter is `semantics/ptir.py`.

```mlir
func.func @linear(%x: tensor<4x8xbf16>, %w: tensor<8x2xbf16>, %b: tensor<2xf32>) -> tensor<4x2xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xf32>
  %1 = ptir.broadcast_to %b : tensor<2xf32> -> tensor<4x2xf32>
  %2 = ptir.add %0, %1 : tensor<4x2xf32>
  func.return %2 : tensor<4x2xf32>
}
```

Spec: `ptir-backend-contract.md`. Each op's docstring names its section.
"""

from __future__ import annotations

import abc
import re
from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import (
    ComplexType,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    Float64Type,
    FunctionType,
    StringAttr,
    TensorType,
    UnitAttr,
    f32,
    i1,
    i64,
)
from xdsl.ir import Attribute, Dialect, SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.hints import isa

from ..errors import (
    DtypeMismatch,
    ElementCountMismatch,
    InvalidAttributeValue,
    NotBroadcastable,
    RankMismatch,
    ShapeMismatch,
    UnsupportedType,
)
from .shapes import (
    are_paired,
    broadcast,
    element,
    element_count,
    is_float,
    is_predicate,
    normalize_axes,
    require_precision,
    shape,
    spell,
)
from .syntax import Axes, Keyword, axes_attr, ints, parse_ints

SPEC_VERSION = "ptir.v0.4"
COMPARISONS = ("lt", "le", "eq", "ge", "gt", "ne")
REDUCTIONS = ("sum", "max", "min")

AnyTensor = base(TensorType)
SameType = VarConstraint("T", AnyTensor)


def default_accum(dtype: Attribute) -> Attribute:
    """f32 for floats up to f32, the input's own type otherwise (contract, *Accumulator policy*)."""
    return f32 if is_float(dtype) and not isinstance(dtype, Float64Type) else dtype


class TensorOp(IRDLOperation, abc.ABC):
    """An op on tensors: what the rules that all of them share need."""

    def require_shape(self, value: SSAValue, want: Sequence[int], what: str) -> None:
        if shape(value) != tuple(want):
            raise ShapeMismatch(self, what=what, got=spell(shape(value)), want=spell(want))

    def require_element(self, value: SSAValue, want: Attribute, what: str) -> None:
        if element(value) != want:
            raise DtypeMismatch(self, what=what, got=element(value), want=want)


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


@irdl_op_definition
class DotGeneralOp(TensorOp):
    """
    A contraction: batch axes pair up, contract axes are summed over, and the result's axes are batch, then
    the free axes of lhs, then those of rhs. Contract: *DotGeneral*.

    Products of the input type are exact; the sum rounds in `accum` (default: f32 for floats up to f32, else
    the input type); the result is cast to `out` (default: the input type), which the result type repeats.

    Operands of two types are an extension of the contract: fp8 of both kinds, or integers of one width, one of them
    unsigned. They have no default: `accum` and `out` are written.

    `precision tf32` is an extension of the contract and stands on f32 operands with an f32 accumulator only: each
    operand is first rounded to 8 bits of exponent and 10 of fraction, to nearest with ties away from zero, as
    `cvt.rna.tf32.f32` does (PTX ISA §9.7.9.21); on Hopper TMA rounds, to nearest too, and `ptir.bounds` allows its ties
    either way. Without it f32 operands are never rounded.

    ```mlir
    %0 = ptir.dot_general %x, %w batch [0] x [0] contract [2] x [1] accum f32 out f32
       : (tensor<3x4x8xbf16>, tensor<3x8x2xbf16>) -> tensor<3x4x2xf32>
    %1 = ptir.dot_general %a, %b contract [1] x [0] accum f32 out f32 precision tf32
       : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    ```
    """

    name = "ptir.dot_general"
    lhs = operand_def(AnyTensor)
    rhs = operand_def(AnyTensor)
    batch_lhs = prop_def(DenseArrayBase.constr(i64), default_value=axes_attr(()))
    batch_rhs = prop_def(DenseArrayBase.constr(i64), default_value=axes_attr(()))
    contract_lhs = prop_def(DenseArrayBase.constr(i64))
    contract_rhs = prop_def(DenseArrayBase.constr(i64))
    accum_dtype = opt_prop_def(TypeAttribute)
    out_dtype = opt_prop_def(TypeAttribute)
    precision = opt_prop_def(StringAttr)
    result = result_def(AnyTensor)
    traits = traits_def(Pure())

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        contract: tuple[Sequence[int], Sequence[int]],
        batch: tuple[Sequence[int], Sequence[int]] = ((), ()),
        accum: Attribute | None = None,
        out: Attribute | None = None,
        result_type: Attribute | None = None,
        precision: str | None = None,
    ):
        super().__init__(
            operands=[lhs, rhs],
            properties={
                "batch_lhs": axes_attr(batch[0]),
                "batch_rhs": axes_attr(batch[1]),
                "contract_lhs": axes_attr(contract[0]),
                "contract_rhs": axes_attr(contract[1]),
                "accum_dtype": accum,
                "out_dtype": out,
                "precision": None if precision is None else StringAttr(precision),
            },
            result_types=[result_type or lhs.type],
        )
        if result_type is None:
            sizes = [size for group in self.axis_groups() for size, _, _ in group]
            self.results[0]._type = TensorType(out or element(lhs), sizes)  # pyright: ignore[reportPrivateUsage]

    @property
    def accum(self) -> Attribute:
        return self.accum_dtype or default_accum(element(self.lhs))

    def axes(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Normalised batch axes (lhs, rhs) and contract axes (lhs, rhs)."""
        left, right = len(shape(self.lhs)), len(shape(self.rhs))
        return (
            normalize_axes(self, ints(self.batch_lhs), left, "batch of lhs"),
            normalize_axes(self, ints(self.batch_rhs), right, "batch of rhs"),
            normalize_axes(self, ints(self.contract_lhs), left, "contract of lhs"),
            normalize_axes(self, ints(self.contract_rhs), right, "contract of rhs"),
        )

    def free_axes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The axes of lhs and of rhs that are neither batch nor contracted, in order."""
        bl, br, cl, cr = self.axes()
        return (
            tuple(a for a in range(len(shape(self.lhs))) if a not in bl + cl),
            tuple(a for a in range(len(shape(self.rhs))) if a not in br + cr),
        )

    def axis_groups(self) -> tuple[list[tuple[int, int | None, int | None]], ...]:
        """Batch, lhs-free and rhs-free result axes, each as (size, axis of lhs, axis of rhs)."""
        bl, br, _, _ = self.axes()
        fl, fr = self.free_axes()
        left, right = shape(self.lhs), shape(self.rhs)
        return (
            [(left[a], a, b) for a, b in zip(bl, br, strict=True)],
            [(left[a], a, None) for a in fl],
            [(right[b], None, b) for b in fr],
        )

    @classmethod
    def parse(cls, parser: Parser) -> DotGeneralOp:
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()

        def pair() -> tuple[list[int], list[int]]:
            left = parse_ints(parser)
            parser.parse_characters("x")
            return left, parse_ints(parser)

        batch: tuple[list[int], list[int]] = pair() if parser.parse_optional_keyword("batch") else ([], [])
        parser.parse_keyword("contract")
        contract = pair()
        accum = parser.parse_type() if parser.parse_optional_keyword("accum") else None
        out = parser.parse_type() if parser.parse_optional_keyword("out") else None
        precision = parser.parse_identifier() if parser.parse_optional_keyword("precision") else None
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        at = parser.pos
        signature = parser.parse_type()
        if not isinstance(signature, FunctionType) or len(signature.inputs) != 2 or len(signature.outputs) != 1:
            parser.raise_error("expected (lhs type, rhs type) -> result type", at, parser.pos)
        left, right = signature.inputs.data
        op = cls(
            parser.resolve_operand(lhs, left),
            parser.resolve_operand(rhs, right),
            contract,
            batch,
            accum,
            out,
            signature.outputs.data[0],
            precision,
        )
        op.attributes = attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        for word, sides in (
            ("batch", (self.batch_lhs, self.batch_rhs)),
            ("contract", (self.contract_lhs, self.contract_rhs)),
        ):
            if word == "batch" and not any(map(len, sides)):
                continue
            left, right = (list(ints(side)) for side in sides)
            printer.print_string(f" {word} {left} x {right}")
        for word, dtype in (("accum", self.accum_dtype), ("out", self.out_dtype)):
            if dtype is not None:
                printer.print_string(f" {word} ")
                printer.print_attribute(dtype)
        if self.precision is not None:
            printer.print_string(f" precision {self.precision.data}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(FunctionType.from_lists([o.type for o in self.operands], [self.result.type]))

    def verify_(self) -> None:
        dtype = element(self.lhs)
        if is_predicate(dtype):
            raise UnsupportedType(self, what="the element type", got=dtype, want=f"{self.name} is defined on numbers")
        if not are_paired(dtype, other := element(self.rhs)):
            self.require_element(self.rhs, dtype, "rhs")
        if dtype != other and (self.accum_dtype is None or self.out_dtype is None):
            raise InvalidAttributeValue(
                self,
                name="accum" if self.accum_dtype is None else "out",
                problem=f"has no default for {dtype} x {other}",
                help="write accum and out",
            )
        for left, right, what in (
            (self.batch_lhs, self.batch_rhs, "batch"),
            (self.contract_lhs, self.contract_rhs, "contract"),
        ):
            if len(left) != len(right):
                raise InvalidAttributeValue(
                    self,
                    name=what,
                    problem=f"pairs {len(left)} axes of lhs with {len(right)} of rhs",
                    help="give as many axes on each side",
                )
        bl, br, cl, cr = self.axes()
        for side, batch, contract in (("lhs", bl, cl), ("rhs", br, cr)):
            if both := set(batch) & set(contract):
                raise InvalidAttributeValue(
                    self, name="contract", problem=f"shares axis {min(both)} of {side} with batch", help=""
                )
        for what, left, right in (("batch", bl, br), ("contract", cl, cr)):
            for a, b in zip(left, right, strict=True):
                if shape(self.lhs)[a] != shape(self.rhs)[b]:
                    raise ShapeMismatch(
                        self,
                        what=f"rhs ({what} axis {b})",
                        got=shape(self.rhs)[b],
                        want=f"{shape(self.lhs)[a]} as axis {a} of lhs",
                    )
        out = self.out_dtype or dtype
        self.require_element(self.result, out, "the result")
        self.require_shape(self.result, [s for group in self.axis_groups() for s, _, _ in group], "the result")
        if is_float(dtype) != is_float(self.accum):
            raise UnsupportedType(self, what="accum", got=self.accum, want=f"it must be of {dtype}'s kind")
        require_precision(self, self.precision, (dtype, self.accum))


@irdl_op_definition
class ReduceOp(TensorOp):
    """
    Reduces over `axes`; with `keepdims` they remain with size 1. Contract: *Reduce*. Accumulation is as for
    `ptir.dot_general`; an empty sum is 0, an empty max the least value of the type, an empty min the greatest.

    ```mlir
    %1 = ptir.reduce sum %0 axes [1] accum f32 out f32 : tensor<4x8xbf16> -> tensor<4xf32>
    ```
    """

    name = "ptir.reduce"
    kind = prop_def(StringAttr)
    input = operand_def(AnyTensor)
    reduce_axes = prop_def(DenseArrayBase.constr(i64))
    keepdims = opt_prop_def(UnitAttr)
    accum_dtype = opt_prop_def(TypeAttribute)
    out_dtype = opt_prop_def(TypeAttribute)
    result = result_def(AnyTensor)
    traits = traits_def(Pure())
    custom_directives = (Keyword, Axes)
    assembly_format = (
        "custom<Keyword>($kind) $input `axes` custom<Axes>($reduce_axes) (`keepdims` $keepdims^)? (`accum` $accum_dtype^)? "
        "(`out` $out_dtype^)? attr-dict `:` type($input) `->` type($result)"
    )

    def __init__(
        self,
        kind: str,
        input: SSAValue,
        axes: Sequence[int],
        *,
        keepdims: bool = False,
        accum: Attribute | None = None,
        out: Attribute | None = None,
    ):
        normal = {a % len(shape(input)) for a in axes}
        kept = [1 if a in normal else s for a, s in enumerate(shape(input)) if keepdims or a not in normal]
        super().__init__(
            operands=[input],
            properties={
                "kind": StringAttr(kind),
                "reduce_axes": axes_attr(axes),
                "keepdims": UnitAttr() if keepdims else None,
                "accum_dtype": accum,
                "out_dtype": out,
            },
            result_types=[TensorType(out or element(input), kept)],
        )

    @property
    def accum(self) -> Attribute:
        return self.accum_dtype or default_accum(element(self.input))

    def axes(self) -> tuple[int, ...]:
        """The reduced axes, normalised."""
        return normalize_axes(self, ints(self.reduce_axes), len(shape(self.input)), "axes")

    def verify_(self) -> None:
        if self.kind.data not in REDUCTIONS:
            raise InvalidAttributeValue(
                self, name="kind", problem=f"is '{self.kind.data}'", help=f"one of {', '.join(REDUCTIONS)}"
            )
        axes = self.axes()
        sizes = shape(self.input)
        if is_float(element(self.input)) != is_float(self.accum):
            raise UnsupportedType(
                self, what="accum", got=self.accum, want=f"it must be of {element(self.input)}'s kind"
            )
        want = [1 if a in axes else s for a, s in enumerate(sizes) if self.keepdims is not None or a not in axes]
        self.require_shape(self.result, want, "the result")
        self.require_element(self.result, self.out_dtype or element(self.input), "the result")


class MovementOp(TensorOp, abc.ABC):
    """Moves elements without changing them: operand and result have one element type."""

    input = operand_def(AnyTensor)
    result = result_def(AnyTensor)
    traits = traits_def(Pure())

    def verify_(self) -> None:
        self.require_element(self.result, element(self.input), "the result")


@irdl_op_definition
class ReshapeOp(MovementOp):
    """
    Another shape for the same elements in row-major order. Contract: *Reshape*.

    ```mlir
    %1 = ptir.reshape %0 : tensor<4x6xf32> -> tensor<24xf32>
    ```
    """

    name = "ptir.reshape"
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, sizes: Sequence[int]):
        super().__init__(operands=[input], result_types=[TensorType(element(input), sizes)])

    def verify_(self) -> None:
        super().verify_()
        got, want = element_count(shape(self.result)), element_count(shape(self.input))
        if got != want:
            raise ElementCountMismatch(self, what="the result", got=got, want=want)


@irdl_op_definition
class TransposeOp(MovementOp):
    """
    Result axis `i` is operand axis `perm[i]`. Contract: *Transpose*.

    ```mlir
    %1 = ptir.transpose %0 [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
    ```
    """

    name = "ptir.transpose"
    perm = prop_def(DenseArrayBase.constr(i64))
    custom_directives = (Axes,)
    assembly_format = "$input custom<Axes>($perm) attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, perm: Sequence[int]):
        sizes = [shape(input)[p] for p in perm]
        super().__init__(
            operands=[input], properties={"perm": axes_attr(perm)}, result_types=[TensorType(element(input), sizes)]
        )

    def permutation(self) -> tuple[int, ...]:
        return normalize_axes(self, ints(self.perm), len(shape(self.input)), "the permutation")

    def verify_(self) -> None:
        super().verify_()
        perm = self.permutation()
        if len(perm) != len(shape(self.input)):
            raise RankMismatch(self, what="the permutation", got=len(perm), want=len(shape(self.input)))
        self.require_shape(self.result, [shape(self.input)[p] for p in perm], "the result")


@irdl_op_definition
class BroadcastToOp(MovementOp):
    """
    Repeats elements along missing and size-1 axes, right-aligned. Contract: *BroadcastTo*.

    ```mlir
    %1 = ptir.broadcast_to %0 : tensor<6xf32> -> tensor<4x6xf32>
    ```
    """

    name = "ptir.broadcast_to"
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, sizes: Sequence[int]):
        super().__init__(operands=[input], result_types=[TensorType(element(input), sizes)])

    def verify_(self) -> None:
        super().verify_()
        got, want = shape(self.input), shape(self.result)
        if broadcast(self, got, want) != want:
            raise NotBroadcastable(self, got=spell(got), want=spell(want), a=spell(got), b=spell(want))


PTIR = Dialect(
    "ptir",
    [
        ConstantOp,
        NegOp,
        AbsOp,
        ExpOp,
        LogOp,
        TanhOp,
        ErfOp,
        RsqrtOp,
        ReciprocalOp,
        AddOp,
        SubOp,
        MulOp,
        DivOp,
        MaximumOp,
        MinimumOp,
        CompareOp,
        SelectOp,
        ClampOp,
        CastOp,
        DotGeneralOp,
        ReduceOp,
        ReshapeOp,
        TransposeOp,
        BroadcastToOp,
    ],
    [],
)
