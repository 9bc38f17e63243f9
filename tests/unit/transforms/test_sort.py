"""
`top_k` as a sort of entries: the tiny program, interpreted, against the reference interpreter bit for bit, and what the steps cost.

Kernels of it are in `tests/unit/runtime/test_scatter_kernels.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.transforms.ptir_to_tiny import sort
from ptir.transforms.ptir_to_tiny.sort import Step, plan_sort

TYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    **{f"{sign}i{width}": np.dtype(f"{'u' * (sign == 'u')}int{width}") for sign in "su" for width in (8, 16, 32, 64)},
    "i32": np.int32,
    "i64": np.int64,
    "si4": ml_dtypes.int4,
    "ui4": ml_dtypes.uint4,
}
SPECIAL = [0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1.5, -1.5, 1e-40, -1e-40, 448.0, -7.25]
NO_LAUNCH = 0
"""The cost of a launch for which short rows are sorted by many steps, too."""


def top_k(shape: tuple[int, ...], k: int, axis: int, dtype: str, order: str = "largest", index: str = "si32") -> str:
    def tensor(sizes: Any, dtype: str) -> str:
        return f"tensor<{''.join(f'{s}x' for s in sizes)}{dtype}>"

    kept = [k if a == axis else s for a, s in enumerate(shape)]
    x, values, indices = tensor(shape, dtype), tensor(kept, dtype), tensor(kept, index)
    return f"""module attributes {{ptir.extensions}} {{
func.func @f(%x: {x}) -> ({values}, {indices}) {{
  %v, %i = ptir.top_k {order} %x k {k} axis {axis} : {x} -> {values}, {indices}
  func.return %v, %i : {values}, {indices}
}}
}}"""


def numbers(kind: str, dtype: str, shape: tuple[int, ...], seed: int) -> Any:
    rng, of, count = np.random.default_rng(seed), np.dtype(TYPES[dtype]), int(np.prod(shape))
    if dtype[0] in "fb":
        pool = {"ties": [-1.0, 0.0, 1.0], "special": SPECIAL, "equal": [rng.choice(SPECIAL)]}
        found = rng.standard_normal(count) if kind == "random" else rng.choice(pool[kind], count)
        with np.errstate(all="ignore"):
            return found.astype(of).reshape(shape)
    info: Any = ml_dtypes.iinfo(of)
    low, high = int(info.min), int(info.max)
    pool: Any = {
        "random": range(low, high),
        "ties": [0, 1, high],
        "special": [low, low + 1, 0, high - 1, high],
        "equal": [low],
    }
    chosen = [
        pool[kind][int(at)]
        for at in rng.integers(0, min(high - low, 2**60) if kind == "random" else len(pool[kind]), count)
    ]
    return np.array(chosen, of if of.itemsize == 8 else np.int64).astype(of).reshape(shape)


def same(got: Any, want: Any) -> None:
    """Requires equal bits."""
    for a, b in zip(got, want, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        assert a.tobytes() == b.tobytes(), f"{a} is not {b}"


def lowered(text: str, *arrays: Any) -> Any:
    return ptir.reference(ptir.PassManager("ptir-to-tiny").run(ptir.parse(text)), *arrays)


@pytest.fixture
def many_steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sort, "LAUNCH", NO_LAUNCH)
    yield


@pytest.mark.usefixtures("many_steps")
@pytest.mark.sampled(9)
@pytest.mark.parametrize(("dtype", "kind"), [*product(TYPES, ("random", "ties", "special", "equal"))])
def test_every_type_in_many_steps(dtype: str, kind: str):
    """A prime number of elements, so that the last run is not full; all of them, and a few."""
    x = numbers(kind, dtype, (2, 67), seed=len(dtype))
    for order, k in (("largest", 67), ("smallest", 9)):
        text = top_k((2, 67), k, 1, dtype, order)
        same(lowered(text, x), ptir.reference(text, x))


@pytest.mark.usefixtures("many_steps")
@pytest.mark.sampled(7)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 251])
def test_every_size(size: int):
    x = numbers("ties", "f32", (size,), size)
    for k in {1, size // 3, size}:
        text = top_k((size,), k, 0, "f32", index="si64")
        same(lowered(text, x), ptir.reference(text, x))


@pytest.mark.usefixtures("many_steps")
@pytest.mark.parametrize(("shape", "dtype"), [((3, 20, 2), "bf16"), ((20, 1, 3), "si64"), ((1, 2, 20), "si16")])
def test_every_axis(shape: tuple[int, ...], dtype: str):
    x = numbers("ties", dtype, shape, 3)
    for axis in range(3):
        text = top_k(shape, min(shape[axis], 11), axis, dtype, "smallest")
        same(lowered(text, x), ptir.reference(text, x))


@pytest.mark.campaign
@pytest.mark.parametrize(("size", "k"), [(4096, 4096), (5003, 300), (50_257, 50)])
def test_long_rows(size: int, k: int):
    x = numbers("random", "f16", (size,), size)
    text = top_k((size,), k, 0, "f16")
    same(lowered(text, x), ptir.reference(text, x))


@pytest.mark.parametrize(("shape", "k"), [((0,), 0), ((5,), 0), ((0, 4), 2), ((3, 0), 0)])
def test_no_elements(shape: tuple[int, ...], k: int):
    text = top_k(shape, k, len(shape) - 1, "f32")
    x = np.zeros(shape, np.float32)
    same(lowered(text, x), ptir.reference(text, x))


# --- the steps ------------------------------------------------------------------------------------


def comparisons(size: int, k: int) -> int:
    """Returns the number of pairs that ranks compare, and of steps of all searches."""
    total, length = 0, 1
    for step in plan_sort(size, k, 1)[1]:
        entries = step.joined * length
        search = step.kept * (length.bit_length() + 1)
        total += step.groups * (search if step.merges else entries * (entries + step.kept))
        length = step.kept
    return total


@pytest.mark.parametrize(
    ("size", "k", "most"),
    [(4096, 8, 600_000), (4096, 4096, 1_500_000), (50_257, 50, 8_000_000), (50_257, 50_257, 12_000_000)],
)
def test_the_number_of_comparisons_does_not_grow_with_the_square(size: int, k: int, most: int):
    assert comparisons(size, k) < most < size * (size + k) / 16


@pytest.mark.parametrize("size", [5, 100, 256, 500])
def test_short_rows_are_ranked(size: int):
    for k in (1, size):
        assert plan_sort(size, k, 1)[1] == (Step(1, size, k, merges=False),)


def test_many_entries_of_long_rows_are_merged():
    _, (first, *others) = plan_sort(50_257, 50_257, 1)
    assert not first.merges and all(step.merges for step in others)
    assert [step.groups for step in others] == [2**bits for bits in reversed(range(len(others)))]


def test_many_rows_have_shorter_runs():
    """With more rows, a launch counts less than the comparisons."""
    one, many = (plan_sort(4096, 4096, rows)[1][0].joined for rows in (1, 1000))
    assert many < one
