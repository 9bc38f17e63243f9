"""
Contractions: products are exact, their sum is computed one type wider than the accumulator, and the sum is rounded once to the
accumulator type and once to the result type.

Products have the type that `product_type` returns, so that `ptir-to-tiny` can express them: products of bf16 beyond the
range of f32 are infinite, and products of f64 round, since no type holds them.

This implements the contract's "accumulate in accum_dtype" up to the order of rounding. The contract does not specify the
order of the sum, and the result of each order is near this value. float64 has 29 more bits than f32, so that its own error is
below one f32 ulp up to K ≈ 2²⁸. Sums for f64 use the platform's long double, which has 11 more bits on x86. Integers are exact
modulo 2^w in any order.

Contract: *Linear algebra*.
"""

from __future__ import annotations

from xdsl.interpreter import Interpreter, PythonValues, impl, register_impls

from ...dialects import ptir
from ...dialects.common.shapes import element, product_type, shape_text
from ..arrays.scalars import DType, numpy_dtype
from ..errors import SizeMismatch
from ..sizes import MAX_RANK
from ..values import ArrayFunctions

LETTERS = "".join(map(chr, range(ord("a"), ord("a") + 2 * MAX_RANK)))
"""Enough letters for all axes of two operands."""


def dot_axes(op: ptir.DotGeneralOp) -> tuple[str, str, str]:
    """Returns the letters that `contract` expects for the axes of lhs, rhs and the result."""
    batch_lhs, batch_rhs, contract_lhs, contract_rhs = op.axes()
    free_lhs, free_rhs = op.free_axes()
    letters = iter(LETTERS)
    lhs = {a: next(letters) for a in (*batch_lhs, *free_lhs, *contract_lhs)}
    rhs = {b: lhs[a] for a, b in zip(batch_lhs + contract_lhs, batch_rhs + contract_rhs, strict=True)}
    rhs |= {b: next(letters) for b in free_rhs}
    out = [*(lhs[a] for a in batch_lhs + free_lhs), *(rhs[b] for b in free_rhs)]
    return "".join(lhs[a] for a in sorted(lhs)), "".join(rhs[b] for b in sorted(rhs)), "".join(out)


def product_dtype(op: ptir.DotGeneralOp | ptir.ConvolutionOp) -> DType:
    """Returns the type of the products. If no integer type holds them, they wrap in the accumulator type."""
    lhs, rhs = (element(operand) for operand in op.operands)
    precision = None if op.precision is None else op.precision.data
    return numpy_dtype(product_type(lhs, rhs, op.accum, precision) or op.accum)


def require_pairs(op: ptir.DotGeneralOp, lhs: tuple[int, ...], rhs: tuple[int, ...]) -> None:
    """Raises `SizeMismatch` unless batch axes, and contracted axes, have equal sizes: verifiers check static sizes only."""
    batch_lhs, batch_rhs, contract_lhs, contract_rhs = op.axes()
    for what, left, right in (("batch", batch_lhs, batch_rhs), ("contract", contract_lhs, contract_rhs)):
        want, got = [lhs[a] for a in left], [rhs[b] for b in right]
        if got != want:
            raise SizeMismatch(
                op, what=f"rhs along its {what} axes", got=shape_text(got), want=f"{shape_text(want)} as in lhs"
            )


@register_impls
class ContractionFunctions(ArrayFunctions):
    @impl(ptir.DotGeneralOp)
    def run_dot_general(self, interpreter: Interpreter, op: ptir.DotGeneralOp, args: PythonValues) -> PythonValues:
        lhs, rhs = args
        require_pairs(op, lhs.shape, rhs.shape)
        if op.precision is not None:
            lhs, rhs = (self.apply(op, op.precision.data, x) for x in (lhs, rhs))
        total = self.contract(op, lhs, rhs, dot_axes(op), product=product_dtype(op))
        return (self.cast(total, op.accum, element(op.result)),)
