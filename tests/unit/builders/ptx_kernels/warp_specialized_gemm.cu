// C[m][n] = sum_k A[m][k] B[n][k], bf16 × bf16 → f32, any M; N a multiple of 4, K of 8 (rows of whole 16 bytes).
//
// One producer warpgroup (its elected thread feeds a ring of STAGES stages by TMA) and two consumer warpgroups of
// 64 rows each. Persistent: a CTA takes every gridDim.x-th tile. The epilogue leaves through shared memory and TMA.
// `sm90.cuh` stands before this text.

constexpr int TILE_M = 128, TILE_N = 64, TILE_K = 64, STAGES = 3, CONSUMERS = 2;
constexpr u32 A_BYTES = TILE_M * TILE_K * 2, B_BYTES = TILE_N * TILE_K * 2, STAGE_BYTES = A_BYTES + B_BYTES;
constexpr u32 OUT_BYTES = 64 * TILE_N * 4;
constexpr u32 OUT = STAGES * STAGE_BYTES, FULL = OUT + CONSUMERS * OUT_BYTES, EMPTY = FULL + 8 * STAGES;

DEVICE void arrive(u32 bar) { asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory"); }
DEVICE void wait(u32 bar, u32 parity) {
    asm volatile("{\n.reg .pred p;\nAGAIN_%=:\nmbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra AGAIN_%=;\n}" ::"r"(bar), "r"(parity) : "memory");
}
DEVICE void wait_store() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
DEVICE void meet(int bar) { asm volatile("bar.sync %0, 128;" ::"r"(bar) : "memory"); }
DEVICE void store_pair(u32 to, float x, float y) { asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(to), "f"(x), "f"(y) : "memory"); }
DEVICE void multiply(float (&d)[32], u64 a, u64 b, int keep) {
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
        "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, p, 1, 1, 0, 0;\n}\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
          "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
          "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
          "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
        : "l"(a), "l"(b), "r"(keep));
}

extern "C" __global__ void __launch_bounds__(128 * (1 + CONSUMERS), 1)
gemm(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B, const __grid_constant__ TensorMap C,
     int M, int N, int K) {
    extern __shared__ __align__(1024) unsigned char shared[];
    const u32 base = (u32)__cvta_generic_to_shared(shared);
    const int group = threadIdx.x / 128, steps = (K + TILE_K - 1) / TILE_K;
    const int columns = (N + TILE_N - 1) / TILE_N, tiles = (M + TILE_M - 1) / TILE_M * columns;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(base + FULL + 8 * s, 1);
            barrier_init(base + EMPTY + 8 * s, CONSUMERS);
        }
        fence_barriers();
    }
    __syncthreads();
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x / 32 == 0 && elected()) {
            int turn = 0;
            for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x)
                for (int k = 0; k < steps; k++, turn++) {
                    const int stage = turn % STAGES;
                    const u32 a = base + stage * STAGE_BYTES, full = base + FULL + 8 * stage;
                    wait(base + EMPTY + 8 * stage, turn / STAGES % 2 ^ 1);
                    expect_bytes(full, STAGE_BYTES);
                    load_box(a, &A, full, k * TILE_K, tile / columns * TILE_M);
                    load_box(a + A_BYTES, &B, full, k * TILE_K, tile % columns * TILE_N);
                }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        const int thread = threadIdx.x % 128, lane = thread % 32, row = thread / 32 * 16 + lane / 4;
        const u32 out = base + OUT + (group - 1) * OUT_BYTES;
        int turn = 0;
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            float d[32];
            #pragma unroll
            for (int i = 0; i < 32; i++) d[i] = 0;
            for (int k = 0; k < steps; k++, turn++) {
                const int stage = turn % STAGES;
                const u32 a = base + stage * STAGE_BYTES + (group - 1) * 64 * TILE_K * 2;
                const u32 b = base + stage * STAGE_BYTES + A_BYTES;
                wait(base + FULL + 8 * stage, turn / STAGES % 2);
                wgmma_fence();
                #pragma unroll
                for (int kk = 0; kk < TILE_K / 16; kk++) multiply(d, descriptor(a) + 2 * kk, descriptor(b) + 2 * kk, k + kk > 0);
                wgmma_commit();
                wgmma_wait<1>();  // the step before is done: its stage is free
                if (k > 0 && thread == 0) arrive(base + EMPTY + 8 * ((turn + STAGES - 1) % STAGES));
            }
            wgmma_wait<0>();
            if (thread == 0) {
                arrive(base + EMPTY + 8 * ((turn + STAGES - 1) % STAGES));
                wait_store_read();
            }
            meet(group);  // the tile before has left the staging buffer
            #pragma unroll
            for (int i = 0; i < 8; i++) {
                const u32 to = out + (row * TILE_N + i * 8 + lane % 4 * 2) * 4;
                store_pair(to, d[4 * i], d[4 * i + 1]);
                store_pair(to + 8 * TILE_N * 4, d[4 * i + 2], d[4 * i + 3]);
            }
            fence_async();
            meet(group);
            if (thread == 0) {
                store_box(&C, out, tile % columns * TILE_N, tile / columns * TILE_M + (group - 1) * 64);
                commit_store();
            }
        }
        if (thread == 0) wait_store();
    }
}
