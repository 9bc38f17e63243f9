// RUN: ptir-opt %s -p pto-to-nv --split-input-file | filecheck %s

// grouped_4 is four rows of tiles, two of clusters.

// CHECK-LABEL: "gpu.func"
// CHECK: %[[GROUP:.*]] = arith.divui %item, %c8 : index
// CHECK-NEXT: %[[WITHIN:.*]] = arith.remui %item, %c8 : index
// CHECK-NEXT: %[[ROW:.*]] = arith.remui %[[WITHIN]], %c2 : index
// CHECK-NEXT: %[[FIRST:.*]] = arith.muli %[[GROUP]], %c2 : index
// CHECK-NEXT: %[[DOWN:.*]] = arith.addi %[[FIRST]], %[[ROW]] : index
// CHECK-NEXT: %[[ACROSS:.*]] = arith.divui %[[WITHIN]], %c2 : index
// CHECK-NEXT: %[[TOP:.*]] = arith.muli %[[DOWN]], %c2 : index
// CHECK-NEXT: %tile_row = arith.addi %[[TOP]], %rank : index

pto.kernel @k(%x: memref<512x64xbf16> align 16, %w: memref<256x64xbf16> align 16) -> (%0: memref<512x256xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 64, 64], stages = 3, warp_tile = "64x64", roles = "cooperative", cluster = [2, 1], order = "grouped_4", cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "implicit_gemm"}}> {
  pto.tiles (%m, %n) in [512, 256] step [64, 64] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 64 : index
    %3 = arith.constant 64 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
        %4 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [512, 256, 64] dims [0, 2] : memref<512x64xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [512, 256, 64] dims [2, 1] : memref<256x64xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<64x64xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      %11 = pto.tile.mov.m2l %9 : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<64x64xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<64x64xf32, #pto.tile_info<loc=Acc>>, tile<64x64xbf16, #pto.tile_info<loc=Left>>, tile<64x64xbf16, #pto.tile_info<loc=Right>> -> tile<64x64xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %13 : !pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<64x64xf32, #pto.tile_info<loc=Acc>> -> tile<64x64xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [512, 256] dims [0, 1] : tile<64x64xf32>, memref<512x256xf32>
  }
}
func.func @host(%x: memref<512x64xbf16>, %w: memref<256x64xbf16>) -> memref<512x256xf32> {
  %0 = memref.alloc() : memref<512x256xf32>
  region.launch @k ins(%x, %w : memref<512x64xbf16>, memref<256x64xbf16>) outs(%0 : memref<512x256xf32>)
  func.return %0 : memref<512x256xf32>
}
