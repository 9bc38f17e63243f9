"""The writer of the `ptir` ops that replace a tiny op."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ...dialects import ptir
from ...dialects.ptir.dims import Size, sizes
from ..ptir_decompose.draft import Draft


class Writer(Draft):
    """Writes formulas whose ops are verified."""

    verifies = True

    def fit(self, x: SSAValue, to: Sequence[Size]) -> SSAValue:
        """Returns `x` with the sizes `to`: missing axes and axes of size 1 are repeated, the others only renamed."""
        of = sizes(x)
        if of == tuple(to):
            return x
        repeats = len(of) != len(to) or any(a == 1 != b for a, b in zip(of, to, strict=True))
        return self.add(ptir.BroadcastToOp(x, to) if repeats else ptir.DimCastOp(x, to))
