"""
`analysis/poly/footprint.py` and `tiling.py`, compared with the enumeration of all tiles, points and elements read.

The oracle evaluates the same index expressions with Python's integers, without isl.
"""

from __future__ import annotations

import doctest
import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ptir.analysis.errors import InvalidTile, TooComplex
from ptir.analysis.index import affine
from ptir.analysis.index.info import AxisVar
from ptir.analysis.poly import footprint as footprints
from ptir.analysis.poly import tiling as tilings
from ptir.analysis.poly.footprint import AxisFootprint, Footprint, enumerated_footprint, footprint
from ptir.analysis.poly.ranges import Read
from ptir.analysis.poly.tiling import Tiling, tiling
from ptir.dialects.poly import points as numpy_points

from ..builders.amount import examples

pytestmark = pytest.mark.sampled(3)


@pytest.mark.parametrize("module", [footprints, tilings, numpy_points])
def test_the_examples(module: Any):
    failed, attempted = doctest.testmod(module)
    assert attempted and not failed


# --- the oracle ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Way:
    """One read as text: `exprs` in `i0, i1, …` with `//`, and the producer's sizes to which it is clipped, or None."""

    exprs: tuple[str, ...]
    sizes: tuple[int, ...]
    inside: tuple[int, ...] | None

    @property
    def map(self) -> Any:
        return affine.make_map(len(self.sizes), [_floors(e) for e in self.exprs])

    def means_the_same_beyond(self) -> bool:
        """Whether the expressions, which are simplified on the box, are also equal to the original ones outside of it."""
        same = affine.simplify(self.map, self.sizes).plain_is_equal(self.map)
        return same or not any("//" in expr for expr in self.exprs)

    def isl(self) -> Read:
        at = self.map
        guard = affine.box(self.inside).preimage_multi_aff(at) if self.inside is not None else None
        return Read(affine.simplify(at, self.sizes), self.sizes, guard)

    def at(self, axis: int) -> Callable[..., int]:
        return eval(f"lambda {', '.join(f'i{k}' for k in range(len(self.sizes)))}: {self.exprs[axis]}")


def _floors(expr: str) -> str:
    """Translates `(E)//q` to isl's syntax."""
    return re.sub(r"\(([^()]*)\)//(\d+)", r"floor((\1)/\2)", expr)


class Enumerated:
    """The definitions in the docstring of `footprint.py`, evaluated by visiting every point."""

    def __init__(self, ways: Sequence[Way], tiles: Tiling):
        self.ways, self.tiles = ways, tiles
        self.sizes: list[int] = [s for s in tiles.sizes if isinstance(s, int)]
        self.rank = len(ways[0].exprs)
        self.numbers = list(
            itertools.product(*(range(-(-self.sizes[k] // (tiles.lengths[k] or 1))) for k in tiles.cut))
        )
        self.read = {t: self.points(t, clipped=True) for t in self.numbers}
        self.free = {t: self.points(t, clipped=False) for t in self.numbers}

    def span(self, t: tuple[int, ...], k: int) -> range:
        if k in self.tiles.cut:
            length, number = self.tiles.lengths[k] or 1, t[self.tiles.cut.index(k)]
            return range(length * number, min(self.sizes[k], length * number + length))
        return range(self.sizes[k])

    def points(self, t: tuple[int, ...], clipped: bool) -> set[tuple[int, ...]]:
        out: set[tuple[int, ...]] = set()
        for way in self.ways:
            axes = [self.span(t, k) if k < len(self.sizes) else range(way.sizes[k]) for k in range(len(way.sizes))]
            exprs = [way.at(j) for j in range(self.rank)]
            for i in itertools.product(*axes):
                p = tuple(e(*i) for e in exprs)
                if not clipped or way.inside is None or all(0 <= x < s for x, s in zip(p, way.inside, strict=True)):
                    out.add(p)
        return out

    @staticmethod
    def ends(points: set[tuple[int, ...]], j: int) -> tuple[int, int]:
        return min(p[j] for p in points), max(p[j] for p in points)

    def base(self, way: Way, j: int, at: dict[int, int]) -> int:
        """Returns the lowest element along axis `j` that is read if some axes are fixed."""
        e = way.at(j)
        axes = [[at[k]] if k in at else range(way.sizes[k]) for k in range(len(way.sizes))]
        return min(e(*i) for i in itertools.product(*axes))

    def moves_it(self, way: Way, j: int, k: int) -> bool:
        axes = sorted({*self.tiles.cut, k})
        if way.sizes[k] == 1:
            return False
        changes: set[int] = set()
        for at in itertools.product(*(range(way.sizes[a] - (a == k)) for a in axes)):
            here = dict(zip(axes, at, strict=True))
            changes.add(self.base(way, j, here | {k: here[k] + 1}) - self.base(way, j, here))
        return (min(changes) >= 0 or max(changes) <= 0) and changes != {0}

    def movers(self, j: int) -> list[tuple[Way, int]]:
        outputs, cut = range(self.tiles.rank), self.tiles.cut
        for axes in ([k for k in cut if k in outputs], [k for k in outputs if k not in cut], list(cut)):
            if found := [(way, k) for k in axes for way in self.ways if self.moves_it(way, j, k)]:
                return found
        return []

    def depends(self, way: Way, j: int, k: int) -> bool:
        """Whether the expression changes anywhere on the box when only `i{k}` does."""
        e, out = way.at(j), set[int]()
        others = [range(s) if a != k else [0] for a, s in enumerate(way.sizes)]
        for i in itertools.product(*others):
            out |= {len({e(*i[:k], x, *i[k + 1 :]) for x in range(way.sizes[k])})}
        return out != {1}

    def together(self, j: int) -> set[int]:
        moved = [{k for way in self.ways for k in self.tiles.cut if self.depends(way, a, k)} for a in range(self.rank)]
        group = {j}
        for _ in range(self.rank):
            group |= {a for a in range(self.rank) if any(moved[a] & moved[b] for b in group)}
        return group

    def disjoint(self, axes: set[int]) -> bool:
        boxes: set[tuple[tuple[int, int], ...]] = set()
        by: dict[tuple[int, ...], set[tuple[tuple[int, int], ...]]] = {}
        relevant = [
            t for t, k in enumerate(self.tiles.cut) if any(self.depends(w, j, k) for w in self.ways for j in axes)
        ]
        for t, points in self.read.items():
            if points:
                box = tuple(self.ends(points, j) for j in sorted(axes))
                boxes.add(box)
                by.setdefault(tuple(t[r] for r in relevant), set()).add(box)
        alone = [next(iter(b)) for b in by.values()]
        return not any(
            all(a[0] <= b[1] and b[0] <= a[1] for a, b in zip(x, y, strict=True))
            for x, y in itertools.combinations(alone, 2)
        )

    def comes_back(self, j: int, axes: set[int]) -> bool:
        """Whether a cut axis moves axis `j` non-monotonically, and two tiles that differ along it read the same element."""
        cut = self.tiles.cut
        if not any(self.depends(w, j, k) and not self.moves_it(w, j, k) for w in self.ways for k in cut):
            return False
        relevant = [t for t, k in enumerate(cut) if any(self.depends(w, a, k) for w in self.ways for a in axes)]
        seen: dict[tuple[int, ...], tuple[int, ...]] = {}
        for number, points in self.read.items():
            tile = tuple(number[r] for r in relevant)
            for p in points:
                if seen.setdefault(tuple(p[a] for a in sorted(axes)), tile) != tile:
                    return True
        return False

    def own(self, t: tuple[int, ...], j: int) -> int | None:
        """Returns the length of a tile's own share along axis `j`; None if that is all of its read."""
        movers, group = self.movers(j), self.together(j)
        if len(group) > 1 and self.disjoint(group):
            return None
        if self.comes_back(j, group):
            return 0
        if not movers:
            return None
        shares: list[int] = []
        for way, k in movers:
            axes = {a: (self.span(t, a).start if a in self.tiles.cut else 0) for a in {*self.tiles.cut, k}}
            shares.append(abs(self.base(way, j, axes | {k: self.span(t, k).stop}) - self.base(way, j, axes)))
        return min(shares) if movers[0][1] in self.tiles.cut else max(shares)

    def stands(self, t: tuple[int, ...], j: int) -> int:
        out: list[int] = []
        for way, k in self.movers(j):
            axes = {a: (self.span(t, a).start if a in self.tiles.cut else 0) for a in {*self.tiles.cut, k}}
            out.append(self.base(way, j, axes) - self.base(way, j, dict.fromkeys(axes, 0)))
        return min(out)

    def tile(self, t: tuple[int, ...]) -> tuple[list[AxisFootprint], int, int]:
        parts: list[AxisFootprint] = []
        kept: list[int] = []
        for j in range(self.rank):
            low, high = self.ends(self.read[t], j)
            first, last = self.ends(self.free[t], j)
            extent, own = high - low + 1, self.own(t, j)
            share = extent if own is None else own
            halo = max(0, extent - share)
            back = own == 0 and self.comes_back(j, self.together(j))
            begins = low if own is None or back else max(first, min(self.stands(t, j), last - share + 1))
            before = min(max(0, begins - low), halo)
            parts.append(AxisFootprint(extent, last - first + 1, halo, before, halo - before))
            kept.append(min(extent, share))
        box = prod(int(p.read) for p in parts)
        return parts, box, box - prod(kept)

    def footprint(self) -> Footprint:
        found = [self.tile(t) for t in self.numbers if self.read[t]]
        if not found:
            return Footprint((AxisFootprint(0, 0),) * self.rank, 0, 0)

        def worst(j: int, what: str) -> int:
            return max(getattr(parts[j], what) for parts, _, _ in found)

        def free(j: int) -> int:
            return max(last - first + 1 for first, last in (self.ends(p, j) for p in self.free.values()))

        axes = tuple(
            AxisFootprint(worst(j, "read"), free(j), worst(j, "halo"), worst(j, "low"), worst(j, "high"))
            for j in range(self.rank)
        )
        return Footprint(axes, max(box for _, box, _ in found), max(beyond for _, _, beyond in found))


# --- windows ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("tile", "halo"), [(8, 0), (4, 1), (2, 2), (3, 2), (1, 2)])
def test_three_taps_padded_by_one(tile: int, halo: int):
    way = Way(("i0 + i1 - 1",), (8, 3), (8,))
    (part,) = footprint([way.isl()], Tiling((8, 3), 1, (tile if tile < 8 else None, None))).axes
    assert (part.halo, part.unclipped) == (halo, tile + 2)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("dilation", [1, 2, 3])
@pytest.mark.parametrize("stride", [1, 2, 3, 5])
@pytest.mark.parametrize("taps", [1, 2, 3, 5])
@pytest.mark.parametrize("pad", [0, 1, 2])
def test_windows_by_their_formula(taps: int, stride: int, dilation: int, pad: int):
    size = 17
    outputs = (size + 2 * pad - dilation * (taps - 1) - 1) // stride + 1
    way = Way((f"{stride}*i0 + {dilation}*i1 - {pad}",), (outputs, taps), (size,))
    if outputs == 1:
        return
    for tile in range(1, outputs + 1):
        found = footprint([way.isl()], Tiling((outputs, taps), 1, (tile if tile < outputs else None, None)))
        reads, excess = [], []
        for start in range(0, outputs, tile):
            own = range(start, min(outputs, start + tile))
            elements = [o * stride + k * dilation - pad for o in own for k in range(taps)]
            if not (inside := [e for e in elements if 0 <= e < size]):
                continue  # padding only
            reads.append(max(inside) - min(inside) + 1)
            excess.append(max(0, reads[-1] - stride * len(own)))
        (part,) = found.axes
        assert part.unclipped == (tile - 1) * stride + (taps - 1) * dilation + 1
        assert (part.read, part.halo) == (max(reads), max(excess))
        assert found.halo == max(excess)


def test_one_window_is_all_the_tiles_own():
    (part,) = footprint([Way(("2*i0 + 3*i1 - 1",), (1, 3), None).isl()], Tiling((1, 3), 1, (None, None))).axes
    assert part == AxisFootprint(7, 7)


def test_a_window_in_two_dimensions_counts_its_corners():
    way = Way(("i0 + i2 - 1", "i1 + i3 - 1"), (16, 16, 3, 3), (16, 16))
    found = footprint([way.isl()], Tiling((16, 16, 3, 3), 2, (4, 8, None, None)))
    assert [(p.read, p.halo, p.low, p.high) for p in found.axes] == [(6, 2, 1, 1), (9, 1, 1, 1)]
    assert (found.box, found.halo) == (6 * 9, 6 * 9 - 4 * 8)


def test_padding_before_and_after_says_where_the_halo_is():
    for pad in range(3):
        way = Way((f"i0 + i1 - {pad}",), (12, 3), (12 + 2 - 2 * pad,))
        (part,) = footprint([way.isl()], Tiling((12, 3), 1, (3, None))).axes
        assert (part.halo, part.low, part.high) == (2, pad, 2 - pad)


def test_a_slice_has_no_halo_wherever_it_begins():
    way = Way(("i0 + 5",), (12,), None)
    (part,) = footprint([way.isl()], Tiling((12,), 1, (4,))).axes
    assert part == AxisFootprint(4, 4)


# --- other reads --------------------------------------------------------------------------------


def both_ways(ways: Sequence[Way], tiles: Tiling) -> Footprint:
    found = footprint([way.isl() for way in ways], tiles)
    assert found == Enumerated(ways, tiles).footprint()
    assert found == enumerated_footprint([way.isl() for way in ways], tiles)
    return found


def halos(found: Footprint) -> list[Any]:
    return [part.halo for part in found.axes]


def test_a_value_and_its_neighbour():
    ways = [Way(("i0",), (10,), None), Way(("i0 - 1",), (10,), (10,))]
    (part,) = both_ways(ways, Tiling((10,), 1, (4,))).axes
    assert part == AxisFootprint(5, 5, 1, 1, 0)


def test_rows_that_every_tile_needs_whole():
    ways = [Way(("i0", "i1"), (4, 12), None), Way(("i0", "i2"), (4, 12, 12), None)]
    assert halos(both_ways(ways, Tiling((4, 12), 2, (2, 3)))) == [0, 9]
    assert halos(both_ways(ways, Tiling((4, 12), 2, (2, None)))) == [0, 0]


def test_an_operand_of_a_product_has_no_halo():
    for tile in [(2, 2, None), (2, None, 3), (None, 2, 3), (3, 4, 2)]:
        assert halos(both_ways([Way(("i0", "i2"), (3, 4, 5), None)], Tiling((3, 4, 5), 2, tile))) == [0, 0]


def test_a_broadcast_operand():
    assert halos(both_ways([Way(("i1", "0"), (5, 6), None)], Tiling((5, 6), 2, (2, 4)))) == [0, 0]


@pytest.mark.parametrize("tile", range(1, 33))
def test_a_reshape_apart(tile: int):
    way = Way(("(i0)//4", "i0 - 4*((i0)//4)"), (32,), None)
    found = both_ways([way], Tiling((32,), 1, (tile if tile < 32 else None,)))
    assert (found.halo == 0) == (tile in (1, 2, 4) or tile % 4 == 0)


@pytest.mark.parametrize("tile", list(itertools.product((None, 1, 2, 3), repeat=2)))
def test_a_reshape_together(tile: tuple[int | None, ...]):
    found = both_ways([Way(("4*i0 + i1",), (8, 4), None)], Tiling((8, 4), 2, tile))
    assert (found.halo == 0) == (tile[1] is None or tile[0] == 1)


@pytest.mark.parametrize("tile", [1, 3, 4, 5])
def test_a_repeated_row_is_no_tiles_own(tile: int):
    """Every element is read by several tiles, although no axis moves the range monotonically."""
    (part,) = both_ways([Way(("i0 - 4*((i0)//4)",), (16,), None)], Tiling((16,), 1, (tile,))).axes
    assert part.halo == part.read == min(tile + (tile == 3), 4)


def test_indices_that_need_all_of_64_bits():
    (part,) = both_ways([Way(("i0 + 6917529027641081856",), (6,), None)], Tiling((6,), 1, (2,))).axes
    assert (part.read, part.halo) == (2, 0)


def test_a_row_that_is_read_once_is_its_tiles_own():
    (part,) = both_ways([Way(("i0 - 4*((i0)//4)",), (4,), None)], Tiling((4,), 1, (2,))).axes
    assert part.halo == 0


def test_an_element_that_several_outputs_share():
    way = Way(("(i0)//4",), (12,), None)
    assert [halos(both_ways([way], Tiling((12,), 1, (t,)))) for t in (4, 8, 3, 1)] == [[0], [0], [1], [1]]


def test_a_transpose_beside_itself():
    ways = [Way(("i0", "i1"), (6, 6), None), Way(("i1", "i0"), (6, 6), None)]
    both_ways(ways, Tiling((6, 6), 2, (2, 3)))


def test_a_tile_that_reads_nothing_but_padding():
    ways = [Way(("i0 - 6",), (9,), (3,))]
    both_ways(ways, Tiling((9,), 1, (2,)))
    assert footprint([Way(("i0 + 9",), (4,), (9,)).isl()], Tiling((4,), 1, (2,))).box == 0


def test_a_piece_without_integer_points_is_no_tile():
    """isl considers 4 a value here, because a rational point of the piece has it, although no integer point does."""
    way = Way(("(i0)//7 - 1", "i0 - 7*((i0)//7) - 1"), (28,), (3, 5))
    found = both_ways([way], Tiling((28,), 1, (3,)))
    assert found.axes[1].read == 3


# --- random -------------------------------------------------------------------------------------


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Way], Tiling]:
    outputs = draw(st.lists(st.integers(1, 7), min_size=1, max_size=2))
    summed = draw(st.lists(st.integers(1, 3), max_size=2))
    sizes = [*outputs, *summed]
    rank = draw(st.integers(1, 2))

    def expr() -> str:
        k, r = draw(st.integers(0, len(outputs) - 1)), draw(st.integers(0, len(sizes) - 1))
        s, d, p = draw(st.integers(0, 3)), draw(st.integers(0, 2)), draw(st.integers(-1, 3))
        linear = f"{s}*i{k} + {d}*i{r} - {p}"
        q = draw(st.sampled_from([0, 0, 0, 2, 3]))
        if not q:
            return linear
        return draw(st.sampled_from([f"({linear})//{q}", f"{linear} - {q}*(({linear})//{q})"]))

    def way() -> Way:
        inside = tuple(draw(st.integers(1, 9)) for _ in range(rank)) if draw(st.booleans()) else None
        return Way(tuple(expr() for _ in range(rank)), tuple(sizes), inside)

    lengths = [draw(st.sampled_from([None, *range(1, s)])) for s in sizes]
    ways = [way() for _ in range(draw(st.integers(1, 2)))]
    assume(all(way.means_the_same_beyond() for way in ways))
    return ways, Tiling(tuple(sizes), len(outputs), tuple(lengths))


@settings(max_examples=examples(40))
@given(case=cases())
def test_random_reads(case: tuple[list[Way], Tiling]):
    both_ways(*case)


# --- names for sizes ----------------------------------------------------------------------------


def symbolic(tile: int | None) -> Footprint:
    at = affine.make_map(2, ["i0 + i1 - 1"])
    return footprint([Read(at, ("H", 3), affine.box(("H",)).preimage_multi_aff(at))], Tiling(("H", 3), 1, (tile, None)))


def test_a_tile_of_an_axis_with_a_name_is_as_of_a_long_one():
    assert symbolic(4) == Footprint((AxisFootprint(6, 6, 2, 1, 1),), 6, 2)


def test_a_whole_axis_with_a_name_is_as_long_as_the_name_says():
    found = symbolic(None)
    assert (found.box, found.halo) == (None, 0)
    assert found.axes == (AxisFootprint("H", "H + 2"),)


# --- tilings ------------------------------------------------------------------------------------

AXES = (AxisVar(0, "i0", 10), AxisVar(1, "i1", "N"), AxisVar(2, "i2", 3, "reduce"))


def test_a_tile_by_names_and_by_places():
    assert tiling(AXES, 2, None).lengths == (None, None, None)
    assert tiling(AXES, 2, {"i0": 4, "i2": 1}).lengths == (4, None, 1)
    assert tiling(AXES, 2, [None, 4]) == tiling(AXES, 2, {"i1": 4})
    assert tiling(AXES, 2, {"i0": 10, "i2": 5}).lengths == (None, None, None)


@pytest.mark.parametrize("tile", [{"i7": 1}, {"i0": 0}, [1, 1, 1, 1]])
def test_a_tile_that_does_not_fit(tile: Any):
    with pytest.raises(InvalidTile) as e:
        tiling(AXES, 2, tile)
    assert "i0 of 10, i1 of N, i2 of 3 (summed)" in e.value.help


def test_tails():
    assert tiling(AXES, 2, {"i0": 4, "i1": 8, "i2": 3}).tails == (0, 1)
    assert tiling(AXES, 2, {"i0": 5, "i2": 1}).tails == ()


def test_too_many_kinds_of_tiles(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(footprints, "MAX_KINDS", 2)
    with pytest.raises(TooComplex, match="more than 2") as caught:
        symbolic(4)
    assert str(caught.value) == (
        "error[PTIR0230]: the set of different tiles is too complex: more than 2\n"
        "  help: store an intermediate value, or replace symbolic sizes by numbers"
    )
