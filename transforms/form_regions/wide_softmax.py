"""
Computes a softmax of scores in f32 that a program computes in f16 or bf16, so that `analysis/regions/attention.py` finds it:

```
%m = max_k %x in bf16                        %y = cast %x : bf16 to f32
%e = exp(%x - %m) in bf16                    %m = max_k %y
%l = Σ_k %e in bf16                   →      %e = exp(%y - %m)
%w = %e / %l in bf16                         %l = Σ_k %e
                                             %w = cast (%e / %l) : f32 to bf16
```

The scores and the weights are rounded as in the program. What is between them is not, so that the result is nearer to that of real numbers. What
is rounded relative to the maximum of a row, as the exponents are, cannot be rounded alike before the maximum is known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import BFloat16Type, Float16Type, f32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...analysis.index.info import Access
from ...analysis.regions.chained import ELEMENTWISE, depending, inner_products, product_problem, types_problem
from ...analysis.regions.contraction import Contraction, contractions_of_vectors
from ...analysis.regions.softmax import is_exponential
from ...analysis.regions.upstream import upstream
from ...dialects import tiny
from ...dialects.common.shapes import element
from ...dialects.ptir.dims import sizes, tensor_type
from ..ptir_to_tiny.writer import Writer

NARROW = Float16Type | BFloat16Type


def widen_softmaxes(function: FuncOp) -> None:
    """Computes in f32 what is between scores and the weights that a product of a function reads, if both are of 16 bits."""
    if not any(is_exponential(op) and isinstance(element(op.result), NARROW) for op in function.body.block.ops):
        return
    found = contractions_of_vectors(function)
    for weights in dict.fromkeys(side.value for c in found.values() for side in _sides(c)):
        values = _between(weights, found)
        if values:
            order = {op: k for k, op in enumerate(function.body.block.ops)}
            _widen(weights, sorted(values, key=lambda v: order[cast(Operation, v.owner)]))


def _sides(c: Contraction) -> Iterator[Access]:
    return (side for side in (c.lhs, c.rhs) if product_problem(c) is None and isinstance(element(side.value), NARROW))


def _between(weights: SSAValue, found: Mapping[SSAValue, Contraction]) -> Collection[SSAValue]:
    """
    Returns the values from the maximum of scores to the weights that are computed from them; none if a product's operand is no such weights,
    or if a product or a pad, or a value that something else reads, is between them.
    """
    through = (*ELEMENTWISE, tiny.ReduceOp)
    before = list(upstream([weights], lambda v: v in found))
    maxima = [v.owner for v in before if isinstance(v.owner, tiny.ReduceOp) and v.owner.fn.data == "max"]
    if len(maxima) != 1 or isinstance(weights.owner, tiny.ReduceOp):
        return ()
    (maximum,) = maxima
    scores = next(inner_products(maximum.input, found), None)
    values = depending(weights, maximum.result, through)
    exponentials = [v for v in values if is_exponential(v.owner) and isinstance(element(v), NARROW)]
    if scores is None or types_problem(scores) is not None or not exponentials:
        return ()
    inside = {v.owner for v in values}
    read_elsewhere = any(use.operation not in inside for v in values - {weights} for use in v.uses)
    return () if read_elsewhere or any(v in found or _pads(v) for v in values) else values


def _pads(value: SSAValue) -> bool:
    return isinstance(value.owner, tiny.MovementOp) and value.owner.kind.data == "pad"


def _widen(weights: SSAValue, values: Sequence[SSAValue]) -> None:
    """Replaces `values`, in the order of the program, by those in f32, of which the last are the weights, which are rounded."""
    wide: dict[SSAValue, SSAValue] = {}
    write = Writer(cast(Operation, weights.owner))

    def read(value: SSAValue) -> SSAValue:
        """Returns what an op reads in place of a value."""
        if value not in wide and isinstance(element(value), NARROW):
            wide[value] = write.cast(value, f32)
        return wide.get(value, value)

    for value in values:
        op = cast(Operation, value.owner)
        operands = [read(v) for v in op.operands]
        dtype = f32 if isinstance(element(value), NARROW) else element(value)
        match op:
            case tiny.UnaryOp() if op.fn.data == "cast":
                wide[value] = write.cast(operands[0], dtype)
            case tiny.UnaryOp():
                wide[value] = write.unary(op.fn.data, operands[0], dtype)
            case tiny.BinaryOp():
                wide[value] = write.binary(op.fn.data, *operands)
            case tiny.ReduceOp():
                accum = f32 if isinstance(op.accum, NARROW) else op.accum
                wide[value] = write.reduce(op.fn.data, operands[0], op.axes(), accum)
            case _:
                to = tensor_type(element(operands[0]), sizes(value))
                wide[value] = write.add(
                    tiny.MovementOp.create(operands=operands, result_types=[to], properties=op.properties)
                )
    rounded = write.cast(wide[weights], element(weights))
    Rewriter.insert_op(write.ops, InsertPoint.before(write.source))
    weights.replace_all_uses_with(rounded)
    for value in reversed(values):
        Rewriter.erase_op(cast(Operation, value.owner))
