"""Custom calls, implemented in Python (`custom_calls.py`). Contract: *Custom calls*."""

from __future__ import annotations

from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls

from ...dialects import ptir
from ..custom_calls import run


@register_impls
class CallFunctions(InterpreterFunctions):
    """Values are arrays, and tuples of them."""

    @impl(ptir.CustomCallOp)
    def run_custom_call(self, interpreter: Interpreter, op: ptir.CustomCallOp, args: PythonValues) -> PythonValues:
        return run(op, args)
