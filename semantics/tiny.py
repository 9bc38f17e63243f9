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
from .contraction import contract, summands
from .ptir.contraction import LETTERS
from .ptir.elementwise import apply
from .reductions import reduce
from .scalars import Array, DType, cast, dense_array, narrow, numpy_dtype


@dataclass(frozen=True)
class Factors:
    """
    What Σ lhs · rhs over some axes of the broadcast product contracts: for each factor its shape without the axes
    along which it repeats and a letter for each axis left, the letters kept, and the sizes of the sum.
    """

    shapes: tuple[tuple[int, ...], tuple[int, ...]]
    letters: tuple[str, str]
    out: str
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, lhs: tuple[int, ...], rhs: tuple[int, ...], axes: tuple[int, ...]) -> Factors:
        sizes = np.broadcast_shapes(lhs, rhs)

        def own(factor: tuple[int, ...]) -> tuple[tuple[int, ...], str]:
            offset = len(sizes) - len(factor)
            kept = [i for i, size in enumerate(factor) if size == sizes[i + offset] != 1]
            return tuple(factor[i] for i in kept), "".join(LETTERS[i + offset] for i in kept)

        (left, lhs_letters), (right, rhs_letters) = own(lhs), own(rhs)
        kept = [a for a in range(len(sizes)) if a not in axes]
        out = "".join(LETTERS[a] for a in kept if LETTERS[a] in lhs_letters + rhs_letters)
        return cls((left, right), (lhs_letters, rhs_letters), out, tuple(sizes[a] for a in kept))


@dataclass(frozen=True)
class Product:
    """`lhs * rhs`, broadcast, not yet multiplied out."""

    lhs: Array
    rhs: Array

    @property
    def shape(self) -> tuple[int, ...]:
        return np.broadcast_shapes(self.lhs.shape, self.rhs.shape)

    def sum(self, axes: tuple[int, ...], accum: DType) -> Array:
        """The sum of the exact products over `axes`, rounded once to `accum`."""
        f = Factors.of(self.lhs.shape, self.rhs.shape, axes)
        lhs, rhs = (summands(x.reshape(s), accum) for x, s in zip((self.lhs, self.rhs), f.shapes, strict=True))
        return narrow(contract(lhs, f.letters[0], rhs, f.letters[1], f.out).reshape(f.sizes), accum)


def only_summed(op: tiny.BinaryOp) -> bool:
    """Whether the product feeds one sum and nothing else, so that it is not rounded."""
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
        if op.fn.data == "mul" and only_summed(op):
            return (Product(*args),)
        return (apply(op, op.fn.data, *args),)

    @impl(tiny.ReduceOp)
    def run_reduce(self, interpreter: Interpreter, op: tiny.ReduceOp, args: PythonValues) -> PythonValues:
        x: Any = args[0]
        accum = numpy_dtype(op.accum)
        return (x.sum(op.axes(), accum) if isinstance(x, Product) else reduce(op.fn.data, x, op.axes(), accum),)
