// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,form-regions' --explain-plan -o /dev/null 2>&1 | filecheck %s

// A pooling of a convolution is a kernel of its own.
// CHECK: pooling_not_fused.mlir:8:8: this pooling and the convolution before it are not one kernel: a tile of it has pixels in row-major order
builtin.module attributes {ptir.extensions} {
func.func @pooled(%x: tensor<2x16x16x32xbf16>, %w: tensor<3x3x32x64xbf16>) -> tensor<2x8x8x64xf32> {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] accum f32 out f32 : (tensor<2x16x16x32xbf16>, tensor<3x3x32x64xbf16>) -> tensor<2x16x16x64xf32>
  %1 = ptir.reduce_window max %0 window [1, 2, 2, 1] strides [1, 2, 2, 1] : tensor<2x16x16x64xf32> -> tensor<2x8x8x64xf32>
  func.return %1 : tensor<2x8x8x64xf32>
}
}

// -----

// Nothing is said of a pooling of an argument, nor of a sum of whole images.
// CHECK-NOT: this pooling
builtin.module attributes {ptir.extensions} {
func.func @others(%x: tensor<2x16x16x32xbf16>, %w: tensor<3x3x32x64xbf16>) -> (tensor<2x8x8x32xbf16>, tensor<2x64xf32>) {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] accum f32 out f32 : (tensor<2x16x16x32xbf16>, tensor<3x3x32x64xbf16>) -> tensor<2x16x16x64xf32>
  %1 = ptir.reduce_window max %x window [1, 2, 2, 1] strides [1, 2, 2, 1] : tensor<2x16x16x32xbf16> -> tensor<2x8x8x32xbf16>
  %2 = ptir.reduce sum %0 axes [1, 2] : tensor<2x16x16x64xf32> -> tensor<2x64xf32>
  func.return %1, %2 : tensor<2x8x8x32xbf16>, tensor<2x64xf32>
}
}
