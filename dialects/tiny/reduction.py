"""Reductions. Spec: `tensor-compiler.ja §1.3`, the rule of *Reduce*."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, StringAttr, i64
from xdsl.ir import Attribute, SSAValue, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from ..common.checks import check_type, check_word
from ..common.shapes import element, is_complex, is_predicate, normalize_axes
from ..common.syntax import Axes, Keyword, ints
from ..ptir import TensorOp
from ..ptir.base import AnyTensor
from ..ptir.dims import sizes, tensor_type
from ..ptir.domains import require_kind
from .vocabulary import REDUCTIONS


@irdl_op_definition
class ReduceOp(TensorOp):
    """
    Reduces `axes` by `sum`, `max`, `min` or `mul` (`mul` is an extension of the specification). The accumulator, and the result,
    have the element type `accum`. A `sum` adds the elements in their own type to the accumulator and rounds, or wraps, each
    sum; the other functions first cast the elements to `accum`. Rules and identities are those of `ptir.reduce`. Complex numbers
    can only be reduced by `sum` and `mul`, i1 only by `max` (*any*) and `min` (*all*).

    A contraction that accumulates in f32 is a `mul` in a type that holds every product exactly (f32 for bf16, f64 for f32), and
    a `sum` with `accum f32`: an FMA or a tensor core computes the same.

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
        super().__init__([input], [tensor_type(accum, kept)], fn=fn, reduce_axes=axes, accum=accum)

    def axes(self) -> tuple[int, ...]:
        """Returns the reduction axes. Negative axes are normalized."""
        return normalize_axes(self, ints(self.reduce_axes), len(sizes(self.input)), "axes")

    def verify_(self) -> None:
        fn, dtype = self.fn.data, element(self.input)
        check_word(self, "fn", fn, REDUCTIONS)
        axes, arithmetic = self.axes(), fn in ("sum", "mul")
        summed, ordered = not arithmetic or not is_predicate(dtype), arithmetic or not is_complex(dtype)
        check_type(self, summed, "the element type", dtype, f"{fn} is defined on numbers")
        check_type(self, ordered, "the element type", dtype, "complex numbers have no order")
        require_kind(self, self.accum, dtype, "accum")
        kept = [s for a, s in enumerate(sizes(self.input)) if a not in axes]
        self.require_tensor(self.result, self.accum, kept, "the result")
