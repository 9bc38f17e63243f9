"""Ops that move elements without changing them. Contract: *Shape and layout ops*."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DenseArrayBase,
    TensorType,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    prop_def,
)

from ...errors import (
    ElementCountMismatch,
    NotBroadcastable,
    RankMismatch,
)
from ..shapes import (
    broadcast,
    element,
    element_count,
    normalize_axes,
    shape,
    spell,
)
from ..syntax import Axes, axes_attr, ints
from .base import MovementOp


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
