"""
Reductions, argmax and top-k: apply the functions of `arrays/reductions.py`, then cast to the result type. Contract:
*Reductions and argmax*, *TopK*.
"""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import Interpreter, PythonValues, impl, register_impls

from ...dialects import ptir
from ...dialects.common.shapes import element
from ...errors import counted
from ..arrays.reductions import along, argmax, ranking
from ..arrays.scalars import numpy_dtype
from ..errors import NoMaximum, TooFewElements
from ..values import ArrayFunctions


@register_impls
class ReductionFunctions(ArrayFunctions):
    @impl(ptir.ReduceOp)
    def run_reduce(self, interpreter: Interpreter, op: ptir.ReduceOp, args: PythonValues) -> PythonValues:
        axes = op.axes()
        folded = self.reduce(op.kind.data, args[0], axes, element(op.input), op.accum)
        out = self.cast(folded, op.accum, element(op.result))
        return (self.move(lambda v: np.expand_dims(v, axes), out) if op.keepdims is not None else out,)

    @impl(ptir.ArgMaxOp)
    def run_argmax(self, interpreter: Interpreter, op: ptir.ArgMaxOp, args: PythonValues) -> PythonValues:
        (x,) = args
        if not x.shape[op.axis()]:
            raise NoMaximum(op, axis=op.axis())
        out = argmax(x, op.axis()).astype(numpy_dtype(element(op.result)))
        return (np.expand_dims(out, op.axis()) if op.keepdims is not None else out,)

    @impl(ptir.TopKOp)
    def run_top_k(self, interpreter: Interpreter, op: ptir.TopKOp, args: PythonValues) -> PythonValues:
        (x,) = args
        if x.shape[op.axis()] < op.count:
            raise TooFewElements(op, size=counted(x.shape[op.axis()], "element"), k=op.count)
        order = ranking(x, op.axis(), largest=op.order.data == "largest")
        first = np.take(order, np.arange(op.count), axis=op.axis())
        return along(x, first, op.axis()), first.astype(numpy_dtype(element(op.indices)))
