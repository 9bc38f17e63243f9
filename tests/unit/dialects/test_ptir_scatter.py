"""Scatters and segment reductions of `ptir`, compared with loops over updates that follow the contract and StableHLO."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptir
from ptir.semantics.bounds import bounds, bounds_of, check
from ptir.semantics.bounds.intervals import Interval
from ptir.semantics.errors import NoBounds

from ..builders import ptir_strategies as s
from ..builders.amount import examples
from ..builders.ptir_strategies import COMPLEX, DTYPES, FLOATS, INTEGERS, NUMBERS, Array, Case

pytestmark = pytest.mark.sampled(3)

Index = tuple[int, ...]
REAL = [*INTEGERS, *FLOATS]
KINDS = {"add": NUMBERS, "mul": NUMBERS, "max": REAL, "min": REAL, "replace": list(DTYPES)}
SPELLINGS = st.sampled_from(["numbers", "names", "?"])


# --- the oracles --------------------------------------------------------------------------------


def combine(kind: str, values: list[Array], dtype: str) -> Array:
    """Combines 0-d arrays of one type as Python numbers. The values are such that nothing is rounded."""
    if kind == "replace":
        return values[-1]
    if len(values) == 1:
        return values[0]
    if dtype in INTEGERS:
        numbers = [int(v) for v in values]
        total = {"add": sum, "mul": math.prod, "max": max, "min": min}[kind](numbers)
        width = int(dtype[2:])
        total %= 2**width
        return np.asarray(total if dtype[0] == "u" or total < 2 ** (width - 1) else total - 2**width).astype(
            values[0].dtype
        )
    if kind in ("max", "min"):
        floats = [float(v) for v in values]
        if any(map(math.isnan, floats)):
            return np.asarray(math.nan).astype(values[0].dtype)
        best = (max if kind == "max" else min)(floats, key=lambda v: (v, math.copysign(1, v)))
        return np.asarray(best).astype(values[0].dtype)
    numbers = [complex(v) for v in values]
    total = sum(numbers) if kind == "add" else math.prod(numbers)
    return np.asarray(total if dtype in COMPLEX else total.real).astype(values[0].dtype)


def folded(x: Array, writes: list[tuple[Index, Array]], kind: str, dtype: str) -> dict[Index, Array]:
    cells: dict[Index, list[Array]] = {i: [x[(*i, ...)]] for i in product(*map(range, x.shape))}
    for where, value in writes:
        cells[where].append(value)
    return {i: combine(kind, values, dtype) for i, values in cells.items()}


def scatter_reduce(x: Array, at: Array, updates: Array, axis: int, reduce: str, dtype: str) -> dict[Index, Array]:
    axis = axis + x.ndim if axis < 0 else axis
    writes = [
        ((*i[:axis], int(at[i]), *i[axis + 1 :]), updates[(*i, ...)]) for i in product(*map(range, updates.shape))
    ]
    return folded(x, writes, reduce, dtype)


def scatter_add(
    x: Array,
    at: Array,
    updates: Array,
    update_window_dims: list[int],
    inserted_window_dims: list[int],
    scatter_dims_to_operand_dims: list[int],
    index_vector_dim: int | None,
    dtype: str,
) -> dict[Index, Array]:
    """Implements the *Semantics* of StableHLO's `scatter`, without batching dimensions."""
    vector = at.ndim if index_vector_dim is None else index_vector_dim
    vector = vector + at.ndim if vector < 0 else vector
    writes: list[tuple[Index, Array]] = []
    for i in product(*map(range, updates.shape)):
        scatter_index = [k for a, k in enumerate(i) if a not in update_window_dims]
        if vector < at.ndim:
            length = at.shape[vector]
            start = [int(at[(*scatter_index[:vector], k, *scatter_index[vector:])]) for k in range(length)]
        else:
            start = [int(at[tuple(scatter_index)])]
        window = [i[a] for a in update_window_dims]
        where: list[int] = []
        for d in range(x.ndim):
            inside = 0 if d in inserted_window_dims else window.pop(0)
            begin = start[scatter_dims_to_operand_dims.index(d)] if d in scatter_dims_to_operand_dims else 0
            where.append(begin + inside)
        writes.append((tuple(where), updates[(*i, ...)]))
    return folded(x, writes, "add", dtype)


def same_cells(got: Array, shape: Index, want: dict[Index, Array], dtype: str, *, bits: bool = False) -> None:
    assert got.shape == shape
    assert got.dtype == DTYPES[dtype][1]
    for i, value in want.items():
        a, b = got[(*i, ...)], value
        if bits:
            assert a.tobytes() == b.tobytes(), i
        elif dtype in FLOATS and math.isnan(float(b)):
            assert math.isnan(float(a)), i
        else:
            zero = dtype in FLOATS + COMPLEX and b == 0
            assert a.tobytes() == b.tobytes() or (zero and a == 0), (i, a, b)


# --- values -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "dtype"), [(k, d) for k, dtypes in KINDS.items() for d in dtypes])
@given(data=st.data(), spelling=SPELLINGS)
@settings(max_examples=examples(4))
def test_scatter_reduce(kind: str, dtype: str, data: st.DataObject, spelling: str):
    case: Case = data.draw(s.scatters(kind, dtype))
    x, at, updates = case.arrays
    if kind == "mul" and dtype not in INTEGERS:  # products of many factors would be rounded
        updates = np.sign(updates.real.astype(np.float64)).astype(updates.dtype)
        case = Case((x, at, updates), case.build, case.attributes)
    got = s.run(case, spelling, extensions=kind == "mul")
    want = scatter_reduce(x, at, updates, **case.attributes, dtype=dtype)
    same_cells(got, x.shape, want, dtype, bits=kind == "replace")


@pytest.mark.parametrize("dtype", NUMBERS)
@given(data=st.data(), spelling=SPELLINGS)
@settings(max_examples=examples(10))
def test_scatter_add(dtype: str, data: st.DataObject, spelling: str):
    case: Case = data.draw(s.scatter_adds(dtype))
    want = scatter_add(*case.arrays, **case.attributes, dtype=dtype)
    same_cells(s.run(case, spelling), case.arrays[0].shape, want, dtype)


@pytest.mark.parametrize(
    ("kind", "dtype"), [*(("sum", d) for d in NUMBERS), *((k, d) for k in ("max", "min") for d in REAL)]
)
@given(data=st.data(), spelling=SPELLINGS)
@settings(max_examples=examples(6))
def test_segment_reduce(kind: str, dtype: str, data: st.DataObject, spelling: str):
    case: Case = data.draw(s.segment_reduces(kind, dtype))
    x, ids = case.arrays
    shape = (case.attributes["num_segments"], *x.shape[1:])
    want: dict[Index, Array] = {}
    for i in product(*map(range, shape)):
        rows = [x[(n, *i[1:], ...)] for n in range(len(x)) if int(ids[n]) == i[0]]
        if rows:
            want[i] = combine("add" if kind == "sum" else kind, rows, dtype)
        else:
            want[i] = np.asarray(_identity(kind, dtype)).astype(x.dtype)
    same_cells(s.run(case, spelling), shape, want, dtype)


def _identity(kind: str, dtype: str) -> float:
    if kind == "sum":
        return 0
    if dtype in FLOATS:
        return -math.inf if kind == "max" else math.inf
    width, unsigned = int(dtype[2:]), dtype[0] == "u"
    least = 0 if unsigned else -(2 ** (width - 1))
    return least if kind == "max" else least + 2**width - 1


def call(text: str, *arrays: Any) -> Array:
    return ptir.reference(text, *map(np.asarray, arrays))[0]


def function(signature: str, op: str) -> str:
    return f"func.func @f{signature} {{\n  %r = {op}\n  func.return %r : {signature.split('->')[1].strip()}\n}}"


def test_the_last_writer_in_row_major_order_wins():
    text = function(
        "(%x: tensor<2x3xf32>, %i: tensor<4x3xsi32>, %u: tensor<4x3xf32>) -> tensor<2x3xf32>",
        "ptir.scatter_reduce replace %x, %i, %u axis 0 : tensor<2x3xf32>, tensor<4x3xsi32>, tensor<4x3xf32>",
    )
    x, u = np.zeros((2, 3), np.float32), np.arange(1, 13, dtype=np.float32).reshape(4, 3)
    i = np.array([[0, 1, 0], [0, 1, 1], [1, 1, 0], [0, 0, 0]], np.int32)
    np.testing.assert_array_equal(call(text, x, i, u), [[10, 11, 12], [7, 8, 6]])


def test_sums_round_once_from_f32():
    """Each addition in bf16 would lose the ones; the accumulator is f32, as the contract's default has it."""
    text = function(
        "(%x: tensor<1xbf16>, %i: tensor<64xsi32>, %u: tensor<64xbf16>) -> tensor<1xbf16>",
        "ptir.scatter_reduce add %x, %i, %u axis 0 : tensor<1xbf16>, tensor<64xsi32>, tensor<64xbf16>",
    )
    bf16 = DTYPES["bf16"][1]
    got = call(text, np.array([256], bf16), np.zeros(64, np.int32), np.ones(64, bf16))
    assert float(got[0]) == 320


@pytest.mark.parametrize(("accum", "want"), [("f32", 320.0), ("bf16", 320.0), ("f64", 320.0)])
def test_segments_accumulate_in_accum(accum: str, want: float):
    text = function(
        "(%x: tensor<65xbf16>, %i: tensor<65xsi32>) -> tensor<1xbf16>",
        f"ptir.segment_reduce sum %x, %i accum {accum} : (tensor<65xbf16>, tensor<65xsi32>) -> tensor<1xbf16>",
    )
    x = np.array([256, *[1] * 64], DTYPES["bf16"][1])
    assert float(call(text, x, np.zeros(65, np.int32))[0]) == want


def test_a_narrow_accumulator_rounds():
    """The elements, 1024.5 to 1024, and the sum: 2^11 + 1 is not a value of f16, and 70000 is beyond it."""
    text = function(
        "(%x: tensor<7xf32>, %i: tensor<7xsi32>) -> tensor<3xf32>",
        "ptir.segment_reduce sum %x, %i accum f16 : (tensor<7xf32>, tensor<7xsi32>) -> tensor<3xf32>",
    )
    x, ids = np.array([2048, 35000, 1, 35000, *[1024.5] * 3], np.float32), np.array([0, 1, 0, 1, 2, 2, 2], np.int32)
    np.testing.assert_array_equal(call(text, x, ids), [2048, np.inf, 3072])


def test_integers_saturate_on_their_way_to_the_accumulator():
    text = function(
        "(%x: tensor<2xsi32>, %i: tensor<2xsi32>) -> tensor<1xsi32>",
        "ptir.segment_reduce sum %x, %i accum si8 : (tensor<2xsi32>, tensor<2xsi32>) -> tensor<1xsi32>",
    )
    assert int(call(text, np.array([1000, -28], np.int32), np.zeros(2, np.int32))[0]) == 127 - 28


def test_elements_without_updates_keep_their_bits():
    signalling = np.array([0x7FA00001, 0x80000000, 0x3F800000], np.uint32).view(np.float32)
    text = function(
        "(%x: tensor<3xf32>, %i: tensor<1xsi32>, %u: tensor<1xf32>) -> tensor<3xf32>",
        "ptir.scatter_reduce add %x, %i, %u axis 0 : tensor<3xf32>, tensor<1xsi32>, tensor<1xf32>",
    )
    got = call(text, signalling, np.array([2], np.int32), np.ones(1, np.float32))
    np.testing.assert_array_equal(got.view(np.uint32), [0x7FA00001, 0x80000000, 0x40000000])


# --- intervals ----------------------------------------------------------------------------------


FOLDERS: dict[str, Callable[[str], Any]] = {
    "scatter_add": s.scatter_adds,
    **{f"scatter {k}": (lambda dtype, k=k: s.scatters(k, dtype)) for k in ("add", "max", "min", "replace")},
    **{f"segment {k}": (lambda dtype, k=k: s.segment_reduces(k, dtype)) for k in ("sum", "max", "min")},
}


@pytest.mark.parametrize("name", FOLDERS)
@pytest.mark.parametrize("tight", [False, True])
@given(data=st.data(), dtype=st.sampled_from(REAL))
@settings(max_examples=examples(25))
def test_the_interpreter_is_within_bounds(name: str, tight: bool, data: st.DataObject, dtype: str):
    case: Case = data.draw(FOLDERS[name](dtype))
    module = s.module_of(case)
    (result,) = ptir.reference(module, *case.arrays)
    (interval,) = bounds(module, "f", *case.arrays, tight=tight)
    assert check(result, interval).ok
    if dtype in INTEGERS:
        assert interval.known is not None and interval.known.tobytes() == result.tobytes()
    elif tight and not name.endswith(("max", "min", "replace")):  # small integers: exact in any order
        assert bool(np.all(interval.exact))


@pytest.mark.parametrize("name", FOLDERS)
@given(data=st.data(), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=examples(25))
def test_bounds_hold_what_any_order_gives(name: str, data: st.DataObject, seed: int):
    """Inputs anywhere in their intervals, folded one after the other in f32, in any order."""
    case: Case = data.draw(FOLDERS[name]("f32"))
    rng, module = np.random.default_rng(seed), s.module_of(case)
    uncertain, arrays = [], []
    for a in case.arrays:
        if a.dtype == np.float32:
            low = np.asarray(rng.standard_normal(a.shape), np.float32)
            lo, hi = (np.asarray(end, np.float64) for end in (low, low + np.float32(0.25)))
            uncertain.append(Interval(lo, hi, np.zeros(a.shape, bool), a.dtype))
            arrays.append(np.asarray(np.where(rng.integers(0, 2, a.shape) > 0, lo, hi)).astype(np.float32))
        else:
            uncertain.append(Interval.of(a))
            arrays.append(a)
    (interval,) = bounds_of(module, "f", *uncertain)
    (result,) = ptir.reference(module, *arrays)
    assert check(result, interval).ok
    if case.arrays[-1].dtype != np.float32:
        return
    x, at, updates = arrays
    if name == "scatter add":
        axis = case.attributes["axis"] % x.ndim
        order = rng.permutation(list(product(*map(range, updates.shape)))) if updates.size else []
        out = x.copy()
        for i in map(tuple, order):
            out[(*i[:axis], at[i], *i[axis + 1 :])] += updates[i]
        assert check(out, interval).ok


@pytest.mark.parametrize("kind", ["sum", "max", "min"])
@pytest.mark.parametrize("accum", ["f16", "f32", "f64"])
def test_bounds_of_segments_go_through_the_accumulator(kind: str, accum: str):
    """2049 and 70000 are no values of f16: an extremum is rounded before, a sum after."""
    text = function(
        "(%x: tensor<4xf32>, %i: tensor<4xsi32>) -> tensor<3xf32>",
        f"ptir.segment_reduce {kind} %x, %i accum {accum} : (tensor<4xf32>, tensor<4xsi32>) -> tensor<3xf32>",
    )
    x, ids = np.array([2049, 0.5, 70000, -1], np.float32), np.array([0, 0, 2, 2], np.int32)
    (interval,) = bounds(ptir.parse(text), "f", x, ids)
    assert check(call(text, x, ids), interval).ok
    if kind != "sum":
        assert bool(np.all(interval.exact))


def test_bounds_of_sums_have_the_width_of_their_terms_and_no_more():
    text = function(
        "(%x: tensor<2xf32>, %i: tensor<3xsi32>, %u: tensor<3xf32>) -> tensor<2xf32>",
        "ptir.scatter_reduce add %x, %i, %u axis 0 : tensor<2xf32>, tensor<3xsi32>, tensor<3xf32>",
    )
    x = Interval(np.array([1.0, 5.0]), np.array([2.0, 6.0]), np.array([False, True]), np.dtype(np.float32))
    u = Interval(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0]), np.zeros(3, bool), np.dtype(np.float32))
    (got,) = bounds_of(ptir.parse(text), "f", x, Interval.of(np.zeros(3, np.int32)), u)
    assert abs(got.lo[0] - 7) < 1e-4 and abs(got.hi[0] - 9) < 1e-4
    assert got.lo[0] < 7 and got.hi[0] > 9  # some orders round
    assert (got.lo[1], got.hi[1]) == (5, 6)  # elements without updates are exact
    assert list(got.nan) == [False, True]


def test_nan_may_be_where_a_term_may_be():
    for op in ("scatter_reduce add", "scatter_reduce max", "scatter_reduce min", "scatter_reduce replace"):
        text = function(
            "(%x: tensor<3xf32>, %i: tensor<2xsi32>, %u: tensor<2xf32>) -> tensor<3xf32>",
            f"ptir.{op} %x, %i, %u axis 0 : tensor<3xf32>, tensor<2xsi32>, tensor<2xf32>",
        )
        u = Interval(np.zeros(2), np.ones(2), np.array([True, False]), np.dtype(np.float32))
        x, at = (Interval.of(np.asarray(v)) for v in (np.zeros(3, np.float32), np.array([1, 2], np.int32)))
        (got,) = bounds_of(ptir.parse(text), "f", x, at, u)
        assert list(got.nan) == [False, True, False], op


def test_what_is_replaced_is_gone():
    text = function(
        "(%x: tensor<2xf32>, %i: tensor<1xsi32>, %u: tensor<1xf32>) -> tensor<2xf32>",
        "ptir.scatter_reduce replace %x, %i, %u axis 0 : tensor<2xf32>, tensor<1xsi32>, tensor<1xf32>",
    )
    x = Interval(np.zeros(2), np.ones(2), np.array([True, True]), np.dtype(np.float32))
    at, u = (Interval.of(np.asarray(v)) for v in (np.array([1], np.int32), np.array([7], np.float32)))
    (got,) = bounds_of(ptir.parse(text), "f", x, at, u)
    assert (list(got.lo), list(got.hi), list(got.nan)) == ([0, 7], [1, 7], [True, False])


def test_uncertain_integers_become_the_whole_type_where_they_may_wrap():
    text = function(
        "(%x: tensor<2xsi8>, %i: tensor<2xsi32>) -> tensor<2xsi8>",
        "ptir.segment_reduce sum %x, %i : (tensor<2xsi8>, tensor<2xsi32>) -> tensor<2xsi8>",
    )
    ids = Interval.of(np.array([1, 1], np.int32))
    for high, want in ((3.0, [0, 2, 0, 6]), (100.0, [0, -128, 0, 127])):
        x = Interval(np.array([1.0, 1.0]), np.array([high, high]), np.zeros(2, bool), np.dtype(np.int8))
        (got,) = bounds_of(ptir.parse(text), "f", x, ids)
        assert [got.lo[0], got.lo[1], got.hi[0], got.hi[1]] == want


def test_indices_that_are_not_exact_have_no_bounds():
    text = function(
        "(%x: tensor<3xf32>, %i: tensor<1xsi32>) -> tensor<1xf32>",
        "ptir.take %x, %i : (tensor<3xf32>, tensor<1xsi32>) -> tensor<1xf32>",
    )
    i = Interval(np.array([0.0]), np.array([1.0]), np.zeros(1, bool), np.dtype(np.int32))
    with pytest.raises(NoBounds, match=r"ptir\.take at indices that are not exact"):
        bounds_of(ptir.parse(text), "f", Interval.of(np.zeros(3, np.float32)), i)
