"""The vector width of an access, against the addresses of every vector."""

from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptir.analysis.index import affine
from ptir.analysis.regions.addresses import linear_address
from ptir.analysis.regions.tile_access import vector_width

WIDTHS = (8, 4, 2)


def widest(sizes: tuple[int, ...], array: tuple[int, ...], axes: tuple[int, ...], base: int) -> int:
    """Returns the widest access along the last axis of `sizes`, by enumeration of `array` read with its axes permuted."""
    strides = [prod(array[a + 1 :]) for a in range(len(array))]

    def address(point: tuple[int, ...]) -> int:
        flat = 0
        for size, index in zip(sizes, point, strict=True):
            flat = flat * size + index
        index = [0] * len(array)
        for a in reversed(axes):
            flat, index[a] = divmod(flat, array[a])
        return sum(s * i for s, i in zip(strides, index, strict=True))

    def fits(width: int) -> bool:
        if base % width or sizes[-1] % width:
            return False
        return all(
            address((*outer, first)) % width == 0
            and all(address((*outer, first + k)) == address((*outer, first)) + k for k in range(width))
            for outer in product(*map(range, sizes[:-1]))
            for first in range(0, sizes[-1], width)
        )

    return next(filter(fits, WIDTHS), 1)


@given(st.data())
def test_vectors_are_contiguous_and_aligned(data: st.DataObject) -> None:
    """A matrix whose rows are made of several axes of an array, in any order."""
    array = tuple(data.draw(st.lists(st.sampled_from((2, 3, 4, 8)), min_size=3, max_size=4)))
    axes = tuple(data.draw(st.permutations(range(len(array)))))
    split = data.draw(st.integers(1, len(array) - 1))
    moved = [array[a] for a in axes]
    sizes = (prod(moved[:split]), prod(moved[split:]))
    base = data.draw(st.sampled_from((1, 2, 4, 8)))
    back = affine.make_map(len(array), [f"i{axes.index(k)}" for k in range(len(array))])
    at = affine.compose(back, affine.reshape_map(sizes, moved), sizes)
    got = vector_width(sizes, linear_address(array, at, sizes), 1, base, WIDTHS)
    assert got == widest(sizes, array, axes, base)


@pytest.mark.parametrize(("group", "width"), [(16, 8), (4, 4), (3, 1)])
def test_groups_of_channels_are_read_by_vectors(group: int, width: int) -> None:
    """Channels-last groups: a row is made of runs of `group` elements, 4 · `group` elements apart."""
    sizes = 4, 8 * group
    at = affine.make_map(2, [f"floor(i1/{group})", "i0", f"i1 mod {group}"])
    assert vector_width(sizes, linear_address((8, 4, group), at, sizes), 1, 8, WIDTHS) == width
