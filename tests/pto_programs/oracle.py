"""
An independent meaning of the tile ops: one element at a time, in Python, by the op's definition. Its tables of functions, comparisons and
roundings are its own on purpose: an oracle that read those of `semantics/` would repeat their errors.

`check(op, operands, results)` compares the results of one execution. A tile is an array, or has poison; the element that the oracle
returns is a number, or None for poison. Functions are those of `math` on Python numbers; results on floats may differ by one unit in
the last place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
from xdsl.ir import Operation

from ptir.dialects import pto
from ptir.semantics.arrays.scalars import numpy_dtype

Place = tuple[int, ...]
Number = Any


class Tile:
    """The elements of a tile, which are Python numbers, and its valid region."""

    def __init__(self, value: Any):
        self.array = np.asarray(getattr(value, "array", value))
        self.known = np.ones(self.array.shape, bool) if value is self.array else np.asarray(value.causes == 0)
        self.valid: Place = getattr(value, "valid", self.array.shape)

    def __getitem__(self, place: Place) -> Number | None:
        return self.array[place].item() if self.known[place] else None


def exact(x: Number) -> Fraction:
    return Fraction(x)


def wrap(x: int, dtype: np.dtype[Any]) -> int:
    info = np.iinfo(dtype)
    return (x - int(info.min)) % (int(info.max) - int(info.min) + 1) + int(info.min)


def rounded(x: Number, dtype: np.dtype[Any]) -> Number:
    """Returns a number in `dtype`: integers wrap; a fraction is rounded to nearest even."""
    if dtype == np.bool_:
        return bool(x)
    if np.issubdtype(dtype, np.integer):
        return wrap(int(x), dtype)
    if isinstance(x, Fraction):  # a float64 quotient is correctly rounded; odd rounding prevents a second rounding
        near = x.numerator / x.denominator if abs(x) < Fraction(2) ** 1000 else math.copysign(math.inf, x)
        if math.isfinite(near) and Fraction(near) != x and int(np.float64(near).view(np.int64)) & 1 == 0:
            near = math.nextafter(near, math.inf if Fraction(near) < x else -math.inf)
        x = near
    with np.errstate(all="ignore"):
        if dtype == np.float32 or dtype == np.float16:
            return dtype.type(x).item()
        return np.asarray(np.float64(x)).astype(dtype).item()


def arithmetic(function: Callable[[Fraction, Fraction], Fraction]) -> Callable[[Number, Number], Number]:
    def apply(a: Number, b: Number) -> Number:
        if isinstance(a, int) or (math.isfinite(a) and math.isfinite(b)):
            return function(exact(a), exact(b))
        with np.errstate(all="ignore"):
            return function(np.float64(a), np.float64(b)).item()  # type: ignore[arg-type]

    return apply


def quotient(a: Number, b: Number) -> Number:
    if isinstance(a, int):
        return int(math.copysign(1, a) * math.copysign(1, b)) * (abs(a) // abs(b))
    if b == 0 or not (math.isfinite(a) and math.isfinite(b)):
        with np.errstate(all="ignore"):
            return (np.float64(a) / np.float64(b)).item()
    return exact(a) / exact(b)


def remainder(a: Number, b: Number) -> Number:
    if isinstance(a, int):
        return int(math.copysign(abs(a) % abs(b), a))
    return math.fmod(a, b) if b and math.isfinite(a) else math.nan


def larger(a: Number, b: Number) -> Number:
    return a if a != a else b if b != b else max(a, b)


def smaller(a: Number, b: Number) -> Number:
    return a if a != a else b if b != b else min(a, b)


BINARY: Mapping[str, Callable[[Number, Number], Number]] = {
    "add": arithmetic(lambda a, b: a + b),
    "sub": arithmetic(lambda a, b: a - b),
    "mul": arithmetic(lambda a, b: a * b),
    "div": quotient,
    "rem": remainder,
    "max": larger,
    "min": smaller,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << b if b < 64 else 0,
    "shr": lambda a, b: a >> min(b, 64),
}
UNARY: Mapping[str, Callable[[Number], Number]] = {
    "neg": lambda a: -a,
    "abs": abs,
    "exp": lambda a: math.exp(a) if a < 700 else math.inf,
    "log": lambda a: math.log(a) if a > 0 else -math.inf if a == 0 else math.nan,
    "sqrt": lambda a: math.sqrt(a) if a >= 0 else math.nan,
    "rsqrt": lambda a: 1 / math.sqrt(a) if a > 0 else math.inf if a == 0 else math.nan,
    "recip": lambda a: quotient(1.0, a),
    "relu": lambda a: larger(a, 0),
    "not": lambda a: ~a,
}
COMPARE: Mapping[str, Callable[[Number, Number], bool]] = {
    "EQ": lambda a, b: a == b,
    "NE": lambda a, b: a != b,
    "LT": lambda a, b: a < b,
    "LE": lambda a, b: a <= b,
    "GT": lambda a, b: a > b,
    "GE": lambda a, b: a >= b,
}
WHOLE: Mapping[str, Callable[[Fraction], int]] = {
    "CAST_RINT": round,
    "CAST_ROUND": lambda x: math.floor(abs(x) + Fraction(1, 2)) * (-1 if x < 0 else 1),
    "CAST_FLOOR": math.floor,
    "CAST_CEIL": math.ceil,
    "CAST_TRUNC": math.trunc,
}


def converted(x: Number, dtype: np.dtype[Any], mode: str | None) -> Number:
    """Returns a number after a conversion. In a directed mode, a float is the nearest representable one on the right side."""
    if np.issubdtype(dtype, np.integer):
        info = np.iinfo(dtype)
        if isinstance(x, float):
            if x != x:
                return 0
            x = WHOLE[mode or "CAST_TRUNC"](Fraction(x)) if math.isfinite(x) else int(math.copysign(2**70, x))
        return min(max(x, int(info.min)), int(info.max))
    if isinstance(x, float) and not math.isfinite(x):
        return x
    near = rounded(Fraction(x), dtype)
    if mode in (None, "CAST_RINT", "CAST_NONE") or near == x:
        return near
    with np.errstate(over="ignore"):
        step = np.nextafter(dtype.type(near), dtype.type(math.inf if near < x else -math.inf)).item()
    low, high = min(near, step), max(near, step)
    match mode:
        case "CAST_FLOOR":
            return low
        case "CAST_CEIL":
            return high
        case "CAST_TRUNC":
            return low if x > 0 else high
        case _:
            if math.isinf(low) or math.isinf(high):
                return near
            below, above = Fraction(x) - Fraction(low), Fraction(high) - Fraction(x)
            return near if below != above else high if x > 0 else low


def fold(word: str, values: list[Number | None], dtype: np.dtype[Any]) -> Number | None:
    """Returns the reduction of a row, in the type of the elements; sums are exact before they are rounded."""
    if any(v is None for v in values):
        return None
    if word in ("max", "min"):
        out = values[0]
        for v in values[1:]:
            out = (larger if word == "max" else smaller)(out, v)
        return out
    if word == "sum":
        return math.fsum(values) if isinstance(values[0], float) else sum(values)
    return math.prod(map(Fraction, values))


class Execution:
    """An execution of an op: its operands by name, its result's sizes and the region that `valid` gives."""

    def __init__(self, op: Operation, operands: tuple[Any, ...]):
        self.op: Any = op
        self.values = dict(zip(op.operands, operands, strict=True))
        self.result = pto.tile_type(op.results[0])
        self.sizes = self.result.sizes
        self.dtype = numpy_dtype(self.result.element_type)
        self.word = op.name.removeprefix("pto.tile.")
        self.tiles = [Tile(v) for o, v in zip(op.operands, operands, strict=True) if isinstance(o.type, pto.TileType)]
        self.given: Place | None = None
        if getattr(op, "static_valid", None) is not None:
            rest = iter(self.op.valid)
            self.given = tuple(
                self.values[next(rest)] if i == -(2**63) else i for i in self.op.static_valid.get_values()
            )

    def index(self, static: Any, dynamic: Any) -> Place:
        rest = iter(dynamic)
        return tuple(int(self.values[next(rest)]) if i == -(2**63) else i for i in static.get_values())

    def scalar(self, value: Any, dtype: np.dtype[Any]) -> Number:
        return rounded(self.values[value].item() if hasattr(self.values[value], "item") else self.values[value], dtype)


def apply(function: Callable[..., Number], *numbers: Number | None) -> Number | None:
    return None if any(n is None for n in numbers) else function(*numbers)


def least(*sizes: Place) -> Place:
    return tuple(map(min, *sizes)) if len(sizes) > 1 else sizes[0]


Element = Callable[[Place], Any]


def expected(run: Execution) -> tuple[Place, Element]:
    """Returns the valid region of the (first) result, and its element at a place."""
    op, tiles, word, sizes = run.op, run.tiles, run.word, run.sizes
    region = run.given
    match op:
        case pto.ExpandsOp():
            value = run.scalar(op.scalar, run.dtype) if op.scalar is not None else op.value.value.data
            return region or sizes, lambda p: value
        case pto.CiOp():
            start, step = run.scalar(op.start, run.dtype), 1 if op.descending is None else -1
            return region or sizes, lambda p: start + step * p[1]
        case pto.ScalarBinaryOp():
            scalar = run.scalar(op.lhs if op.scalar_first else op.rhs, run.dtype)
            f = BINARY[word[:-1]]
            if op.scalar_first:
                return region or tiles[0].valid, lambda p: apply(f, scalar, tiles[0][p])
            return region or tiles[0].valid, lambda p: apply(f, tiles[0][p], scalar)
        case pto.CmpsOp():
            scalar = run.scalar(op.rhs, tiles[0].array.dtype)
            return region or tiles[0].valid, lambda p: apply(COMPARE[op.mode.word], tiles[0][p], scalar)
        case pto.CmpOp():
            return region or least(tiles[0].valid, tiles[1].valid), lambda p: apply(
                COMPARE[op.mode.word], tiles[0][p], tiles[1][p]
            )
        case pto.SelOp():
            return region or least(*(t.valid for t in tiles)), lambda p: apply(
                lambda m, a, b: a if m else b, *(t[p] for t in tiles)
            )
        case pto.SelsOp():
            scalar = run.scalar(op.on_false, run.dtype)
            return region or least(*(t.valid for t in tiles)), lambda p: apply(
                lambda m, a: a if m else scalar, *(t[p] for t in tiles)
            )
        case pto.CvtOp():
            mode = None if op.mode is None else op.mode.word
            return region or tiles[0].valid, lambda p: apply(lambda x: converted(x, run.dtype, mode), tiles[0][p])
        case pto.RowReduceOp() | pto.ColReduceOp():
            axis, (t,) = (len(sizes) - 1 if word.startswith("row") else 0), tiles
            box = region or tuple(1 if k == axis else n for k, n in enumerate(t.valid))

            def row(p: Place) -> Any:
                return fold(word[3:], [t[(*p[:axis], k, *p[axis + 1 :])] for k in range(t.valid[axis])], run.dtype)

            return box, row
        case pto.RowExpandOp() | pto.ColExpandOp():
            axis, (t,) = (len(sizes) - 1 if word.startswith("row") else 0), tiles
            box = region or tuple(n if k == axis else v for k, (n, v) in enumerate(zip(sizes, t.valid, strict=True)))
            return box, lambda p: t[(*p[:axis], 0, *p[axis + 1 :])]
        case pto.ExpandedBinaryOp():
            axis, (t, v) = op.axis, tiles
            box = region or tuple(
                a if k == axis else min(a, b) for k, (a, b) in enumerate(zip(t.valid, v.valid, strict=True))
            )
            f = BINARY[word.partition("expand")[2]]
            return box, lambda p: apply(f, t[p], v[(*p[:axis], 0, *p[axis + 1 :])])
        case pto.TransOp():
            return region or tiles[0].valid[::-1], lambda p: tiles[0][p[::-1]]
        case pto.ReshapeOp():
            shape = tiles[0].array.shape
            return region or sizes, lambda p: tiles[0][
                tuple(map(int, np.unravel_index(np.ravel_multi_index(p, sizes), shape)))
            ]
        case pto.RowXorOp():
            return region or sizes, lambda p: tiles[0][(p[0] ^ op.by.value.data, *p[1:])]
        case pto.ExtractOp():
            at, t = run.index(op.static_offsets, op.offsets), tiles[0]
            box = region or tuple(min(n, max(v - o, 0)) for n, v, o in zip(sizes, t.valid, at, strict=True))
            return box, lambda p: t[tuple(map(sum, zip(p, at, strict=True)))]
        case pto.InsertOp():
            at, (t, into) = run.index(op.static_offsets, op.offsets), tiles

            def inserted(p: Place) -> Any:
                q = tuple(a - o for a, o in zip(p, at, strict=True))
                inside = all(0 <= a < v for a, v in zip(q, t.valid, strict=True))
                return t[q] if inside else into[p]

            return region or into.valid, inserted
        case pto.GatherOp():
            t, indices = tiles
            shape = t.array.shape
            return region or indices.valid, lambda p: apply(
                lambda i: t[tuple(map(int, np.unravel_index(i, shape)))], indices[p]
            )
        case pto.GatherBytesOp():
            t, indices = tiles
            flat, size = t.array.shape, t.array.dtype.itemsize
            block = 32 // size
            box = region or (*indices.valid[:-1], indices.valid[-1] * block)

            def in_block(p: Place) -> Any:
                offset = indices[(*p[:-1], p[-1] // block)]
                return (
                    None
                    if offset is None
                    else t[tuple(map(int, np.unravel_index(offset // size + p[-1] % block, flat)))]
                )

            return box, in_block
        case pto.ScatterOp():
            t, indices = tiles
            moved: dict[Place, list[Any]] = {}
            for i, j in product(*map(range, t.valid)):
                moved.setdefault((indices[i, j], j), []).append(t[i, j])
            lost = any(i is None for i, _ in moved)
            return region or sizes, lambda p: moved[p][0] if not lost and len(moved.get(p, ())) == 1 else None
        case pto.MrgSortOp():
            parts = [[t[0, k] for k in range(t.valid[1])] for t in tiles]
            if op.block is not None:
                block, (whole,) = op.block.value.data, parts
                groups = [whole[k : k + 4 * block] for k in range(0, len(whole) // (4 * block) * 4 * block, 4 * block)]
                parts = [g[k : k + block] for g in groups for k in range(0, 4 * block, block)]
            else:
                groups = [[v for part in parts for v in part]]
            flat_parts = [v for part in parts for v in part]
            poison = any(v is None for v in flat_parts)
            merged = [] if poison else [v for g in groups for v in sorted(g, key=lambda x: (x != x, x))]
            return region or (1, len(flat_parts)), lambda p: merged[p[1]] if p[1] < len(merged) else None
        case _ if word.startswith("part"):
            a, b = tiles
            f = BINARY[word[4:]]

            def part(p: Place) -> Any:
                inside = [all(i < v for i, v in zip(p, t.valid, strict=True)) for t in tiles]
                return apply(f, a[p], b[p]) if all(inside) else a[p] if inside[0] else b[p] if inside[1] else None

            return region or tuple(map(max, a.valid, b.valid)), part
        case pto.MatmulOp() | pto.MatmulAccOp() | pto.MatmulBiasOp() | pto.MatmulMxOp():
            return product_of(run)
        case pto.MoveScaledOp():
            acc, scale = tiles
            f32 = np.dtype(np.float32)

            def scaled(x: Number, s: Number) -> Number:
                return converted(rounded(BINARY["mul"](np.float32(x).item(), s), f32), run.dtype, "CAST_RINT")

            return region or acc.valid, lambda p: apply(scaled, acc[p], scale[0, p[1]])
        case _ if word in BINARY:
            f = BINARY[word]
            return region or least(tiles[0].valid, tiles[1].valid), lambda p: apply(f, tiles[0][p], tiles[1][p])
        case _ if word in UNARY:
            f = UNARY[word]
            return region or tiles[0].valid, lambda p: apply(f, tiles[0][p])
        case _ if word.startswith("mov"):
            return region or tiles[0].valid, lambda p: tiles[0][p]
        case _:
            raise NotImplementedError(op.name)


def product_of(run: Execution) -> tuple[Place, Element]:
    op = run.op
    named = {
        name: Tile(run.values[getattr(op, name)])
        for name in ("a", "b", "acc", "bias", "a_scale", "b_scale")
        if hasattr(op, name)
    }
    a, b = named["a"], named["b"]
    box = (a.valid[0], b.valid[1])
    box = run.given or (least(box, named["acc"].valid) if "acc" in named else box)

    def element(p: Place) -> Any:
        i, j = p
        start = named["acc"][p] if "acc" in named else named["bias"][0, j] if "bias" in named else 0
        terms = [[a[i, k], b[k, j]] for k in range(a.valid[1])]
        if "a_scale" in named:
            terms = [[*t, named["a_scale"][i, k // 32], named["b_scale"][k // 32, j]] for k, t in enumerate(terms)]
        if start is None or any(n is None for t in terms for n in t):
            return None
        products = [math.prod(t) for t in terms]  # exact in float64
        return math.fsum([*products, start]) if np.issubdtype(run.dtype, np.floating) else sum(products) + start

    return box, element


LOOSE = {
    "exp",
    "log",
    "rsqrt",
    "rowsum",
    "rowprod",
    "colsum",
    "colprod",
    "matmul",
    "matmul.acc",
    "matmul.bias",
    "matmul.mx",
}
"""Ops whose results may differ by a rounding."""


def check(op: Operation, operands: tuple[Any, ...], results: tuple[Any, ...]) -> str | None:
    """Returns what is wrong with the results of an execution, or None."""
    run = Execution(op, operands)
    if isinstance(op, pto.Sort32Op):
        return check_sort(run, results)
    (got, *_), (box, element) = map(Tile, results[:1]), expected(run)
    if got.valid != box:
        return f"the valid region is {got.valid}, expected {box}"
    if got.array.dtype != run.dtype or got.array.shape != run.sizes:
        return f"the result is {got.array.dtype}{got.array.shape}, expected {run.dtype}{run.sizes}"
    for p in product(*map(range, run.sizes)):
        inside = all(i < v for i, v in zip(p, box, strict=True))
        want = element(p) if inside else None
        value = got[p]
        if (want is None) != (value is None):
            return f"element {p} is {value}, expected {want}"
        if want is None or same(value, rounded(want, run.dtype)):
            continue
        close = run.word in LOOSE and isinstance(value, float)
        if not close or not math.isclose(
            value, float(want), rel_tol=4 * float(ml_dtypes.finfo(run.dtype).eps), abs_tol=1e-30
        ):
            return f"element {p} is {value}, expected {want}"
    return None


def same(a: Number, b: Number) -> bool:
    return a == b or (a != a and b != b)


def check_sort(run: Execution, results: tuple[Any, ...]) -> str | None:
    (t,), (values, columns) = run.tiles, map(Tile, results[:2])
    rows, count = run.given or t.valid
    count = count // 32 * 32
    box = run.given or (rows, count)
    if values.valid != box or columns.valid != box:
        return f"the valid regions are {values.valid} and {columns.valid}, expected {box}"
    for i, j in product(*map(range, run.sizes)):
        block = [t[i, k] for k in range(j // 32 * 32, j // 32 * 32 + 32)]
        if i >= rows or j >= count or any(v is None for v in block):
            if values[i, j] is not None or columns[i, j] is not None:
                return f"element {(i, j)} is specified"
            continue
        order = sorted(range(32), key=lambda k: (block[k] != block[k], block[k], k))
        k = order[j % 32]
        if not same(values[i, j], block[k]) or columns[i, j] != j // 32 * 32 + k:
            return f"element {(i, j)} is {values[i, j]} of column {columns[i, j]}, expected {block[k]} of {j // 32 * 32 + k}"
    return None
