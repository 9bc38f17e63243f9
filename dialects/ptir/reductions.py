"""Reductions, and searches for the largest elements along an axis. Contract: *Reductions and argmax*, *TopK*."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr, UnitAttr, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from ...errors import EmptyAxis
from ..common.checks import check_type, check_value, check_word
from ..common.shapes import element, is_complex, is_predicate, normalize_axes, shape
from ..common.syntax import Axes, Keyword, ints
from .base import AccumulatingOp, AnyTensor, AxisOp, require_extensions
from .dims import Size, sizes, tensor_type
from .domains import is_index, require_domain

REDUCTIONS = ("sum", "max", "min")
EXTENSION_REDUCTIONS = ("mul", "any", "all")
"""Kinds of `ptir.reduce` that are extensions of the contract."""
ORDERS = ("largest", "smallest")


def require_index(op: Operation, dtype: Attribute) -> None:
    check_type(op, is_index(dtype), "the type of the indices", dtype, "it must be si32 or si64")


def _replaced(of: Sequence[Size], axes: Sequence[int], keepdims: bool) -> list[Size]:
    """Returns the sizes after a reduction of `axes`: without them, or with 1 if `keepdims`."""
    return [1 if a in axes else s for a, s in enumerate(of) if keepdims or a not in axes]


@irdl_op_definition
class ReduceOp(AccumulatingOp):
    """
    Reduces `axes`; with `keepdims` they remain with size 1. Contract: *Reduce*.

    Elements are cast to type `accum` (default: as for `ptir.dot_general`), in which sums are rounded. The result is cast to type
    `out`. A sum starts at +0, so a sum of zeros is +0. `max` and `min` are NaN if an element is NaN, and -0 is below +0, as for
    `ptir.maximum`. The reduction of no elements is 0 for `sum`; for `max` it is -Inf, or the least integer of the accumulator's
    type; for `min` it is +Inf, or the greatest integer. f8E4M3FN has NaN instead of infinities, as in a cast. Complex numbers can
    only be reduced by `sum` and `mul`.

    The kinds `mul` (1 for no elements), `any` (false) and `all` (true) are extensions of the contract. `any` and `all` are
    defined on `i1`, the other kinds on numbers.

    ```mlir
    %1 = ptir.reduce sum %0 axes [1] accum f32 out f32 : tensor<4x8xbf16> -> tensor<4xf32>
    ```
    """

    name = "ptir.reduce"
    kind = prop_def(StringAttr)
    input = operand_def(AnyTensor)
    reduce_axes = prop_def(DenseArrayBase.constr(i64))
    keepdims = opt_prop_def(UnitAttr)
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
        normal = [a % len(shape(input)) for a in axes]
        super().__init__(
            [input],
            [tensor_type(out or element(input), _replaced(sizes(input), normal, keepdims))],
            kind=kind,
            reduce_axes=axes,
            keepdims=keepdims,
            accum_dtype=accum,
            out_dtype=out,
        )

    def axes(self) -> tuple[int, ...]:
        """Returns the reduction axes. Negative axes are normalized."""
        return normalize_axes(self, ints(self.reduce_axes), len(shape(self.input)), "axes")

    def verify_(self) -> None:
        kind, dtype = self.kind.data, element(self.input)
        check_word(self, "kind", kind, (*REDUCTIONS, *EXTENSION_REDUCTIONS))
        if kind in EXTENSION_REDUCTIONS:
            require_extensions(self, f"{self.name} {kind}")
        axes = self.axes()
        if kind in ("any", "all"):
            check_type(self, is_predicate(dtype), "the element type", dtype, f"'{kind}' is defined on i1")
        else:
            require_domain(self, dtype, "number")
            ordered = kind not in ("max", "min") or not is_complex(dtype)
            check_type(self, ordered, "the element type", dtype, "complex numbers have no order")
        self.require_accum()
        want = _replaced(sizes(self.input), axes, self.keepdims is not None)
        self.require_result(want)


@irdl_op_definition
class ArgMaxOp(AxisOp):
    """
    Returns the index of the first NaN along `axis`, or if there is none, of the first maximum. With `keepdims` the axis remains
    with size 1. Indices are `si32` or `si64` (or signless). An axis of size 0 violates the contract. Contract: *ArgMax*, which
    does not mention NaN; StableHLO's `maximum` treats NaN as the largest value.

    ```mlir
    %1 = ptir.argmax %0 axis -1 : tensor<4x8xf32> -> tensor<4xsi64>
    ```
    """

    name = "ptir.argmax"
    input = operand_def(AnyTensor)
    keepdims = opt_prop_def(UnitAttr)
    result = result_def(AnyTensor)
    traits = traits_def(Pure())
    assembly_format = "$input `axis` $axis (`keepdims` $keepdims^)? attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, axis: int, dtype: Attribute, *, keepdims: bool = False):
        normal = axis % len(shape(input))
        want = _replaced(sizes(input), [normal], keepdims)
        super().__init__([input], [tensor_type(dtype, want)], axis=axis, keepdims=keepdims)

    def verify_(self) -> None:
        require_domain(self, element(self.input), "real")
        require_index(self, element(self.result))
        axis = self.axis()
        if sizes(self.input)[axis] == 0:
            raise EmptyAxis(self, axis=axis)
        want = _replaced(sizes(self.input), [axis], self.keepdims is not None)
        self.require_shape(self.result, want, "the result")


@irdl_op_definition
class TopKOp(AxisOp):
    """
    Returns the `k` largest (or smallest) values along `axis`, sorted, and their indices. Of equal values the smallest index comes
    first. NaN is larger than all numbers; +0 and -0 are equal. `k` is at most the size of the axis. Indices are `si32` or `si64`
    (or signless). Kernels sort short parts of the axis and merge them (`docs/kernels/maps.md`). Contract: *TopK*.

    ```mlir
    %values, %indices = ptir.top_k largest %0 k 3 axis -1 : tensor<4x8xf32> -> tensor<4x3xf32>, tensor<4x3xsi32>
    ```
    """

    name = "ptir.top_k"
    order = prop_def(StringAttr)
    input = operand_def(AnyTensor)
    k = prop_def(IntegerAttr.constr(i64))
    values = result_def(AnyTensor)
    indices = result_def(AnyTensor)
    traits = traits_def(Pure())
    custom_directives = (Keyword,)
    assembly_format = "custom<Keyword>($order) $input `k` $k `axis` $axis attr-dict `:` type($input) `->` type($values) `,` type($indices)"

    def __init__(self, order: str, input: SSAValue, k: int, axis: int, indices: Attribute):
        kept = list(sizes(input))
        kept[axis] = k
        types = [tensor_type(element(input), kept), tensor_type(indices, kept)]
        super().__init__([input], types, order=order, k=k, axis=axis)

    @property
    def count(self) -> int:
        return self.k.value.data

    def verify_(self) -> None:
        check_word(self, "order", self.order.data, ORDERS)
        require_domain(self, element(self.input), "real")
        self.require_element(self.values, element(self.input), "the first result")
        require_index(self, element(self.indices))
        kept, axis = list(sizes(self.input)), self.axis()
        size = kept[axis]
        fits = self.count >= 0 and not (isinstance(size, int) and self.count > size)
        help = f"axis {axis} has {'an unknown number of' if size is None else size} elements"
        check_value(self, fits, "k", self.count, help)
        kept[axis] = self.count
        self.require_shape(self.values, kept, "the first result")
        self.require_shape(self.indices, kept, "the second result")
