"""
A single `wgmma` with every kind of operand: all types and swizzles, K-major and MN-major, A in registers.

Operands are laid out by hand, byte by byte; the oracle is a matrix product.
"""

# ruff: noqa: E501 (lines of CUDA stay whole)

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ptir.emulator import errors
from tests.unit.builders.ptx_kernels.blocks import reported
from tests.unit.builders.ptx_kernels.launch import run_cuda

BF16, E4M3, E5M2 = ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
SPAN = {1: 128, 2: 64, 3: 32, 0: 16}


@dataclass(frozen=True)
class Kind:
    """
    A wgmma: the types as `out.a.b`, the number of columns N, the swizzle, the operands that are MN-major, and whether A is in
    registers.
    """

    types: str
    n: int = 16
    swizzle: int = 1
    a_mn: bool = False
    b_mn: bool = False
    registers: bool = False


DTYPES: dict[str, Any] = {
    "bf16": BF16, "f16": np.float16, "tf32": np.float32, "e4m3": E4M3, "e5m2": E5M2, "s8": np.int8, "u8": np.uint8,
    "f32": np.float32, "s32": np.int32,
}  # fmt: skip


def physical(offset: int, swizzle: int) -> int:
    """Returns the swizzled offset: address bits from 4 on are XORed with bits from 7 on (PTX ISA, swizzling modes)."""
    mask = {0: 0, 1: 7, 2: 3, 3: 1}[swizzle]
    return offset ^ ((offset >> 7 & mask) << 4)


def laid_out(matrix: np.ndarray, swizzle: int, mn_major: bool) -> tuple[np.ndarray, int, int]:
    """Returns the bytes of an operand [rows, 32 bytes of k] in shared memory, and LBO and SBO in bytes."""
    rows, depth = matrix.shape
    size, span = matrix.itemsize, SPAN[swizzle]
    out = np.zeros(16384, np.uint8)
    raw = np.ascontiguousarray(matrix).view(np.uint8).reshape(rows, depth, size)
    if not mn_major:
        lbo, sbo = (2048, 128) if swizzle == 0 else (16, 8 * span)  # core matrices of 8 rows x 16 bytes
        for r in range(rows):
            for k in range(depth):
                byte = k * size
                chunk = byte // 16 * lbo + byte % 16 if swizzle == 0 else byte
                at = physical(r // 8 * sbo + r % 8 * span + chunk, swizzle)
                out[at : at + size] = raw[r, k]
        return out, lbo, sbo
    per = span // size  # elements of M or N side by side
    lbo, sbo = (256, 512) if swizzle == 0 else (2048, 1024)
    far, deep = (sbo, lbo) if swizzle == 0 else (lbo, sbo)
    for r in range(rows):
        for k in range(depth):
            at = physical(r // per * far + r % per * size + k % 8 * span + k // 8 * deep, swizzle)
            out[at : at + size] = raw[r, k]
    return out, lbo, sbo


def multiply(
    kind: Kind, a: np.ndarray, b: np.ndarray, c: np.ndarray, *, before: str = "", keep: int = 1, sign: int = 1
) -> np.ndarray:
    """Computes sign·A·B + C by one warpgroup, where A is [64, k] and B is [n, k]."""
    out = kind.types.split(".")[-3]
    half = out == "f16"
    count = kind.n // (4 if half else 2)
    depth = 32 // a.itemsize
    shared_a, lbo_a, sbo_a = laid_out(a, kind.swizzle, kind.a_mn)
    shared_b, lbo_b, sbo_b = laid_out(b, kind.swizzle, kind.b_mn)
    letter, ctype = {"f32": ("f", "float"), "s32": ("r", "int"), "f16": ("r", "unsigned")}[out]
    regs = ",".join(f"%{i}" for i in range(count))
    left = "{" + ",".join(f"%{count + 3 + i}" for i in range(4)) + "}" if kind.registers else f"%{count}"
    tail = "" if out == "s32" else f", {sign}, 1"
    if a.itemsize == 2:
        tail += f", {int(kind.b_mn)}" if kind.registers else f", {int(kind.a_mn)}, {int(kind.b_mn)}"
    extra = "".join(f', "r"(f[{i}])' for i in range(4)) if kind.registers else ""
    per = 4 // a.itemsize
    source = f"""typedef unsigned long long u64;
    extern "C" __global__ void __launch_bounds__(128) k(const uint4* a, const uint4* b, const unsigned* fragments, {ctype}* c) {{
      __shared__ __align__(1024) uint4 s[2][1024];
      const int t = threadIdx.x;
      for (int i = t; i < 1024; i += 128) {{ s[0][i] = a[i]; s[1][i] = b[i]; }}
      unsigned f[4]; for (int i = 0; i < 4; i++) f[i] = fragments[t * 4 + i];
      {ctype} d[{count}]; for (int i = 0; i < {count}; i++) d[i] = c[t * {count} + i];
      asm volatile("fence.proxy.async;" ::: "memory");
      __syncthreads();
      const unsigned at = (unsigned)__cvta_generic_to_shared(s);
      u64 da = (u64)(at >> 4) | {lbo_a >> 4}ull << 16 | {sbo_a >> 4}ull << 32 | {kind.swizzle}ull << 62;
      u64 db = (u64)(at + 16384 >> 4) | {lbo_b >> 4}ull << 16 | {sbo_b >> 4}ull << 32 | {kind.swizzle}ull << 62;
      {before}
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      asm volatile("{{\\n.reg .pred p;\\nsetp.ne.b32 p, %{count + 2}, 0;\\n"
        "wgmma.mma_async.sync.aligned.m64n{kind.n}k{depth}.{kind.types} {{{regs}}}, {left}, %{count + 1}, p{tail};\\n}}"
        : {", ".join(f'"+{letter}"(d[{i}])' for i in range(count))} : "l"(da), "l"(db), "r"({keep}){extra});
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      for (int i = 0; i < {count}; i++) c[t * {count} + i] = d[i]; }}"""
    fragments = np.zeros((128, 4, per), a.dtype)
    for t in range(128):
        warp, g, q = t // 32, t % 32 // 4, t % 4
        for r in range(4):
            for e in range(per):
                fragments[t, r, e] = a[16 * warp + g + 8 * (r % 2), 4 * per * (r // 2) + per * q + e]
    lanes = np.zeros((128, kind.n // 2), c.dtype)
    place = lambda t, j: (t // 32 * 16 + t % 32 // 4 + 8 * (j // 2 % 2), t % 4 * 2 + j % 2 + 8 * (j // 4))  # noqa: E731
    for t in range(128):
        for j in range(kind.n // 2):
            lanes[t, j] = c[place(t, j)]
    run_cuda(source, shared_a, shared_b, fragments, lanes, arch="sm_90a", block=128)
    got = np.zeros_like(c)
    for t in range(128):
        for j in range(kind.n // 2):
            got[place(t, j)] = lanes[t, j]
    return got


KINDS = [
    *[Kind("f32.bf16.bf16", swizzle=s) for s in range(4)],
    *[Kind("f32.bf16.bf16", 64, swizzle=s, b_mn=True) for s in range(4)],
    *[Kind("f32.f16.f16", 64, swizzle=s, a_mn=True) for s in range(4)],
    Kind("f32.f16.f16", 64, a_mn=True, b_mn=True),
    Kind("f16.f16.f16", 24),
    Kind("f32.tf32.tf32", 8),
    Kind("f32.e4m3.e4m3", 32, 2),
    Kind("f16.e5m2.e4m3", 16),
    Kind("s32.s8.s8", 32),
    Kind("s32.u8.s8", 16, 3),
    Kind("f32.bf16.bf16", 256, 3),
    Kind("f32.bf16.bf16", 16, registers=True),
    Kind("f32.bf16.bf16", 64, registers=True, b_mn=True),
    Kind("f32.e4m3.e5m2", 16, registers=True),
    Kind("f32.tf32.tf32", 16, registers=True),
    Kind("s32.s8.u8", 16, registers=True),
    Kind("f32.e4m3.e5m2", 96),
    Kind("f32.e5m2.e4m3", 136, 2),
    Kind("f32.e5m2.e5m2", 8, 3),
    Kind("f16.e4m3.e4m3", 248, 3),
    Kind("s32.s8.u8", 48),
    Kind("s32.u8.u8", 192, 2),
    Kind("f32.tf32.tf32", 72, 0),
    Kind("f32.tf32.tf32", 256, 2),
    Kind("f16.f16.f16", 256, 0, b_mn=True),
    Kind("f32.f16.f16", 40, registers=True),
    Kind("f16.e5m2.e5m2", 24, registers=True),
    Kind("s32.u8.u8", 224, 3, registers=True),
    Kind("f32.bf16.bf16", 168, 2, a_mn=True),
    Kind("f32.bf16.bf16", 200, 2, b_mn=True),
]


def operands(kind: Kind) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    out, ta, tb = kind.types.split(".")
    depth = 32 // np.dtype(DTYPES[ta]).itemsize
    rng = np.random.default_rng(kind.n)
    low = 0 if "u8" in kind.types else -4
    a, b = (
        rng.integers(low, 5, (64, depth)).astype(DTYPES[ta]),
        rng.integers(low, 5, (kind.n, depth)).astype(DTYPES[tb]),
    )
    return a, b, rng.integers(-9, 10, (64, kind.n)).astype(DTYPES[out])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_product(kind: Kind):
    a, b, c = operands(kind)
    got = multiply(kind, a, b, c)
    assert np.array_equal(got, (a.astype(np.float64) @ b.astype(np.float64).T + c).astype(c.dtype))


def test_integer_accumulators_saturate():
    a, b, c = operands(Kind("s32.s8.s8", 16))
    c[:] = np.where(c < 0, -(2**31), 2**31 - 1)
    got = multiply(Kind("satfinite.s32.s8.s8", 16), a, b, c)
    exact = a.astype(np.int64) @ b.astype(np.int64).T + c
    assert (exact != exact.astype(np.int32)).any()
    assert np.array_equal(got, exact.clip(-(2**31), 2**31 - 1))


@pytest.mark.parametrize("registers", [False, True])
def test_tensor_floats_are_cut_off(registers: bool):
    """The low 13 bits of a tf32 operand are ignored."""
    kind = Kind("f32.tf32.tf32", 32, registers=registers)
    a, b, c = operands(kind)
    noisy = [
        (x.view(np.uint32) | np.random.default_rng(3).integers(0, 8192, x.shape).astype(np.uint32)).view(np.float32)
        for x in (a, b)
    ]
    want = (a.astype(np.float64) @ b.astype(np.float64).T + c).astype(np.float32)
    nonzero = np.abs(want) > 0  # zeros with nonzero low bits are denormals, which are truncated to zero
    assert nonzero.any() and np.array_equal(multiply(kind, noisy[0], noisy[1], c), want)


def test_without_accumulating_and_negated():
    a, b, c = operands(KINDS[1])
    product = a.astype(np.float64) @ b.astype(np.float64).T
    assert np.array_equal(multiply(KINDS[1], a, b, c, keep=0), product.astype(np.float32))
    assert np.array_equal(multiply(KINDS[1], a, b, c, sign=-1), (c - product).astype(np.float32))


FAULTS = {
    "descriptors differ": ("da += t == 77;", errors.BadDescriptor, "differs between the threads"),
    "a base offset": ("da |= 1ull << 49;", errors.BadDescriptor, "base offset"),
    "a reserved bit": ("db |= 1ull << 55;", errors.BadDescriptor, "must be zero"),
    "beyond shared memory": ("db += 0x3000;", errors.OutOfBounds, "wgmma's read of B"),
    "part of the warpgroup": ("if (t >= 96) return;", errors.DivergentWarp, "warpgroup's 4 warps"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault(name: str):
    before, fault, text = FAULTS[name]
    with pytest.raises(fault, match=text):
        multiply(KINDS[1], *operands(KINDS[1]), before=before)


CHAIN = """extern "C" __global__ void __launch_bounds__(128) k(float* y) {{
  __shared__ __align__(1024) uint4 s[512]; const int t = threadIdx.x;
  for (int i = t; i < 512; i += 128) s[i] = make_uint4(0, 0, 0, 0);
  asm volatile("fence.proxy.async;" ::: "memory"); __syncthreads();
  unsigned long long d = (unsigned)__cvta_generic_to_shared(s) >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62; float a, b, c, e;
  asm volatile("{{.reg .f32 z<4>; mov.f32 %0, 0f3f800000; mov.f32 %1, 0f40000000; mov.f32 %2, %0; mov.f32 %3, %1; wgmma.fence.sync.aligned;"
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {{%0,%1,%2,%3}}, %4, %4, 1, 1, 1, 0, 0; {0} wgmma.commit_group.sync.aligned; {1} wgmma.wait_group.sync.aligned 0; {2}}}"
    : "=&f"(a), "=&f"(b), "=&f"(c), "=&f"(e) : "l"(d));
  y[t] = a + 10 * b + 100 * c + 1000 * e; }}"""
AGAIN = "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {{{}}}, %4, %4, 1, 1, 1, 0, 0;"
TOUCHES: dict[str, tuple[str, str, str, Any]] = {
    "chained": (AGAIN.format("%0,%1,%2,%3"), "", "", None),
    "moved in between": ("mov.f32 z0, %0; mov.f32 z1, %1; mov.f32 z2, %2; mov.f32 z3, %3;" + AGAIN.format("z0,z1,z2,z3"), "", "mov.f32 %0, z0; mov.f32 %1, z1; mov.f32 %2, z2; mov.f32 %3, z3;", None),
    "moved, then read": ("mov.f32 z0, %0;", "add.f32 z1, z0, z0;", "", errors.RegisterInFlight),
    "read": ("", "add.f32 z0, %0, %0;", "", errors.RegisterInFlight),
    "read in time": ("", "", "add.f32 z0, %0, %0;", None),
    "written": ("", "mov.f32 %1, 0f00000000;", "", errors.RegisterInFlight),
    "read before the second": ("", "wgmma.wait_group.sync.aligned 0; add.f32 z0, %1, %1;" + AGAIN.format("%0,%1,%2,%3"), "", errors.MissingWgmmaFence),
    "written before the second": ("", "wgmma.wait_group.sync.aligned 0; mov.f32 %1, 0f40000000;" + AGAIN.format("%0,%1,%2,%3"), "", errors.MissingWgmmaFence),
    "written before the second, fence": ("", "wgmma.wait_group.sync.aligned 0; mov.f32 %1, 0f40000000; wgmma.fence.sync.aligned;" + AGAIN.format("%0,%1,%2,%3") + "wgmma.commit_group.sync.aligned;", "", None),
}  # fmt: skip


@pytest.mark.parametrize("name", TOUCHES)
def test_registers_in_flight(name: str):
    first, second, third, fault = TOUCHES[name]
    source = CHAIN.format(first, second, third)
    y = np.zeros(128, np.float32)
    with reported(fault):
        run_cuda(source, y, arch="sm_90a", block=128, allow_remarks=True)
    assert fault or (y == 2121).all()


def test_a_fence_before_the_first_wgmma():
    """Even where no thread has touched the accumulators."""
    source = CHAIN.format("", "", "").replace(
        "mov.f32 %0, 0f3f800000; mov.f32 %1, 0f40000000; mov.f32 %2, %0; mov.f32 %3, %1; ", ""
    )
    source = source.replace("%4, %4, 1, 1, 1, 0, 0;", "%4, %4, 0, 1, 1, 0, 0;")
    for fence, fault in (("wgmma.fence.sync.aligned;", None), ("", errors.MissingWgmmaFence)):
        y = np.ones(128, np.float32)
        text = source.replace("wgmma.fence.sync.aligned;", fence)
        with reported(fault):
            run_cuda(text, y, arch="sm_90a", block=128, allow_remarks=True)
        assert fault or (y == 0).all()
