// RUN: ptir-opt %s -p pto-to-nv --split-input-file | filecheck %s

// Bias, ReLU and a cast on the fragments; two neighbours a store.

// CHECK-LABEL: "gpu.func"
// CHECK: ^bb0(%a0: memref<16x16xbf16>, %a1: memref<16x16xbf16>, %a2: memref<16xf32>, %out: memref<16x16xbf16>):
// CHECK: %acc = nv.frag : !nv.frag<16x16xf32, C of m16n8k16>
// CHECK: nv.mma_sync %acc, %frag_a, %frag_b : !nv.frag<16x16xf32, C of m16n8k16>, !nv.frag<16x16xbf16, A of m16n8k16>, !nv.frag<16x16xbf16, B of m16n8k16>
// CHECK: nv.epilogue %acc : !nv.frag<16x16xf32, C of m16n8k16>[%warp_m, %c0] in [16, 16] dims [0, 1] guard [] tile [16, 16] ins(%a2 : memref<16xf32>) outs(%out : memref<16x16xbf16>) addresses [#poly.map<"{ [i0, i1] -> [(i1)] }">, #poly.map<"{ [i0, i1] -> [(16i0 + i1)] }">] widths [2, 2] {
// CHECK: ^bb0(%acc_1: f32, %a2_1: f32):
// CHECK: %4 = arith.addf %acc_1, %a2_1 : f32
// CHECK: %5 = arith.constant 0.000000e+00 : f32
// CHECK: %6 = arith.maximumf %4, %5 : f32
// CHECK: %7 = arith.truncf %6 : f32 to bf16
// CHECK: nv.yield %7 : bf16
// CHECK: func.func @f(%a0: memref<16x16xbf16>, %a1: memref<16x16xbf16>, %a2: memref<16xf32>) -> memref<16x16xbf16> {
// CHECK: nv.launch @kernels::@f_0 grid [1, 1, 1] block [32, 1, 1] shared 2048(%a0, %a1, %a2, %0 : memref<16x16xbf16>, memref<16x16xbf16>, memref<16xf32>, memref<16x16xbf16>)

pto.kernel @f_0(%a0: memref<16x16xbf16> align 16, %a1: memref<16x16xbf16> align 16, %a2: memref<16xf32> align 16) -> (%0: memref<16x16xbf16> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 16] dims [2, 1] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
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
    %15 = pto.tile.load.map %a2[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [16, 16] dims [0, 1] : memref<16xf32> -> tile<16x16xf32>
    %16 = pto.tile.add %14, %15 : tile<16x16xf32>
    %17 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32>
    %18 = pto.tile.max %16, %17 : tile<16x16xf32>
    %19 = pto.tile.cvt %18 : tile<16x16xf32> -> tile<16x16xbf16>
    pto.tile.store.map %19, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xbf16>, memref<16x16xbf16>
  }
}
func.func @f(%a0: memref<16x16xbf16>, %a1: memref<16x16xbf16>, %a2: memref<16xf32>) -> memref<16x16xbf16> {
  %0 = memref.alloc() : memref<16x16xbf16>
  region.launch @f_0 ins(%a0, %a1, %a2 : memref<16x16xbf16>, memref<16x16xbf16>, memref<16xf32>) outs(%0 : memref<16x16xbf16>)
  func.return %0 : memref<16x16xbf16>
}

// -----

// An odd N: single elements, and both guards.

// CHECK-LABEL: "gpu.func"
// CHECK: nv.epilogue %acc : !nv.frag<16x16xf32, C of m16n8k16>[%row, %n] in [17, 17] dims [0, 1] guard [0, 1] tile [16, 16] ins(%a2 : memref<17xf32>) outs(%out : memref<17x17xbf16>) addresses [#poly.map<"{ [i0, i1] -> [(i1)] }">, #poly.map<"{ [i0, i1] -> [(17i0 + i1)] }">] widths [1, 1] {

pto.kernel @f_0(%a0: memref<17x16xbf16> align 16, %a1: memref<16x17xbf16> align 16, %a2: memref<17xf32> align 16) -> (%0: memref<17x17xbf16> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [17, 17] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [17, 17, 16] dims [0, 2] : memref<17x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [17, 17, 16] dims [2, 1] : memref<16x17xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
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
    %15 = pto.tile.load.map %a2[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [17, 17] dims [0, 1] : memref<17xf32> -> tile<16x16xf32>
    %16 = pto.tile.add %14, %15 : tile<16x16xf32>
    %17 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32>
    %18 = pto.tile.max %16, %17 : tile<16x16xf32>
    %19 = pto.tile.cvt %18 : tile<16x16xf32> -> tile<16x16xbf16>
    pto.tile.store.map %19, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [17, 17] dims [0, 1] : tile<16x16xbf16>, memref<17x17xbf16>
  }
}
func.func @f(%a0: memref<17x16xbf16>, %a1: memref<16x17xbf16>, %a2: memref<17xf32>) -> memref<17x17xbf16> {
  %0 = memref.alloc() : memref<17x17xbf16>
  region.launch @f_0 ins(%a0, %a1, %a2 : memref<17x16xbf16>, memref<16x17xbf16>, memref<17xf32>) outs(%0 : memref<17x17xbf16>)
  func.return %0 : memref<17x17xbf16>
}

// -----

// A transposed result: neighbours along n are not neighbours in memory.

// CHECK-LABEL: "gpu.func"
// CHECK: nv.epilogue %acc : !nv.frag<16x16xf32, C of m16n8k16>[%warp_m, %c0] in [16, 16] dims [0, 1] guard [] tile [16, 16] ins(%a2 : memref<16xf32>) outs(%out : memref<16x16xf32>) addresses [#poly.map<"{ [i0, i1] -> [(i1)] }">, #poly.map<"{ [i0, i1] -> [(i0 + 16i1)] }">] widths [2, 1] {

pto.kernel @f_0(%a0: memref<16x16xbf16> align 16, %a1: memref<16x16xbf16> align 16, %a2: memref<16xf32> align 16) -> (%0: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 16] dims [2, 1] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
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
    %15 = pto.tile.load.map %a2[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [16, 16] dims [0, 1] : memref<16xf32> -> tile<16x16xf32>
    %16 = pto.tile.add %14, %15 : tile<16x16xf32>
    %17 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32>
    %18 = pto.tile.max %16, %17 : tile<16x16xf32>
    pto.tile.store.map %18, %0[%m, %n] by <"{ [i0, i1] -> [(i1), (i0)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}
func.func @f(%a0: memref<16x16xbf16>, %a1: memref<16x16xbf16>, %a2: memref<16xf32>) -> memref<16x16xf32> {
  %0 = memref.alloc() : memref<16x16xf32>
  region.launch @f_0 ins(%a0, %a1, %a2 : memref<16x16xbf16>, memref<16x16xbf16>, memref<16xf32>) outs(%0 : memref<16x16xf32>)
  func.return %0 : memref<16x16xf32>
}

// -----

// A bias by row is one element for the neighbours of a row.

// CHECK-LABEL: "gpu.func"
// CHECK: nv.epilogue %acc : !nv.frag<16x16xf32, C of m16n8k16>[%warp_m, %c0] in [16, 16] dims [0, 1] guard [] tile [16, 16] ins(%a2 : memref<16x1xf32>) outs(%out : memref<16x16xf32>) addresses [#poly.map<"{ [i0, i1] -> [(i0)] }">, #poly.map<"{ [i0, i1] -> [(16i0 + i1)] }">] widths [1, 2] {

pto.kernel @f_0(%a0: memref<16x16xbf16> align 16, %a1: memref<16x16xbf16> align 16, %a2: memref<16x1xf32> align 16) -> (%0: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 16] dims [2, 1] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
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
    %15 = pto.tile.load.map %a2[%m, %n] by <"{ [i0, i1] -> [(i0), (0)] }"> in [16, 16] dims [0, 1] : memref<16x1xf32> -> tile<16x16xf32>
    %16 = pto.tile.add %14, %15 : tile<16x16xf32>
    pto.tile.store.map %16, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}
func.func @f(%a0: memref<16x16xbf16>, %a1: memref<16x16xbf16>, %a2: memref<16x1xf32>) -> memref<16x16xf32> {
  %0 = memref.alloc() : memref<16x16xf32>
  region.launch @f_0 ins(%a0, %a1, %a2 : memref<16x16xbf16>, memref<16x16xbf16>, memref<16x1xf32>) outs(%0 : memref<16x16xf32>)
  func.return %0 : memref<16x16xf32>
}

// -----

// Two results of one kernel.

// CHECK-LABEL: "gpu.func"
// CHECK: nv.epilogue %acc : !nv.frag<16x16xf32, C of m16n8k16>[%warp_m, %c0] in [16, 16] dims [0, 1] guard [] tile [16, 16] outs(%out, %out_1 : memref<16x16xf32>, memref<16x16xf32>) addresses [#poly.map<"{ [i0, i1] -> [(16i0 + i1)] }">, #poly.map<"{ [i0, i1] -> [(i0 + 16i1)] }">] widths [2, 1] {
// CHECK: nv.yield %acc_1, %5 : f32, f32

pto.kernel @f_0(%a0: memref<16x16xbf16> align 16, %a1: memref<16x16xbf16> align 16) -> (%0: memref<16x16xf32> align 256 gmem, %1: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %2 = arith.constant 0 : index
    %3 = arith.constant 16 : index
    %4 = arith.constant 16 : index
    pto.process {
      scf.for %k = %2 to %3 step %4 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %5 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %6 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 16] dims [2, 1] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %5, %6 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %7 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %8 = scf.for %k_1 = %2 to %3 step %4 iter_args(%9 = %7) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %10, %11 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %12 = pto.tile.mov.m2l %10 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %13 = pto.tile.mov.m2r %11 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %14 = pto.tile.matmul.acc %9, %12, %13 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %14 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %15 = pto.tile.mov.a2v %8 : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %15, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
    %16 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32>
    %17 = pto.tile.max %15, %16 : tile<16x16xf32>
    pto.tile.store.map %17, %1[%m, %n] by <"{ [i0, i1] -> [(i1), (i0)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}
func.func @f(%a0: memref<16x16xbf16>, %a1: memref<16x16xbf16>) -> (memref<16x16xf32>, memref<16x16xf32>) {
  %0 = memref.alloc() : memref<16x16xf32>
  %1 = memref.alloc() : memref<16x16xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<16x16xbf16>, memref<16x16xbf16>) outs(%0, %1 : memref<16x16xf32>, memref<16x16xf32>)
  func.return %0, %1 : memref<16x16xf32>, memref<16x16xf32>
}

// -----

// A comparison stores bytes.

// CHECK-LABEL: "gpu.func"
// CHECK: nv.epilogue %acc : !nv.frag<16x16xf32, C of m16n8k16>[%warp_m, %c0] in [16, 16] dims [0, 1] guard [] tile [16, 16] outs(%out : memref<16x16xi1>) addresses [#poly.map<"{ [i0, i1] -> [(16i0 + i1)] }">] widths [2] {
// CHECK: %5 = arith.cmpf oge, %acc_1, %4 : f32
// CHECK: nv.yield %5 : i1

pto.kernel @f_0(%a0: memref<16x16xbf16> align 16, %a1: memref<16x16xbf16> align 16) -> (%0: memref<16x16xi1> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 16] dims [2, 1] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
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
    %15 = pto.tile.expands 1.000000e+00 : f32 : tile<16x16xf32>
    %16 = pto.tile.cmp %14, %15 {cmpMode = #pto.cmp<GE>} : tile<16x16xf32> -> tile<16x16xi1>
    pto.tile.store.map %16, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xi1>, memref<16x16xi1>
  }
}
func.func @f(%a0: memref<16x16xbf16>, %a1: memref<16x16xbf16>) -> memref<16x16xi1> {
  %0 = memref.alloc() : memref<16x16xi1>
  region.launch @f_0 ins(%a0, %a1 : memref<16x16xbf16>, memref<16x16xbf16>) outs(%0 : memref<16x16xi1>)
  func.return %0 : memref<16x16xi1>
}

// -----

// No contraction: the tile of the block, as many neighbours as divide.

// CHECK-LABEL: "gpu.func"
// CHECK: nv.epilogue[%m, %c0] in [24, 16] dims [0, 1] guard [] tile [4, 16] ins(%a0, %a1 : memref<16x24xf16>, memref<16xf16>) outs(%out : memref<24x16xf16>) addresses [#poly.map<"{ [i0, i1] -> [(i0 + 24i1)] }">, #poly.map<"{ [i0, i1] -> [(i1)] }">, #poly.map<"{ [i0, i1] -> [(16i0 + i1)] }">] widths [1, 2, 2] {
// CHECK: %1 = math.absf %a0_1 : f16
// CHECK: nv.launch @kernels::@f_0 grid [1, 6, 1] block [128, 1, 1] shared 0(%a0, %a1, %0 : memref<16x24xf16>, memref<16xf16>, memref<24x16xf16>)

pto.kernel @f_0(%a0: memref<16x24xf16> align 16, %a1: memref<16xf16> align 16) -> (%0: memref<24x16xf16> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 16], vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [24, 16] step [4, 16] {
    %1 = pto.tile.load.map %a0[%m, %n] by <"{ [i0, i1] -> [(i1), (i0)] }"> in [24, 16] dims [0, 1] : memref<16x24xf16> -> tile<4x16xf16>
    %2 = pto.tile.abs %1 : tile<4x16xf16>
    %3 = pto.tile.load.map %a1[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [24, 16] dims [0, 1] : memref<16xf16> -> tile<4x16xf16>
    %4 = pto.tile.add %2, %3 : tile<4x16xf16>
    pto.tile.store.map %4, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [24, 16] dims [0, 1] : tile<4x16xf16>, memref<24x16xf16>
  }
}
func.func @f(%a0: memref<16x24xf16>, %a1: memref<16xf16>) -> memref<24x16xf16> {
  %0 = memref.alloc() : memref<24x16xf16>
  region.launch @f_0 ins(%a0, %a1 : memref<16x24xf16>, memref<16xf16>) outs(%0 : memref<24x16xf16>)
  func.return %0 : memref<24x16xf16>
}
