"""
The meaning of the `tiny` dialect, executable: xDSL interpreter functions on NumPy arrays.

`unary` and `binary` are the table in `scalars.py` (binary broadcasts right-aligned, as NumPy does), `reduce` is
`reductions.py`, and one rule joins two ops: **a `mul` whose only use is a `reduce sum` does not round
its products.** That is what an FMA or a tensor core does, it is what makes the contraction that
`ptir-to-tiny` writes equal to the `ptir.dot_general` it came from, and it spares the interpreter the M×K×N
intermediate: the product stays a pair of factors until the sum contracts them. With integers the rule changes
nothing; products of bf16 or f16 values cast to f32 are exact anyway.

Spec: `tensor-compiler.ja §1.2, §1.3`; dtype rules as in `ptir-backend-contract.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls

from ..dialects import tiny
from ..dialects.shapes import element, shape
from .contraction import contract
from .ptir import LETTERS, apply
from .reductions import reduce
from .scalars import Array, DType, cast, dense_array, narrow, numpy_dtype, widen


@dataclass(frozen=True)
class Product:
    """`lhs * rhs`, broadcast, not yet multiplied out."""

    lhs: Array
    rhs: Array

    def sum(self, axes: tuple[int, ...], accum: DType) -> Array:
        """The sum of the exact products over `axes`, rounded once to `accum`."""
        sizes = np.broadcast_shapes(self.lhs.shape, self.rhs.shape)
        kept = [a for a in range(len(sizes)) if a not in axes]
        factors: list[tuple[Array, str]] = []
        for factor in (self.lhs, self.rhs):
            offset = len(sizes) - factor.ndim
            own = [i for i in range(factor.ndim) if factor.shape[i] == sizes[i + offset] != 1]
            squeezed = factor.reshape([factor.shape[i] for i in own])
            factors.append((widen(squeezed), "".join(LETTERS[i + offset] for i in own)))
        (lhs, lhs_axes), (rhs, rhs_axes) = factors
        out = "".join(LETTERS[a] for a in kept if LETTERS[a] in lhs_axes + rhs_axes)
        total = contract(lhs, lhs_axes, rhs, rhs_axes, out)
        return narrow(total.reshape([sizes[a] for a in kept]), accum)


def _only_summed(op: tiny.BinaryOp) -> bool:
    uses = list(op.result.uses)
    return len(uses) == 1 and isinstance(user := uses[0].operation, tiny.ReduceOp) and _contracts(user)


def _contracts(op: tiny.ReduceOp) -> bool:
    """A sum in the element type of its input; with another accumulator the cast between them has a say."""
    return op.fn.data == "sum" and op.accum == element(op.input)


@register_impls
class TinyFunctions(InterpreterFunctions):
    """One function per `tiny` op; values are arrays of the op's element type and shape."""

    @impl(tiny.ConstOp)
    def run_const(self, interpreter: Interpreter, op: tiny.ConstOp, args: PythonValues) -> PythonValues:
        return (dense_array(op.value),)

    @impl(tiny.MovementOp)
    def run_movement(self, interpreter: Interpreter, op: tiny.MovementOp, args: PythonValues) -> PythonValues:
        (x,) = args
        match op.kind.data:
            case "permute":
                return (x.transpose(op.permutation()),)
            case "reshape":
                return (x.reshape(shape(op.result)),)
            case _:
                return (np.broadcast_to(x, shape(op.result)),)

    @impl(tiny.UnaryOp)
    def run_unary(self, interpreter: Interpreter, op: tiny.UnaryOp, args: PythonValues) -> PythonValues:
        if op.fn.data == "cast":
            return (cast(args[0], numpy_dtype(element(op.result))),)
        return (apply(op, op.fn.data, args[0]),)

    @impl(tiny.BinaryOp)
    def run_binary(self, interpreter: Interpreter, op: tiny.BinaryOp, args: PythonValues) -> PythonValues:
        if op.fn.data == "mul" and _only_summed(op):
            return (Product(*args),)
        return (apply(op, op.fn.data, *args),)

    @impl(tiny.ReduceOp)
    def run_reduce(self, interpreter: Interpreter, op: tiny.ReduceOp, args: PythonValues) -> PythonValues:
        x: Any = args[0]
        accum = numpy_dtype(op.accum)
        return (x.sum(op.axes(), accum) if isinstance(x, Product) else reduce(op.fn.data, x, op.axes(), accum),)
