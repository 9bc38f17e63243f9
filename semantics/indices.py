"""Arithmetic on indices that xDSL's interpreter lacks: quotients, remainders, minima and maxima."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.ir import Operation

INDEX_BITS = 64


@register_impls
class IndexFunctions(InterpreterFunctions):
    """The interpreter functions of `arith` ops on two integers."""

    @impl(arith.DivUIOp)
    def divui(self, interpreter: Interpreter, op: arith.DivUIOp, args: PythonValues) -> PythonValues:
        return _unsigned(op, args, int.__floordiv__)

    @impl(arith.RemUIOp)
    def remui(self, interpreter: Interpreter, op: arith.RemUIOp, args: PythonValues) -> PythonValues:
        return _unsigned(op, args, int.__mod__)

    @impl(arith.MinUIOp)
    def minui(self, interpreter: Interpreter, op: arith.MinUIOp, args: PythonValues) -> PythonValues:
        return _unsigned(op, args, min)

    @impl(arith.MaxUIOp)
    def maxui(self, interpreter: Interpreter, op: arith.MaxUIOp, args: PythonValues) -> PythonValues:
        return _unsigned(op, args, max)

    @impl(arith.MinSIOp)
    def minsi(self, interpreter: Interpreter, op: arith.MinSIOp, args: PythonValues) -> PythonValues:
        return (min(args),)

    @impl(arith.MaxSIOp)
    def maxsi(self, interpreter: Interpreter, op: arith.MaxSIOp, args: PythonValues) -> PythonValues:
        return (max(args),)


def _unsigned(op: Operation, args: PythonValues, f: Callable[[int, int], int]) -> PythonValues:
    """Returns `f` of the operands read as unsigned integers of their type, as a signed one."""
    t = cast(IntegerType | IndexType, op.results[0].type)
    bits = t.width.data if isinstance(t, IntegerType) else INDEX_BITS
    result = f(*(int(arg) % (1 << bits) for arg in args))
    return (result - (1 << bits) if result >= 1 << (bits - 1) else result,)
