"""Layer normalization, step by step as in the documentation of `ptir.layer_norm`. Contract: *Fused and convenience ops*."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import Interpreter, PythonValues, impl, register_impls

from ...dialects import ptir
from ...dialects.common.shapes import element
from ..arrays.scalars import Array, cast, numpy_dtype
from ..errors import SizeMismatch
from ..values import ArrayFunctions, Value


def require_features(op: ptir.LayerNormOp, x: tuple[int, ...], gamma: tuple[int, ...]) -> None:
    """Raises `SizeMismatch` unless `gamma` has the size of the normalized axis: verifiers check static sizes only."""
    if gamma[0] != x[op.axis()]:
        raise SizeMismatch(op, what="gamma", got=gamma[0], want=f"{x[op.axis()]}, as axis {op.axis()} of the input")


@register_impls
class NormalizationFunctions(ArrayFunctions):
    def nonnegative(self, x: Value) -> Value:
        """Returns `x`, a sum of squares. The intervals of `bounds/` may extend below 0 and are clipped here."""
        return x

    @impl(ptir.LayerNormOp)
    def run_layer_norm(self, interpreter: Interpreter, op: ptir.LayerNormOp, args: PythonValues) -> PythonValues:
        x, gamma, beta = args
        require_features(op, x.shape, gamma.shape)
        dtype, features = element(op.input), [-1 if axis == op.axis() else 1 for axis in range(len(x.shape))]

        def compute(name: str, *operands: Value) -> Value:
            return self.apply(op, name, *operands)

        def number(value: float) -> Value:
            return self.literal(cast(np.array(value), numpy_dtype(op.accum)))

        def total(v: Value) -> Value:
            folded = self.reduce("sum", v, (op.axis(),), op.accum, op.accum)
            return self.move(lambda s: np.expand_dims(s, op.axis()), folded)

        def feature(f: Array) -> Value:
            return self.cast(self.move(lambda v: v.reshape(features), f), dtype, op.accum)

        v, count = self.cast(x, dtype, op.accum), number(float(x.shape[op.axis()]))
        d = compute("sub", v, compute("div", total(v), count))
        variance = compute("div", self.nonnegative(total(compute("mul", d, d))), count)
        y = compute("mul", d, compute("rsqrt", compute("add", variance, number(op.epsilon.value.data))))
        out = compute("add", compute("mul", y, feature(gamma)), feature(beta))
        return (self.cast(out, op.accum, dtype),)
