// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s | ptir-opt | filecheck %s
// RUN: ptir-opt --print-op-generic %s | ptir-opt | filecheck %s

// Contractions and reductions, with and without what has a default.

// CHECK: func.func @f(%x: tensor<4x8xbf16>, %w: tensor<8x2xbf16>, %q: tensor<2x3x5x7xf16>, %k: tensor<2x3x7x6xf16>, %a: tensor<4x8xf32>) {
func.func @f(%x: tensor<4x8xbf16>, %w: tensor<8x2xbf16>, %q: tensor<2x3x5x7xf16>, %k: tensor<2x3x7x6xf16>, %a: tensor<4x8xf32>) {
  // CHECK-NEXT: %0 = ptir.dot_general %x, %w contract [1] x [0] : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xbf16>
  %0 = ptir.dot_general %x, %w contract [1] x [0] : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xbf16>
  // CHECK-NEXT: %1 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xf32>
  %1 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xf32>
  // CHECK-NEXT: %2 = ptir.dot_general %q, %k batch [0, 1] x [0, 1] contract [3] x [2] accum f32 out f32 : (tensor<2x3x5x7xf16>, tensor<2x3x7x6xf16>) -> tensor<2x3x5x6xf32>
  %2 = ptir.dot_general %q, %k batch [0, 1] x [0, 1] contract [3] x [2] accum f32 out f32 : (tensor<2x3x5x7xf16>, tensor<2x3x7x6xf16>) -> tensor<2x3x5x6xf32>
  // CHECK-NEXT: %3 = ptir.dot_general %x, %w contract [] x [] : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x8x8x2xbf16>
  %3 = ptir.dot_general %x, %w contract [] x [] : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x8x8x2xbf16>
  // CHECK-NEXT: %4 = ptir.reduce sum %x axes [1] : tensor<4x8xbf16> -> tensor<4xbf16>
  %4 = ptir.reduce sum %x axes [1] : tensor<4x8xbf16> -> tensor<4xbf16>
  // CHECK-NEXT: %5 = ptir.reduce max %x axes [0, -1] keepdims accum f32 out f32 : tensor<4x8xbf16> -> tensor<1x1xf32>
  %5 = ptir.reduce max %x axes [0, -1] keepdims accum f32 out f32 : tensor<4x8xbf16> -> tensor<1x1xf32>
  // CHECK-NEXT: %6 = ptir.reduce min %x axes [] : tensor<4x8xbf16> -> tensor<4x8xbf16>
  %6 = ptir.reduce min %x axes [] : tensor<4x8xbf16> -> tensor<4x8xbf16>
  // CHECK-NEXT: %7 = ptir.dot_general %a, %a contract [1] x [1] accum f32 out f32 precision tf32 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
  %7 = ptir.dot_general %a, %a contract [1] x [1] accum f32 out f32 precision tf32 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
  // CHECK-NEXT: %8 = ptir.dot_general %a, %a batch [0] x [0] contract [1] x [1] precision tf32 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4xf32>
  %8 = ptir.dot_general %a, %a batch [0] x [0] contract [1] x [1] precision tf32 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4xf32>
  // CHECK-NEXT: func.return
  func.return
}

// Operands of two types, and fp8 with the defaults of every float.

// CHECK: func.func @pairs(%x: tensor<4x8xf8E4M3FN>, %w: tensor<8x2xf8E5M2>, %u: tensor<4x8xui8>, %s: tensor<8x2xsi8>) {
func.func @pairs(%x: tensor<4x8xf8E4M3FN>, %w: tensor<8x2xf8E5M2>, %u: tensor<4x8xui8>, %s: tensor<8x2xsi8>) {
  // CHECK-NEXT: %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f16 : (tensor<4x8xf8E4M3FN>, tensor<8x2xf8E5M2>) -> tensor<4x2xf16>
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f16 : (tensor<4x8xf8E4M3FN>, tensor<8x2xf8E5M2>) -> tensor<4x2xf16>
  // CHECK-NEXT: %1 = ptir.dot_general %u, %s contract [1] x [0] accum i32 out i32 : (tensor<4x8xui8>, tensor<8x2xsi8>) -> tensor<4x2xi32>
  %1 = ptir.dot_general %u, %s contract [1] x [0] accum i32 out i32 : (tensor<4x8xui8>, tensor<8x2xsi8>) -> tensor<4x2xi32>
  // CHECK-NEXT: %2 = ptir.dot_general %w, %w contract [1] x [1] : (tensor<8x2xf8E5M2>, tensor<8x2xf8E5M2>) -> tensor<8x8xf8E5M2>
  %2 = ptir.dot_general %w, %w contract [1] x [1] : (tensor<8x2xf8E5M2>, tensor<8x2xf8E5M2>) -> tensor<8x8xf8E5M2>
  // CHECK-NEXT: func.return
  func.return
}
