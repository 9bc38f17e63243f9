// RUN: ptir-opt %s -p pto-to-nv | filecheck %s
// RUN: ptir-opt %s -p pto-to-nv -t cuda | filecheck %s --check-prefix=CUDA

// The rows of an accumulator are reduced where the lanes of a quad hold them: two rows of sixteen elements for each lane.

// CHECK: %acc_rows = nv.convert_layout %acc : !nv.frag<16x16xf32, C of m16n8k16> -> !nv.frag<32x16xf32, lane(2: 8j, 2: 4j, 8: i) warp(2: 16i) reg(4: j, 2: 8i)>
// CHECK-NEXT: %[[S:.*]] = nv.map(%acc_rows : {{.*}}) [%m, %c0] in [40, 12] dims [0, 1] guard [0, 1] tile [32, 16]
// CHECK: %[[M:.*]] = nv.row_reduce %[[S]] : {{.*}} -> !nv.frag<32x1xf32, lane(2: 0, 2: 0, 8: i) warp(2: 16i) reg(2: 8i)> {
// CHECK: nv.map(%acc_rows, %[[M]] : {{.*}}outs(%y : memref<40x12xf32>)

// CUDA: float acc_rows[8];  // acc with 4 contiguous columns per lane, 32 x 16 per block
// CUDA: acc_rows[n] = acc[0][n / 2 % 2][n % 2 + n / 4 * 2];
// CUDA: exchange(acc_rows[n % 2 + n / 2 * 4], acc_rows[n % 2 + n / 2 * 4 + 2], 1);
// CUDA: const int tile_row = h * 8 + warp * 16 + lane / 4
// CUDA: [2];  // of each row of
// CUDA-NEXT: #pragma unroll
// CUDA-NEXT: for (int r = 0; r < 2; ++r) {
// CUDA-NEXT: t2[r] = t[r * 4];
// CUDA: max_nan(t2[r], t[r * 4 + e])
// CUDA: for (int away = 1; away < 4; away *= 2) {

pto.kernel @f(%x: memref<40x64xbf16> align 16, %w: memref<64x12xbf16> align 16) -> (%y: memref<40x12xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 16, 32], stages = 2, warp_tile = "16x16", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 4}, predicate_tail = ["m.i.i", "n.i.i"], epilogue = ["sub"]}> {
  pto.tiles (%m, %n) in [40, 12] step [32, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<32x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]>
    %0 = arith.constant 0 : index
    %1 = arith.constant 64 : index
    %2 = arith.constant 32 : index
    pto.process {
      scf.for %k = %0 to %1 step %2 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<32x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]>
        %3 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [40, 12, 64] dims [0, 2] : memref<40x64xbf16> -> tile<32x32xbf16, #pto.tile_info<loc=Mat>>
        %4 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [40, 12, 64] dims [2, 1] : memref<64x12xbf16> -> tile<32x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %3, %4 : !pto.channel<2, [!pto.tile<32x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<32x32xbf16, #pto.tile_info<loc=Mat>>, tile<32x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %5 = pto.tile.expands 0.000000e+00 : f32 : tile<32x16xf32, #pto.tile_info<loc=Acc>>
    %6 = scf.for %k_1 = %0 to %1 step %2 iter_args(%7 = %5) -> (!pto.tile<32x16xf32, #pto.tile_info<loc=Acc>>) {
      %8, %9 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<32x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<32x32xbf16, #pto.tile_info<loc=Mat>>, tile<32x16xbf16, #pto.tile_info<loc=Mat>>
      %10 = pto.tile.mov.m2l %8 : tile<32x32xbf16, #pto.tile_info<loc=Mat>> -> tile<32x32xbf16, #pto.tile_info<loc=Left>>
      %11 = pto.tile.mov.m2r %9 : tile<32x16xbf16, #pto.tile_info<loc=Mat>> -> tile<32x16xbf16, #pto.tile_info<loc=Right>>
      %12 = pto.tile.matmul.acc %7, %10, %11 : tile<32x16xf32, #pto.tile_info<loc=Acc>>, tile<32x32xbf16, #pto.tile_info<loc=Left>>, tile<32x16xbf16, #pto.tile_info<loc=Right>> -> tile<32x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<32x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %12 : !pto.tile<32x16xf32, #pto.tile_info<loc=Acc>>
    }
    %13 = pto.tile.mov.a2v %6 : tile<32x16xf32, #pto.tile_info<loc=Acc>> -> tile<32x16xf32>
    %14 = pto.tile.mask[%m, %n] in [40, 12] dims [0, 1] : tile<32x16xi1>
    %15 = pto.tile.expands 0xFF800000 : f32 : tile<32x16xf32>
    %16 = pto.tile.sel %14, %13, %15 : tile<32x16xi1>, tile<32x16xf32>
    %17 = pto.tile.rowmax %16 : tile<32x16xf32> -> tile<32x1xf32>
    %18 = pto.tile.rowexpand %17 : tile<32x1xf32> -> tile<32x16xf32>
    %19 = pto.tile.sub %13, %18 : tile<32x16xf32>
    pto.tile.store.map %19, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [40, 12] dims [0, 1] : tile<32x16xf32>, memref<40x12xf32>
  }
}
