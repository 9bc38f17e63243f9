// RUN: ptir-opt %s -p pto-to-nv -t cuda --split-input-file | filecheck %s

// Turns: counters are read and written by one thread between barriers, a lane's registers are 16 bytes of the workspace.

// CHECK: DEV void load_global_float(float (&x)[4], const float* from) {
// CHECK: DEV int load_acquire(const int* from) {
// CHECK: asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(x) : "l"(from) : "memory");
// CHECK: DEV void store_release(int* to, int x) {
// CHECK: asm volatile("st.release.gpu.global.s32 [%0], %1;" :: "l"(to), "r"(x) : "memory");
// CHECK: DEV void semaphore_acquire(const int* counter, int turn) {
// CHECK-NEXT: if (threadIdx.x == 0) while (load_acquire(counter) != turn) {}
// CHECK-NEXT: __syncthreads();
// CHECK: DEV void semaphore_release(int* counter, int turn) {
// CHECK-NEXT: __syncthreads();
// CHECK-NEXT: if (threadIdx.x == 0) store_release(counter, turn);
// CHECK: k(const bf16* __restrict__ x, const bf16* __restrict__ {{w.*}}, float* __restrict__ y, float* __restrict__ workspace, int* __restrict__ counters)
// CHECK: const int tile = ((int)blockIdx.y * 2) + (int)blockIdx.x;
// CHECK-NEXT: const bool follows = (int)blockIdx.z != 0;
// CHECK-NEXT: if (follows) {
// CHECK-NEXT: semaphore_acquire(counters + tile, (int)blockIdx.z);
// CHECK: float* const at{{.*}} = workspace + (long long)(tile) * 256 + ((i * 2 + j) * 32 + lane) * 4;
// CHECK-NEXT: float before[4];
// CHECK-NEXT: load_global_float(before, at{{.*}});
// CHECK: acc[i][j][e] = before[e] + acc[i][j][e];
// CHECK: store_global_float(at{{.*}}, acc[i][j]);
// CHECK: semaphore_release(counters + tile, next_part);
// CHECK: semaphore_release(counters + tile, 0);

pto.kernel @k(%x: memref<20x100xbf16> align 16, %w: memref<100x24xbf16> align 16) -> (%y: memref<20x24xf32> align 16 gmem, %workspace: memref<4x16x16xf32> align 16 workspace, %counters: memref<4xi32> align 16 counters) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", split = 3, algo_choice = {matmul = "splitk_serial"}, cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"]}> {
  pto.tiles (%m, %n) in [20, 24] step [16, 16] split %s of 3 {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %0 = arith.constant 0 : index
    %1 = arith.constant 48 : index
    %2 = arith.constant 16 : index
    %first = arith.muli %s, %1 : index
    pto.process {
      scf.for %k = %0 to %1 step %2 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %at = arith.addi %first, %k : index
        %3 = pto.tile.load.map %x[%m, %n, %at] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [20, 24, 100] dims [0, 2] : memref<20x100xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %4 = pto.tile.load.map %w[%m, %n, %at] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [20, 24, 100] dims [2, 1] : memref<100x24xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %3, %4 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %5 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %6 = scf.for %k_1 = %0 to %1 step %2 iter_args(%7 = %5) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %8, %9 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %10 = pto.tile.mov.m2l %8 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %11 = pto.tile.mov.m2r %9 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %12 = pto.tile.matmul.acc %7, %10, %11 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %12 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    pto.combine serial %6 across %s in %workspace counters %counters : tile<16x16xf32, #pto.tile_info<loc=Acc>>, memref<4x16x16xf32>, memref<4xi32> {
    ^bb0(%sum: !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>):
      %13 = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
      pto.tile.store.map %13, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [20, 24] dims [0, 1] : tile<16x16xf32>, memref<20x24xf32>
    }
  }
}
func.func @f(%x: memref<20x100xbf16>, %w: memref<100x24xbf16>, %y: memref<20x24xf32>) {
  %0 = memref.alloc() : memref<4x16x16xf32>
  %1 = region.zeros : memref<4xi32>
  region.launch @k ins(%x, %w : memref<20x100xbf16>, memref<100x24xbf16>) outs(%y, %0, %1 : memref<20x24xf32>, memref<4x16x16xf32>, memref<4xi32>)
  func.return
}

// -----

// Arrivals: the counter wraps to 0 by itself.

// CHECK: asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;" : "=r"(before) : "l"(counter), "r"(last) : "memory");
// CHECK: DEV bool arrive_last(int* counter, int parts) {
// CHECK-NEXT: __syncthreads();
// CHECK-NEXT: bool last = false;
// CHECK-NEXT: if (threadIdx.x == 0) last = count_in(counter, parts - 1) == parts - 1;
// CHECK-NEXT: return __syncthreads_or(last);
// CHECK: const int share = ((int)blockIdx.z * 4) + tile;
// CHECK: store_global_float(at{{.*}}, acc[i][j]);
// CHECK: const bool is_last = arrive_last(counters + tile, 3);
// CHECK-NEXT: if (is_last) {
// CHECK: load_global_float(acc[i][j], at{{.*}});
// CHECK: // add the other parts in ascending order
// CHECK: for (int added = 0; added < 2; ++added) {

pto.kernel @k(%x: memref<20x100xbf16> align 16, %w: memref<100x24xbf16> align 16) -> (%y: memref<20x24xf32> align 16 gmem, %workspace: memref<12x16x16xf32> align 16 workspace, %counters: memref<4xi32> align 16 counters) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", split = 3, algo_choice = {matmul = "splitk_parallel"}, cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"]}> {
  pto.tiles (%m, %n) in [20, 24] step [16, 16] split %s of 3 {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %0 = arith.constant 0 : index
    %1 = arith.constant 48 : index
    %2 = arith.constant 16 : index
    %first = arith.muli %s, %1 : index
    pto.process {
      scf.for %k = %0 to %1 step %2 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %at = arith.addi %first, %k : index
        %3 = pto.tile.load.map %x[%m, %n, %at] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [20, 24, 100] dims [0, 2] : memref<20x100xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %4 = pto.tile.load.map %w[%m, %n, %at] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [20, 24, 100] dims [2, 1] : memref<100x24xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %3, %4 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %5 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %6 = scf.for %k_1 = %0 to %1 step %2 iter_args(%7 = %5) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %8, %9 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %10 = pto.tile.mov.m2l %8 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %11 = pto.tile.mov.m2r %9 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %12 = pto.tile.matmul.acc %7, %10, %11 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %12 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    pto.combine parallel %6 across %s in %workspace counters %counters : tile<16x16xf32, #pto.tile_info<loc=Acc>>, memref<12x16x16xf32>, memref<4xi32> {
    ^bb0(%sum: !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>):
      %13 = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
      pto.tile.store.map %13, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [20, 24] dims [0, 1] : tile<16x16xf32>, memref<20x24xf32>
    }
  }
}
func.func @f(%x: memref<20x100xbf16>, %w: memref<100x24xbf16>, %y: memref<20x24xf32>) {
  %0 = memref.alloc() : memref<12x16x16xf32>
  %1 = region.zeros : memref<4xi32>
  region.launch @k ins(%x, %w : memref<20x100xbf16>, memref<100x24xbf16>) outs(%y, %0, %1 : memref<20x24xf32>, memref<12x16x16xf32>, memref<4xi32>)
  func.return
}

// -----

// Four warps have four shares of a slot; f64 comes in pairs; the one tile is slot 0.

// CHECK-LABEL: void __launch_bounds__(128, 1) k(
// CHECK: double* const at = ws + (((int)threadIdx.x / 32 * 4 + i * 2 + j) * 32 + lane) * 2;
// CHECK-NEXT: store_global_double(at, acc[i][j]);
// CHECK: int* const at1 = words1 + (long long)((int)blockIdx.x) * 1024 + (((int)threadIdx.x / 32 * 2 + i * 2 + j) * 32 + lane) * 4;
// CHECK-NEXT: load_global_int(sums[i][j], at1);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<1x32x32xf64>, memref<7x32x32xi32>) -> (), kernel}> ({
  ^bb0(%ws: memref<1x32x32xf64>, %words: memref<7x32x32xi32>):
    %c0 = arith.constant 0 : index
    %b = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
    %acc = nv.frag : !nv.frag<16x16xf64, C of m8n8k4>
    nv.frag_store %acc to %ws[%c0] : !nv.frag<16x16xf64, C of m8n8k4>, memref<1x32x32xf64>
    %sums = nv.frag : !nv.frag<16x16xi32, C of m16n8k32>
    nv.frag_load %words[%b] to %sums : memref<7x32x32xi32>, !nv.frag<16x16xi32, C of m16n8k32>
    nv.frag_store %sums to %words[%b] : !nv.frag<16x16xi32, C of m16n8k32>, memref<7x32x32xi32>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
}) : () -> ()
