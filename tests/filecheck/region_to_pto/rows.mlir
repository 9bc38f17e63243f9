// RUN: ptir-opt %s -p region-to-pto | filecheck %s

// A tile holds whole rows. Each reduction gives one element a row, which is repeated where elements of the row read it;
// beyond the row's end, its elements are neutral.

// CHECK: pto.kernel @softmax
// CHECK: pto.tiles (%m, %n) in [4, 6] step [4, 64] {
// CHECK-NEXT: %[[X:.*]] = pto.tile.load %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 6] dims [0, 1] : memref<4x6xf32> -> !pto.tile<4x64xf32>
// CHECK-NEXT: %[[IN:.*]] = pto.tile.mask{{ ?}}[%m, %n] in [4, 6] dims [0, 1] : !pto.tile<4x64xi1>
// CHECK-NEXT: %[[LEAST:.*]] = pto.tile.expands 0xFF800000 : f32 : !pto.tile<4x64xf32>
// CHECK-NEXT: %[[ROW:.*]] = pto.tile.sel %[[IN]], %[[X]], %[[LEAST]]
// CHECK-NEXT: %[[MAX:.*]] = pto.tile.rowmax %[[ROW]] : !pto.tile<4x64xf32> -> !pto.tile<4x1xf32>
// CHECK-NEXT: %[[MAXES:.*]] = pto.tile.rowexpand %[[MAX]] : !pto.tile<4x1xf32> -> !pto.tile<4x64xf32>
// CHECK-NEXT: %[[D:.*]] = pto.tile.sub %[[X]], %[[MAXES]]
// CHECK-NEXT: %[[E:.*]] = pto.tile.exp %[[D]]
// CHECK: %[[ZERO:.*]] = pto.tile.expands 0.000000e+00 : f32 : !pto.tile<4x64xf32>
// CHECK-NEXT: %[[ROW:.*]] = pto.tile.sel %{{.*}}, %[[E]], %[[ZERO]]
// CHECK-NEXT: %[[SUM:.*]] = pto.tile.rowsum %[[ROW]] : !pto.tile<4x64xf32> -> !pto.tile<4x1xf32>
// CHECK-NEXT: %[[SUMS:.*]] = pto.tile.rowexpand %[[SUM]]
// CHECK-NEXT: %[[Y:.*]] = pto.tile.div %[[E]], %[[SUMS]]
// CHECK-NEXT: pto.tile.store %[[Y]], %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 6] dims [0, 1]
region.kernel @softmax(%x: memref<4x6xf32> align 16) -> (%y: memref<4x6xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 64], warp_tile = "1x64", vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["n.i.i"], epilogue = ["sub", "exp", "div"]}> {
  %0 = region.load %x : memref<4x6xf32> -> tensor<4x6xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<4x6xf32> -> tensor<4xf32>
  %2 = tiny.movement reshape %1 : tensor<4xf32> -> tensor<4x1xf32>
  %3 = tiny.binary sub %0, %2 : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %4 = tiny.unary exp %3 : tensor<4x6xf32> -> tensor<4x6xf32>
  %5 = tiny.reduce sum %4 axes [1] accum f32 : tensor<4x6xf32> -> tensor<4xf32>
  %6 = tiny.movement reshape %5 : tensor<4xf32> -> tensor<4x1xf32>
  %7 = tiny.binary div %4, %6 : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  region.yield %7 : tensor<4x6xf32>
}

// What does not depend on the column is computed once a row. A tile of the row's length needs no mask.
// CHECK: pto.kernel @sums
// CHECK-NOT: pto.tile.mask
// CHECK: %[[S:.*]] = pto.tile.rowsum %{{.*}} : !pto.tile<4x64xf32> -> !pto.tile<4x1xf32>
// CHECK-NEXT: %[[B:.*]] = pto.tile.load %b[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [4, 64] dims [0, 1] : memref<4xf32> -> !pto.tile<4x1xf32>
// CHECK-NEXT: %[[Y:.*]] = pto.tile.add %[[S]], %[[B]] : !pto.tile<4x1xf32>
// CHECK-NEXT: pto.tile.store %[[Y]], %y[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [4, 64] dims [0, 1] : !pto.tile<4x1xf32>, memref<4xf32>
region.kernel @sums(%x: memref<4x64xbf16> align 16, %b: memref<4xf32> align 16) -> (%y: memref<4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 64], warp_tile = "1x64", vectorize = {axis = "n.i.i", width = 2}, epilogue = ["cast", "add"]}> {
  %0 = region.load %x : memref<4x64xbf16> -> tensor<4x64xbf16>
  %1 = region.load %b : memref<4xf32> -> tensor<4xf32>
  %2 = tiny.unary cast %0 : tensor<4x64xbf16> -> tensor<4x64xf32>
  %3 = tiny.reduce sum %2 axes [1] accum f32 : tensor<4x64xf32> -> tensor<4xf32>
  %4 = tiny.binary add %3, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  region.yield %4 : tensor<4xf32>
}

// Outputs of one element a row and of whole rows.
// CHECK: pto.kernel @both
// CHECK: %[[P:.*]] = pto.tile.rowprod %[[X:.*]] : !pto.tile<4x64xf32> -> !pto.tile<4x1xf32>
// CHECK-NEXT: pto.tile.store %[[P]], %p[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [4, 64] dims [0, 1] : !pto.tile<4x1xf32>, memref<4xf32>
// CHECK-NEXT: %[[PS:.*]] = pto.tile.rowexpand %[[P]]
// CHECK-NEXT: %[[Y:.*]] = pto.tile.mul %[[X]], %[[PS]]
// CHECK-NEXT: pto.tile.store %[[Y]], %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }">
region.kernel @both(%x: memref<4x64xf32> align 16) -> (%p: memref<4xf32> align 256 gmem, %y: memref<4x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 64], warp_tile = "1x64", vectorize = {axis = "n.i.i", width = 2}, epilogue = ["mul"]}> {
  %0 = region.load %x : memref<4x64xf32> -> tensor<4x64xf32>
  %1 = tiny.reduce mul %0 axes [1] accum f32 : tensor<4x64xf32> -> tensor<4xf32>
  %2 = tiny.movement reshape %1 : tensor<4xf32> -> tensor<4x1xf32>
  %3 = tiny.binary mul %0, %2 : (tensor<4x64xf32>, tensor<4x1xf32>) -> tensor<4x64xf32>
  region.yield %1, %3 : tensor<4xf32>, tensor<4x64xf32>
}
