"""
The meaning of the `tiny` dialect, executable: xDSL interpreter functions on NumPy arrays.

`unary` and `binary` are the table in `scalars.py` (binary broadcasts right-aligned, as NumPy does), `reduce` is
`reductions.py`, the movements are in `tiny_movement.py`, and one rule joins two ops: **a `mul` whose only use is a
`reduce sum`, in its own type or one that holds every value of it, does not round its products.** That is what an FMA
or a tensor core does, it is what makes the contraction that `ptir-to-tiny` writes equal to the `ptir.dot_general` it
came from, and it spares the interpreter the M×K×N intermediate: the product stays a pair of factors until the sum
contracts them. With integers of one type the rule changes nothing; products of bf16 or f16 values cast to f32 are
exact anyway.

Spec: `tensor-compiler.ja §1.2, §1.3`; dtype rules as in `ptir-backend-contract.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls

from ..dialects import tiny
from ..dialects.shapes import element
from .bits import bitcast
from .contraction import contract, summands
from .ptir.contraction import LETTERS
from .ptir.elementwise import apply
from .reductions import reduce
from .scalars import Array, DType, cast, narrow, numpy_dtype
from .tiny_movement import require_joint

ROWS = {"sigmoid": "logistic"}
"""The words whose row of the table has another name."""


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


@register_impls
class TinyFunctions(InterpreterFunctions):
    """The ops that compute; values are arrays of the op's element type and shape."""

    @impl(tiny.UnaryOp)
    def run_unary(self, interpreter: Interpreter, op: tiny.UnaryOp, args: PythonValues) -> PythonValues:
        match fn := op.fn.data:
            case "cast":
                return (cast(args[0], numpy_dtype(element(op.result))),)
            case "bitcast":
                return (bitcast(args[0], numpy_dtype(element(op.result))),)
            case _:
                return (apply(op, ROWS.get(fn, fn), args[0]),)

    @impl(tiny.BinaryOp)
    def run_binary(self, interpreter: Interpreter, op: tiny.BinaryOp, args: PythonValues) -> PythonValues:
        require_joint(op, op.inputs, [x.shape for x in args])
        if tiny.only_summed(op):
            return (Product(*args),)
        return (apply(op, op.fn.data, *args),)

    @impl(tiny.ReduceOp)
    def run_reduce(self, interpreter: Interpreter, op: tiny.ReduceOp, args: PythonValues) -> PythonValues:
        x: Any = args[0]
        accum = numpy_dtype(op.accum)
        return (x.sum(op.axes(), accum) if isinstance(x, Product) else reduce(op.fn.data, x, op.axes(), accum),)
