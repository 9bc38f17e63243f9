"""Writing the `ptir` ops that stand for a tiny op."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from ...dialects import ptir
from ...dialects.ptir.dims import Size, sizes
from ..ptir_decompose.draft import Draft


class Writer(Draft):
    """Its `add` raises a `VerifyException` where `ptir` cannot say what the op says."""

    def add(self, op: Operation) -> SSAValue:
        value = super().add(op)
        op.verify()
        return value

    def fit(self, x: SSAValue, to: Sequence[Size]) -> SSAValue:
        """`x` with these sizes: axes that it lacks, or that are 1 in its type, are repeated; others are what they are."""
        of = sizes(x)
        if of == tuple(to):
            return x
        repeats = len(of) != len(to) or any(a == 1 != b for a, b in zip(of, to, strict=True))
        return self.add(ptir.BroadcastToOp(x, to) if repeats else ptir.DimCastOp(x, to))
