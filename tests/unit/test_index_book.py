"""`analysis/affine.py` and `analysis/index_book.py`: maps against index arrays that NumPy itself moves about."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import islpy as isl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import TensorType, f32
from xdsl.utils.test_value import create_ssa_value

from ptir.analysis import affine
from ptir.analysis.index_book import IndexBook, index_info
from ptir.dialects import tiny
from ptir.semantics.access import index_function

shapes = st.lists(st.integers(1, 5), max_size=4).map(tuple)


def point_by_point(m: isl.MultiAff, sizes: Sequence[int]) -> Any:
    """The map's value at every point of the box, asked of isl one point at a time; the last axis is the map's."""
    out = np.zeros((*sizes, m.dim(isl.dim_type.out)), np.int64)
    for at in np.ndindex(*sizes):
        point = isl.Point.zero(m.get_domain_space())
        for axis, value in enumerate(at):
            point = point.set_coordinate_val(isl.dim_type.set, axis, isl.Val.int_from_si(affine.CONTEXT, value))
        for k in range(out.shape[-1]):
            out[at][k] = m.get_at(k).eval(point).to_python()
    return out


def numbers(sizes: Sequence[int]) -> Any:
    """Each element's own row-major number: moving this array shows where elements come from."""
    return np.arange(prod(sizes)).reshape(sizes)


def reads(m: isl.MultiAff, sizes: Sequence[int], source: Sequence[int]) -> Any:
    """For each point of the box, the number of the element of `source` that the map reads."""
    index = point_by_point(m, sizes)
    assert (index >= 0).all() and (index < np.array(source, np.int64)).all(), "the map leaves its operand"
    return index @ np.array(affine.row_major(source), np.int64)


def value(*sizes: int) -> Any:
    return create_ssa_value(TensorType(f32, sizes))


def access(op: Any, k: int = 0) -> tuple[isl.MultiAff, tuple[int, ...]]:
    info = index_info(op)
    assert info is not None
    return info.accesses[k].map, info.sizes


# --- movements ----------------------------------------------------------------------------------


@st.composite
def reshapes(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two shapes of the same number of elements."""
    primes = draw(st.lists(st.sampled_from([2, 2, 3, 5]), max_size=5))

    def grouped() -> tuple[int, ...]:
        out = [1] * draw(st.integers(1 if primes else 0, 4))
        for p in draw(st.permutations(primes)):
            out[draw(st.integers(0, len(out) - 1))] *= p
        return tuple(out)

    return grouped(), grouped()


@given(shapes=reshapes())
def test_reshape_reads_the_same_element_number(shapes: tuple[tuple[int, ...], tuple[int, ...]]):
    source, target = shapes
    m, sizes = access(tiny.MovementOp("reshape", value(*source), target))
    np.testing.assert_array_equal(reads(m, sizes, source), numbers(source).reshape(target))


@given(data=st.data(), source=shapes)
def test_permute_reads_what_transpose_puts_there(data: st.DataObject, source: tuple[int, ...]):
    perm = data.draw(st.permutations(range(len(source))))
    m, sizes = access(tiny.MovementOp("permute", value(*source), [source[p] for p in perm], perm))
    np.testing.assert_array_equal(reads(m, sizes, source), numbers(source).transpose(perm))


@given(data=st.data(), target=shapes)
def test_expand_reads_what_broadcast_to_puts_there(data: st.DataObject, target: tuple[int, ...]):
    keep = data.draw(st.integers(0, len(target)))
    source = tuple(1 if data.draw(st.booleans()) else s for s in target[len(target) - keep :])
    m, sizes = access(tiny.MovementOp("expand", value(*source), target))
    np.testing.assert_array_equal(reads(m, sizes, source), np.broadcast_to(numbers(source), target))


@given(data=st.data(), target=shapes)
def test_binary_broadcasts_from_the_right(data: st.DataObject, target: tuple[int, ...]):
    keep = data.draw(st.integers(0, len(target)))
    source = tuple(1 if data.draw(st.booleans()) else s for s in target[len(target) - keep :])
    op = tiny.BinaryOp("add", value(*target), value(*source))
    np.testing.assert_array_equal(reads(access(op, 0)[0], target, target), numbers(target))
    np.testing.assert_array_equal(reads(access(op, 1)[0], target, source), np.broadcast_to(numbers(source), target))


@given(data=st.data(), source=shapes)
def test_reduce_iterates_over_kept_then_reduced_axes(data: st.DataObject, source: tuple[int, ...]):
    axes = data.draw(st.lists(st.sampled_from(range(len(source))), unique=True)) if source else []
    info = index_info(op := tiny.ReduceOp("sum", value(*source), axes, f32))
    assert info is not None
    kept = [a for a in range(len(source)) if a not in axes]
    assert (info.rank, info.reduced) == (len(kept), len(axes))
    want = numbers(source).transpose([*kept, *op.axes()])
    np.testing.assert_array_equal(reads(info.accesses[0].map, info.sizes, source), want)


def test_the_book_knows_leaves_by_their_shape():
    x = value(2, 3)
    op = tiny.UnaryOp("exp", x)
    book = IndexBook([op])
    assert list(book) == [op.result]
    assert book[x].sizes == (2, 3) and not book[x].accesses and book[x].rank == 2
    assert book[op.result].domain.is_equal(affine.box((2, 3)))


# --- affine -------------------------------------------------------------------------------------


@given(shapes=reshapes())
def test_factor_groups_are_the_shortest_runs_of_equal_products(shapes: tuple[tuple[int, ...], tuple[int, ...]]):
    source, target = shapes
    groups = affine.factor_groups(target, source)
    assert [a for outs, _ in groups for a in outs] == list(range(len(target)))
    assert [a for _, ins in groups for a in ins] == list(range(len(source)))
    for outs, ins in groups:
        left, right = [target[a] for a in outs], [source[a] for a in ins]
        assert prod(left) == prod(right)
        inner = {prod(left[:i]) for i in range(1, len(left))} & {prod(right[:i]) for i in range(1, len(right))}
        assert inner <= {1}, f"{left} and {right} could be cut at {inner}"


def test_factor_groups_of_an_empty_tensor_are_one_group():
    assert affine.factor_groups((0, 3), (2, 0)) == [([0, 1], [0, 1])]


@given(first=reshapes(), data=st.data())
def test_compose_is_one_map_after_the_other(first: tuple[tuple[int, ...], tuple[int, ...]], data: st.DataObject):
    source, middle = first
    perm = data.draw(st.permutations(range(len(middle))))
    sizes = [middle[p] for p in perm]
    moved = affine.make_map(len(sizes), [f"i{perm.index(a)}" for a in range(len(middle))])
    both = affine.compose(affine.reshape_map(middle, source), moved, sizes)
    want = numbers(source).reshape(middle).transpose(perm)
    np.testing.assert_array_equal(reads(both, sizes, source), want)


@given(first=reshapes(), data=st.data())
def test_the_inverse_leads_back(first: tuple[tuple[int, ...], tuple[int, ...]], data: st.DataObject):
    source, middle = first
    perm = data.draw(st.permutations(range(len(middle))))
    sizes = [middle[p] for p in perm]
    moved = affine.make_map(len(sizes), [f"i{perm.index(a)}" for a in range(len(middle))])
    there = affine.compose(affine.reshape_map(middle, source), moved, sizes)
    back = affine.inverse(there, sizes, source)
    if back is not None:
        round_trip = affine.compose(there, back, source)
        np.testing.assert_array_equal(reads(round_trip, source, source), numbers(source))


@pytest.mark.parametrize(
    ("exprs", "sizes", "onto"),
    [
        (["i0"], (4, 2), (4,)),  # not one-to-one: i1 is lost
        (["i0", "0"], (4,), (4, 2)),  # not onto
        (["i0 + 1"], (4,), (4,)),  # onto another box
        (["floor(i0/2)"], (4,), (2,)),
    ],
)
def test_what_is_not_one_to_one_has_no_inverse(exprs: list[str], sizes: tuple[int, ...], onto: tuple[int, ...]):
    assert affine.inverse(affine.make_map(len(sizes), exprs), sizes, onto) is None


def test_a_transpose_has_an_inverse():
    back = affine.inverse(affine.make_map(2, ["i1", "i0"]), (4, 3), (3, 4))
    assert back is not None and affine.same(back, affine.make_map(2, ["i1", "i0"]))


def test_simplify_sees_through_nested_divisions():
    nested = affine.make_map(2, ["floor((2*i0 + i1)/4)", "i0 - 2*floor((2*i0 + i1)/4)"])
    assert affine.text(affine.simplify(nested, (4, 2))) == "{ [i0, i1] -> [(floor((i0)/2)), ((i0) mod 2)] }"


def test_uses_axis_and_row_major():
    m = affine.make_map(3, ["i0", "i2"])
    assert [affine.uses_axis(m, a) for a in range(3)] == [True, False, True]
    assert affine.row_major((2, 3, 4)) == [12, 4, 1]
    assert affine.row_major(()) == []
    assert affine.rank_in(m) == 3


# --- the interpreters' own reading of a map -----------------------------------------------------


@given(first=reshapes())
def test_index_functions_agree_with_isl(first: tuple[tuple[int, ...], tuple[int, ...]]):
    source, target = first
    m = affine.reshape_map(target, source)
    got = index_function(affine.text(m))(*np.indices(target))
    want = point_by_point(m, target)
    for k, array in enumerate(got):
        np.testing.assert_array_equal(np.broadcast_to(array, target), want[..., k])


def test_index_functions_take_nested_divisions_and_negative_numbers():
    source = "{ [i0, i1] -> [(floor((i0 + 3*floor((i1 - 5)/2))/4)), (i0 mod 3), (-2*i1 + 7)] }"
    i, j = np.mgrid[-6:7, -6:7]
    first, second, third = index_function(source)(i, j)
    np.testing.assert_array_equal(first, (i + 3 * ((j - 5) // 2)) // 4)
    np.testing.assert_array_equal(second, i % 3)
    np.testing.assert_array_equal(np.broadcast_to(third, i.shape), 7 - 2 * j)
    with pytest.raises(ValueError, match="takes 2 axes, got 1"):
        index_function(source)(i)
