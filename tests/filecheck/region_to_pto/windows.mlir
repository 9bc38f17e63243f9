// RUN: ptir-opt %s -p 'ptir-to-tiny,form-regions{arch=sm80},plan-regions{arch=sm80},region-to-pto' --validate-passes | filecheck %s

// Four adjacent rows are a window: each gets the window's maximum, and the first is stored.
// CHECK:      pto.tiles (%m, %n) in [64, 8]
// CHECK:      %[[A:.*]] = pto.tile.mov.a2v
// CHECK-NEXT: %[[B:.*]] = pto.tile.rowxor %[[A]] by 1
// CHECK-NEXT: %[[C:.*]] = pto.tile.max %[[A]], %[[B]]
// CHECK-NEXT: %[[D:.*]] = pto.tile.rowxor %[[C]] by 2
// CHECK-NEXT: %[[E:.*]] = pto.tile.max %[[C]], %[[D]]
// CHECK-NEXT: pto.tile.store.map %[[E]], %{{.*}} in [64, 8] dims [0, 1] where <"{ [i0, i1] : (i0) mod 4 = 0 }">
func.func @pooled(%x: tensor<64x16xbf16>, %w: tensor<16x8xbf16>) -> tensor<16x8xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<64x16xbf16>, tensor<16x8xbf16>) -> tensor<64x8xf32>
  %1 = ptir.reduce_window max %0 window [4, 1] strides [4, 1] : tensor<64x8xf32> -> tensor<16x8xf32>
  func.return %1 : tensor<16x8xf32>
}
