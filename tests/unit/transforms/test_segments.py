"""
Scatters and segment reductions of sorted updates: the tiny program, interpreted, against the reference interpreter.

`Compared` is what short programs use, and is tested in `tests/unit/runtime/test_scatter_kernels.py`, as are kernels of both.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.semantics.errors import BrokenPromise, IndexOutOfRange, Violation
from ptir.transforms.ptir_to_tiny import segments, sort

FLOATS = {
    "f32": np.float32,
    "f64": np.float64,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
}
INTEGERS = {"si8": np.int8, "ui64": np.uint64, "i32": np.int32, "si4": ml_dtypes.int4}
OTHERS = {"complex<f32>": np.complex64, "i1": np.bool_}
TYPES: dict[str, Any] = {**FLOATS, **INTEGERS, **OTHERS}
RNG = np.random.default_rng(3)


@pytest.fixture(autouse=True)
def in_order(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A pair, and an atomic update, cost so much that updates are sorted; a launch costs little, so that sorts take several steps."""
    monkeypatch.setattr(segments, "PAIR", 10**9)
    monkeypatch.setattr(segments, "UPDATE", 10**14)
    monkeypatch.setattr(sort, "LAUNCH", 20_000)
    yield


def tensor(sizes: Any, dtype: str) -> str:
    return f"tensor<{''.join(f'{s}x' for s in sizes)}{dtype}>"


def program(op: str, arguments: dict[str, str], result: str) -> str:
    names = ", ".join(f"%{name}: {t}" for name, t in arguments.items())
    return f"module attributes {{ptir.extensions}} {{\nfunc.func @f({names}) -> {result} {{\n  %0 = {op}\n  func.return %0 : {result}\n}}\n}}"


def scatter(kind: str, dtype: str, x: Any, updates: Any, axis: int, index: str = "si32") -> str:
    types = {"x": tensor(x, dtype), "i": tensor(updates, index), "u": tensor(updates, dtype)}
    op = f"ptir.scatter_reduce {kind} %x, %i, %u axis {axis} : {', '.join(types.values())}"
    return program(op, types, types["x"])


def segment(kind: str, dtype: str, x: Any, count: int, promises: str = "", index: str = "si32") -> str:
    types = {"x": tensor(x, dtype), "i": tensor(x[:1], index)}
    result = tensor([count, *x[1:]], dtype)
    op = f"ptir.segment_reduce {kind} %x, %i {promises} : ({', '.join(types.values())}) -> {result}"
    return program(op, types, result)


def lowered(text: str, *arrays: Any) -> Any:
    module = ptir.PassManager("ptir-to-tiny").run(ptir.parse(text))
    assert "tiny.movement view" in str(module) or "replace" in text
    return ptir.reference(module, *arrays)


def same(text: str, *arrays: Any) -> None:
    """Requires the numbers of the reference, and the same signs, except that sums of zeros may have any."""
    for got, want in zip(lowered(text, *arrays), ptir.reference(text, *arrays), strict=True):
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        np.testing.assert_array_equal(got.astype(np.complex128), want.astype(np.complex128))
        if " add " not in text and " sum " not in text and got.dtype.kind != "c":
            signs = ~np.isnan(want.astype(np.float64))
            np.testing.assert_array_equal(*(np.signbit(a.astype(np.float64))[signs] for a in (got, want)))


def numbers(kind: str, dtype: str, sizes: Any) -> Any:
    """Small integers, so that sums are exact; NaN and infinities, and zeros of both signs, where nothing is added."""
    count = int(np.prod(sizes))
    if dtype in FLOATS and kind in ("max", "min", "replace"):
        found = RNG.choice([0.0, -0.0, np.nan, np.inf, -np.inf, 1.5, -1.5, 2.0], count)
    else:
        found = RNG.choice([1, 1, 1, 2], count) if kind == "mul" else RNG.integers(0, 3, count)
    with np.errstate(all="ignore"):
        return found.astype(TYPES[dtype]).reshape(sizes)


KINDS = {
    "add": ("f32", "f64", "bf16", "f8E4M3FN", "si8", "ui64", "si4", "complex<f32>"),
    "mul": ("f32", "bf16", "i32", "ui64", "complex<f32>"),
    "max": ("f32", "f64", "f8E4M3FN", "si8", "ui64"),
    "min": ("f16", "bf16", "f8E4M3FN", "i32", "ui64"),
    "replace": ("f32", "bf16", "ui64", "si4", "complex<f32>", "i1"),
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("kind", "dtype"), [(kind, dtype) for kind, dtypes in KINDS.items() for dtype in dtypes])
def test_scatters_of_every_kind_and_type(kind: str, dtype: str):
    """Along each axis, with other indices for each row; some elements have no updates, and some have many."""
    for axis, (x, updates) in enumerate([((7, 3), (41, 3)), ((2, 9), (2, 30))]):
        text = scatter(kind, dtype, x, updates, axis, "si64")
        same(text, numbers(kind, dtype, x), RNG.integers(0, x[axis] - 2, updates), numbers(kind, dtype, updates))


@pytest.mark.parametrize("dtype", ["f32", "f8E4M3FN"])
def test_sums_leave_elements_without_updates_as_they_are(dtype: str):
    """The sum of -0 and of no updates, which are 0, would be +0."""
    x, i, u = np.full(4, -0.0, TYPES[dtype]), np.array([1, 1, 3] * 9), np.ones(27, TYPES[dtype])
    (got,) = lowered(scatter("add", dtype, (4,), (27,), 0, "si64"), x, i, u)
    assert np.signbit(got.astype(np.float32)).tolist() == [True, False, True, False]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 15, 16, 17, 63, 64, 65, 129, 513, 600])
def test_segments_of_every_size(size: int):
    """One segment, few, and more segments than rows; in order, and not."""
    x = numbers("sum", "f32", (size, 3))
    for count, promise in ((1, ""), (5, "sorted"), (size + 40, ""), (size + 40, "sorted")):
        ids = RNG.integers(0, count, size).astype(np.int32)
        if size > 1:
            same(segment("sum", "f32", x.shape, count, promise), x, np.sort(ids) if promise else ids)


def test_rounding_is_within_the_bound():
    x, ids = RNG.standard_normal((700, 2)).astype(np.float32), np.sort(RNG.integers(0, 3, 700)).astype(np.int32)
    text = segment("sum", "f32", x.shape, 4, "sorted")
    (got,), (bound,) = lowered(text, x, ids), ptir.bounds(text, x, ids)
    assert np.all((bound.lo <= got) & (got <= bound.hi))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("repeated", ["2x1x5", "5", "1x40x1", "40x1"])
def test_repeated_indices(repeated: str):
    """Indices that are the same along an axis are sorted once; if they are the same along that of the scatter, they are not."""
    x, of = (2, 6, 5), (2, 40, 5)
    sizes = [int(s) for s in repeated.split("x")]
    i = tensor(sizes, "si32")
    text = scatter("add", "f32", x, of, 1).replace(f"%i: {tensor(of, 'si32')}", f"%j: {i}")
    text = text.replace("%0 =", f"%i = ptir.broadcast_to %j : {i} -> {tensor(of, 'si32')}\n  %0 =", 1)
    same(text, numbers("add", "f32", x), RNG.integers(0, 6, sizes).astype(np.int32), numbers("add", "f32", of))


WINDOWS = [
    ((5, 4), (30,), (30, 4), "update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0]"),
    ((5, 4), (2, 30), (4, 30), "update_window_dims [0] inserted_window_dims [0] scatter_dims_to_operand_dims [0]"),
    (
        (5, 4, 3),
        (2, 30),
        (30, 3),
        "update_window_dims [1] inserted_window_dims [0, 1] scatter_dims_to_operand_dims [1, 0]",
    ),
    (
        (5, 4, 3),
        (2, 30),
        (2, 30, 2),
        "update_window_dims [0, 2] inserted_window_dims [0] scatter_dims_to_operand_dims [0, 1]",
    ),
    ((5, 4), (0, 30), (30, 5, 2), "update_window_dims [1, 2] inserted_window_dims [] scatter_dims_to_operand_dims []"),
]


@pytest.mark.parametrize(("x", "indices", "updates", "dims"), WINDOWS)
def test_windows(x: Any, indices: Any, updates: Any, dims: str):
    """Windows that have a start along several axes, in any order, or along none, and that cover only a part of others."""
    if indices == (2, 30) and len(x) == 2:
        indices = (1, 30)
    vector = f"index_vector_dim {0 if len(indices) > 1 else 1}"
    types = {"x": tensor(x, "si32"), "i": tensor(indices, "si64"), "u": tensor(updates, "si32")}
    text = program(f"ptir.scatter_add %x, %i, %u {dims} {vector} : {', '.join(types.values())}", types, types["x"])
    same(text, numbers("add", "i32", x), RNG.integers(0, 3, indices), numbers("add", "i32", updates))


@pytest.mark.parametrize("start", [-1, 5])
def test_windows_must_end_inside(start: int):
    """Start 5 is an element of x, but the second element of the window is not."""
    types = {"x": tensor((6,), "si32"), "i": tensor((9, 1), "si64"), "u": tensor((9, 2), "si32")}
    dims = "update_window_dims [1] inserted_window_dims [] scatter_dims_to_operand_dims [0] index_vector_dim 1"
    text = program(f"ptir.scatter_add %x, %i, %u {dims} : {', '.join(types.values())}", types, types["x"])
    x, i, u = np.ones(6, np.int32), np.full((9, 1), 4), np.ones((9, 2), np.int32)
    same(text, x, i, u)
    i[3] = start
    for run in (lowered, ptir.reference):
        with pytest.raises(IndexOutOfRange):
            run(text, x, i, u)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("promise", "change", "error"),
    [
        ("", {11: 60}, IndexOutOfRange),
        ("sorted", {49: -1}, IndexOutOfRange),
        ("sorted", {20: 3}, BrokenPromise),
        ("unique", {20: 21}, BrokenPromise),
        ("unique", {49: 0}, BrokenPromise),
        ("sorted unique", {20: 19}, BrokenPromise),
    ],
)
def test_what_ids_must_not_be(promise: str, change: dict[int, int], error: type[Violation]):
    text, x, ids = (
        segment("max", "f32", (50, 2), 60, promise),
        np.ones((50, 2), np.float32),
        np.arange(50, dtype=np.int32),
    )
    same(text, x, ids)
    for at, number in change.items():
        ids[at] = number
    for run in (lowered, ptir.reference):
        with pytest.raises(error):
            run(text, x, ids)


def test_the_way_with_fewer_instructions_is_chosen(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.undo()

    def is_compared(text: str) -> bool:
        return "tiny.movement view" not in str(ptir.PassManager("ptir-to-tiny").run(ptir.parse(text)))

    assert is_compared(segment("sum", "f32", (1000, 64), 100))
    assert is_compared(segment("sum", "f32", (4096,), 4096))
    assert not is_compared(segment("sum", "f32", (4096, 64), 4096, "sorted"))
    assert not is_compared(scatter("add", "f32", (50_257, 8), (512, 8), 0))
    assert is_compared(scatter("add", "f32", (5, 8), (5000, 8), 0))
