"""
The keys that each tile of queries needs: tiles that a mask excludes are skipped, those that it leaves whole are computed without it.

```
causal, 4 tiles of queries (rows) by 4 of keys:      C . . .      C: cut, with the mask
                                                     W C . .      W: whole, without
                                                     W W C .      .: skipped
                                                     W W W C
```

isl decides it from the conditions on positions between the products. The bounds of a loop are `floor((m + b) / BK)` tiles between two
limits, if that is what isl finds for every tile of queries, and otherwise those of all tiles together. If conditions divide positions by the
length of a chunk, m may be the first query of the chunk that has the first, or the last, query of the tile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product

import islpy as isl
from xdsl.ir import SSAValue

from ...dialects import tiny
from ..errors import TooComplex
from ..index import affine
from ..index.info import Access
from ..index.positions import Positions
from .passes import constant_of
from .space import KernelSpace

MAX_CHUNKS = 3
"""Maximum number of lengths of chunks that bounds are tried with, the shortest first."""


@dataclass(frozen=True)
class Bound:
    """
    `min(max(floor((chunk · floor((m + ahead) / chunk) + shift) / keys), least), most)` tiles of keys for the tile of queries at m; just
    `least` if it is `most`.
    """

    least: int
    most: int
    shift: int = 0
    chunk: int = 1
    ahead: int = 0

    def at(self, m: int, keys: int) -> int:
        return min(max((self.begin(m) + self.shift) // keys, self.least), self.most)

    def begin(self, m: int) -> int:
        """Returns the first query of the chunk of the query `ahead` of m."""
        return (m + self.ahead) // self.chunk * self.chunk


@dataclass(frozen=True)
class KeyRanges:
    """
    The tiles of keys from `first` to `whole`, and from `cut` to `last`, need a mask, those from `whole` to `cut` do not. `free` is the set
    of points of the space at which the latter lie. With `crosses`, some tiles of queries have none of the latter: `cut` may be less than
    `whole` there, which then takes its place.
    """

    first: Bound
    whole: Bound
    cut: Bound
    last: Bound
    free: isl.Set | None
    crosses: bool = False

    def at(self, m: int, keys: int) -> tuple[int, int, int, int]:
        """Returns the bounds of the tile of queries at m, in tiles of keys."""
        first, whole, cut, last = (b.at(m, keys) for b in (self.first, self.whole, self.cut, self.last))
        return first, whole, max(whole, cut) if self.crosses else cut, last


@dataclass
class Masks:
    """The conditions on positions on which weights depend, as sets of points of the space of weights."""

    space: KernelSpace
    positions: Positions

    def __post_init__(self) -> None:
        self.sizes, iteration = self.space.of_scores
        a = self.space.attention
        found = [(a.x, a.at)] if a is not None else [(c.weights, c.product.lhs.map) for c in self.space.chained]
        self.roots = [(value, affine.compose(at, iteration, self.sizes)) for value, at in found]
        """The scores of which a softmax is taken, or the weights."""
        self.inner = {c.out for c in self.space.chained[0].inner}
        self.depending = set[SSAValue]().union(*(c.depending for c in self.space.chained))

    def skipped(self) -> isl.Set:
        """Returns the points that contribute nothing, whatever the data: a score is -inf there, or all weights are zero."""
        if self.space.attention is not None:
            return self.excluded(*self.roots[0])
        return reduce(isl.Set.intersect, (self.zero(value, at) for value, at in self.roots))

    def zero(self, value: SSAValue, at: isl.MultiAff) -> isl.Set:
        """Returns the points at which a value is zero whatever the data, provided that what it is multiplied by is finite."""
        op, box = value.owner, affine.box(self.sizes)
        none = box.subtract(box)
        reads = self.reads_of(value)

        def of(access: Access) -> isl.Set:
            return self.zero(access.value, affine.compose(access.map, at, self.sizes))

        if (number := constant_of(value)) is not None:
            return box if number == 0 else none
        if value in self.inner:
            return none
        match op:
            case tiny.UnaryOp() if op.fn.data in ("exp", "exp2"):
                return self.excluded(reads[0].value, affine.compose(reads[0].map, at, self.sizes))
            case tiny.UnaryOp() if op.fn.data in ("cast", "neg"):
                return of(reads[0])
            case tiny.MovementOp() if op.kind.data != "pad":
                return of(reads[0])
            case tiny.BinaryOp() if op.fn.data == "mul":
                return of(reads[0]).union(of(reads[1]))
            case tiny.BinaryOp() if op.fn.data == "div":
                return self.of_some_rows(of(reads[0]), reads[1], at)
            case tiny.BinaryOp() if op.fn.data == "where":
                return self.chosen(of, reads, at)
            case _:
                return none

    def of_some_rows(self, where: isl.Set, shift: Access, at: isl.MultiAff) -> isl.Set:
        """
        Returns the points in a set, of masked scores or weights, in rows that are not masked wholly. A row has one element of `shift`,
        such as the sum of its weights: if all are masked, this is 0 or -inf, and the program may give NaN.
        """
        value, there = shift.value, affine.compose(shift.map, at, self.sizes)
        while isinstance(op := value.owner, tiny.MovementOp) and op.kind.data != "pad":
            (access,) = self.reads_of(value)
            value, there = access.value, affine.compose(access.map, there, self.sizes)
        row = there.as_map()
        kept = affine.box(self.sizes).subtract(where).apply(row)
        return where.intersect(kept.apply(row.reverse()))

    def chosen(self, of: Callable[[Access], isl.Set], reads: Sequence[Access], at: isl.MultiAff) -> isl.Set:
        """Returns the points at which a choice is what `of` says of the value that is chosen."""
        if (where := self.condition(reads[0], at)) is None:
            return of(reads[1]).intersect(of(reads[2]))
        return of(reads[1]).intersect(where).union(of(reads[2]).subtract(where))

    def excluded(self, value: SSAValue, at: isl.MultiAff) -> isl.Set:
        """Returns the points at which a value is -inf whatever the data."""
        op, box = value.owner, affine.box(self.sizes)
        none = box.subtract(box)
        reads = self.reads_of(value)

        def of(access: Access) -> isl.Set:
            return self.excluded(access.value, affine.compose(access.map, at, self.sizes))

        if (number := constant_of(value)) is not None:
            return box if number == float("-inf") else none
        if value in self.inner:
            return none
        match op:
            case tiny.BinaryOp() if op.fn.data == "add":
                return of(reads[0]).union(of(reads[1]))
            case tiny.BinaryOp() if op.fn.data == "sub" and self.space.attention is None:
                return self.of_some_rows(of(reads[0]), reads[1], at)
            case tiny.BinaryOp() if op.fn.data == "where":
                return self.chosen(of, reads, at)
            case tiny.BinaryOp() if op.fn.data == "mul":
                factors = [constant_of(v) for v in op.inputs]
                return next(
                    (of(reads[1 - k]) for k, factor in enumerate(factors) if factor is not None and factor > 0), none
                )
            case tiny.MovementOp():
                return of(reads[0])
            case tiny.UnaryOp() if op.fn.data == "cast":
                return of(reads[0])
            case _:
                return none

    def whole(self) -> isl.Set:
        """Returns the points at which all conditions on positions hold under which scores are selected."""
        out, todo, seen = affine.box(self.sizes), list(self.roots), set[SSAValue]()
        while todo:
            value, at = todo.pop()
            if value in seen or value in self.inner:
                continue
            seen.add(value)
            op, reads = value.owner, self.reads_of(value)
            is_choice = isinstance(op, tiny.BinaryOp) and op.fn.data == "where"
            if is_choice and (where := self.condition(reads[0], at)) is not None:
                kept = [self.is_kept(access.value) for access in reads[1:]]
                if kept == [True, False]:
                    out = out.intersect(where)
                elif kept == [False, True]:
                    out = out.subtract(where)
            if isinstance(op, tiny.ReduceOp):
                continue
            todo += [(a.value, affine.compose(a.map, at, self.sizes)) for a in reads]
        return out

    def is_kept(self, value: SSAValue) -> bool:
        """Returns whether a side of a choice is that of scores that are not masked: it depends on the scores, or is 0 rather than -inf."""
        return value in self.depending or constant_of(value) == 0

    def reads_of(self, value: SSAValue) -> Sequence[Access]:
        return self.space.book[value].accesses if value in self.space.book else ()

    def condition(self, access: Access, at: isl.MultiAff) -> isl.Set | None:
        where = self.positions.condition(access.value)
        if where is None or access.guard is not None:
            return None
        return where.preimage_multi_aff(affine.compose(access.map, at, self.sizes))


def key_ranges(masks: Masks, rows: int, keys: int) -> KeyRanges:
    """Returns the ranges for tiles of `rows` queries and `keys` keys. A tile of queries has at least one tile of keys."""
    space = masks.space
    tiles, count = -(-space.m // rows), -(-space.k // keys)
    try:
        with affine.quota(what="the tiles of keys"):
            needed, cut, chunks = _tiles(masks, rows, keys)
            rows_of = list(map(_row, _columns(needed, tiles), _columns(cut, tiles)))
    except TooComplex:
        every = Bound(0, 0), Bound(0, 0), Bound(0, 0), Bound(count, count)
        return KeyRanges(*every, None)
    firsts, wholes, cuts, lasts = zip(*rows_of, strict=True)
    lasts = tuple(max(last, first + 1) for first, last in zip(firsts, lasts, strict=True))
    count_rows = range(tiles)

    def fitted(values: Sequence[int | None], over: Callable[[Sequence[int]], int]) -> Iterator[Bound]:
        for form in (Bound(0, 0), *(Bound(0, 0, 0, n, ahead) for n, ahead in product(chunks, (0, rows - 1)))):
            yield from _fitted(form, values, rows, keys, count, over)

    first = next(fitted(firsts, min), Bound(min(firsts), min(firsts)))
    last = next(fitted(lasts, max), Bound(max(lasts), max(lasts)))
    candidates = product(*(list(fitted(v, of)) for v, of in ((wholes, max), (cuts, min))))

    def is_legal(whole: Bound, cut: Bound) -> bool:
        """Whether the range between the bounds has only whole tiles, and lies between the first and the last tile."""
        found = [[b.at(t * rows, keys) for b in (first, whole, cut, last)] for t in count_rows]
        inside = all(a <= b <= d and c <= d for a, b, c, d in found)
        return inside and all(v is not None or b >= c for v, (_, b, c, _) in zip(wholes, found, strict=True))

    whole, cut_at = next((pair for pair in candidates if is_legal(*pair)), (first, first))
    crosses = any(whole.at(t * rows, keys) > cut_at.at(t * rows, keys) for t in count_rows)
    return KeyRanges(first, whole, cut_at, last, _points(masks, whole, cut_at, rows, keys), crosses)


def _tiles(masks: Masks, rows: int, keys: int) -> tuple[isl.Set, isl.Set, list[int]]:
    """
    Returns the pairs of a tile of queries and a tile of keys that have a point, those of which a mask excludes some points, and the numbers
    by which masks divide positions.
    """
    space, outer = masks.space, masks.space.outer
    box = affine.box(masks.sizes)
    kept = box.subtract(masks.skipped())
    masked = box.subtract(masks.whole())
    to_tiles = isl.MultiAff.read_from_str(
        affine.CONTEXT,
        f"{{ [{', '.join(f'i{k}' for k in range(outer + 2))}] -> [floor(i{outer}/{rows}), floor(i{outer + 1}/{keys})] }}",
    ).as_map()
    chunks = sorted({n for s in (kept, masked) for n in _divisors(s)})[:MAX_CHUNKS]
    needed, cut = (s.apply(to_tiles).coalesce() for s in (kept, masked))
    if space.k % keys:
        beyond = affine.read_set(f"{{ [i0, i1] : 0 <= i0 < {-(-space.m // rows)} and i1 = {space.k // keys} }}")
        cut = cut.union(beyond)
    return needed, cut.intersect(needed).coalesce(), chunks


def _divisors(points: isl.Set) -> set[int]:
    """Returns the numbers by which the conditions of a set divide."""
    found = set[int]()

    def of_piece(piece: isl.BasicSet) -> None:
        for k in range(piece.dim(isl.dim_type.div)):
            found.add(int(piece.get_div(k).get_denominator_val().to_python()))

    points.compute_divs().foreach_basic_set(of_piece)
    return found - {1}


def _row(needed: Sequence[int], cut: Sequence[int]) -> tuple[int, int | None, int | None, int]:
    """
    Returns the first tile of keys, the first and the end of the longest run of whole ones, or None if there are none, and the end, for a
    tile of queries, from its tiles of keys that have a point, and those that are cut.
    """
    if not needed:
        return 0, None, None, 0
    first, last = needed[0], needed[-1] + 1
    runs: list[list[int]] = []
    for j in sorted({*needed} - {*cut}):
        if runs and runs[-1][-1] == j - 1:
            runs[-1].append(j)
        else:
            runs.append([j])
    run = max(runs, key=len, default=list[int]())
    return (first, run[0], run[-1] + 1, last) if run else (first, None, None, last)


def _columns(tiles: isl.Set, rows: int) -> list[Sequence[int]]:
    """Returns for each row, which is the first coordinate, the second coordinates of the points of a set."""
    if tiles.is_empty():
        return [()] * rows
    if tiles.is_box():
        inside, columns = _extent(tiles, 0), _extent(tiles, 1)
        return [columns if row in inside else () for row in range(rows)]
    return [_points_of(tiles.fix_val(isl.dim_type.set, 0, isl.Val(row))) for row in range(rows)]


def _points_of(row: isl.Set) -> Sequence[int]:
    """Returns the second coordinates of the points of a set of which the first one is fixed."""
    columns = row.project_out(isl.dim_type.set, 0, 1).coalesce()
    if columns.is_box():
        return _extent(columns, 0)
    points: list[isl.Point] = []  # asked after the call: errors in a callback are printed, not raised
    columns.foreach_point(points.append)
    return sorted(int(point.get_coordinate_val(isl.dim_type.set, 0).to_python()) for point in points)


def _extent(box: isl.Set, dim: int) -> range:
    """Returns the range from the least to the greatest coordinate of the points of a set that is not empty."""
    return range(int(box.dim_min_val(dim).to_python()), int(box.dim_max_val(dim).to_python()) + 1)


def _fitted(
    form: Bound, values: Sequence[int | None], rows: int, keys: int, count: int, over: Callable[[Sequence[int]], int]
) -> Iterator[Bound]:
    """
    Yields bounds of a form that have these values at all tiles of queries, or that `over` chooses at the last one, which may have fewer queries.
    Where there is no value, any will do.
    """
    given = [(t * rows, value) for t, value in enumerate(values) if value is not None]
    for known in (given, [(m, value) for m, value in given if m < (len(values) - 1) * rows]):
        for bound in _candidates(form, known, keys, count):
            fits = all(bound.at(m, keys) == value for m, value in known)
            if fits and all(over((bound.at(m, keys), value)) == bound.at(m, keys) for m, value in given):
                yield bound


def _candidates(form: Bound, values: Sequence[tuple[int, int]], keys: int, count: int) -> Iterator[Bound]:
    """Yields bounds of a form that may have these values, given as pairs of m and tiles of keys."""
    if not values:
        return
    values = [(form.begin(m), value) for m, value in values]
    least, most = (of(value for _, value in values) for of in (min, max))
    if least == most:
        yield Bound(least, most)
    inner = [(m, value) for m, value in values if least < value < most]
    shifts = [
        max(most * keys - m for m, value in values if value == most),
        min((least + 1) * keys - 1 - m for m, value in values if value == least),
        *([max(value * keys - m for m, value in inner)] if inner else []),
    ]
    for shift, low, high in product(shifts, dict.fromkeys((least, 0)), dict.fromkeys((most, count))):
        if low < high:
            yield replace(form, least=low, most=high, shift=shift)


def _points(masks: Masks, whole: Bound, cut: Bound, rows: int, keys: int) -> isl.Set:
    """Returns the points of the tiles between two bounds, of all tiles of queries."""
    m, k = f"i{masks.space.outer}", f"i{masks.space.outer + 1}"
    at, tile = f"{rows}*floor({m}/{rows})", f"floor({k}/{keys})"

    def begin(bound: Bound) -> str:
        first = at if bound.chunk == 1 else f"{bound.chunk}*floor(({at} + {bound.ahead})/{bound.chunk})"
        return f"{first} + {bound.shift}"

    def at_least(bound: Bound) -> str:
        inside = (
            f"({tile} >= {bound.least} and ({tile} >= {bound.most} or {keys}*{tile} + {keys - 1} >= {begin(bound)}))"
        )
        return f"{tile} >= {bound.least}" if bound.least == bound.most else inside

    def below(bound: Bound) -> str:
        inside = f"({tile} < {bound.most} and ({tile} < {bound.least} or {keys}*{tile} + {keys} <= {begin(bound)}))"
        return f"{tile} < {bound.least}" if bound.least == bound.most else inside

    return affine.make_set(masks.sizes, [at_least(whole), below(cut)]).intersect(affine.box(masks.sizes))
