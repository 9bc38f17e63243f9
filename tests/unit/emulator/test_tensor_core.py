"""mma.sync and ldmatrix of every shape that ptir emits, element by element, by the layouts in the PTX ISA §9.7.14."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ptir.emulator.errors import DivergentWarp, Misaligned
from tests.unit.builders.ptx_kernels.launch import run_cuda

# name: (k, element type, elements in a register, accumulator)
SHAPES: dict[str, tuple[int, Any, int, Any]] = {
    "m16n8k16.row.col.f32.bf16.bf16.f32": (16, ml_dtypes.bfloat16, 2, np.float32),
    "m16n8k16.row.col.f32.f16.f16.f32": (16, np.float16, 2, np.float32),
    "m16n8k16.row.col.f16.f16.f16.f16": (16, np.float16, 2, np.float16),
    "m16n8k8.row.col.f32.bf16.bf16.f32": (8, ml_dtypes.bfloat16, 2, np.float32),
    "m16n8k8.row.col.f32.f16.f16.f32": (8, np.float16, 2, np.float32),
    "m16n8k8.row.col.f32.tf32.tf32.f32": (8, np.float32, 1, np.float32),
    "m16n8k32.row.col.s32.s8.s8.s32": (32, np.int8, 4, np.int32),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("integral", [True, False])
def test_mma(name: str, integral: bool):
    k, element, per, accumulator = SHAPES[name]
    na, nb, nc = 2 * k // (4 * per), k // (4 * per), 2 if accumulator == np.float16 else 4
    letter = "f" if accumulator == np.float32 else "r"
    ctype = "float" if letter == "f" else "unsigned"
    regs = lambda start, n: "{" + ",".join(f"%{start + i}" for i in range(n)) + "}"  # noqa: E731
    source = f"""extern "C" __global__ void k(const unsigned* a, const unsigned* b, {ctype}* c) {{
      int t = threadIdx.x; a += t * {na}; b += t * {nb}; c += t * {nc};
      asm volatile("mma.sync.aligned.{name} {regs(0, nc)}, {regs(nc, na)}, {regs(nc + na, nb)}, {regs(0, nc)};"
        : {", ".join(f'"+{letter}"(c[{i}])' for i in range(nc))}
        : {", ".join(f'"r"(a[{i}])' for i in range(na))}, {", ".join(f'"r"(b[{i}])' for i in range(nb))}); }}"""
    rng = np.random.default_rng(0)
    make = (
        (lambda *s: rng.integers(-4, 5, s)) if integral or element is np.int8 else (lambda *s: rng.standard_normal(s))
    )
    A, B = make(2, 16, k).astype(element), make(2, k, 8).astype(element)
    C = make(2, 16, 8).astype(accumulator)
    a = np.zeros((2, 32, na * per), element)
    b = np.zeros((2, 32, nb * per), element)
    c = np.zeros((2, 32, 4), accumulator)
    for lane in range(32):
        g, t = divmod(lane, 4)
        for i in range(na * per):
            r, e = divmod(i, per)
            a[:, lane, i] = A[:, g + 8 * (r % 2), 4 * per * (r // 2) + per * t + e]
        for i in range(nb * per):
            r, e = divmod(i, per)
            b[:, lane, i] = B[:, 4 * per * r + per * t + e, g]
        for i in range(4):
            c[:, lane, i] = C[:, g + 8 * (i // 2), 2 * t + i % 2]
    run_cuda(source, a, b, c)
    if element is np.float32:  # tf32 drops 13 bits
        A, B = ((x.view(np.uint32) & 0xFFFFE000).view(np.float32) for x in (A, B))
    want = (A.astype(np.float64) @ B.astype(np.float64) + C.astype(np.float64)).astype(accumulator)
    for lane in range(32):
        g, t = divmod(lane, 4)
        for i in range(4):
            got, expected = c[:, lane, i], want[:, g + 8 * (i // 2), 2 * t + i % 2]
            assert np.array_equal(got, expected) if integral else np.allclose(got, expected, rtol=1e-6)


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("trans", ["", ".trans"])
def test_ldmatrix(count: int, trans: str):
    outputs = ", ".join(f'"=r"(y[t * {count} + {i}])' for i in range(count))
    names = ",".join(f"%{i}" for i in range(count))
    source = f"""extern "C" __global__ void k(const unsigned short* x, unsigned* y) {{ __shared__ __align__(16) unsigned short s[32 * 8];
      int t = threadIdx.x; for (int i = t; i < 256; i += 32) s[i] = x[i]; __syncthreads();
      unsigned at = (unsigned)__cvta_generic_to_shared(s + (31 - t) * 8);
      asm volatile("ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{names}}}, [%{count}];" : {outputs} : "r"(at) : "memory"); }}"""
    x = np.arange(256, dtype=np.uint16)
    y = np.zeros((32, count, 2), np.uint16)
    run_cuda(source, x, y, block=32)
    rows = x.reshape(32, 8)[::-1]  # lane t addresses row 31 - t
    for matrix in range(count):
        m = rows[8 * matrix : 8 * matrix + 8]
        m = m.T if trans else m
        for lane in range(32):
            assert y[lane, matrix].tolist() == m[lane // 4, 2 * (lane % 4) : 2 * (lane % 4) + 2].tolist()


def test_part_of_a_warp_cannot_multiply():
    source = """extern "C" __global__ void k(unsigned* y) { if (threadIdx.x < 8) { __shared__ __align__(16) int s[128]; unsigned d;
      asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(d) : "r"((unsigned)__cvta_generic_to_shared(s)));
      y[threadIdx.x] = d; } }"""
    with pytest.raises(DivergentWarp, match="ldmatrix"):
        run_cuda(source, np.zeros(32, np.uint32), block=32)


def test_rows_of_ldmatrix_are_aligned():
    source = """extern "C" __global__ void k(unsigned* y) { __shared__ __align__(16) int s[256]; unsigned d;
      asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(d)
        : "r"((unsigned)__cvta_generic_to_shared(s) + threadIdx.x * 8)); y[threadIdx.x] = d; }"""
    with pytest.raises(Misaligned):
        run_cuda(source, np.zeros(32, np.uint32), block=32)


@pytest.mark.parametrize(("kind", "dtype"), [("f16x2", np.float16), ("bf16x2", ml_dtypes.bfloat16)])
def test_packed_arithmetic(kind: str, dtype: Any):
    source = f"""extern "C" __global__ void k(const unsigned* a, const unsigned* b, unsigned* y) {{ int t = threadIdx.x; unsigned d;
      asm volatile("fma.rn.{kind} %0, %1, %2, %1;" : "=r"(d) : "r"(a[t]), "r"(b[t])); y[t] = d;
      asm volatile("max.{kind} %0, %1, %2;" : "=r"(d) : "r"(a[t]), "r"(b[t])); y[t + 64] = d;
      asm volatile("neg.{kind} %0, %1;" : "=r"(d) : "r"(a[t])); y[t + 128] = d; }}"""
    rng = np.random.default_rng(1)
    a, b = (rng.standard_normal(128).astype(dtype) for _ in range(2))
    y = np.zeros(3 * 128, dtype)
    run_cuda(source, a, b, y)
    x, z = a.astype(np.float64), b.astype(np.float64)
    near = (x * z + x).astype(dtype) if dtype is np.float16 else (x * z + x).astype(np.float32).astype(dtype)
    assert np.array_equal(y[:128], near)
    assert np.array_equal(y[128:256], np.maximum(x, z).astype(dtype))
    assert np.array_equal(y[256:], (-x).astype(dtype))


def test_nan_handling_of_maximum():
    source = """extern "C" __global__ void k(const float* a, float* y) { int t = threadIdx.x; float d;
      asm volatile("max.NaN.f32 %0, %1, %2;" : "=f"(d) : "f"(a[t]), "f"(1.0f)); y[t] = d;
      asm volatile("max.f32 %0, %1, %2;" : "=f"(d) : "f"(a[t]), "f"(1.0f)); y[t + 32] = d; }"""
    a = np.resize(np.array([np.nan, 0, 2, np.inf], np.float32), 32)
    y = np.zeros(64, np.float32)
    run_cuda(source, a, y, block=32)
    assert np.array_equal(y[:4], np.array([np.nan, 1, 2, np.inf], np.float32), equal_nan=True)
    assert np.array_equal(y[32:36], np.array([1, 1, 2, np.inf], np.float32))
    assert int(y[:1].view(np.uint32)[0]) == 0x7FFFFFFF
