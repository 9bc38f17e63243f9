"""`analysis/index/affine.py` and the modules that it uses: isl's text, linearized indices, redundant divisions."""

from __future__ import annotations

from math import prod
from random import Random
from typing import Any

import islpy as isl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptir.analysis.errors import TooComplex
from ptir.analysis.index import affine
from ptir.analysis.index.divisions import intervals, reduce_divisions
from ptir.analysis.index.isl_text import aff_text, division_guards, divisions, map_text, parameters, symbol
from ptir.analysis.index.linearize import NotAffine, factor_groups, reshape_indices, strided_indices
from ptir.semantics.pto.access import index_function
from tests.movement_chains.chains import evaluate

from ..builders.index_arrays import numbers, point_by_point, reads, reshapes

# --- affine -------------------------------------------------------------------------------------


@given(shapes=reshapes())
def test_factor_groups_are_the_shortest_runs_of_equal_products(shapes: tuple[tuple[int, ...], tuple[int, ...]]):
    source, target = shapes
    groups = factor_groups(target, source)
    assert [a for outs, _ in groups for a in outs] == list(range(len(target)))
    assert [a for _, ins in groups for a in ins] == list(range(len(source)))
    for outs, ins in groups:
        left, right = [target[a] for a in outs], [source[a] for a in ins]
        assert prod(left) == prod(right)
        inner = {prod(left[:i]) for i in range(1, len(left))} & {prod(right[:i]) for i in range(1, len(right))}
        assert inner <= {1}, f"{left} and {right} could be cut at {inner}"


def test_factor_groups_of_an_empty_tensor_are_one_group():
    assert factor_groups((0, 3), (2, 0)) == [([0, 1], [0, 1])]


@given(first=reshapes(), data=st.data())
def test_compose_is_one_map_after_the_other(first: tuple[tuple[int, ...], tuple[int, ...]], data: st.DataObject):
    source, middle = first
    perm = data.draw(st.permutations(range(len(middle))))
    sizes = [middle[p] for p in perm]
    moved = affine.make_map(len(sizes), [f"i{perm.index(a)}" for a in range(len(middle))])
    both = affine.compose(affine.reshape_map(middle, source), moved, sizes)
    want = numbers(source).reshape(middle).transpose(perm)
    np.testing.assert_array_equal(reads(both, sizes, source), want)


@pytest.mark.parametrize("seed", range(100))
def test_two_reshapes_are_the_reshape_between_their_ends(seed: int):
    rng = Random(seed)

    def shape() -> list[int]:
        out = [1] * rng.randint(1, 5)
        for p in (2, 2, 2, 3, 5):
            out[rng.randrange(len(out))] *= p
        return out

    source, middle, target = shape(), shape(), shape()
    both = affine.compose(affine.reshape_map(middle, source), affine.reshape_map(target, middle), target)
    assert affine.canonical_text(both) == affine.canonical_text(affine.reshape_map(target, source))


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
        (["i0 + 1"], (4,), (4,)),  # leaves the box
        (["floor(i0/2)"], (4,), (2,)),
    ],
)
def test_what_is_not_one_to_one_has_no_inverse(exprs: list[str], sizes: tuple[int, ...], onto: tuple[int, ...]):
    assert affine.inverse(affine.make_map(len(sizes), exprs), sizes, onto) is None


def test_a_transpose_has_an_inverse():
    back = affine.inverse(affine.make_map(2, ["i1", "i0"]), (4, 3), (3, 4))
    assert back is not None and back.plain_is_equal(affine.make_map(2, ["i1", "i0"]))


def test_simplify_sees_through_nested_divisions():
    nested = affine.make_map(2, ["floor((2*i0 + i1)/4)", "i0 - 2*floor((2*i0 + i1)/4)"])
    assert affine.canonical_text(affine.simplify(nested, (4, 2))) == "{ [i0, i1] -> [(floor((i0)/2)), ((i0) mod 2)] }"


def test_uses_axis_and_row_major():
    m = affine.make_map(3, ["i0", "i2"])
    assert [affine.uses_axis(m, a) for a in range(3)] == [True, False, True]
    assert affine.row_major_strides((2, 3, 4)) == [12, 4, 1]
    assert affine.row_major_strides(()) == []
    assert affine.input_rank(m) == 3


# --- the interpreters' own reading of a map -----------------------------------------------------


@given(first=reshapes())
def test_index_functions_agree_with_isl(first: tuple[tuple[int, ...], tuple[int, ...]]):
    source, target = first
    m = affine.reshape_map(target, source)
    got = index_function(affine.canonical_text(m))(*np.indices(target))
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


# --- divisions ----------------------------------------------------------------------------------


def random_expression(rng: Random, rank: int, depth: int) -> str:
    terms = [f"{rng.randint(-6, 12)}*i{rng.randrange(rank)}" for _ in range(rng.randint(1, 3))]
    terms.append(str(rng.randint(-5, 20)))
    if depth:
        inner = random_expression(rng, rank, depth - 1)
        q = rng.choice((2, 3, 4, 6, 8, 12))
        terms += [f"{rng.randint(1, 6)}*floor(({inner})/{q})"]
        if rng.random() < 0.6:  # a remainder
            factor = rng.choice((1, 2, -1, 4))
            terms += [f"{factor}*(({inner}) - {q}*floor(({inner})/{q}))"]
    return " + ".join(terms)


@pytest.mark.parametrize("seed", range(150))
def test_reduced_divisions_are_the_same_map_and_intervals_hold(seed: int):
    rng = Random(seed)
    sizes = tuple(rng.choice((1, 2, 3, 4, 6)) for _ in range(rng.randint(1, 4)))
    m = affine.make_map(len(sizes), [random_expression(rng, len(sizes), rng.randint(1, 3)) for _ in range(2)])
    reduced = reduce_divisions(m, sizes)
    want = evaluate([str(m.get_at(k)) for k in range(2)], sizes)
    got = evaluate([str(reduced.get_at(k)) for k in range(2)], sizes)
    for a, b, (low, high) in zip(want, got, intervals(m, sizes), strict=True):
        np.testing.assert_array_equal(a, b)
        assert low <= a.min() and a.max() <= high
    assert len(list(divisions(reduced))) <= len(list(divisions(m)))


@pytest.mark.parametrize(
    ("expr", "sizes", "want"),
    [
        ("floor((4*i0 + i1)/4)", (9, 4), "i0"),
        ("floor((4*i0 + i1)/4)", (9, 5), "i0 + floor((i1)/4)"),
        ("floor((i0 + 5)/8)", (3,), "0"),
        ("floor((i0 + 8)/8)", (8,), "1"),
        ("floor((6*i0 + 2*i1 + i2)/12)", (9, 3, 2), "floor((i0)/2)"),
        ("floor((6*i0 + 2*i1 + i2)/12)", (9, 3, 3), "floor((6*i0 + 2*i1 + i2)/12)"),
        ("floor((i0 - 6*floor(i0/6))/6)", (36,), "0"),
        ("floor((floor(i0/2) - 3*floor(i0/6))/3)", (36,), "0"),
        ("floor((12*i1 + floor(i0/2) - 3*floor(i0/6))/3)", (36, 7), "4*i1"),
        ("i0 + i1", (1, 4), "i1"),
        ("floor((8*i0 + i1)/8)", ("B", 8), "i0"),
        ("floor((8*i0 + i1)/8)", (8, "B"), "i0 + floor((i1)/8)"),
    ],
)
def test_a_box_makes_divisions_needless(expr: str, sizes: tuple[int | str, ...], want: str):
    m = affine.simplify(affine.make_map(len(sizes), [expr]), sizes)
    assert aff_text(m.get_at(0)) == want


def chain_of(seed: int, length: int) -> tuple[list[tuple[int, ...]], list[isl.MultiAff], Any]:
    """Shapes, maps and NumPy's result of reshapes and permutes, one after the other."""
    rng = Random(seed)
    array = np.arange(5040)
    shapes, maps = [array.shape], list[isl.MultiAff]()
    for step in range(length):
        source = array.shape
        if step % 2 == 0:
            to = [1] * rng.randint(1, 5)
            for p in (2, 2, 2, 2, 3, 3, 5, 7):
                to[rng.randrange(len(to))] *= p
            array = array.reshape(to)
            maps.append(affine.reshape_map(to, source))
        else:
            perm = rng.sample(range(array.ndim), array.ndim)
            array = array.transpose(perm)
            maps.append(affine.make_map(len(perm), [f"i{perm.index(k)}" for k in range(len(perm))]))
        shapes.append(array.shape)
    return shapes, maps, array


@pytest.mark.parametrize("seed", range(5))
def test_long_chains_of_5040_elements_compose(seed: int):
    shapes, maps, want = chain_of(seed, 8)
    at = affine.identity(len(shapes[-1]))
    for m in reversed(maps):
        at = affine.compose(m, at, shapes[-1])
    np.testing.assert_array_equal(evaluate([str(at.get_at(0))], shapes[-1])[0], want)


def test_a_chain_whose_divisions_pile_up_is_too_complex(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(affine, "DIVISIONS", 3)
    with pytest.raises(TooComplex, match="more than 3 divisions in one index"):
        for seed in range(5):
            shapes, maps, _ = chain_of(seed, 8)
            at = affine.identity(len(shapes[-1]))
            for m in reversed(maps):
                at = affine.compose(m, at, shapes[-1])


# --- quotas -------------------------------------------------------------------------------------


def work() -> object:
    return affine.inverse(
        affine.make_map(2, ["floor((4*i0 + i1)/7)", "4*i0 + i1 - 7*floor((4*i0 + i1)/7)"]), (7, 4), (4, 7)
    )


def test_a_quota_ends_what_takes_too_long():
    with (
        pytest.raises(TooComplex, match="the test is too complex: more than 20 operations of isl"),
        affine.quota(20, what="the test"),
    ):
        work()
    assert work() is not None, "the quota ended with its block"


def test_the_outer_quota_counts():
    with pytest.raises(TooComplex, match="more than 20 operations"), affine.quota(20), affine.quota(10**9):
        work()
    with affine.quota(10**9), affine.quota(20):
        assert work() is not None


def test_other_errors_of_isl_stay_what_they_are():
    with pytest.raises(isl.Error), affine.quota():
        affine.make_map(1, ["i0*i0"])


# --- text ---------------------------------------------------------------------------------------


def test_names_that_isl_reads_otherwise_are_spelt_otherwise():
    plain = ["B", "seq_len", "Exists2", "_x"]
    assert [symbol(n) for n in plain] == plain
    assert symbol(7) == "7" and symbol("?7") == "n7"
    odd = ["i0", "e1", "n7", "exists", "MOD", "Min", "infty", "a.b", "a_2eb", "a$b", "p_a", "p_i0", "p_p_5fa"]
    spelt = [symbol(n) for n in odd]
    assert len({*spelt, *plain, "n7x"}) == len(odd) + len(plain) + 1
    assert "n7" not in spelt, "that is ?7"
    for name in spelt:
        assert affine.box([name, 3]).dim(isl.dim_type.param) == 1
    assert spelt[odd.index("a.b")] == "p_a_2eb"


def test_sets_and_maps_have_the_parameters_of_their_sizes():
    assert parameters(["S", 4, "B", "S"]) == "[B, S] -> "
    assert str(affine.box(["B", 4])) == "[B] -> { [i0, i1] : 0 <= i0 < B and 0 <= i1 <= 3 }"


def test_each_division_is_found_once_inner_ones_first():
    m = affine.make_map(1, ["floor(i0/4)", "i0 mod 4 + floor((2*floor(i0/4) + i0)/3)"])
    assert [(aff_text(e), q) for e, q in divisions(m)] == [("i0", 4), ("i0 - floor((i0)/4)", 3)]


def test_remainders_are_spelt_with_divisions():
    m = affine.make_map(2, ["(3*i0 + i1) mod 4", "-i0 + 2"])
    assert "mod" in str(m) and "mod" not in map_text(m) and "%" not in map_text(m)
    assert map_text(affine.make_map(1, ["i0 mod 4", "0"])) == "[i0] -> [i0 - 4*floor((i0)/4), 0]"
    assert division_guards(affine.make_map(1, ["i0 mod 4", "floor(i0/4)"])) == ("0 <= i0 - 4*floor((i0)/4) < 4",)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_spelt_reads_as_the_same_map(seed: int):
    rng = Random(seed)
    m = affine.make_map(3, [random_expression(rng, 3, rng.randint(0, 3)) for _ in range(2)])
    again = affine.make_map(3, [aff_text(m.get_at(k)) for k in range(2)])
    got, want = (evaluate([str(a.get_at(k)) for k in range(2)], (13, 5, 7)) for a in (again, m))
    np.testing.assert_array_equal(got, want)


def test_conditions_show_axes_that_are_fixed():
    assert affine.condition(affine.make_set((2, 9), ["i0 = 1", "0 <= i1 < 9"])) == "i0 = 1 and 0 <= i1 <= 8"
    assert affine.condition(affine.make_set((2,), [])) == "true"
    assert affine.condition(affine.parameter_set(["B"], ["B = 4"])) == "B = 4"


# --- linearised indices --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sizes", "strides", "offset", "source", "want"),
    [
        ((2, 3), (8, 2), 3, (4, 8), ["i0", "2*i1 + 3"]),
        # 3x3 windows with stride 2 on 1x3x7x7: no division
        ((1, 3, 3, 3, 3, 3), (147, 49, 14, 2, 7, 1), 0, (1, 3, 7, 7), ["0", "i1", "2*i2 + i4", "2*i3 + i5"]),
        # the diagonal of 4x4: a stride of 5 is one row and one column
        ((4,), (5,), 0, (4, 4), ["i0", "i0"]),
        # the same with an offset that carries
        ((3,), (5,), 3, (4, 4), ["floor((5*i0 + 3)/4)", "5*i0 + 3 - 4*floor((5*i0 + 3)/4)"]),
        # only the run that carries is divided
        ((2, 12), (12, 1), 0, (2, 3, 4), ["i0", "floor((i1)/4)", "i1 - 4*floor((i1)/4)"]),
        (("B", 4), (8, 2), 0, ("B", 8), ["i0", "2*i1"]),
        ((0, 4), (8, 2), 0, (4, 8), ["0", "0"]),
        ((), (), 5, (2, 3), ["1", "2"]),
    ],
)
def test_a_view_is_divided_only_where_digits_carry(
    sizes: tuple[int, ...], strides: tuple[int, ...], offset: int, source: tuple[int, ...], want: list[str]
):
    assert strided_indices(sizes, strides, offset, source) == want


def test_names_are_the_outermost_factor_of_their_group():
    assert reshape_indices(("B", 12, 64), ("B", 768)) == (["i0", "64*i1 + i2"], [])
    assert reshape_indices(("B", "S", 12, 64), ("B", "S", 768)) == (["i0", "i1", "64*i2 + i3"], [])
    assert reshape_indices(("B", 768), ("?1",))[1] == [("768*B", "1*n1")]
    assert reshape_indices((2, "B", 3), (2, "?4")) == (["i0", "3*i1 + i2"], [("3*B", "1*n4")])
    for target, source in [
        (("B", "S", 64), ("N", 64)),
        ((12, "B"), ("B", 12)),
        (("N",), ("B", "S")),
        ((12, "B"), ("N",)),
    ]:
        with pytest.raises(NotAffine, match="that is not the outermost of its factors"):
            reshape_indices(target, source)


def test_factor_groups_meet_names_from_both_ends():
    assert factor_groups((4, "B", 3), (2, 2, "B", 3)) == [([0], [0, 1]), ([1], [2]), ([2], [3])]
    assert factor_groups(("A", "B", 6), ("N", 2, 3)) == [([0, 1], [0]), ([2], [1, 2])]


def test_divisions_that_are_the_same_one_are_added():
    """floor(i0/7) comes as itself and as the floor of 7*floor(i0/7) and a remainder: isl keeps the two apart."""
    maps = [
        affine.reshape_map((35, 6), (5, 7, 6)),
        affine.reshape_map((5, 7, 6), (35, 6)),
        affine.make_map(3, ["i0", "i2", "i1"]),
        affine.reshape_map((35, 6), (5, 6, 7)),
    ]
    composed = maps[3]
    for m in reversed(maps[:3]):
        composed = affine.compose(m, composed, (35, 6))
    moved = numbers((5, 7, 6)).transpose(0, 2, 1).reshape(35, 6)
    np.testing.assert_array_equal(reads(composed, (35, 6), (5, 7, 6)), moved)
