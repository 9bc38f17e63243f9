"""Ops that move elements without changing them. Contract: *Shape and layout ops*."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls

from ...dialects import ptir
from ...dialects.shapes import shape


@register_impls
class MovementFunctions(InterpreterFunctions):
    """Values are arrays of the op's element type and shape."""

    @impl(ptir.ReshapeOp)
    def run_reshape(self, interpreter: Interpreter, op: ptir.ReshapeOp, args: PythonValues) -> PythonValues:
        return (args[0].reshape(shape(op.result)),)

    @impl(ptir.TransposeOp)
    def run_transpose(self, interpreter: Interpreter, op: ptir.TransposeOp, args: PythonValues) -> PythonValues:
        return (args[0].transpose(op.permutation()),)

    @impl(ptir.BroadcastToOp)
    def run_broadcast_to(self, interpreter: Interpreter, op: ptir.BroadcastToOp, args: PythonValues) -> PythonValues:
        return (np.broadcast_to(args[0], shape(op.result)),)
