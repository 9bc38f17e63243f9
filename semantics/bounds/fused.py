"""Error bounds of layer normalization and random numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from xdsl.interpreter import Interpreter, PythonValues, impl, register_impls

from ...dialects import ptir
from ...dialects.common.shapes import element
from ..arrays.philox import words
from ..arrays.scalars import cast, numpy_dtype
from ..errors import NoBounds
from ..ptir.dims import result_shape
from ..ptir.normalization import feature_shape, require_features
from ..ptir.random import normal, seed_of, uniform
from .casts import cast_interval
from .intervals import Interval
from .operations import IntervalFunctions, elementwise, reduction

COSINE_ERROR = 2.0**-46
"""An upper bound of float64's own error near the zeros of the cosine, which is that of its argument."""


@register_impls
class FusedBounds(IntervalFunctions):
    """Values are `Interval`s."""

    @impl(ptir.LayerNormOp)
    def run_layer_norm(self, interpreter: Interpreter, op: ptir.LayerNormOp, args: PythonValues) -> PythonValues:
        x, gamma, beta = args
        require_features(op, x.shape, gamma.shape)
        dtype, accum, shape = element(op.input), numpy_dtype(op.accum), feature_shape(op, len(x.shape))

        def compute(name: str, *operands: Interval) -> Interval:
            return elementwise(op, name, *operands, tight=self.tight)

        def number(value: float) -> Interval:
            return Interval.of(cast(np.array(value), accum))

        def mean(v: Interval, least: float = -np.inf) -> Interval:
            """Returns the mean, whose sum is at least `least`: intervals do not show that a square is not negative."""
            total = reduction("sum", v, (op.axis,), accum, tight=self.tight)
            total = replace(total, lo=np.maximum(total.lo, least)).move(lambda s: np.expand_dims(s, op.axis))
            return compute("div", total, number(x.shape[op.axis]))

        def feature(f: Interval) -> Interval:
            return cast_interval(f.move(lambda v: v.reshape(shape)), dtype, op.accum)

        v = cast_interval(x, dtype, op.accum)
        d = compute("sub", v, mean(v))
        variance = mean(compute("mul", d, d), 0.0)
        y = compute("mul", d, compute("rsqrt", compute("add", variance, number(op.epsilon.value.data))))
        out = compute("add", compute("mul", y, feature(gamma)), feature(beta))
        return (cast_interval(out, op.accum, dtype),)

    @impl(ptir.RngUniformOp)
    def run_uniform(self, interpreter: Interpreter, op: ptir.RngUniformOp, args: PythonValues) -> PythonValues:
        shape = result_shape(interpreter, op.result)
        block = words(op.STREAM, self._seed(op, args), int(np.prod(shape, dtype=np.int64)))
        return (Interval.of(uniform(block, numpy_dtype(element(op.result))).reshape(shape)),)

    @impl(ptir.RngNormalOp)
    def run_normal(self, interpreter: Interpreter, op: ptir.RngNormalOp, args: PythonValues) -> PythonValues:
        shape, dtype = result_shape(interpreter, op.result), numpy_dtype(element(op.result))
        block = words(op.STREAM, self._seed(op, args), int(np.prod(shape, dtype=np.int64)))
        z = normal(block).reshape(shape)
        out = Interval(z - COSINE_ERROR, z + COSINE_ERROR, np.zeros(shape, bool), dtype)
        return (out.rounded(18.0 if dtype == np.float64 else 1.0),)

    def _seed(self, op: ptir.RngOp, args: PythonValues) -> int:
        if args and args[0].known is None:
            raise NoBounds(op, what=f"{op.name} from a seed that is not certain")
        return seed_of(op, tuple(seed.known for seed in args))

    @impl(ptir.CustomCallOp)
    def run_custom_call(self, interpreter: Interpreter, op: ptir.CustomCallOp, args: PythonValues) -> PythonValues:
        raise NoBounds(op, what=f"the custom call '{op.target.data}'")
