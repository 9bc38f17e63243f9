// RUN: ptir-opt %s -p pto-to-nv -t cuda | filecheck %s

// Columns: a lane's accumulators; lanes share the columns and trade halves; warps exchange through shared memory.

// CHECK-LABEL: __global__
// CHECK: float t[4];
// CHECK: for (int r = 0; r < 24; r += 8) {
// CHECK: const int tile_row = warp * 4 + lane / 8, tile_column = lane % 8 * 4;
// CHECK: *(vec<float, 4>*)(x_in + 0) = *(const vec<float, 4>*)(x + (column1 + 64 * row1));
// CHECK: const float t1 = t[v] + x_in[v];
// CHECK: for (int e = 0; e < 4; ++e) {
// CHECK-NEXT: t[e] = b[e];
// CHECK: float s1[4];  // of each column of t, 1 x 32 per block
// CHECK: s1[v] = t[v];
// CHECK: trade(s1[v], s1[v + 2], 16);
// CHECK-NEXT: const float t2 = s1[v] + s1[v + 2];
// CHECK: trade(s1[v], s1[v + 1], 8);
// CHECK: float* scratch = (float*)(shared + 0) + lane;
// CHECK: scratch[warp * 32 + v * 32] = s1[v];
// CHECK: __syncthreads();
// CHECK: s1[v] = scratch[v * 32];
// CHECK: const float t4 = s1[v] + scratch[e * 32 + v * 32];
// CHECK: for (int v = 3; v >= 0; --v) {
// CHECK-NEXT: s1[v] = __shfl_sync(0xffffffff, s1[0], lane % 8 + v * 8);
// CHECK: if (lane / 8 == 0 && warp == 0) {
// CHECK: y_out[v] =
// CHECK: *(vec<float, 4>*)(y + (column2)) = *(vec<float, 4>*)(y_out + 0);
pto.kernel @k(%x: memref<24x64xf32> align 16) -> (%y: memref<64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [8, 32], warp_tile = "4x32", vectorize = {axis = "n.i.i", width = 4}, algo_choice = {reduce = "columns"}}> {
  pto.tiles (%m, %n) in [1, 64] step [1, 32] {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<8x32xf32>
    %a = scf.for %r = %c0 to %c24 step %c8 iter_args(%t = %zero) -> (!pto.tile<8x32xf32>) {
      %e = pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [1, 64, 24] dims [2, 1] : memref<24x64xf32> -> tile<8x32xf32>
      %b = pto.tile.add %t, %e : tile<8x32xf32>
      scf.yield %b : !pto.tile<8x32xf32>
    }
    %s = pto.tile.colsum %a : tile<8x32xf32> -> tile<1x32xf32>
    %u = pto.tile.exp %s : tile<1x32xf32>
    pto.tile.store.map %u, %y[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [1, 64] dims [0, 1] : tile<1x32xf32>, memref<64xf32>
  }
}
