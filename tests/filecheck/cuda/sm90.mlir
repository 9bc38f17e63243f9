// RUN: ptir-opt %s -t cuda --split-input-file | filecheck %s

// The ops of SM90, in a kernel that has them all: a persistent cluster of two, a ring of three slots, B sent to
// both blocks. Each role has its own names; values change places without copies; results leave through shared memory.

// CHECK: template <int COUNT> DEV void setmaxnreg_dec() { asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" :: "n"(COUNT)); }
// CHECK: asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.s32 %0, 1, 0, p;\n}" : "=r"(yes));
// CHECK: asm volatile("bar.sync %0, %1;" :: "r"(barrier), "r"(threads) : "memory");
// CHECK: DEV int cluster_rank() { int x; asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(x)); return x; }
// CHECK: asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
// CHECK: asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(barrier), "r"(arrivals) : "memory");
// CHECK: asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
// CHECK: asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(barrier), "r"(bytes) : "memory");
// CHECK: asm volatile("{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %0, %1;\n"
// CHECK-NEXT: "mbarrier.arrive.shared::cluster.b64 _, [remote];\n}" :: "r"(barrier), "r"(block) : "memory");
// CHECK: asm volatile("{\n.reg .pred done;\nWAIT:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra WAIT;\n}"
// CHECK: struct alignas(64) tensor_map { u64 opaque[16]; };
// CHECK: asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%4, %3}], [%2];"
// CHECK-NEXT: :: "r"(to), "l"(&map), "r"(barrier), "r"(i0), "r"(i1) : "memory");
// CHECK: asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%5, %4}], [%2], %3;"
// CHECK-NEXT: :: "r"(to), "l"(&map), "r"(barrier), "h"((u16)blocks), "r"(i0), "r"(i1) : "memory");
// CHECK: asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%3, %2}], [%1];"
// CHECK: asm volatile("cp.async.bulk.commit_group;" ::: "memory");
// CHECK: asm volatile("cp.async.bulk.wait_group.read %0;" :: "n"(PENDING) : "memory");
// CHECK: asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
// CHECK: return (u64)(SWIZZLE << 30 | PANEL / 2) << 32 | (1 << 16) + ring / 16 + chunk;
// CHECK: asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
// CHECK: asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
// CHECK: asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(PENDING) : "memory");
// CHECK: asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};"
// CHECK: asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(second), "f"(first));
// CHECK: // byte offset of an element of BYTES bytes in a tile at(64: j, 8: i^8j, 8: 8i)
// CHECK-NEXT: template <int BYTES> DEV u32 at_64_j_8_i_8j_8_8i(u32 row, u32 column) { return (column * BYTES ^ row % 8 * (8 * BYTES)) + row * (64 * BYTES); }
// CHECK: template <int A_ACROSS, int B_ACROSS> DEV void wgmma_m64n64k64_bf16(float (&d)[8][4], u64 a0, u64 b0, u64 a1, u64 b1, u64 a2, u64 b2, u64 a3, u64 b3, int add) {
// CHECK-NEXT: asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %40, 0;\nwgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
// CHECK-NEXT: "{%0, %1, %2, {{.*}} %30, %31}, %32, %33, p, 1, 1, %41, %42;\nwgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
// CHECK-NEXT: "{%0, %1, %2, {{.*}} %30, %31}, %34, %35, 1, 1, 1, %41, %42;\nwgmma{{.*}}
// CHECK-NEXT: %36, %37, 1, 1, 1, %41, %42;
// CHECK-NEXT: %38, %39, 1, 1, 1, %41, %42;\n}"
// CHECK-NEXT: : "+f"(d[0][0]), "+f"(d[0][1]),
// CHECK: : "l"(a0), "l"(b0), "l"(a1), "l"(b1), "l"(a2), "l"(b2), "l"(a3), "l"(b3), "r"(add), "n"(A_ACROSS), "n"(B_ACROSS));
// CHECK-LABEL: extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(384, 1) k(const __grid_constant__ tensor_map ta, const __grid_constant__ tensor_map tb, const __grid_constant__ tensor_map tc) {
// CHECK-NEXT: constexpr int BM = 128, BK = 64, STAGES = 3;
// CHECK-NEXT: extern __shared__ __align__(1024) u8 shared[];
// CHECK-NEXT: const int warp = __shfl_sync(0xffffffff, threadIdx.x / 32, 0);  // tells ptxas that the index is warp-uniform
// CHECK-NEXT: const int warpgroup = warp / 4;
// CHECK-NEXT: const int id = (int)blockIdx.x / 2;
// CHECK-NEXT: const int rank = cluster_rank();
// CHECK-NEXT: const u32 smem_a = shared_address(shared);  // STAGES stages of BM x BK bf16
// CHECK-NEXT: const u32 smem_b = shared_address(shared) + 49152;  // STAGES stages of 64 x 64 bf16
// CHECK-NEXT: const u32 out = shared_address(shared) + 73728;  // 2 slots of 64 x 64 bf16
// CHECK-NEXT: const u32 full = shared_address(shared) + 90112;  // STAGES mbarriers, one per stage
// CHECK-NEXT: const u32 empty = shared_address(shared) + 90136;  // STAGES mbarriers, one per stage
// CHECK-NEXT: if (threadIdx.x == 0) {
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int i = 0; i < STAGES; ++i) {
// CHECK-NEXT: mbarrier_init(full + i * 8, 1);
// CHECK-NEXT: }
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int i = 0; i < STAGES; ++i) {
// CHECK-NEXT: mbarrier_init(empty + i * 8, 4);
// CHECK-NEXT: }
// CHECK-NEXT: mbarrier_init_fence();
// CHECK-NEXT: prefetch_map(ta);
// CHECK-NEXT: }
// CHECK-NEXT: cluster_sync();
// CHECK-NEXT: // producer: warpgroup 0
// CHECK-NEXT: if (warpgroup == 0) {
// CHECK-NEXT: setmaxnreg_dec<40>();
// CHECK-NEXT: if (warp == 0 && elected()) {
// CHECK-NEXT: int slot_t = 0;
// CHECK-NEXT: int phase_t = 1;
// CHECK-NEXT: #pragma unroll 1
// CHECK-NEXT: for (int tile = id; tile < 8; tile += 2) {
// CHECK-NEXT: const int tm = tile / 4;
// CHECK-NEXT: const int tn = tile % 4;
// CHECK-NEXT: const int below = tm * 2;
// CHECK-NEXT: const int mine = below + rank;
// CHECK-NEXT: const int m = mine * 128;
// CHECK-NEXT: const int n = tn * 64;
// CHECK-NEXT: const int first = rank * 32;
// CHECK-NEXT: const int nn = n + first;
// CHECK-NEXT: int slot = slot_t;
// CHECK-NEXT: int phase = phase_t;
// CHECK-NEXT: #pragma unroll 1
// CHECK-NEXT: for (int k = 0; k < 3; ++k) {
// CHECK-NEXT: mbarrier_wait(empty + slot * 8, phase);  // stage slot is empty
// CHECK-NEXT: mbarrier_expect_tx(full + slot * 8, 24576);
// CHECK-NEXT: const int kk = k * 64;
// CHECK-NEXT: tma_load_2d(smem_a + slot * 16384, ta, m, kk, full + slot * 8);  // smem_a[slot] = 128 x 64 tile of ta
// CHECK-NEXT: tma_load_2d_multicast(smem_b + slot * 8192 + first * 128, tb, nn, kk, full + slot * 8, 3);  // smem_b[slot] = 32 x 64 tile of tb, multicast
// CHECK-NEXT: const int next = slot + 1;
// CHECK-NEXT: const bool wraps = next == 3;
// CHECK-NEXT: const int slot_n = wraps ? 0 : next;
// CHECK-NEXT: const int other = phase ^ 1;
// CHECK-NEXT: const int phase_n = wraps ? other : phase;
// CHECK-NEXT: slot = slot_n;
// CHECK-NEXT: phase = phase_n;
// CHECK-NEXT: }
// CHECK-NEXT: slot_t = slot;
// CHECK-NEXT: phase_t = phase;
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: // consumer: warpgroups 1 to 2
// CHECK-NEXT: if (warpgroup >= 1) {
// CHECK-NEXT: const int lane = (u32)opaque(threadIdx.x % 128) % 128;
// CHECK-NEXT: setmaxnreg_inc<232>();
// CHECK-NEXT: const int row1 = (warpgroup - 1) * 64;
// CHECK-NEXT: float acc[1][8][4];  // accumulator, 64 x 64 per warpgroup
// CHECK-NEXT: int slot_t = 0;
// CHECK-NEXT: int phase_t = 0;
// CHECK-NEXT: #pragma unroll 1
// CHECK-NEXT: for (int tile = id; tile < 8; tile += 2) {
// CHECK-NEXT: const int tm = tile / 4;
// CHECK-NEXT: const int tn = tile % 4;
// CHECK-NEXT: const int below = tm * 2;
// CHECK-NEXT: const int mine = below + rank;
// CHECK-NEXT: const int m = mine * 128;
// CHECK-NEXT: const int n = tn * 64;
// CHECK-NEXT: int slot = slot_t;
// CHECK-NEXT: int phase = phase_t;
// CHECK-NEXT: int done = 0;
// CHECK-NEXT: #pragma unroll 1
// CHECK-NEXT: for (int k = 0; k < 3; ++k) {
// CHECK-NEXT: const bool add = k != 0;
// CHECK-NEXT: mbarrier_wait(full + slot * 8, phase);  // stage slot is full
// CHECK-NEXT: wgmma_fence();
// CHECK-NEXT: wgmma_m64n64k64_bf16<0, 0>(acc[0],
// CHECK-NEXT: k_major<128>(smem_a, slot * 1024 + row1 * 8), k_major<128>(smem_b, slot * 512),
// CHECK-NEXT: k_major<128>(smem_a, slot * 1024 + row1 * 8 + 2), k_major<128>(smem_b, slot * 512 + 2),
// CHECK-NEXT: k_major<128>(smem_a, slot * 1024 + row1 * 8 + 4), k_major<128>(smem_b, slot * 512 + 4),
// CHECK-NEXT: k_major<128>(smem_a, slot * 1024 + row1 * 8 + 6), k_major<128>(smem_b, slot * 512 + 6),
// CHECK-NEXT: add);
// CHECK-NEXT: wgmma_commit();
// CHECK-NEXT: wgmma_wait<1>();
// CHECK-NEXT: if (add) {
// CHECK-NEXT: if ((int)threadIdx.x % 128 == 0) {
// CHECK-NEXT: mbarrier_arrive_at(empty + done * 8, 0);
// CHECK-NEXT: mbarrier_arrive_at(empty + done * 8, 1);
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: const int next = slot + 1;
// CHECK-NEXT: const bool wraps = next == 3;
// CHECK-NEXT: const int slot_n = wraps ? 0 : next;
// CHECK-NEXT: const int other = phase ^ 1;
// CHECK-NEXT: const int phase_n = wraps ? other : phase;
// CHECK-NEXT: phase = phase_n;
// CHECK-NEXT: done = slot;
// CHECK-NEXT: slot = slot_n;
// CHECK-NEXT: }
// CHECK-NEXT: wgmma_wait<0>();
// CHECK-NEXT: wgmma_landed(acc[0]);
// CHECK-NEXT: if ((int)threadIdx.x % 128 == 0) {
// CHECK-NEXT: mbarrier_arrive_at(empty + done * 8, 0);
// CHECK-NEXT: mbarrier_arrive_at(empty + done * 8, 1);
// CHECK-NEXT: }
// CHECK-NEXT: const int at = m + row1;
// CHECK-NEXT: u32 half[1][8][2];  // epilogue's result, 64 x 64 per warpgroup
// CHECK-NEXT: // epilogue of acc, 64 x 64 tile: 2 contiguous columns per lane
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int i = 0; i < 1; ++i) {
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int j = 0; j < 8; ++j) {
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int h = 0; h < 2; ++h) {
// CHECK-NEXT: float half_out[2];
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int v = 0; v < 2; ++v) {
// CHECK-NEXT: half_out[v] = acc[i][j][h * 2 + v];
// CHECK-NEXT: }
// CHECK-NEXT: half[i][j][h] = pack_bf16(half_out[0], half_out[1]);
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int i = 0; i < 1; ++i) {
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int j = 0; j < 4; ++j) {
// CHECK-NEXT: stmatrix_x4(out + (warpgroup - 1) * 8192 + at_64_j_8_i_8j_8_8i<2>(i * 64 + lane % 16 + lane / 32 * 16, j * 16 + lane / 16 % 2 * 8), half[i][j * 2][0], half[i][j * 2][1], half[i][j * 2 + 1][0], half[i][j * 2 + 1][1]);
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: fence_async();
// CHECK-NEXT: named_barrier(1 + (warpgroup - 1), 128);
// CHECK-NEXT: if (warp % 4 == 0 && elected()) {
// CHECK-NEXT: const int nn0 = n + 0;
// CHECK-NEXT: tma_store_2d(tc, at, nn0, out + (warpgroup - 1) * 8192);  // 64 x 64 tile of tc = out[(warpgroup - 1)]
// CHECK-NEXT: bulk_commit();
// CHECK-NEXT: bulk_wait_read<0>();
// CHECK-NEXT: }
// CHECK-NEXT: named_barrier(1 + (warpgroup - 1), 128);
// CHECK-NEXT: slot_t = slot;
// CHECK-NEXT: phase_t = phase;
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: cluster_sync();
// CHECK-NEXT: }

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<128x64xbf16, b128>, !nv.tensor_map<32x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%ta: !nv.tensor_map<128x64xbf16, b128>, %tb: !nv.tensor_map<32x64xbf16, b128>, %tc: !nv.tensor_map<64x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c48 = arith.constant 48 : index
    %c64 = arith.constant 64 : index
    %bm = arith.constant 128 : index
    %bn = arith.constant 64 : index
    %part = arith.constant 32 : index
    %steps = arith.constant 3 : index
    %stages = arith.constant 3 : index
    %cluster = arith.constant 2 : index
    %all = arith.constant 3 : index
    %columns = arith.constant 4 : index
    %tiles = arith.constant 8 : index
    %clusters = arith.constant 2 : index
    %block = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
    %id = arith.divui %block, %cluster : index
    %rank = nv.cluster.rank
    %smem_a = nv.smem at 0 : !nv.smem<3x128x64xbf16, b128>
    %smem_b = nv.smem at 49152 : !nv.smem<3x64x64xbf16, b128>
    %out = nv.smem at 73728 : !nv.smem<2x64x64xbf16, b128>
    %full = nv.mbarrier at 90112 : !nv.mbarrier<3>
    %empty = nv.mbarrier at 90136 : !nv.mbarrier<3>
    nv.single block {
      nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<3>
      nv.mbarrier.init %empty arrivals 4 : !nv.mbarrier<3>
      nv.mbarrier.init_fence
      nv.prefetch_map %ta : !nv.tensor_map<128x64xbf16, b128>
    }
    nv.cluster.sync
    nv.role producer threads 0 to 128 {
      nv.setmaxnreg 40
      nv.single role {
        %p0, %p1 = scf.for %tile = %id to %tiles step %clusters iter_args(%slot_t = %c0, %phase_t = %c1) -> (index, index) {
          %tm = arith.divui %tile, %columns : index
          %tn = arith.remui %tile, %columns : index
          %below = arith.muli %tm, %cluster : index
          %mine = arith.addi %below, %rank : index
          %m = arith.muli %mine, %bm : index
          %n = arith.muli %tn, %bn : index
          %first = arith.muli %rank, %part : index
          %nn = arith.addi %n, %first : index
          %q0, %q1 = scf.for %k = %c0 to %steps step %c1 iter_args(%slot = %slot_t, %phase = %phase_t) -> (index, index) {
            nv.mbarrier.wait %empty[%slot] parity %phase : !nv.mbarrier<3>
            nv.mbarrier.expect_tx %full[%slot] bytes 24576 : !nv.mbarrier<3>
            %kk = arith.muli %k, %c64 : index
            nv.tma_load %ta[%m, %kk] to %smem_a[%slot, %c0, %c0] signal %full[%slot] : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<3x128x64xbf16, b128>, !nv.mbarrier<3>
            nv.tma_load %tb[%nn, %kk] to %smem_b[%slot, %first, %c0] signal %full[%slot] multicast %all : !nv.tensor_map<32x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>, !nv.mbarrier<3>
            %next = arith.addi %slot, %c1 : index
            %wraps = arith.cmpi eq, %next, %stages : index
            %slot_n = arith.select %wraps, %c0, %next : index
            %other = arith.xori %phase, %c1 : index
            %phase_n = arith.select %wraps, %other, %phase : index
            scf.yield %slot_n, %phase_n : index, index
          }
          scf.yield %q0, %q1 : index, index
        }
      }
    }
    nv.role consumer threads 128 to 384 {
      nv.setmaxnreg 232
      %wg = nv.warpgroup
      %row = arith.muli %wg, %c64 : index
      %acc = nv.frag : !nv.frag<64x64xf32, C of m64k16>
      %p0_1, %p1_1 = scf.for %tile_1 = %id to %tiles step %clusters iter_args(%slot_t_1 = %c0, %phase_t_1 = %c0) -> (index, index) {
        %tm_1 = arith.divui %tile_1, %columns : index
        %tn_1 = arith.remui %tile_1, %columns : index
        %below_1 = arith.muli %tm_1, %cluster : index
        %mine_1 = arith.addi %below_1, %rank : index
        %m_1 = arith.muli %mine_1, %bm : index
        %n_1 = arith.muli %tn_1, %bn : index
        %q0_1, %q1_1, %last = scf.for %k_1 = %c0 to %steps step %c1 iter_args(%slot_1 = %slot_t_1, %phase_1 = %phase_t_1, %done = %c0) -> (index, index, index) {
          %add = arith.cmpi ne, %k_1, %c0 : index
          nv.mbarrier.wait %full[%slot_1] parity %phase_1 : !nv.mbarrier<3>
          nv.wgmma.fence
          nv.wgmma.mma %acc, %smem_a[%slot_1, %row, %c0] ND, %smem_b[%slot_1, %c0, %c0] DN if %add : !nv.frag<64x64xf32, C of m64k16>, !nv.smem<3x128x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>
          nv.wgmma.mma %acc, %smem_a[%slot_1, %row, %c16] ND, %smem_b[%slot_1, %c0, %c16] DN : !nv.frag<64x64xf32, C of m64k16>, !nv.smem<3x128x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>
          nv.wgmma.mma %acc, %smem_a[%slot_1, %row, %c32] ND, %smem_b[%slot_1, %c0, %c32] DN : !nv.frag<64x64xf32, C of m64k16>, !nv.smem<3x128x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>
          nv.wgmma.mma %acc, %smem_a[%slot_1, %row, %c48] ND, %smem_b[%slot_1, %c0, %c48] DN : !nv.frag<64x64xf32, C of m64k16>, !nv.smem<3x128x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>
          nv.wgmma.commit
          nv.wgmma.wait 1
          scf.if %add {
            nv.single warpgroup {
              nv.mbarrier.arrive %empty[%done] at %c0 : !nv.mbarrier<3>
              nv.mbarrier.arrive %empty[%done] at %c1 : !nv.mbarrier<3>
            }
          }
          %next_1 = arith.addi %slot_1, %c1 : index
          %wraps_1 = arith.cmpi eq, %next_1, %stages : index
          %slot_n_1 = arith.select %wraps_1, %c0, %next_1 : index
          %other_1 = arith.xori %phase_1, %c1 : index
          %phase_n_1 = arith.select %wraps_1, %other_1, %phase_1 : index
          scf.yield %slot_n_1, %phase_n_1, %slot_1 : index, index, index
        }
        nv.wgmma.wait 0
        nv.single warpgroup {
          nv.mbarrier.arrive %empty[%last] at %c0 : !nv.mbarrier<3>
          nv.mbarrier.arrive %empty[%last] at %c1 : !nv.mbarrier<3>
        }
        %at = arith.addi %m_1, %row : index
        %half = nv.epilogue %acc : !nv.frag<64x64xf32, C of m64k16>[%at, %n_1] in [512, 256] dims [0, 1] guard [] tile [64, 64] addresses [] widths [] -> !nv.frag<64x64xbf16, C of m64k16> {
        ^bb0(%x: f32):
          %h = arith.truncf %x : f32 to bf16
          nv.yield %h : bf16
        }
        nv.stmatrix %half column 0 ND to %out[%wg, %c0, %c0] : !nv.frag<64x64xbf16, C of m64k16>, !nv.smem<2x64x64xbf16, b128>
        nv.fence_async
        nv.barrier 1 threads 128
        nv.single warpgroup {
          %nn0 = arith.addi %n_1, %c0 : index
          nv.tma_store %out[%wg, %c0, %c0] to %tc[%at, %nn0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
          nv.bulk.commit
          nv.bulk.wait_read 0
        }
        nv.barrier 1 threads 128
        scf.yield %q0_1, %q1_1 : index, index
      }
    }
    nv.cluster.sync
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 384, 1, 1>, nv.cluster = array<i64: 2, 1, 1>, nv.plan = #plan.schedule<{arch = "sm90", tile = [128, 64, 64], stages = 3, warp_tile = "64x64", roles = "cooperative", cluster = [2, 1], vectorize = {axis = "n.i.i", width = 2}}>} : () -> ()
}) : () -> ()

// -----

// A with rows of k: panels of 64 bytes along m, two blocks of 64 rows; B with rows along k. Boxes of three axes.

// CHECK: return (u64)(SWIZZLE << 30 | PANEL / 2) << 32 | (ROWS * PANEL / 16 << 16) + ring / 16 + chunk;
// CHECK-LABEL: extern "C"
// CHECK: tma_load_3d(smem_a + slot * 8192, sa_map, slot, 0, 0, full + slot * 8);
// CHECK-NEXT: tma_load_3d(smem_a + slot * 8192 + 2048, sa_map, slot, 0, 32, full + slot * 8);
// CHECK-NEXT: tma_load_3d(smem_a + slot * 8192 + 4096, sa_map, slot, 0, 64, full + slot * 8);
// CHECK-NEXT: tma_load_3d(smem_a + slot * 8192 + 6144, sa_map, slot, 0, 96, full + slot * 8);
// CHECK-NEXT: tma_load_3d(smem_b + slot * 1536, sb_map, slot, 0, 0, full + slot * 8);
// CHECK: float acc[2][3][4];  // accumulator, 128 x 24 per warpgroup
// CHECK-NEXT: #pragma unroll 1
// CHECK-NEXT: for (int slot = 0; slot < 2; ++slot) {
// CHECK-NEXT: mbarrier_wait(full + slot * 8, 0);
// CHECK-NEXT: const bool later = slot != 0;
// CHECK-NEXT: wgmma_fence();
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int i = 0; i < 2; ++i) {
// CHECK-NEXT: wgmma_m64n24k16_bf16<1, 0>(acc[i], mn_major<64, 32>(smem_a, slot * 512 + row1 * 4 + i * 256), k_major<64>(smem_b, slot * 96), later);
// CHECK-NEXT: }
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int i = 0; i < 2; ++i) {
// CHECK-NEXT: wgmma_m64n24k16_bf16<1, 0>(acc[i], mn_major<64, 32>(smem_a, slot * 512 + 64 + row1 * 4 + i * 256), k_major<64>(smem_b, slot * 96 + 2), 1);
// CHECK-NEXT: }
// CHECK-NEXT: wgmma_commit();
// CHECK-NEXT: wgmma_wait<0>();
// CHECK-NEXT: wgmma_landed(acc[0]);
// CHECK-NEXT: wgmma_landed(acc[1]);
// CHECK-NEXT: }
// CHECK: const int tile_row = i * 64 + h * 8 + lane / 4 % 8 + lane / 32 * 16, tile_column = j * 8 + lane % 4 * 2;
// CHECK-NEXT: const int row2 = row1 + tile_row;
// CHECK-NEXT: const int column1 = tile_column;

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<1x32x32xbf16, b64>, !nv.tensor_map<1x24x32xbf16, b64>, memref<128x24xf32>) -> (), kernel}> ({
  ^bb0(%sa_map: !nv.tensor_map<1x32x32xbf16, b64>, %sb_map: !nv.tensor_map<1x24x32xbf16, b64>, %y: memref<128x24xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %smem_a = nv.smem at 0 : !nv.smem<2x32x128xbf16, b64>
    %smem_b = nv.smem at 16384 : !nv.smem<2x24x32xbf16, b64>
    %out = nv.smem at 20480 : !nv.smem<1x64x64xbf16, b128>
    %full = nv.mbarrier at 19456 : !nv.mbarrier<2>
    nv.single block {
      nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<2>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role producer threads 0 to 128 {
      nv.single role {
        scf.for %slot = %c0 to %c2 step %c1 {
          nv.mbarrier.expect_tx %full[%slot] bytes 9728 : !nv.mbarrier<2>
          %sa_at0_slot = arith.constant 0 : index
          nv.tma_load %sa_map[%slot, %c0, %sa_at0_slot] to %smem_a[%slot, %c0, %sa_at0_slot] signal %full[%slot] : !nv.tensor_map<1x32x32xbf16, b64>, !nv.smem<2x32x128xbf16, b64>, !nv.mbarrier<2>
          %sa_at32_slot = arith.constant 32 : index
          nv.tma_load %sa_map[%slot, %c0, %sa_at32_slot] to %smem_a[%slot, %c0, %sa_at32_slot] signal %full[%slot] : !nv.tensor_map<1x32x32xbf16, b64>, !nv.smem<2x32x128xbf16, b64>, !nv.mbarrier<2>
          %sa_at64_slot = arith.constant 64 : index
          nv.tma_load %sa_map[%slot, %c0, %sa_at64_slot] to %smem_a[%slot, %c0, %sa_at64_slot] signal %full[%slot] : !nv.tensor_map<1x32x32xbf16, b64>, !nv.smem<2x32x128xbf16, b64>, !nv.mbarrier<2>
          %sa_at96_slot = arith.constant 96 : index
          nv.tma_load %sa_map[%slot, %c0, %sa_at96_slot] to %smem_a[%slot, %c0, %sa_at96_slot] signal %full[%slot] : !nv.tensor_map<1x32x32xbf16, b64>, !nv.smem<2x32x128xbf16, b64>, !nv.mbarrier<2>
          %sb_at0_slot = arith.constant 0 : index
          nv.tma_load %sb_map[%slot, %c0, %sb_at0_slot] to %smem_b[%slot, %c0, %sb_at0_slot] signal %full[%slot] : !nv.tensor_map<1x24x32xbf16, b64>, !nv.smem<2x24x32xbf16, b64>, !nv.mbarrier<2>
        }
      }
    }
    nv.role consumer threads 128 to 256 {
      %wg = nv.warpgroup
      %m = arith.constant 128 : index
      %row = arith.muli %wg, %m : index
      %acc = nv.frag : !nv.frag<128x24xf32, C of m64k16>
      scf.for %slot_1 = %c0 to %c2 step %c1 {
        nv.mbarrier.wait %full[%slot_1] parity %c0 : !nv.mbarrier<2>
        %later = arith.cmpi ne, %slot_1, %c0 : index
        nv.wgmma.fence
        %k0_slot = arith.constant 0 : index
        nv.wgmma.mma %acc, %smem_a[%slot_1, %k0_slot, %row] DN, %smem_b[%slot_1, %c0, %k0_slot] DN if %later : !nv.frag<128x24xf32, C of m64k16>, !nv.smem<2x32x128xbf16, b64>, !nv.smem<2x24x32xbf16, b64>
        %k16_slot = arith.constant 16 : index
        nv.wgmma.mma %acc, %smem_a[%slot_1, %k16_slot, %row] DN, %smem_b[%slot_1, %c0, %k16_slot] DN : !nv.frag<128x24xf32, C of m64k16>, !nv.smem<2x32x128xbf16, b64>, !nv.smem<2x24x32xbf16, b64>
        nv.wgmma.commit
        nv.wgmma.wait 0
      }
      nv.epilogue %acc : !nv.frag<128x24xf32, C of m64k16>[%row, %c0] in [128, 24] dims [0, 1] guard [] tile [128, 24] outs(%y : memref<128x24xf32>) addresses [#poly.map<"{ [i0, i1] -> [(24i0 + i1)] }">] widths [2] {
      ^bb0(%x: f32):
        nv.yield %x : f32
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 256, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Kinds of fp8 that differ, panels one after the other, two warpgroups of rows.

// CHECK: "{%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, 1, 1;\nwgmma.mma_async.sync.aligned.m64n16k32.f32.e4m3.e5m2 "
// CHECK-LABEL: extern "C"
// CHECK: if (warpgroup >= 1) {
// CHECK: wgmma_m64n16k256_e4m3_e5m2(acc[0],
// CHECK-NEXT: k_major<128>(smem_a, slot * 2048 + row1 * 8), k_major<128>(smem_b, slot * 256),
// CHECK-NEXT: k_major<128>(smem_a, slot * 2048 + row1 * 8 + 2), k_major<128>(smem_b, slot * 256 + 2),
// CHECK-NEXT: k_major<128>(smem_a, slot * 2048 + row1 * 8 + 4), k_major<128>(smem_b, slot * 256 + 4),
// CHECK-NEXT: k_major<128>(smem_a, slot * 2048 + row1 * 8 + 6), k_major<128>(smem_b, slot * 256 + 6),
// CHECK-NEXT: k_major<128>(smem_a, slot * 2048 + row1 * 8 + 1024), k_major<128>(smem_b, slot * 256 + 128),
// CHECK-NEXT: k_major<128>(smem_a, slot * 2048 + row1 * 8 + 1026), k_major<128>(smem_b, slot * 256 + 130),
// CHECK-NEXT: k_major<128>(smem_a, slot * 2048 + row1 * 8 + 1028), k_major<128>(smem_b, slot * 256 + 132),
// CHECK-NEXT: k_major<128>(smem_a, slot * 2048 + row1 * 8 + 1030), k_major<128>(smem_b, slot * 256 + 134),
// CHECK-NEXT: later);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<1x128x128xf8E4M3FN, b128>, !nv.tensor_map<1x16x128xf8E5M2, b128>, memref<128x16xf32>) -> (), kernel}> ({
  ^bb0(%sa_map: !nv.tensor_map<1x128x128xf8E4M3FN, b128>, %sb_map: !nv.tensor_map<1x16x128xf8E5M2, b128>, %y: memref<128x16xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %smem_a = nv.smem at 0 : !nv.smem<2x128x256xf8E4M3FN, b128>
    %smem_b = nv.smem at 65536 : !nv.smem<2x16x256xf8E5M2, b128>
    %out = nv.smem at 74752 : !nv.smem<1x64x64xbf16, b128>
    %full = nv.mbarrier at 73728 : !nv.mbarrier<2>
    nv.single block {
      nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<2>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role producer threads 0 to 128 {
      nv.single role {
        scf.for %slot = %c0 to %c2 step %c1 {
          nv.mbarrier.expect_tx %full[%slot] bytes 36864 : !nv.mbarrier<2>
          %sa_at0_slot = arith.constant 0 : index
          nv.tma_load %sa_map[%slot, %c0, %sa_at0_slot] to %smem_a[%slot, %c0, %sa_at0_slot] signal %full[%slot] : !nv.tensor_map<1x128x128xf8E4M3FN, b128>, !nv.smem<2x128x256xf8E4M3FN, b128>, !nv.mbarrier<2>
          %sa_at128_slot = arith.constant 128 : index
          nv.tma_load %sa_map[%slot, %c0, %sa_at128_slot] to %smem_a[%slot, %c0, %sa_at128_slot] signal %full[%slot] : !nv.tensor_map<1x128x128xf8E4M3FN, b128>, !nv.smem<2x128x256xf8E4M3FN, b128>, !nv.mbarrier<2>
          %sb_at0_slot = arith.constant 0 : index
          nv.tma_load %sb_map[%slot, %c0, %sb_at0_slot] to %smem_b[%slot, %c0, %sb_at0_slot] signal %full[%slot] : !nv.tensor_map<1x16x128xf8E5M2, b128>, !nv.smem<2x16x256xf8E5M2, b128>, !nv.mbarrier<2>
          %sb_at128_slot = arith.constant 128 : index
          nv.tma_load %sb_map[%slot, %c0, %sb_at128_slot] to %smem_b[%slot, %c0, %sb_at128_slot] signal %full[%slot] : !nv.tensor_map<1x16x128xf8E5M2, b128>, !nv.smem<2x16x256xf8E5M2, b128>, !nv.mbarrier<2>
        }
      }
    }
    nv.role consumer threads 128 to 384 {
      %wg = nv.warpgroup
      %m = arith.constant 64 : index
      %row = arith.muli %wg, %m : index
      %acc = nv.frag : !nv.frag<64x16xf32, C of m64k32_f8>
      scf.for %slot_1 = %c0 to %c2 step %c1 {
        nv.mbarrier.wait %full[%slot_1] parity %c0 : !nv.mbarrier<2>
        %later = arith.cmpi ne, %slot_1, %c0 : index
        nv.wgmma.fence
        %k0_slot = arith.constant 0 : index
        nv.wgmma.mma %acc, %smem_a[%slot_1, %row, %k0_slot] ND, %smem_b[%slot_1, %c0, %k0_slot] DN if %later : !nv.frag<64x16xf32, C of m64k32_f8>, !nv.smem<2x128x256xf8E4M3FN, b128>, !nv.smem<2x16x256xf8E5M2, b128>
        %k32_slot = arith.constant 32 : index
        nv.wgmma.mma %acc, %smem_a[%slot_1, %row, %k32_slot] ND, %smem_b[%slot_1, %c0, %k32_slot] DN : !nv.frag<64x16xf32, C of m64k32_f8>, !nv.smem<2x128x256xf8E4M3FN, b128>, !nv.smem<2x16x256xf8E5M2, b128>
        %k64_slot = arith.constant 64 : index
        nv.wgmma.mma %acc, %smem_a[%slot_1, %row, %k64_slot] ND, %smem_b[%slot_1, %c0, %k64_slot] DN : !nv.frag<64x16xf32, C of m64k32_f8>, !nv.smem<2x128x256xf8E4M3FN, b128>, !nv.smem<2x16x256xf8E5M2, b128>
        %k96_slot = arith.constant 96 : index
        nv.wgmma.mma %acc, %smem_a[%slot_1, %row, %k96_slot] ND, %smem_b[%slot_1, %c0, %k96_slot] DN : !nv.frag<64x16xf32, C of m64k32_f8>, !nv.smem<2x128x256xf8E4M3FN, b128>, !nv.smem<2x16x256xf8E5M2, b128>
        %k128_slot = arith.constant 128 : index
        nv.wgmma.mma %acc, %smem_a[%slot_1, %row, %k128_slot] ND, %smem_b[%slot_1, %c0, %k128_slot] DN : !nv.frag<64x16xf32, C of m64k32_f8>, !nv.smem<2x128x256xf8E4M3FN, b128>, !nv.smem<2x16x256xf8E5M2, b128>
        %k160_slot = arith.constant 160 : index
        nv.wgmma.mma %acc, %smem_a[%slot_1, %row, %k160_slot] ND, %smem_b[%slot_1, %c0, %k160_slot] DN : !nv.frag<64x16xf32, C of m64k32_f8>, !nv.smem<2x128x256xf8E4M3FN, b128>, !nv.smem<2x16x256xf8E5M2, b128>
        %k192_slot = arith.constant 192 : index
        nv.wgmma.mma %acc, %smem_a[%slot_1, %row, %k192_slot] ND, %smem_b[%slot_1, %c0, %k192_slot] DN : !nv.frag<64x16xf32, C of m64k32_f8>, !nv.smem<2x128x256xf8E4M3FN, b128>, !nv.smem<2x16x256xf8E5M2, b128>
        %k224_slot = arith.constant 224 : index
        nv.wgmma.mma %acc, %smem_a[%slot_1, %row, %k224_slot] ND, %smem_b[%slot_1, %c0, %k224_slot] DN : !nv.frag<64x16xf32, C of m64k32_f8>, !nv.smem<2x128x256xf8E4M3FN, b128>, !nv.smem<2x16x256xf8E5M2, b128>
        nv.wgmma.commit
        nv.wgmma.wait 0
      }
      nv.epilogue %acc : !nv.frag<64x16xf32, C of m64k32_f8>[%row, %c0] in [128, 16] dims [0, 1] guard [] tile [64, 16] outs(%y : memref<128x16xf32>) addresses [#poly.map<"{ [i0, i1] -> [(16i0 + i1)] }">] widths [2] {
      ^bb0(%x: f32):
        nv.yield %x : f32
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// A in registers, by ldmatrix from a swizzled slot; the sums are overwritten by the first product.

// CHECK: template <int B_ACROSS> DEV void wgmma_m64n16k16_f16_frag(float (&d)[2][4], const u32 (&a)[4], u64 b, int add) {
// CHECK: "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8,%9,%10,%11}, %12, p, 1, 1, %14;\n}"
// CHECK: : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add), "n"(B_ACROSS));
// CHECK-LABEL: extern "C"
// CHECK: float acc[1][2][4];  // accumulator, 64 x 16 per warpgroup
// CHECK: ldmatrix_x4(a0[0][0], a0[0][1], a0[0][2], a0[0][3], smem_a + slot * 2048 + at_16_j_4_i_2_4i_8j_8_8i<2>(row1 + lane % 16 + lane / 32 * 16, lane / 16 % 2 * 8));
// CHECK: wgmma_m64n16k16_f16_frag<1>(acc[0], a0[0], mn_major<32, 16>(smem_b, slot * 32), later);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<1x64x16xf16, b32>, !nv.tensor_map<1x16x16xf16, b32>, memref<64x16xf32>) -> (), kernel}> ({
  ^bb0(%sa_map: !nv.tensor_map<1x64x16xf16, b32>, %sb_map: !nv.tensor_map<1x16x16xf16, b32>, %y: memref<64x16xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %smem_a = nv.smem at 0 : !nv.smem<2x64x16xf16, b32>
    %smem_b = nv.smem at 4096 : !nv.smem<2x16x16xf16, b32>
    %out = nv.smem at 6144 : !nv.smem<1x16x64xf16, b128>
    %full = nv.mbarrier at 5120 : !nv.mbarrier<2>
    nv.single block {
      nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<2>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role producer threads 0 to 128 {
      nv.single role {
        scf.for %slot = %c0 to %c2 step %c1 {
          nv.mbarrier.expect_tx %full[%slot] bytes 2560 : !nv.mbarrier<2>
          %sa_at0_slot = arith.constant 0 : index
          nv.tma_load %sa_map[%slot, %c0, %sa_at0_slot] to %smem_a[%slot, %c0, %sa_at0_slot] signal %full[%slot] : !nv.tensor_map<1x64x16xf16, b32>, !nv.smem<2x64x16xf16, b32>, !nv.mbarrier<2>
          %sb_at0_slot = arith.constant 0 : index
          nv.tma_load %sb_map[%slot, %c0, %sb_at0_slot] to %smem_b[%slot, %c0, %sb_at0_slot] signal %full[%slot] : !nv.tensor_map<1x16x16xf16, b32>, !nv.smem<2x16x16xf16, b32>, !nv.mbarrier<2>
        }
      }
    }
    nv.role consumer threads 128 to 256 {
      %wg = nv.warpgroup
      %m = arith.constant 64 : index
      %row = arith.muli %wg, %m : index
      %acc = nv.frag : !nv.frag<64x16xf32, C of m64k16>
      scf.for %slot_1 = %c0 to %c2 step %c1 {
        nv.mbarrier.wait %full[%slot_1] parity %c0 : !nv.mbarrier<2>
        %later = arith.cmpi ne, %slot_1, %c0 : index
        %k0 = arith.constant 0 : index
        %a0 = nv.frag : !nv.frag<64x16xf16, A of m64k16>
        nv.ldmatrix %smem_a[%slot_1, %row, %k0] ND to %a0 : !nv.smem<2x64x16xf16, b32>, !nv.frag<64x16xf16, A of m64k16>
        nv.wgmma.fence
        nv.wgmma.mma_frag %acc, %a0, %smem_b[%slot_1, %k0, %c0] ND if %later : !nv.frag<64x16xf32, C of m64k16>, !nv.frag<64x16xf16, A of m64k16>, !nv.smem<2x16x16xf16, b32>
        nv.wgmma.commit
        nv.wgmma.wait 0
      }
      nv.epilogue %acc : !nv.frag<64x16xf32, C of m64k16>[%row, %c0] in [64, 16] dims [0, 1] guard [] tile [64, 16] outs(%y : memref<64x16xf32>) addresses [#poly.map<"{ [i0, i1] -> [(16i0 + i1)] }">] widths [2] {
      ^bb0(%x: f32):
        nv.yield %x : f32
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 256, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Integers have neither signs nor transposition.

// CHECK: DEV void wgmma_m64n16k32_u8_s8_frag(int (&d)[2][4], const u32 (&a)[4], u64 b, int add) {
// CHECK-NEXT: asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %13, 0;\nwgmma.mma_async.sync.aligned.m64n16k32.s32.u8.s8 "
// CHECK-NEXT: "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8,%9,%10,%11}, %12, p;\n}"
// CHECK-LABEL: extern "C"
// CHECK: ld_shared_4(a0[i][3], smem_a + slot * 2048 + at_32_j_4_i_2_4i_16j_8_8i<1>(row1 + lane / 4 % 8 + lane / 32 * 16 + 8 + i * 64, lane % 4 * 4 + 16));
// CHECK: wgmma_m64n16k32_u8_s8_frag(acc[0], a0[0], k_major<32>(smem_b, slot * 32), later);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<1x64x32xui8, b32>, !nv.tensor_map<1x16x32xsi8, b32>, memref<64x16xi32>) -> (), kernel}> ({
  ^bb0(%sa_map: !nv.tensor_map<1x64x32xui8, b32>, %sb_map: !nv.tensor_map<1x16x32xsi8, b32>, %y: memref<64x16xi32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %smem_a = nv.smem at 0 : !nv.smem<2x64x32xui8, b32>
    %smem_b = nv.smem at 4096 : !nv.smem<2x16x32xsi8, b32>
    %out = nv.smem at 6144 : !nv.smem<1x64x64xbf16, b128>
    %full = nv.mbarrier at 5120 : !nv.mbarrier<2>
    nv.single block {
      nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<2>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role producer threads 0 to 128 {
      nv.single role {
        scf.for %slot = %c0 to %c2 step %c1 {
          nv.mbarrier.expect_tx %full[%slot] bytes 2560 : !nv.mbarrier<2>
          %sa_at0_slot = arith.constant 0 : index
          nv.tma_load %sa_map[%slot, %c0, %sa_at0_slot] to %smem_a[%slot, %c0, %sa_at0_slot] signal %full[%slot] : !nv.tensor_map<1x64x32xui8, b32>, !nv.smem<2x64x32xui8, b32>, !nv.mbarrier<2>
          %sb_at0_slot = arith.constant 0 : index
          nv.tma_load %sb_map[%slot, %c0, %sb_at0_slot] to %smem_b[%slot, %c0, %sb_at0_slot] signal %full[%slot] : !nv.tensor_map<1x16x32xsi8, b32>, !nv.smem<2x16x32xsi8, b32>, !nv.mbarrier<2>
        }
      }
    }
    nv.role consumer threads 128 to 256 {
      %wg = nv.warpgroup
      %m = arith.constant 64 : index
      %row = arith.muli %wg, %m : index
      %acc = nv.frag : !nv.frag<64x16xi32, C of m64k32_i8>
      scf.for %slot_1 = %c0 to %c2 step %c1 {
        nv.mbarrier.wait %full[%slot_1] parity %c0 : !nv.mbarrier<2>
        %later = arith.cmpi ne, %slot_1, %c0 : index
        %k0 = arith.constant 0 : index
        %a0 = nv.frag : !nv.frag<64x32xui8, A of m64k32_i8>
        nv.ld_shared %smem_a[%slot_1, %row, %k0] ND to %a0 : !nv.smem<2x64x32xui8, b32>, !nv.frag<64x32xui8, A of m64k32_i8>
        nv.wgmma.fence
        nv.wgmma.mma_frag %acc, %a0, %smem_b[%slot_1, %c0, %k0] DN if %later : !nv.frag<64x16xi32, C of m64k32_i8>, !nv.frag<64x32xui8, A of m64k32_i8>, !nv.smem<2x16x32xsi8, b32>
        nv.wgmma.commit
        nv.wgmma.wait 0
      }
      nv.epilogue %acc : !nv.frag<64x16xi32, C of m64k32_i8>[%row, %c0] in [64, 16] dims [0, 1] guard [] tile [64, 16] outs(%y : memref<64x16xi32>) addresses [#poly.map<"{ [i0, i1] -> [(16i0 + i1)] }">] widths [2] {
      ^bb0(%x: i32):
        nv.yield %x : i32
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 256, 1, 1>} : () -> ()
}) : () -> ()

// -----

// An epilogue of a result of 16 bits, of which a register holds two elements.

// CHECK-LABEL: extern "C"
// CHECK: u32 half[1][2][2];  // epilogue's result, 64 x 16 per warpgroup
// CHECK: const float f = to_float(bf16{(u16)(half[i][j][(h * 2 + v) / 2] >> (h * 2 + v) % 2 * 16)});

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<64x16xf32>) -> (), kernel}> ({
  ^bb0(%y: memref<64x16xf32>):
    %c0 = arith.constant 0 : index
    nv.role consumer threads 0 to 128 {
      %acc = nv.frag : !nv.frag<64x16xf32, C of m64k16>
      %half = nv.epilogue %acc : !nv.frag<64x16xf32, C of m64k16> [%c0, %c0] in [64, 16] dims [0, 1] guard [] tile [64, 16] addresses [] widths [] -> !nv.frag<64x16xbf16, C of m64k16> {
      ^bb0(%e: f32):
        %h = arith.truncf %e : f32 to bf16
        nv.yield %h : bf16
      }
      nv.epilogue %half : !nv.frag<64x16xbf16, C of m64k16> [%c0, %c0] in [64, 16] dims [0, 1] guard [] tile [64, 16] outs(%y : memref<64x16xf32>) addresses [#poly.map<"{ [i0, i1] -> [(16i0 + i1)] }">] widths [2] {
      ^bb0(%e: bf16):
        %f = arith.extf %e : bf16 to f32
        nv.yield %f : f32
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
}) : () -> ()
