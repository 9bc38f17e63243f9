"""
Kernels that read at indices given by data: takes, gathers, dynamic slices and updates, fused with what is around them, against
NumPy and the reference interpreter. An index out of range raises the interpreter's error at the interpreter's place, and no kernel
reads outside of an array, whatever the index is: the emulator checks every access.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import ptir
from ptir.dialects.region import RegionKernelOp
from ptir.planning.templates import template_of
from ptir.runtime.devices import Emulator
from ptir.semantics.errors import IndexOutOfRange

pytestmark = pytest.mark.sampled(4)

ARCHS = ("sm80", "sm90")
INDICES = {"si32": np.int32, "i32": np.int32, "si64": np.int64, "i64": np.int64}
RNG = np.random.default_rng(7)


def kernels(text: str, arch: str = "sm80") -> list[RegionKernelOp]:
    module: ModuleOp = ptir.PassManager(f"ptir-to-tiny,form-regions,plan-regions{{arch={arch}}}").run(ptir.parse(text))
    return [op for op in module.ops if isinstance(op, RegionKernelOp)]


def families(text: str) -> list[str]:
    return [template_of(k.plan.schedule()).family for k in kernels(text) if k.plan]


def agree(text: str, *arrays: Any, arch: str, close: bool = False) -> Any:
    """Requires the results of the reference interpreter, or values within its bounds; returns them."""
    got, want = ptir.compile(text, arch=arch, device=Emulator())(*arrays), ptir.reference(text, *arrays)
    for k, (g, w) in enumerate(zip(got, want, strict=True)):
        if close:
            np.testing.assert_allclose(g.astype(np.float64), w.astype(np.float64), rtol=1e-2, atol=1e-2)
        else:
            np.testing.assert_array_equal(g, w, str(k), strict=True)
    return got


def place(run: Any, arrays: Any) -> Any:
    """Returns the location of the index that is out of range."""
    with pytest.raises(IndexOutOfRange) as caught:
        run(*arrays)
    return caught.value.location


def fails(text: str, *arrays: Any, arch: str) -> None:
    """Requires the interpreter's error at the interpreter's place, and that the next call succeeds if its indices are in range."""
    compiled = ptir.compile(text, arch=arch, device=Emulator())
    assert place(compiled, arrays) == place(lambda *a: ptir.reference(text, *a), arrays) is not None


# --- one op ---------------------------------------------------------------------------------------


def take(rows: int, columns: int, count: int, dtype: str = "f32", index: str = "si32") -> str:
    return f"""func.func @f(%x: tensor<{rows}x{columns}x{dtype}>, %i: tensor<{count}x{index}>) -> tensor<{count}x{columns}x{dtype}> {{
  %0 = ptir.take %x, %i : (tensor<{rows}x{columns}x{dtype}>, tensor<{count}x{index}>) -> tensor<{count}x{columns}x{dtype}>
  func.return %0 : tensor<{count}x{columns}x{dtype}>
}}"""


@pytest.mark.parametrize(
    ("sizes", "index", "arch"), [*product(((1, 1, 1), (10, 16, 6), (7, 13, 33), (33, 70, 5)), INDICES, ARCHS)]
)
def test_take(sizes: tuple[int, int, int], index: str, arch: str):
    rows, columns, count = sizes
    x, i = RNG.standard_normal((rows, columns)).astype(np.float32), RNG.integers(0, rows, count).astype(INDICES[index])
    (got,) = agree(take(*sizes, index=index), x, i, arch=arch)
    np.testing.assert_array_equal(got, x[i])


BAD = {"below": lambda n: -1, "past": lambda n: n, "least": lambda n: -(2**31), "most": lambda n: 2**31 - 1}


@pytest.mark.parametrize(("kind", "index", "at", "arch"), [*product(BAD, INDICES, (0, -1), ARCHS)])
def test_an_index_out_of_range_is_reported(kind: str, index: str, at: int, arch: str):
    x, i = np.ones((7, 13), np.float32), RNG.integers(0, 7, 33).astype(INDICES[index])
    i[at] = BAD[kind](7)
    fails(take(7, 13, 33, index=index), x, i, arch=arch)


@pytest.mark.parametrize(
    ("bad", "index", "arch"), [*product((2**32, 2**32 + 3, -(2**32), 2**63 - 1, -(2**63)), ("si64", "i64"), ARCHS)]
)
def test_a_large_index_does_not_wrap(bad: int, index: str, arch: str):
    """The low 32 bits of some are in range."""
    x, i = np.ones((7, 13), np.float32), np.array([0, bad, 6])
    fails(take(7, 13, 3, index=index), x, i, arch=arch)


def test_a_call_after_a_failing_one():
    run, x = ptir.compile(take(7, 13, 3), device=Emulator()), RNG.standard_normal((7, 13)).astype(np.float32)
    for i in ([0, 6, 3], [0, 7, 3], [1, 1, 1]):
        indices = np.array(i, np.int32)
        if 7 in i:
            place(run, (x, indices))
        else:
            np.testing.assert_array_equal(run(x, indices)[0], x[indices])


def test_constant_indices_in_range_need_no_report():
    text = """func.func @f(%x: tensor<5x4xf32>) -> tensor<3x4xf32> {{
  %i = ptir.constant dense<[0, 4, {}]> : tensor<3xsi32>
  %0 = ptir.take %x, %i : (tensor<5x4xf32>, tensor<3xsi32>) -> tensor<3x4xf32>
  func.return %0 : tensor<3x4xf32>
}}"""
    x = RNG.standard_normal((5, 4)).astype(np.float32)
    inside = ptir.compile(text.format(2), device=Emulator())
    assert "status" not in inside.cuda
    np.testing.assert_array_equal(inside(x)[0], x[[0, 4, 2]])
    for bad in (5, -1):
        fails(text.format(bad), x, arch="sm80")


@pytest.mark.parametrize(("axis", "arch"), [*product(range(4), ARCHS)])
def test_gather_along_each_axis(axis: int, arch: str):
    sizes = [3, 4, 5, 6]
    count = [n + 1 if k == axis else n for k, n in enumerate(sizes)]
    of, to = ("x".join(map(str, s)) for s in (sizes, count))
    text = f"""func.func @f(%x: tensor<{of}xf32>, %i: tensor<{to}xsi32>) -> tensor<{to}xf32> {{
  %0 = ptir.gather %x, %i axis {axis} : (tensor<{of}xf32>, tensor<{to}xsi32>) -> tensor<{to}xf32>
  func.return %0 : tensor<{to}xf32>
}}"""
    x, i = RNG.standard_normal(sizes).astype(np.float32), RNG.integers(0, sizes[axis], count).astype(np.int32)
    (got,) = agree(text, x, i, arch=arch)
    np.testing.assert_array_equal(got, np.take_along_axis(x, i, axis))
    for element in (0, -1, i.size // 2):
        bad = i.copy()
        bad.reshape(-1)[element] = sizes[axis]
        fails(text, x, bad, arch=arch)


WINDOWS = [
    ((9,), (4,)),
    ((7, 13), (7, 5)),
    ((7, 13), (3, 13)),
    ((4, 10, 16), (2, 1, 16)),
    ((3, 4, 5, 6), (2, 4, 1, 5)),
    ((5, 5), (5, 5)),
]


@pytest.mark.parametrize(("window", "index", "arch"), [*product(range(len(WINDOWS)), INDICES, ARCHS)])
def test_dynamic_slices_and_updates(window: int, index: str, arch: str):
    """The start is clamped, whatever it is."""
    extents, sizes = WINDOWS[window]
    of, to = ("x".join(map(str, s)) for s in (extents, sizes))
    rank, ends = len(extents), np.iinfo(INDICES[index])
    text = f"""func.func @f(%x: tensor<{of}xf32>, %u: tensor<{to}xf32>, %s: tensor<{rank}x{index}>) -> (tensor<{to}xf32>, tensor<{of}xf32>) {{
  %0 = ptir.dynamic_slice %x, %s : (tensor<{of}xf32>, tensor<{rank}x{index}>) -> tensor<{to}xf32>
  %1 = ptir.dynamic_update_slice %x, %u, %s : tensor<{of}xf32>, tensor<{to}xf32>, tensor<{rank}x{index}>
  func.return %0, %1 : tensor<{to}xf32>, tensor<{of}xf32>
}}"""
    x, u = (RNG.standard_normal(s).astype(np.float32) for s in (extents, sizes))
    run = ptir.compile(text, arch=arch, device=Emulator())
    free = [a - b for a, b in zip(extents, sizes, strict=True)]
    middle = [n // 2 for n in free]
    for start in ([0] * rank, middle, free, [n + 1 for n in free], [-1] * rank, [ends.max] * rank, [ends.min] * rank):
        s = np.array(start, INDICES[index])
        at = tuple(slice(b := min(max(n, 0), f), b + size) for n, f, size in zip(start, free, sizes, strict=True))
        cut, updated = run(x, u, s)
        np.testing.assert_array_equal(cut, x[at])
        want = x.copy()
        want[at] = u
        np.testing.assert_array_equal(updated, want)


DTYPES = {
    "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "complex<f32>": np.complex64, "complex<f64>": np.complex128, "i1": np.bool_, "si8": np.int8, "ui16": np.uint16, "si64": np.int64,
    "si4": ml_dtypes.int4, "ui4": ml_dtypes.uint4,
}  # fmt: skip


@pytest.mark.parametrize(("dtype", "arch"), [*product(DTYPES, ARCHS)])
def test_element_types(dtype: str, arch: str):
    x = RNG.integers(0, 2 if dtype == "i1" else 7, (9, 21)).astype(DTYPES[dtype])
    i = RNG.integers(0, 9, 5).astype(np.int32)
    agree(take(9, 21, 5, dtype), x, i, arch=arch)
    i[3] = 9
    fails(take(9, 21, 5, dtype), x, i, arch=arch)


# --- fusion ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("arch", ARCHS)
def test_producers_and_consumers_are_fused(arch: str):
    """Fewer elements are read than the table has: what is computed from it is computed where it is read."""
    text = """func.func @f(%x: tensor<40x6x8xbf16>, %b: tensor<6x8xbf16>, %i: tensor<2x3xsi32>) -> tensor<8x2x3x6xf32> {
  %0 = ptir.broadcast_to %b : tensor<6x8xbf16> -> tensor<40x6x8xbf16>
  %1 = ptir.add %x, %0 : tensor<40x6x8xbf16>
  %2 = ptir.add %i, %i : tensor<2x3xsi32>
  %3 = ptir.take %1, %2 : (tensor<40x6x8xbf16>, tensor<2x3xsi32>) -> tensor<2x3x6x8xbf16>
  %4 = ptir.cast %3 : tensor<2x3x6x8xbf16> -> tensor<2x3x6x8xf32>
  %5 = ptir.tanh %4 : tensor<2x3x6x8xf32>
  %6 = ptir.transpose %5 [3, 0, 1, 2] : tensor<2x3x6x8xf32> -> tensor<8x2x3x6xf32>
  func.return %6 : tensor<8x2x3x6xf32>
}"""
    assert families(text) == ["elementwise"]
    x, b = (RNG.standard_normal(s).astype(ml_dtypes.bfloat16) for s in ((40, 6, 8), (6, 8)))
    agree(text, x, b, RNG.integers(0, 20, (2, 3)).astype(np.int32), arch=arch, close=True)
    fails(text, x, b, np.full((2, 3), 20, np.int32), arch=arch)


def test_a_small_computed_table_is_stored():
    """Its elements would be computed many times."""
    text = """func.func @f(%x: tensor<4x8xf32>, %i: tensor<64xsi32>) -> tensor<64x8xf32> {
  %0 = ptir.exp %x : tensor<4x8xf32>
  %1 = ptir.take %0, %i : (tensor<4x8xf32>, tensor<64xsi32>) -> tensor<64x8xf32>
  func.return %1 : tensor<64x8xf32>
}"""
    assert families(text) == ["elementwise", "elementwise"]
    x = RNG.standard_normal((4, 8)).astype(np.float32)
    agree(text, x, RNG.integers(0, 4, 64).astype(np.int32), arch="sm80", close=True)


@pytest.mark.parametrize("arch", ARCHS)
def test_a_gather_of_a_pad(arch: str):
    """The padding is read at some indices, and the array is not read there."""
    text = """func.func @f(%x: tensor<5x6xf32>, %i: tensor<9xsi32>) -> tensor<9x8xf32> {
  %0 = ptir.pad %x with 2.0 : f32 low [2, 1] high [3, 1] interior [0, 0] : tensor<5x6xf32> -> tensor<10x8xf32>
  %1 = ptir.take %0, %i : (tensor<10x8xf32>, tensor<9xsi32>) -> tensor<9x8xf32>
  func.return %1 : tensor<9x8xf32>
}"""
    assert len(kernels(text)) == 1
    agree(
        text, RNG.standard_normal((5, 6)).astype(np.float32), np.array([9, 0, 2, 6, 7, 1, 3, 8, 5], np.int32), arch=arch
    )


@pytest.mark.parametrize("arch", ARCHS)
def test_gathers_of_gathers_and_of_one_table(arch: str):
    text = """func.func @f(%x: tensor<9x8xf32>, %i: tensor<7xsi32>, %j: tensor<4xsi64>) -> (tensor<4x8xf32>, tensor<7x8xf32>) {
  %0 = ptir.take %x, %i : (tensor<9x8xf32>, tensor<7xsi32>) -> tensor<7x8xf32>
  %1 = ptir.take %0, %j : (tensor<7x8xf32>, tensor<4xsi64>) -> tensor<4x8xf32>
  %2 = ptir.reverse_placeholder
  func.return %1, %2 : tensor<4x8xf32>, tensor<7x8xf32>
}"""
    text = text.replace(
        "%2 = ptir.reverse_placeholder",
        """%k = ptir.take %i, %i : (tensor<7xsi32>, tensor<7xsi32>) -> tensor<7xsi32>
  %t = ptir.take %x, %k : (tensor<9x8xf32>, tensor<7xsi32>) -> tensor<7x8xf32>
  %2 = ptir.add %t, %0 : tensor<7x8xf32>""",
    )
    x = RNG.standard_normal((9, 8)).astype(np.float32)
    i, j = RNG.integers(0, 7, 7).astype(np.int32), np.array([6, 0, 3, 3])
    agree(text, x, i, j, arch=arch)
    fails(text, x, i, np.array([6, 7, 3, 3]), arch=arch)
    wrong = i.copy()
    wrong[2] = 8  # in range of the table, not of the indices
    fails(text, x, wrong, j, arch=arch)


@pytest.mark.parametrize("arch", ARCHS)
def test_elements_of_one_row(arch: str):
    """The index of the row is the same for all elements, whose own indices differ along the row."""
    text = """func.func @f(%x: tensor<64x8xui16>) -> tensor<2xui16> {
  %i = ptir.constant dense<13> : tensor<si64>
  %0 = ptir.take %x, %i : (tensor<64x8xui16>, tensor<si64>) -> tensor<8xui16>
  %j = ptir.constant dense<[3, 7]> : tensor<2xsi64>
  %1 = ptir.gather %0, %j axis -1 : (tensor<8xui16>, tensor<2xsi64>) -> tensor<2xui16>
  func.return %1 : tensor<2xui16>
}"""
    (got,) = agree(text, np.arange(512, dtype=np.uint16).reshape(64, 8), arch=arch)
    assert got.tolist() == [13 * 8 + 3, 13 * 8 + 7]


@pytest.mark.parametrize("arch", ARCHS)
def test_a_take_of_a_product(arch: str):
    """The matmul is stored; the rows that are read are not computed again."""
    text = """func.func @f(%x: tensor<33x40xbf16>, %w: tensor<40x24xbf16>, %i: tensor<5xsi32>) -> tensor<5x24xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<33x40xbf16>, tensor<40x24xbf16>) -> tensor<33x24xf32>
  %1 = ptir.take %0, %i : (tensor<33x24xf32>, tensor<5xsi32>) -> tensor<5x24xf32>
  %2 = ptir.tanh %1 : tensor<5x24xf32>
  func.return %2 : tensor<5x24xf32>
}"""
    assert families(text) == ["contraction", "elementwise"]
    x, w = (RNG.standard_normal(s).astype(ml_dtypes.bfloat16) for s in ((33, 40), (40, 24)))
    agree(text, x, w, np.array([0, 32, 1, 17, 32], np.int32), arch=arch, close=True)
    fails(text, x, w, np.array([0, 33, 1, 17, 32], np.int32), arch=arch)


@pytest.mark.parametrize(("at", "arch"), [*product(("lhs", "epilogue"), ARCHS)])
def test_products_of_taken_rows(at: str, arch: str):
    """Rows that are multiplied are stored first; rows that are added are read in the epilogue."""
    ops = {
        "lhs": """%r = ptir.take %x, %i : (tensor<33x40xbf16>, tensor<20xsi32>) -> tensor<20x40xbf16>
  %y = ptir.dot_general %r, %w contract [1] x [0] accum f32 out f32 : (tensor<20x40xbf16>, tensor<40x24xbf16>) -> tensor<20x24xf32>""",
        "epilogue": """%l = ptir.slice %x [0, 0] : tensor<33x40xbf16> -> tensor<20x40xbf16>
  %d = ptir.dot_general %l, %w contract [1] x [0] accum f32 out f32 : (tensor<20x40xbf16>, tensor<40x24xbf16>) -> tensor<20x24xf32>
  %r = ptir.take %t, %i : (tensor<33x24xf32>, tensor<20xsi32>) -> tensor<20x24xf32>
  %y = ptir.add %d, %r : tensor<20x24xf32>""",
    }
    text = f"""func.func @f(%x: tensor<33x40xbf16>, %w: tensor<40x24xbf16>, %t: tensor<33x24xf32>, %i: tensor<20xsi32>) -> tensor<20x24xf32> {{
  {ops[at]}
  func.return %y : tensor<20x24xf32>
}}"""
    assert len(kernels(text)) == (2 if at == "lhs" else 1)
    x, w = (RNG.standard_normal(s).astype(ml_dtypes.bfloat16) for s in ((33, 40), (40, 24)))
    t, i = RNG.standard_normal((33, 24)).astype(np.float32), RNG.integers(0, 33, 20).astype(np.int32)
    agree(text, x, w, t, i, arch=arch, close=True)
    i[19] = -1
    fails(text, x, w, t, i, arch=arch)


@pytest.mark.parametrize(("columns", "arch"), [*product((24, 70, 1200), ARCHS)])
def test_an_embedding(columns: int, arch: str):
    """Tokens and positions are looked up, added and normalized by one kernel."""
    text = f"""module attributes {{ptir.extensions}} {{
func.func @f(%table: tensor<50x{columns}xbf16>, %places: tensor<9x{columns}xbf16>, %tokens: tensor<7xsi32>, %at: tensor<7xsi32>,
             %g: tensor<{columns}xf32>, %b: tensor<{columns}xf32>) -> tensor<7x{columns}xf32> {{
  %0 = ptir.take %table, %tokens : (tensor<50x{columns}xbf16>, tensor<7xsi32>) -> tensor<7x{columns}xbf16>
  %1 = ptir.take %places, %at : (tensor<9x{columns}xbf16>, tensor<7xsi32>) -> tensor<7x{columns}xbf16>
  %2 = ptir.cast %0 : tensor<7x{columns}xbf16> -> tensor<7x{columns}xf32>
  %3 = ptir.cast %1 : tensor<7x{columns}xbf16> -> tensor<7x{columns}xf32>
  %4 = ptir.add %2, %3 : tensor<7x{columns}xf32>
  %5 = ptir.layer_norm %4, %g, %b axis 1 epsilon 1.0e-05 : tensor<7x{columns}xf32>, tensor<{columns}xf32>
  func.return %5 : tensor<7x{columns}xf32>
}}
}}"""
    assert families(text) == ["rows"]
    table, places = (RNG.standard_normal((n, columns)).astype(ml_dtypes.bfloat16) for n in (50, 9))
    g, b = (RNG.standard_normal(columns).astype(np.float32) for _ in "gb")
    tokens, at = RNG.integers(0, 50, 7).astype(np.int32), np.arange(7, dtype=np.int32)
    agree(text, table, places, tokens, at, g, b, arch=arch, close=True)
    tokens[6] = 50
    fails(text, table, places, tokens, at, g, b, arch=arch)


@pytest.mark.campaign
@pytest.mark.parametrize("arch", ARCHS)
def test_a_cache_of_keys(arch: str):
    """The cache gets a new key, and the scores of a query against all keys read it."""
    text = """func.func @f(%cache: tensor<2x16x8xbf16>, %key: tensor<2x1x8xbf16>, %q: tensor<2x4x8xbf16>, %s: tensor<3xsi32>)
    -> (tensor<2x16x8xbf16>, tensor<2x4x16xf32>) {
  %0 = ptir.dynamic_update_slice %cache, %key, %s : tensor<2x16x8xbf16>, tensor<2x1x8xbf16>, tensor<3xsi32>
  %1 = ptir.dot_general %q, %0 batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x4x8xbf16>, tensor<2x16x8xbf16>) -> tensor<2x4x16xf32>
  func.return %0, %1 : tensor<2x16x8xbf16>, tensor<2x4x16xf32>
}"""
    assert sorted(families(text)) == ["contraction", "elementwise"]
    arrays = [RNG.standard_normal(s).astype(ml_dtypes.bfloat16) for s in ((2, 16, 8), (2, 1, 8), (2, 4, 8))]
    for at in (0, 9, 15, 99):
        agree(text, *arrays, np.array([0, at, 0], np.int32), arch=arch, close=True)


@pytest.mark.parametrize("arch", ARCHS)
def test_sums_over_other_axes_of_taken_rows(arch: str):
    text = """func.func @f(%x: tensor<9x256xf32>, %i: tensor<300xsi32>) -> tensor<256xf32> {
  %0 = ptir.take %x, %i : (tensor<9x256xf32>, tensor<300xsi32>) -> tensor<300x256xf32>
  %1 = ptir.reduce sum %0 axes [0] : tensor<300x256xf32> -> tensor<256xf32>
  func.return %1 : tensor<256xf32>
}"""
    x, i = RNG.integers(-9, 9, (9, 256)).astype(np.float32), RNG.integers(0, 9, 300).astype(np.int32)
    agree(text, x, i, arch=arch)
    i[299] = 9
    fails(text, x, i, arch=arch)


ROWS_OF_THE_ONLY = """
func.func @f(%x: tensor<1x40x8xf32>, %i: tensor<si32>) -> tensor<40x8xf32> {
  %t = ptir.take %x, %i : (tensor<1x40x8xf32>, tensor<si32>) -> tensor<40x8xf32>
  %m = ptir.reduce max %t axes [1] keepdims : tensor<40x8xf32> -> tensor<40x1xf32>
  %b = ptir.broadcast_to %m : tensor<40x1xf32> -> tensor<40x8xf32>
  %s = ptir.sub %t, %b : tensor<40x8xf32>
  func.return %s : tensor<40x8xf32>
}"""
"""The index does not move the load, since it can only be 0."""


def test_rows_of_the_only_matrix():
    x = RNG.integers(-9, 9, (1, 40, 8)).astype(np.float32)
    agree(ROWS_OF_THE_ONLY, x, np.array(0, np.int32), arch="sm80")
    fails(ROWS_OF_THE_ONLY, x, np.array(1, np.int32), arch="sm80")
    clamped = ROWS_OF_THE_ONLY.replace("%x, %i :", "%x, %c :").replace(
        "  %t =", "  %z = ptir.constant dense<0> : tensor<si32>\n  %c = ptir.clamp %i, %z, %z : tensor<si32>\n  %t ="
    )
    agree(clamped, x, np.array(5, np.int32), arch="sm90")


@pytest.mark.parametrize("arch", ARCHS)
def test_an_element_at_the_greatest_element(arch: str):
    """The index is itself the result of a reduction."""
    text = """func.func @f(%x: tensor<6x12xf32>, %t: tensor<12x12xf32>) -> tensor<6x12xf32> {
  %0 = ptir.argmax %x axis 1 : tensor<6x12xf32> -> tensor<6xsi64>
  %1 = ptir.take %t, %0 : (tensor<12x12xf32>, tensor<6xsi64>) -> tensor<6x12xf32>
  func.return %1 : tensor<6x12xf32>
}"""
    agree(text, *(RNG.standard_normal(s).astype(np.float32) for s in ((6, 12), (12, 12))), arch=arch)


# --- empty tensors --------------------------------------------------------------------------------


def test_empty_tensors():
    """No index needs no kernel; an index into no elements is out of range whatever it is."""
    (got,) = ptir.compile(take(5, 4, 0), device=Emulator())(np.ones((5, 4), np.float32), np.zeros(0, np.int32))
    assert got.shape == (0, 4)
    fails(take(0, 4, 3), np.ones((0, 4), np.float32), np.zeros(3, np.int32), arch="sm80")
    (got,) = ptir.compile(take(5, 0, 3), device=Emulator())(np.ones((5, 0), np.float32), np.zeros(3, np.int32))
    assert got.shape == (3, 0)
