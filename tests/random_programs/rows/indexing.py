"""Rows of ops that read and write at indices."""

from __future__ import annotations

from math import prod

from ptir.dialects import ptir
from ptir.dialects.ptir.dims import sizes

from ..dtypes import ALL, COMPLEX, NUMBERS, spelling
from ..maker import Maker, NothingFits
from .contraction import accumulators, attribute, negated
from .movement import few
from .row import Row, Table


def take(m: Maker) -> None:
    x = m.any_of(ALL, rank=range(1, 5))
    shape = m.actual(x)
    at = [m.rng.choice((1, 2, 3, 0) if m.options.empty else (1, 2, 3)) for _ in range(m.rng.randrange(3))]
    if prod(at) and not shape[0]:
        raise NothingFits
    few(m, [*at, *shape[1:]])
    m.emit(ptir.TakeOp(x, m.indices(shape[0], at)), [*at, *shape[1:]])


def gather(m: Maker) -> None:
    x = m.any_of(ALL, rank=range(1, 6), static=True)
    axis, shape, at = along(m, x)
    m.emit(ptir.GatherOp(x, m.indices(shape[axis], at), negated(m, [axis], len(shape))[0]), at)


def along(m: Maker, x) -> tuple[int, tuple[int, ...], list[int]]:
    """Returns an axis, the operand's shape, and a shape for indices that differs only along that axis."""
    shape = m.actual(x)
    axis = m.rng.randrange(len(shape))
    at = list(shape)
    at[axis] = m.rng.choice((0, 1, 2, 3, 4)) if m.options.empty else m.rng.choice((1, 2, 3, 4))
    few(m, at)
    return axis, shape, at


def scatter_reduce(m: Maker) -> None:
    x = m.any_of(ALL, rank=range(1, 6), static=True)
    dtype = spelling(x.type.element_type)  # pyright: ignore
    kinds = (
        ["replace"] if dtype == "i1" else ["add", "replace"] if dtype in COMPLEX else ["add", "max", "min", "replace"]
    )
    kinds += ["mul"] if m.options.extensions and dtype != "i1" else []
    axis, shape, at = along(m, x)
    op = ptir.ScatterReduceOp(
        m.rng.choice(kinds), x, m.indices(shape[axis], at), m.tensor(dtype, at), negated(m, [axis], len(shape))[0]
    )
    m.emit(op, shape)


def scatter_add(m: Maker) -> None:
    """Adds a scatter along some axes, of which some are inserted. Index vectors are along any axis of the indices, or scalars."""
    x = m.any_of(NUMBERS, rank=range(1, 4), static=True)
    shape = m.actual(x)
    if 0 in shape:
        raise NothingFits
    rank = len(shape)
    scattered = m.rng.sample(range(rank), m.rng.randint(0, rank))
    inserted = sorted(a for a in range(rank) if m.rng.random() < 0.5)
    window = [m.rng.randint(1, shape[a]) for a in range(rank) if a not in inserted]
    whole = iter(window)
    sizes_ = [1 if a in inserted else next(whole) for a in range(rank)]
    batch = [m.rng.choice((1, 2, 3)) for _ in range(m.rng.randrange(3))]
    update_rank = len(window) + len(batch)
    if update_rank > m.options.max_rank:
        raise NothingFits
    window_dims = sorted(m.rng.sample(range(update_rank), len(window)))
    parts, others = iter(window), iter(batch)
    updates = [next(parts) if a in window_dims else next(others) for a in range(update_rank)]
    few(m, updates)
    limits = [shape[a] - sizes_[a] + 1 for a in scattered]
    at: list[int] = list(batch)
    vector: int | None = None
    if len(scattered) != 1 or m.rng.random() < 0.7:
        vector = m.rng.randint(0, len(batch))
        at.insert(vector, len(scattered))
    if len(set(limits)) > 1:  # all indices have the same limit: the least
        limits = [min(limits)] * len(limits)
    op = ptir.ScatterAddOp(
        x,
        m.indices(limits[0] if limits else 1, at),
        m.tensor(spelling(x.type.element_type), updates),  # pyright: ignore
        window_dims,
        inserted,
        scattered,
        vector,
    )
    m.emit(op, shape)


def dynamic_slice(m: Maker) -> None:
    x = m.any_of(ALL)
    shape, spelt = m.actual(x), sizes(x)
    out = [m.rng.randint(0, n) if isinstance(s, int) else n for n, s in zip(shape, spelt, strict=True)]
    start = m.tensor(m.index_type(), [len(shape)])  # any start: it is clamped
    m.emit(
        ptir.DynamicSliceOp(x, start, [n if isinstance(s, int) else s for n, s in zip(out, spelt, strict=True)]), out
    )


def dynamic_update_slice(m: Maker) -> None:
    x = m.any_of(ALL)
    shape = m.actual(x)
    window = [m.rng.randint(0, n) for n in shape]
    update = m.tensor(spelling(x.type.element_type), window)  # pyright: ignore
    m.emit(ptir.DynamicUpdateSliceOp(x, update, m.tensor(m.index_type(), [len(shape)])), shape)


def segment_reduce(m: Maker) -> None:
    x = m.any_of(NUMBERS, rank=range(1, 5), static=True)
    shape, dtype = m.actual(x), spelling(x.type.element_type)  # pyright: ignore
    count = m.rng.choice((1, 2, 3, 4))
    few(m, [count, *shape[1:]])
    accum, _ = accumulators(m, dtype)
    kind = "sum" if dtype in COMPLEX else m.rng.choice(("sum", "max", "min"))
    ordered, unique = m.rng.random() < 0.3, m.rng.random() < 0.2
    if unique:
        count = max(count, shape[0])
        ids = m.constant(m.index_type(), m.distinct(count, shape[0], ordered))
    elif ordered:
        ids = m.constant(m.index_type(), sorted(m.rng.randrange(count) for _ in range(shape[0])))
    else:
        ids = m.indices(count, [shape[0]])
    op = ptir.SegmentReduceOp(
        kind, x, ids, count, accum=attribute(accum), indices_are_sorted=ordered, unique=unique
    )  # fmt: skip
    m.emit(op, [count, *shape[1:]])


ROWS: Table = {
    "ptir.take": Row(take, ALL),
    "ptir.gather": Row(gather, ALL),
    "ptir.scatter_reduce": Row(scatter_reduce, ALL),
    "ptir.scatter_add": Row(scatter_add, NUMBERS),
    "ptir.dynamic_slice": Row(dynamic_slice, ALL),
    "ptir.dynamic_update_slice": Row(dynamic_update_slice, ALL),
    "ptir.segment_reduce": Row(segment_reduce, NUMBERS),
}
