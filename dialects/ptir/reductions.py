"""Ops that fold axes away. Contract: *Reductions and argmax*."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DenseArrayBase,
    StringAttr,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
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
    is_float,
    normalize_axes,
    shape,
)
from ..syntax import Axes, Keyword, axes_attr, ints
from .base import AnyTensor, TensorOp, default_accum

REDUCTIONS = ("sum", "max", "min")


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
