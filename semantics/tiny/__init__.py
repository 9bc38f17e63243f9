"""
Interpreter of the `tiny` dialect: xDSL interpreter functions on NumPy arrays.

The functions of `unary` and `binary` are in the table of `scalars.py` (binary broadcasts right-aligned, as in NumPy), `reduce` is
in `reductions.py`, and the movements are in `movement.py`. The semantics of an op do not depend on its uses: a `mul` rounds, or
wraps, in its own type.

A product that is only summed is not materialized, which avoids the M×K×N intermediate of a contraction. The sum is the same,
because `sum_of_products` rounds each product as the `mul` does.

Spec: `tensor-compiler.ja §1.2, §1.3`; dtype rules as in `ptir-backend-contract.md`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.interpreter import Interpreter, PythonValues, impl, register_impls

from ...dialects import tiny
from ...dialects.common.shapes import element
from ..arrays import strict
from ..arrays.reductions import total
from ..arrays.scalars import DType, numpy_dtype
from ..errors import violation
from ..ptir.contraction import LETTERS
from ..values import ROWS, ArrayFunctions, Value
from .movement import require_broadcastable


@dataclass(frozen=True)
class Factors:
    """
    The contraction that computes Σ lhs · rhs over axes of the broadcast product. `shapes` are those of the factors without
    broadcast axes, and `letters` name their remaining axes. `out` are the letters of the result, `sizes` its shape.
    """

    shapes: tuple[tuple[int, ...], tuple[int, ...]]
    letters: tuple[str, str]
    out: str
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, lhs: tuple[int, ...], rhs: tuple[int, ...], axes: tuple[int, ...]) -> Factors:
        sizes = np.broadcast_shapes(lhs, rhs)

        def own_axes(factor: tuple[int, ...]) -> tuple[tuple[int, ...], str]:
            offset = len(sizes) - len(factor)
            kept = [i for i, size in enumerate(factor) if size == sizes[i + offset] != 1]
            return tuple(factor[i] for i in kept), "".join(LETTERS[i + offset] for i in kept)

        (left, lhs_letters), (right, rhs_letters) = own_axes(lhs), own_axes(rhs)
        kept = [a for a in range(len(sizes)) if a not in axes]
        out = "".join(LETTERS[a] for a in kept if LETTERS[a] in lhs_letters + rhs_letters)
        return cls((left, right), (lhs_letters, rhs_letters), out, tuple(sizes[a] for a in kept))


def is_only_summed(op: tiny.BinaryOp) -> bool:
    """Whether all uses of a product are sums, so that it need not be materialized."""
    users = [use.operation for use in op.result.uses]
    return tiny.is_product(op) and all(isinstance(user, tiny.ReduceOp) and user.fn.data == "sum" for user in users)


@dataclass(frozen=True)
class Product:
    """The broadcast product `lhs * rhs`, in the operands' type, that is not materialized."""

    op: tiny.BinaryOp
    lhs: Value
    rhs: Value

    @property
    def shape(self) -> tuple[int, ...]:
        return np.broadcast_shapes(self.lhs.shape, self.rhs.shape)


@register_impls
class TinyFunctions(ArrayFunctions):
    """Interpreter functions of the ops that compute."""

    def require(self, op: tiny.BinaryOp, holds: Value) -> None:
        """Raises the violation of a check unless its predicate holds everywhere."""
        if op.failure is not None and not np.all(holds):
            raise violation(op.failure, op)

    def total(self, x: Value, axes: tuple[int, ...], accum: DType) -> Value:
        """Returns the sum of `x` over `axes`, rounded once to `accum`. The elements are not cast."""
        if self.strict and strict.is_strict("sum", accum):
            return strict.reduce("sum", x, axes, accum)
        return total(x, axes, accum)

    def sum_product(self, op: tiny.ReduceOp, x: Product) -> Value:
        """Returns the sum of a product, rounded once to the accumulator type."""
        if self.strict and x.lhs.dtype == numpy_dtype(op.accum):  # the product is rounded before it is added
            return self.total(self.apply(x.op, "mul", x.lhs, x.rhs), op.axes(), x.lhs.dtype)
        f = Factors.of(x.lhs.shape, x.rhs.shape, op.axes())
        lhs, rhs = (
            self.move(lambda v, sizes=sizes: v.reshape(sizes), factor)
            for factor, sizes in zip((x.lhs, x.rhs), f.shapes, strict=True)
        )
        out = self.contract(op, lhs, rhs, (*f.letters, f.out), product=lhs.dtype)
        return self.move(lambda v: v.reshape(f.sizes), out)

    @impl(tiny.UnaryOp)
    def run_unary(self, interpreter: Interpreter, op: tiny.UnaryOp, args: PythonValues) -> PythonValues:
        (x,) = args
        match fn := op.fn.data:
            case "cast":
                return (self.convert(op, x),)
            case "bitcast":
                return (self.bits(op, x, element(op.result)),)
            case _:
                return (self.apply(op, ROWS.get(fn, fn), x),)

    @impl(tiny.BinaryOp)
    def run_binary(self, interpreter: Interpreter, op: tiny.BinaryOp, args: PythonValues) -> PythonValues:
        require_broadcastable(op, op.inputs, [x.shape for x in args])
        if is_only_summed(op):
            return (Product(op, *args),)
        if op.fn.data in tiny.CHECKS:
            holds, x = args
            self.require(op, holds)
            whole = np.broadcast_shapes(holds.shape, x.shape)
            return (self.move(lambda v: np.broadcast_to(v, whole).copy(), x),)
        return (self.apply(op, op.fn.data, *args),)

    @impl(tiny.ReduceOp)
    def run_reduce(self, interpreter: Interpreter, op: tiny.ReduceOp, args: PythonValues) -> PythonValues:
        (x,) = args
        if isinstance(x, Product):
            return (self.sum_product(op, x),)
        if op.fn.data == "sum":
            return (self.total(x, op.axes(), numpy_dtype(op.accum)),)
        return (self.reduce(op.fn.data, x, op.axes(), element(op.input), op.accum),)
