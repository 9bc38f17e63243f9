"""Random numbers: each is a function of the seed and the index of the element (`philox.py`). Contract: *Randomness …*."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from xdsl.interpreter import Interpreter, PythonValues, impl, register_impls

from ...dialects import ptir
from ...dialects.common.shapes import element
from ..arrays.philox import fraction, words
from ..arrays.scalars import Array, DType, narrow, numpy_dtype
from ..sizes import result_shape
from ..values import ArrayFunctions, Value


def uniform(block: list[Array], dtype: DType) -> Array:
    """Returns uniformly distributed multiples of 2^-p in [0, 1), where p is the precision of `dtype` in bits."""
    info: Any = ml_dtypes.finfo  # NumPy's and ml_dtypes' own types have different stubs
    p = int(info(dtype).nmant) + 1
    return narrow(np.ldexp(fraction(block[0], block[1], p), -p), dtype)


def normal(block: list[Array]) -> Array:
    """Returns standard normal values in float64, by the Box-Muller transform."""
    a = np.ldexp(fraction(block[0], block[1], 53) + 1, -53)
    b = np.ldexp(fraction(block[2], block[3], 53), -53)
    return np.sqrt(-2 * np.log(a)) * np.cos(2 * np.pi * b)


@register_impls
class RandomFunctions(ArrayFunctions):
    def seed(self, op: ptir.RngOp, args: PythonValues) -> int:
        """Returns the seed, from the operand or the attribute."""
        if args:
            return int(args[0])
        return 0 if op.seed is None else op.seed.value.data

    def normal(self, x: Array, dtype: DType) -> Value:
        """Rounds normal values from float64 to `dtype`."""
        return narrow(x, dtype)

    def block(self, interpreter: Interpreter, op: ptir.RngOp, args: PythonValues) -> list[Array]:
        """Returns the four random words of each of the result's elements."""
        shape = result_shape(interpreter, op.result)
        block = words(op.STREAM, self.seed(op, args), int(np.prod(shape, dtype=np.int64)))
        return [word.reshape(shape) for word in block]

    @impl(ptir.RngUniformOp)
    def run_uniform(self, interpreter: Interpreter, op: ptir.RngUniformOp, args: PythonValues) -> PythonValues:
        return (self.literal(uniform(self.block(interpreter, op, args), numpy_dtype(element(op.result)))),)

    @impl(ptir.RngNormalOp)
    def run_normal(self, interpreter: Interpreter, op: ptir.RngNormalOp, args: PythonValues) -> PythonValues:
        return (self.normal(normal(self.block(interpreter, op, args)), numpy_dtype(element(op.result))),)
