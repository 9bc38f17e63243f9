"""Movements and reductions. Spec: `intentir-semantics §2.3, §2.4`."""

from __future__ import annotations

from functools import reduce
from typing import Any

from xdsl.dialects.builtin import DenseArrayBase, StringAttr, UnitAttr, i64
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def

from ...errors import ElementCountMismatch, ShapeMismatch
from ..common.checks import check_attribute, check_rank, check_value, check_word
from ..common.shapes import normalize_axes
from ..common.syntax import Axes, Keyword, ints
from ..ptir.scalars import ScalarAttr
from . import symbols
from .base import Amount, IntentOp, IntentTensor, check_scale
from .broadcast import may_agree
from .types import TensorType, shape_text, type_of

REDUCTIONS = {"sum": "numbers", "max": "numbers", "any": "booleans"}
"""The functions of `intent.reduce`, and the elements on which they are defined."""


@irdl_op_definition
class TransposeOp(IntentOp):
    """
    Result axis `i` is operand axis `perm[i]`.

    ```mlir
    %1 = intent.transpose %0 by [1, 0] : !intent.tensor<[M, N], f32> -> !intent.tensor<[N, M], f32>
    ```
    """

    name = "intent.transpose"
    input = operand_def(IntentTensor)
    perm = prop_def(DenseArrayBase.constr(i64))
    custom_directives = (Axes,)
    assembly_format = "$input `by` custom<Axes>($perm) attr-dict `:` type($input) `->` type($result)"

    def permutation(self) -> tuple[int, ...]:
        """Returns the operand's axis for each result axis. Negative axes are normalized."""
        rank = len(type_of(self.input).dims)
        perm = normalize_axes(self, ints(self.perm), rank, "perm")
        check_rank(self, "perm", len(perm), rank)
        return perm

    def inferred(self) -> TensorType:
        source = type_of(self.input)
        return TensorType([source.dims[p] for p in self.permutation()], source.element_type)


@irdl_op_definition
class ReshapeOp(IntentOp):
    """
    The same elements in row-major order, with the result's sizes.

    ```mlir
    %1 = intent.reshape %0 : !intent.tensor<[M, N], f32> -> !intent.tensor<["M * N"], f32>
    ```
    """

    name = "intent.reshape"
    input = operand_def(IntentTensor)
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def inferred(self) -> TensorType:
        source, result = type_of(self.input), type_of(self.result)
        got, want = (reduce(lambda a, b: ("*", a, b), t.sizes, 1) for t in (result, source))
        if symbols.are_equal(got, want) is False:
            raise ElementCountMismatch(self, what="the result", got=symbols.text(got), want=symbols.text(want))
        return TensorType(result.dims, source.element_type)


@irdl_op_definition
class BroadcastInDimOp(IntentOp):
    """
    Operand axis `k` becomes result axis `dims[k]`, repeated if its size is 1; elements repeat along all other axes.

    ```mlir
    %1 = intent.broadcast_in_dim %b dims [1] : !intent.tensor<[N], f32> -> !intent.tensor<[M, N], f32>
    ```
    """

    name = "intent.broadcast_in_dim"
    input = operand_def(IntentTensor)
    broadcast_dims = prop_def(DenseArrayBase.constr(i64))
    custom_directives = (Axes,)
    assembly_format = "$input `dims` custom<Axes>($broadcast_dims) attr-dict `:` type($input) `->` type($result)"

    def axes(self) -> tuple[int, ...]:
        """Returns the result axis of each operand axis."""
        return normalize_axes(self, ints(self.broadcast_dims), len(type_of(self.result).dims), "broadcast_dims")

    def inferred(self) -> TensorType:
        source, result, axes = type_of(self.input), type_of(self.result), self.axes()
        check_rank(self, "broadcast_dims", len(axes), len(source.dims))
        for dim, axis in zip(source.dims, axes, strict=True):
            if dim != 1 and not may_agree(dim, result.dims[axis]):
                raise ShapeMismatch(
                    self,
                    what="the operand",
                    got=shape_text(source.dims),
                    want=f"{result.dims[axis]} on axis {axis} of the result",
                )
        return TensorType(result.dims, source.element_type)


@irdl_op_definition
class ReduceOp(IntentOp):
    """
    Reduces `axes`; with `keepdims` they remain with size 1. `sum` of floats narrower than f32
    accumulates in f32; `max` of a NaN is NaN; `any` is the logical or. The sum is multiplied by `scale`, a number or an
    expression of symbols, before it is rounded to the result's type. There, `num_elements` is the number of elements that a
    result reduces, unless a symbol has that name.

    ```mlir
    %1 = intent.reduce sum %0 axes [1] scale expr "1 / num_elements" : !intent.tensor<[M, N], f32> -> !intent.tensor<[M], f32>
    ```
    """

    name = "intent.reduce"
    fn = prop_def(StringAttr)
    input = operand_def(IntentTensor)
    reduce_axes = prop_def(DenseArrayBase.constr(i64))
    keepdims = opt_prop_def(UnitAttr)
    scale = opt_prop_def(Attribute)
    custom_directives = (Keyword, Axes, Amount)
    assembly_format = (
        "custom<Keyword>($fn) $input `axes` custom<Axes>($reduce_axes) (`keepdims` $keepdims^)? "
        "(`scale` custom<Amount>($scale)^)? attr-dict `:` type($input) `->` type($result)"
    )

    def axes(self) -> tuple[int, ...]:
        """Returns the reduced axes in ascending order. Negative axes are normalized."""
        return tuple(sorted(normalize_axes(self, ints(self.reduce_axes), len(type_of(self.input).dims), "axes")))

    def inferred(self) -> TensorType:
        fn, source, axes = self.fn.data, type_of(self.input), self.axes()
        check_word(self, "fn", fn, REDUCTIONS)
        self.require_kind(self.input, REDUCTIONS[fn], f"the operand of {fn}")
        check_attribute(
            self, self.scale is None or fn == "sum", "scale", f"is not a parameter of {fn}", "sums are scaled"
        )
        if self.scale is not None:
            self.require_kind(self.input, "floats", "the operand of a scaled sum")
            check_value(
                self, isinstance(self.scale, ScalarAttr | StringAttr), "scale", self.scale, "a scalar or an expression"
            )
            check_scale(self, "scale", self.scale)
        kept: list[Any] = [
            1 if a in axes else d for a, d in enumerate(source.dims) if self.keepdims is not None or a not in axes
        ]
        return TensorType(kept, source.element_type)
