"""
Interpreter of the `tiny` dialect: xDSL interpreter functions on NumPy arrays.

`unary` and `binary` are rows of the table in `scalars.py` (binary broadcasts right-aligned, as in NumPy), `reduce` is in
`reductions.py`, the movements are in `movement.py`. The semantics of an op do not depend on its uses: a `mul` rounds, or
wraps, in its own type.

A product that is only summed is not materialized, which avoids the M×K×N intermediate of a contraction. The values are the
same: `sum_of_products` rounds each product as the `mul` does.

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
from .movement import require_broadcastable


@dataclass(frozen=True)
class Factors:
    """
    The contraction that computes Σ lhs · rhs over axes of the broadcast product. Each factor has its shape without broadcast
    axes, and a letter for each remaining axis; `out` are the letters of the result, `sizes` its shape.
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
    """Whether all uses of a product are sums, so that it need not be materialized."""
    users = [use.operation for use in op.result.uses]
    return op.fn.data == "mul" and all(isinstance(user, tiny.ReduceOp) and user.fn.data == "sum" for user in users)


@dataclass(frozen=True)
class Product:
    """The broadcast product `lhs * rhs` in their own type, not materialized."""

    lhs: Array
    rhs: Array

    @property
    def shape(self) -> tuple[int, ...]:
        return np.broadcast_shapes(self.lhs.shape, self.rhs.shape)

    def sum(self, axes: tuple[int, ...], accum: DType) -> Array:
        """Returns the sum over `axes`, rounded once to `accum`."""
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
        require_broadcastable(op, op.inputs, [x.shape for x in args])
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
