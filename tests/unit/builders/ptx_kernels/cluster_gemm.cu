// C[m][n] = sum_k A[m][k] B[n][k], bf16 × bf16 → bf16, any M; N and K multiples of 8 (rows of whole 16 bytes).
//
// Clusters of two CTAs, one above the other: each loads its 128 rows of A and half of the 128 rows of B, which it
// sends to both. A stage is free when the consumers of both CTAs have let go of it: they arrive in both. The
// result leaves through stmatrix into a swizzled staging buffer and from there by TMA.
// `sm90.cuh` stands before this text.

constexpr int TILE_M = 128, TILE_N = 128, TILE_K = 64, STAGES = 3, CONSUMERS = 2, CLUSTER = 2;
constexpr u32 A_BYTES = TILE_M * TILE_K * 2, B_BYTES = TILE_N * TILE_K * 2, STAGE_BYTES = A_BYTES + B_BYTES;
constexpr u32 PART = B_BYTES / CLUSTER, PANEL = 64 * 128, OUT_BYTES = TILE_N / 64 * PANEL;
constexpr u32 OUT = STAGES * STAGE_BYTES, FULL = OUT + CONSUMERS * OUT_BYTES, EMPTY = FULL + 8 * STAGES;

DEVICE void wait(u32 bar, u32 parity) {
    asm volatile("{\n.reg .pred p;\nAGAIN_%=:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra AGAIN_%=;\n}" ::"r"(bar), "r"(parity) : "memory");
}
DEVICE u32 there(u32 at, u32 rank) { u32 to; asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(at), "r"(rank)); return to; }
DEVICE void arrive_in(u32 bar, u32 rank) { asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there(bar, rank)) : "memory"); }
DEVICE u32 rank() { u32 r; asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); return r; }
DEVICE void cluster_begins() { asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory"); }
DEVICE void cluster_ends() { asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory"); }
DEVICE void send_box(u32 to, const TensorMap* map, u32 bar, int x, int y, unsigned short mask, u64 policy) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint "
                 "[%0], [%1, {%3, %4}], [%2], %5, %6;"
                 ::"r"(to), "l"((u64)map), "r"(bar), "r"(x), "r"(y), "h"(mask), "l"(policy) : "memory");
}
DEVICE u64 keep_in_cache() { u64 policy; asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy)); return policy; }
DEVICE void prefetch(const TensorMap* map) { asm volatile("prefetch.tensormap [%0];" ::"l"((u64)map) : "memory"); }
DEVICE void meet(int bar) { asm volatile("barrier.sync.aligned %0, 128;" ::"r"(bar) : "memory"); }
DEVICE u32 pair(float low, float high) { u32 r; asm volatile("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low)); return r; }
DEVICE void store_matrices(u32 to, u32 a, u32 b, u32 c, u32 d) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
}
DEVICE void multiply(float (&d)[64], u64 a, u64 b, int keep) {
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
        "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,"
        "%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, %64, %65, p, 1, 1, 0, 0;\n}\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
          "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
          "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
          "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]),
          "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]),
          "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
          "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
          "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
        : "l"(a), "l"(b), "r"(keep));
}

extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(128 * (1 + CONSUMERS), 1)
gemm(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B, const __grid_constant__ TensorMap C,
     int M, int N, int K) {
    extern __shared__ __align__(1024) unsigned char shared[];
    const u32 base = (u32)__cvta_generic_to_shared(shared), me = rank();
    const int group = threadIdx.x / 128, steps = (K + TILE_K - 1) / TILE_K;
    const int columns = (N + TILE_N - 1) / TILE_N, tiles = (M + CLUSTER * TILE_M - 1) / (CLUSTER * TILE_M) * columns;
    const int cluster = blockIdx.x / CLUSTER, clusters = gridDim.x / CLUSTER;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(base + FULL + 8 * s, 1);
            barrier_init(base + EMPTY + 8 * s, CLUSTER * CONSUMERS);
        }
        fence_barriers();
        prefetch(&A);
    }
    __syncwarp();
    cluster_begins();
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x / 32 == 0 && elected()) {
            const u64 policy = keep_in_cache();
            int turn = 0;
            for (int tile = cluster; tile < tiles; tile += clusters) {
                const int row = (tile / columns * CLUSTER + me) * TILE_M, column = tile % columns * TILE_N;
                for (int k = 0; k < steps; k++, turn++) {
                    const int stage = turn % STAGES;
                    const u32 a = base + stage * STAGE_BYTES, b = a + A_BYTES, full = base + FULL + 8 * stage;
                    wait(base + EMPTY + 8 * stage, turn / STAGES % 2 ^ 1);
                    expect_bytes(full, STAGE_BYTES);
                    load_box(a, &A, full, k * TILE_K, row);
                    send_box(b + me * PART, &B, full, k * TILE_K, column + me * (TILE_N / CLUSTER), 3, policy);
                }
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        const int thread = threadIdx.x % 128, lane = thread % 32, row = thread / 32 * 16 + lane % 16;
        const u32 out = base + OUT + (group - 1) * OUT_BYTES;
        int turn = 0;
        for (int tile = cluster; tile < tiles; tile += clusters) {
            float d[64];
            for (int k = 0; k < steps; k++, turn++) {
                const int stage = turn % STAGES, before = (turn + STAGES - 1) % STAGES;
                const u32 a = base + stage * STAGE_BYTES + (group - 1) * 64 * TILE_K * 2;
                const u32 b = base + stage * STAGE_BYTES + A_BYTES;
                wait(base + FULL + 8 * stage, turn / STAGES % 2);
                wgmma_fence();
                #pragma unroll
                for (int kk = 0; kk < TILE_K / 16; kk++) multiply(d, descriptor(a) + 2 * kk, descriptor(b) + 2 * kk, k + kk > 0);
                wgmma_commit();
                wgmma_wait<1>();  // the step before is done: its stage is free
                if (k > 0 && thread < CLUSTER) arrive_in(base + EMPTY + 8 * before, thread);
            }
            wgmma_wait<0>();
            if (thread < CLUSTER) arrive_in(base + EMPTY + 8 * ((turn + STAGES - 1) % STAGES), thread);
            if (thread == 0) wait_store_read();
            meet(group);  // the tile before has left the staging buffer
            #pragma unroll
            for (int j = 0; j < TILE_N / 16; j++) {
                const int chunk = 2 * j + lane / 16;
                const u32 to = out + chunk / 8 * PANEL + row * 128 + ((chunk ^ row) % 8) * 16;
                store_matrices(to, pair(d[8 * j], d[8 * j + 1]), pair(d[8 * j + 2], d[8 * j + 3]),
                               pair(d[8 * j + 4], d[8 * j + 5]), pair(d[8 * j + 6], d[8 * j + 7]));
            }
            fence_async();
            meet(group);
            if (thread == 0) {
                const int y = (tile / columns * CLUSTER + me) * TILE_M + (group - 1) * 64;
                store_box(&C, out, tile % columns * TILE_N, y);
                store_box(&C, out + PANEL, tile % columns * TILE_N + 64, y);
                commit_store();
            }
        }
        if (thread == 0) wait_store_read();
    }
    __syncwarp();
    cluster_ends();
}
