"""Leaves: ops without operands."""

from __future__ import annotations

from xdsl.irdl import irdl_op_definition

from ..ptir import LiteralOp
from ..ptir.movement import CountOp


@irdl_op_definition
class ConstOp(LiteralOp):
    """
    A constant tensor, given by a dense literal.

    ```mlir
    %0 = tiny.const dense<2.0> : tensor<f32>
    ```
    """

    name = "tiny.const"


@irdl_op_definition
class IotaOp(CountOp):
    """
    Counts 0, 1, 2, … along `axis`, like `ptir.iota`; the numbers repeat along all other axes.

    ```mlir
    %0 = tiny.iota axis 1 : tensor<4x8xsi64>
    ```
    """

    name = "tiny.iota"
