// RUN: ptir-opt %s -p region-to-pto | filecheck %s

// Two reductions share the loop over rows, so that rows are read once; rows beyond the last one are neutral. What follows is
// computed on tiles of one row.

// CHECK: pto.kernel @moments
// CHECK: pto.tiles (%b0, %m, %n) in [3, 2, 64] step [1, 1, 64] {
// CHECK-NEXT: %[[ZERO:.*]] = pto.tile.expands 0.000000e+00 : f32 : tile<32x64xf32>
// CHECK: %[[SUMS:.*]], %[[MORE:.*]] = scf.for %r = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[S:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}}) -> (!pto.tile<32x64xf32>, !pto.tile<32x64xf32>) {
// CHECK: %[[X:.*]] = pto.tile.load.map %x[%b0, %m, %n, %r] by <"{ [i0, i1, i2, i3] -> [(i0), (i3), (i1), (i2)] }"> in [3, 2, 64, 100] dims [3, 2] : memref<3x100x2x64xf32> -> tile<32x64xf32>
// CHECK-NOT: pto.tile.load.map
// CHECK: pto.tile.mask[%b0, %m, %n, %r] in [3, 2, 64, 100] dims [3, 2] : tile<32x64xi1>
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-DAG: pto.tile.colsum %[[SUMS]] : tile<32x64xf32> -> tile<1x64xf32>
// CHECK-DAG: pto.tile.colsum %[[MORE]] : tile<32x64xf32> -> tile<1x64xf32>
// CHECK: pto.tile.sub %{{.*}}, %{{.*}} : tile<1x64xf32>
// CHECK-NEXT: pto.tile.store.map %{{.*}}, %y[%b0, %m, %n] by <"{ [i0, i1, i2] -> [(i0), (i1), (i2)] }"> in [3, 2, 64] dims [1, 2] : tile<1x64xf32>
region.kernel @moments(%x: memref<3x100x2x64xf32> align 16, %w: memref<2xf32> align 16) -> (%y: memref<3x2x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 64], warp_tile = "8x64", bind = {m.o = "block.y", n.o = "block.x"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["mul", "mul", "sub"], algo_choice = {reduce = "columns"}}> {
  %0 = region.load %x : memref<3x100x2x64xf32> -> tensor<3x100x2x64xf32>
  %w0 = region.load %w : memref<2xf32> -> tensor<2xf32>
  %1 = tiny.binary mul %0, %0 : (tensor<3x100x2x64xf32>, tensor<3x100x2x64xf32>) -> tensor<3x100x2x64xf32>
  %2 = tiny.reduce sum %0 axes [1] accum f32 : tensor<3x100x2x64xf32> -> tensor<3x2x64xf32>
  %3 = tiny.reduce sum %1 axes [1] accum f32 : tensor<3x100x2x64xf32> -> tensor<3x2x64xf32>
  %4 = tiny.movement reshape %w0 : tensor<2xf32> -> tensor<2x1xf32>
  %5 = tiny.binary mul %3, %4 : (tensor<3x2x64xf32>, tensor<2x1xf32>) -> tensor<3x2x64xf32>
  %6 = tiny.binary sub %2, %5 : (tensor<3x2x64xf32>, tensor<3x2x64xf32>) -> tensor<3x2x64xf32>
  region.yield %6 : tensor<3x2x64xf32>
}

// Several axes are one, in row-major order.
// CHECK: pto.kernel @two_axes
// CHECK: scf.for
// CHECK: pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(floor((i2)/8)), ((i2) mod 8), (i1)] }"> in [1, 64, 24] dims [2, 1]
// CHECK: pto.tile.max
// CHECK: pto.tile.colmax
region.kernel @two_axes(%x: memref<3x8x64xf32> align 16) -> (%y: memref<64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 64], warp_tile = "4x64", bind = {m.o = "block.y", n.o = "block.x"}, vectorize = {axis = "n.i.i", width = 2}, algo_choice = {reduce = "columns"}}> {
  %0 = region.load %x : memref<3x8x64xf32> -> tensor<3x8x64xf32>
  %1 = tiny.reduce max %0 axes [0, 1] accum f32 : tensor<3x8x64xf32> -> tensor<64xf32>
  region.yield %1 : tensor<64xf32>
}

// A padded operand is loaded where it is inside.
// CHECK: pto.kernel @padded
// CHECK: pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(-1 + i2), (i1)] }"> in [1, 64, 10] dims [2, 1] where <"{ [i0, i1, i2] : 0 < i2 <= 8 }">
// CHECK-NEXT: pto.tile.mask
// CHECK-NEXT: pto.tile.expands 1.0
// CHECK-NEXT: pto.tile.sel
region.kernel @padded(%x: memref<8x64xf32> align 16) -> (%y: memref<64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 64], warp_tile = "4x64", bind = {m.o = "block.y", n.o = "block.x"}, vectorize = {axis = "n.i.i", width = 2}, algo_choice = {reduce = "columns"}}> {
  %0 = region.load %x : memref<8x64xf32> -> tensor<8x64xf32>
  %1 = tiny.movement pad %0 low [1, 0] high [1, 0] value 1.0 : f32 : tensor<8x64xf32> -> tensor<10x64xf32>
  %2 = tiny.reduce max %1 axes [0] accum f32 : tensor<10x64xf32> -> tensor<64xf32>
  region.yield %2 : tensor<64xf32>
}
