"""The instructions of SM80 kernels on 8-, 32- and 64-bit types, compiled by NVRTC, compared with NumPy and Python's integers."""

# ruff: noqa: E501 (lines of CUDA stay whole)

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ptir.emulator import Memory, Report
from tests.unit.builders.ptx_kernels.launch import run_cuda

pytestmark = pytest.mark.sampled(4)

Array = np.ndarray[Any, np.dtype[Any]]
N = 64


# --- f64 functions --------------------------------------------------------------------------------

DOUBLES: dict[str, tuple[Callable[[float], float], float]] = {
    # CUDA text: (in Python, ulps that CUDA documents, of both together)
    "exp(x)": (math.exp, 1),
    "log(fabs(x) + 1e-3)": (lambda x: math.log(abs(x) + 1e-3), 1),
    "tanh(x)": (math.tanh, 2),
    "erf(x)": (math.erf, 2),
    "erfc(x)": (math.erfc, 5),
    "sqrt(fabs(x))": (lambda x: math.sqrt(abs(x)), 0),
    "rsqrt(fabs(x))": (lambda x: 1 / math.sqrt(abs(x)), 1),
    "1.0 / x": (lambda x: 1 / x, 0),
    "x / 3.7": (lambda x: x / 3.7, 0),
    "exp2(x)": (lambda x: 2.0**x, 1),
    "log2(fabs(x))": (lambda x: math.log2(abs(x)), 1),
    "sin(x)": (math.sin, 2),
    "cos(x * 1e6)": (lambda x: math.cos(x * 1e6), 2),
    "pow(fabs(x), 2.5)": (lambda x: abs(x) ** 2.5, 2),
    "log1p(fabs(x))": (lambda x: math.log1p(abs(x)), 1),
    "expm1(x)": (math.expm1, 1),
    "fma(x, x, 1.0)": (lambda x: float(Fraction(x) * Fraction(x) + 1), 0),
    "floor(x) + ceil(x) + trunc(x) + rint(x)": (lambda x: float(math.floor(x) + math.ceil(x) + math.trunc(x) + round(x)), 0),
    "fmax(x, 1.0) + fmin(x, 0.0)": (lambda x: max(x, 1.0) + min(x, 0.0), 0),
    "(double)(float)x": (lambda x: float(np.float32(x)), 0),
    "(double)(int)x + (double)(long long)(x * 1e12)": (lambda x: float(int(x)) + float(int(x * 1e12)), 0),
    "(double)(signed char)(int)(x * 30)": (lambda x: float((int(x * 30) + 128) % 256 - 128), 0),
    "copysign(2.0, x)": (lambda x: math.copysign(2, x), 0),
}  # fmt: skip


@pytest.mark.campaign
def test_doubles():
    head = 'extern "C" __global__ void'
    body = "(const double* a, double* b) { double x = a[threadIdx.x]; b[threadIdx.x] = "
    source = "".join(f"{head} k{i}{body}{text}; }}\n" for i, text in enumerate(DOUBLES))
    x = np.random.default_rng(0).uniform(-10, 10, 256)
    for i, (text, (exact, ulps)) in enumerate(DOUBLES.items()):
        y = np.zeros_like(x)
        run_cuda(source, x, y, kernel=f"k{i}", block=256)
        want = np.array([exact(v) for v in x.tolist()])
        assert (np.abs(y - want) <= ulps * np.spacing(np.abs(want))).all(), text


# --- conversions ----------------------------------------------------------------------------------

LETTER = {"s8": "r", "u8": "r", "s16": "h", "u16": "h", "s32": "r", "u32": "r", "s64": "l", "u64": "l", "f32": "f", "f64": "d"}  # fmt: skip
HELD = {"s8": "s32", "u8": "u32"}
CTYPE = {"s16": "short", "u16": "unsigned short", "s32": "int", "u32": "unsigned", "s64": "long long", "u64": "unsigned long long", "f32": "float", "f64": "double"}  # fmt: skip
INTEGERS = ("s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64")
MODES: dict[str, Callable[[float], int]] = {"rni": round, "rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil}


def dtype(name: str) -> np.dtype[Any]:
    return np.dtype({"s": "i", "u": "u", "f": "f"}[name[0]] + str(int(name[1:]) // 8))


def converter(index: int, op: str, target: str, source: str) -> str:
    to, given = CTYPE[HELD.get(target, target)], CTYPE[HELD.get(source, source)]
    asm = f'asm volatile("{op} %0, %1;" : "={LETTER[target]}"(d) : "{LETTER[source]}"(a[threadIdx.x]));'
    return f'extern "C" __global__ void k{index}(const {given}* a, {to}* b) {{ {to} d; {asm} b[threadIdx.x] = d; }}\n'


def converted(source: str, index: int, x: Array, target: str) -> list[Any]:
    y = np.zeros(x.size, dtype(HELD.get(target, target)))
    run_cuda(source, x, y, kernel=f"k{index}", block=x.size)
    return y.tolist()


EDGES = [0.5, 1.5, 2.5, -0.5, -1.5, 127.5, 128, -128.5, -129, 255.5, 256, 32767.5, 65535.5, 2.0**31 - 1, 2.0**31,
         -(2.0**31), 2.0**32, 2.0**63, -(2.0**63), 2.0**64, 1e-40, -0.0, math.inf, -math.inf, math.nan]  # fmt: skip


@pytest.mark.campaign
@pytest.mark.parametrize("source", ["f32", "f64"])
def test_floats_to_integers_clamp(source: str):
    cases = [(t, m, f"cvt.{m}{sat}.{t}.{source}") for t in INTEGERS for m in MODES for sat in ("", ".sat")]
    text = "".join(converter(i, op, t, source) for i, (t, _, op) in enumerate(cases))
    rng = np.random.default_rng(1)
    x = np.concatenate([*(rng.uniform(-s, s, 24) for s in (300, 2e5, 1e10, 1e20)), EDGES]).astype(dtype(source))
    for i, (target, mode, op) in enumerate(cases):
        limits = np.iinfo(dtype(target))
        for v, got in zip(x.tolist(), converted(text, i, x, target), strict=True):
            low, high = int(limits.min), int(limits.max)
            want = 0 if math.isnan(v) else min(max(MODES[mode](v), low), high) if math.isfinite(v) else (high if v > 0 else low)  # fmt: skip
            assert got == want, (op, v)


def rounded(value: int, precision: int, mode: str) -> int:
    """Rounds an integer to `precision` bits."""
    shift = max(0, abs(value).bit_length() - precision)
    count, rest = divmod(abs(value), 1 << shift)
    half = 1 << shift >> 1
    up = {"rn": rest > half or (rest == half and shift > 0 and count & 1 == 1), "rz": False,
          "rm": value < 0 < rest, "rp": value > 0 < rest}[mode]  # fmt: skip
    return (count + up << shift) * (-1 if value < 0 else 1)


@pytest.mark.parametrize("target", ["f32", "f64"])
def test_integers_to_floats_round(target: str):
    cases = [(s, m, f"cvt.{m}.{target}.{s}") for s in INTEGERS for m in ("rn", "rz", "rm", "rp")]
    text = "".join(converter(i, op, target, s) for i, (s, _, op) in enumerate(cases))
    rng = np.random.default_rng(2)
    for i, (source, mode, op) in enumerate(cases):
        limits = np.iinfo(dtype(source))
        x = rng.integers(limits.min, limits.max, 128, dtype(source), endpoint=True)
        x[:4] = limits.min, limits.max, 0, limits.max - 1
        for v, got in zip(
            x.tolist(), converted(text, i, x.astype(dtype(HELD.get(source, source))), target), strict=True
        ):
            assert got == rounded(v, 24 if target == "f32" else 53, mode), (op, v)


# --- bytes, halves, dot products, shuffles --------------------------------------------------------


def bytes_of(words: Array) -> Array:
    return words.view(np.int8).reshape(-1, 4).astype(np.int64)


@pytest.mark.parametrize("op", ["dp4a.s32.s32", "dp4a.u32.u32", "dp4a.s32.u32", "dp4a.u32.s32", "dp2a.lo.s32.s32", "dp2a.hi.u32.s32"])  # fmt: skip
def test_dot_products(op: str):
    rng = np.random.default_rng(3)
    a, b, c = (rng.integers(0, 2**32, N, np.uint32) for _ in range(3))
    y = np.zeros(N, np.uint32)
    asm = f'asm volatile("{op} %0, %1, %2, %3;" : "=r"(d) : "r"(a[t]), "r"(b[t]), "r"(c[t]));'
    head = 'extern "C" __global__ void k(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* y)'
    run_cuda(f"{head} {{ int t = threadIdx.x; unsigned d; {asm} y[t] = d; }}", a, b, c, y)
    name, *part, left, right = op.split(".")
    width = 1 if name == "dp4a" else 2
    first = a.view(f"{'i' if left == 's32' else 'u'}{width}").reshape(N, -1).astype(np.int64)
    second = b.view("i1" if right == "s32" else "u1").reshape(N, 4)[:, 2 if part == ["hi"] else 0 :].astype(np.int64)
    want = (first * second[:, : 4 // width]).sum(axis=1) + c
    assert np.array_equal(y, want.astype(np.uint32))


def test_products_of_128_bits():
    """`mad.lo.cc`, `madc.hi`, `addc`: the schoolbook product of 64-bit numbers as NVRTC's `sin` has it."""
    rng = np.random.default_rng(4)
    a, b = (rng.integers(0, 2**32, (N, 2), np.uint32) for _ in range(2))
    y = np.zeros((N, 4), np.uint32)
    source = """extern "C" __global__ void k(const uint2* a, const uint2* b, uint4* y) { int t = threadIdx.x; uint4 r; uint2 p = a[t], q = b[t];
      asm volatile("mul.lo.u32 %0,%4,%6; mul.hi.u32 %1,%4,%6; mad.lo.cc.u32 %1,%4,%7,%1; madc.hi.u32 %2,%4,%7,0; mad.lo.cc.u32 %1,%5,%6,%1;"
        "madc.hi.cc.u32 %2,%5,%6,%2; madc.hi.u32 %3,%5,%7,0; mad.lo.cc.u32 %2,%5,%7,%2; addc.u32 %3,%3,0;"
        : "=&r"(r.x), "=&r"(r.y), "=&r"(r.z), "=&r"(r.w) : "r"(p.x), "r"(p.y), "r"(q.x), "r"(q.y)); y[t] = r; }"""
    run_cuda(source, a, b, y)
    for (a0, a1), (b0, b1), words in zip(a.tolist(), b.tolist(), y.tolist(), strict=True):
        assert sum(w << 32 * i for i, w in enumerate(words)) == (a0 + (a1 << 32)) * (b0 + (b1 << 32))


def test_packing_with_saturation():
    rng = np.random.default_rng(5)
    a, b = (rng.integers(-300, 300, N).astype(np.int32) for _ in range(2))
    above, y = rng.integers(0, 2**32, N, np.uint32), np.zeros((2, N), np.uint32)
    source = """extern "C" __global__ void k(const int* a, const int* b, const unsigned* c, unsigned* y) { int t = threadIdx.x; unsigned d;
      asm volatile("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a[t]), "r"(b[t]), "r"(c[t])); y[t] = d;
      asm volatile("cvt.pack.sat.u16.s32 %0, %1, %2;" : "=r"(d) : "r"(a[t] * 300), "r"(b[t])); y[t + 64] = d; }"""
    run_cuda(source, a, b, above, y)
    pieces = y[0].view(np.int8).reshape(N, 4)
    assert np.array_equal(pieces[:, 0], np.clip(b, -128, 127)) and np.array_equal(pieces[:, 1], np.clip(a, -128, 127))
    assert np.array_equal(y[0] >> 16, above & 0xFFFF)
    halves = y[1].view(np.uint16).reshape(N, 2)
    assert np.array_equal(halves[:, 0], np.clip(b, 0, 65535)) and np.array_equal(
        halves[:, 1], np.clip(a * 300, 0, 65535)
    )


def test_vectors_of_bytes_and_doubles():
    rng = np.random.default_rng(6)
    x, d = rng.integers(-128, 128, (N, 4)).astype(np.int8), rng.standard_normal((N, 2))
    y, z, e = np.zeros(N, np.int32), np.zeros((N, 4), np.uint8), np.zeros((N, 2))
    source = """struct alignas(4) Bytes { unsigned char e[4]; }; struct alignas(16) Pair { double a, b; };
    extern "C" __global__ void k(const char* x, int* y, Bytes* z, const Pair* d, Pair* e) { int t = threadIdx.x, p, q, r, s;
      asm volatile("ld.global.v4.s8 {%0, %1, %2, %3}, [%4];" : "=r"(p), "=r"(q), "=r"(r), "=r"(s) : "l"(x + 4 * t));
      y[t] = p + 2 * q + 3 * r + 5 * s;
      Bytes v = ((const Bytes*)x)[t]; for (auto& u : v.e) u = u * 3 + 1; z[t] = v;
      __shared__ Pair shared[64]; shared[t] = d[t]; __syncthreads(); Pair w = shared[63 - t]; e[t] = Pair{w.b * 2, w.a + 1}; }"""
    report = run_cuda(source, x, y, z, d, e)
    assert np.array_equal(y, x.astype(np.int32) @ [1, 2, 3, 5])
    assert np.array_equal(z, (x.view(np.uint8).astype(int) * 3 + 1) % 256)
    assert np.array_equal(e, np.stack([d[::-1, 1] * 2, d[::-1, 0] + 1], 1))
    assert report.opcodes["ld.global.v4.u8"] and report.opcodes["st.global.v4.u8"] and report.units["DADD"]


def test_shuffles_of_integers():
    x = np.random.default_rng(7).integers(-(2**62), 2**62, N)
    y = np.zeros((4, N), np.int64)
    source = """extern "C" __global__ void k(const long long* x, long long* y) { int t = threadIdx.x; long long v = x[t];
      y[t] = __shfl_xor_sync(~0u, v, 5); y[t + 64] = __shfl_down_sync(~0u, v, 3); y[t + 128] = __shfl_up_sync(~0u, v, 1, 8);
      y[t + 192] = __shfl_sync(~0u, (short)v, t * 7, 16); }"""
    run_cuda(source, x, y)
    lane = np.arange(N)
    base, within = lane // 32 * 32, lane % 32
    assert np.array_equal(y[0], x[lane ^ 5])
    assert np.array_equal(y[1], x[base + np.where(within + 3 < 32, within + 3, within)])
    assert np.array_equal(y[2], x[np.where(lane % 8, lane - 1, lane)])
    assert np.array_equal(y[3], x[lane // 16 * 16 + lane * 7 % 16].astype(np.int16))


# --- a register tile ------------------------------------------------------------------------------

TILED = r"""
constexpr int TILE = 32, K = 16;
// 64 threads of 4 × 4 each; A is kept transposed so that both operands are read as float4
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int m, int n, int k) {
    __shared__ __align__(16) float as[2][K][TILE], bs[2][K][TILE];
    const int tx = threadIdx.x % 8, ty = threadIdx.x / 8, m0 = blockIdx.y * TILE, n0 = blockIdx.x * TILE;
    float acc[4][4] = {};
    auto load = [&](int slot, int k0) {
        for (int i = threadIdx.x; i < TILE * K; i += 64) {
            const int row = i / K, col = i % K;
            as[slot][col][row] = m0 + row < m && k0 + col < k ? A[(m0 + row) * k + k0 + col] : 0.0f;
            bs[slot][i / TILE][i % TILE] = k0 + i / TILE < k && n0 + i % TILE < n ? B[(k0 + i / TILE) * n + n0 + i % TILE] : 0.0f;
        }
    };
    load(0, 0);
    for (int step = 0; step * K < k; ++step) {
        __syncthreads();
        if ((step + 1) * K < k) load((step + 1) % 2, (step + 1) * K);
        #pragma unroll
        for (int i = 0; i < K; ++i) {
            const float4 a = *(const float4*)&as[step % 2][i][ty * 4], b = *(const float4*)&bs[step % 2][i][tx * 4];
            const float av[4] = {a.x, a.y, a.z, a.w}, bv[4] = {b.x, b.y, b.z, b.w};
            #pragma unroll
            for (int r = 0; r < 4; ++r)
                #pragma unroll
                for (int c = 0; c < 4; ++c) acc[r][c] = __fmaf_rn(av[r], bv[c], acc[r][c]);
        }
    }
    for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c)
            if (m0 + ty * 4 + r < m && n0 + tx * 4 + c < n) C[(m0 + ty * 4 + r) * n + n0 + tx * 4 + c] = acc[r][c];
}
"""


def tiled(source: str, m: int, n: int, k: int) -> tuple[Array, Array, Report]:
    rng = np.random.default_rng(m)
    a, b = rng.standard_normal((m, k)).astype(np.float32), rng.standard_normal((k, n)).astype(np.float32)
    c, memory = np.zeros((m, n), np.float32), Memory()
    args = [memory.bind(a, readonly=True), memory.bind(b, readonly=True), memory.bind(c, initialized=False), m, n, k]
    report = run_cuda(source, *args, kernel="gemm", grid=(-(-n // 32), -(-m // 32)), memory=memory)
    want = np.zeros((m, n))
    # Terms are added in order, each sum rounded once: float64 represents product and sum of floats of similar size.
    for i in range(k):
        want = (want + a[:, i : i + 1].astype(np.float64) * b[i]).astype(np.float32).astype(np.float64)
    return c, want.astype(np.float32), report


def test_fma_register_tile():
    c, want, report = tiled(TILED, 45, 70, 37)
    assert np.allclose(c, want, rtol=2e-6, atol=2e-6) and np.mean(c == want) > 0.99  # double rounding is rare
    fma = report.units["FFMA"]
    assert fma == 6 * 64 * 48 * 16 and report.by_opcode["ld.shared.v4.f32"].lanes * 8 == fma
    assert report.by_opcode["ld.shared.v4.f32"].conflicts == 0


def test_fma_register_tile_without_its_barrier():
    from ptir.emulator.errors import SharedRace, UninitializedMemory

    with pytest.raises((SharedRace, UninitializedMemory)):
        tiled(TILED.replace("__syncthreads();", ""), 45, 70, 37)
