"""Algorithms of convolutions compute what NumPy does in f64, within their bounds, and the bounds are those of the matrices."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.analysis.regions.bilinear import Bilinear, direct_error, error, fourier, winograd
from ptir.passes.manager import PassManager
from ptir.semantics.interpreter import call
from tests.convolution_grid.check import by_taps, examine, operands, program
from tests.convolution_grid.points import TOLERANCES, Point

ALGORITHMS = [winograd(2), winograd(4), fourier(8, 3), fourier(16, 5), fourier(32, 15), fourier(8, 4)]
UNITS = {ml_dtypes.bfloat16: 2.0**-8, np.float16: 2.0**-11, np.float32: 2.0**-24}


def correlated(x: np.ndarray, w: np.ndarray, tile: int) -> np.ndarray:
    """Returns the sums over taps and channels of x `[elements, elements, channels]` and w `[taps, taps, channels]`."""
    r = range(len(w))
    return sum(np.einsum("abc,c->ab", x[i : i + tile, j : j + tile], w[i, j]) for i in r for j in r)


@pytest.mark.parametrize("of", ALGORITHMS, ids=lambda of: f"{of.name}, {of.taps} taps")
def test_the_matrices_compute_a_correlation(of: Bilinear):
    rng = np.random.default_rng(of.points)
    x, w = rng.standard_normal(of.tile + of.taps - 1), rng.standard_normal(of.taps)
    want = [w @ x[p : p + of.taps] for p in range(of.tile)]
    assert np.allclose(of.a @ ((of.g @ w) * (of.b @ x)), want, atol=1e-12)


def test_winograd_has_the_known_matrices():
    """F(2, 3) is Lavin and Gray's up to the signs of two points; transformed images of F(4, 3) stay in the range of the image."""
    of = winograd(2)
    assert np.array_equal(np.abs(of.b), [[1, 0, 1, 0], [0, 1, 1, 0], [0, 1, 1, 0], [0, 1, 0, 1]])
    assert np.array_equal(np.abs(of.g), [[1, 0, 0], [0.5, 0.5, 0.5], [0.5, 0.5, 0.5], [0, 0, 1]])
    assert np.array_equal(np.abs(of.a), [[1, 1, 1, 0], [0, 1, 1, 1]])
    assert np.abs(winograd(4).b).sum(1).max() < 2


@pytest.mark.parametrize("dtype", UNITS, ids=lambda t: np.dtype(t).name)
@pytest.mark.parametrize("of", ALGORITHMS[:4], ids=lambda of: of.name)
@pytest.mark.parametrize("kind", ["random", "greatest", "worst matrices"])
def test_no_error_exceeds_the_bound(of: Bilinear, dtype: type, kind: str):
    """
    Rounds what kernels round. `greatest` images make the transformed elements of a result as large as can be; with the `worst matrices`,
    all channels add the largest error of rounded matrices.
    """
    rng, n = np.random.default_rng(7), of.tile + of.taps - 1
    channels = 16 if kind != "worst matrices" else 256

    def rounded(values: np.ndarray) -> np.ndarray:
        return values.astype(dtype).astype(np.float64)

    b, g = (of.b, of.g) if of.sparse else (rounded(of.b), rounded(of.g))
    w = rng.standard_normal((of.taps, of.taps, channels))
    x = rng.standard_normal((n, n, channels))
    if kind == "greatest":
        at = np.abs(of.a).sum(0).argmax()
        x = np.sign(np.einsum("a,b->ab", of.b[at], of.b[at]) + 0.5)[:, :, None] * np.ones(channels)
    elif kind == "worst matrices":
        whole, tilde = of.g.T * of.a[-1] @ of.b, g.T * of.a[-1] @ b
        e = np.kron(tilde, tilde) - np.kron(whole, whole)
        taps, _, elements = np.linalg.svd(e)
        x = np.sign(elements[0]).reshape(n, n, 1) * np.ones(channels)
        w = (e @ x[..., 0].ravel() if e.any() else taps[0]).reshape(of.taps, of.taps, 1) * np.ones(channels)
        w /= np.abs(w).max()
    x, w = rounded(x), rounded(w)
    v, u = (np.einsum("ia,abc->ibc", m, of_axis) for m, of_axis in ((b, x), (g, w)))
    v, u = (v, u) if of.sparse else (rounded(v), rounded(u))
    v, u = (rounded(np.einsum("jb,ibc->ijc", m, first)) for m, first in ((b, v), (g, u)))
    y = np.einsum("pi,qj,ijc,ijc->pq", of.a, of.a, v, u)
    measure = np.abs(x).max() * np.sqrt((w**2).sum())
    bound = error([of, of], channels, UNITS[dtype], 2.0**-24)
    assert np.abs(y - correlated(x, w, of.tile)).max() <= bound * measure
    assert dtype is np.float32 or bound > direct_error(of.taps**2 * channels, 2.0**-24)


@pytest.mark.parametrize("of", [fourier(8, 3), fourier(16, 5)], ids=lambda of: of.name)
def test_errors_of_rounded_matrices_add_up_over_channels(of: Bilinear):
    """All channels make the same error with an image and a filter along it: of many channels, it is more than that of roundings of data."""
    b, g = (m.astype(ml_dtypes.bfloat16).astype(float) for m in (of.b, of.g))
    whole, rounded = of.g.T * of.a[-1] @ of.b, g.T * of.a[-1] @ b
    e = np.kron(rounded, rounded) - np.kron(whole, whole)
    greatest, channels = np.linalg.norm(e @ np.sign(np.linalg.svd(e)[2][0])), 10**10
    assert np.sqrt(channels) * greatest <= error([of, of], channels, 2.0**-8, 0.0)
    assert error([of, of], 1, 2.0**-8, 0.0) < np.sqrt(channels) * greatest


def test_bounds_are_not_far_above_errors():
    """Each is a few times the error of greatest images, or a few hundred times for long DFTs, of which no image has all frequencies."""
    bounds = [
        error([of, of], 64, 2.0**-8, 2.0**-24) for of in (winograd(2), winograd(4), fourier(8, 3), fourier(64, 31))
    ]
    assert all(bound <= most for bound, most in zip(bounds, (0.16, 1.3, 0.4, 11), strict=True))


def of_sizes(
    size: list[int], window: list[int], strides: list[int], dilation: list[int], groups: int = 1, filters: int = 2
) -> Point:
    """Returns a padded convolution of 2 channels in each group, or of 1 if it is depthwise."""
    pads, ones, channels = [w // 2 for w in window], [1] * len(size), groups if groups == filters else 2 * groups
    lists = size, channels, filters, window, strides, dilation, pads, pads, ones
    return Point(2, *lists, groups, "f32", "NHWC", "none", "fft_conv")


@pytest.mark.parametrize(
    ("p", "conv"),
    [
        (of_sizes([11], [5], [2], [1]), "winograd_3x3"),  # 3 and 2 taps of two phases
        (of_sizes([11], [3], [1], [3]), "winograd_3x3"),  # phases of 4, 4 and 3 results
        (of_sizes([9, 8], [3, 3], [1, 1], [1, 1], groups=3, filters=3), "winograd_3x3"),  # depthwise
        (of_sizes([11], [3], [1], [3]), "fft_conv"),
        (of_sizes([7, 10], [4, 3], [3, 1], [1, 2]), "fft_conv"),
        (of_sizes([9], [4], [2], [1], groups=3, filters=3), "fft_conv"),
        (of_sizes([9], [3], [1], [1], filters=1), "fft_conv"),
    ],
)
def test_phases_compute_what_numpy_does(p: Point, conv: str, monkeypatch: pytest.MonkeyPatch):
    """Interprets what the pass writes."""
    monkeypatch.setitem(TOLERANCES, "f32", {conv: 1.0})
    asked, arrays = replace(p, algorithm=conv), operands(p, 0)
    module = ptir.parse(program(asked))
    PassManager("ptir-to-tiny,tiny-choose-convolutions").run(module)
    (y,) = call(module, "convolution", *arrays)
    assert np.allclose(y, by_taps(p, arrays), atol=2e-4)


@pytest.mark.parametrize("conv", ["winograd_3x3", "fft_conv"])
def test_taps_may_be_one_axis_of_the_filter_in_memory(conv: str):
    """The windows' taps have different strides along one axis of what is read."""
    rng = np.random.default_rng(1)
    x, w = rng.integers(-4, 5, (1, 5, 5, 2)).astype(np.float32), rng.integers(-4, 5, (9, 2, 2)).astype(np.float32)
    module = ptir.parse(f"""
builtin.module attributes {{ptir.extensions}} {{
func.func @f(%x: tensor<1x5x5x2xf32>, %w: tensor<9x2x2xf32>) -> tensor<1x3x3x2xf32> {{
  %0 = ptir.reshape %w : tensor<9x2x2xf32> -> tensor<3x3x2x2xf32>
  %1 = ptir.convolution %x, %0 accum f32 out f32 {{plan.algo_choice = {{conv = "{conv}", tolerance = 1.0}}}}
     : (tensor<1x5x5x2xf32>, tensor<3x3x2x2xf32>) -> tensor<1x3x3x2xf32>
  func.return %1 : tensor<1x3x3x2xf32>
}}
}}""")
    PassManager("ptir-to-tiny,tiny-choose-convolutions").run(module)
    (y,) = call(module, "f", x, w)
    want = sum(x[:, i : i + 3, j : j + 3].astype(float) @ w[3 * i + j] for i in range(3) for j in range(3))
    assert np.allclose(y, want, atol=2e-4)


PROGRAM = """
builtin.module attributes {{ptir.extensions}} {{
func.func @f(%x: tensor<2x{size}x{size}x16x{t}>, %w: tensor<{taps}x{taps}x16x24x{t}>, %b: tensor<24xf32>)
    -> tensor<2x{size}x{size}x24xf32> {{
  %0 = ptir.convolution %x, %w padding [({pad}, {pad}), ({pad}, {pad})] accum f32 out f32
     {{plan.algo_choice = {{conv = "{conv}", tolerance = {tolerance}}}}} : (tensor<2x{size}x{size}x16x{t}>, tensor<{taps}x{taps}x16x24x{t}>)
     -> tensor<2x{size}x{size}x24xf32>
  %1 = ptir.broadcast_to %b : tensor<24xf32> -> tensor<2x{size}x{size}x24xf32>
  %2 = ptir.add %0, %1 : tensor<2x{size}x{size}x24xf32>
  func.return %2 : tensor<2x{size}x{size}x24xf32>
}}
}}
"""


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("arch", "lists", "filters", "launches"),
    [
        (
            "sm80",
            ([13], [3], [1], [1]),
            8,
            3,
        ),  # F(4, 3): 6 products, and 4 results of a tile, of which the last has one
        ("sm80", ([5, 6], [3, 3], [1, 1], [1, 1]), 8, 3),  # F(2, 3): 16 products
        ("sm90", ([6, 5], [3, 3], [1, 1], [1, 1]), 16, 3),
        ("sm80", ([5, 6], [3, 3], [1, 1], [1, 1]), 1, 4),  # one filter: transformed operands are stored
    ],
)
def test_the_kernel_of_the_products_transforms_back(
    arch: str, lists: tuple[list[int], ...], filters: int, launches: int
):
    """Each takes up to 3 s: NVRTC compiles, and the emulator runs, three kernels."""
    p = of_sizes(*lists, filters=filters)
    p = replace(p, channels=16, dtype="bf16", epilogue="residual", algorithm="winograd_3x3")
    line = examine(p, arch, jax=False)
    assert (line["problems"], line["launches"]) == ([], launches)


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("arch", "lists", "change"),
    [
        ("sm80", ([13], [3], [1], [1]), {}),  # F(4, 3)
        ("sm80", ([5, 6], [3, 3], [1, 1], [1, 1]), {}),  # F(2, 3)
        ("sm90", ([6, 5], [3, 3], [1, 1], [1, 1]), {"dtype": "f16"}),
        ("sm80", ([4, 5], [3, 3], [1, 1], [1, 1]), {"dtype": "f32", "channels": 8}),
        ("sm90", ([5, 4], [3, 3], [1, 1], [1, 1]), {"dtype": "tf32", "channels": 8, "filters": 16}),
        ("sm80", ([11], [5], [2], [1]), {}),  # two phases, which are channels
        ("sm80", ([9, 8], [3, 3], [1, 1], [2, 1]), {"filters": 12}),  # two phases, which are images
        ("sm90", ([11], [3], [1], [3]), {}),  # three, of one tile each
        ("sm80", ([6, 4], [3, 3], [1, 1], [1, 1]), {"channels": 20, "epilogue": "bias_relu"}),  # copies of 8 bytes
        (
            "sm80",
            ([3, 3], [3, 3], [1, 1], [1, 1]),
            {"channels": 9, "filters": 5, "low": [2, 0], "high": [0, 1]},
        ),  # one tile
        ("sm80", ([7, 6], [3, 3], [1, 1], [1, 1]), {"layout": "NCHW", "filters": 40}),
    ],
)
def test_one_kernel_transforms_the_image_multiplies_and_transforms_back(
    arch: str, lists: tuple[list[int], ...], change: dict[str, Any]
):
    """Each takes up to 6 s."""
    p = replace(of_sizes(*lists, filters=8), channels=16, dtype="bf16", epilogue="residual", algorithm="winograd_3x3")
    line = examine(replace(p, **change, fused=True), arch, jax=False)
    assert (line["problems"], line["launches"]) == ([], 2)


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("conv", "arch", "t", "size", "taps", "tolerance", "typical"),
    [
        ("winograd_3x3", "sm80", "bf16", 8, 3, 0.2, 0.005),
        ("winograd_3x3", "sm90", "bf16", 7, 3, 0.2, 0.005),
        ("winograd_3x3", "sm80", "f16", 8, 3, 0.03, 0.0008),
        ("fft_conv", "sm90", "f16", 10, 7, 1.5, 0.001),
    ],
)
def test_kernels_are_within_the_bound(
    conv: str, arch: str, t: str, size: int, taps: int, tolerance: float, typical: float
):
    """Compares with NumPy's f64: no error exceeds the tolerance, and the error's rms is that of other implementations."""
    dtype = {"bf16": ml_dtypes.bfloat16, "f16": np.float16}[t]
    rng, pad = np.random.default_rng(3), taps // 2
    x = rng.standard_normal((2, size, size, 16)).astype(dtype)
    w = (rng.standard_normal((taps, taps, 16, 24)) / (4 * taps)).astype(dtype)
    b = rng.standard_normal(24).astype(np.float32)
    text = PROGRAM.format(size=size, taps=taps, t=t, pad=pad, conv=conv, tolerance=tolerance)
    compiled = ptir.compile(text, arch=arch, device=(device := ptir.Emulator()))
    (y,) = compiled(x, w, b)
    wide, filters = np.pad(x.astype(float), ((0, 0), (pad, pad), (pad, pad), (0, 0))), w.astype(float)
    taps_ = [(i, j) for i in range(taps) for j in range(taps)]
    want = sum(wide[:, i : i + size, j : j + size] @ filters[i, j] for i, j in taps_)
    off = np.abs(y - want - b)
    norms = np.sqrt((filters**2).sum((0, 1, 2)))
    assert (off <= tolerance * np.abs(x.astype(float)).max() * norms).all()
    assert np.sqrt((off**2).mean()) <= typical * want.std()
    assert len(device.reports) == (3 if conv == "winograd_3x3" else 7)
