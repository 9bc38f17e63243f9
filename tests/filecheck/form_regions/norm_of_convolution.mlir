// RUN: ptir-opt %s -p ptir-to-tiny,form-regions | filecheck %s

// A group norm of a convolution and its bias: the convolution stores what the norm reads, and the norm is one kernel, both of whose
// reductions read the same rows.

// CHECK: region.kernel @norm_0
// CHECK: tiny.reduce sum
// CHECK: tiny.binary add
// CHECK: region.kernel @norm_1
// CHECK: tiny.reduce sum
// CHECK: tiny.reduce sum
// CHECK-NOT: region.kernel
// CHECK: func.func @norm

builtin.module attributes {ptir.extensions} {
func.func @norm(%x: tensor<2x6x6x16xbf16>, %w: tensor<3x3x16x8xbf16>, %b: tensor<8xf32>) -> tensor<2x36x2x4xf32> {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] accum f32 out f32 : (tensor<2x6x6x16xbf16>, tensor<3x3x16x8xbf16>) -> tensor<2x6x6x8xf32>
  %1 = ptir.broadcast_to %b : tensor<8xf32> -> tensor<2x6x6x8xf32>
  %2 = ptir.add %0, %1 : tensor<2x6x6x8xf32>
  %3 = ptir.reshape %2 : tensor<2x6x6x8xf32> -> tensor<2x36x2x4xf32>
  %4 = ptir.reduce sum %3 axes [1, 3] keepdims accum f32 : tensor<2x36x2x4xf32> -> tensor<2x1x2x1xf32>
  %5 = ptir.broadcast_to %4 : tensor<2x1x2x1xf32> -> tensor<2x36x2x4xf32>
  %6 = ptir.sub %3, %5 : tensor<2x36x2x4xf32>
  %7 = ptir.mul %6, %6 : tensor<2x36x2x4xf32>
  %8 = ptir.reduce sum %7 axes [1, 3] keepdims accum f32 : tensor<2x36x2x4xf32> -> tensor<2x1x2x1xf32>
  %9 = ptir.broadcast_to %8 : tensor<2x1x2x1xf32> -> tensor<2x36x2x4xf32>
  %10 = ptir.div %6, %9 : tensor<2x36x2x4xf32>
  func.return %10 : tensor<2x36x2x4xf32>
}
}
