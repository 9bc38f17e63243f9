// RUN: ptir-opt %s -p region-to-pto --split-input-file | filecheck %s

// Operands of two types: fp8 stays fp8 up to the product, each side of its own kind; the epilogue casts the sums.

// CHECK: pto.channel : !pto.channel<2, [!pto.tile<64x128xf8E4M3FN, #pto.tile_info<loc=Mat>>, !pto.tile<128x16xf8E5M2, #pto.tile_info<loc=Mat, layout=DN>>]>
// CHECK: pto.tile.load.map %x[{{.*}} : memref<64x128xf8E4M3FN> -> tile<64x128xf8E4M3FN, #pto.tile_info<loc=Mat>>
// CHECK: pto.tile.load.map %w[{{.*}} : memref<64x128xf8E5M2> -> tile<128x16xf8E5M2, #pto.tile_info<loc=Mat, layout=DN>>
// CHECK: pto.tile.matmul.acc {{.*}} : tile<64x16xf32, #pto.tile_info<loc=Acc>>, tile<64x128xf8E4M3FN, #pto.tile_info<loc=Left>>, tile<128x16xf8E5M2, #pto.tile_info<loc=Right>> -> tile<64x16xf32, #pto.tile_info<loc=Acc>>
// CHECK: %[[SUM:.*]] = pto.tile.mov.a2v {{.*}} -> tile<64x16xf32>
// CHECK-NEXT: %[[OUT:.*]] = pto.tile.cvt %[[SUM]] : tile<64x16xf32> -> tile<64x16xf8E5M2>
// CHECK-NEXT: pto.tile.store.map %[[OUT]],

region.kernel @f(%x: memref<64x128xf8E4M3FN> align 16, %w: memref<64x128xf8E5M2> align 16) -> (%y: memref<64x64xf8E5M2> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 16, 128], stages = 2, warp_tile = "64x16", roles = "cooperative", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 4}, epilogue = ["cast"]}> {
  %0 = region.load %x : memref<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
  %1 = region.load %w : memref<64x128xf8E5M2> -> tensor<64x128xf8E5M2>
  %2 = tiny.movement reshape %0 : tensor<64x128xf8E4M3FN> -> tensor<64x1x128xf8E4M3FN>
  %3 = tiny.unary cast %2 : tensor<64x1x128xf8E4M3FN> -> tensor<64x1x128xf32>
  %4 = tiny.movement reshape %1 : tensor<64x128xf8E5M2> -> tensor<1x64x128xf8E5M2>
  %5 = tiny.unary cast %4 : tensor<1x64x128xf8E5M2> -> tensor<1x64x128xf32>
  %6 = tiny.binary mul %3, %5 : (tensor<64x1x128xf32>, tensor<1x64x128xf32>) -> tensor<64x64x128xf32>
  %7 = tiny.reduce sum %6 axes [2] accum f32 : tensor<64x64x128xf32> -> tensor<64x64xf32>
  %8 = tiny.unary cast %7 : tensor<64x64xf32> -> tensor<64x64xf8E5M2>
  region.yield %8 : tensor<64x64xf8E5M2>
}

// -----

// The same on bytes of two signs, as Cᵀ, for warps.

// CHECK: pto.channel : !pto.channel<2, [!pto.tile<32x16xui8, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<16x32xsi8, #pto.tile_info<loc=Mat>>]>
// CHECK: pto.tile.load.map %u[{{.*}} : memref<64x128xui8> -> tile<32x16xui8, #pto.tile_info<loc=Mat, layout=DN>>
// CHECK: pto.tile.load.map %s[{{.*}} : memref<64x128xsi8> -> tile<16x32xsi8, #pto.tile_info<loc=Mat>>
// CHECK: pto.tile.expands 0 : i32 : tile<16x16xi32, #pto.tile_info<loc=Acc>>
// CHECK: pto.tile.matmul.acc {{.*}} : tile<16x16xi32, #pto.tile_info<loc=Acc>>, tile<16x32xsi8, #pto.tile_info<loc=Left>>, tile<32x16xui8, #pto.tile_info<loc=Right>> -> tile<16x16xi32, #pto.tile_info<loc=Acc>>

region.kernel @g(%u: memref<64x128xui8> align 16, %s: memref<64x128xsi8> align 16) -> (%y: memref<64x64xi32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 32], stages = 2, warp_tile = "16x16", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "m.i.i", width = 4}, layout_hints = {C_stride = "col"}}> {
  %0 = region.load %u : memref<64x128xui8> -> tensor<64x128xui8>
  %1 = region.load %s : memref<64x128xsi8> -> tensor<64x128xsi8>
  %2 = tiny.movement reshape %0 : tensor<64x128xui8> -> tensor<64x1x128xui8>
  %3 = tiny.unary cast %2 : tensor<64x1x128xui8> -> tensor<64x1x128xi32>
  %4 = tiny.movement reshape %1 : tensor<64x128xsi8> -> tensor<1x64x128xsi8>
  %5 = tiny.unary cast %4 : tensor<1x64x128xsi8> -> tensor<1x64x128xi32>
  %6 = tiny.binary mul %3, %5 : (tensor<64x1x128xi32>, tensor<1x64x128xi32>) -> tensor<64x64x128xi32>
  %7 = tiny.reduce sum %6 axes [2] accum i32 : tensor<64x64x128xi32> -> tensor<64x64xi32>
  region.yield %7 : tensor<64x64xi32>
}
