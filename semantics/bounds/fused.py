"""Error bounds of layer normalization and random numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from xdsl.interpreter import PythonValues

from ...dialects import ptir
from ..arrays.scalars import Array, DType
from ..errors import NoBounds
from ..ptir.normalization import NormalizationFunctions
from ..ptir.random import RandomFunctions
from .intervals import Interval
from .operations import IntervalFunctions

COSINE_ERROR = 2.0**-46
"""Upper bound on the absolute error of normal values in float64. Near zeros of the cosine, it stems from the cosine's argument."""


class NormalizationBounds(IntervalFunctions, NormalizationFunctions):
    """Layer normalization of intervals."""

    def nonnegative(self, x: Interval) -> Interval:
        return replace(x, lo=np.maximum(x.lo, 0.0))


class RandomBounds(IntervalFunctions, RandomFunctions):
    """Random numbers from a seed that is certain."""

    def seed(self, op: ptir.RngOp, args: PythonValues) -> int:
        if args and args[0].known is None:
            raise NoBounds(op, what=f"{op.name} from a seed that is not certain")
        return super().seed(op, tuple(seed.known for seed in args))

    def normal(self, x: Array, dtype: DType) -> Interval:
        out = Interval(x - COSINE_ERROR, x + COSINE_ERROR, np.zeros(x.shape, bool), dtype)
        return out.rounded(18.0 if dtype == np.float64 else 1.0)
