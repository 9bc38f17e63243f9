"""NVRTC's math functions in the emulator, compared with float64; errors are within the ulps that CUDA documents."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.emulator import Memory, launch, parse
from tests.unit.builders.ptx_kernels.launch import run_cuda

N = 4096
FUNCTIONS: dict[str, tuple[Callable[[float], float], float, float, float]] = {
    # CUDA text: (in float64, from, to, ulps)
    "expf(x)": (math.exp, -87, 88, 2),
    "exp2f(x)": (lambda x: 2.0**x, -125, 127, 2),
    "erff(x)": (math.erf, -5, 5, 2),
    "tanhf(x)": (math.tanh, -10, 10, 2),
    "logf(x)": (math.log, 1e-6, 1e6, 1.5),
    "log2f(x)": (math.log2, 1e-6, 1e6, 1.5),
    "log1pf(x)": (math.log1p, -0.9, 50, 2),
    "expm1f(x)": (math.expm1, -20, 80, 2),
    "sinf(x)": (math.sin, -50, 50, 2),
    "cosf(x)": (math.cos, -1e6, 1e6, 2),
    "sqrtf(x)": (math.sqrt, 0, 1e6, 0.5),
    "rsqrtf(x)": (lambda x: 1 / math.sqrt(x), 1e-6, 1e6, 2),
    "1.0f / x": (lambda x: 1 / x, -100, 100, 0.5),
    "x / 3.7f": (lambda x: x / float(np.float32(3.7)), -1e6, 1e6, 0.5),
    "powf(fabsf(x), 2.5f)": (lambda x: abs(x) ** 2.5, -100, 100, 4),
    "erfcf(x)": (math.erfc, -3, 5, 6),
    "cbrtf(x)": (math.cbrt, -100, 100, 1.5),
    "(float)log((double)x)": (math.log, 1e-3, 1e3, 0.51),
    "(float)exp((double)x)": (math.exp, -80, 80, 0.51),
    "floorf(x) + truncf(x) + rintf(x)": (lambda x: float(math.floor(x) + math.trunc(x) + round(x)), -1e5, 1e5, 0.5),
    "fmaf(x, x, -1.0f)": (lambda x: math.fsum([x * x, -1.0]), -10, 10, 0.501),
    "__fdividef(x, 3.7f)": (lambda x: x / float(np.float32(3.7)), -1e6, 1e6, 2),
    "__expf(x)": (math.exp, -10, 10, 24),
}


@pytest.fixture(scope="module")
def module():
    source = "".join(
        f'extern "C" __global__ void k{i}(const float* in, float* out) '
        f"{{ int t = blockIdx.x * blockDim.x + threadIdx.x; float x = in[t]; out[t] = {text}; }}\n"
        for i, text in enumerate(FUNCTIONS)
    )
    return parse(compile_cuda(source, "sm_80").ptx)


@pytest.mark.parametrize("index", range(len(FUNCTIONS)), ids=list(FUNCTIONS))
def test_within_ulps(module, index: int):
    exact, low, high, ulps = list(FUNCTIONS.values())[index]
    x = np.random.default_rng(index).uniform(low, high, N).astype(np.float32)
    y, memory = np.zeros(N, np.float32), Memory()
    args = [memory.bind(x, readonly=True), memory.bind(y, initialized=False)]
    launch(module, f"k{index}", grid=N // 256, block=256, args=args, memory=memory)
    want = np.array([exact(float(v)) for v in x])
    unit = np.maximum(np.spacing(np.abs(want).astype(np.float32)).astype(np.float64), 2.0**-149)
    worst = np.argmax(np.abs(y - want) / unit)
    assert np.abs(y[worst] - want[worst]) / unit[worst] <= ulps, (x[worst], y[worst], want[worst])


def test_special_values(module):
    names = list(FUNCTIONS)
    x = np.resize(np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-45], np.float32), 256)

    def of(name: str) -> np.ndarray:
        y, memory = np.zeros(256, np.float32), Memory()
        args = [memory.bind(x), memory.bind(y)]
        launch(module, f"k{names.index(name)}", grid=1, block=256, args=args, memory=memory)
        return y[:6]

    nan = np.nan
    tiny = float(np.float32(1e-45))
    assert np.array_equal(of("expf(x)"), np.array([np.inf, 0, nan, 1, 1, 1], np.float32), equal_nan=True)
    assert np.array_equal(of("erff(x)")[:5], np.array([1, -1, nan, 0, -0.0], np.float32), equal_nan=True)
    assert np.array_equal(of("tanhf(x)"), np.array([1, -1, nan, 0, -0.0, tiny], np.float32), equal_nan=True)
    assert np.allclose(of("logf(x)"), [np.inf, nan, nan, -np.inf, -np.inf, math.log(tiny)], equal_nan=True)
    assert np.array_equal(of("1.0f / x"), np.array([0, -0.0, nan, np.inf, -np.inf, np.inf], np.float32), equal_nan=True)
    assert np.array_equal(np.signbit(of("sqrtf(x)")[3:5]), [False, True])


@pytest.mark.sampled(1)
def test_speed_of_many_small_ctas():
    """449 × 64 × 128 as a plain shared-memory kernel: a quarter of the digits network."""
    source = """extern "C" __global__ void dense(const float* x, const float* w, float* y, int m) {
      __shared__ float a[16][64]; int row = blockIdx.x * 16 + threadIdx.y, col = threadIdx.x;
      for (int i = col; i < 64; i += 32) a[threadIdx.y][i] = row < m ? x[row * 64 + i] : 0;
      __syncthreads(); if (row >= m) return;
      for (int c = col; c < 128; c += 32) { float s = 0; for (int k = 0; k < 64; k++) s += a[threadIdx.y][k] * w[k * 128 + c];
        y[row * 128 + c] = s > 0 ? s : 0; } }"""
    rng = np.random.default_rng(0)
    x, w = (rng.integers(-9, 9, s).astype(np.float32) for s in ((449, 64), (64, 128)))
    y, memory = np.zeros((449, 128), np.float32), Memory()
    args = [memory.bind(x), memory.bind(w), memory.bind(y, initialized=False), 449]
    report = run_cuda(source, *args, kernel="dense", grid=-(-449 // 16), block=(32, 16), memory=memory)
    assert np.array_equal(y, np.maximum(x @ w, 0))
    assert report.seconds < 20
    print(f"dense: {report.seconds:.2f} s, {report.steps} steps, {report.lane_instructions} lane instructions")
