"""
The meaning of the `tiny` dialect, executable: xDSL interpreter functions on NumPy arrays.

`unary` and `binary` are the table in `scalars.py` (binary broadcasts right-aligned, as NumPy does), `reduce` is
`reductions.py`, the movements are in `movement.py`. An op means the same whatever uses it: a `mul` rounds, or
wraps, in its own type.

A product that is only summed is not multiplied out, which spares the M×K×N intermediate of a contraction and changes no
value: `sum_of_products` rounds each product as the `mul` does.

Spec: `tensor-compiler.ja §1.2, §1.3`; dtype rules as in `ptir-backend-contract.md`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls

from ...dialects import tiny
from ...dialects.common.shapes import element
from ..arrays.bits import bitcast
from ..arrays.contraction import sum_of_products
from ..arrays.reductions import reduce, total
from ..arrays.scalars import Array, DType, cast, numpy_dtype
from ..ptir.contraction import LETTERS
from ..ptir.elementwise import apply
from ..rows import ROWS
from .movement import require_joint


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


def is_only_summed(op: tiny.BinaryOp) -> bool:
    """Whether nothing but sums reads a product, so that it need not be multiplied out."""
    users = [use.operation for use in op.result.uses]
    return op.fn.data == "mul" and all(isinstance(user, tiny.ReduceOp) and user.fn.data == "sum" for user in users)


@dataclass(frozen=True)
class Product:
    """`lhs * rhs` in their own type, broadcast, not yet multiplied out."""

    lhs: Array
    rhs: Array

    @property
    def shape(self) -> tuple[int, ...]:
        return np.broadcast_shapes(self.lhs.shape, self.rhs.shape)

    def sum(self, axes: tuple[int, ...], accum: DType) -> Array:
        """The sum over `axes`, rounded once to `accum`."""
        f = Factors.of(self.lhs.shape, self.rhs.shape, axes)
        lhs, rhs = (x.reshape(s) for x, s in zip((self.lhs, self.rhs), f.shapes, strict=True))
        left, right = f.letters
        return sum_of_products(lhs, left, rhs, right, f.out, product=lhs.dtype, accum=accum).reshape(f.sizes)


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
        if is_only_summed(op):
            return (Product(*args),)
        return (apply(op, op.fn.data, *args),)

    @impl(tiny.ReduceOp)
    def run_reduce(self, interpreter: Interpreter, op: tiny.ReduceOp, args: PythonValues) -> PythonValues:
        x: Array | Product = args[0]
        axes, accum = op.axes(), numpy_dtype(op.accum)
        if isinstance(x, Product):
            return (x.sum(axes, accum),)
        return (total(x, axes, accum) if op.fn.data == "sum" else reduce(op.fn.data, x, axes, accum),)
