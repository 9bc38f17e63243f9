// RUN: ptir-opt %s -p pto-to-nv --split-input-file | filecheck %s

// n over x and m over y; four warps as 2 x 2.

// CHECK-LABEL: "gpu.func"
// CHECK: %0 = "gpu.block_id"() <{dimension = #gpu<dim y>}> : () -> index
// CHECK: %m = arith.muli %0, %c32 : index
// CHECK: %1 = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK: %n = arith.muli %1, %c32 : index
// CHECK: %thread = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK: %warp = arith.divui %thread, %c32 : index
// CHECK: %2 = arith.divui %warp, %c2 : index
// CHECK: %3 = arith.remui %warp, %c2 : index
// CHECK: %warp_m = arith.muli %2, %WARP_M : index
// CHECK: %warp_n = arith.muli %3, %WARP_N : index
// CHECK: %k = arith.muli %s, %BK : index
// CHECK: nv.launch @kernels::@f_0 grid [2, 2, 1] block [128, 1, 1] shared 4096(%a0, %a1, %0 : memref<64x16xbf16>, memref<16x64xbf16>, memref<64x64xf32>)

pto.kernel @f_0(%a0: memref<64x16xbf16> align 16, %a1: memref<16x64xbf16> align 16) -> (%0: memref<64x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 32, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [64, 64] step [32, 32] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [64, 64, 16] dims [0, 2] : memref<64x16xbf16> -> tile<32x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [64, 64, 16] dims [2, 1] : memref<16x64xbf16> -> tile<16x32xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>, tile<32x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x32xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<32x32xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<32x32xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]> -> tile<32x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x32xbf16, #pto.tile_info<loc=Mat>>
      %11 = pto.tile.mov.m2l %9 : tile<32x16xbf16, #pto.tile_info<loc=Mat>> -> tile<32x16xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<16x32xbf16, #pto.tile_info<loc=Mat>> -> tile<16x32xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<32x32xf32, #pto.tile_info<loc=Acc>>, tile<32x16xbf16, #pto.tile_info<loc=Left>>, tile<16x32xbf16, #pto.tile_info<loc=Right>> -> tile<32x32xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %13 : !pto.tile<32x32xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<32x32xf32, #pto.tile_info<loc=Acc>> -> tile<32x32xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [64, 64] dims [0, 1] : tile<32x32xf32>, memref<64x64xf32>
  }
}
func.func @f(%a0: memref<64x16xbf16>, %a1: memref<16x64xbf16>) -> memref<64x64xf32> {
  %0 = memref.alloc() : memref<64x64xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<64x16xbf16>, memref<16x64xbf16>) outs(%0 : memref<64x64xf32>)
  func.return %0 : memref<64x64xf32>
}

// -----

// m over x by the plan.

// CHECK-LABEL: "gpu.func"
// CHECK: %0 = "gpu.block_id"() <{dimension = #gpu<dim y>}> : () -> index
// CHECK: %1 = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK: nv.launch @kernels::@f_0 grid [2, 4, 1] block [32, 1, 1] shared 2048(%a0, %a1, %0 : memref<64x16xbf16>, memref<16x32xbf16>, memref<64x32xf32>)

pto.kernel @f_0(%a0: memref<64x16xbf16> align 16, %a1: memref<16x32xbf16> align 16) -> (%0: memref<64x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [64, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [64, 32, 16] dims [0, 2] : memref<64x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [64, 32, 16] dims [2, 1] : memref<16x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %11 = pto.tile.mov.m2l %9 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %13 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [64, 32] dims [0, 1] : tile<16x16xf32>, memref<64x32xf32>
  }
}
func.func @f(%a0: memref<64x16xbf16>, %a1: memref<16x32xbf16>) -> memref<64x32xf32> {
  %0 = memref.alloc() : memref<64x32xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<64x16xbf16>, memref<16x32xbf16>) outs(%0 : memref<64x32xf32>)
  func.return %0 : memref<64x32xf32>
}

// -----

// Two batch axes that do not merge share z: the inner one is the remainder.

// CHECK-LABEL: "gpu.func"
// CHECK: %0 = "gpu.block_id"() <{dimension = #gpu<dim z>}> : () -> index
// CHECK: %1 = arith.remui %0, %c3 : index
// CHECK: %2 = arith.divui %0, %c3 : index
// CHECK: %warp = arith.divui %thread, %c32 : index
// CHECK: nv.copy_offsets %a1[{{.*}}] to %smem_a address <"{ [i0, i1, i2, i3, i4] -> [(768i0 + 256i1 + 16i2 + i4)] }"> in [2, 3, 16, 16, 16] dims [2, 4] guard [] bytes 16
// CHECK: nv.copy_offsets %a0[{{.*}}] to %smem_b address <"{ [i0, i1, i2, i3, i4] -> [(256i0 + 512i1 + i3 + 16i4)] }"> in [2, 3, 16, 16, 16] dims [4, 3] guard [] bytes 16
// CHECK: nv.launch @kernels::@f_0 grid [1, 1, 6] block [32, 1, 1] shared 2048(%a1, %a0, %0 : memref<2x3x16x16xbf16>, memref<3x2x16x16xbf16>, memref<2x3x16x16xf32>)

pto.kernel @f_0(%a1: memref<2x3x16x16xbf16> align 16, %a0: memref<3x2x16x16xbf16> align 16) -> (%0: memref<2x3x16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%b0, %b1, %m, %n) in [2, 3, 16, 16] step [1, 1, 16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a1[%b0, %b1, %m, %n, %k] by <"{ [i0, i1, i2, i3, i4] -> [(i0), (i1), (i2), (i4)] }"> in [2, 3, 16, 16, 16] dims [2, 4] : memref<2x3x16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a0[%b0, %b1, %m, %n, %k] by <"{ [i0, i1, i2, i3, i4] -> [(i1), (i0), (i4), (i3)] }"> in [2, 3, 16, 16, 16] dims [4, 3] : memref<3x2x16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %11 = pto.tile.mov.m2l %9 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %13 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %14, %0[%b0, %b1, %m, %n] by <"{ [i0, i1, i2, i3] -> [(i0), (i1), (i2), (i3)] }"> in [2, 3, 16, 16] dims [2, 3] : tile<16x16xf32>, memref<2x3x16x16xf32>
  }
}
func.func @f(%a0: memref<3x2x16x16xbf16>, %a1: memref<2x3x16x16xbf16>) -> memref<2x3x16x16xf32> {
  %0 = memref.alloc() : memref<2x3x16x16xf32>
  region.launch @f_0 ins(%a1, %a0 : memref<2x3x16x16xbf16>, memref<3x2x16x16xbf16>) outs(%0 : memref<2x3x16x16xf32>)
  func.return %0 : memref<2x3x16x16xf32>
}

// -----

// Groups of two of three rows of tiles: the last group has one row.

// CHECK-LABEL: "gpu.func"
// CHECK: %[[Y:.*]] = "gpu.block_id"() <{dimension = #gpu<dim y>}> : () -> index
// CHECK-NEXT: %[[ROWS:.*]] = arith.muli %[[Y]], %c2 : index
// CHECK-NEXT: %[[X:.*]] = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT: %place = arith.addi %[[ROWS]], %[[X]] : index
// CHECK-NEXT: %[[GROUP:.*]] = arith.divui %place, %c4 : index
// CHECK-NEXT: %[[WITHIN:.*]] = arith.remui %place, %c4 : index
// CHECK-NEXT: %whole = arith.cmpi ult, %[[GROUP]], %c1 : index
// CHECK-NEXT: %rows = arith.select %whole, %c2, %c1 : index
// CHECK-NEXT: %[[ROW:.*]] = arith.remui %[[WITHIN]], %rows : index
// CHECK-NEXT: %[[FIRST:.*]] = arith.muli %[[GROUP]], %c2 : index
// CHECK-NEXT: %[[DOWN:.*]] = arith.addi %[[FIRST]], %[[ROW]] : index
// CHECK-NEXT: %[[ACROSS:.*]] = arith.divui %[[WITHIN]], %rows : index
// CHECK-NEXT: %m = arith.muli %[[DOWN]], %c32 : index
// CHECK-NEXT: %n = arith.muli %[[ACROSS]], %c32 : index
// CHECK: nv.launch @kernels::@f_0 grid [2, 3, 1]

pto.kernel @f_0(%a0: memref<96x16xbf16> align 16, %a1: memref<16x64xbf16> align 16) -> (%0: memref<96x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 32, 16], stages = 2, warp_tile = "16x16", order = "grouped_2", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [96, 64] step [32, 32] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [96, 64, 16] dims [0, 2] : memref<96x16xbf16> -> tile<32x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [96, 64, 16] dims [2, 1] : memref<16x64xbf16> -> tile<16x32xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>, tile<32x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x32xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<32x32xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<32x32xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]> -> tile<32x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x32xbf16, #pto.tile_info<loc=Mat>>
      %11 = pto.tile.mov.m2l %9 : tile<32x16xbf16, #pto.tile_info<loc=Mat>> -> tile<32x16xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<16x32xbf16, #pto.tile_info<loc=Mat>> -> tile<16x32xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<32x32xf32, #pto.tile_info<loc=Acc>>, tile<32x16xbf16, #pto.tile_info<loc=Left>>, tile<16x32xbf16, #pto.tile_info<loc=Right>> -> tile<32x32xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %13 : !pto.tile<32x32xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<32x32xf32, #pto.tile_info<loc=Acc>> -> tile<32x32xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [96, 64] dims [0, 1] : tile<32x32xf32>, memref<96x64xf32>
  }
}
func.func @f(%a0: memref<96x16xbf16>, %a1: memref<16x64xbf16>) -> memref<96x64xf32> {
  %0 = memref.alloc() : memref<96x64xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<96x16xbf16>, memref<16x64xbf16>) outs(%0 : memref<96x64xf32>)
  func.return %0 : memref<96x64xf32>
}

// -----

// A Hilbert curve in squares of 4 x 4: two bits of the place, then the next two.

// CHECK-LABEL: "gpu.func"
// CHECK: %place = arith.addi %1, %2 : index
// CHECK-NEXT: %square = arith.divui %place, %c16 : index
// CHECK-NEXT: %3 = arith.remui %place, %c16 : index
// CHECK-NEXT: %part = arith.remui %3, %c4 : index
// CHECK-NEXT: %4 = arith.addi %part, %c1 : index
// CHECK-NEXT: %5 = arith.divui %4, %c2 : index
// CHECK-NEXT: %6 = arith.remui %5, %c2 : index
// CHECK-NEXT: %7 = arith.divui %part, %c2 : index
// CHECK-NEXT: %8 = arith.divui %3, %c4 : index
// CHECK-NEXT: %part_1 = arith.remui %8, %c4 : index
// CHECK-NEXT: %9 = arith.cmpi eq, %part_1, %c0 : index
// CHECK-NEXT: %10 = arith.cmpi eq, %part_1, %c3 : index
// CHECK-NEXT: %11 = arith.subi %c1, %7 : index
// CHECK-NEXT: %12 = arith.subi %c1, %6 : index
// CHECK-NEXT: %13 = arith.select %10, %11, %6 : index
// CHECK-NEXT: %14 = arith.select %9, %7, %13 : index
// CHECK-NEXT: %15 = arith.select %10, %12, %7 : index
// CHECK-NEXT: %16 = arith.select %9, %6, %15 : index
// CHECK-NEXT: %17 = arith.addi %part_1, %c1 : index
// CHECK-NEXT: %18 = arith.divui %17, %c2 : index
// CHECK-NEXT: %19 = arith.remui %18, %c2 : index
// CHECK-NEXT: %20 = arith.muli %19, %c2 : index
// CHECK-NEXT: %row = arith.addi %14, %20 : index
// CHECK-NEXT: %21 = arith.divui %part_1, %c2 : index
// CHECK-NEXT: %22 = arith.muli %21, %c2 : index
// CHECK-NEXT: %column = arith.addi %16, %22 : index
// CHECK-NEXT: %23 = arith.muli %square, %c4 : index
// CHECK-NEXT: %24 = arith.addi %23, %row : index
// CHECK-NEXT: %m = arith.muli %24, %c32 : index
// CHECK-NEXT: %n = arith.muli %column, %c32 : index

pto.kernel @f_0(%a0: memref<128x16xbf16> align 16, %a1: memref<16x128xbf16> align 16) -> (%0: memref<128x128xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 32, 16], stages = 2, warp_tile = "16x16", order = "hilbert_4", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [128, 128] step [32, 32] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [128, 128, 16] dims [0, 2] : memref<128x16xbf16> -> tile<32x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [128, 128, 16] dims [2, 1] : memref<16x128xbf16> -> tile<16x32xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>, tile<32x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x32xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<32x32xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<32x32xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]> -> tile<32x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x32xbf16, #pto.tile_info<loc=Mat>>
      %11 = pto.tile.mov.m2l %9 : tile<32x16xbf16, #pto.tile_info<loc=Mat>> -> tile<32x16xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<16x32xbf16, #pto.tile_info<loc=Mat>> -> tile<16x32xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<32x32xf32, #pto.tile_info<loc=Acc>>, tile<32x16xbf16, #pto.tile_info<loc=Left>>, tile<16x32xbf16, #pto.tile_info<loc=Right>> -> tile<32x32xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %13 : !pto.tile<32x32xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<32x32xf32, #pto.tile_info<loc=Acc>> -> tile<32x32xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [128, 128] dims [0, 1] : tile<32x32xf32>, memref<128x128xf32>
  }
}
func.func @f(%a0: memref<128x16xbf16>, %a1: memref<16x128xbf16>) -> memref<128x128xf32> {
  %0 = memref.alloc() : memref<128x128xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<128x16xbf16>, memref<16x128xbf16>) outs(%0 : memref<128x128xf32>)
  func.return %0 : memref<128x128xf32>
}
