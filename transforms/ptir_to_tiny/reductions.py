"""Ops that fold axes away."""

from __future__ import annotations

from xdsl.ir import Attribute, SSAValue

from ...dialects import ptir
from ...dialects.ptir.dims import sizes
from ...dialects.shapes import element, is_float, widens_exactly
from .writer import Refused, Writer

KINDS = {"sum": "sum", "max": "max", "min": "min", "any": "max", "all": "min"}
"""Of predicates `any` is the greatest, `all` the least."""


def reduce(op: ptir.ReduceOp, write: Writer) -> SSAValue:
    kind = KINDS.get(op.kind.data)
    if kind is None:
        raise Refused(f"a {op.kind.data} is none of {', '.join(KINDS)}", help="multiply outside of kernels")
    x = summand(write, op.input, op.accum) if kind == "sum" else write.cast(op.input, op.accum)
    total = write.reduce(kind, x, op.axes(), op.accum)
    return write.reshape(write.cast(total, element(op.result)), sizes(op.result))


def summand(write: Writer, x: SSAValue, accum: Attribute) -> SSAValue:
    """`x` in the accumulator's type, but for floats that it would round: those are rounded when they are summed."""
    rounds = is_float(accum) and not widens_exactly(element(x), accum)
    return x if rounds else write.cast(x, accum)
