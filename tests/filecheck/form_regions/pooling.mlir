// RUN: ptir-opt %s -p 'ptir-to-tiny,form-regions{arch=sm80}' | filecheck %s

builtin.module attributes {ptir.extensions} {
// Windows that do not overlap: the pooling, and what follows it, are part of the convolution's kernel.
// CHECK:     region.kernel @pooled_0({{.*}}) -> (%{{.*}}: memref<2x4x4x16xbf16>
// CHECK:     tiny.reduce max
// CHECK-NOT: region.kernel @pooled_1
func.func @pooled(%x: tensor<2x8x8x32xbf16>, %w: tensor<3x3x32x16xbf16>) -> tensor<2x4x4x16xbf16> {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] accum f32 out f32 : (tensor<2x8x8x32xbf16>, tensor<3x3x32x16xbf16>) -> tensor<2x8x8x16xf32>
  %1 = ptir.reduce_window max %0 window [1, 2, 2, 1] strides [1, 2, 2, 1] : tensor<2x8x8x16xf32> -> tensor<2x4x4x16xf32>
  %2 = ptir.cast %1 : tensor<2x4x4x16xf32> -> tensor<2x4x4x16xbf16>
  func.return %2 : tensor<2x4x4x16xbf16>
}

// The last row and column are in no window: they are not computed.
// CHECK:     region.kernel @cropped_0({{.*}}) -> (%{{.*}}: memref<2x3x3x16xf32>
// CHECK-NOT: region.kernel @cropped_1
func.func @cropped(%x: tensor<2x7x7x32xbf16>, %w: tensor<3x3x32x16xbf16>) -> tensor<2x3x3x16xf32> {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] accum f32 out f32 : (tensor<2x7x7x32xbf16>, tensor<3x3x32x16xbf16>) -> tensor<2x7x7x16xf32>
  %1 = ptir.reduce_window sum %0 window [1, 2, 2, 1] strides [1, 2, 2, 1] accum f32 out f32 : tensor<2x7x7x16xf32> -> tensor<2x3x3x16xf32>
  func.return %1 : tensor<2x3x3x16xf32>
}

// The result of the convolution is stored anyway.
// CHECK:     region.kernel @both_0
// CHECK:     region.kernel @both_1(%0: memref<2x8x8x16xf32> align 256)
func.func @both(%x: tensor<2x8x8x32xbf16>, %w: tensor<3x3x32x16xbf16>) -> (tensor<2x4x4x16xf32>, tensor<2x8x8x16xf32>) {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] accum f32 out f32 : (tensor<2x8x8x32xbf16>, tensor<3x3x32x16xbf16>) -> tensor<2x8x8x16xf32>
  %1 = ptir.reduce_window max %0 window [1, 2, 2, 1] strides [1, 2, 2, 1] : tensor<2x8x8x16xf32> -> tensor<2x4x4x16xf32>
  func.return %1, %0 : tensor<2x4x4x16xf32>, tensor<2x8x8x16xf32>
}

// Windows along the columns of a tile.
// CHECK:     region.kernel @columns_0
// CHECK:     region.kernel @columns_1
func.func @columns(%x: tensor<64x32xbf16>, %w: tensor<32x16xbf16>) -> tensor<64x4xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<64x32xbf16>, tensor<32x16xbf16>) -> tensor<64x16xf32>
  %1 = ptir.reduce_window max %0 window [1, 4] strides [1, 4] : tensor<64x16xf32> -> tensor<64x4xf32>
  func.return %1 : tensor<64x4xf32>
}

// The residual is another contraction, which is stored.
// CHECK:     region.kernel @residual_0({{.*}}) -> (%{{.*}}: memref<64x16xf32>
// CHECK:     region.kernel @residual_1({{.*}}) -> (%{{.*}}: memref<16x16xf32>
// CHECK-NOT: region.kernel @residual_2
func.func @residual(%x: tensor<64x32xbf16>, %w: tensor<32x16xbf16>, %u: tensor<64x32xbf16>) -> tensor<16x16xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<64x32xbf16>, tensor<32x16xbf16>) -> tensor<64x16xf32>
  %1 = ptir.dot_general %u, %w contract [1] x [0] accum f32 out f32 : (tensor<64x32xbf16>, tensor<32x16xbf16>) -> tensor<64x16xf32>
  %2 = ptir.add %0, %1 : tensor<64x16xf32>
  %3 = ptir.reduce_window max %2 window [4, 1] strides [4, 1] : tensor<64x16xf32> -> tensor<16x16xf32>
  func.return %3 : tensor<16x16xf32>
}
}
