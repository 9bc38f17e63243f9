"""A tensor-core GEMM in the emulator: the correct kernel has right results, and each seeded bug is detected."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from ptir.emulator import Memory
from ptir.emulator.errors import GlobalRace, Misaligned, OutOfBounds, PendingCopy, SharedRace, UninitializedMemory
from tests.unit.builders.ptx_kernels.launch import run_cuda

SOURCE = r"""
using u16 = unsigned short;
using u32 = unsigned int;
constexpr int TILE_M = 64, TILE_N = 64, TILE_K = 32, STAGES = 3, THREADS = 128;
constexpr int ROW_BYTES = TILE_K * 2, CHUNKS = ROW_BYTES / 16;
constexpr int STAGE_BYTES = (TILE_M + TILE_N) * ROW_BYTES;

// 64-byte rows: two rows fill the 32 banks, so the chunk is XORed with row / 2.
__device__ __forceinline__ u32 place(int row, int chunk) {
    return row * ROW_BYTES + ((chunk ^ ((row >> 1) & 3)) << 4);
}
__device__ __forceinline__ void copy16(u32 to, const void* from, int valid) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(valid) : "memory");
}
__device__ __forceinline__ void load_matrices(u32 (&f)[4], u32 from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3]) : "r"(from) : "memory");
}
__device__ __forceinline__ void multiply(float (&d)[4], const u32 (&a)[4], u32 b0, u32 b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// C[m][n] = sum_k A[m][k] B[n][k]; k a multiple of TILE_K, m and n any.
extern "C" __global__ void __launch_bounds__(THREADS)
gemm(const u16* A, const u16* B, float* C, int M, int N, int K) {
    extern __shared__ __align__(128) unsigned char ring[];
    const u32 base = (u32)__cvta_generic_to_shared(ring);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int warp_m = warp / 2 * 32, warp_n = warp % 2 * 32;
    const int m0 = blockIdx.y * TILE_M, n0 = blockIdx.x * TILE_N, steps = K / TILE_K;

    auto load = [&](int step) {
        const u32 stage = base + step % STAGES * STAGE_BYTES;
        for (int i = threadIdx.x; i < TILE_M * CHUNKS; i += THREADS) {
            const int row = i / CHUNKS, chunk = i % CHUNKS;
            copy16(stage + place(row, chunk), A + (long long)(m0 + row) * K + step * TILE_K + chunk * 8,
                   m0 + row < M ? 16 : 0);
            copy16(stage + TILE_M * ROW_BYTES + place(row, chunk),
                   B + (long long)(n0 + row) * K + step * TILE_K + chunk * 8, n0 + row < N ? 16 : 0);
        }
    };
    float acc[2][4][4] = {};
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < steps) load(s);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    for (int step = 0; step < steps; step++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        if (step + STAGES - 1 < steps) load(step + STAGES - 1);
        asm volatile("cp.async.commit_group;" ::: "memory");
        const u32 stage = base + step % STAGES * STAGE_BYTES;
        #pragma unroll
        for (int k = 0; k < TILE_K / 16; k++) {
            u32 a[2][4], b[2][4];
            #pragma unroll
            for (int i = 0; i < 2; i++)
                load_matrices(a[i], stage + place(warp_m + i * 16 + lane % 16, k * 2 + lane / 16));
            #pragma unroll
            for (int j = 0; j < 2; j++)
                load_matrices(b[j], stage + TILE_M * ROW_BYTES +
                                        place(warp_n + j * 16 + lane % 8 + lane / 16 * 8, k * 2 + lane / 8 % 2));
            #pragma unroll
            for (int i = 0; i < 2; i++)
                #pragma unroll
                for (int j = 0; j < 4; j++) multiply(acc[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
        }
    }
    #pragma unroll
    for (int i = 0; i < 2; i++)
        #pragma unroll
        for (int j = 0; j < 4; j++)
            #pragma unroll
            for (int half = 0; half < 2; half++) {
                const int row = m0 + warp_m + i * 16 + lane / 4 + half * 8, column = n0 + warp_n + j * 8 + lane % 4 * 2;
                if (row < M && column < N)
                    *(float2*)&C[(long long)row * N + column] = make_float2(acc[i][j][half * 2], acc[i][j][half * 2 + 1]);
            }
}
"""
SHARED = 3 * 128 * 64


def integers(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Returns integers in bf16 that are small enough for exact sums."""
    return rng.integers(-8, 9, shape).astype(ml_dtypes.bfloat16)


def run(source: str, m: int, n: int, k: int):
    rng = np.random.default_rng(m + n + k)
    a, b = integers(rng, m, k), integers(rng, n, k)
    c = np.full((m, n), np.nan, np.float32)
    memory = Memory()
    args = [memory.bind(a, readonly=True), memory.bind(b, readonly=True), memory.bind(c, initialized=False), m, n, k]
    grid = (-(-n // 64), -(-m // 64))
    report = run_cuda(source, *args, kernel="gemm", grid=grid, block=128, dynamic_shared=SHARED, memory=memory)
    return c, a.astype(np.float64) @ b.astype(np.float64).T, report


@pytest.mark.parametrize("shape", [(64, 64, 32), (128, 192, 160), (65, 130, 96), (1, 2, 64), (63, 66, 224)])
def test_exact(shape: tuple[int, int, int]):
    got, want, report = run(SOURCE, *shape)
    assert np.array_equal(got, want)
    assert report.bank_conflicts == 0
    assert report.lane_instructions > report.steps > 0


def test_batches_of_ctas_give_the_same(monkeypatch: pytest.MonkeyPatch):
    import importlib

    module = importlib.import_module("ptir.emulator.engine.launch")
    whole, want, report = run(SOURCE, 128, 128, 64)
    monkeypatch.setattr(module, "MAX_LANES", 128)
    split, _, report2 = run(SOURCE, 128, 128, 64)
    assert np.array_equal(whole, want) and np.array_equal(split, want)
    assert report2.lane_instructions == report.lane_instructions and report2.steps > report.steps


def replaced(old: str, new: str) -> str:
    assert old in SOURCE
    return SOURCE.replace(old, new)


WRONG = {
    "no swizzle on reads of A": ("+ place(warp_m + i * 16 + lane % 16, k * 2 + lane / 16)",
                                 "+ (warp_m + i * 16 + lane % 16) * ROW_BYTES + (k * 2 + lane / 16) * 16"),
    "B fragments swapped": ("b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]", "b[j / 2][j % 2 * 2 + 1], b[j / 2][j % 2 * 2]"),
    "B lane map": ("lane % 8 + lane / 16 * 8", "lane % 8 + lane / 8 % 2 * 8"),
    "A rows by 8": ("lane % 16, k * 2 + lane / 16)", "lane % 8 + lane / 16 * 8, k * 2 + lane / 8 % 2)"),
    "stage of the last step": ("base + step % STAGES * STAGE_BYTES;\n        #pragma",
                               "base + (step + 1) % STAGES * STAGE_BYTES;\n        #pragma"),
}  # fmt: skip


@pytest.mark.parametrize("bug", WRONG)
def test_seeded_bug_gives_wrong_numbers_or_a_fault(bug: str):
    try:
        got, want, _ = run(replaced(*WRONG[bug]), 128, 128, 160)
    except (PendingCopy, SharedRace):
        return
    assert not np.array_equal(got, want)


FAULTS = {
    "wait one group short": ('"n"(STAGES - 2)', '"n"(STAGES - 1)', PendingCopy),
    "no wait": ('asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");', "", (PendingCopy, UninitializedMemory)),
    "no barrier": ("__syncthreads();", "", (SharedRace, PendingCopy, UninitializedMemory)),
    "barrier of a warp only": ("__syncthreads();", "__syncwarp();", (SharedRace, PendingCopy, UninitializedMemory)),
    "copies before the barrier": (
        "        __syncthreads();\n        if (step + STAGES - 1 < steps) load(step + STAGES - 1);",
        "        if (step + STAGES - 1 < steps) load(step + STAGES - 1);\n        __syncthreads();",
        SharedRace,
    ),
    "no guard on A's rows": ("m0 + row < M ? 16 : 0", "16", OutOfBounds),
    "no guard on stores": ("row < M && column < N", "column < N", OutOfBounds),
    "C rows by 4": ("lane / 4 + half * 8", "lane / 4 + half * 4", OutOfBounds),
    "ring too long": ("STAGES = 3", "STAGES = 4", OutOfBounds),
    "misplaced chunk": ("(chunk ^ ((row >> 1) & 3)) << 4", "(chunk ^ ((row >> 1) & 3)) << 3", (Misaligned, SharedRace, PendingCopy)),
}  # fmt: skip


@pytest.mark.parametrize("bug", FAULTS)
def test_seeded_bug_is_a_fault(bug: str):
    old, new, fault = FAULTS[bug]
    if bug == "C rows by 4":  # lanes of a warp store to the same place
        fault = GlobalRace
    with pytest.raises(fault) as caught:
        run(replaced(old, new), 65, 128, 160)
    message = caught.value.message
    assert "kernel gemm" in message and "ctaid" in message and "tid (" in message and "CUDA line" in message


def test_unswizzled_tiles_are_right_but_conflict():
    plain = replaced("(chunk ^ ((row >> 1) & 3)) << 4", "chunk << 4")
    got, want, report = run(plain, 64, 64, 64)
    assert np.array_equal(got, want)
    assert report.by_opcode["ldmatrix.sync.aligned.m8n8.x4.shared.b16"].conflicts > 0
