"""Windows and convolution, compared with loops over single elements that follow the contract."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.ir import Operation

import ptir
from ptir.dialects.ptir.convolution import ConvolutionOp
from ptir.dialects.ptir.scalars import ScalarAttr
from ptir.dialects.ptir.windows import ExtractPatchesOp, ReduceWindowOp
from ptir.frontends.json.ptir.reading import import_json
from ptir.frontends.json.ptir.writing import export_json
from ptir.semantics.bounds import check
from ptir.semantics.errors import NoBounds, SizeMismatch, WrongShape

from ..builders.amount import examples
from ..builders.ptir_strategies import (
    ATTRIBUTES,
    COMPLEX,
    DTYPES,
    FLOATS,
    INTEGERS,
    NUMBERS,
    Case,
    array,
    run,
    seeds,
    small,
)

pytestmark = pytest.mark.sampled(3)

Axis = tuple[int, int, int, int, int, int]
"""A window along one axis: size, stride, low and high padding, dilation, base dilation."""
few = settings(max_examples=examples(8))


# --- the text of the contract, as loops -----------------------------------------------------------


def span(axis: Axis) -> int:
    return (axis[0] - 1) * axis[4] + 1


def padded(axis: Axis, n: int) -> int:
    _, _, low, high, _, base = axis
    return max(0, low + ((n - 1) * base + 1 if n else 0) + high)


def positions(axis: Axis, n: int) -> int:
    """Returns the number of positions: (padded size − extent of the window) / stride + 1."""
    room = padded(axis, n) - span(axis)
    return room // axis[1] + 1 if room >= 0 else 0


def source(axis: Axis, n: int, position: int, inside: int) -> int | None:
    """Returns the index of the element at a place in a window, or None for padding or a gap."""
    _, stride, low, _, dilation, base = axis
    at = position * stride + inside * dilation - low
    return at // base if at % base == 0 and 0 <= at // base < n else None


def windows(
    axes: Sequence[Axis], shape: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], list[tuple[int, ...] | None]]]:
    """Yields each position with the indices of its elements in row-major order; None for padding."""
    for place in product(*(range(positions(a, n)) for a, n in zip(axes, shape, strict=True))):
        found: list[tuple[int, ...] | None] = []
        for inside in product(*(range(a[0]) for a in axes)):
            index = tuple(source(a, n, p, i) for a, n, p, i in zip(axes, shape, place, inside, strict=True))
            found.append(None if None in index else index)  # pyright: ignore[reportArgumentType]
        yield place, found


def reduced(kind: str, values: list[Any], dtype: str) -> Any:
    """Reduces values as Python numbers: integers of any size, doubles, complex doubles."""
    if dtype in INTEGERS:
        width, unsigned = int(dtype[2:]), dtype[0] == "u"
        least, most = (0, 2**width - 1) if unsigned else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
        if kind == "sum":
            return (sum(map(int, values)) - least) % 2**width + least
        return max([least, *map(int, values)]) if kind == "max" else min([most, *map(int, values)])
    if kind == "sum":
        return sum(map(complex if dtype in COMPLEX else float, values))
    floats = [float(v) for v in values]
    if any(v != v for v in floats):
        return np.nan
    if kind == "max":
        return max([-np.inf, *floats], key=lambda v: (v, np.copysign(1, v)))
    return min([np.inf, *floats], key=lambda v: (v, np.copysign(1, v)))


def same(got: Any, want: Any) -> None:
    assert got.dtype == want.dtype and got.shape == want.shape
    if got.dtype.kind in "biuc" or got.dtype in (ml_dtypes.int4, ml_dtypes.uint4):
        assert np.array_equal(got, want)
        return
    a, b = got.astype(np.float64), want.astype(np.float64)
    np.testing.assert_array_equal(a, b)
    assert np.array_equal(np.signbit(a[~np.isnan(a)]), np.signbit(b[~np.isnan(b)]))


# --- strategies -----------------------------------------------------------------------------------


@st.composite
def slidings(draw: st.DrawFn, n: int, base_dilation: bool) -> Axis:
    """Draws a window along an axis of size `n`, which it mostly fits."""
    size, stride, dilation = (draw(st.integers(1, 3)) for _ in range(3))
    base = draw(st.integers(1, 3)) if base_dilation else 1
    low, high = draw(st.sampled_from([0, 0, 1, 2, -1, -2, -3])), draw(st.sampled_from([0, 0, 1, 3, -1, -2]))
    axis = (size, stride, low, high, dilation, base)
    fits = draw(st.integers(0, 4)) > 0
    while fits and padded(axis, n) < span(axis):
        low, high = low + 1, high + 1
        axis = (size, stride, low, high, dilation, base)
    return axis


def spelling(axes: Sequence[Axis]) -> dict[str, Any]:
    return {
        "strides": [a[1] for a in axes],
        "padding": [(a[2], a[3]) for a in axes],
        "dilation": [a[4] for a in axes],
    }


shapes = st.lists(st.sampled_from([0, 1, 2, 3, 4, 5]), max_size=4).filter(lambda s: prod(s) <= 60)
spellings = st.sampled_from(["numbers", "names", "unnamed"])


# --- reduce_window --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [("sum", d) for d in NUMBERS] + [(k, d) for k in ("max", "min") for d in (*INTEGERS, *FLOATS)],
)
@given(data=st.data())
@few
def test_reduce_window_is_a_fold_of_each_window(kind: str, dtype: str, data: st.DataObject):
    shape = data.draw(shapes)
    axes = [data.draw(slidings(n, True)) for n in shape]
    x = (small if kind == "sum" else array)(shape, dtype, data.draw(seeds))

    def build(size: Any, x: Any) -> Operation:
        base = [a[5] for a in axes]
        return ReduceWindowOp(kind, x, [a[0] for a in axes], base_dilation=base, **spelling(axes))

    want = np.zeros(
        [positions(a, n) for a, n in zip(axes, shape, strict=True)], np.complex128 if dtype in COMPLEX else object
    )
    for place, found in windows(axes, shape):
        want[place] = reduced(kind, [x[index] for index in found if index is not None], dtype)
    wide = want if dtype in (*COMPLEX, *INTEGERS) else want.astype(np.float64)
    with np.errstate(all="ignore"):
        same(run(Case((x,), build), data.draw(spellings)), wide.astype(DTYPES[dtype][1]))


def pool(kind: str, x: Any, text: str, result: str) -> Any:
    spelt = f"tensor<{'x'.join(map(str, x.shape))}x{ATTRIBUTES[x.dtype]}>"
    return ptir.reference(
        f"func.func @f(%x: {spelt}) -> {result} {{\n"
        f"%r = ptir.reduce_window {kind} %x {text} : {spelt} -> {result}\nfunc.return %r : {result}\n}}",
        x,
    )[0]


def test_sums_are_accumulated_in_accum_and_cast_to_out():
    x = np.array([2048, 1], np.float16)
    assert pool("sum", x, "window [2] out f32", "tensor<1xf32>")[0] == 2049
    assert pool("sum", x, "window [2] accum f16 out f32", "tensor<1xf32>")[0] == 2048
    b = np.array([100, 100], np.int8)
    assert pool("sum", b, "window [2]", "tensor<1xsi8>")[0] == -56  # wraps
    assert pool("sum", b, "window [2] accum si32", "tensor<1xsi8>")[0] == 127  # the cast saturates
    assert pool("sum", b, "window [2] accum si32 out si32", "tensor<1xsi32>")[0] == 200


def test_the_largest_of_padding_alone_is_the_accumulators_least_value():
    x = np.zeros(1, np.float32)
    same(pool("max", x, "window [1] padding [(1, 0)]", "tensor<2xf32>"), np.array([-np.inf, 0], np.float32))
    i = np.zeros(1, np.int8)
    assert pool("max", i, "window [1] padding [(1, 0)] accum si16 out si32", "tensor<2xsi32>").tolist() == [-(2**15), 0]
    assert pool("min", i, "window [1] padding [(1, 0)]", "tensor<2xsi8>").tolist() == [127, 0]


def test_a_window_that_spans_more_than_the_axis_has_no_position():
    text = """func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
      %r = ptir.reduce_window max %x window [3] padding [(1, 0)] dilation [2] : tensor<?xf32> -> tensor<?xf32>
      func.return %r : tensor<?xf32>
    }"""
    assert ptir.reference(text, np.arange(4, dtype=np.float32))[0].tolist() == [3]
    assert ptir.reference(text, np.zeros(3, np.float32))[0].shape == (0,)
    assert ptir.bounds(text, np.zeros(3, np.float32))[0].lo.shape == (0,)


@pytest.mark.parametrize("padding", [(0, 0), (1, 0), (-9, 0), (-2, -2)])
@pytest.mark.parametrize(
    "op",
    [
        "ptir.reduce_window sum %x window [1, 5, 1] PAD : tensor<2x3x4xf32> -> tensor<2x0x4xf32>",
        "ptir.extract_patches %x window [5] PAD : tensor<2x3x4xf32> -> tensor<2x0x20xf32>",
        "ptir.convolution %x, %w PAD : (tensor<2x3x4xf32>, tensor<5x4x6xf32>) -> tensor<2x0x6xf32>",
    ],
)
def test_no_position_is_an_empty_result_at_every_level(op: str, padding: tuple[int, int]):
    pads = [(0, 0), padding, (0, 0)] if "reduce" in op else [padding]
    result = op.rsplit(" ", 1)[1]
    module = ptir.parse(f"""builtin.module attributes {{ptir.extensions}} {{
    func.func @f(%x: tensor<2x3x4xf32>, %w: tensor<5x4x6xf32>) -> {result} {{
      %r = {op.replace("PAD", f"padding {pads}")}
      func.return %r : {result}
    }}
    }}""")
    x, w = np.ones((2, 3, 4), np.float32), np.ones((5, 4, 6), np.float32)
    tiny = ptir.PassManager("ptir-to-tiny").run(module.clone())
    assert not any(o.name.startswith("ptir.") for o in tiny.walk())
    back = import_json(export_json(module))
    for program in (module, ptir.PassManager("ptir-decompose").run(module.clone()), tiny, back):
        (got,) = ptir.reference(program, x, w)
        assert got.shape == tuple(int(s) for s in result[7:-5].split("x"))


def test_a_result_of_another_size_than_its_type_says_is_an_error():
    text = """func.func @f(%x: tensor<?xf32>) -> tensor<3xf32> {
      %r = ptir.reduce_window max %x window [2] : tensor<?xf32> -> tensor<3xf32>
      func.return %r : tensor<3xf32>
    }"""
    assert ptir.reference(text, np.zeros(4, np.float32))[0].shape == (3,)
    with pytest.raises(WrongShape):
        ptir.reference(text, np.zeros(5, np.float32))


# --- extract_patches ------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@given(data=st.data())
@few
def test_patches_are_rows_of_windows_with_channels_fastest(dtype: str, data: st.DataObject):
    spatial = data.draw(st.lists(st.sampled_from([1, 2, 3, 5]), max_size=3).filter(lambda s: prod(s) <= 20))
    batch, channels = data.draw(st.sampled_from([0, 1, 2])), data.draw(st.sampled_from([0, 1, 3]))
    axes = [data.draw(slidings(n, False)) for n in spatial]
    x = array([batch, *spatial, channels], dtype, data.draw(seeds))
    filler = data.draw(st.booleans())
    pad = array([], dtype, data.draw(seeds)) if filler else np.zeros([], x.dtype)
    if dtype in ("si4", "ui4"):
        value = ScalarAttr.of(int(pad), DTYPES[dtype][0])
    else:
        value = ScalarAttr.of(bool(pad) if dtype == "i1" else pad.tobytes(), DTYPES[dtype][0])

    def build(size: Any, x: Any) -> Operation:
        return ExtractPatchesOp(x, [a[0] for a in axes], pad_value=value if filler else None, **spelling(axes))

    taps = prod(a[0] for a in axes)
    want = np.zeros([batch, *(positions(a, n) for a, n in zip(axes, spatial, strict=True)), taps * channels], x.dtype)
    for place, found in windows(axes, spatial):
        for n, (k, index), c in product(range(batch), enumerate(found), range(channels)):
            want[(n, *place, k * channels + c)] = pad if index is None else x[(n, *index, c)]
    got = run(Case((x,), build), data.draw(spellings))
    assert got.dtype == want.dtype and got.shape == want.shape
    assert got.tobytes() == want.tobytes()


def test_a_patch_is_larger_than_the_image():
    text = """func.func @f(%x: tensor<1x?x2xf32>) -> tensor<1x?x6xf32> {
      %r = ptir.extract_patches %x window [3] : tensor<1x?x2xf32> -> tensor<1x?x6xf32>
      func.return %r : tensor<1x?x6xf32>
    }"""
    assert ptir.reference(text, np.zeros((1, 3, 2), np.float32))[0].shape == (1, 1, 6)
    assert ptir.reference(text, np.zeros((1, 2, 2), np.float32))[0].shape == (1, 0, 6)


# --- convolution ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", NUMBERS)
@given(data=st.data())
@few
def test_a_convolution_is_a_sum_over_each_window(dtype: str, data: st.DataObject):
    spatial = data.draw(st.lists(st.sampled_from([1, 2, 4]), max_size=3).filter(lambda s: prod(s) <= 8))
    batch, groups = data.draw(st.sampled_from([0, 1, 2])), data.draw(st.sampled_from([1, 1, 2, 3]))
    per_group, per_out = data.draw(st.sampled_from([0, 1, 2])), data.draw(st.sampled_from([1, 2]))
    axes = [data.draw(slidings(n, False)) for n in spatial]
    x = small([batch, *spatial, groups * per_group], dtype, data.draw(seeds), 2)
    w = small([*(a[0] for a in axes), per_group, groups * per_out], dtype, data.draw(seeds), 2)
    accum = DTYPES["si64"][0] if dtype in INTEGERS else None

    def build(size: Any, x: Any, w: Any) -> Operation:
        # The window sizes of a filter are static; other sizes may be dynamic.
        return ConvolutionOp(x, w, groups=groups, accum=accum, out=accum, **spelling(axes))

    wide: Any = np.complex128 if dtype in COMPLEX else np.float64
    want = np.zeros([batch, *(positions(a, n) for a, n in zip(axes, spatial, strict=True)), groups * per_out], wide)
    for place, found in windows(axes, spatial):
        inside = list(product(*(range(a[0]) for a in axes)))
        for n, f, c, (tap, index) in product(
            range(batch), range(groups * per_out), range(per_group), zip(inside, found, strict=True)
        ):
            if index is not None:
                channel = f // per_out * per_group + c
                want[(n, *place, f)] += wide(x[(n, *index, channel)]) * wide(w[(*tap, c, f)])
    got = run(Case((x, w), build), "numbers", extensions=True)
    same(got, want.astype(np.int64 if dtype in INTEGERS else DTYPES[dtype][1]))


@pytest.mark.parametrize(("lhs", "rhs"), [("ui8", "si8"), ("f8E4M3FN", "f8E5M2"), ("si4", "ui4")])
def test_operands_of_two_types(lhs: str, rhs: str):
    x, w = small([1, 4, 3], lhs, 1), small([2, 3, 2], rhs, 2)
    out = "f32" if lhs in FLOATS else "si32"
    dtype = DTYPES[out][0]
    got = run(Case((x, w), lambda size, x, w: ConvolutionOp(x, w, accum=dtype, out=dtype)), extensions=True)
    a, b = x.astype(np.float64), w.astype(np.float64)
    want = sum(np.einsum("npc,cf->npf", a[:, k : k + 3], b[k]) for k in range(2))
    same(got, np.asarray(want).astype(DTYPES[out][1]))


SYMBOLIC = """builtin.module attributes {ptir.extensions} {
  func.func @f(%x: tensor<?x?x?xf32>, %w: tensor<2x?x?xf32>) -> tensor<?x?x?xf32> {
    %r = ptir.convolution %x, %w groups 2 : (tensor<?x?x?xf32>, tensor<2x?x?xf32>) -> tensor<?x?x?xf32>
    func.return %r : tensor<?x?x?xf32>
  }
}"""


def test_a_filter_that_fits_at_run_time():
    x, w = small([1, 3, 4], "f32", 1), small([2, 2, 6], "f32", 2)
    assert ptir.reference(SYMBOLIC, x, w)[0].shape == (1, 2, 6)


@pytest.mark.parametrize(
    ("x", "w", "error"),
    [
        ((1, 3, 4), (2, 3, 6), "the channel axis of the filter"),
        ((1, 3, 5), (2, 2, 6), "the channel axis of the filter"),
        ((1, 3, 4), (2, 2, 5), "the feature axis of the filter"),
    ],
)
def test_a_filter_that_does_not_fit_at_run_time(x: tuple[int, ...], w: tuple[int, ...], error: str):
    arrays = np.zeros(x, np.float32), np.zeros(w, np.float32)
    for evaluate in (ptir.reference, ptir.bounds):
        with pytest.raises(SizeMismatch, match=error):
            evaluate(SYMBOLIC, *arrays)


IMAGE, FILTER, OUT = "tensor<2x7x6x3xbf16>", "tensor<3x2x3x5xbf16>", "tensor<2x4x8x5xf32>"
BOTH = f"""builtin.module attributes {{ptir.extensions}} {{
  func.func @f(%x: {IMAGE}, %w: {FILTER}) -> ({OUT}, {OUT}) {{
    %a = ptir.convolution %x, %w strides [2, 1] padding [(1, 1), (2, 1)] accum f32 out f32 : ({IMAGE}, {FILTER}) -> {OUT}
    %p = ptir.extract_patches %x window [3, 2] strides [2, 1] padding [(1, 1), (2, 1)] : {IMAGE} -> tensor<2x4x8x18xbf16>
    %m = ptir.reshape %w : {FILTER} -> tensor<18x5xbf16>
    %b = ptir.dot_general %p, %m contract [3] x [0] accum f32 out f32 : (tensor<2x4x8x18xbf16>, tensor<18x5xbf16>) -> {OUT}
    func.return %a, %b : {OUT}, {OUT}
  }}
}}"""


def test_a_convolution_is_its_patches_times_the_filter():
    rng = np.random.default_rng(0)
    x, w = (rng.standard_normal(s).astype(ml_dtypes.bfloat16) for s in ((2, 7, 6, 3), (3, 2, 3, 5)))
    a, b = ptir.reference(BOTH, x, w)
    np.testing.assert_array_equal(a, b)


# --- bounds ---------------------------------------------------------------------------------------

POOLS = """func.func @f(%x: tensor<12x9xf32>) -> (tensor<5x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>) {
  %0 = ptir.reduce_window sum %x window [4, 3] strides [2, 1] padding [(0, 0), (1, 0)] : tensor<12x9xf32> -> tensor<5x8xf32>
  %1 = ptir.reduce_window max %x window [4, 3] strides [2, 1] padding [(0, 0), (1, 0)] : tensor<12x9xf32> -> tensor<5x8xf32>
  %2 = ptir.reduce_window min %x window [4, 3] strides [2, 1] padding [(0, 0), (1, 0)] : tensor<12x9xf32> -> tensor<5x8xf32>
  func.return %0, %1, %2 : tensor<5x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>
}"""


def pools(x: np.ndarray[Any, Any], backwards: bool) -> list[np.ndarray[Any, Any]]:
    """Returns sum, max and min pooling in f32. Sums are sequential, in forward or backward order."""
    padding = np.pad(x, [(0, 0), (1, 0)])
    taps = [padding[i : i + 9 : 2, j : j + 8] for i in range(4) for j in range(3)][:: -1 if backwards else 1]
    total = np.zeros((5, 8), np.float32)
    for tap in taps:
        total = total + tap
    most, least = (np.pad(x, [(0, 0), (1, 0)], constant_values=v) for v in (-np.inf, np.inf))
    stack = [[p[i : i + 9 : 2, j : j + 8] for i in range(4) for j in range(3)] for p in (most, least)]
    return [total, np.max(stack[0], axis=0), np.min(stack[1], axis=0)]


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("shift", [0, 9, -9])
def test_any_order_of_a_pooling_is_inside(backwards: bool, shift: int):
    x = np.random.default_rng(5).standard_normal((12, 9)).astype(np.float32) + np.float32(shift)
    intervals = ptir.bounds(POOLS, x)
    got = pools(x, backwards)
    for result, interval in zip(got, intervals, strict=True):
        assert check(result, interval).ok
    assert all((i.lo == i.hi).all() for i in intervals[1:])
    wrong = got[0].copy()
    wrong[0, 0] -= x[3, 0]  # omits the last row of a window
    assert not check(wrong, intervals[0]).ok
    assert not check(pools(np.roll(x, 1, 1), False)[1], intervals[1]).ok


def test_bounds_of_patches_and_integers_are_exact():
    text = """func.func @f(%x: tensor<1x5x2xsi8>) -> (tensor<1x4x4xsi8>, tensor<1x4x2xsi8>) {
      %0 = ptir.extract_patches %x window [2] pad_value 7 : si8 : tensor<1x5x2xsi8> -> tensor<1x4x4xsi8>
      %1 = ptir.reduce_window sum %x window [1, 2, 1] : tensor<1x5x2xsi8> -> tensor<1x4x2xsi8>
      func.return %0, %1 : tensor<1x4x4xsi8>, tensor<1x4x2xsi8>
    }"""
    x = array([1, 5, 2], "si8", 3)
    for result, interval in zip(ptir.reference(text, x), ptir.bounds(text, x), strict=True):
        assert interval.known is not None and np.array_equal(interval.known, result)


def test_bounds_of_padded_patches_of_every_kind():
    for dtype in ("f8E4M3FN", "bf16", "f64", "i1", "ui4", "si64"):
        text = f"""func.func @f(%x: tensor<1x2x1x{dtype}>) -> tensor<1x4x1x{dtype}> {{
          %0 = ptir.extract_patches %x window [1] padding [(1, 1)] : tensor<1x2x1x{dtype}> -> tensor<1x4x1x{dtype}>
          func.return %0 : tensor<1x4x1x{dtype}>
        }}"""
        x = array([1, 2, 1], dtype, 4)
        assert check(ptir.reference(text, x)[0], ptir.bounds(text, x)[0]).ok


CONVOLUTION = """builtin.module attributes {ptir.extensions} {
  func.func @f(%x: tensor<1x6x4xbf16>, %w: tensor<3x2x4xbf16>) -> tensor<1x6x4xf32> {
    %r = ptir.convolution %x, %w padding [(1, 1)] groups 2 accum f32 out f32 : (tensor<1x6x4xbf16>, tensor<3x2x4xbf16>) -> tensor<1x6x4xf32>
    func.return %r : tensor<1x6x4xf32>
  }
}"""


def test_bounds_of_a_convolution():
    rng = np.random.default_rng(3)
    x, w = (rng.standard_normal(s).astype(ml_dtypes.bfloat16) for s in ((1, 6, 4), (3, 2, 4)))
    (interval,) = ptir.bounds(CONVOLUTION, x, w)
    pad = np.pad(x.astype(np.float32), [(0, 0), (1, 1), (0, 0)])
    taps = w.astype(np.float32)
    total = np.zeros((1, 6, 4), np.float32)
    for k, c, f in product(reversed(range(3)), range(2), range(4)):
        total[0, :, f] += pad[0, k : k + 6, f // 2 * 2 + c] * taps[k, c, f]
    assert check(total, interval).ok
    assert float((interval.hi - interval.lo).max()) < 1e-4
    assert not check(total[:, ::-1], interval).ok


def test_complex_windows_have_no_bounds():
    text = """func.func @f(%x: tensor<2xcomplex<f32>>) -> tensor<1xcomplex<f32>> {
      %r = ptir.reduce_window sum %x window [2] : tensor<2xcomplex<f32>> -> tensor<1xcomplex<f32>>
      func.return %r : tensor<1xcomplex<f32>>
    }"""
    with pytest.raises(NoBounds):
        ptir.bounds(text, np.zeros(2, np.complex64))
