"""Rows of elementwise ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects.builtin import i1

from ptir.dialects import ptir, tiny
from ptir.dialects.ptir.base import Extension
from ptir.dialects.ptir.dims import sizes, tensor_type

from ..dtypes import (
    ALL,
    ATTRIBUTES,
    COMPLEX,
    FLOATS,
    INTEGERS,
    NUMBERS,
    NUMPY,
    ORDERED,
    PREDICATE,
    integer_range,
    spelling,
)
from ..maker import Maker, NothingFits
from .row import Row, Table


def unary(op: Callable[..., Any], *dtypes: tuple[str, ...], extension: bool = False) -> Row:
    def build(m: Maker) -> None:
        x = m.any_of(*dtypes)
        m.emit(op(x), m.actual(x))

    return Row(build, tuple(d for group in dtypes for d in group), extension=extension)


def binary(op: Callable[..., Any], *dtypes: tuple[str, ...], extension: bool = False) -> Row:
    def build(m: Maker) -> None:
        x = m.any_of(*dtypes)
        m.emit(op(x, m.like(x)), m.actual(x))

    return Row(build, tuple(d for group in dtypes for d in group), extension=extension)


def dividing(op: Callable[..., Any], *dtypes: tuple[str, ...], extension: bool = False) -> Row:
    """Returns the row of a division. Integer divisors must not be 0: they are literals, or their zeros are replaced by ones."""

    def build(m: Maker) -> None:
        x = m.any_of(*dtypes)
        dtype = spelling(x.type.element_type)  # pyright: ignore
        y = m.like(x)
        if dtype in INTEGERS and not m.loose():
            if not m.is_static(x):
                raise NothingFits
            shape, (low, high) = m.actual(x), integer_range(dtype)
            if m.rng.random() < 0.3 and m.options.allows("ptir.select") and m.options.allows("ptir.compare"):
                (is_zero,) = m.emit(ptir.CompareOp("eq", y, m.splat(dtype, 0, shape)), shape)
                (y,) = m.emit(ptir.SelectOp(is_zero, m.splat(dtype, 1, shape), y), shape)
            else:
                draw = np.random.default_rng(m.rng.getrandbits(32))
                whole = draw.integers(low, high, shape, np.uint64 if low == 0 else np.int64, endpoint=True)
                near = draw.integers(max(low, -3), 4, shape).astype(whole.dtype)
                divisor = np.where(draw.integers(0, 2, shape) == 0, near, whole)
                y = m.constant(dtype, np.where(divisor == 0, 1, divisor).astype(whole.dtype))
        m.emit(op(x, y), m.actual(x))

    return Row(build, tuple(d for group in dtypes for d in group), extension=extension)


def compare(m: Maker) -> None:
    x = m.any_of(ALL)
    dtype = spelling(x.type.element_type)  # pyright: ignore
    kinds = ("eq", "ne") if dtype in COMPLEX else ptir.COMPARISONS
    m.emit(ptir.CompareOp(m.rng.choice(kinds), x, m.like(x)), m.actual(x))


def select(m: Maker) -> None:
    x = m.any_of(ALL)
    pred = m.of_type(tensor_type(i1, sizes(x)), m.actual(x))
    m.emit(ptir.SelectOp(pred, x, m.like(x)), m.actual(x))


def clamp(m: Maker) -> None:
    x = m.any_of(ORDERED)
    m.emit(ptir.ClampOp(x, m.like(x), m.like(x)), m.actual(x))


def cast(m: Maker) -> None:
    x = m.any_of(ALL)
    source = spelling(x.type.element_type)  # pyright: ignore
    dtype = m.dtype(m.open(COMPLEX if source in COMPLEX else ("i1", *ORDERED)))
    m.emit(ptir.CastOp(x, ATTRIBUTES[dtype]), m.actual(x))


WIDTHS = {d: NUMPY[d].itemsize * 8 if d[-1] != "4" or d == "f64" else 4 for d in ORDERED} | dict.fromkeys(
    ("si64", "ui64", "i64"), 64
)
"""The width of each type in bits."""


def bitcast(m: Maker) -> None:
    x = m.any_of(ORDERED)
    shape, width = m.actual(x), WIDTHS[spelling(x.type.element_type)]  # pyright: ignore
    last = sizes(x)[-1] if shape else None
    fitting = [d for d in ORDERED if WIDTHS[d] <= width or (isinstance(last, int) and last * width == WIDTHS[d])]
    dtype = m.dtype(m.open(fitting))
    other = WIDTHS[dtype]
    out = (*shape, width // other) if other < width else shape[:-1] if other > width else shape
    if len(out) > m.options.max_rank:
        raise NothingFits
    m.emit(ptir.BitcastOp(x, ATTRIBUTES[dtype]), out)


def constant(m: Maker) -> None:
    dtype = m.dtype(ALL)
    from ..values import array

    m.constant(dtype, array(m.rng, dtype, m.shape()))


ANALYTIC = (*FLOATS, *COMPLEX)
BITS = (*PREDICATE, *INTEGERS)

DOMAINS = {"analytic": ANALYTIC, "float": FLOATS, "number": NUMBERS, "real": ORDERED, "bits": BITS}
"""The element types of each domain that an op may have."""
UNARY: Table = {
    op.name: unary(op, DOMAINS[op.DOMAIN], extension=op.has_trait(Extension)) for op in tiny.UNARY_OPS.values()
}

ROWS: Table = {
    "ptir.constant": Row(constant, ALL, 0.3),
    **{name: row for name, row in UNARY.items() if not row.extension},
    "ptir.add": binary(ptir.AddOp, NUMBERS),
    "ptir.sub": binary(ptir.SubOp, NUMBERS),
    "ptir.mul": binary(ptir.MulOp, NUMBERS),
    "ptir.div": dividing(ptir.DivOp, NUMBERS),
    "ptir.maximum": binary(ptir.MaximumOp, ORDERED),
    "ptir.minimum": binary(ptir.MinimumOp, ORDERED),
    "ptir.compare": Row(compare, ALL),
    "ptir.select": Row(select, ALL),
    "ptir.clamp": Row(clamp, ORDERED),
    "ptir.cast": Row(cast, ALL),
    "ptir.stop_gradient": unary(ptir.StopGradientOp, ALL),
    **{name: row for name, row in UNARY.items() if row.extension},
    "ptir.pow": binary(ptir.PowOp, NUMBERS, extension=True),
    "ptir.remainder": dividing(ptir.RemainderOp, ORDERED, extension=True),
    **{op.name: binary(op, BITS, extension=True) for op in (ptir.AndOp, ptir.OrOp, ptir.XorOp)},
    **{
        op.name: binary(op, INTEGERS, extension=True)
        for op in (ptir.ShiftLeftOp, ptir.ShiftRightArithmeticOp, ptir.ShiftRightLogicalOp)
    },
    "ptir.is_finite": unary(ptir.IsFiniteOp, FLOATS, extension=True),
    "ptir.bitcast": Row(bitcast, ORDERED, extension=True),
}
