"""
Error bounds: a function executed on intervals.

`bounds(module, name, *arrays)` returns, for each result element, the interval of a correct implementation under any
schedule; `check(result, interval)` tests a result. Inputs are exact. Errors arise op by op (`intervals.py` has the
roundings) and propagate. The ops of the levels below `ptir` are in `tiny.py` and `lower.py`. The error of a sum of K
products is at most

    4 · √K · u · Σ|a|·|b|,    u = the accumulator's epsilon (2⁻²³ for f32, 2⁻⁵² for f64)

which is a probabilistic bound: random roundings grow as √K, with a margin of four standard deviations (Higham and Mary, *A
new approach to probabilistic rounding error analysis*, 2019). The worst case, with K in place of √K, would hide actual
errors. DESIGN §6, item 2. Tensor cores may accumulate products of fp8 with fewer bits, see `sums.py`.

Tight bounds have zero width where no order of additions rounds (DESIGN §6: integer-valued
inputs whose partial sums stay below 2²⁴ come out bit-equal).

The bounds ignore correlation (`x - x` has twice the width of `x`). Integers that may overflow on uncertain inputs become
the whole range of their type.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from ..arrays.scalars import Array
from ..interpreter import call_on, check_arguments, find_function, interpreter
from .elementwise import ElementwiseBounds
from .fused import FusedBounds
from .indexing import IndexingBounds, MovementBounds
from .intervals import Interval
from .lower import MemRefBounds, PtoBounds, RegionBounds
from .operations import IntervalFunctions
from .quantization import QuantizationBounds
from .reductions import ReductionBounds
from .report import Report as Report
from .report import check as check
from .tiny import TinyBounds, TinyMovementBounds
from .windows import WindowBounds

CONTROL = (
    "xdsl.interpreters.func:FuncFunctions",
    "ptir.semantics.ptir.dims:DimFunctions",
    "ptir.semantics.bounds.control:ControlBounds",
    "ptir.semantics.ptir.composite:CompositeFunctions",
    "xdsl.interpreters.scf:ScfFunctions",
    "xdsl.interpreters.arith:ArithFunctions",
)
"""The interpreter functions of control flow, whose indices are numbers as elsewhere."""
FAMILIES: tuple[type[IntervalFunctions], ...] = (
    ElementwiseBounds,
    ReductionBounds,
    QuantizationBounds,
    MovementBounds,
    IndexingBounds,
    WindowBounds,
    FusedBounds,
    TinyBounds,
    TinyMovementBounds,
    RegionBounds,
    PtoBounds,
    MemRefBounds,
)
"""The computing ops of all levels."""


def bounds(module: ModuleOp, name: str, *arrays: Array, tight: bool = False) -> tuple[Interval, ...]:
    """Returns the intervals of the results of function `name` on `arrays`."""
    check_arguments(find_function(module, name), arrays)
    return bounds_of(module, name, *map(Interval.of, arrays), tight=tight)


def bounds_of(module: ModuleOp, name: str, *values: Interval, tight: bool = False) -> tuple[Interval, ...]:
    """Returns the intervals of the results on uncertain inputs. Memrefs among them are written in place."""
    run = interpreter(module, CONTROL)
    for functions in FAMILIES:
        run.register_implementations(functions(tight))
    with np.errstate(all="ignore"):
        return call_on(run, module, name, values)
