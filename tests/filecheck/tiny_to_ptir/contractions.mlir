// RUN: ptir-opt %s -p tiny-to-ptir | filecheck %s

// Exact casts, and axes of one element, are the contraction's own.
// CHECK: func.func @gemm(%x: tensor<4x8xbf16>, %w: tensor<8x2xbf16>) -> tensor<4x2xbf16> {
// CHECK-NEXT: %0 = ptir.dot_general %x, %w contract [1] x [0] out f32 : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xf32>
// CHECK-NEXT: %1 = ptir.cast %0 : tensor<4x2xf32> -> tensor<4x2xbf16>
// CHECK-NEXT: func.return %1 : tensor<4x2xbf16>
func.func @gemm(%x: tensor<4x8xbf16>, %w: tensor<8x2xbf16>) -> tensor<4x2xbf16> {
  %0 = tiny.movement reshape %x : tensor<4x8xbf16> -> tensor<4x8x1xbf16>
  %1 = tiny.unary cast %0 : tensor<4x8x1xbf16> -> tensor<4x8x1xf32>
  %2 = tiny.movement reshape %w : tensor<8x2xbf16> -> tensor<1x8x2xbf16>
  %3 = tiny.unary cast %2 : tensor<1x8x2xbf16> -> tensor<1x8x2xf32>
  %4 = tiny.binary mul %1, %3 : (tensor<4x8x1xf32>, tensor<1x8x2xf32>) -> tensor<4x8x2xf32>
  %5 = tiny.reduce sum %4 axes [1] accum f32 : tensor<4x8x2xf32> -> tensor<4x2xf32>
  %6 = tiny.unary cast %5 : tensor<4x2xf32> -> tensor<4x2xbf16>
  func.return %6 : tensor<4x2xbf16>
}

// So are axes along which an operand is repeated.
// CHECK: func.func @repeated(%x: tensor<4x8x1xf16>, %w: tensor<8x2xf16>) -> tensor<4x2xf32> {
// CHECK-NEXT: %0 = ptir.dot_general %x, %w contract [1] x [0] out f32 : (tensor<4x8x1xf16>, tensor<8x2xf16>) -> tensor<4x1x2xf32>
// CHECK-NEXT: %1 = ptir.reshape %0 : tensor<4x1x2xf32> -> tensor<4x2xf32>
// CHECK-NEXT: func.return %1 : tensor<4x2xf32>
func.func @repeated(%x: tensor<4x8x1xf16>, %w: tensor<8x2xf16>) -> tensor<4x2xf32> {
  %0 = tiny.movement expand %x : tensor<4x8x1xf16> -> tensor<4x8x2xf16>
  %1 = tiny.movement expand %w : tensor<8x2xf16> -> tensor<4x8x2xf16>
  %2 = tiny.unary cast %0 : tensor<4x8x2xf16> -> tensor<4x8x2xf32>
  %3 = tiny.unary cast %1 : tensor<4x8x2xf16> -> tensor<4x8x2xf32>
  %4 = tiny.binary mul %2, %3 : (tensor<4x8x2xf32>, tensor<4x8x2xf32>) -> tensor<4x8x2xf32>
  %5 = tiny.reduce sum %4 axes [1] accum f32 : tensor<4x8x2xf32> -> tensor<4x2xf32>
  func.return %5 : tensor<4x2xf32>
}

// Axes that both operands keep are batch axes; the result has them first, so that it may have to be transposed.
// CHECK: func.func @batch(%q: tensor<2x5x3x7xf32>, %k: tensor<2x6x3x7xf32>) -> tensor<2x5x3x6xf32> {
// CHECK-NEXT: %0 = ptir.transpose %k [0, 2, 1, 3] : tensor<2x6x3x7xf32> -> tensor<2x3x6x7xf32>
// CHECK-NEXT: %1 = ptir.dot_general %q, %0 batch [0, 2] x [0, 1] contract [3] x [3] : (tensor<2x5x3x7xf32>, tensor<2x3x6x7xf32>) -> tensor<2x3x5x6xf32>
// CHECK-NEXT: %2 = ptir.transpose %1 [0, 2, 1, 3] : tensor<2x3x5x6xf32> -> tensor<2x5x3x6xf32>
// CHECK-NEXT: func.return %2 : tensor<2x5x3x6xf32>
func.func @batch(%q: tensor<2x5x3x7xf32>, %k: tensor<2x6x3x7xf32>) -> tensor<2x5x3x6xf32> {
  %0 = tiny.movement reshape %q : tensor<2x5x3x7xf32> -> tensor<2x5x3x1x7xf32>
  %1 = tiny.movement permute %k by [0, 2, 1, 3] : tensor<2x6x3x7xf32> -> tensor<2x3x6x7xf32>
  %2 = tiny.movement reshape %1 : tensor<2x3x6x7xf32> -> tensor<2x1x3x6x7xf32>
  %3 = tiny.unary cast %0 : tensor<2x5x3x1x7xf32> -> tensor<2x5x3x1x7xf64>
  %4 = tiny.unary cast %2 : tensor<2x1x3x6x7xf32> -> tensor<2x1x3x6x7xf64>
  %5 = tiny.binary mul %3, %4 : (tensor<2x5x3x1x7xf64>, tensor<2x1x3x6x7xf64>) -> tensor<2x5x3x6x7xf64>
  %6 = tiny.reduce sum %5 axes [4] accum f32 : tensor<2x5x3x6x7xf64> -> tensor<2x5x3x6xf32>
  func.return %6 : tensor<2x5x3x6xf32>
}

// CHECK: func.func @tf32(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %0 = ptir.dot_general %x, %w contract [1] x [0] precision tf32 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4xf32>
// CHECK-NEXT: func.return %0 : tensor<4xf32>
func.func @tf32(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> tensor<4xf32> {
  %0 = tiny.unary tf32 %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = tiny.unary tf32 %w : tensor<8xf32> -> tensor<8xf32>
  %2 = tiny.binary mul %0, %1 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %3 = tiny.reduce sum %2 axes [1] accum f32 : tensor<4x8xf32> -> tensor<4xf32>
  func.return %3 : tensor<4xf32>
}

// An operand that has no axis of its own to sum over is repeated along it.
// CHECK: func.func @summed_alone(%x: tensor<4x8xf32>, %w: tensor<4x1xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %0 = ptir.broadcast_to %w : tensor<4x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %1 = ptir.dot_general %x, %0 batch [0] x [0] contract [1] x [1] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4xf32>
// CHECK-NEXT: func.return %1 : tensor<4xf32>
func.func @summed_alone(%x: tensor<4x8xf32>, %w: tensor<4x1xf32>) -> tensor<4xf32> {
  %0 = tiny.unary cast %x : tensor<4x8xf32> -> tensor<4x8xf64>
  %1 = tiny.unary cast %w : tensor<4x1xf32> -> tensor<4x1xf64>
  %2 = tiny.binary mul %0, %1 : (tensor<4x8xf64>, tensor<4x1xf64>) -> tensor<4x8xf64>
  %3 = tiny.reduce sum %2 axes [1] accum f32 : tensor<4x8xf64> -> tensor<4xf32>
  func.return %3 : tensor<4xf32>
}

// CHECK: func.func @named(%x: tensor<?x8xf32, #ptir.dims<B, _>>, %w: tensor<8x2xf32>) -> tensor<?x2xf32, #ptir.dims<B, _>> {
// CHECK-NEXT: %0 = ptir.dot_general %x, %w contract [1] x [0] : (tensor<?x8xf32, #ptir.dims<B, _>>, tensor<8x2xf32>) -> tensor<?x2xf32, #ptir.dims<B, _>>
// CHECK-NEXT: func.return %0 : tensor<?x2xf32, #ptir.dims<B, _>>
func.func @named(%x: tensor<?x8xf32, #ptir.dims<B, _>>, %w: tensor<8x2xf32>) -> tensor<?x2xf32, #ptir.dims<B, _>> {
  %0 = tiny.movement reshape %x : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<?x8x1xf32, #ptir.dims<B, _, _>>
  %1 = tiny.unary cast %0 : tensor<?x8x1xf32, #ptir.dims<B, _, _>> -> tensor<?x8x1xf64, #ptir.dims<B, _, _>>
  %2 = tiny.unary cast %w : tensor<8x2xf32> -> tensor<8x2xf64>
  %3 = tiny.binary mul %1, %2 : (tensor<?x8x1xf64, #ptir.dims<B, _, _>>, tensor<8x2xf64>) -> tensor<?x8x2xf64, #ptir.dims<B, _, _>>
  %4 = tiny.reduce sum %3 axes [1] accum f32 : tensor<?x8x2xf64, #ptir.dims<B, _, _>> -> tensor<?x2xf32, #ptir.dims<B, _>>
  func.return %4 : tensor<?x2xf32, #ptir.dims<B, _>>
}

// Products that round where those of a contraction do not stay; a maximum is no sum. A `ptir.reduce` casts to its accumulator
// first, so that a sum in a narrower type is a contraction with ones.
// CHECK: func.func @no_contractions(%x: tensor<8xf32>, %w: tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>, tensor<bf16>, tensor<f32>) {
// CHECK-NEXT: %0 = ptir.mul %x, %w : tensor<8xf32>
// CHECK-NEXT: %1 = ptir.reduce sum %0 axes [0] : tensor<8xf32> -> tensor<f32>
// CHECK-NEXT: %2 = ptir.mul %x, %x : tensor<8xf32>
// CHECK-NEXT: %3 = ptir.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %4 = ptir.broadcast_to %3 : tensor<f32> -> tensor<8xf32>
// CHECK-NEXT: %5 = ptir.dot_general %2, %4 contract [0] x [0] accum bf16 out bf16 : (tensor<8xf32>, tensor<8xf32>) -> tensor<bf16>
// CHECK-NEXT: %6 = ptir.mul %w, %w : tensor<8xf32>
// CHECK-NEXT: %7 = ptir.reduce max %6 axes [0] : tensor<8xf32> -> tensor<f32>
// CHECK-NEXT: func.return %0, %1, %5, %7 : tensor<8xf32>, tensor<f32>, tensor<bf16>, tensor<f32>
func.func @no_contractions(%x: tensor<8xf32>, %w: tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>, tensor<bf16>, tensor<f32>) {
  %0 = tiny.binary mul %x, %w : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = tiny.reduce sum %0 axes [0] accum f32 : tensor<8xf32> -> tensor<f32>
  %2 = tiny.binary mul %x, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = tiny.reduce sum %2 axes [0] accum bf16 : tensor<8xf32> -> tensor<bf16>
  %4 = tiny.binary mul %w, %w : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %5 = tiny.reduce max %4 axes [0] accum f32 : tensor<8xf32> -> tensor<f32>
  func.return %0, %1, %3, %5 : tensor<8xf32>, tensor<f32>, tensor<bf16>, tensor<f32>
}

// CHECK: func.func @rounding_casts(%x: tensor<8xf64>, %w: tensor<8xf32>) -> tensor<f32> {
// CHECK-NEXT: %0 = ptir.cast %x : tensor<8xf64> -> tensor<8xf32>
// CHECK-NEXT: %1 = ptir.cast %x : tensor<8xf64> -> tensor<8xf32>
// CHECK-NEXT: %2 = ptir.dot_general %0, %1 contract [0] x [0] : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
// CHECK-NEXT: func.return %2 : tensor<f32>
func.func @rounding_casts(%x: tensor<8xf64>, %w: tensor<8xf32>) -> tensor<f32> {
  %0 = tiny.unary cast %x : tensor<8xf64> -> tensor<8xf32>
  %1 = tiny.unary cast %x : tensor<8xf64> -> tensor<8xf32>
  %2 = tiny.unary cast %0 : tensor<8xf32> -> tensor<8xf64>
  %3 = tiny.unary cast %1 : tensor<8xf32> -> tensor<8xf64>
  %4 = tiny.binary mul %2, %3 : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
  %5 = tiny.reduce sum %4 axes [0] accum f32 : tensor<8xf64> -> tensor<f32>
  func.return %5 : tensor<f32>
}
