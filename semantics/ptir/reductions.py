"""Ops that fold axes away: `reductions.py`, then the cast to the result type. Contract: *Reductions and argmax*."""

from __future__ import annotations

from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls

from ...dialects import ptir
from ...dialects.shapes import element, shape
from ..reductions import reduce
from ..scalars import cast, numpy_dtype


@register_impls
class ReductionFunctions(InterpreterFunctions):
    """Values are arrays of the op's element type and shape."""

    @impl(ptir.ReduceOp)
    def run_reduce(self, interpreter: Interpreter, op: ptir.ReduceOp, args: PythonValues) -> PythonValues:
        folded = reduce(op.kind.data, args[0], op.axes(), numpy_dtype(op.accum))
        return (cast(folded, numpy_dtype(element(op.result))).reshape(shape(op.result)),)
