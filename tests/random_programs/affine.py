"""
Options of random affine programs: their ops with weights, sizes and element types.

An op is affine if the indices of the elements that it reads are affine in the index of the result's element: movements,
reductions and contractions, and elementwise functions between them. Reads at indices given by data are affine but for some indices.
Sizes are such that kernels have tails.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from xdsl.ir import SSAValue

from ptir.dialects import ptir

from .dtypes import FLOATS, PREDICATE
from .generator import Options
from .maker import Maker
from .rows import elementwise
from .rows.row import Row, Table
from .rows.table import ROWS as ALL_ROWS

SIGNED, UNSIGNED = (tuple(f"{sign}{width}" for width in (4, 8, 16, 32, 64)) for sign in ("si", "ui"))


def normalize(m: Maker) -> None:
    """Adds a layer norm, or a softmax over one or several axes: chains of reductions that depend on each other."""
    if m.rng.random() < 0.3:
        ALL_ROWS["ptir.layer_norm"].build(m)
        return
    x = m.any_of(FLOATS, rank=range(1, 6))
    shape, rank = m.actual(x), len(m.actual(x))
    axes = m.rng.sample(range(rank), m.rng.randint(1, rank))

    def reduced(kind: str, value: SSAValue) -> SSAValue:
        (value,) = m.emit(ptir.ReduceOp(kind, value, axes, keepdims=True))
        return m.emit(ptir.BroadcastToOp(value, shape))[0]

    (x,) = m.emit(ptir.SubOp(x, reduced(m.rng.choice(("max", "sum")), x)))
    (x,) = m.emit(m.rng.choice((ptir.ExpOp, ptir.AbsOp))(x))
    m.emit(ptir.DivOp(x, reduced("sum", x)))


def weighted(weight: float, names: Iterable[str]) -> Table:
    return {name: replace(ALL_ROWS[name], weight=weight) for name in names}


LOGIC = ("and", "or", "xor", "shift_left", "shift_right_arithmetic", "shift_right_logical")
ROWS: Table = {
    **weighted(1, elementwise.UNARY),
    **weighted(1, (f"ptir.{n}" for n in ("maximum", "minimum", "clamp", "pow", "is_finite", "bitcast", *LOGIC))),
    **weighted(4, (f"ptir.{n}" for n in ("add", "sub", "mul", "select", "compare", "cast"))),
    **weighted(5, (f"ptir.{n}" for n in ("reshape", "transpose", "broadcast_to", "slice", "concat", "pad", "tile"))),
    **weighted(2, (f"ptir.{n}" for n in ("iota", "reduce_window", "extract_patches", "convolution", "argmax"))),
    **weighted(2, (f"ptir.{n}" for n in ("take", "gather", "dynamic_slice", "dynamic_update_slice"))),
    **weighted(10, ("ptir.reduce", "ptir.dot_general")),
    "ptir.div": elementwise.binary(ptir.DivOp, FLOATS),
    "ptir.remainder": elementwise.binary(ptir.RemainderOp, FLOATS),
    "ptir.layer_norm": Row(normalize, FLOATS, 6),
}
OPTIONS = Options(
    dtypes=(*FLOATS, *SIGNED, *UNSIGNED, *PREDICATE),
    closed=True,
    float8=0.25,
    dynamic=0,
    functions=1,
    reuse=0.9,
    length=(4, 16),
    max_elements=4000,
    extents=(1, 2, 3, 5, 7, 8, 16, 17, 33, 64, 65),
    more_extents=(1, 2, 3, 8, 16, 17, 33, 65),
    max_literal=20,
    results=3,
)
SMALL = replace(OPTIONS, max_elements=200, length=(3, 7))
"""Options for `make test`: smaller and shorter programs."""
