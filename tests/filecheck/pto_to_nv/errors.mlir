// RUN: ptir-opt %s -p pto-to-nv --split-input-file --verify-diagnostics

// The template is SM80's.

// expected-error@+1 {{arch sm90 in pto-to-nv is not supported yet}}
pto.kernel @f_0(%a0: memref<32x32xbf16> align 16, %a1: memref<32x32xbf16> align 16) -> (%0: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
        %4 = pto.tile.load %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        %5 = pto.tile.load %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>, !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : !pto.tile<16x16xf32, Acc>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, Acc>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]> -> !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      %11 = pto.tile.mov.m2l %9 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Left>
      %12 = pto.tile.mov.m2r %10 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Right>
      %13 = pto.tile.matmul.acc %8, %11, %12 : !pto.tile<16x16xf32, Acc>, !pto.tile<16x16xbf16, Left>, !pto.tile<16x16xbf16, Right>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
      scf.yield %13 : !pto.tile<16x16xf32, Acc>
    }
    %14 = pto.tile.mov.a2v %7 : !pto.tile<16x16xf32, Acc> -> !pto.tile<16x16xf32>
    pto.tile.store %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : !pto.tile<16x16xf32>, memref<32x32xf32>
  }
}
func.func @f(%a0: memref<32x32xbf16>, %a1: memref<32x32xbf16>) -> memref<32x32xf32> {
  %0 = memref.alloc() : memref<32x32xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<32x32xbf16>, memref<32x32xbf16>) outs(%0 : memref<32x32xf32>)
  func.return %0 : memref<32x32xf32>
}

// -----

// A plan that describes other tiles than the program has.

// expected-error@+1 {{the plan of @f_0 does not fit it: its tile 32x16 is not the program}}
pto.kernel @f_0(%a0: memref<32x32xbf16> align 16, %a1: memref<32x32xbf16> align 16) -> (%0: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
        %4 = pto.tile.load %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        %5 = pto.tile.load %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>, !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : !pto.tile<16x16xf32, Acc>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, Acc>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]> -> !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      %11 = pto.tile.mov.m2l %9 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Left>
      %12 = pto.tile.mov.m2r %10 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Right>
      %13 = pto.tile.matmul.acc %8, %11, %12 : !pto.tile<16x16xf32, Acc>, !pto.tile<16x16xbf16, Left>, !pto.tile<16x16xbf16, Right>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
      scf.yield %13 : !pto.tile<16x16xf32, Acc>
    }
    %14 = pto.tile.mov.a2v %7 : !pto.tile<16x16xf32, Acc> -> !pto.tile<16x16xf32>
    pto.tile.store %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : !pto.tile<16x16xf32>, memref<32x32xf32>
  }
}
func.func @f(%a0: memref<32x32xbf16>, %a1: memref<32x32xbf16>) -> memref<32x32xf32> {
  %0 = memref.alloc() : memref<32x32xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<32x32xbf16>, memref<32x32xbf16>) outs(%0 : memref<32x32xf32>)
  func.return %0 : memref<32x32xf32>
}

// -----

// Both tiled axes on one axis of the grid.

// expected-error@+1 {{bind has m.o and n.o on block.x}}
pto.kernel @f_0(%a0: memref<32x32xbf16> align 16, %a1: memref<32x32xbf16> align 16) -> (%0: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, bind = {m.o = "block.x", n.o = "block.x"}, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
        %4 = pto.tile.load %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        %5 = pto.tile.load %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>, !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : !pto.tile<16x16xf32, Acc>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, Acc>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]> -> !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      %11 = pto.tile.mov.m2l %9 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Left>
      %12 = pto.tile.mov.m2r %10 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Right>
      %13 = pto.tile.matmul.acc %8, %11, %12 : !pto.tile<16x16xf32, Acc>, !pto.tile<16x16xbf16, Left>, !pto.tile<16x16xbf16, Right>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
      scf.yield %13 : !pto.tile<16x16xf32, Acc>
    }
    %14 = pto.tile.mov.a2v %7 : !pto.tile<16x16xf32, Acc> -> !pto.tile<16x16xf32>
    pto.tile.store %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : !pto.tile<16x16xf32>, memref<32x32xf32>
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
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
        // expected-error-re@+1 {{the map {{.*}} on [32, 32, 32] is not supported yet}}
        %4 = pto.tile.load %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(1 + i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        %5 = pto.tile.load %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>, !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : !pto.tile<16x16xf32, Acc>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, Acc>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]> -> !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      %11 = pto.tile.mov.m2l %9 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Left>
      %12 = pto.tile.mov.m2r %10 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Right>
      %13 = pto.tile.matmul.acc %8, %11, %12 : !pto.tile<16x16xf32, Acc>, !pto.tile<16x16xbf16, Left>, !pto.tile<16x16xbf16, Right>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
      scf.yield %13 : !pto.tile<16x16xf32, Acc>
    }
    %14 = pto.tile.mov.a2v %7 : !pto.tile<16x16xf32, Acc> -> !pto.tile<16x16xf32>
    pto.tile.store %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : !pto.tile<16x16xf32>, memref<32x32xf32>
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
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
        // expected-error-re@+1 {{the map {{.*}} is not supported yet}}
        %4 = pto.tile.load %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        %5 = pto.tile.load %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>, !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : !pto.tile<16x16xf32, Acc>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, Acc>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]> -> !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      %11 = pto.tile.mov.m2l %9 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Left>
      %12 = pto.tile.mov.m2r %10 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Right>
      %13 = pto.tile.matmul.acc %8, %11, %12 : !pto.tile<16x16xf32, Acc>, !pto.tile<16x16xbf16, Left>, !pto.tile<16x16xbf16, Right>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
      scf.yield %13 : !pto.tile<16x16xf32, Acc>
    }
    %14 = pto.tile.mov.a2v %7 : !pto.tile<16x16xf32, Acc> -> !pto.tile<16x16xf32>
    pto.tile.store %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : !pto.tile<16x16xf32>, memref<32x32xf32>
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
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
        // expected-error-re@+1 {{the map {{.*}} is not supported yet}}
        %4 = pto.tile.load %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2 *)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        %5 = pto.tile.load %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>, !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : !pto.tile<16x16xf32, Acc>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, Acc>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]> -> !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      %11 = pto.tile.mov.m2l %9 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Left>
      %12 = pto.tile.mov.m2r %10 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Right>
      %13 = pto.tile.matmul.acc %8, %11, %12 : !pto.tile<16x16xf32, Acc>, !pto.tile<16x16xbf16, Left>, !pto.tile<16x16xbf16, Right>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
      scf.yield %13 : !pto.tile<16x16xf32, Acc>
    }
    %14 = pto.tile.mov.a2v %7 : !pto.tile<16x16xf32, Acc> -> !pto.tile<16x16xf32>
    pto.tile.store %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : !pto.tile<16x16xf32>, memref<32x32xf32>
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
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
        %4 = pto.tile.load %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        %5 = pto.tile.load %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>, !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : !pto.tile<16x16xf32, Acc>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, Acc>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]> -> !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      %11 = pto.tile.mov.m2l %9 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Left>
      %12 = pto.tile.mov.m2r %10 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Right>
      %13 = pto.tile.matmul.acc %8, %11, %12 : !pto.tile<16x16xf32, Acc>, !pto.tile<16x16xbf16, Left>, !pto.tile<16x16xbf16, Right>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
      scf.yield %13 : !pto.tile<16x16xf32, Acc>
    }
    %14 = pto.tile.mov.a2v %7 : !pto.tile<16x16xf32, Acc> -> !pto.tile<16x16xf32>
    // expected-error@+1 {{an epilogue over several index spaces is not supported yet}}
    %15 = pto.tile.load %a2[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [32, 32] dims [1, 0] : memref<32xf32> -> !pto.tile<16x16xf32>
    %16 = pto.tile.add %14, %15 : !pto.tile<16x16xf32>
    %17 = pto.tile.expands 0.000000e+00 : f32 : !pto.tile<16x16xf32>
    %18 = pto.tile.max %16, %17 : !pto.tile<16x16xf32>
    %19 = pto.tile.cvt %18 : !pto.tile<16x16xf32> -> !pto.tile<16x16xbf16>
    pto.tile.store %19, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : !pto.tile<16x16xbf16>, memref<32x32xbf16>
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
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
        %4 = pto.tile.load %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        %5 = pto.tile.load %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>, !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      }
    }
    %6 = pto.tile.expands 1.0 : f32 : !pto.tile<16x16xf32, Acc>
    // expected-error@+1 {{an accumulator that does not start at zero is not supported yet}}
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, Acc>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]> -> !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      %11 = pto.tile.mov.m2l %9 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Left>
      %12 = pto.tile.mov.m2r %10 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Right>
      %13 = pto.tile.matmul.acc %8, %11, %12 : !pto.tile<16x16xf32, Acc>, !pto.tile<16x16xbf16, Left>, !pto.tile<16x16xbf16, Right>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
      scf.yield %13 : !pto.tile<16x16xf32, Acc>
    }
    %14 = pto.tile.mov.a2v %7 : !pto.tile<16x16xf32, Acc> -> !pto.tile<16x16xf32>
    pto.tile.store %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : !pto.tile<16x16xf32>, memref<32x32xf32>
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
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
        // expected-error@+1 {{offsets up to 24 in steps of 8 for 16 of 32 along axis 0 is not supported yet}}
        %4 = pto.tile.load %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        %5 = pto.tile.load %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>, !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : !pto.tile<16x16xf32, Acc>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, Acc>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]> -> !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      %11 = pto.tile.mov.m2l %9 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Left>
      %12 = pto.tile.mov.m2r %10 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Right>
      %13 = pto.tile.matmul.acc %8, %11, %12 : !pto.tile<16x16xf32, Acc>, !pto.tile<16x16xbf16, Left>, !pto.tile<16x16xbf16, Right>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
      scf.yield %13 : !pto.tile<16x16xf32, Acc>
    }
    %14 = pto.tile.mov.a2v %7 : !pto.tile<16x16xf32, Acc> -> !pto.tile<16x16xf32>
    pto.tile.store %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : !pto.tile<16x16xf32>, memref<32x32xf32>
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
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
        %4 = pto.tile.load %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        %5 = pto.tile.load %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>, !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : !pto.tile<16x16xf32, Acc>
    // expected-error@+1 {{a consumer with another range than its producer is not supported yet}}
    %7 = scf.for %k_1 = %1 to %3 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, Acc>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]> -> !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      %11 = pto.tile.mov.m2l %9 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Left>
      %12 = pto.tile.mov.m2r %10 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Right>
      %13 = pto.tile.matmul.acc %8, %11, %12 : !pto.tile<16x16xf32, Acc>, !pto.tile<16x16xbf16, Left>, !pto.tile<16x16xbf16, Right>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
      scf.yield %13 : !pto.tile<16x16xf32, Acc>
    }
    %14 = pto.tile.mov.a2v %7 : !pto.tile<16x16xf32, Acc> -> !pto.tile<16x16xf32>
    pto.tile.store %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : !pto.tile<16x16xf32>, memref<32x32xf32>
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
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
        %4 = pto.tile.load %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        %5 = pto.tile.load %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>, !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : !pto.tile<16x16xf32, Acc>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, Acc>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]> -> !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      %11 = pto.tile.mov.m2l %9 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Left>
      %12 = pto.tile.mov.m2r %10 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Right>
      %13 = pto.tile.matmul.acc %8, %11, %12 : !pto.tile<16x16xf32, Acc>, !pto.tile<16x16xbf16, Left>, !pto.tile<16x16xbf16, Right>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
      scf.yield %13 : !pto.tile<16x16xf32, Acc>
    }
    %14 = pto.tile.mov.a2v %7 : !pto.tile<16x16xf32, Acc> -> !pto.tile<16x16xf32>
    pto.tile.store %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : !pto.tile<16x16xf32>, memref<32x32xf32>
  }
}
func.func @f(%a0: memref<32x32xbf16>, %a1: memref<32x32xbf16>) -> memref<32x32xf32> {
  %0 = memref.alloc() : memref<32x32xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<32x32xbf16>, memref<32x32xbf16>) outs(%0 : memref<32x32xf32>)
  func.return %0 : memref<32x32xf32>
}

// -----

// Operands that mma.sync does not multiply.

pto.kernel @f_0(%a0: memref<32x32xf32> align 16, %a1: memref<32x32xf32> align 16) -> (%0: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xf32, Mat>, !pto.tile<16x16xf32, Mat>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xf32, Mat>, !pto.tile<16x16xf32, Mat>]>
        // expected-error@+1 {{a contraction of f32 is not supported yet}}
        %4 = pto.tile.load %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xf32> -> !pto.tile<16x16xf32, Mat>
        %5 = pto.tile.load %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xf32> -> !pto.tile<16x16xf32, Mat>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xf32, Mat>, !pto.tile<16x16xf32, Mat>]>, !pto.tile<16x16xf32, Mat>, !pto.tile<16x16xf32, Mat>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : !pto.tile<16x16xf32, Acc>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, Acc>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xf32, Mat>, !pto.tile<16x16xf32, Mat>]> -> !pto.tile<16x16xf32, Mat>, !pto.tile<16x16xf32, Mat>
      %11 = pto.tile.mov.m2l %9 : !pto.tile<16x16xf32, Mat> -> !pto.tile<16x16xf32, Left>
      %12 = pto.tile.mov.m2r %10 : !pto.tile<16x16xf32, Mat> -> !pto.tile<16x16xf32, Right>
      %13 = pto.tile.matmul.acc %8, %11, %12 : !pto.tile<16x16xf32, Acc>, !pto.tile<16x16xf32, Left>, !pto.tile<16x16xf32, Right>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xf32, Mat>, !pto.tile<16x16xf32, Mat>]>
      scf.yield %13 : !pto.tile<16x16xf32, Acc>
    }
    %14 = pto.tile.mov.a2v %7 : !pto.tile<16x16xf32, Acc> -> !pto.tile<16x16xf32>
    pto.tile.store %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : !pto.tile<16x16xf32>, memref<32x32xf32>
  }
}

// -----

// A sum that mma.sync does not make.

pto.kernel @f_0(%a0: memref<32x32xbf16> align 16, %a1: memref<32x32xbf16> align 16) -> (%0: memref<32x32xf64> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
        %4 = pto.tile.load %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        %5 = pto.tile.load %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>, !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f64 : !pto.tile<16x16xf64, Acc>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf64, Acc>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]> -> !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      %11 = pto.tile.mov.m2l %9 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Left>
      %12 = pto.tile.mov.m2r %10 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Right>
      // expected-error@+1 {{an accumulator of f64 is not supported yet}}
      %13 = pto.tile.matmul.acc %8, %11, %12 : !pto.tile<16x16xf64, Acc>, !pto.tile<16x16xbf16, Left>, !pto.tile<16x16xbf16, Right>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
      scf.yield %13 : !pto.tile<16x16xf64, Acc>
    }
    %14 = pto.tile.mov.a2v %7 : !pto.tile<16x16xf64, Acc> -> !pto.tile<16x16xf64>
    pto.tile.store %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : !pto.tile<16x16xf64>, memref<32x32xf64>
  }
}

// -----

// Index arithmetic among the vector ops.

pto.kernel @f_0(%a0: memref<32x32xbf16> align 16, %a1: memref<32x32xbf16> align 16) -> (%0: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
        %4 = pto.tile.load %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        %5 = pto.tile.load %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>, !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : !pto.tile<16x16xf32, Acc>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, Acc>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]> -> !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      %11 = pto.tile.mov.m2l %9 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Left>
      %12 = pto.tile.mov.m2r %10 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Right>
      %13 = pto.tile.matmul.acc %8, %11, %12 : !pto.tile<16x16xf32, Acc>, !pto.tile<16x16xbf16, Left>, !pto.tile<16x16xbf16, Right>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
      scf.yield %13 : !pto.tile<16x16xf32, Acc>
    }
    %14 = pto.tile.mov.a2v %7 : !pto.tile<16x16xf32, Acc> -> !pto.tile<16x16xf32>
    // expected-error@+1 {{'arith.addi' in a tile program is not supported yet}}
    %15 = arith.addi %m, %n : index
    pto.tile.store %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : !pto.tile<16x16xf32>, memref<32x32xf32>
  }
}

// -----

// The plan of an elementwise kernel on a contraction.

// expected-error@+1 {{the plan of @f_0 does not fit it: tile is [1, 8]}}
pto.kernel @f_0(%a0: memref<32x32xbf16> align 16, %a1: memref<32x32xbf16> align 16) -> (%0: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 8], vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
        %4 = pto.tile.load %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        %5 = pto.tile.load %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>, !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : !pto.tile<16x16xf32, Acc>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, Acc>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]> -> !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      %11 = pto.tile.mov.m2l %9 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Left>
      %12 = pto.tile.mov.m2r %10 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Right>
      %13 = pto.tile.matmul.acc %8, %11, %12 : !pto.tile<16x16xf32, Acc>, !pto.tile<16x16xbf16, Left>, !pto.tile<16x16xbf16, Right>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
      scf.yield %13 : !pto.tile<16x16xf32, Acc>
    }
    %14 = pto.tile.mov.a2v %7 : !pto.tile<16x16xf32, Acc> -> !pto.tile<16x16xf32>
    pto.tile.store %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : !pto.tile<16x16xf32>, memref<32x32xf32>
  }
}

// -----

// The process is not where the lowering looks for it, so nothing fills the accumulator.

pto.kernel @f_0(%a0: memref<32x32xbf16> align 16, %a1: memref<32x32xbf16> align 16) -> (%0: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16], vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    scf.for %k = %1 to %2 step %3 {
      pto.process {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
        %4 = pto.tile.load %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        %5 = pto.tile.load %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>, !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : !pto.tile<16x16xf32, Acc>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, Acc>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]> -> !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      %11 = pto.tile.mov.m2l %9 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Left>
      %12 = pto.tile.mov.m2r %10 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Right>
      %13 = pto.tile.matmul.acc %8, %11, %12 : !pto.tile<16x16xf32, Acc>, !pto.tile<16x16xbf16, Left>, !pto.tile<16x16xbf16, Right>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
      scf.yield %13 : !pto.tile<16x16xf32, Acc>
    }
    // expected-error@+1 {{'pto.tile.mov.a2v' on !pto.tile<16x16xf32, Acc> where there is no such tile}}
    %14 = pto.tile.mov.a2v %7 : !pto.tile<16x16xf32, Acc> -> !pto.tile<16x16xf32>
    pto.tile.store %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : !pto.tile<16x16xf32>, memref<32x32xf32>
  }
}

// -----

// A type that refuses its parameters is at fault where it is used.

pto.kernel @f_0(%a0: memref<32x32xbf16> align 16, %a1: memref<32x32xbf16> align 16) -> (%0: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [2, 2] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<2x2xbf16, Mat>, !pto.tile<2x2xbf16, Mat>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 2 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<2x2xbf16, Mat>, !pto.tile<2x2xbf16, Mat>]>
        // expected-error@+1 {{'smem' has 2 columns}}
        %4 = pto.tile.load %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> !pto.tile<2x2xbf16, Mat>
        %5 = pto.tile.load %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> !pto.tile<2x2xbf16, Mat>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<2x2xbf16, Mat>, !pto.tile<2x2xbf16, Mat>]>, !pto.tile<2x2xbf16, Mat>, !pto.tile<2x2xbf16, Mat>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : !pto.tile<2x2xf32, Acc>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<2x2xf32, Acc>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<2x2xbf16, Mat>, !pto.tile<2x2xbf16, Mat>]> -> !pto.tile<2x2xbf16, Mat>, !pto.tile<2x2xbf16, Mat>
      %11 = pto.tile.mov.m2l %9 : !pto.tile<2x2xbf16, Mat> -> !pto.tile<2x2xbf16, Left>
      %12 = pto.tile.mov.m2r %10 : !pto.tile<2x2xbf16, Mat> -> !pto.tile<2x2xbf16, Right>
      %13 = pto.tile.matmul.acc %8, %11, %12 : !pto.tile<2x2xf32, Acc>, !pto.tile<2x2xbf16, Left>, !pto.tile<2x2xbf16, Right>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<2x2xbf16, Mat>, !pto.tile<2x2xbf16, Mat>]>
      scf.yield %13 : !pto.tile<2x2xf32, Acc>
    }
    %14 = pto.tile.mov.a2v %7 : !pto.tile<2x2xf32, Acc> -> !pto.tile<2x2xf32>
    pto.tile.store %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : !pto.tile<2x2xf32>, memref<32x32xf32>
  }
}
