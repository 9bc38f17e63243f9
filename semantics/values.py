"""
The primitives of the interpreters, on NumPy arrays.

The interpreter functions of an op are written once, in terms of the methods of `ArrayFunctions`. `bounds/operations.py`
overrides these methods to compute with intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    TerminatorValue,
    impl,
    register_impls,
)
from xdsl.ir import Attribute, Operation

from ..dialects import ptir, tiny
from ..dialects.common.shapes import element
from .arrays import strict
from .arrays.bits import bitcast
from .arrays.contraction import sum_of_products
from .arrays.reductions import reduce
from .arrays.scalars import FUNCTIONS, Array, DType, Function, cast, numpy_dtype
from .custom_calls import run, run_stored
from .errors import DivisionByZero

Value = Any
"""An array, or another value with a `shape` and a `dtype`."""
Sum = ptir.DotGeneralOp | ptir.ConvolutionOp | tiny.ReduceOp
"""An op that sums products."""


def apply(op: Operation, name: str, *args: Array, functions: Mapping[str, Function] = FUNCTIONS) -> Array:
    """Applies the function `name` in a table, by default that of `scalars.py`. Raises `DivisionByZero` at `op`."""
    try:
        return functions[name](*args)
    except ZeroDivisionError as e:
        raise DivisionByZero(op) from e


class ArrayFunctions(InterpreterFunctions):
    """Interpreter functions on arrays. Subclasses override these methods for other values."""

    strict: bool = False
    """Whether the floats of the program are strict."""

    def literal(self, x: Array) -> Value:
        """Returns the value that has exactly the elements of `x`."""
        return x

    def move(self, function: Callable[[Array], Array], value: Value) -> Value:
        """Applies `function`, which only rearranges elements."""
        return self.join(function, value)

    def join(self, function: Callable[..., Array], *values: Value) -> Value:
        """Applies `function`, which only rearranges elements, to several values."""
        return np.asarray(function(*values))

    def is_true(self, op: Operation, predicate: Value) -> bool:
        """Returns a predicate on which `op` branches."""
        return bool(predicate)

    def call(self, op: ptir.CustomCallOp, args: Sequence[Value]) -> tuple[Value, ...]:
        """Returns the results of a custom call."""
        return run(op, args) if op.seen is op else run_stored(op.seen, args, op.outputs.types)

    def call_stored(self, op: ptir.CustomCallOp, args: Sequence[Value], types: Sequence[Attribute]) -> Sequence[Value]:
        """Returns the results of a custom call on memrefs, as memrefs of these types hold them."""
        return run_stored(op, args, types)

    def store(self, memref: Value, value: Value, at: Array | None = None) -> None:
        """Overwrites all elements of a memref, or those with linear indices `at`."""
        np.copyto(memref, value) if at is None else np.put(memref, at, value)

    def apply(self, op: Operation, name: str, *args: Value) -> Value:
        """Applies the elementwise function `name`."""
        return apply(op, name, *args, functions=strict.STRICT_FUNCTIONS if self.strict else FUNCTIONS)

    def row(self, op: Operation, name: str, *args: Value) -> Value:
        """Implements the ops that `register_rows` registers; `name` is the op's entry in its table."""
        return self.apply(op, name, *args)

    def cast(self, x: Value, src: Attribute, dst: Attribute) -> Value:
        return cast(x, numpy_dtype(dst))

    def convert(self, op: Operation, x: Value) -> Value:
        """Implements an op that casts its operand to the element type of its result."""
        return self.cast(x, element(op.operands[0]), element(op.results[0]))

    def bits(self, op: Operation, x: Value, dtype: Attribute) -> Value:
        """Returns the bits of `x` as values of type `dtype`."""
        return bitcast(x, numpy_dtype(dtype))

    def reduce(self, kind: str, x: Value, axes: tuple[int, ...], src: Attribute, accum: Attribute) -> Value:
        """Reduces `x`, of type `src`, over `axes` in type `accum`, to which the elements are cast first."""
        dtype = numpy_dtype(accum)
        if self.strict and strict.is_strict(kind, dtype):
            return strict.reduce(kind, cast(x, dtype), axes, dtype)
        return reduce(kind, x, axes, dtype)

    def contract(self, op: Sum, lhs: Value, rhs: Value, axes: tuple[str, str, str], *, product: DType) -> Value:
        """
        Returns the sum of products of type `product` in the type in which `op` accumulates. `axes` are the letters of lhs, rhs and
        the result.
        """
        (left, right, out), accum = axes, numpy_dtype(op.accum)
        if self.strict and strict.is_strict("sum", accum):
            return strict.sum_of_products(lhs, left, rhs, right, out, accum)
        return sum_of_products(lhs, left, rhs, right, out, product=product, accum=accum)


def yield_operands(
    functions: ArrayFunctions, interpreter: Interpreter, op: Operation, args: PythonValues
) -> tuple[TerminatorValue, PythonValues]:
    """Implements a terminator that returns its operands to the enclosing op."""
    return ReturnedValues(args), ()


# --- ops that are rows of a table -------------------------------------------------------------------

F = TypeVar("F", bound=ArrayFunctions)

ROWS: Mapping[str, str] = {"sigmoid": "logistic"}
"""Functions of `tiny` that have another name in the table of `scalars.py`."""

PTIR_ROWS: Mapping[type[Operation], str] = {
    **{op: ROWS.get(word, word) for word, op in {**tiny.UNARY_OPS, **tiny.BINARY_OPS}.items()},
    ptir.SelectOp: "where",
    ptir.IsFiniteOp: "is_finite",
}
"""Elementwise ops of `ptir`, with the names of their functions in the table of `scalars.py`."""


def register_rows(rows: Mapping[type[Operation], str]) -> Callable[[type[F]], type[F]]:
    """
    Decorates a class of interpreter functions: registers it, and implements each op in `rows` by `self.row(op, name, *args)`,
    where `name` is the op's entry.
    """

    def register(functions: type[F]) -> type[F]:
        for op_type, row in rows.items():

            def run(self: Any, interpreter: Interpreter, op: Operation, args: PythonValues, row: str = row) -> Any:
                return (self.row(op, row, *args),)

            setattr(functions, f"run_{op_type.__name__}", impl(op_type)(run))
        return register_impls(functions)

    return register
