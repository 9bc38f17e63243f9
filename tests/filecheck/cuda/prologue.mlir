// RUN: ptir-opt %s -p pto-to-nv -t cuda --split-input-file | filecheck %s

// Bytes of rows along n, which are k's columns: a lane has four of them in a word, from four rows. Two floats make a word of bf16.

// CHECK-LABEL: void __launch_bounds__(32, 1) f_0(
// CHECK: u32 raw_b[2][1];  // operand B, 16 x 16 per warp
// CHECK: raw_b[i][0] = ld_shared_1({{.*}}) | ld_shared_1({{.*}}) << 8 | ld_shared_1({{.*}}) << 16 | ld_shared_1({{.*}}) << 24;
// CHECK: u32 frag_b[2][2];  // operand B, 16 x 16 per warp
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int i = 0; i < 2; ++i) {
// CHECK-NEXT: const int tile_row = lane % 4 * 2, tile_column = i * 8 + lane / 4;
// CHECK-NEXT: const int row1 = k1 + tile_row;
// CHECK-NEXT: const int column1 = n + tile_column;
// CHECK-NEXT: float frag_b_out[4];
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int v = 0; v < 4; ++v) {
// CHECK-NEXT: const int [[ROW:\w+]] = row1 + v % 2 + v / 2 * 8;
// CHECK-NEXT: const float t = (float)(signed char)(u8)(raw_b[i][v / 4] >> v % 4 * 8);
// CHECK-NEXT: const float s3 = s1[column1];
// CHECK-NEXT: const float t1 = t * s3;
// CHECK: const bool mask = [[ROW]] < 96;
// CHECK: frag_b_out[v] = t3;
// CHECK-NEXT: }
// CHECK-NEXT: frag_b[i][0] = pack_bf16(frag_b_out[0], frag_b_out[1]);
// CHECK-NEXT: frag_b[i][1] = pack_bf16(frag_b_out[2], frag_b_out[3]);
// CHECK-NEXT: }
// CHECK: mma_m16n8k16_bf16(acc[i][j], frag_a[i], frag_b[j]);

pto.kernel @f_0(%x: memref<64x96xbf16> align 16, %w: memref<96x64xsi8> align 16, %s: memref<64xf32> align 16) -> (%y: memref<64x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 64], stages = 2, warp_tile = "16x16", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 4}, predicate_tail = ["k.i.i"]}> {
  pto.tiles (%m, %n) in [64, 64] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x16xsi8, #pto.tile_info<loc=Mat>>]>
    %0 = arith.constant 0 : index
    %1 = arith.constant 96 : index
    %2 = arith.constant 64 : index
    pto.process {
      scf.for %k = %0 to %1 step %2 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x16xsi8, #pto.tile_info<loc=Mat>>]>
        %3 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [64, 64, 96] dims [0, 2] : memref<64x96xbf16> -> tile<16x64xbf16, #pto.tile_info<loc=Mat>>
        %4 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [64, 64, 96] dims [2, 1] : memref<96x64xsi8> -> tile<64x16xsi8, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %3, %4 : !pto.channel<2, [!pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x16xsi8, #pto.tile_info<loc=Mat>>]>, tile<16x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x16xsi8, #pto.tile_info<loc=Mat>>
      }
    }
    %5 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %6 = scf.for %k_1 = %0 to %1 step %2 iter_args(%7 = %5) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %8, %9 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x16xsi8, #pto.tile_info<loc=Mat>>]> -> tile<16x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x16xsi8, #pto.tile_info<loc=Mat>>
      %10 = pto.tile.mov.m2l %8 : tile<16x64xbf16, #pto.tile_info<loc=Mat>> -> tile<16x64xbf16, #pto.tile_info<loc=Left>>
      %11 = pto.tile.mov.m2v %9 : tile<64x16xsi8, #pto.tile_info<loc=Mat>> -> tile<64x16xsi8>
      %12 = pto.tile.cvt %11 : tile<64x16xsi8> -> tile<64x16xf32>
      %13 = pto.tile.load.map %s[%m, %n, %k_1] by <"{ [i0, i1, i2] -> [(i1)] }"> in [64, 64, 96] dims [2, 1] : memref<64xf32> -> tile<64x16xf32>
      %14 = pto.tile.mul %12, %13 : tile<64x16xf32>
      %15 = pto.tile.cvt %14 : tile<64x16xf32> -> tile<64x16xbf16>
      %16 = pto.tile.mask[%m, %n, %k_1] in [64, 64, 96] dims [2, 1] : tile<64x16xi1>
      %17 = pto.tile.expands 0.000000e+00 : bf16 : tile<64x16xbf16>
      %18 = pto.tile.sel %16, %15, %17 : tile<64x16xi1>, tile<64x16xbf16>
      %19 = pto.tile.mov.v2r %18 : tile<64x16xbf16> -> tile<64x16xbf16, #pto.tile_info<loc=Right>>
      %20 = pto.tile.matmul.acc %7, %10, %19 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x64xbf16, #pto.tile_info<loc=Left>>, tile<64x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x16xsi8, #pto.tile_info<loc=Mat>>]>
      scf.yield %20 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %21 = pto.tile.mov.a2v %6 : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %21, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [64, 64] dims [0, 1] : tile<16x16xf32>, memref<64x64xf32>
  }
}
