"""
Error bounds: the interpreters, executed on intervals.

`bounds(module, name, *arrays)` returns, for each element of the results, the interval that contains the value of every correct
implementation under any schedule; `check(result, interval)` tests a result. Inputs are exact. Each op adds its rounding error
(`intervals.py`) and propagates those of its operands. The interpreter functions are those for arrays, with primitives for
intervals (`operations.py`). The error of a sum of K products is at most

    4 · √K · u · Σ|a|·|b|,    u = the accumulator's epsilon (2⁻²³ for f32, 2⁻⁵² for f64)

which is a probabilistic bound: the error of random roundings grows as √K, and 4 is a margin of four standard deviations (Higham
and Mary, *A new approach to probabilistic rounding error analysis*, 2019). The worst case, with K in place of √K, would hide
actual errors. DESIGN §6, item 2. Tensor cores may accumulate products of fp8 with fewer bits, see `sums.py`.

Weights of a softmax that are rounded for a contraction may be rounded before the row's sum divides them, see `weights.py`.

Tight bounds have zero width where no order of additions rounds: integer-valued inputs whose partial sums stay below 2²⁴ must
come out bit-equal (DESIGN §6).

The bounds ignore correlation (`x - x` has twice the width of `x`). Integers that may overflow on uncertain inputs get the
whole range of their type.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from ...dialects.ptir.packed import SIGNATURE
from ..arrays.scalars import Array
from ..errors import NoBounds
from ..interpreter import call_on, check_arguments, find_function, interpreter
from ..ptir.contraction import ContractionFunctions
from ..ptir.control import ControlFunctions
from ..ptir.elementwise import ElementwiseFunctions
from ..ptir.movement import MovementFunctions
from ..region import RegionFunctions
from ..tiny.movement import TinyMovement
from .fused import NormalizationBounds, RandomBounds
from .indexing import IndexingBounds
from .intervals import Interval
from .lower import MemRefBounds, PtoBounds
from .operations import IntervalFunctions
from .quantization import QuantizationBounds
from .reductions import ReductionBounds
from .report import Report as Report
from .report import check as check
from .tiny import TinyBounds
from .windows import WindowBounds

CONTROL = (
    "xdsl.interpreters.func:FuncFunctions",
    "xdsl.interpreters.scf:ScfFunctions",
    "xdsl.interpreters.arith:ArithFunctions",
    "ptir.semantics.indices:IndexFunctions",
)
"""Interpreter functions that need no intervals: control flow, and arithmetic on indices."""


class ElementwiseBounds(IntervalFunctions, ElementwiseFunctions):
    """Elementwise ops on intervals."""


class ContractionBounds(IntervalFunctions, ContractionFunctions):
    """Contractions of intervals."""


class MovementBounds(IntervalFunctions, MovementFunctions):
    """Movements, which are applied to each array of an interval."""


class TinyMovementBounds(IntervalFunctions, TinyMovement):
    """Movements of `tiny`, its constants and `iota`."""


class RegionBounds(IntervalFunctions, RegionFunctions):
    """Kernel launches on memrefs that are intervals."""


class ControlBounds(IntervalFunctions, ControlFunctions):
    """Control flow. Predicates must be certain; then regions run as on arrays."""


FAMILIES: tuple[type[IntervalFunctions], ...] = (
    ElementwiseBounds,
    ContractionBounds,
    ReductionBounds,
    QuantizationBounds,
    MovementBounds,
    IndexingBounds,
    WindowBounds,
    NormalizationBounds,
    RandomBounds,
    ControlBounds,
    TinyBounds,
    TinyMovementBounds,
    RegionBounds,
    PtoBounds,
    MemRefBounds,
)
"""Classes of interpreter functions on intervals, for the ops of all levels above `nv`."""


def bounds(module: ModuleOp, name: str, *arrays: Array, tight: bool = False) -> tuple[Interval, ...]:
    """
    Returns the intervals of the results of function `name` on exact `arrays`. Raises `NoBounds` at an op without a bound,
    `NoSuchFunction` and `ArgumentMismatch`.
    """
    check_arguments(find_function(module, name), arrays)
    return bounds_of(module, name, *map(Interval.of, arrays), tight=tight)


def bounds_of(module: ModuleOp, name: str, *values: Interval, tight: bool = False) -> tuple[Interval, ...]:
    """Like `bounds`, on intervals as inputs. Memrefs among them are written in place."""
    if SIGNATURE in (function := find_function(module, name)).attributes:
        raise NoBounds(function, what="a function that takes 4-bit integers packed")
    run = interpreter(module, CONTROL)
    for functions in FAMILIES:
        run.register_implementations(functions(tight))
    with np.errstate(all="ignore"):
        return call_on(run, module, name, values)
