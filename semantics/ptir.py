"""
The meaning of the `ptir` dialect, executable: xDSL interpreter functions on NumPy arrays.

Elementwise ops are the table in `scalars.py`, row by row. `dot_general` and `reduce sum` compute exact
products and sum them one type wider, then round once to the accumulator type and once more to the result
type. That *is* the contract's "accumulate in accum_dtype" up to the order of rounding: the contract leaves the order
of the sum open, each order gives another value, and this is the one that all of them surround
(float64 has 29 bits more than f32, so its own error is below one f32 ulp up to K ≈ 2²⁸; for f64 it is the platform's
long double, with 11 bits more on x86). Integers are exact modulo 2^w in any order.

Spec: `ptir-backend-contract.md`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.ir import Operation

from ..dialects import ptir
from ..dialects.shapes import element, shape
from .contraction import contract, summands
from .errors import DivisionByZero
from .reductions import reduce
from .scalars import FUNCTIONS, Array, cast, dense_array, narrow, numpy_dtype

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def dot_axes(op: ptir.DotGeneralOp) -> tuple[str, str, str]:
    """The contraction as letters: the axes of lhs, those of rhs, and those of the result."""
    batch_lhs, batch_rhs, contract_lhs, contract_rhs = op.axes()
    free_lhs, free_rhs = op.free_axes()
    letters = iter(LETTERS)
    lhs = {a: next(letters) for a in (*batch_lhs, *free_lhs, *contract_lhs)}
    rhs = {b: lhs[a] for a, b in zip(batch_lhs + contract_lhs, batch_rhs + contract_rhs, strict=True)}
    rhs |= {b: next(letters) for b in free_rhs}
    out = [*(lhs[a] for a in batch_lhs + free_lhs), *(rhs[b] for b in free_rhs)]
    return "".join(lhs[a] for a in sorted(lhs)), "".join(rhs[b] for b in sorted(rhs)), "".join(out)


def _elementwise(op_type: type[Any], name: str) -> Any:
    """The interpreter function of an op whose meaning is the row `name` of the table."""

    def run(self: Any, interpreter: Interpreter, op: Operation, args: PythonValues) -> PythonValues:
        return (apply(op, name, *args),)

    return impl(op_type)(run)


def apply(op: Operation, name: str, *args: Array) -> Array:
    """The row `name` of the table; a zero divisor is an error at `op`."""
    try:
        return FUNCTIONS[name](*args)
    except ZeroDivisionError as e:
        raise DivisionByZero(op) from e


@register_impls
class PtirFunctions(InterpreterFunctions):
    """One function per `ptir` op; values are arrays of the op's element type and shape."""

    run_neg = _elementwise(ptir.NegOp, "neg")
    run_abs = _elementwise(ptir.AbsOp, "abs")
    run_exp = _elementwise(ptir.ExpOp, "exp")
    run_log = _elementwise(ptir.LogOp, "log")
    run_tanh = _elementwise(ptir.TanhOp, "tanh")
    run_erf = _elementwise(ptir.ErfOp, "erf")
    run_rsqrt = _elementwise(ptir.RsqrtOp, "rsqrt")
    run_reciprocal = _elementwise(ptir.ReciprocalOp, "recip")
    run_add = _elementwise(ptir.AddOp, "add")
    run_sub = _elementwise(ptir.SubOp, "sub")
    run_mul = _elementwise(ptir.MulOp, "mul")
    run_div = _elementwise(ptir.DivOp, "div")
    run_maximum = _elementwise(ptir.MaximumOp, "max")
    run_minimum = _elementwise(ptir.MinimumOp, "min")
    run_select = _elementwise(ptir.SelectOp, "where")

    @impl(ptir.ConstantOp)
    def run_constant(self, interpreter: Interpreter, op: ptir.ConstantOp, args: PythonValues) -> PythonValues:
        return (dense_array(op.value),)

    @impl(ptir.CompareOp)
    def run_compare(self, interpreter: Interpreter, op: ptir.CompareOp, args: PythonValues) -> PythonValues:
        return (apply(op, op.op.data, *args),)

    @impl(ptir.ClampOp)
    def run_clamp(self, interpreter: Interpreter, op: ptir.ClampOp, args: PythonValues) -> PythonValues:
        x, low, high = args
        return (apply(op, "min", apply(op, "max", x, low), high),)

    @impl(ptir.CastOp)
    def run_cast(self, interpreter: Interpreter, op: ptir.CastOp, args: PythonValues) -> PythonValues:
        return (cast(args[0], numpy_dtype(element(op.result))),)

    @impl(ptir.DotGeneralOp)
    def run_dot_general(self, interpreter: Interpreter, op: ptir.DotGeneralOp, args: PythonValues) -> PythonValues:
        lhs, rhs = args
        lhs_axes, rhs_axes, out = dot_axes(op)
        accum = numpy_dtype(op.accum)
        if op.precision is not None:
            lhs, rhs = (apply(op, op.precision.data, x) for x in (lhs, rhs))
        total = contract(summands(lhs, accum), lhs_axes, summands(rhs, accum), rhs_axes, out)
        return (cast(narrow(total, accum), numpy_dtype(element(op.result))),)

    @impl(ptir.ReduceOp)
    def run_reduce(self, interpreter: Interpreter, op: ptir.ReduceOp, args: PythonValues) -> PythonValues:
        folded = reduce(op.kind.data, args[0], op.axes(), numpy_dtype(op.accum))
        return (cast(folded, numpy_dtype(element(op.result))).reshape(shape(op.result)),)

    @impl(ptir.ReshapeOp)
    def run_reshape(self, interpreter: Interpreter, op: ptir.ReshapeOp, args: PythonValues) -> PythonValues:
        return (args[0].reshape(shape(op.result)),)

    @impl(ptir.TransposeOp)
    def run_transpose(self, interpreter: Interpreter, op: ptir.TransposeOp, args: PythonValues) -> PythonValues:
        return (args[0].transpose(op.permutation()),)

    @impl(ptir.BroadcastToOp)
    def run_broadcast_to(self, interpreter: Interpreter, op: ptir.BroadcastToOp, args: PythonValues) -> PythonValues:
        return (np.broadcast_to(args[0], shape(op.result)),)
