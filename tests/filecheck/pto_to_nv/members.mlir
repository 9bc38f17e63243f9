// RUN: ptir-opt %s -p 'ptir-to-tiny,form-regions{arch=sm80},plan-regions{arch=sm80},region-to-pto,pto-to-nv' | filecheck %s

// A warp multiplies one product after the other, each into an accumulator, and an epilogue combines their elements.
// CHECK:      nv.ldmatrix %smem_a
// CHECK-NEXT: nv.ldmatrix %smem_b
// CHECK-NEXT: nv.mma_sync %acc,
// CHECK-NEXT: nv.ldmatrix %smem_a1
// CHECK-NEXT: nv.ldmatrix %smem_b1
// CHECK-NEXT: nv.mma_sync %acc_1,
// CHECK:      nv.epilogue %acc : !nv.frag<16x8xf32, C of m16n8k16> with %acc_1 : !nv.frag<16x8xf32, C of m16n8k16>
// CHECK-NEXT: ^bb{{.*}}(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT: arith.mulf %[[A]], %[[B]] : f32
func.func @products(%x: tensor<2x16x16xbf16>, %w: tensor<2x16x8xbf16>) -> tensor<16x8xf32> {
  %0 = ptir.dot_general %x, %w batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x16x16xbf16>, tensor<2x16x8xbf16>) -> tensor<2x16x8xf32>
  %1 = ptir.slice %0 [0, 0, 0] : tensor<2x16x8xf32> -> tensor<1x16x8xf32>
  %2 = ptir.slice %0 [1, 0, 0] : tensor<2x16x8xf32> -> tensor<1x16x8xf32>
  %3 = ptir.mul %1, %2 : tensor<1x16x8xf32>
  %4 = ptir.reshape %3 : tensor<1x16x8xf32> -> tensor<16x8xf32>
  func.return %4 : tensor<16x8xf32>
}
