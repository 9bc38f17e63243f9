// RUN: ptir-opt %s -p region-to-pto | filecheck %s

// A weight that is scaled in the prologue: the ring holds bytes, its tiles are computed with between the wait and the product. The
// last step of k is longer than what is left of it: there the operand is zero.

// CHECK: %ring = pto.channel : !pto.channel<2, [!pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x16xsi8, #pto.tile_info<loc=Mat>>]>
// CHECK: pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [64, 64, 96] dims [2, 1] : memref<96x64xsi8> -> tile<64x16xsi8, #pto.tile_info<loc=Mat>>
// CHECK: %[[A:.*]], %[[Q:.*]] = pto.channel.wait %ring
// CHECK-NEXT: %[[L:.*]] = pto.tile.mov.m2l %[[A]] : tile<16x64xbf16, #pto.tile_info<loc=Mat>> -> tile<16x64xbf16, #pto.tile_info<loc=Left>>
// CHECK-NEXT: %[[V:.*]] = pto.tile.mov.m2v %[[Q]] : tile<64x16xsi8, #pto.tile_info<loc=Mat>> -> tile<64x16xsi8>
// CHECK-NEXT: %[[F:.*]] = pto.tile.cvt %[[V]] : tile<64x16xsi8> -> tile<64x16xf32>
// CHECK-NEXT: %[[S:.*]] = pto.tile.load.map %s[%m, %n, %k_1] by <"{ [i0, i1, i2] -> [(i1)] }"> in [64, 64, 96] dims [2, 1] : memref<64xf32> -> tile<64x16xf32>
// CHECK-NEXT: %[[P:.*]] = pto.tile.mul %[[F]], %[[S]] : tile<64x16xf32>
// CHECK-NEXT: %[[B:.*]] = pto.tile.cvt %[[P]] : tile<64x16xf32> -> tile<64x16xbf16>
// CHECK-NEXT: %[[IN:.*]] = pto.tile.mask[%m, %n, %k_1] in [64, 64, 96] dims [2, 1] : tile<64x16xi1>
// CHECK-NEXT: %[[Z:.*]] = pto.tile.expands 0.000000e+00 : bf16 : tile<64x16xbf16>
// CHECK-NEXT: %[[G:.*]] = pto.tile.sel %[[IN]], %[[B]], %[[Z]]
// CHECK-NEXT: %[[R:.*]] = pto.tile.mov.v2r %[[G]] : tile<64x16xbf16> -> tile<64x16xbf16, #pto.tile_info<loc=Right>>
// CHECK-NEXT: pto.tile.matmul.acc %{{.*}}, %[[L]], %[[R]]

region.kernel @f_0(%x: memref<64x96xbf16> align 16, %w: memref<96x64xsi8> align 16, %s: memref<64xf32> align 16) -> (%y: memref<64x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 64], stages = 2, warp_tile = "16x16", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 4}, predicate_tail = ["k.i.i"]}> {
  %x_1 = region.load %x : memref<64x96xbf16> -> tensor<64x96xbf16>
  %w_1 = region.load %w : memref<96x64xsi8> -> tensor<96x64xsi8>
  %s_1 = region.load %s : memref<64xf32> -> tensor<64xf32>
  %wf = tiny.unary cast %w_1 : tensor<96x64xsi8> -> tensor<96x64xf32>
  %se = tiny.movement expand %s_1 : tensor<64xf32> -> tensor<96x64xf32>
  %ws = tiny.binary mul %wf, %se : (tensor<96x64xf32>, tensor<96x64xf32>) -> tensor<96x64xf32>
  %wb = tiny.unary cast %ws : tensor<96x64xf32> -> tensor<96x64xbf16>
  %h0 = tiny.movement reshape %x_1 : tensor<64x96xbf16> -> tensor<64x96x1xbf16>
  %h0_1 = tiny.unary cast %h0 : tensor<64x96x1xbf16> -> tensor<64x96x1xf32>
  %h0_2 = tiny.movement reshape %wb : tensor<96x64xbf16> -> tensor<1x96x64xbf16>
  %h0_3 = tiny.unary cast %h0_2 : tensor<1x96x64xbf16> -> tensor<1x96x64xf32>
  %h0_4 = tiny.binary mul %h0_1, %h0_3 : (tensor<64x96x1xf32>, tensor<1x96x64xf32>) -> tensor<64x96x64xf32>
  %h0_5 = tiny.reduce sum %h0_4 axes [1] accum f32 : tensor<64x96x64xf32> -> tensor<64x64xf32>
  region.yield %h0_5 : tensor<64x64xf32>
}


// As Cᵀ, in parts of k: the tiles are transposed, and each part begins at its own k. Nothing is left of the last step: no mask.

// CHECK-LABEL: pto.kernel @parts
// CHECK: pto.channel : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<16x32xsi8, #pto.tile_info<loc=Mat, layout=DN>>]>
// CHECK: %first = arith.muli %s_1
// CHECK: %at_1 = arith.addi %first, %k_1 : index
// CHECK: %[[A:.*]], %[[Q:.*]] = pto.channel.wait
// CHECK-NEXT: %[[V:.*]] = pto.tile.mov.m2v %[[Q]] : tile<16x32xsi8, #pto.tile_info<loc=Mat, layout=DN>> -> tile<16x32xsi8>
// CHECK: pto.tile.load.map %s[%m, %n, %at_1] by <"{ [i0, i1, i2] -> [(i1)] }"> in [64, 64, 128] dims [1, 2] : memref<64xf32> -> tile<16x32xf32>
// CHECK-NOT: pto.tile.mask
// CHECK: pto.tile.mov.v2l %{{.*}} : tile<16x32xbf16> -> tile<16x32xbf16, #pto.tile_info<loc=Left>>
// CHECK-NEXT: pto.tile.mov.m2r %[[A]] : tile<32x16xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<32x16xbf16, #pto.tile_info<loc=Right>>

region.kernel @parts(%x: memref<64x128xbf16> align 16, %w: memref<128x64xsi8> align 16, %s: memref<64xf32> align 16) -> (%y: memref<64x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 32], stages = 2, warp_tile = "16x16", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "m.i.i", width = 4}, layout_hints = {C_stride = "col"}, split = 2, algo_choice = {matmul = "splitk_serial"}}> {
  %x_1 = region.load %x : memref<64x128xbf16> -> tensor<64x128xbf16>
  %w_1 = region.load %w : memref<128x64xsi8> -> tensor<128x64xsi8>
  %s_1 = region.load %s : memref<64xf32> -> tensor<64xf32>
  %wf = tiny.unary cast %w_1 : tensor<128x64xsi8> -> tensor<128x64xf32>
  %se = tiny.movement expand %s_1 : tensor<64xf32> -> tensor<128x64xf32>
  %ws = tiny.binary mul %wf, %se : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
  %wb = tiny.unary cast %ws : tensor<128x64xf32> -> tensor<128x64xbf16>
  %h0 = tiny.movement reshape %x_1 : tensor<64x128xbf16> -> tensor<64x128x1xbf16>
  %h0_1 = tiny.unary cast %h0 : tensor<64x128x1xbf16> -> tensor<64x128x1xf32>
  %h0_2 = tiny.movement reshape %wb : tensor<128x64xbf16> -> tensor<1x128x64xbf16>
  %h0_3 = tiny.unary cast %h0_2 : tensor<1x128x64xbf16> -> tensor<1x128x64xf32>
  %h0_4 = tiny.binary mul %h0_1, %h0_3 : (tensor<64x128x1xf32>, tensor<1x128x64xf32>) -> tensor<64x128x64xf32>
  %h0_5 = tiny.reduce sum %h0_4 axes [1] accum f32 : tensor<64x128x64xf32> -> tensor<64x64xf32>
  region.yield %h0_5 : tensor<64x64xf32>
}

