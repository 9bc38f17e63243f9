// RUN: ptir-opt %s -p 'ptir-to-tiny,form-regions{arch=sm80},plan-regions{arch=sm80},region-to-pto' --split-input-file --validate-passes | filecheck %s

// The epilogue combines both products of a batch: each has an accumulator, and the batch is no axis of the tiles.
// CHECK-LABEL: pto.kernel @products_0
// CHECK:      pto.tiles (%m, %n) in [16, 8]
// CHECK:      %[[FIRST:.*]], %[[SECOND:.*]] = scf.for
// CHECK-COUNT-2: pto.tile.matmul.acc
// CHECK:      %[[A:.*]] = pto.tile.mov.a2v %[[FIRST]]
// CHECK-NEXT: %[[B:.*]] = pto.tile.mov.a2v %[[SECOND]]
// CHECK-NEXT: %[[C:.*]] = pto.tile.mul %[[A]], %[[B]]
// CHECK-NEXT: pto.tile.store.map %[[C]], %{{.*}} in [16, 8] dims [0, 1]
func.func @products(%x: tensor<2x16x16xbf16>, %w: tensor<2x16x8xbf16>) -> tensor<16x8xf32> {
  %0 = ptir.dot_general %x, %w batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x16x16xbf16>, tensor<2x16x8xbf16>) -> tensor<2x16x8xf32>
  %1 = ptir.slice %0 [0, 0, 0] : tensor<2x16x8xf32> -> tensor<1x16x8xf32>
  %2 = ptir.slice %0 [1, 0, 0] : tensor<2x16x8xf32> -> tensor<1x16x8xf32>
  %3 = ptir.mul %1, %2 : tensor<1x16x8xf32>
  %4 = ptir.reshape %3 : tensor<1x16x8xf32> -> tensor<16x8xf32>
  func.return %4 : tensor<16x8xf32>
}

// -----

// A row of the root is the sum or the difference of one position's products: each of two pieces has a store of its own, and the last row of one
// is beyond the end.
// CHECK-LABEL: pto.kernel @pieces_0
// CHECK:      pto.tile.add
// CHECK-NEXT: pto.tile.store.map %{{.*}} -> [(2i0), (i1)]
// CHECK:      pto.tile.sub
// CHECK-NEXT: pto.tile.store.map %{{.*}} -> [(1 + 2i0), (i1)]{{.*}} where <"{ [i0, i1] : i0 <= 14 }">
func.func @pieces(%x: tensor<2x16x16xbf16>, %w: tensor<2x16x8xbf16>) -> tensor<31x8xf32> {
  %0 = ptir.dot_general %x, %w batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x16x16xbf16>, tensor<2x16x8xbf16>) -> tensor<2x16x8xf32>
  %1 = ptir.slice %0 [0, 0, 0] : tensor<2x16x8xf32> -> tensor<1x16x8xf32>
  %2 = ptir.slice %0 [1, 0, 0] : tensor<2x16x8xf32> -> tensor<1x16x8xf32>
  %a = ptir.reshape %1 : tensor<1x16x8xf32> -> tensor<16x8xf32>
  %b = ptir.reshape %2 : tensor<1x16x8xf32> -> tensor<16x8xf32>
  %sum = ptir.add %a, %b : tensor<16x8xf32>
  %difference = ptir.sub %a, %b : tensor<16x8xf32>
  %3 = ptir.reshape %sum : tensor<16x8xf32> -> tensor<1x16x8xf32>
  %4 = ptir.reshape %difference : tensor<16x8xf32> -> tensor<1x16x8xf32>
  %5 = ptir.concat %3, %4 axis 0 : (tensor<1x16x8xf32>, tensor<1x16x8xf32>) -> tensor<2x16x8xf32>
  %6 = ptir.transpose %5 [1, 0, 2] : tensor<2x16x8xf32> -> tensor<16x2x8xf32>
  %7 = ptir.reshape %6 : tensor<16x2x8xf32> -> tensor<32x8xf32>
  %8 = ptir.slice %7 [0, 0] : tensor<32x8xf32> -> tensor<31x8xf32>
  func.return %8 : tensor<31x8xf32>
}
