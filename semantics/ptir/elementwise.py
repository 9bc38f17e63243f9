"""
Elementwise ops: the table in `scalars.py`, row by row. Contract: *Elementwise ops*, *Comparisons and selection*, *cast*.
"""

from __future__ import annotations

from typing import Any

from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.ir import Operation

from ...dialects import ptir
from ...dialects.common.shapes import element
from ..arrays.bits import bitcast
from ..arrays.scalars import FUNCTIONS, Array, bit_width, cast, dense_array, numpy_dtype
from ..errors import DivisionByZero, SizeMismatch


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
class ElementwiseFunctions(InterpreterFunctions):
    """Values are arrays of the op's element type and shape."""

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
    run_sqrt = _elementwise(ptir.SqrtOp, "sqrt")
    run_sin = _elementwise(ptir.SinOp, "sin")
    run_cos = _elementwise(ptir.CosOp, "cos")
    run_floor = _elementwise(ptir.FloorOp, "floor")
    run_ceil = _elementwise(ptir.CeilOp, "ceil")
    run_round = _elementwise(ptir.RoundOp, "round")
    run_sign = _elementwise(ptir.SignOp, "sign")
    run_log1p = _elementwise(ptir.Log1pOp, "log1p")
    run_expm1 = _elementwise(ptir.Expm1Op, "expm1")
    run_erfc = _elementwise(ptir.ErfcOp, "erfc")
    run_logistic = _elementwise(ptir.LogisticOp, "logistic")
    run_not = _elementwise(ptir.NotOp, "not")
    run_pow = _elementwise(ptir.PowOp, "pow")
    run_remainder = _elementwise(ptir.RemainderOp, "remainder")
    run_and = _elementwise(ptir.AndOp, "and")
    run_or = _elementwise(ptir.OrOp, "or")
    run_xor = _elementwise(ptir.XorOp, "xor")
    run_shift_left = _elementwise(ptir.ShiftLeftOp, "shift_left")
    run_shift_right_arithmetic = _elementwise(ptir.ShiftRightArithmeticOp, "shift_right_arithmetic")
    run_shift_right_logical = _elementwise(ptir.ShiftRightLogicalOp, "shift_right_logical")
    run_is_finite = _elementwise(ptir.IsFiniteOp, "is_finite")

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

    @impl(ptir.BitcastOp)
    def run_bitcast(self, interpreter: Interpreter, op: ptir.BitcastOp, args: PythonValues) -> PythonValues:
        (x,) = args
        dtype = numpy_dtype(element(op.result))
        if bit_width(x.dtype) < bit_width(dtype) and x.shape[-1] != op.parts():
            raise SizeMismatch(op, what="the last axis", got=f"[{x.shape[-1]}]", want=f"[{op.parts()}]")
        return (bitcast(x, dtype),)

    @impl(ptir.StopGradientOp)
    def run_stop_gradient(self, interpreter: Interpreter, op: ptir.StopGradientOp, args: PythonValues) -> PythonValues:
        return args
