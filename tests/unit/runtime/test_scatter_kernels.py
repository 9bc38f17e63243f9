"""
Scatters, segment reductions, top_k and random numbers in kernels: results and errors against the reference interpreter.

The arguments are special values: zeros of both signs, infinities and NaN, equal elements, extreme seeds, indices out of range.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.runtime.devices import Emulator
from ptir.semantics.errors import BrokenPromise, IndexOutOfRange, Violation
from ptir.transforms.ptir_to_tiny import segments, sort

pytestmark = pytest.mark.sampled(3)

ARCHS = ("sm80", "sm90")
SPECIAL = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1.5, -1.5, 1.5, 3.0, -0.0, 0.0, -7.25], np.float32)


def function(body: str, arguments: str, results: str) -> str:
    return f"module attributes {{ptir.extensions}} {{\nfunc.func @f({arguments}) -> ({results}) {{\n{body}\n}}\n}}"


def same(text: str, arch: str, *arrays: Any) -> None:
    """Requires the bits of the reference, with any NaN for NaN."""
    results = ptir.compile(text, arch=arch, device=Emulator())(*arrays), ptir.reference(text, *arrays)
    for got, want in zip(*results, strict=True):
        np.testing.assert_array_equal(got, want, strict=True)
        if want.dtype.kind == "c":
            got, want = got.view(np.float32), want.view(np.float32)
        if want.dtype.kind == "f":
            numbers = ~np.isnan(want)
            np.testing.assert_array_equal(np.signbit(got)[numbers], np.signbit(want)[numbers])


def scatter(kind: str, dtype: str, n: int, m: int) -> str:
    x, i, u = f"tensor<{n}x{dtype}>", f"tensor<{m}xsi32>", f"tensor<{m}x{dtype}>"
    body = f"  %0 = ptir.scatter_reduce {kind} %x, %i, %u axis 0 : {x}, {i}, {u}\n  func.return %0 : {x}"
    return function(body, f"%x: {x}, %i: {i}, %u: {u}", x)


@pytest.mark.parametrize(("kind", "dtype", "arch"), [*product(("replace", "max", "min", "add"), ("f32", "f64"), ARCHS)])
def test_scatters_of_special_values(kind: str, dtype: str, arch: str):
    """Elements 6 and later have no updates: they keep their bits. Element 5 has several, of which the last replaces it."""
    x = np.roll(SPECIAL, 4).astype({"f32": np.float32, "f64": np.float64}[dtype])
    i = np.array([5, 0, 1, 5, 2, 3, 5, 4, 5], np.int32)
    same(scatter(kind, dtype, 12, 9), arch, x, i, SPECIAL[:9].astype(x.dtype))


@pytest.mark.parametrize("arch", ARCHS)
def test_complex_numbers_are_replaced_with_all_their_bits(arch: str):
    x = np.stack([SPECIAL, SPECIAL[::-1]], axis=1).view(np.complex64).reshape(-1)
    i = np.array([5, 0, 1, 5, 2, 3, 5, 4, 5], np.int32)
    same(scatter("replace", "complex<f32>", 12, 9), arch, np.roll(x, 4), i, x[:9])


@pytest.mark.parametrize("kind", ["replace", "max", "add"])
def test_no_updates(kind: str):
    same(scatter(kind, "f32", 12, 0), "sm80", SPECIAL, np.zeros(0, np.int32), np.zeros(0, np.float32))


@pytest.mark.parametrize(("at", "value", "arch"), [*product((0, 4, 8), (-1, 12, 2**31 - 1, -(2**31)), ARCHS)])
def test_an_index_out_of_range(at: int, value: int, arch: str):
    text = scatter("add", "f32", 12, 9)
    run, i = ptir.compile(text, arch=arch, device=Emulator()), np.arange(9, dtype=np.int32)
    places: list[Any] = []
    for call in (run, lambda *arrays: ptir.reference(text, *arrays)):
        wrong = i.copy()
        wrong[at] = value
        with pytest.raises(IndexOutOfRange) as caught:
            call(SPECIAL, wrong, SPECIAL[:9])
        places.append(caught.value.location)
    assert places[0] == places[1] is not None
    run(SPECIAL, i, SPECIAL[:9])  # the status word is cleared


@pytest.mark.parametrize(
    ("promise", "ids", "error"),
    [
        ("sorted", [0, 1, 1, 3], None),
        ("sorted", [0, 2, 1, 3], BrokenPromise),
        ("unique", [3, 0, 2, 1], None),
        ("unique", [3, 0, 2, 3], BrokenPromise),
        ("sorted unique", [0, 1, 2, 3], None),
        ("sorted unique", [0, 1, 1, 3], BrokenPromise),
        ("sorted unique", [0, 2, 1, 4], IndexOutOfRange),
    ],
)
def test_promises_about_segments(promise: str, ids: list[int], error: type[Violation] | None):
    x, i, y = "tensor<4x3xf32>", "tensor<4xsi64>", "tensor<4x3xf32>"
    body = f"  %0 = ptir.segment_reduce sum %x, %i {promise} : ({x}, {i}) -> {y}\n  func.return %0 : {y}"
    text, arrays = function(body, f"%x: {x}, %i: {i}", y), (SPECIAL.reshape(4, 3), np.array(ids))
    if error is None:
        same(text, "sm80", *arrays)
        return
    for call in (ptir.compile(text, device=Emulator()), lambda *arrays: ptir.reference(text, *arrays)):
        with pytest.raises(error):
            call(*arrays)


@pytest.mark.campaign
@pytest.mark.parametrize(("kind", "arch"), [*product(("add", "replace", "min"), ARCHS)])
def test_scatters_in_order(kind: str, arch: str, monkeypatch: pytest.MonkeyPatch):
    """Updates are sorted if pairs of an element and an update cost much. Element 5 has most updates, elements 6 and later have none."""
    monkeypatch.setattr(segments, "PAIR", 10**9)
    text, device, x, i = scatter(kind, "f32", 12, 40), Emulator(), np.roll(SPECIAL, 4), np.full(40, 5, np.int32)
    i[::9] = [2, 0, 4, 2, 1]
    updates = np.resize(SPECIAL, 40)
    run = ptir.compile(text, arch=arch, device=device)
    np.testing.assert_array_equal(run(x, i, updates)[0], ptir.reference(text, x, i, updates)[0])
    assert len(device.reports) > 1
    places: list[Any] = []
    for at in (0, 17, 39):
        wrong = i.copy()
        wrong[at] = 12
        for call in (run, lambda *arrays: ptir.reference(text, *arrays)):
            with pytest.raises(IndexOutOfRange) as caught:
                call(x, wrong, updates)
            places.append(caught.value.location)
    assert len(set(places)) == 1 and None not in places


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("promise", "at", "number", "error"),
    [
        ("sorted", 17, 15, BrokenPromise),
        ("sorted", 39, 60, IndexOutOfRange),
        ("unique", 0, 39, BrokenPromise),
        ("sorted unique", 30, 29, BrokenPromise),
    ],
)
def test_promises_about_segments_in_order(
    promise: str, at: int, number: int, error: type[Violation], monkeypatch: pytest.MonkeyPatch
):
    """Ids that no search reads are checked, too."""
    monkeypatch.setattr(segments, "PAIR", 10**9)
    x, y = "tensor<40x2xf32>", "tensor<50x2xf32>"
    body = f"  %0 = ptir.segment_reduce sum %x, %i {promise} : ({x}, tensor<40xsi32>) -> {y}\n  func.return %0 : {y}"
    text = function(body, f"%x: {x}, %i: tensor<40xsi32>", y)
    run, values, ids = (
        ptir.compile(text, device=Emulator()),
        np.arange(80, dtype=np.float32).reshape(40, 2),
        np.arange(40, dtype=np.int32),
    )
    np.testing.assert_array_equal(run(values, ids)[0], ptir.reference(text, values, ids)[0])
    ids[at] = number
    with pytest.raises(error):
        run(values, ids)


ATOMIC = (("add", "si8"), ("max", "si8"), ("add", "ui64"), ("max", "ui64"), ("min", "si64"), ("min", "ui32"))
"""Kinds of scatters and element types that wrap, have less bits than a word, or are compared in two words."""


def many_scatters(n: int, m: int) -> str:
    """Returns a program of scatters of each kind in `ATOMIC`, of which every other one is a reduction of segments."""
    arguments, body, results, types = [f"%i: tensor<{m}xsi64>"], list[str](), list[str](), list[str]()
    for k, (kind, dtype) in enumerate(ATOMIC):
        x, u = f"tensor<{n}x{dtype}>", f"tensor<{m}x{dtype}>"
        arguments += [f"%x{k}: {x}", f"%u{k}: {u}"]
        body.append(f"  %a{k} = ptir.scatter_reduce {kind} %x{k}, %i, %u{k} axis 0 : {x}, tensor<{m}xsi64>, {u}")
        reduces = {"add": "sum"}.get(kind, kind)
        body.append(f"  %b{k} = ptir.segment_reduce {reduces} %u{k}, %i : ({u}, tensor<{m}xsi64>) -> {x}")
        results, types = [*results, f"%a{k}", f"%b{k}"], [*types, x, x]
    body.append(f"  func.return {', '.join(results)} : {', '.join(types)}")
    return function("\n".join(body), ", ".join(arguments), ", ".join(types))


@pytest.mark.campaign
@pytest.mark.parametrize("arch", ARCHS)
def test_integers_are_scattered_atomically(arch: str, monkeypatch: pytest.MonkeyPatch):
    """
    Indices are random, all the same, mostly the same, and sorted; elements are random bits, and the ends of their types. Takes some
    seconds, since there are 12 scatters of which each has three kernels.
    """
    monkeypatch.setattr(segments, "PAIR", 10**9)
    n, m, rng = 37, 203, np.random.default_rng(0)
    text = many_scatters(n, m)
    run, elements = ptir.compile(text, arch=arch, device=Emulator()), list[Any]()
    for _, dtype in ATOMIC:
        t = np.dtype(
            dtype.replace("ui", "u").replace("si", "i").replace("8", "1").replace("32", "4").replace("64", "8")
        )
        for size in (n, m):
            values = np.frombuffer(rng.bytes(size * t.itemsize), t).copy()
            values[::5], values[1::7] = np.iinfo(t).max, np.iinfo(t).min
            elements.append(values)
    few = np.where(rng.random(m) < 0.8, 5, rng.integers(0, n, m))
    for ids in (rng.integers(0, n, m), np.full(m, n - 1), few, np.sort(few)):
        for got, want in zip(run(ids, *elements), ptir.reference(text, ids, *elements), strict=True):
            np.testing.assert_array_equal(got, want, strict=True)
    for at, value in ((0, -1), (101, n), (m - 1, 2**32)):
        wrong = few.copy()
        wrong[at] = value
        places: list[Any] = []
        for call in (run, lambda *arrays: ptir.reference(text, *arrays)):
            with pytest.raises(IndexOutOfRange) as caught:
                call(wrong, *elements)
            places.append(caught.value.location)
        assert places[0] == places[1] is not None


@pytest.mark.parametrize("arch", ARCHS)
def test_rows_are_scattered_atomically(arch: str, monkeypatch: pytest.MonkeyPatch):
    """Windows of rows at vectors of two indices, and rows of fewer columns than a warp has threads; what is updated is not changed."""
    monkeypatch.setattr(segments, "PAIR", 10**9)
    x, i, u, j, v = (
        "tensor<6x5x3xsi32>",
        "tensor<9x2xsi32>",
        "tensor<9x2x3xsi32>",
        "tensor<9x3xsi32>",
        "tensor<9x3xsi32>",
    )
    body = f"""  %0 = ptir.scatter_add %x, %i, %u update_window_dims [1, 2] inserted_window_dims [0]
    scatter_dims_to_operand_dims [0, 1] index_vector_dim 1 : {x}, {i}, {u}
  %1 = ptir.reshape %x : {x} -> tensor<30x3xsi32>
  %2 = ptir.scatter_reduce max %1, %j, %v axis 0 : tensor<30x3xsi32>, {j}, {v}
  func.return %0, %2, %x : {x}, tensor<30x3xsi32>, {x}"""
    types = f"{x}, tensor<30x3xsi32>, {x}"
    text, rng = function(body, f"%x: {x}, %i: {i}, %u: {u}, %j: {j}, %v: {v}", types), np.random.default_rng(1)
    run, start = ptir.compile(text, arch=arch, device=Emulator()), rng.integers(-99, 99, (6, 5, 3), np.int32)
    at = np.stack([rng.integers(0, 6, 9), rng.integers(0, 4, 9)], axis=1).astype(np.int32)
    other = (
        at,
        rng.integers(-9, 9, (9, 2, 3), np.int32),
        rng.integers(0, 30, (9, 3), np.int32),
        rng.integers(-99, 99, (9, 3), np.int32),
    )
    for got, want in zip(run(start, *other), ptir.reference(text, start, *other), strict=True):
        np.testing.assert_array_equal(got, want, strict=True)
    at[8, 1] = 4  # the window ends outside
    with pytest.raises(IndexOutOfRange):
        run(start, *other)


@pytest.mark.campaign
@pytest.mark.parametrize(("order", "k", "arch"), [*product(("largest", "smallest"), (0, 1, 5, 12), ARCHS)])
def test_top_k_of_special_values(order: str, k: int, arch: str):
    """Zeros are equal whatever their signs, and NaN is larger than infinity."""
    types = f"tensor<2x{k}xf32>, tensor<2x{k}xsi32>"
    body = (
        f"  %v, %i = ptir.top_k {order} %x k {k} axis 1 : tensor<2x12xf32> -> {types}\n  func.return %v, %i : {types}"
    )
    same(function(body, "%x: tensor<2x12xf32>", types), arch, np.stack([SPECIAL, SPECIAL[::-1]]))


@pytest.mark.campaign
@pytest.mark.parametrize(("dtype", "arch"), [*product(("bf16", "si64"), ARCHS)])
def test_top_k_of_merged_runs(dtype: str, arch: str, monkeypatch: pytest.MonkeyPatch):
    """If launches cost little, short rows are sorted in many steps, too. Entries of 64-bit elements are positions alone."""
    monkeypatch.setattr(sort, "LAUNCH", 20_000)
    types = f"tensor<37x2x{dtype}>, tensor<37x2xsi64>"
    body = f"  %v, %i = ptir.top_k smallest %x k 37 axis 0 : tensor<45x2x{dtype}> -> {types}\n  func.return %v, %i : {types}"
    text = function(body, f"%x: tensor<45x2x{dtype}>", types)
    x = np.resize(SPECIAL, (45, 2)) if dtype == "bf16" else np.random.default_rng(0).integers(-9, 9, (45, 2))
    x = x.astype(ml_dtypes.bfloat16 if dtype == "bf16" else np.int64)
    device = Emulator()
    got = ptir.compile(text, arch=arch, device=device)(x)
    assert [a.tobytes() for a in got] == [a.tobytes() for a in ptir.reference(text, x)]
    assert len(device.reports) > 3


@pytest.mark.campaign
@pytest.mark.parametrize(("dtype", "seed"), [*product(("f32", "f64", "bf16"), (0, 1, -1, 2**63 - 1, -(2**63), 2**32))])
def test_uniform_numbers(dtype: str, seed: int):
    """The seed is an attribute and an operand."""
    t = f"tensor<3x5x{dtype}>"
    body = f"""  %0 = ptir.rng_uniform seed {seed} : {t}
  %1 = ptir.rng_uniform from %s : {t}
  func.return %0, %1 : {t}, {t}"""
    text = function(body, "%s: tensor<ui64>", f"{t}, {t}")
    arrays = np.array(seed % 2**64, np.uint64)
    first, second = ptir.compile(text, device=Emulator())(arrays)
    assert first.tobytes() == second.tobytes() == ptir.reference(text, arrays)[0].tobytes()


@pytest.mark.parametrize("arch", ARCHS)
def test_sums_over_one_hot_rows_are_scattered(arch: str, monkeypatch: pytest.MonkeyPatch):
    """Ids of no class, some of them negative, are counted nowhere; rows are counted apart, and values added in narrow types."""
    monkeypatch.setattr(segments, "PAIR", 10**9)
    body = """  %0 = ptir.broadcast_to %i : tensor<3x30xsi64> -> tensor<7x3x30xsi64>
  %c = ptir.iota axis 0 : tensor<7x3x30xsi64>
  %h = ptir.compare eq %0, %c : tensor<7x3x30xsi64> -> tensor<7x3x30xi1>
  %1 = ptir.cast %h : tensor<7x3x30xi1> -> tensor<7x3x30xsi32>
  %2 = ptir.reduce sum %1 axes [2] : tensor<7x3x30xsi32> -> tensor<7x3xsi32>
  %3 = ptir.broadcast_to %v : tensor<3x30xsi8> -> tensor<7x3x30xsi8>
  %4 = ptir.constant dense<0> : tensor<7x3x30xsi8>
  %5 = ptir.select %h, %3, %4 : tensor<7x3x30xi1>, tensor<7x3x30xsi8>
  %6 = ptir.reduce sum %5 axes [1, 2] : tensor<7x3x30xsi8> -> tensor<7xsi8>
  func.return %2, %6 : tensor<7x3xsi32>, tensor<7xsi8>"""
    text = function(body, "%i: tensor<3x30xsi64>, %v: tensor<3x30xsi8>", "tensor<7x3xsi32>, tensor<7xsi8>")
    rng = np.random.default_rng(0)
    ids, values = rng.integers(-2, 9, (3, 30)), rng.integers(-128, 128, (3, 30)).astype(np.int8)
    ids[0, :3] = -(2**63), 2**63 - 1, 2**32 + 1
    device = Emulator()
    got = ptir.compile(text, arch=arch, device=device)(ids, values)
    for result, want in zip(got, ptir.reference(text, ids, values), strict=True):
        np.testing.assert_array_equal(result, want, strict=True)
    assert sum("red.relaxed.gpu.global.add.u32" in report.opcodes for report in device.reports) == 2


@pytest.mark.parametrize("arch", ARCHS)
def test_segments_of_long_rows(arch: str):
    """A kernel streams the ids of each segment, whose number is the same in all tiles of a row."""
    x, i = "tensor<17000xf32>", "tensor<17000xsi32>"
    body = f"  %0 = ptir.segment_reduce sum %x, %i : ({x}, {i}) -> tensor<3xf32>\n  func.return %0 : tensor<3xf32>"
    rng = np.random.default_rng(0)
    arrays = rng.integers(-9, 9, 17000).astype(np.float32), rng.integers(0, 3, 17000).astype(np.int32)
    same(function(body, f"%x: {x}, %i: {i}", "tensor<3xf32>"), arch, *arrays)


def test_a_warp_updates_one_element_once():
    """A histogram of equal values has one update a warp and vector element, and two kernels; ptxas reduces the warp's values."""
    i = "tensor<4096xsi32>"
    body = f"""  %one = ptir.constant dense<1> : {i}
  %0 = ptir.segment_reduce sum %one, %i : ({i}, {i}) -> tensor<4096xsi32>
  func.return %0 : tensor<4096xsi32>"""
    device = Emulator()
    run = ptir.compile(function(body, f"%i: {i}", "tensor<4096xsi32>"), device=device)
    assert run(np.full(4096, 7, np.int32))[0][7] == 4096
    _, report = device.reports
    assert report.opcodes["red.relaxed.gpu.global.add.u32"] == 4096 // 32


def kernels(text: str) -> int:
    module = ptir.PassManager("ptir-to-tiny,form-regions").run(ptir.parse(text))
    return sum(op.name == "region.kernel" for op in module.ops)


def test_no_intermediate_is_stored():
    """A scatter is one kernel; `top_k` stores its ranks."""
    assert kernels(scatter("add", "f32", 1000, 3000)) == kernels(scatter("replace", "f32", 1000, 3000)) == 1
    types = "tensor<4x50xf32>, tensor<4x50xsi32>"
    body = (
        f"  %v, %i = ptir.top_k largest %x k 50 axis 1 : tensor<4x300xf32> -> {types}\n  func.return %v, %i : {types}"
    )
    assert kernels(function(body, "%x: tensor<4x300xf32>", types)) == 2
