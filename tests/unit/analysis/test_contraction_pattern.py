"""`classify` on a table of pairs of access maps: contractions, and similar pairs that are none."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import product
from math import prod

import pytest

from ptir.analysis.index import affine
from ptir.analysis.regions.contraction_pattern import ContractionPattern, Offset, classify

Case = tuple[str, str, str]
"""Two operands, such as `x[…]` and `w[…]`, and the sizes of the axes, such as `n:2 h:8 | k:3` with kept axes before the bar."""


def read(case: Case, pads: dict[str, int] | None = None) -> tuple[ContractionPattern, list[str]]:
    """Returns the pattern of a case, and the names of its axes. `pads` guards expressions to stay within 0 … size - 1."""
    axes, lhs, rhs = case
    kept, summed = ([a.split(":") for a in part.split()] for part in axes.split("|"))
    names = [name for name, _ in (*kept, *summed)]
    sizes = [int(size) if size.isdigit() else size for _, size in (*kept, *summed)]

    def spelt(text: str) -> str:
        for k, name in sorted(enumerate(names), key=lambda n: -len(n[1])):
            text = text.replace(name, f"@{k}")
        return text.replace("@", "i")

    def operand(text: str):
        guard = [f"0 <= {spelt(e)} < {size}" for e, size in (pads or {}).items() if e in text]
        at = affine.make_map(len(names), [spelt(e) for e in text.split(", ")], sizes)
        return at, affine.make_set(sizes, guard) if guard else None

    return classify(operand(lhs), operand(rhs), sizes, len(kept)), names


@pytest.mark.parametrize(
    ("case", "batch", "m", "n", "k"),
    [
        (("a:4 b:5 | k:6", "a, k", "k, b"), "", "a", "b", "k"),
        (("a:4 b:5 | k:6", "k, a", "b, k"), "", "a", "b", "k"),
        (("b:5 a:4 | k:6", "a, k", "k, b"), "", "a", "b", "k"),
        (("z:3 a:4 b:5 | k:6", "z, a, k", "z, k, b"), "z", "a", "b", "k"),
        (("y:2 z:3 a:4 b:5 | k:6 l:7", "z, y, a, l, k", "k, l, y, z, b"), "y z", "a", "b", "k l"),
        # Broadcast batches: one operand is the same for all of them.
        (("z:3 a:4 b:5 | k:6", "z, a, k", "k, b"), "", "z a", "b", "k"),
        (("y:3 z:3 a:4 b:5 | k:6", "y, 0, a, k", "0, z, k, b"), "", "y a", "z b", "k"),
        (("z:3 a:4 b:5 | k:6", "a, k", "k, b"), "", "a", "b", "k"),
        (("a:4 | k:6", "a, k", "k"), "", "a", "", "k"),
        ((" | k:6", "k", "k"), "", "", "", "k"),
        (("a:4 | k:6", "a, k", "a, k"), "a", "", "", "k"),
        (("a:4 b:5 | k:1", "a, 0", "0, b"), "", "a", "b", "k"),
        (("a:4 b:5 | k:6", "a + 2, k", "k, 3*b"), "", "a", "b", "k"),
        # Axes that are merged in operands: rows, or heads, which both operands have or only one.
        (("a:4 b:5 | k:6", "6*a + k", "k, b"), "", "a", "b", "k"),
        (("a:4 b:5 | k:6", "a + 4*k", "k, b"), "", "a", "b", "k"),
        (("g:3 a:4 b:5 | k:6", "a, 6*g + k", "b, 6*g + k"), "g", "a", "b", "k"),
        (("g:3 a:4 b:5 | k:6", "a, 6*g + k", "b, k"), "", "g a", "b", "k"),
        (("a:4 b:5 | h:3 k:6", "a, 6*h + k", "6*h + k, b"), "", "a", "b", "h k"),
        (("y:3 a:4 b:5 | k:6", "4*y + a, k", "k, b"), "", "y a", "b", "k"),
        # Overlapping reads of kept axes alone, of summed axes alone, and with an axis that both read.
        (("y:3 a:4 b:5 | k:6", "y + a, k", "k, b"), "", "y a", "b", "k"),
        (("a:4 b:5 | h:3 k:6", "a, h + k", "h, k, b"), "", "a", "b", "h k"),
        (("g:3 a:4 b:5 | k:6", "a, g + k", "g, k, b"), "g", "a", "b", "k"),
        # An iteration axis is a merge of axes that one operand has separately.
        (("a:4 b:5 | k:18", "a, floor(k/6), k - 6*floor(k/6)", "k, b"), "", "a", "b", "k"),
        (("a:12 b:5 | k:6", "floor(a/4), a - 4*floor(a/4), k", "k, b"), "", "a", "b", "k"),
        # Not affine offsets: an index with two windows, and one that divides the sum of two axes.
        (("a:4 b:5 | h:3 k:3", "a + h + k", "h, k, b"), "", "a", "b", "h k"),
        (("a:4 b:5 | k:3", "floor((a + k)/2)", "k, b"), "", "a", "b", "k"),
        # Divisions at which an axis cannot be split evenly.
        (("a:4 b:5 | k:10", "a + floor(k/4)", "k, b"), "", "a", "b", "k"),
        (("a:4 b:5 | k:12", "a + floor(k/6), floor(k/4)", "k, b"), "", "a", "b", "k"),
        (("a:4 b:5 | k:10", "a + floor((k + 3)/5)", "k, b"), "", "a", "b", "k"),
        (("a:B b:5 | k:S", "a, k", "k, b"), "", "a", "b", "k"),
        (("a:B b:5 | k:6", "6*a + k", "k, b"), "", "a", "b", "k"),
    ],
)
def test_matmuls(case: Case, batch: str, m: str, n: str, k: str):
    found, names = read(case)
    assert found.pattern == "matmul" and found.digits is None and not any(found.offsets)
    spelt = [" ".join(names[a] for a in axes) for axes in (found.batch, found.m, found.n, found.k)]
    assert spelt == [batch, m, n, k]
    read_by = {names[a] for a in (*found.lhs, *found.rhs)}
    assert read_by == {name for name in names if name in case[1] + case[2]} - (
        {"k"} if case[0].endswith("k:1") else set()
    )


@pytest.mark.parametrize(
    ("case", "pads", "offsets"),
    [
        # 1-D to 3-D; (axis of x, output, window, stride, dilation, offset).
        (("n:2 f:3 p:6 | c:4 q:3", "n, c, p + q", "f, c, q"), {}, [(2, "p", "q", 1, 1, 0)]),
        (("n:2 f:3 p:8 | c:4 q:3", "n, c, p + q - 1", "f, c, q"), {"p + q - 1": 8}, [(2, "p", "q", 1, 1, -1)]),
        (("n:2 f:3 p:8 | c:4 q:3", "n, c, p + q - 2", "f, c, q"), {"p + q - 2": 8}, [(2, "p", "q", 1, 1, -2)]),
        (("n:2 f:3 p:4 | c:4 q:3", "n, c, 2*p + q", "f, c, q"), {}, [(2, "p", "q", 2, 1, 0)]),
        (("n:2 f:3 p:4 | c:4 q:3", "n, c, p + 2*q", "f, c, q"), {}, [(2, "p", "q", 1, 2, 0)]),
        (("n:2 f:3 p:4 | c:4 q:3", "n, c, 3*p + 2*q - 4", "f, c, q"), {"3*p + 2*q - 4": 9}, [(2, "p", "q", 3, 2, -4)]),
        (("n:2 f:3 p:4 | c:4 q:3", "n, c, 2*p + 2*q", "f, c, q"), {}, [(2, "p", "q", 2, 2, 0)]),
        (("n:2 f:3 p:4 | c:4 q:3", "n, c, p - q + 2", "f, c, q"), {}, [(2, "p", "q", 1, -1, 2)]),
        (("f:3 p:4 | q:3", "p - q + 2", "f, q"), {}, [(0, "p", "q", 1, -1, 2)]),
        (
            ("n:2 f:3 p:6 r:5 | c:4 q:3 s:2", "n, c, p + q, 2*r + s - 1", "f, c, q, s"),
            {"2*r + s - 1": 9},
            [(2, "p", "q", 1, 1, 0), (3, "r", "s", 2, 1, -1)],
        ),
        (
            ("n:2 p:6 r:5 t:4 f:3 | q:3 s:3 u:3 c:4", "n, p + q, r + s, t + 2*u, c", "q, s, u, c, f"),
            {},
            [(1, "p", "q", 1, 1, 0), (2, "r", "s", 1, 1, 0), (3, "t", "u", 1, 2, 0)],
        ),
        # A single channel, a single filter, depthwise, and windows as high as the image.
        (("p:6 r:6 | q:3 s:3", "p + q, r + s", "q, s"), {}, [(0, "p", "q", 1, 1, 0), (1, "r", "s", 1, 1, 0)]),
        (("n:2 p:6 c:4 | q:3", "n, p + q, c", "q, c"), {}, [(1, "p", "q", 1, 1, 0)]),
        (("n:2 r:6 f:4 | c:3 q:3 s:5", "n, q, r + s, c", "q, s, c, f"), {}, [(2, "r", "s", 1, 1, 0)]),
        # Groups in an axis of their own and merged with the channels, of the input and of the filters.
        (("n:2 g:3 f:2 p:6 | c:4 q:3", "n, g, c, p + q", "g, f, c, q"), {}, [(3, "p", "q", 1, 1, 0)]),
        (("n:2 g:3 f:2 p:6 | c:4 q:3", "n, 4*g + c, p + q", "2*g + f, c, q"), {}, [(2, "p", "q", 1, 1, 0)]),
        # Windows that tile the image, beside channels or each other.
        (("n:2 f:3 p:4 | c:4 q:2", "n, c, 2*p + q", "f, c, q"), {}, [(2, "p", "q", 2, 1, 0)]),
        (("p:4 r:4 | q:2 s:2", "2*p + q, 2*r + s", "q, s"), {}, [(0, "p", "q", 2, 1, 0), (1, "r", "s", 2, 1, 0)]),
        (("n:2 f:3 p:4 | c:4 q:2", "n, c, 3*p + q + 1", "f, c, q"), {}, [(2, "p", "q", 3, 1, 1)]),
        # Windows that tile the image but extend beyond it, which no reshape does.
        (("f:3 p:4 | q:2", "2*p + q - 1", "f, q"), {"2*p + q - 1": 7}, [(0, "p", "q", 2, 1, -1)]),
        # Channels are merged with an axis of the image.
        (("f:3 p:6 | q:3 c:4", "4*p + 4*q + c", "q, c, f"), {}, [(0, "p", "q", 1, 1, 0, 4)]),
        (("f:3 p:6 | c:4 q:3", "8*c + p + q", "q, c, f"), {}, [(0, "p", "q", 1, 1, 0)]),
        (("f:3 p:8 | c:4 q:3", "8*c + p + q - 1", "q, c, f"), {"p + q - 1": 8}, None),
        # Symbolic sizes.
        (("n:N f:F p:P | c:C q:3", "n, c, p + q", "f, c, q"), {}, [(2, "p", "q", 1, 1, 0)]),
        (("n:N f:F p:P | c:C q:Q", "n, c, 2*p + q", "f, c, q"), {}, [(2, "p", "q", 2, 1, 0)]),
        (("f:F p:P | q:Q", "2*p + q", "f, q"), {}, [(0, "p", "q", 2, 1, 0)]),
    ],
)
def test_convolutions(case: Case, pads: dict[str, int], offsets: list[tuple[object, ...]] | None):
    if offsets is None:  # the index merges channels and image; the guard is on the window alone
        axes, lhs, rhs = case
        found, names = read((axes, f"p + q - 1, {lhs}", rhs), pads)
        assert [o for o in found.offsets[0] if o.axis == 1] == [Offset(1, names.index("p"), names.index("q"), 1, 1, -1)]
        return
    for swapped in (False, True):
        axes, lhs, rhs = case
        found, names = read((axes, rhs, lhs) if swapped else case, pads)
        assert found.pattern == "conv" and found.digits is None
        mine, other = found.offsets[::-1] if swapped else found.offsets
        want = [
            Offset(int(str(a)), names.index(str(o)), names.index(str(w)), *map(int, map(str, n)))
            for a, o, w, *n in offsets
        ]
        assert (list(mine), list(other)) == (want, [])


def test_groups_are_counted():
    assert read(("n:2 g:3 f:2 p:6 | c:4 q:3", "n, g, c, p + q", "g, f, c, q"))[0].groups == 3
    assert read(("n:2 f:2 p:6 | c:4 q:3", "n, c, p + q", "f, c, q"))[0].groups == 1
    assert read(("n:2 g:G f:2 p:6 | c:4 q:3", "n, g, c, p + q", "g, f, c, q"))[0].groups is None


def test_windows_that_tile_are_a_matmul_of_rows():
    """x[2p + q] alone is the matmul of x as [4, 2], but only if windows have exactly two elements."""
    assert read(("f:3 p:4 | q:2", "2*p + q", "f, q"))[0].pattern == "matmul"
    assert read(("f:3 p:4 | q:3", "2*p + q", "f, q"))[0].pattern == "conv"
    assert read(("f:3 p:4 | q:3", "3*p + q", "f, q"))[0].pattern == "matmul"


def test_taps_that_lie_apart_are_a_matmul_of_columns():
    """
    x[p + 4q] alone is the matmul of x as [3, 4], with p as the second axis, but only if the ranges of p and 4q do not overlap.
    """
    assert read(("f:3 p:4 | q:3", "p + 4*q", "f, q"))[0].pattern == "matmul"
    assert read(("f:3 p:5 | q:3", "p + 4*q", "f, q"))[0].pattern == "conv"


@pytest.mark.parametrize(("at", "offset"), [("p + 4*q - 8", -8), ("2*p + q - 2", -2), ("p + 4*q - 3", -3)])
def test_windows_that_stick_out_are_a_convolution(at: str, offset: int):
    """This also holds if the padding is as long as the rows or columns that windows would tile."""
    case = ("f:3 p:4 | q:2", at, "f, q") if at.startswith("2") else ("f:3 p:4 | q:3", at, "f, q")
    found, _ = read(case, {at: 4})
    assert found.pattern == "conv" and [o.offset for o in found.offsets[0]] == [offset]


def test_an_operand_reads_the_axes_of_its_guard():
    """Padding an axis of size 1 makes the operand vary along it, though the map is constant."""
    found, names = read(("a:3 b:5 | k:6", "0, k", "k, b"))
    assert names[0] not in [names[a] for a in found.lhs]
    at, rhs = affine.make_map(3, ["0", "i2"]), (affine.make_map(3, ["i2", "i1"]), None)
    padded = classify((at, affine.make_set([3, 5, 6], ["i0 = 1"])), rhs, [3, 5, 6], 2)
    assert (padded.m, padded.n, padded.spread) == ((0,), (1,), ())
    idle = classify((at, affine.make_set([3, 5, 6], ["i0 <= 7"])), rhs, [3, 5, 6], 2)
    assert (idle.m, idle.n, idle.spread) == ((), (1,), (0,))


def test_an_axis_that_changes_nothing_is_not_read():
    """`floor((2k + a)/12)` is `floor(k/6)` where a is 0 or 1."""
    found, _ = read(("a:2 b:5 | k:12", "floor((2*k + a)/12), k", "k, b"))
    assert (found.m, found.n, found.spread) == ((), (1,), (0,))
    found, _ = read(("a:3 b:5 | k:12", "floor((2*k + a)/12), k", "k, b"))
    assert (found.m, found.n, found.spread) == ((0,), (1,), ())


# --- the same convolution, however it is merged ---------------------------------------------------


@dataclass(frozen=True)
class Conv:
    """The sizes and attributes of a convolution."""

    windows: int
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    pad: tuple[int, ...]
    out: tuple[int, ...]
    kernel: tuple[int, ...]
    channels: int
    filters: int
    groups: int
    batch: int

    @property
    def image(self) -> list[int]:
        rows = zip(self.out, self.stride, self.kernel, self.dilation, self.pad, strict=True)
        return [max(1, (o - 1) * s + (k - 1) * d + 1 - 2 * p) for o, s, k, d, p in rows]


def random_conv(rng: random.Random) -> Conv:
    windows = rng.choice([1, 2, 3])

    def each(*of: int) -> tuple[int, ...]:
        return tuple(rng.choice(of) for _ in range(windows))

    kernel = each(2, 3)
    stride = tuple(rng.randint(1, k - 1) for k in kernel)  # windows overlap
    return Conv(
        windows,
        stride,
        each(1, 1, 2) if all(s == 1 for s in stride) else (1,) * windows,
        each(0, 1),
        each(3, 4, 5),
        kernel,
        rng.choice([2, 3]),
        rng.choice([2, 3]),
        rng.choice([1, 2]),
        rng.choice([2, 3]),
    )


def merged(groups: list[list[int]], sizes: list[int]) -> tuple[list[str], list[int]]:
    """Returns expressions for single axes in terms of the axes merged by `groups`, and the sizes of the merged axes."""
    exprs = [""] * len(sizes)
    for k, group in enumerate(groups):
        for position, axis in enumerate(group):
            step = prod(sizes[a] for a in group[position + 1 :])
            top = f" - {sizes[axis]}*floor(i{k}/{step * sizes[axis]})" if position else ""
            exprs[axis] = f"(floor(i{k}/{step}){top})"
    return exprs, [prod(sizes[a] for a in group) for group in groups]


def cut(rng: random.Random, axes: list[int]) -> list[list[int]]:
    """Groups adjacent axes at random."""
    groups: list[list[int]] = []
    for axis in axes:
        if groups and rng.random() < 0.5:
            groups[-1].append(axis)
        else:
            groups.append([axis])
    return groups


@pytest.mark.parametrize("seed", range(60))
def test_merged_iteration_axes_and_operands_change_nothing(seed: int):
    """
    A random convolution whose output axes, summed axes and image axes are merged at random: the offsets found, traced
    through `digits`, are those of the windows.
    """
    rng = random.Random(seed)
    c = random_conv(rng)
    w = c.windows
    sizes = [c.batch, *c.out, c.groups, c.filters, *c.kernel, c.channels]
    n, outs, g, f = 0, list(range(1, w + 1)), w + 1, w + 2
    kernel, channel = list(range(w + 3, 2 * w + 3)), 2 * w + 3
    groups = [*cut(rng, [n, *outs, g, f]), *cut(rng, [*kernel, channel])]
    rank = sum(axis <= f for axis, *_ in groups)
    exprs, iteration = merged(groups, sizes)
    windows = [
        f"{s}*{exprs[o]} + {d}*{exprs[k]} - {p}"
        for s, d, p, o, k in zip(c.stride, c.dilation, c.pad, outs, kernel, strict=True)
    ]
    guard = [f"0 <= {e} < {size}" for e, size, p in zip(windows, c.image, c.pad, strict=True) if p]
    channels = f"{c.channels}*{exprs[g]} + {exprs[channel]}"
    x = affine.make_map(len(groups), [exprs[n], *windows, channels])
    filters = affine.make_map(
        len(groups), [*(exprs[k] for k in kernel), exprs[channel], f"{c.filters}*{exprs[g]} + {exprs[f]}"]
    )
    found = classify((x, affine.make_set(iteration, guard) if guard else None), (filters, None), iteration, rank)
    assert found.pattern == "conv" and found.groups == c.groups
    assert found.offsets[1] == () and [o.axis for o in found.offsets[0]] == list(range(1, w + 1))
    digits = found.digits if found.digits is not None else affine.identity(len(groups))
    for offset, o, k, row in zip(
        found.offsets[0], outs, kernel, zip(c.stride, c.dilation, c.pad, strict=True), strict=True
    ):
        assert (offset.stride, offset.dilation, -offset.offset, offset.unit) == (*row, 1)
        for axis, place in ((o, offset.out), (k, offset.window)):
            want = affine.make_map(len(groups), [exprs[axis]]).get_at(0)
            assert affine.box(iteration).intersect(digits.get_at(place).ne_set(want)).is_empty()


def test_rows_of_patches_of_a_flat_image():
    """im2col of a flat padded image reads `4*row + …`: only the guard still knows where an image row ends."""
    row = ["floor(i0/64)", "floor(i0/8) - 8*floor(i0/64)", "i0 - 8*floor(i0/8)"]
    column = ["floor(i2/12)", "floor(i2/4) - 3*floor(i2/12)", "i2 - 4*floor(i2/4)"]
    h, w = (f"{row[k + 1]} + {column[k]} - 1" for k in range(2))
    sizes = [128, 5, 36]
    at = affine.make_map(3, [f"256*({row[0]}) + 32*({h}) + 4*({w}) + {column[2]}"])
    guard = affine.make_set(sizes, [f"0 <= {e} < 8" for e in (h, w)])
    found = classify((at, guard), (affine.make_map(3, ["i2", "i1"]), None), sizes, 2)
    assert found.sizes == (2, 8, 8, 5, 3, 12)
    assert set(found.offsets[0]) == {Offset(0, 1, 4, 1, 1, -1, 32), Offset(0, 2, 5, 4, 1, -4)}


@pytest.mark.parametrize(("stride", "dilation", "pad", "base"), [*product([1, 2, 4], [1, 2, 5], [0, 1], [2, 3])])
def test_a_transposed_convolution_reads_where_its_base_dilation_divides(
    stride: int, dilation: int, pad: int, base: int
):
    """The quotient has any coefficient in isl's normal form, and the remainder any value."""
    e, sizes = f"{stride}*i0 + {dilation}*i2 - {pad}", [13, 4, 3]
    guard = affine.make_set(sizes, [f"({e}) mod {base} = 0", f"0 <= {e} < {base * 9}"])
    at = affine.make_map(3, [f"floor(({e})/{base})"])
    found = classify((at, guard), (affine.make_map(3, ["i2", "i1"]), None), sizes, 2)
    if stride % base or dilation % base:
        assert found.offsets[0] == (Offset(0, 0, 2, stride, dilation, -pad, base_dilation=base),)


@pytest.mark.parametrize(("stride", "dilation", "pad", "last"), [*product([1, 2], [1, 2], [0, 1], [False, True])])
def test_a_flat_image_is_split_as_its_guard_says(stride: int, dilation: int, pad: int, last: bool):
    """x[n, h, w, c] in one axis: the image of a padded convolution wraps into the next row, if it were not guarded."""
    out, kernel, c = 5, 3, 4
    size = (out - 1) * stride + (kernel - 1) * dilation + 1 - 2 * pad
    h, w = (f"{stride}*i{o} + {dilation}*i{k} - {pad}" for o, k in ((0, 3), (1, 4)))
    at = f"{size * c}*({h}) + {c}*({w}) + i5" if last else f"{size * size}*i5 + {size}*({h}) + {w}"
    sizes = [out, out, 2, kernel, kernel, c]
    guard = affine.make_set(sizes, [f"0 <= {e} < {size}" for e in (h, w)])
    found = classify((affine.make_map(6, [at]), guard), (affine.make_map(6, ["i3", "i4", "i5", "i2"]), None), sizes, 3)
    unit = c if last else 1
    assert set(found.offsets[0]) == {
        Offset(0, 0, 3, stride, dilation, -pad, size * unit),
        Offset(0, 1, 4, stride, dilation, -pad, unit),
    }


@pytest.mark.parametrize(
    ("base", "stride", "dilation", "pad"), [(2, 1, 1, 2), (3, 1, 2, 1), (2, 3, 1, 0), (4, 1, 1, 3)]
)
def test_a_transposed_convolution_has_its_offsets(base: int, stride: int, dilation: int, pad: int):
    """x is read at `(stride*p + dilation*q - pad)/base` where that is an element, and zero at the gaps between."""
    at, index = (
        affine.make_map(4, [f"floor(({(where := f'{stride}*i0 + {dilation}*i2 - {pad}')})/{base})", "i3"]),
        where,
    )
    sizes, filters = [9, 5, 3, 4], affine.make_map(4, ["i2", "i3", "i1"])
    inside = [f"0 <= {index} < {6 * base}", f"({index}) mod {base} = 0"]
    found = classify((at, affine.make_set(sizes, inside)), (filters, None), sizes, 2)
    assert found.pattern == "conv" and found.offsets[1] == ()
    assert found.offsets[0] == (Offset(0, 0, 2, stride, dilation, -pad, base_dilation=base),)
    unguarded = classify((at, affine.make_set(sizes, inside[:1])), (filters, None), sizes, 2)
    assert unguarded.pattern == "matmul"
