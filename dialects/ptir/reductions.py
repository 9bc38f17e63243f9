"""Ops that fold axes away, or find what is largest along one. Contract: *Reductions and argmax*, *TopK*."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue, TypeAttribute
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from ...errors import EmptyAxis, InvalidAttributeValue, UnsupportedType
from ..common.checks import check_word
from ..common.shapes import element, is_predicate, is_unsigned, normalize_axes, normalize_axis, shape
from ..common.syntax import Axes, Keyword, axes_attr, ints
from .base import AnyTensor, TensorOp, default_accum, require_extensions
from .dims import Size, sizes, tensor_type
from .domains import integer_width, is_complex, require_castable, require_domain, require_kind

REDUCTIONS = ("sum", "max", "min")
EXTENSION_REDUCTIONS = ("mul", "any", "all")
"""Kinds of `ptir.reduce` that are extensions of the contract."""
ORDERS = ("largest", "smallest")
INDEX_WIDTHS = (32, 64)


def require_word(op: Operation, name: str, word: StringAttr, words: Sequence[str]) -> None:
    check_word(op, name, word.data, words)


def require_index(op: Operation, dtype: Attribute) -> None:
    """Requires signed integers of 32 or 64 bits."""
    if is_unsigned(dtype) or integer_width(dtype) not in INDEX_WIDTHS:
        raise UnsupportedType(op, what="the type of the indices", got=dtype, want="it must be si32 or si64")


def _replaced(of: Sequence[Size], axes: Sequence[int], keepdims: bool) -> list[Size]:
    """Returns the sizes without `axes`, or with 1 there."""
    return [1 if a in axes else s for a, s in enumerate(of) if keepdims or a not in axes]


@irdl_op_definition
class ReduceOp(TensorOp):
    """
    Reduces `axes`; with `keepdims` they remain with size 1. Contract: *Reduce*. Elements are cast to `accum` (default: as for
    `ptir.dot_general`), in which a sum rounds, and the result is cast to `out`. A sum starts at +0, so a sum of zeros is +0.
    NaN wins in `max` and `min`, and -0 is below +0, as for `ptir.maximum`. An empty `sum` is 0, an empty `max` -Inf or the
    least integer of the accumulator's type, an empty `min` +Inf or the greatest; f8E4M3FN has NaN instead of infinities, as
    in every cast. Complex numbers have `sum` and `mul` only, `i1` neither.

    The kinds `mul` (empty: 1), `any` (false) and `all` (true) are extensions of the contract; the last two are on `i1`.

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
        normal = [a % len(shape(input)) for a in axes]
        super().__init__(
            operands=[input],
            properties={
                "kind": StringAttr(kind),
                "reduce_axes": axes_attr(axes),
                "keepdims": UnitAttr() if keepdims else None,
                "accum_dtype": accum,
                "out_dtype": out,
            },
            result_types=[tensor_type(out or element(input), _replaced(sizes(input), normal, keepdims))],
        )

    @property
    def accum(self) -> Attribute:
        return self.accum_dtype or default_accum(element(self.input))

    def axes(self) -> tuple[int, ...]:
        """The reduced axes, normalized."""
        return normalize_axes(self, ints(self.reduce_axes), len(shape(self.input)), "axes")

    def verify_(self) -> None:
        require_word(self, "kind", self.kind, (*REDUCTIONS, *EXTENSION_REDUCTIONS))
        if self.kind.data in EXTENSION_REDUCTIONS:
            require_extensions(self, f"{self.name} {self.kind.data}")
        axes, dtype = self.axes(), element(self.input)
        if self.kind.data in ("any", "all"):
            if not is_predicate(dtype):
                raise UnsupportedType(self, what="the element type", got=dtype, want=f"'{self.kind.data}' is of i1")
        else:
            require_domain(self, dtype, "number")
            if self.kind.data in ("max", "min") and is_complex(dtype):
                raise UnsupportedType(self, what="the element type", got=dtype, want="complex numbers have no order")
        require_kind(self, self.accum, dtype, "accum")
        out = self.out_dtype or dtype
        require_castable(self, self.accum, out, "the cast to out")
        self.require_shape(self.result, _replaced(sizes(self.input), axes, self.keepdims is not None), "the result")
        self.require_element(self.result, out, "the result")


@irdl_op_definition
class ArgMaxOp(TensorOp):
    """
    Returns the index of the first NaN along `axis`, or else of the first maximum; with `keepdims` the axis remains with size
    1. Indices are `si32` or `si64` (or signless). An axis of size 0 is a violation. Contract: *ArgMax*; NaN counts as the
    maximum, as in StableHLO's `maximum`.

    ```mlir
    %1 = ptir.argmax %0 axis -1 : tensor<4x8xf32> -> tensor<4xsi64>
    ```
    """

    name = "ptir.argmax"
    input = operand_def(AnyTensor)
    axis = prop_def(IntegerAttr.constr(i64))
    keepdims = opt_prop_def(UnitAttr)
    result = result_def(AnyTensor)
    traits = traits_def(Pure())
    assembly_format = "$input `axis` $axis (`keepdims` $keepdims^)? attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, axis: int, dtype: Attribute, *, keepdims: bool = False):
        normal = axis % len(shape(input))
        super().__init__(
            operands=[input],
            properties={"axis": IntegerAttr(axis, i64), "keepdims": UnitAttr() if keepdims else None},
            result_types=[tensor_type(dtype, _replaced(sizes(input), [normal], keepdims))],
        )

    @property
    def along(self) -> int:
        """The axis, normalized."""
        return normalize_axis(self, self.axis.value.data, len(shape(self.input)))

    def verify_(self) -> None:
        require_domain(self, element(self.input), "real")
        require_index(self, element(self.result))
        if sizes(self.input)[self.along] == 0:
            raise EmptyAxis(self, axis=self.along)
        want = _replaced(sizes(self.input), [self.along], self.keepdims is not None)
        self.require_shape(self.result, want, "the result")


@irdl_op_definition
class TopKOp(TensorOp):
    """
    Returns the `k` largest (or smallest) values along `axis`, in order, and their indices. On a tie the smallest index comes
    first; NaN counts as larger than all numbers, +0 and -0 as equal. `k` is at most the size of the axis. Indices are
    `si32` or `si64` (or signless). Contract: *TopK*.

    ```mlir
    %values, %indices = ptir.top_k largest %0 k 3 axis -1 : tensor<4x8xf32> -> tensor<4x3xf32>, tensor<4x3xsi32>
    ```
    """

    name = "ptir.top_k"
    order = prop_def(StringAttr)
    input = operand_def(AnyTensor)
    k = prop_def(IntegerAttr.constr(i64))
    axis = prop_def(IntegerAttr.constr(i64))
    values = result_def(AnyTensor)
    indices = result_def(AnyTensor)
    traits = traits_def(Pure())
    custom_directives = (Keyword,)
    assembly_format = "custom<Keyword>($order) $input `k` $k `axis` $axis attr-dict `:` type($input) `->` type($values) `,` type($indices)"

    def __init__(self, order: str, input: SSAValue, k: int, axis: int, indices: Attribute):
        kept = list(sizes(input))
        kept[axis] = k
        super().__init__(
            operands=[input],
            properties={"order": StringAttr(order), "k": IntegerAttr(k, i64), "axis": IntegerAttr(axis, i64)},
            result_types=[tensor_type(element(input), kept), tensor_type(indices, kept)],
        )

    @property
    def along(self) -> int:
        """The axis, normalized."""
        return normalize_axis(self, self.axis.value.data, len(shape(self.input)))

    @property
    def count(self) -> int:
        return self.k.value.data

    def verify_(self) -> None:
        require_word(self, "order", self.order, ORDERS)
        require_domain(self, element(self.input), "real")
        self.require_element(self.values, element(self.input), "the first result")
        require_index(self, element(self.indices))
        kept = list(sizes(self.input))
        size = kept[self.along]
        if self.count < 0 or (isinstance(size, int) and self.count > size):
            help = f"axis {self.along} has {'an unknown number of' if size is None else size} elements"
            raise InvalidAttributeValue(self, name="k", problem=f"is {self.count}", help=help)
        kept[self.along] = self.count
        self.require_shape(self.values, kept, "the first result")
        self.require_shape(self.indices, kept, "the second result")
