"""The op that changes what a type says about sizes. DESIGN §4."""

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
    The same tensor with other names, with `?` for a number or a number for `?`: a promise that the sizes are those, which a
    run checks. Sizes that are known to differ are refused. Not of the contract, which leaves names to the types; part
    of the language all the same, with or without `ptir.extensions`. The first op to have a name binds it for those behind.

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
