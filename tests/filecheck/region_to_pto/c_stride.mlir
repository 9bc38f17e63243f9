// RUN: ptir-opt %s -p region-to-pto --split-input-file | filecheck %s

// C_stride = "col": rows of tiles run along n, columns along m; A and B change sides and their tiles are transposed.

// CHECK: pto.kernel @k
// CHECK-NEXT: pto.tiles (%m, %n) in [4, 2] step [32, 16] {
// CHECK-NEXT: %ring = pto.channel : !pto.channel<2, [!pto.tile<16x32xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
// CHECK: %[[A:.*]] = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [4, 2, 90] dims [2, 0] : memref<4x90xbf16> -> tile<16x32xbf16, #pto.tile_info<loc=Mat, layout=DN>>
// CHECK-NEXT: %[[B:.*]] = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [4, 2, 90] dims [1, 2] : memref<90x2xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>
// CHECK-NEXT: pto.channel.commit %ring, %[[A]], %[[B]]
// CHECK: %[[AT:.*]], %[[BT:.*]] = pto.channel.wait %ring
// CHECK-NEXT: %[[L:.*]] = pto.tile.mov.m2l %[[BT]] : tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
// CHECK-NEXT: %[[R:.*]] = pto.tile.mov.m2r %[[AT]] : tile<16x32xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<16x32xbf16, #pto.tile_info<loc=Right>>
// CHECK-NEXT: pto.tile.matmul.acc %{{.*}}, %[[L]], %[[R]] : tile<16x32xf32, #pto.tile_info<loc=Acc>>
// CHECK: pto.tile.store.map %{{.*}}, %y[%m, %n] by <"{ [i0, i1] -> [(i1), (i0)] }"> in [4, 2] dims [1, 0] : tile<16x32xf32>, memref<2x4xf32>
region.kernel @k(%x: memref<4x90xbf16> align 16, %w: memref<90x2xbf16> align 16) -> (%y: memref<2x4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 16, 16], stages = 2, warp_tile = "32x16", layout_hints = {C_stride = "col"}, cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "m.i.i", width = 2}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"], epilogue = ["tanh"]}> {
  %0 = region.load %x : memref<4x90xbf16> -> tensor<4x90xbf16>
  %1 = region.load %w : memref<90x2xbf16> -> tensor<90x2xbf16>
  %2 = tiny.unary cast %0 : tensor<4x90xbf16> -> tensor<4x90xf32>
  %3 = tiny.unary cast %1 : tensor<90x2xbf16> -> tensor<90x2xf32>
  %4 = tiny.movement reshape %2 : tensor<4x90xf32> -> tensor<4x90x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<4x90x1xf32>, tensor<90x2xf32>) -> tensor<4x90x2xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<4x90x2xf32> -> tensor<4x2xf32>
  %7 = tiny.movement permute %6 by [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  %8 = tiny.unary tanh %7 : tensor<2x4xf32> -> tensor<2x4xf32>
  region.yield %8 : tensor<2x4xf32>
}

// -----

// "row" says what is done without a hint.

// CHECK: pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
// CHECK: pto.tile.store.map %{{.*}}, %y[%m, %n] by <"{ [i0, i1] -> [(i1), (i0)] }"> in [4, 2] dims [0, 1] : tile<32x16xf32>, memref<2x4xf32>
region.kernel @k(%x: memref<4x90xbf16> align 16, %w: memref<90x2xbf16> align 16) -> (%y: memref<2x4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 16, 16], stages = 2, warp_tile = "32x16", layout_hints = {C_stride = "row"}, cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"], epilogue = ["tanh"]}> {
  %0 = region.load %x : memref<4x90xbf16> -> tensor<4x90xbf16>
  %1 = region.load %w : memref<90x2xbf16> -> tensor<90x2xbf16>
  %2 = tiny.unary cast %0 : tensor<4x90xbf16> -> tensor<4x90xf32>
  %3 = tiny.unary cast %1 : tensor<90x2xbf16> -> tensor<90x2xf32>
  %4 = tiny.movement reshape %2 : tensor<4x90xf32> -> tensor<4x90x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<4x90x1xf32>, tensor<90x2xf32>) -> tensor<4x90x2xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<4x90x2xf32> -> tensor<4x2xf32>
  %7 = tiny.movement permute %6 by [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  %8 = tiny.unary tanh %7 : tensor<2x4xf32> -> tensor<2x4xf32>
  region.yield %8 : tensor<2x4xf32>
}
