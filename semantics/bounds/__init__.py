"""
How far a machine may stray: a function executed on intervals.

`bounds(module, name, *arrays)` gives, for each result element, the interval that a correct implementation stays in,
whatever the schedule; `check(result, interval)` says whether it did. Inputs are exact; errors
arise op by op (`intervals.py` has the roundings) and propagate. The ops of the levels below `ptir` are in `tiny.py` and
`lower.py`: a function that begins its life there has no other. A sum of K products is off by at most

    4 · √K · u · Σ|a|·|b|,    u = the accumulator's epsilon (2⁻²³ for f32, 2⁻⁵² for f64)

which is a probabilistic bound: random roundings grow as √K, with four standard deviations
to spare (Higham and Mary, *A new approach to probabilistic rounding error analysis*, 2019). The worst case, with K in
place of √K, would let real errors pass. DESIGN §6, item 2. Products of fp8 may besides be summed by tensor cores that
keep fewer bits, `sums.py` says how many.

Tight bounds have no width where no machine, in whatever order it adds, has anything to round (DESIGN §6: integer-valued
inputs whose partial sums stay below 2²⁴ come out bit-equal).

What it does not know: correlation (`x - x` has twice the width of `x`), and integers that may overflow on uncertain
inputs, which become the whole range of their type.
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
"""What surrounds the ops that compute: indices are numbers here as well."""
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
"""The ops that compute, of all levels."""


def bounds(module: ModuleOp, name: str, *arrays: Array, tight: bool = False) -> tuple[Interval, ...]:
    """The intervals that the results of function `name` on `arrays` lie in."""
    check_arguments(find_function(module, name), arrays)
    return bounds_of(module, name, *map(Interval.of, arrays), tight=tight)


def bounds_of(module: ModuleOp, name: str, *values: Interval, tight: bool = False) -> tuple[Interval, ...]:
    """The same for inputs that are uncertain themselves. Memrefs among them are written in place."""
    run = interpreter(module, CONTROL)
    for functions in FAMILIES:
        run.register_implementations(functions(tight))
    with np.errstate(all="ignore"):
        return call_on(run, module, name, values)
