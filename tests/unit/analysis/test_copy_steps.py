"""How copies move with k, against every address and every guard of a convolution, enumerated."""

from __future__ import annotations

from itertools import product
from math import prod

import pytest

from ptir.analysis.index import affine
from ptir.analysis.regions.addresses import linear_address
from ptir.analysis.regions.copy_steps import copy_steps


def conv(
    image: tuple[int, int, int], out: tuple[int, int], window: tuple[int, int], stride: int, dilation: int, pad: int
) -> tuple[tuple[int, ...], affine.isl.MultiAff, affine.isl.Set]:
    """Returns the bounds (m, k), the map to an image [2, H, W, C], and the guard of a convolution."""
    (height, width, channels), (rows, columns), (r, s) = image, out, window
    p, q = f"(floor(i0/{columns}) - {rows}*floor(i0/{rows * columns}))", f"(i0 - {columns}*floor(i0/{columns}))"
    tr, ts = f"floor(i1/{s * channels})", f"(floor(i1/{channels}) - {s}*floor(i1/{s * channels}))"
    h, w = (f"{stride}*{a} + {dilation}*{b} - {pad}" for a, b in ((p, tr), (q, ts)))
    at = [f"floor(i0/{rows * columns})", h, w, f"i1 - {channels}*floor(i1/{channels})"]
    bounds = 2 * rows * columns, r * s * channels
    guard = affine.make_set(bounds, [f"0 <= {h} < {height}", f"0 <= {w} < {width}"])
    return bounds, affine.simplify(affine.make_map(2, at), bounds), guard


def value(aff: affine.isl.Aff, point: tuple[int, ...]) -> int:
    v = affine.isl.Val
    at = affine.isl.Point.zero(aff.get_domain_space())
    for k, number in enumerate(point):
        at = at.set_coordinate_val(affine.isl.dim_type.set, k, v(number))
    return int(aff.eval(at).to_python())


def holds(where: affine.isl.Set, point: tuple[int, ...]) -> bool:
    return (
        bool(where.intersect(affine.make_set(point, [f"i{k} = {x}" for k, x in enumerate(point)])).is_empty()) is False
    )


@pytest.mark.parametrize(
    ("image", "out", "window", "stride", "dilation", "pad", "step", "masks"),
    [
        ((4, 5, 8), (4, 5), (3, 3), 1, 1, 1, 4, [(8, 9)]),
        ((5, 4, 8), (2, 2), (3, 2), 2, 1, 0, 8, [(16, 1)]),  # no padding: one bit
        ((3, 3, 4), (3, 3), (7, 5), 1, 1, 3, 4, [(4, 5), (20, 7)]),  # 35 taps
        ((7, 7, 4), (3, 3), (3, 3), 2, 2, 2, 2, [(4, 9)]),
    ],
)
def test_steps_reach_every_address(
    image: tuple[int, int, int],
    out: tuple[int, int],
    window: tuple[int, int],
    stride: int,
    dilation: int,
    pad: int,
    step: int,
    masks: list[tuple[int, int]],
):
    bounds, at, guard = conv(image, out, window, stride, dilation, pad)
    address = linear_address((2, *image), at, bounds)
    steps = copy_steps(at, address, guard, bounds, 1, step, 2**31)
    assert steps is not None and [(m.unit, m.count) for m in steps.masks] == masks
    assert prod(steps.sizes) * step == bounds[1]
    moved, digits = 0, [0] * len(steps.sizes)
    for k in range(0, bounds[1], step):
        for m, inside in product(range(0, bounds[0], 3), range(0, step, step - 1)):
            assert value(address, (m, k + inside)) == value(address, (m, inside)) + moved
            bits = [holds(mask.where, (m, k // mask.unit % mask.count * mask.unit)) for mask in steps.masks]
            assert all(bits) == holds(guard, (m, k + inside)), (m, k)
        carried = next((j for j, size in enumerate(steps.sizes) if digits[j] + 1 < size), None)
        if carried is not None:
            moved += steps.increments[carried]
            digits = [0 if j < carried else d + (j == carried) for j, d in enumerate(digits)]


def test_other_forms_have_no_steps():
    bounds, at, guard = conv((4, 5, 8), (4, 5), (3, 3), 1, 1, 1)
    address = linear_address((2, 4, 5, 8), at, bounds)
    assert copy_steps(at, address, guard, bounds, 1, 16, 2**31) is None  # a step reaches over two taps
    assert copy_steps(at, address, guard, bounds, 1, 8, 100) is None  # offsets are too large
    mixed = affine.make_map(2, ["floor((i0 + i1)/2)"])
    assert copy_steps(mixed, mixed.get_at(0), None, (8, 8), 1, 1, 2**31) is None  # a transposed convolution
