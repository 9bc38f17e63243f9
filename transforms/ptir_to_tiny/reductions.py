"""Lowers reductions."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ...dialects import ptir
from ...dialects.common.shapes import element
from ...dialects.ptir.dims import sizes
from ..op_writer import Declined
from .writer import Writer

KINDS = {"sum": "sum", "max": "max", "min": "min", "any": "max", "all": "min"}
"""On predicates, `any` is the maximum and `all` the minimum."""


def reduce(op: ptir.ReduceOp, write: Writer) -> SSAValue:
    kind = KINDS.get(op.kind.data)
    if kind is None:
        raise Declined(f"a {op.kind.data} is none of {', '.join(KINDS)}", help="multiply outside of kernels")
    total = write.reduce(kind, write.cast(op.input, op.accum), op.axes(), op.accum)
    return write.reshape(write.cast(total, element(op.result)), sizes(op.result))
