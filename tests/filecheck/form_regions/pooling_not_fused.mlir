// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,form-regions{arch=sm80 strategy=maximal}' --explain-plan -o /dev/null 2>&1 | filecheck %s

// Windows that overlap: a pooling has a kernel of its own, for a reason.
// CHECK: pooling_not_fused.mlir:8:8: this pooling and the convolution before it are not one kernel: its windows overlap: a kernel that holds each would compute 1.88 times as many elements
builtin.module attributes {ptir.extensions} {
func.func @overlapping(%x: tensor<2x17x16x32xbf16>, %w: tensor<3x3x32x64xbf16>) -> tensor<2x8x8x64xf32> {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] accum f32 out f32 : (tensor<2x17x16x32xbf16>, tensor<3x3x32x64xbf16>) -> tensor<2x17x16x64xf32>
  %1 = ptir.reduce_window max %0 window [1, 4, 2, 1] strides [1, 2, 2, 1] padding [(0, 0), (1, 0), (0, 0), (0, 0)] : tensor<2x17x16x64xf32> -> tensor<2x8x8x64xf32>
  func.return %1 : tensor<2x8x8x64xf32>
}
}

// -----

// CHECK: its windows overlap: a kernel that holds each would compute 2.25 times as many elements
builtin.module attributes {ptir.extensions} {
func.func @stem(%x: tensor<2x16x16x32xbf16>, %w: tensor<3x3x32x64xbf16>) -> tensor<2x8x8x64xf32> {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] accum f32 out f32 : (tensor<2x16x16x32xbf16>, tensor<3x3x32x64xbf16>) -> tensor<2x16x16x64xf32>
  %1 = ptir.reduce_window max %0 window [1, 3, 3, 1] strides [1, 2, 2, 1] padding [(0, 0), (1, 0), (1, 0), (0, 0)] : tensor<2x16x16x64xf32> -> tensor<2x8x8x64xf32>
  func.return %1 : tensor<2x8x8x64xf32>
}
}

// -----

// CHECK: its windows reach into padding
builtin.module attributes {ptir.extensions} {
func.func @beyond(%x: tensor<2x15x16x32xbf16>, %w: tensor<3x3x32x64xbf16>) -> tensor<2x8x8x64xf32> {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] accum f32 out f32 : (tensor<2x15x16x32xbf16>, tensor<3x3x32x64xbf16>) -> tensor<2x15x16x64xf32>
  %1 = ptir.reduce_window max %0 window [1, 2, 2, 1] strides [1, 2, 2, 1] padding [(0, 0), (1, 0), (0, 0), (0, 0)] : tensor<2x15x16x64xf32> -> tensor<2x8x8x64xf32>
  func.return %1 : tensor<2x8x8x64xf32>
}
}

// -----

// CHECK: this pooling and the convolution before it are not one kernel: its windows have 9 elements, and lanes hold 2, 4 or 8 adjacent rows of a tile
builtin.module attributes {ptir.extensions} {
func.func @nine(%x: tensor<2x15x15x32xbf16>, %w: tensor<3x3x32x64xbf16>) -> tensor<2x5x5x64xf32> {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] accum f32 out f32 : (tensor<2x15x15x32xbf16>, tensor<3x3x32x64xbf16>) -> tensor<2x15x15x64xf32>
  %1 = ptir.reduce_window max %0 window [1, 3, 3, 1] strides [1, 3, 3, 1] : tensor<2x15x15x64xf32> -> tensor<2x5x5x64xf32>
  func.return %1 : tensor<2x5x5x64xf32>
}
}

// -----

// CHECK: this pooling and the convolution before it are not one kernel: the result is also read elsewhere, or one kernel is not faster
builtin.module attributes {ptir.extensions} {
func.func @both(%x: tensor<2x8x8x32xbf16>, %w: tensor<3x3x32x64xbf16>) -> (tensor<2x4x4x64xf32>, tensor<2x8x8x64xf32>) {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] accum f32 out f32 : (tensor<2x8x8x32xbf16>, tensor<3x3x32x64xbf16>) -> tensor<2x8x8x64xf32>
  %1 = ptir.reduce_window max %0 window [1, 2, 2, 1] strides [1, 2, 2, 1] : tensor<2x8x8x64xf32> -> tensor<2x4x4x64xf32>
  func.return %1, %0 : tensor<2x4x4x64xf32>, tensor<2x8x8x64xf32>
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
