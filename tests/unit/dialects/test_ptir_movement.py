"""Movement and indexing ops of `ptir`, bit for bit, compared with loops over index tuples that follow the contract."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptir
from ptir.semantics.bounds import bounds, bounds_of, check
from ptir.semantics.bounds.intervals import Interval

from ..builders import ptir_strategies as s
from ..builders.amount import examples
from ..builders.ptir_strategies import DTYPES, INTEGERS, NUMBERS, Array, Case

pytestmark = pytest.mark.sampled(3)

Index = tuple[int, ...]
Oracle = Callable[..., tuple[Index, Callable[[Index], Any]]]
"""Takes arrays and attributes. Returns the result's shape, and a function from an index to the element there, a 0-d array."""


# --- the oracles --------------------------------------------------------------------------------


def number_of(index: Index, shape: Index) -> int:
    """Returns the row-major offset of an index."""
    number = 0
    for i, n in zip(index, shape, strict=True):
        number = number * n + i
    return number


def index_of(number: int, shape: Index) -> Index:
    out: list[int] = []
    for n in reversed(shape):
        out.append(number % n)
        number //= n
    return tuple(reversed(out))


def reshape(x: Array, new_shape: list[int]):
    return tuple(new_shape), lambda i: x[(*index_of(number_of(i, tuple(new_shape)), x.shape), ...)]


def transpose(x: Array, perm: list[int]):
    axes = [p + x.ndim if p < 0 else p for p in perm]

    def at(i: Index):
        where = [0] * x.ndim
        for place, axis in enumerate(axes):
            where[axis] = i[place]
        return x[(*where, ...)]

    return tuple(x.shape[a] for a in axes), at


def broadcast_to(x: Array, result_shape: list[int]):
    missing = len(result_shape) - x.ndim
    return tuple(result_shape), lambda i: x[
        (*(0 if n == 1 else k for k, n in zip(i[missing:], x.shape, strict=True)), ...)
    ]


def slice_(x: Array, starts: list[int], sizes: list[int]):
    return tuple(sizes), lambda i: x[(*(k + start for k, start in zip(i, starts, strict=True)), ...)]


def concat(*xs: Array, axis: int):
    axis = axis + xs[0].ndim if axis < 0 else axis
    shape = list(xs[0].shape)
    shape[axis] = sum(x.shape[axis] for x in xs)

    def at(i: Index):
        place = i[axis]
        for x in xs:
            if place < x.shape[axis]:
                return x[(*i[:axis], place, *i[axis + 1 :], ...)]
            place -= x.shape[axis]
        raise AssertionError

    return tuple(shape), at


def pad(x: Array, low: list[int], high: list[int], interior: list[int], pad_value: Array):
    amounts = list(zip(x.shape, low, high, interior, strict=True))
    shape = tuple(lo + n + hi + (n - 1 if n else 0) * between for n, lo, hi, between in amounts)

    def at(i: Index):
        where: list[int] = []
        for k, (n, lo, _, between) in zip(i, amounts, strict=True):
            candidates = [j for j in range(n) if lo + j * (between + 1) == k]
            if not candidates:
                return pad_value
            where += candidates
        return x[(*where, ...)]

    return shape, at


def tile(x: Array, repeats: list[int]):
    shape = tuple(n * r for n, r in zip(x.shape, repeats, strict=True))
    return shape, lambda i: x[(*(k % n for k, n in zip(i, x.shape, strict=True)), ...)]


def take(x: Array, indices: Array):
    rank = indices.ndim
    return indices.shape + x.shape[1:], lambda i: x[(int(indices[i[:rank]]), *i[rank:], ...)]


def gather(x: Array, indices: Array, axis: int):
    axis = axis + x.ndim if axis < 0 else axis
    return indices.shape, lambda i: x[(*i[:axis], int(indices[i]), *i[axis + 1 :], ...)]


def window_start(start: Array, sizes: Index, extents: Index) -> list[int]:
    return [max(0, min(int(k), n - size)) for k, size, n in zip(start, sizes, extents, strict=True)]


def dynamic_slice(x: Array, start: Array, sizes: list[int]):
    begin = window_start(start, tuple(sizes), x.shape)
    return tuple(sizes), lambda i: x[(*(k + b for k, b in zip(i, begin, strict=True)), ...)]


def dynamic_update_slice(x: Array, update: Array, start: Array):
    begin = window_start(start, update.shape, x.shape)

    def at(i: Index):
        inside = tuple(k - b for k, b in zip(i, begin, strict=True))
        covered = all(0 <= k < n for k, n in zip(inside, update.shape, strict=True))
        return update[(*inside, ...)] if covered else x[(*i, ...)]

    return x.shape, at


MOVES: dict[str, tuple[Callable[[str], Any], Oracle]] = {
    "reshape": (s.reshapes, reshape),
    "transpose": (s.transposes, transpose),
    "broadcast_to": (s.broadcasts, broadcast_to),
    "slice": (s.slices, slice_),
    "concat": (s.concats, concat),
    "pad": (s.pads, pad),
    "tile": (s.tiles, tile),
    "take": (s.takes, take),
    "gather": (s.gathers, gather),
    "dynamic_slice": (s.dynamic_slices, dynamic_slice),
    "dynamic_update_slice": (s.dynamic_update_slices, dynamic_update_slice),
}
SPELLINGS = st.sampled_from(["numbers", "names", "?"])


def indices(shape: Index):
    return product(*map(range, shape))


def same_bits(got: Array, shape: Index, dtype: Any, at: Callable[[Index], Any]) -> None:
    assert got.shape == shape
    assert got.dtype == dtype
    for i in indices(shape):
        assert got[(*i, ...)].tobytes() == np.asarray(at(i)).tobytes(), i


@pytest.mark.sampled(6)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", MOVES)
@given(data=st.data(), spelling=SPELLINGS)
@settings(max_examples=examples(3))
def test_moves_bits(name: str, dtype: str, data: st.DataObject, spelling: str):
    strategy, oracle = MOVES[name]
    case: Case = data.draw(strategy(dtype))
    same_bits(s.run(case, spelling), *_with_dtype(oracle(*case.arrays, **case.attributes), dtype))


def _with_dtype(shape_and_element: Any, dtype: str) -> Any:
    shape, at = shape_and_element
    return shape, np.dtype(DTYPES[dtype][1]), at


@pytest.mark.parametrize("name", MOVES)
@given(data=st.data(), spelling=SPELLINGS)
@settings(max_examples=examples(25))
def test_moves_shapes(name: str, data: st.DataObject, spelling: str):
    """Many more shapes on one type."""
    test_moves_bits.hypothesis.inner_test(name, "si16", data, spelling)


# --- iota ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", NUMBERS)
@given(data=st.data())
@settings(max_examples=examples(4))
def test_iota_counts(dtype: str, data: st.DataObject):
    case: Case = data.draw(s.iotas(dtype))
    axis, kind = case.attributes["axis"], DTYPES[dtype][1]
    got = s.run(case)
    assert got.shape == tuple(case.attributes["shape"])
    for i in indices(got.shape):
        if dtype in INTEGERS:
            width, unsigned = int(dtype[2:]), dtype[0] == "u"
            wrapped = i[axis] % 2**width
            assert int(got[i]) == (wrapped if unsigned or wrapped < 2 ** (width - 1) else wrapped - 2**width)
        else:
            assert got[(*i, ...)].tobytes() == np.asarray(_rounded(i[axis], kind)).tobytes()


def _rounded(count: int, kind: Any) -> Any:
    """Rounds a count to the type's precision, to nearest even. Counts are at most 300, which is nine bits."""
    digits = {"float8_e4m3fn": 4, "float8_e5m2": 3, "bfloat16": 8}.get(np.dtype(kind).name, 11)
    step = 2 ** max(count.bit_length() - digits, 0)
    return np.asarray(round(count / step) * step).astype(kind)


@pytest.mark.parametrize("dtype", ["f8E4M3FN", "f16"])
def test_iota_beyond_the_range(dtype: str):
    n = 70000 if dtype == "f16" else 470
    (got,) = ptir.reference(
        f"func.func @f() -> tensor<{n}x{dtype}> {{\n%0 = ptir.iota axis 0 : tensor<{n}x{dtype}>\nfunc.return %0 : tensor<{n}x{dtype}>\n}}"
    )
    values = got.astype(np.float64)
    if dtype == "f16":
        assert values[65519] == 65504 and np.isinf(values[65520:]).all()
    else:
        assert values[464] == 448 and np.isnan(values[465:]).all()


# --- intervals ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MOVES)
@given(data=st.data(), dtype=st.sampled_from([n for n in DTYPES if "<" not in n]))
@settings(max_examples=examples(8))
def test_bounds_of_moves_have_no_width(name: str, data: st.DataObject, dtype: str):
    case: Case = data.draw(MOVES[name][0](dtype))
    module = s.module_of(case)
    (interval,) = bounds(module, "f", *case.arrays)
    (result,) = ptir.reference(module, *case.arrays)
    assert check(result, interval).ok
    assert interval.known is not None and interval.known.tobytes() == result.tobytes()
    assert bool(np.all(interval.exact)) or np.dtype(result.dtype).itemsize == 8


@pytest.mark.parametrize("name", MOVES)
@given(data=st.data())
@settings(max_examples=examples(8))
def test_bounds_move_with_the_elements(name: str, data: st.DataObject):
    """Both ends, and whether NaN may be, come from where the element comes from."""
    case: Case = data.draw(MOVES[name][0]("f32"))
    moved = [a.dtype == np.float32 for a in case.arrays]
    rng = np.random.default_rng(0)
    uncertain = [
        Interval(
            (lo := np.asarray(rng.standard_normal(a.shape))),
            *map(np.asarray, (lo + 1, rng.integers(0, 2, a.shape) > 0)),
            a.dtype,
        )
        if m
        else Interval.of(a)
        for a, m in zip(case.arrays, moved, strict=True)
    ]
    (got,) = bounds_of(s.module_of(case), "f", *uncertain)
    attributes = dict(case.attributes)
    for part in ("lo", "hi", "nan"):
        arrays = [getattr(u, part) if m else a for u, a, m in zip(uncertain, case.arrays, moved, strict=True)]
        if "pad_value" in attributes:
            value = case.attributes["pad_value"].astype(np.float64)
            attributes["pad_value"] = np.isnan(value) if part == "nan" else value
        shape, at = MOVES[name][1](*arrays, **attributes)
        assert got.shape == shape
        for i in indices(shape):
            a, b = getattr(got, part)[i], at(i)
            assert a == b or (math.isnan(a) and math.isnan(b))


def test_what_may_be_fp8_stays_so():
    """An interval that was cast from fp8 is one after it has been moved, and not after it has been joined with another."""
    text = """func.func @f(%x: tensor<2xf8E4M3FN>, %y: tensor<2xf32>) -> (tensor<1x2xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = ptir.cast %x : tensor<2xf8E4M3FN> -> tensor<2xf32>
  %1 = ptir.reshape %0 : tensor<2xf32> -> tensor<1x2xf32>
  %2 = ptir.concat %0, %0 axis 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %3 = ptir.concat %0, %y axis 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  func.return %1, %2, %3 : tensor<1x2xf32>, tensor<4xf32>, tensor<4xf32>
}"""
    x = np.ones(2, DTYPES["f8E4M3FN"][1])
    assert [i.is_fp8 for i in bounds(ptir.parse(text), "f", x, np.ones(2, np.float32))] == [True, True, False]


def test_sizes_of_the_strategies_vary():
    """The strategies reach rank 5, rank 0, extents of 0 and of 1."""
    seen: set[Any] = set()

    @given(x=s.shapes())
    @settings(max_examples=examples(200))
    def look(x: list[int]):
        seen.add(len(x))
        seen.update(f"extent {n}" for n in x if n < 2)
        assert prod(x) <= 48

    look()
    assert {0, 5, "extent 0", "extent 1"} <= seen
