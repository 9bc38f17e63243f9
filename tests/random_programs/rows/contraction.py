"""Rows of reductions, contractions, argmax and top-k."""

from __future__ import annotations

from math import prod

from ptir.dialects import ptir

from ..dtypes import ATTRIBUTES, COMPLEX, FLOAT8, FLOATS, INTEGERS, NUMBERS, ORDERED, spelling
from ..maker import Maker, NothingFits
from .row import Row, Table


def accumulators(m: Maker, dtype: str, always: bool = False) -> tuple[str | None, str | None]:
    """Returns `accum` and `out`; either may be omitted (None)."""
    kind = FLOATS if dtype in FLOATS else COMPLEX if dtype in COMPLEX else INTEGERS
    accums, outs = m.open(kind), m.open(COMPLEX if dtype in COMPLEX else (*INTEGERS, *FLOATS))
    if not accums or not outs:
        return (dtype, dtype) if always else (None, None)
    accum = m.rng.choice(accums) if always or m.rng.random() < 0.5 else None
    return accum, m.rng.choice(outs) if always or m.rng.random() < 0.4 else None


def attribute(name: str | None):
    return None if name is None else ATTRIBUTES[name]


def negated(m: Maker, axes: list[int], rank: int) -> list[int]:
    """Returns the axes, some of which are counted from the end (negative)."""
    return [a - rank if m.rng.random() < 0.2 else a for a in axes]


def reduce(m: Maker) -> None:
    x = m.any_of(NUMBERS, ("i1",) if m.options.extensions else ())
    dtype, rank = spelling(x.type.element_type), len(m.actual(x))  # pyright: ignore
    axes = m.rng.sample(range(rank), m.rng.randint(0, rank))
    kinds = ["any", "all"] if dtype == "i1" else ["sum"] if dtype in COMPLEX else ["sum", "max", "min"]
    kinds += ["mul"] if m.options.extensions and dtype != "i1" else []
    accum, out = (None, None) if dtype == "i1" else accumulators(m, dtype)
    keepdims = m.rng.random() < 0.4
    kept = [1 if a in axes else n for a, n in enumerate(m.actual(x)) if keepdims or a not in axes]
    spelt = negated(m, axes, rank)
    op = ptir.ReduceOp(
        m.rng.choice(kinds), x, spelt, keepdims=keepdims, accum=attribute(accum), out=attribute(out)
    )  # fmt: skip
    m.emit(op, kept)


def dot_general(m: Maker) -> None:
    x = m.any_of(NUMBERS, static=True, rank=range(5))
    dtype = spelling(x.type.element_type)  # pyright: ignore
    shape = m.actual(x)
    axes = m.rng.sample(range(len(shape)), m.rng.randint(0, len(shape)))
    cut = m.rng.randint(0, len(axes))
    batch, contract = axes[:cut], axes[cut:]
    free = [
        m.rng.choice((*m.options.more_extents, *([0] if m.options.empty else ()))) for _ in range(m.rng.randrange(3))
    ]
    order = m.rng.sample(range(len(axes) + len(free)), len(axes) + len(free))
    sizes = [shape[a] for a in axes] + free
    right = [sizes[k] for k in order]
    out_sizes = [n for a, n in enumerate(shape) if a not in contract]
    if max(prod(right), prod(out_sizes) * prod(free)) > m.options.max_elements:
        raise NothingFits
    if max(len(right), len(out_sizes) + len(free)) > m.options.max_rank:
        raise NothingFits
    other, accum, out = paired(m, dtype)
    y = m.tensor(other, right)
    place = [order.index(k) for k in range(len(axes))]
    tf32 = m.options.extensions and dtype == "f32" and accum in (None, "f32") and m.rng.random() < 0.15
    op = ptir.DotGeneralOp(
        x,
        y,
        (negated(m, contract, len(shape)), negated(m, place[cut:], len(right))),
        (batch, place[:cut]),
        attribute(accum),
        attribute(out),
        precision="tf32" if tf32 else None,
    )
    m.emit(op)


def paired(m: Maker, dtype: str) -> tuple[str, str | None, str | None]:
    """Returns the type of the other operand, `accum` and `out`."""
    others = [d for d in FLOAT8 if dtype in FLOAT8]
    others += [f"{p}{dtype.lstrip('sui')}" for p in ("i", "si", "ui") if dtype in INTEGERS]
    other = m.rng.choice([dtype, dtype, *m.open(others)])
    return other, *accumulators(m, dtype, always=other != dtype)


def argmax(m: Maker) -> None:
    x = m.any_of(ORDERED, rank=range(1, 6))
    shape = m.actual(x)
    axis = m.rng.randrange(len(shape))
    if shape[axis] == 0:
        raise NothingFits
    keepdims = m.rng.random() < 0.4
    out = [1 if a == axis else n for a, n in enumerate(shape) if keepdims or a != axis]
    dtype = ATTRIBUTES[m.index_type()]
    m.emit(ptir.ArgMaxOp(x, negated(m, [axis], len(shape))[0], dtype, keepdims=keepdims), out)


def top_k(m: Maker) -> None:
    x = m.any_of(ORDERED, rank=range(1, 6))
    shape = m.actual(x)
    axis = m.rng.randrange(len(shape))
    k = m.rng.randint(0, shape[axis])
    out = [k if a == axis else n for a, n in enumerate(shape)]
    order = m.rng.choice(("largest", "smallest"))
    m.emit(ptir.TopKOp(order, x, k, negated(m, [axis], len(shape))[0], ATTRIBUTES[m.index_type()]), out, out)


ROWS: Table = {
    "ptir.reduce": Row(reduce, (*NUMBERS, "i1"), 1.5),
    "ptir.dot_general": Row(dot_general, NUMBERS, 1.5),
    "ptir.argmax": Row(argmax, ORDERED),
    "ptir.top_k": Row(top_k, ORDERED),
}
