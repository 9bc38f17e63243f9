// RUN: ptir-opt %s -p ptir-to-tiny | filecheck %s

// The windows are read in place: no patches are written. Batch, positions, window, channels and features are axes of the
// product; the index of the input is 2 * y + j.

builtin.module attributes {ptir.extensions} {
// CHECK: func.func @conv(%x: tensor<1x8x8x4xbf16>, %w: tensor<3x3x4x6xbf16>) -> tensor<1x4x4x6xbf16> {
// CHECK-NEXT: %0 = tiny.movement pad %x low [0, 1, 1, 0] high [0, 1, 1, 0] value 0.0 : bf16 : tensor<1x8x8x4xbf16> -> tensor<1x10x10x4xbf16>
// CHECK-NEXT: %1 = tiny.movement view %0 offset 0 strides [0, 80, 8, 40, 4, 1, 0] : tensor<1x10x10x4xbf16> -> tensor<1x4x4x3x3x4x1xbf16>
// CHECK-NEXT: %2 = tiny.movement reshape %w : tensor<3x3x4x6xbf16> -> tensor<1x1x1x3x3x4x6xbf16>
// CHECK-NEXT: %3 = tiny.unary cast %1 : tensor<1x4x4x3x3x4x1xbf16> -> tensor<1x4x4x3x3x4x1xf32>
// CHECK-NEXT: %4 = tiny.unary cast %2 : tensor<1x1x1x3x3x4x6xbf16> -> tensor<1x1x1x3x3x4x6xf32>
// CHECK-NEXT: %5 = tiny.binary mul %3, %4 : (tensor<1x4x4x3x3x4x1xf32>, tensor<1x1x1x3x3x4x6xf32>) -> tensor<1x4x4x3x3x4x6xf32>
// CHECK-NEXT: %6 = tiny.reduce sum %5 axes [3, 4, 5] accum f32 : tensor<1x4x4x3x3x4x6xf32> -> tensor<1x4x4x6xf32>
// CHECK-NEXT: %7 = tiny.unary cast %6 : tensor<1x4x4x6xf32> -> tensor<1x4x4x6xbf16>
// CHECK-NEXT: func.return %7 : tensor<1x4x4x6xbf16>
func.func @conv(%x: tensor<1x8x8x4xbf16>, %w: tensor<3x3x4x6xbf16>) -> tensor<1x4x4x6xbf16> {
  %0 = ptir.convolution %x, %w strides [2, 2] padding [(1, 1), (1, 1)] : (tensor<1x8x8x4xbf16>, tensor<3x3x4x6xbf16>) -> tensor<1x4x4x6xbf16>
  func.return %0 : tensor<1x4x4x6xbf16>
}

// Groups are an axis that both operands have.
// CHECK: func.func @groups(%x: tensor<2x9x4xf32>, %w: tensor<3x2x6xf32>) -> tensor<2x5x6xf32> {
// CHECK-NEXT: %0 = tiny.movement view %x offset 0 strides [36, 4, 2, 8, 1, 0] : tensor<2x9x4xf32> -> tensor<2x5x2x3x2x1xf32>
// CHECK-NEXT: %1 = tiny.movement reshape %w : tensor<3x2x6xf32> -> tensor<3x2x2x3xf32>
// CHECK-NEXT: %2 = tiny.movement permute %1 by [2, 0, 1, 3] : tensor<3x2x2x3xf32> -> tensor<2x3x2x3xf32>
// CHECK-NEXT: %3 = tiny.movement reshape %2 : tensor<2x3x2x3xf32> -> tensor<1x1x2x3x2x3xf32>
// CHECK-NEXT: %4 = tiny.unary cast %0 : tensor<2x5x2x3x2x1xf32> -> tensor<2x5x2x3x2x1xf64>
// CHECK-NEXT: %5 = tiny.unary cast %3 : tensor<1x1x2x3x2x3xf32> -> tensor<1x1x2x3x2x3xf64>
// CHECK-NEXT: %6 = tiny.binary mul %4, %5 : (tensor<2x5x2x3x2x1xf64>, tensor<1x1x2x3x2x3xf64>) -> tensor<2x5x2x3x2x3xf64>
// CHECK-NEXT: %7 = tiny.reduce sum %6 axes [3, 4] accum f32 : tensor<2x5x2x3x2x3xf64> -> tensor<2x5x2x3xf32>
// CHECK-NEXT: %8 = tiny.movement reshape %7 : tensor<2x5x2x3xf32> -> tensor<2x5x6xf32>
// CHECK-NEXT: func.return %8 : tensor<2x5x6xf32>
func.func @groups(%x: tensor<2x9x4xf32>, %w: tensor<3x2x6xf32>) -> tensor<2x5x6xf32> {
  %0 = ptir.convolution %x, %w dilation [2] groups 2 : (tensor<2x9x4xf32>, tensor<3x2x6xf32>) -> tensor<2x5x6xf32>
  func.return %0 : tensor<2x5x6xf32>
}

// A window of one element is a contraction of channels.
// CHECK: func.func @pointwise(%x: tensor<2x9x4xf32>, %w: tensor<1x4x6xf32>) -> tensor<2x9x6xf32> {
// CHECK-NEXT: %0 = tiny.movement reshape %x : tensor<2x9x4xf32> -> tensor<2x9x4x1xf32>
// CHECK-NEXT: %1 = tiny.movement reshape %w : tensor<1x4x6xf32> -> tensor<1x1x4x6xf32>
// CHECK-NEXT: %2 = tiny.unary cast %0 : tensor<2x9x4x1xf32> -> tensor<2x9x4x1xf64>
// CHECK-NEXT: %3 = tiny.unary cast %1 : tensor<1x1x4x6xf32> -> tensor<1x1x4x6xf64>
// CHECK-NEXT: %4 = tiny.binary mul %2, %3 : (tensor<2x9x4x1xf64>, tensor<1x1x4x6xf64>) -> tensor<2x9x4x6xf64>
// CHECK-NEXT: %5 = tiny.reduce sum %4 axes [2] accum f32 : tensor<2x9x4x6xf64> -> tensor<2x9x6xf32>
// CHECK-NEXT: func.return %5 : tensor<2x9x6xf32>
func.func @pointwise(%x: tensor<2x9x4xf32>, %w: tensor<1x4x6xf32>) -> tensor<2x9x6xf32> {
  %0 = ptir.convolution %x, %w : (tensor<2x9x4xf32>, tensor<1x4x6xf32>) -> tensor<2x9x6xf32>
  func.return %0 : tensor<2x9x6xf32>
}

// Patches that are contracted with a filter are one too.
// CHECK: func.func @patches(%x: tensor<1x5x4xf32>, %w: tensor<12x2xf32>) -> tensor<1x3x2xf32> {
// CHECK-NEXT: %0 = tiny.movement reshape %w : tensor<12x2xf32> -> tensor<3x4x2xf32>
// CHECK-NEXT: %1 = tiny.movement view %x offset 0 strides [0, 4, 4, 1, 0] : tensor<1x5x4xf32> -> tensor<1x3x3x4x1xf32>
// CHECK-NEXT: %2 = tiny.movement reshape %0 : tensor<3x4x2xf32> -> tensor<1x1x3x4x2xf32>
// CHECK-NEXT: %3 = tiny.unary cast %1 : tensor<1x3x3x4x1xf32> -> tensor<1x3x3x4x1xf64>
// CHECK-NEXT: %4 = tiny.unary cast %2 : tensor<1x1x3x4x2xf32> -> tensor<1x1x3x4x2xf64>
// CHECK-NEXT: %5 = tiny.binary mul %3, %4 : (tensor<1x3x3x4x1xf64>, tensor<1x1x3x4x2xf64>) -> tensor<1x3x3x4x2xf64>
// CHECK-NEXT: %6 = tiny.reduce sum %5 axes [2, 3] accum f32 : tensor<1x3x3x4x2xf64> -> tensor<1x3x2xf32>
// CHECK-NEXT: func.return %6 : tensor<1x3x2xf32>
func.func @patches(%x: tensor<1x5x4xf32>, %w: tensor<12x2xf32>) -> tensor<1x3x2xf32> {
  %0 = ptir.extract_patches %x window [3] : tensor<1x5x4xf32> -> tensor<1x3x12xf32>
  %1 = ptir.dot_general %0, %w contract [2] x [0] : (tensor<1x3x12xf32>, tensor<12x2xf32>) -> tensor<1x3x2xf32>
  func.return %1 : tensor<1x3x2xf32>
}
}
