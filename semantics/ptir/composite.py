"""Composites, which run their region. An extension of the contract."""

from __future__ import annotations

from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls

from ...dialects import ptir


@register_impls
class CompositeFunctions(InterpreterFunctions):
    """Runs the region on the operands."""

    @impl(ptir.CompositeOp)
    def run_composite(self, interpreter: Interpreter, op: ptir.CompositeOp, args: PythonValues) -> PythonValues:
        return interpreter.run_ssacfg_region(op.body, args, op.name)
