"""Rows of ops that move elements."""

from __future__ import annotations

from math import prod

from xdsl.ir import SSAValue

from ptir.dialects import ptir
from ptir.dialects.ptir.dims import Size, sizes
from ptir.dialects.ptir.names import introduced

from ..dtypes import ALL, ATTRIBUTES, NUMBERS, spelling
from ..maker import Maker, NothingFits
from ..values import array
from .contraction import negated
from .row import Row, Table


def factors(m: Maker, count: int, rank: int) -> list[int]:
    """Returns `rank` sizes whose product is `count`."""
    if not rank and count != 1:
        raise NothingFits
    if count == 0:
        out = [m.rng.choice((1, 2, 3)) for _ in range(rank)]
        out[m.rng.randrange(rank)] = 0
        return out
    out = [1] * rank
    left, p = count, 2
    while left > 1:
        while left % p:
            p += 1
        out[m.rng.randrange(rank)] *= p
        left //= p
    return out


def few(m: Maker, shape: list[int]) -> None:
    """Raises `NothingFits` for a shape with too many elements."""
    if prod(shape) > m.options.max_elements or len(shape) > m.options.max_rank:
        raise NothingFits


def reshape(m: Maker) -> None:
    x = m.any_of(ALL)
    shape = factors(m, prod(m.actual(x)), m.rng.randrange(m.options.max_rank + 1))
    spelt: list[Size] = list(shape)
    if shape and 0 not in shape and m.rng.random() < 0.4:
        spelt[m.rng.randrange(len(shape))] = -1
    if 0 in shape and not m.is_static(x):
        raise NothingFits
    m.emit(ptir.ReshapeOp(x, spelt), shape)


def transpose(m: Maker) -> None:
    x = m.any_of(ALL)
    rank = len(m.actual(x))
    perm = m.rng.sample(range(rank), rank)
    m.emit(ptir.TransposeOp(x, negated(m, perm, rank)), [m.actual(x)[p] for p in perm])


def broadcast_to(m: Maker) -> None:
    x = m.any_of(ALL)
    old = list(zip(sizes(x), m.actual(x), strict=True))
    room = max(0, m.options.max_rank - len(old))
    lead = [m.rng.choice(m.options.more_extents) for _ in range(m.rng.randint(0, min(room, 2)))]
    grown = [
        m.rng.choice((1, 2, 3, 0) if m.options.empty else (1, 2, 3)) if s == 1 and m.rng.random() < 0.7 else None
        for s, _ in old
    ]
    shape = [*lead, *(n if g is None else g for (_, n), g in zip(old, grown, strict=True))]
    few(m, shape)
    spelt = [*m.named(lead), *(s if g is None else m.named([g])[0] for (s, _), g in zip(old, grown, strict=True))]
    m.emit(ptir.BroadcastToOp(x, spelt), shape)


def slice_(m: Maker) -> None:
    x = m.any_of(ALL)
    shape, spelt = m.actual(x), list(sizes(x))
    least = 0 if m.options.empty else 1
    starts = [m.rng.randint(0, n - least) if isinstance(s, int) else 0 for n, s in zip(shape, spelt, strict=True)]
    out = [
        m.rng.randint(least, n - a) if isinstance(s, int) else n for n, a, s in zip(shape, starts, spelt, strict=True)
    ]
    m.emit(ptir.SliceOp(x, starts, [n if isinstance(s, int) else s for n, s in zip(out, spelt, strict=True)]), out)


def concat(m: Maker) -> None:
    x = m.any_of(ALL, rank=range(1, 6))
    axis = m.rng.randrange(len(m.actual(x)))
    parts: list[SSAValue] = [x]
    for _ in range(m.rng.choice((0, 1, 1, 2))):
        if m.is_static(x) and m.rng.random() < 0.6:
            shape = list(m.actual(x))
            shape[axis] = m.rng.choice((0, *m.options.more_extents) if m.options.empty else m.options.more_extents)
            parts.append(m.tensor(spelling(x.type.element_type), shape))  # pyright: ignore
        else:
            parts.append(m.like(x))
    out = list(m.actual(x))
    out[axis] = sum(m.actual(part)[axis] for part in parts)
    few(m, out)
    m.emit(ptir.ConcatOp(parts, negated(m, [axis], len(out))[0]), out)


def pad(m: Maker) -> None:
    x = m.any_of(ALL)
    shape, dtype = m.actual(x), spelling(x.type.element_type)  # pyright: ignore
    low, high, interior = ([m.rng.choice((0, 0, 1, 2)) for _ in shape] for _ in range(3))
    out = [a + n + b + max(n - 1, 0) * c for a, n, b, c in zip(low, shape, high, interior, strict=True)]
    few(m, out)
    value = array(m.rng, dtype, (), m.rng.choice(("small", "special"))).tobytes()
    m.emit(ptir.PadOp(x, ptir.ScalarAttr.of(value, ATTRIBUTES[dtype]), low, high, interior), out)


def tile(m: Maker) -> None:
    x = m.any_of(ALL)
    repeats = [m.rng.choice((0, 1, 1, 2, 3) if m.options.empty else (1, 1, 2, 3)) for _ in m.actual(x)]
    out = [n * r for n, r in zip(m.actual(x), repeats, strict=True)]
    few(m, out)
    m.emit(ptir.TileOp(x, repeats), out)


def iota(m: Maker) -> None:
    shape = m.shape(m.rng.randint(1, m.options.max_rank))
    dtype = ATTRIBUTES[m.dtype(NUMBERS)]
    axis = m.rng.randrange(len(shape))
    m.emit(ptir.IotaOp(dtype, m.named(shape), negated(m, [axis], len(shape))[0]), shape)


def dim_cast(m: Maker) -> None:
    x = m.any_of(ALL)
    shape = m.actual(x)
    new = [s if isinstance(s, str) or m.rng.random() < 0.3 else t
           for s, t in zip(sizes(x), m.spell_sizes(shape), strict=True)]  # fmt: skip
    op = ptir.DimCastOp(
        x, [n if isinstance(s, str) and m.rng.random() < 0.3 else s for s, n in zip(new, shape, strict=True)]
    )
    if m.args is None and introduced(op):
        op.erase()
        raise NothingFits  # an op in a region must not bind a name that others have
    m.emit(op, shape)


ROWS: Table = {
    "ptir.reshape": Row(reshape, ALL),
    "ptir.transpose": Row(transpose, ALL),
    "ptir.broadcast_to": Row(broadcast_to, ALL),
    "ptir.slice": Row(slice_, ALL),
    "ptir.concat": Row(concat, ALL),
    "ptir.pad": Row(pad, ALL),
    "ptir.tile": Row(tile, ALL),
    "ptir.iota": Row(iota, NUMBERS),
    "ptir.dim_cast": Row(dim_cast, ALL, 0.5),
}
