"""A cast between types that differ in what they know about sizes. DESIGN §4."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition

from ...errors import RankMismatch
from ...text.known_sizes import equate
from ..common.shapes import element
from .base import MovementOp
from .dims import Size, sizes, tensor_type


@irdl_op_definition
class DimCastOp(MovementOp):
    """
    The same tensor with other dimension names, with `?` for a number or a number for `?`: asserts the sizes, which are
    checked at run time. Sizes that are known to differ are refused. The contract leaves names to the types; the op needs no
    `ptir.extensions`. The first op that has a name binds it for later ops.

    ```mlir
    %1 = ptir.dim_cast %0 : tensor<?x?xf32, #ptir.dims<B, C>> -> tensor<?x8xf32, #ptir.dims<N, _>>
    ```
    """

    name = "ptir.dim_cast"
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, of: Sequence[Size]):
        super().__init__(operands=[input], result_types=[tensor_type(element(input), of)])

    def verify_(self) -> None:
        super().verify_()
        got, want = sizes(self.result), sizes(self.input)
        if len(got) != len(want):
            raise RankMismatch(self, what="the result", got=len(got), want=len(want))
        for axis, (a, b) in enumerate(zip(want, got, strict=True)):
            equate(self, a, b, f"dimension {axis}")
