// RUN: ptir-opt %s -p region-to-pto | filecheck %s

// A product whose rows are reduced after it: vector ops on whole rows follow the move out of the accumulator. Beyond the end of the
// rows, elements are neutral.

// CHECK: %[[V:.*]] = pto.tile.mov.a2v %{{.*}} : tile<32x16xf32, #pto.tile_info<loc=Acc>> -> tile<32x16xf32>
// CHECK-NEXT: %[[IN:.*]] = pto.tile.mask[%m, %n] in [40, 12] dims [0, 1] : tile<32x16xi1>
// CHECK-NEXT: %[[LEAST:.*]] = pto.tile.expands 0xFF800000 : f32 : tile<32x16xf32>
// CHECK-NEXT: %[[S:.*]] = pto.tile.sel %[[IN]], %[[V]], %[[LEAST]]
// CHECK-NEXT: %[[M:.*]] = pto.tile.rowmax %[[S]] : tile<32x16xf32> -> tile<32x1xf32>
// CHECK-NEXT: %[[E:.*]] = pto.tile.rowexpand %[[M]] : tile<32x1xf32> -> tile<32x16xf32>
// CHECK-NEXT: %[[D:.*]] = pto.tile.sub %[[V]], %[[E]]
// CHECK-NEXT: pto.tile.store.map %[[D]], %y

region.kernel @f(%x: memref<40x64xbf16> align 16, %w: memref<64x12xbf16> align 16) -> (%y: memref<40x12xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 16, 32], stages = 2, warp_tile = "16x16", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 4}, predicate_tail = ["m.i.i", "n.i.i"], epilogue = ["sub"]}> {
  %0 = region.load %x : memref<40x64xbf16> -> tensor<40x64xbf16>
  %1 = region.load %w : memref<64x12xbf16> -> tensor<64x12xbf16>
  %2 = tiny.movement reshape %0 : tensor<40x64xbf16> -> tensor<40x64x1xbf16>
  %3 = tiny.unary cast %2 : tensor<40x64x1xbf16> -> tensor<40x64x1xf32>
  %4 = tiny.movement reshape %1 : tensor<64x12xbf16> -> tensor<1x64x12xbf16>
  %5 = tiny.unary cast %4 : tensor<1x64x12xbf16> -> tensor<1x64x12xf32>
  %6 = tiny.binary mul %3, %5 : (tensor<40x64x1xf32>, tensor<1x64x12xf32>) -> tensor<40x64x12xf32>
  %7 = tiny.reduce sum %6 axes [1] accum f32 : tensor<40x64x12xf32> -> tensor<40x12xf32>
  %8 = tiny.reduce max %7 axes [1] accum f32 : tensor<40x12xf32> -> tensor<40xf32>
  %9 = tiny.movement reshape %8 : tensor<40xf32> -> tensor<40x1xf32>
  %10 = tiny.movement expand %9 : tensor<40x1xf32> -> tensor<40x12xf32>
  %11 = tiny.binary sub %7, %10 : (tensor<40x12xf32>, tensor<40x12xf32>) -> tensor<40x12xf32>
  region.yield %11 : tensor<40x12xf32>
}
