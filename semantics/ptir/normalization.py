"""Layer normalization, step by step as in the documentation of `ptir.layer_norm`. Contract: *Fused and convenience ops*."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls

from ...dialects import ptir
from ...dialects.common.shapes import element
from ..arrays.reductions import reduce
from ..arrays.scalars import FUNCTIONS, Array, cast, numpy_dtype
from ..errors import SizeMismatch


def require_features(op: ptir.LayerNormOp, x: tuple[int, ...], gamma: tuple[int, ...]) -> None:
    """Checks sizes that are not known statically."""
    if gamma[0] != x[op.axis]:
        raise SizeMismatch(op, what="gamma", got=gamma[0], want=f"{x[op.axis]}, as axis {op.axis} of the input")


def feature_shape(op: ptir.LayerNormOp, rank: int) -> tuple[int, ...]:
    """Returns the shape in which gamma and beta broadcast to the input: -1 at the feature axis, 1 elsewhere."""
    return tuple(-1 if axis == op.axis else 1 for axis in range(rank))


@register_impls
class NormalizationFunctions(InterpreterFunctions):
    """Values are arrays of the op's element type and shape."""

    @impl(ptir.LayerNormOp)
    def run_layer_norm(self, interpreter: Interpreter, op: ptir.LayerNormOp, args: PythonValues) -> PythonValues:
        x, gamma, beta = args
        require_features(op, x.shape, gamma.shape)
        accum, shape = numpy_dtype(op.accum), feature_shape(op, x.ndim)

        def mean(v: Array) -> Array:
            total = np.expand_dims(reduce("sum", v, (op.axis,), accum), op.axis)
            return FUNCTIONS["div"](total, cast(np.array(float(x.shape[op.axis])), accum))

        v, gamma, beta = (cast(a, accum) for a in (x, gamma.reshape(shape), beta.reshape(shape)))
        d = FUNCTIONS["sub"](v, mean(v))
        variance = mean(FUNCTIONS["mul"](d, d))
        epsilon = cast(np.array(op.epsilon.value.data), accum)
        y = FUNCTIONS["mul"](d, FUNCTIONS["rsqrt"](FUNCTIONS["add"](variance, epsilon)))
        out = FUNCTIONS["add"](FUNCTIONS["mul"](y, gamma), beta)
        return (cast(out, numpy_dtype(element(op.result))),)
