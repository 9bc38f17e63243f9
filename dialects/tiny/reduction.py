"""Reductions. Spec: `tensor-compiler.ja §1.3`, the rule of *Reduce*."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, StringAttr, i64
from xdsl.ir import Attribute, SSAValue, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from ...errors import UnsupportedType
from ..common.shapes import element, is_predicate, normalize_axes
from ..common.syntax import Axes, Keyword, axes_attr, ints
from ..ptir import REDUCTIONS, TensorOp
from ..ptir.base import AnyTensor
from ..ptir.dims import sizes, tensor_type
from ..ptir.domains import is_complex, require_kind
from .elementwise import require_word


@irdl_op_definition
class ReduceOp(TensorOp):
    """
    Reduces `axes` by `sum`, `max` or `min` in the type `accum`, the result's element type. A `sum` adds the elements as they
    are to an accumulator of that type, which rounds, or wraps; `max` and `min` cast them to it first. Rules and identities
    are those of `ptir.reduce`. Complex numbers have a `sum` only; i1 has a `max` (*any*) and a `min` (*all*) only.

    A contraction in f32 is a `mul` in a type that holds every product, f32 for bf16 and f64 for f32, and a `sum` with
    `accum f32`, as an FMA or a tensor core computes.

    ```mlir
    %1 = tiny.reduce sum %0 axes [1] accum f32 : tensor<4x8xf32> -> tensor<4xf32>
    ```
    """

    name = "tiny.reduce"
    fn = prop_def(StringAttr)
    input = operand_def(AnyTensor)
    reduce_axes = prop_def(DenseArrayBase.constr(i64))
    accum = prop_def(TypeAttribute)
    result = result_def(AnyTensor)
    traits = traits_def(Pure())
    custom_directives = (Keyword, Axes)
    assembly_format = (
        "custom<Keyword>($fn) $input `axes` custom<Axes>($reduce_axes) `accum` $accum attr-dict "
        "`:` type($input) `->` type($result)"
    )

    def __init__(self, fn: str, input: SSAValue, axes: Sequence[int], accum: Attribute):
        rank = len(sizes(input))
        normal = [a % rank if rank else a for a in axes]
        kept = [s for a, s in enumerate(sizes(input)) if a not in normal]
        super().__init__(
            operands=[input],
            properties={"fn": StringAttr(fn), "reduce_axes": axes_attr(axes), "accum": accum},
            result_types=[tensor_type(accum, kept)],
        )

    def axes(self) -> tuple[int, ...]:
        """The reduced axes, normalized."""
        return normalize_axes(self, ints(self.reduce_axes), len(sizes(self.input)), "axes")

    def verify_(self) -> None:
        fn, dtype = self.fn.data, element(self.input)
        require_word(self, "fn", fn, REDUCTIONS)
        axes = self.axes()
        if fn == "sum" and is_predicate(dtype):
            raise UnsupportedType(self, what="the element type", got=dtype, want="sum is defined on numbers")
        if fn != "sum" and is_complex(dtype):
            raise UnsupportedType(self, what="the element type", got=dtype, want="complex numbers have no order")
        require_kind(self, self.accum, dtype, "accum")
        self.require_shape(self.result, [s for a, s in enumerate(sizes(self.input)) if a not in axes], "the result")
        self.require_element(self.result, self.accum, "the result")
