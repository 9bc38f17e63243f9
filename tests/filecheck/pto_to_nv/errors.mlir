// RUN: ptir-opt %s -p pto-to-nv --split-input-file --verify-diagnostics

// A plan that describes other tiles than the program has.

// expected-error@+1 {{the plan of @f_0 does not fit it: its tile 32x16 is not the program}}
pto.kernel @f_0(%a0: memref<32x32xbf16> align 16, %a1: memref<32x32xbf16> align 16) -> (%0: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
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
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xf32>, memref<32x32xf32>
  }
}
func.func @f(%a0: memref<32x32xbf16>, %a1: memref<32x32xbf16>) -> memref<32x32xf32> {
  %0 = memref.alloc() : memref<32x32xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<32x32xbf16>, memref<32x32xbf16>) outs(%0 : memref<32x32xf32>)
  func.return %0 : memref<32x32xf32>
}

// -----

// Both tiled axes on one axis of the grid.

// expected-error@+1 {{bind has a value that this lowering does not support}}
pto.kernel @f_0(%a0: memref<32x32xbf16> align 16, %a1: memref<32x32xbf16> align 16) -> (%0: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, bind = {m.o = "block.x", n.o = "block.x"}, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
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
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xf32>, memref<32x32xf32>
  }
}
func.func @f(%a0: memref<32x32xbf16>, %a1: memref<32x32xbf16>) -> memref<32x32xf32> {
  %0 = memref.alloc() : memref<32x32xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<32x32xbf16>, memref<32x32xbf16>) outs(%0 : memref<32x32xf32>)
  func.return %0 : memref<32x32xf32>
}

// -----

// A map edited by hand that leaves the memref.

pto.kernel @f_0(%a0: memref<32x32xbf16> align 16, %a1: memref<32x32xbf16> align 16) -> (%0: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        // expected-error-re@+1 {{the map {{.*}} on [32, 32, 32] is not supported yet}}
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(1 + i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
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
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xf32>, memref<32x32xf32>
  }
}
func.func @f(%a0: memref<32x32xbf16>, %a1: memref<32x32xbf16>) -> memref<32x32xf32> {
  %0 = memref.alloc() : memref<32x32xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<32x32xbf16>, memref<32x32xbf16>) outs(%0 : memref<32x32xf32>)
  func.return %0 : memref<32x32xf32>
}

// -----

// A map to fewer axes than the memref has.

pto.kernel @f_0(%a0: memref<32x32xbf16> align 16, %a1: memref<32x32xbf16> align 16) -> (%0: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        // expected-error-re@+1 {{the map {{.*}} is not supported yet}}
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
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
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xf32>, memref<32x32xf32>
  }
}
func.func @f(%a0: memref<32x32xbf16>, %a1: memref<32x32xbf16>) -> memref<32x32xf32> {
  %0 = memref.alloc() : memref<32x32xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<32x32xbf16>, memref<32x32xbf16>) outs(%0 : memref<32x32xf32>)
  func.return %0 : memref<32x32xf32>
}

// -----

// A map that is not isl's.

pto.kernel @f_0(%a0: memref<32x32xbf16> align 16, %a1: memref<32x32xbf16> align 16) -> (%0: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        // expected-error-re@+1 {{the map {{.*}} is not supported yet}}
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2 *)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
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
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xf32>, memref<32x32xf32>
  }
}
func.func @f(%a0: memref<32x32xbf16>, %a1: memref<32x32xbf16>) -> memref<32x32xf32> {
  %0 = memref.alloc() : memref<32x32xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<32x32xbf16>, memref<32x32xbf16>) outs(%0 : memref<32x32xf32>)
  func.return %0 : memref<32x32xf32>
}

// -----

// Two index spaces in one epilogue.

pto.kernel @f_0(%a0: memref<32x32xbf16> align 16, %a1: memref<32x32xbf16> align 16, %a2: memref<32xf32> align 16) -> (%0: memref<32x32xbf16> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
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
    // expected-error@+1 {{an epilogue over several index spaces is not supported yet}}
    %15 = pto.tile.load.map %a2[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [32, 32] dims [1, 0] : memref<32xf32> -> tile<16x16xf32>
    %16 = pto.tile.add %14, %15 : tile<16x16xf32>
    %17 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32>
    %18 = pto.tile.max %16, %17 : tile<16x16xf32>
    %19 = pto.tile.cvt %18 : tile<16x16xf32> -> tile<16x16xbf16>
    pto.tile.store.map %19, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xbf16>, memref<32x32xbf16>
  }
}
func.func @f(%a0: memref<32x32xbf16>, %a1: memref<32x32xbf16>, %a2: memref<32xf32>) -> memref<32x32xbf16> {
  %0 = memref.alloc() : memref<32x32xbf16>
  region.launch @f_0 ins(%a0, %a1, %a2 : memref<32x32xbf16>, memref<32x32xbf16>, memref<32xf32>) outs(%0 : memref<32x32xbf16>)
  func.return %0 : memref<32x32xbf16>
}

// -----

// An accumulator that starts elsewhere.

pto.kernel @f_0(%a0: memref<32x32xbf16> align 16, %a1: memref<32x32xbf16> align 16) -> (%0: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %6 = pto.tile.expands 1.0 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    // expected-error@+1 {{an accumulator that does not start at zero is not supported yet}}
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %11 = pto.tile.mov.m2l %9 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %13 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xf32>, memref<32x32xf32>
  }
}
func.func @f(%a0: memref<32x32xbf16>, %a1: memref<32x32xbf16>) -> memref<32x32xf32> {
  %0 = memref.alloc() : memref<32x32xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<32x32xbf16>, memref<32x32xbf16>) outs(%0 : memref<32x32xf32>)
  func.return %0 : memref<32x32xf32>
}

// -----

// Tiles that overlap: guards are made for offsets that are multiples of the tile.

pto.kernel @f_0(%a0: memref<32x32xbf16> align 16, %a1: memref<32x32xbf16> align 16) -> (%0: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [8, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        // expected-error@+1 {{a tile of 16 at offsets up to 24 in steps of 8 along axis 0 of 32 is not supported yet}}
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
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
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xf32>, memref<32x32xf32>
  }
}
func.func @f(%a0: memref<32x32xbf16>, %a1: memref<32x32xbf16>) -> memref<32x32xf32> {
  %0 = memref.alloc() : memref<32x32xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<32x32xbf16>, memref<32x32xbf16>) outs(%0 : memref<32x32xf32>)
  func.return %0 : memref<32x32xf32>
}

// -----

// A consumer over another range than its producer.

pto.kernel @f_0(%a0: memref<32x32xbf16> align 16, %a1: memref<32x32xbf16> align 16) -> (%0: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    // expected-error@+1 {{a consumer whose range differs from its producer's is not supported yet}}
    %7 = scf.for %k_1 = %1 to %3 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %11 = pto.tile.mov.m2l %9 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %13 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xf32>, memref<32x32xf32>
  }
}
func.func @f(%a0: memref<32x32xbf16>, %a1: memref<32x32xbf16>) -> memref<32x32xf32> {
  %0 = memref.alloc() : memref<32x32xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<32x32xbf16>, memref<32x32xbf16>) outs(%0 : memref<32x32xf32>)
  func.return %0 : memref<32x32xf32>
}

// -----

// A kernel without a plan.

// expected-error@+1 {{@f_0 has no plan}}
pto.kernel @f_0(%a0: memref<32x32xbf16> align 16, %a1: memref<32x32xbf16> align 16) -> (%0: memref<32x32xf32> align 256 gmem) {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
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
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xf32>, memref<32x32xf32>
  }
}
func.func @f(%a0: memref<32x32xbf16>, %a1: memref<32x32xbf16>) -> memref<32x32xf32> {
  %0 = memref.alloc() : memref<32x32xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<32x32xbf16>, memref<32x32xbf16>) outs(%0 : memref<32x32xf32>)
  func.return %0 : memref<32x32xf32>
}

// -----

// The plan of an elementwise kernel on a contraction.

// expected-error@+1 {{the plan of @f_0 does not fit it: tile is [1, 8]}}
pto.kernel @f_0(%a0: memref<32x32xbf16> align 16, %a1: memref<32x32xbf16> align 16) -> (%0: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 8], vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
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
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xf32>, memref<32x32xf32>
  }
}

// -----

// There is no process that fills the ring.

pto.kernel @f_0(%a0: memref<32x32xbf16> align 16, %a1: memref<32x32xbf16> align 16) -> (%0: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16], vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %11 = pto.tile.mov.m2l %9 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %13 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    // expected-error@+1 {{'pto.tile.mov.a2v' on an operand of type !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>> that no op here computes}}
    %14 = pto.tile.mov.a2v %7 : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xf32>, memref<32x32xf32>
  }
}

// -----

// A type that refuses its parameters is at fault where it is used.

pto.kernel @f_0(%a0: memref<32x32xbf16> align 16, %a1: memref<32x32xbf16> align 16) -> (%0: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [2, 2] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<2x2xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<2x2xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 2 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<2x2xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<2x2xbf16, #pto.tile_info<loc=Mat>>]>
        // expected-error@+1 {{'smem' has rows of 4 bytes}}
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> tile<2x2xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<2x2xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<2x2xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<2x2xbf16, #pto.tile_info<loc=Mat>>]>, tile<2x2xbf16, #pto.tile_info<loc=Mat>>, tile<2x2xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<2x2xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<2x2xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<2x2xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<2x2xbf16, #pto.tile_info<loc=Mat>>]> -> tile<2x2xbf16, #pto.tile_info<loc=Mat>>, tile<2x2xbf16, #pto.tile_info<loc=Mat>>
      %11 = pto.tile.mov.m2l %9 : tile<2x2xbf16, #pto.tile_info<loc=Mat>> -> tile<2x2xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<2x2xbf16, #pto.tile_info<loc=Mat>> -> tile<2x2xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<2x2xf32, #pto.tile_info<loc=Acc>>, tile<2x2xbf16, #pto.tile_info<loc=Left>>, tile<2x2xbf16, #pto.tile_info<loc=Right>> -> tile<2x2xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<2x2xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<2x2xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %13 : !pto.tile<2x2xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<2x2xf32, #pto.tile_info<loc=Acc>> -> tile<2x2xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<2x2xf32>, memref<32x32xf32>
  }
}

// -----

pto.kernel @f_0(%x: memref<32x32xbf16> align 16, %w: memref<32x32xbf16> align 16) -> (%y: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 32 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %o = arith.muli %m, %n : index
        // expected-error@+1 {{an offset by this block argument is not supported yet}}
        %a = pto.tile.load.map %x[%o, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xf32>, memref<32x32xf32>
  }
}

// -----

pto.kernel @f_0(%x: memref<32x32xbf16> align 16, %w: memref<32x32xbf16> align 16) -> (%y: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 32 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %c = arith.constant 8 : index
        %o = arith.addi %m, %c : index
        // expected-error@+1 {{a tile of 16 at offsets up to 24 in steps of 8 along axis 0 of 32 is not supported yet}}
        %a = pto.tile.load.map %x[%o, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xf32>, memref<32x32xf32>
  }
}

// -----

pto.kernel @f_0(%x: memref<32x32xbf16> align 16, %w: memref<32x32xbf16> align 16) -> (%y: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 32 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %c = arith.constant 32 : index
        %o = arith.addi %n, %c : index
        // expected-error@+1 {{a tile of 1 at offsets up to 48 in steps of 16 along axis 1 of 32 is not supported yet}}
        %a = pto.tile.load.map %x[%m, %o, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xf32>, memref<32x32xf32>
  }
}

// -----

pto.kernel @f_0(%x: memref<32x32xbf16> align 16, %w: memref<32x32xbf16> align 16) -> (%y: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 32 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %c = arith.constant 134217728 : index
        %o = arith.muli %m, %c : index
        // expected-error@+1 {{an offset of 2147483648 along axis 0 is not supported yet}}
        %a = pto.tile.load.map %x[%o, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xf32>, memref<32x32xf32>
  }
}

// -----

// Two buffers take turns: the steps of a tile along k must be even.

// expected-error@+1 {{the plan of @f_0 does not fit it: local_edges asks for two buffers of fragments, but BK 16 has 1 step of 16}}
pto.kernel @f_0(%x: memref<16x16xbf16> align 16, %w: memref<16x16xbf16> align 16) -> (%y: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}, local_edges = [{from = "A", to = "sum", buffer = "reg", depth = 2}, {from = "B", to = "sum", buffer = "reg", depth = 2}]}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 16 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 16] dims [2, 1] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}

// -----

// expected-error@+1 {{local_edges asks for two buffers of fragments, but BK 48 has 3 steps of 16}}
pto.kernel @f_0(%x: memref<48x16xbf16> align 16, %w: memref<48x16xbf16> align 16) -> (%y: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 48], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}, local_edges = [{from = "A", to = "sum", buffer = "reg", depth = 2}, {from = "B", to = "sum", buffer = "reg", depth = 2}]}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x48xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<48x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 48 : index
    %step = arith.constant 48 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x48xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<48x16xbf16, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i0)] }"> in [16, 16, 48] dims [0, 2] : memref<48x16xbf16> -> tile<16x48xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 48] dims [2, 1] : memref<48x16xbf16> -> tile<48x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x48xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<48x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x48xbf16, #pto.tile_info<loc=Mat, layout=DN>>, tile<48x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x48xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<48x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x48xbf16, #pto.tile_info<loc=Mat, layout=DN>>, tile<48x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x48xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<16x48xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<48x16xbf16, #pto.tile_info<loc=Mat>> -> tile<48x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x48xbf16, #pto.tile_info<loc=Left>>, tile<48x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x48xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<48x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}

// -----

// expected-error@+1 {{local_edges asks for two buffers of fragments, but BK 8 has 1 step of 8}}
pto.kernel @f_0(%x: memref<16x8xf32> align 16, %w: memref<8x16xf32> align 16) -> (%y: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 8], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}, local_edges = [{from = "A", to = "sum", buffer = "reg", depth = 2}, {from = "B", to = "sum", buffer = "reg", depth = 2}]}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x8xf32, #pto.tile_info<loc=Mat>>, !pto.tile<8x16xf32, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 8 : index
    %step = arith.constant 8 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x8xf32, #pto.tile_info<loc=Mat>>, !pto.tile<8x16xf32, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 8] dims [0, 2] : memref<16x8xf32> -> tile<16x8xf32, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 8] dims [2, 1] : memref<8x16xf32> -> tile<8x16xf32, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x8xf32, #pto.tile_info<loc=Mat>>, !pto.tile<8x16xf32, #pto.tile_info<loc=Mat>>]>, tile<16x8xf32, #pto.tile_info<loc=Mat>>, tile<8x16xf32, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x8xf32, #pto.tile_info<loc=Mat>>, !pto.tile<8x16xf32, #pto.tile_info<loc=Mat>>]> -> tile<16x8xf32, #pto.tile_info<loc=Mat>>, tile<8x16xf32, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x8xf32, #pto.tile_info<loc=Mat>> -> tile<16x8xf32, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<8x16xf32, #pto.tile_info<loc=Mat>> -> tile<8x16xf32, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r precision tf32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x8xf32, #pto.tile_info<loc=Left>>, tile<8x16xf32, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x8xf32, #pto.tile_info<loc=Mat>>, !pto.tile<8x16xf32, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}

// -----

// A warp's tile is made of whole instructions, and so is BK.

// expected-error@+1 {{warp_tile 8x16 and BK 16 are not multiples of the sizes of m16n8k16}}
pto.kernel @f_0(%x: memref<32x16xbf16> align 16, %w: memref<16x16xbf16> align 16) -> (%y: memref<32x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 16, 16], stages = 2, warp_tile = "8x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 16] step [32, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 16 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 16, 16] dims [0, 2] : memref<32x16xbf16> -> tile<32x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 16, 16] dims [2, 1] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<32x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<32x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<32x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<32x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<32x16xbf16, #pto.tile_info<loc=Mat>> -> tile<32x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<32x16xf32, #pto.tile_info<loc=Acc>>, tile<32x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<32x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<32x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<32x16xf32, #pto.tile_info<loc=Acc>> -> tile<32x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 16] dims [0, 1] : tile<32x16xf32>, memref<32x16xf32>
  }
}

// -----

// expected-error@+1 {{warp_tile 8x16 and BK 8 are not multiples of the sizes of fma}}
pto.kernel @f_0(%x: memref<32x16xf32> align 16, %w: memref<16x16xf32> align 16) -> (%y: memref<32x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 16, 8], stages = 2, warp_tile = "8x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 16] step [32, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<32x8xf32, #pto.tile_info<loc=Mat>>, !pto.tile<8x16xf32, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 16 : index
    %step = arith.constant 8 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<32x8xf32, #pto.tile_info<loc=Mat>>, !pto.tile<8x16xf32, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 16, 16] dims [0, 2] : memref<32x16xf32> -> tile<32x8xf32, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 16, 16] dims [2, 1] : memref<16x16xf32> -> tile<8x16xf32, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<32x8xf32, #pto.tile_info<loc=Mat>>, !pto.tile<8x16xf32, #pto.tile_info<loc=Mat>>]>, tile<32x8xf32, #pto.tile_info<loc=Mat>>, tile<8x16xf32, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<32x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<32x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<32x8xf32, #pto.tile_info<loc=Mat>>, !pto.tile<8x16xf32, #pto.tile_info<loc=Mat>>]> -> tile<32x8xf32, #pto.tile_info<loc=Mat>>, tile<8x16xf32, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<32x8xf32, #pto.tile_info<loc=Mat>> -> tile<32x8xf32, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<8x16xf32, #pto.tile_info<loc=Mat>> -> tile<8x16xf32, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<32x16xf32, #pto.tile_info<loc=Acc>>, tile<32x8xf32, #pto.tile_info<loc=Left>>, tile<8x16xf32, #pto.tile_info<loc=Right>> -> tile<32x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<32x8xf32, #pto.tile_info<loc=Mat>>, !pto.tile<8x16xf32, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<32x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<32x16xf32, #pto.tile_info<loc=Acc>> -> tile<32x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 16] dims [0, 1] : tile<32x16xf32>, memref<32x16xf32>
  }
}

// -----

// expected-error@+1 {{warp_tile 16x16 and BK 16 are not multiples of the sizes of m16n8k32}}
pto.kernel @f_0(%x: memref<16x16xi8> align 16, %w: memref<16x16xi8> align 16) -> (%y: memref<16x16xi32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xi8, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xi8, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 16 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xi8, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xi8, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 16] dims [0, 2] : memref<16x16xi8> -> tile<16x16xi8, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 16] dims [2, 1] : memref<16x16xi8> -> tile<16x16xi8, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xi8, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xi8, #pto.tile_info<loc=Mat>>]>, tile<16x16xi8, #pto.tile_info<loc=Mat>>, tile<16x16xi8, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0 : i32 : tile<16x16xi32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xi32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xi8, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xi8, #pto.tile_info<loc=Mat>>]> -> tile<16x16xi8, #pto.tile_info<loc=Mat>>, tile<16x16xi8, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x16xi8, #pto.tile_info<loc=Mat>> -> tile<16x16xi8, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x16xi8, #pto.tile_info<loc=Mat>> -> tile<16x16xi8, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xi32, #pto.tile_info<loc=Acc>>, tile<16x16xi8, #pto.tile_info<loc=Left>>, tile<16x16xi8, #pto.tile_info<loc=Right>> -> tile<16x16xi32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xi8, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xi8, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xi32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xi32, #pto.tile_info<loc=Acc>> -> tile<16x16xi32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xi32>, memref<16x16xi32>
  }
}

// -----

// Offsets: sums and multiples of the tile's, never before the box, never past it.

pto.kernel @f_0(%x: memref<32x32xbf16> align 16, %w: memref<32x32xbf16> align 16) -> (%y: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 32 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %c = arith.constant -16 : index
        %o = arith.addi %m, %c : index
        // expected-error@+1 {{an offset by 'arith.constant' is not supported yet}}
        %a = pto.tile.load.map %x[%o, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xf32>, memref<32x32xf32>
  }
}

// -----

pto.kernel @f_0(%x: memref<32x32xbf16> align 16, %w: memref<32x32xbf16> align 16) -> (%y: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 32 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %c = arith.constant -16 : index
        %o = arith.muli %m, %c : index
        // expected-error@+1 {{an offset by 'arith.constant' is not supported yet}}
        %a = pto.tile.load.map %x[%o, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xf32>, memref<32x32xf32>
  }
}

// -----

pto.kernel @f_0(%x: memref<32x32xbf16> align 16, %w: memref<32x32xbf16> align 16) -> (%y: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 32 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %o = arith.muli %m, %n : index
        // expected-error@+1 {{an offset by this block argument is not supported yet}}
        %a = pto.tile.load.map %x[%o, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xf32>, memref<32x32xf32>
  }
}

// -----

pto.kernel @f_0(%x: memref<32x32xbf16> align 16, %w: memref<32x32xbf16> align 16) -> (%y: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 32 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    %o = arith.remui %m, %n : index
    // expected-error@+1 {{an offset by 'arith.remui' is not supported yet}}
    pto.tile.store.map %v, %y[%o, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xf32>, memref<32x32xf32>
  }
}

// -----

pto.kernel @f_0(%x: memref<32x32xbf16> align 16, %w: memref<32x32xbf16> align 16) -> (%y: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 32 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %c = arith.constant 8 : index
        %o = arith.addi %m, %c : index
        // expected-error@+1 {{a tile of 16 at offsets up to 24 in steps of 8 along axis 0 of 32 is not supported yet}}
        %a = pto.tile.load.map %x[%o, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xf32>, memref<32x32xf32>
  }
}

// -----

pto.kernel @f_0(%x: memref<32x32xbf16> align 16, %w: memref<32x32xbf16> align 16) -> (%y: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 32 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %c = arith.constant 32 : index
        %o = arith.addi %n, %c : index
        // expected-error@+1 {{a tile of 1 at offsets up to 48 in steps of 16 along axis 1 of 32 is not supported yet}}
        %a = pto.tile.load.map %x[%m, %o, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xf32>, memref<32x32xf32>
  }
}

// -----

pto.kernel @f_0(%x: memref<32x32xbf16> align 16, %w: memref<32x32xbf16> align 16) -> (%y: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 32 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %c = arith.constant 134217728 : index
        %o = arith.muli %m, %c : index
        // expected-error@+1 {{an offset of 2147483648 along axis 0 is not supported yet}}
        %a = pto.tile.load.map %x[%o, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xf32>, memref<32x32xf32>
  }
}
