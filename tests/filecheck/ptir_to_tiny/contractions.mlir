// RUN: ptir-opt %s -p ptir-to-tiny | filecheck %s

// The spec's own GEMM: no permute, accumulation in f32, rounded to bf16 at the end.
// CHECK: func.func @gemm(%x: tensor<4x8xbf16>, %w: tensor<8x2xbf16>) -> tensor<4x2xbf16> {
// CHECK-NEXT: %0 = tiny.movement reshape %x : tensor<4x8xbf16> -> tensor<4x8x1xbf16>
// CHECK-NEXT: %1 = tiny.unary cast %0 : tensor<4x8x1xbf16> -> tensor<4x8x1xf32>
// CHECK-NEXT: %2 = tiny.movement reshape %w : tensor<8x2xbf16> -> tensor<1x8x2xbf16>
// CHECK-NEXT: %3 = tiny.unary cast %2 : tensor<1x8x2xbf16> -> tensor<1x8x2xf32>
// CHECK-NEXT: %4 = tiny.binary mul %1, %3 : (tensor<4x8x1xf32>, tensor<1x8x2xf32>) -> tensor<4x8x2xf32>
// CHECK-NEXT: %5 = tiny.reduce sum %4 axes [1] accum f32 : tensor<4x8x2xf32> -> tensor<4x2xf32>
// CHECK-NEXT: %6 = tiny.unary cast %5 : tensor<4x2xf32> -> tensor<4x2xbf16>
// CHECK-NEXT: func.return %6 : tensor<4x2xbf16>
func.func @gemm(%x: tensor<4x8xbf16>, %w: tensor<8x2xbf16>) -> tensor<4x2xbf16> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xbf16>
  func.return %0 : tensor<4x2xbf16>
}

// x · wᵀ: the contract axis goes last, so nothing is permuted and nothing is cast.
// CHECK: func.func @transposed_weight(%x: tensor<4x8xf32>, %w: tensor<2x8xf32>) -> tensor<4x2xf32> {
// CHECK-NEXT: %0 = tiny.movement reshape %x : tensor<4x8xf32> -> tensor<4x1x8xf32>
// CHECK-NEXT: %1 = tiny.unary cast %0 : tensor<4x1x8xf32> -> tensor<4x1x8xf64>
// CHECK-NEXT: %2 = tiny.movement reshape %w : tensor<2x8xf32> -> tensor<1x2x8xf32>
// CHECK-NEXT: %3 = tiny.unary cast %2 : tensor<1x2x8xf32> -> tensor<1x2x8xf64>
// CHECK-NEXT: %4 = tiny.binary mul %1, %3 : (tensor<4x1x8xf64>, tensor<1x2x8xf64>) -> tensor<4x2x8xf64>
// CHECK-NEXT: %5 = tiny.reduce sum %4 axes [2] accum f32 : tensor<4x2x8xf64> -> tensor<4x2xf32>
// CHECK-NEXT: func.return %5 : tensor<4x2xf32>
func.func @transposed_weight(%x: tensor<4x8xf32>, %w: tensor<2x8xf32>) -> tensor<4x2xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [1] : (tensor<4x8xf32>, tensor<2x8xf32>) -> tensor<4x2xf32>
  func.return %0 : tensor<4x2xf32>
}

// No order of axes suits both operands: one of them is permuted.
// CHECK: func.func @permuted(%x: tensor<8x4xf32>, %w: tensor<2x8xf32>) -> tensor<4x2xf32> {
// CHECK-NEXT: %0 = tiny.movement permute %x by [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %1 = tiny.movement reshape %0 : tensor<4x8xf32> -> tensor<4x1x8xf32>
// CHECK-NEXT: %2 = tiny.unary cast %1 : tensor<4x1x8xf32> -> tensor<4x1x8xf64>
// CHECK-NEXT: %3 = tiny.movement reshape %w : tensor<2x8xf32> -> tensor<1x2x8xf32>
// CHECK-NEXT: %4 = tiny.unary cast %3 : tensor<1x2x8xf32> -> tensor<1x2x8xf64>
// CHECK-NEXT: %5 = tiny.binary mul %2, %4 : (tensor<4x1x8xf64>, tensor<1x2x8xf64>) -> tensor<4x2x8xf64>
// CHECK-NEXT: %6 = tiny.reduce sum %5 axes [2] accum f32 : tensor<4x2x8xf64> -> tensor<4x2xf32>
// CHECK-NEXT: func.return %6 : tensor<4x2xf32>
func.func @permuted(%x: tensor<8x4xf32>, %w: tensor<2x8xf32>) -> tensor<4x2xf32> {
  %0 = ptir.dot_general %x, %w contract [0] x [1] : (tensor<8x4xf32>, tensor<2x8xf32>) -> tensor<4x2xf32>
  func.return %0 : tensor<4x2xf32>
}

// Every batch axis stays an axis of its own.
// CHECK: func.func @attention_scores(%q: tensor<2x3x5x7xf16>, %k: tensor<2x3x6x7xf16>) -> tensor<2x3x5x6xf32> {
// CHECK-NEXT: %0 = tiny.movement reshape %q : tensor<2x3x5x7xf16> -> tensor<2x3x5x1x7xf16>
// CHECK-NEXT: %1 = tiny.unary cast %0 : tensor<2x3x5x1x7xf16> -> tensor<2x3x5x1x7xf32>
// CHECK-NEXT: %2 = tiny.movement reshape %k : tensor<2x3x6x7xf16> -> tensor<2x3x1x6x7xf16>
// CHECK-NEXT: %3 = tiny.unary cast %2 : tensor<2x3x1x6x7xf16> -> tensor<2x3x1x6x7xf32>
// CHECK-NEXT: %4 = tiny.binary mul %1, %3 : (tensor<2x3x5x1x7xf32>, tensor<2x3x1x6x7xf32>) -> tensor<2x3x5x6x7xf32>
// CHECK-NEXT: %5 = tiny.reduce sum %4 axes [4] accum f32 : tensor<2x3x5x6x7xf32> -> tensor<2x3x5x6xf32>
// CHECK-NEXT: func.return %5 : tensor<2x3x5x6xf32>
func.func @attention_scores(%q: tensor<2x3x5x7xf16>, %k: tensor<2x3x6x7xf16>) -> tensor<2x3x5x6xf32> {
  %0 = ptir.dot_general %q, %k batch [0, 1] x [0, 1] contract [3] x [3] accum f32 out f32 : (tensor<2x3x5x7xf16>, tensor<2x3x6x7xf16>) -> tensor<2x3x5x6xf32>
  func.return %0 : tensor<2x3x5x6xf32>
}

// So does every contract axis; integers widen exactly too.
// CHECK: func.func @two_contract_axes(%x: tensor<4x8x3xi8>, %w: tensor<8x3x2xi8>) -> tensor<4x2xi32> {
// CHECK-NEXT: %0 = tiny.movement reshape %x : tensor<4x8x3xi8> -> tensor<4x8x3x1xi8>
// CHECK-NEXT: %1 = tiny.unary cast %0 : tensor<4x8x3x1xi8> -> tensor<4x8x3x1xi32>
// CHECK-NEXT: %2 = tiny.movement reshape %w : tensor<8x3x2xi8> -> tensor<1x8x3x2xi8>
// CHECK-NEXT: %3 = tiny.unary cast %2 : tensor<1x8x3x2xi8> -> tensor<1x8x3x2xi32>
// CHECK-NEXT: %4 = tiny.binary mul %1, %3 : (tensor<4x8x3x1xi32>, tensor<1x8x3x2xi32>) -> tensor<4x8x3x2xi32>
// CHECK-NEXT: %5 = tiny.reduce sum %4 axes [1, 2] accum i32 : tensor<4x8x3x2xi32> -> tensor<4x2xi32>
// CHECK-NEXT: func.return %5 : tensor<4x2xi32>
func.func @two_contract_axes(%x: tensor<4x8x3xi8>, %w: tensor<8x3x2xi8>) -> tensor<4x2xi32> {
  %0 = ptir.dot_general %x, %w contract [1, 2] x [0, 1] accum i32 out i32 : (tensor<4x8x3xi8>, tensor<8x3x2xi8>) -> tensor<4x2xi32>
  func.return %0 : tensor<4x2xi32>
}

// Signless integers are signed; unsigned ones of 8 bits are values of i32 too.
// CHECK: func.func @bytes(%x: tensor<4x8xsi8>, %w: tensor<8x2xsi8>, %u: tensor<8x2xui8>) -> (tensor<4x2xi32>, tensor<2x2xi32>) {
// CHECK: tiny.unary cast %{{.*}} : tensor<4x8x1xsi8> -> tensor<4x8x1xi32>
// CHECK: tiny.unary cast %{{.*}} : tensor<8x2x1xui8> -> tensor<8x2x1xi32>
// CHECK: tiny.binary mul %{{.*}} : (tensor<8x2x1xi32>, tensor<8x1x2xi32>) -> tensor<8x2x2xi32>
// CHECK-NEXT: tiny.reduce sum %{{.*}} axes [0] accum i32 : tensor<8x2x2xi32> -> tensor<2x2xi32>
func.func @bytes(%x: tensor<4x8xsi8>, %w: tensor<8x2xsi8>, %u: tensor<8x2xui8>) -> (tensor<4x2xi32>, tensor<2x2xi32>) {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum i32 out i32 : (tensor<4x8xsi8>, tensor<8x2xsi8>) -> tensor<4x2xi32>
  %1 = ptir.dot_general %u, %u contract [0] x [0] accum i32 out i32 : (tensor<8x2xui8>, tensor<8x2xui8>) -> tensor<2x2xi32>
  func.return %0, %1 : tensor<4x2xi32>, tensor<2x2xi32>
}

// Operands are rounded to tf32 where the program says so.
// CHECK: func.func @tf32(%x: tensor<8x4xf32>, %w: tensor<2x8xf32>) -> tensor<4x2xf32> {
// CHECK-NEXT: %0 = tiny.movement permute %x by [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %1 = tiny.movement reshape %0 : tensor<4x8xf32> -> tensor<4x1x8xf32>
// CHECK-NEXT: %2 = tiny.unary tf32 %1 : tensor<4x1x8xf32> -> tensor<4x1x8xf32>
// CHECK-NEXT: %3 = tiny.movement reshape %w : tensor<2x8xf32> -> tensor<1x2x8xf32>
// CHECK-NEXT: %4 = tiny.unary tf32 %3 : tensor<1x2x8xf32> -> tensor<1x2x8xf32>
// CHECK-NEXT: %5 = tiny.binary mul %2, %4 : (tensor<4x1x8xf32>, tensor<1x2x8xf32>) -> tensor<4x2x8xf32>
// CHECK-NEXT: %6 = tiny.reduce sum %5 axes [2] accum f32 : tensor<4x2x8xf32> -> tensor<4x2xf32>
// CHECK-NEXT: func.return %6 : tensor<4x2xf32>
func.func @tf32(%x: tensor<8x4xf32>, %w: tensor<2x8xf32>) -> tensor<4x2xf32> {
  %0 = ptir.dot_general %x, %w contract [0] x [1] precision tf32 : (tensor<8x4xf32>, tensor<2x8xf32>) -> tensor<4x2xf32>
  func.return %0 : tensor<4x2xf32>
}

// Nothing to sum: a sum of one term begins at 0 too, and is never -0.
// CHECK: func.func @outer(%x: tensor<4xf32>, %w: tensor<2xf32>) -> tensor<4x2xf32> {
// CHECK-NEXT: %0 = tiny.movement reshape %x : tensor<4xf32> -> tensor<4x1xf32>
// CHECK-NEXT: %1 = tiny.unary cast %0 : tensor<4x1xf32> -> tensor<4x1xf64>
// CHECK-NEXT: %2 = tiny.movement reshape %w : tensor<2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %3 = tiny.unary cast %2 : tensor<1x2xf32> -> tensor<1x2xf64>
// CHECK-NEXT: %4 = tiny.binary mul %1, %3 : (tensor<4x1xf64>, tensor<1x2xf64>) -> tensor<4x2xf64>
// CHECK-NEXT: %5 = tiny.unary cast %4 : tensor<4x2xf64> -> tensor<4x2xf32>
// CHECK-NEXT: %6 = tiny.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %7 = tiny.binary add %5, %6 : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
// CHECK-NEXT: func.return %7 : tensor<4x2xf32>
func.func @outer(%x: tensor<4xf32>, %w: tensor<2xf32>) -> tensor<4x2xf32> {
  %0 = ptir.dot_general %x, %w contract [] x [] : (tensor<4xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  func.return %0 : tensor<4x2xf32>
}

// keepdims is a reshape; the default accumulator of bf16 is f32.
// CHECK: func.func @softmax_sum(%x: tensor<4x8xbf16>) -> tensor<4x1xbf16> {
// CHECK-NEXT: %0 = tiny.unary cast %x : tensor<4x8xbf16> -> tensor<4x8xf32>
// CHECK-NEXT: %1 = tiny.reduce sum %0 axes [1] accum f32 : tensor<4x8xf32> -> tensor<4xf32>
// CHECK-NEXT: %2 = tiny.unary cast %1 : tensor<4xf32> -> tensor<4xbf16>
// CHECK-NEXT: %3 = tiny.movement reshape %2 : tensor<4xbf16> -> tensor<4x1xbf16>
// CHECK-NEXT: func.return %3 : tensor<4x1xbf16>
func.func @softmax_sum(%x: tensor<4x8xbf16>) -> tensor<4x1xbf16> {
  %0 = ptir.reduce sum %x axes [-1] keepdims : tensor<4x8xbf16> -> tensor<4x1xbf16>
  func.return %0 : tensor<4x1xbf16>
}

// The default accumulator of an integer is its own type.
// CHECK: func.func @integer_max(%x: tensor<4x8xi8>) -> tensor<8xi8> {
// CHECK-NEXT: %0 = tiny.reduce max %x axes [0] accum i8 : tensor<4x8xi8> -> tensor<8xi8>
// CHECK-NEXT: func.return %0 : tensor<8xi8>
func.func @integer_max(%x: tensor<4x8xi8>) -> tensor<8xi8> {
  %0 = ptir.reduce max %x axes [0] : tensor<4x8xi8> -> tensor<8xi8>
  func.return %0 : tensor<8xi8>
}

// Each side is cast from its own type; both kinds of fp8 are exact in f32.
// CHECK: func.func @two_kinds(%x: tensor<4x8xf8E4M3FN>, %w: tensor<8x2xf8E5M2>) -> tensor<4x2xbf16> {
// CHECK-NEXT: %0 = tiny.movement reshape %x : tensor<4x8xf8E4M3FN> -> tensor<4x8x1xf8E4M3FN>
// CHECK-NEXT: %1 = tiny.unary cast %0 : tensor<4x8x1xf8E4M3FN> -> tensor<4x8x1xf32>
// CHECK-NEXT: %2 = tiny.movement reshape %w : tensor<8x2xf8E5M2> -> tensor<1x8x2xf8E5M2>
// CHECK-NEXT: %3 = tiny.unary cast %2 : tensor<1x8x2xf8E5M2> -> tensor<1x8x2xf32>
// CHECK-NEXT: %4 = tiny.binary mul %1, %3 : (tensor<4x8x1xf32>, tensor<1x8x2xf32>) -> tensor<4x8x2xf32>
// CHECK-NEXT: %5 = tiny.reduce sum %4 axes [1] accum f32 : tensor<4x8x2xf32> -> tensor<4x2xf32>
// CHECK-NEXT: %6 = tiny.unary cast %5 : tensor<4x2xf32> -> tensor<4x2xbf16>
// CHECK-NEXT: func.return %6 : tensor<4x2xbf16>
func.func @two_kinds(%x: tensor<4x8xf8E4M3FN>, %w: tensor<8x2xf8E5M2>) -> tensor<4x2xbf16> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out bf16 : (tensor<4x8xf8E4M3FN>, tensor<8x2xf8E5M2>) -> tensor<4x2xbf16>
  func.return %0 : tensor<4x2xbf16>
}

// CHECK: func.func @two_signs(%u: tensor<4x8xui8>, %s: tensor<2x8xsi8>) -> tensor<4x2xi32> {
// CHECK-NEXT: %0 = tiny.movement reshape %u : tensor<4x8xui8> -> tensor<4x1x8xui8>
// CHECK-NEXT: %1 = tiny.unary cast %0 : tensor<4x1x8xui8> -> tensor<4x1x8xi32>
// CHECK-NEXT: %2 = tiny.movement reshape %s : tensor<2x8xsi8> -> tensor<1x2x8xsi8>
// CHECK-NEXT: %3 = tiny.unary cast %2 : tensor<1x2x8xsi8> -> tensor<1x2x8xi32>
// CHECK-NEXT: %4 = tiny.binary mul %1, %3 : (tensor<4x1x8xi32>, tensor<1x2x8xi32>) -> tensor<4x2x8xi32>
// CHECK-NEXT: %5 = tiny.reduce sum %4 axes [2] accum i32 : tensor<4x2x8xi32> -> tensor<4x2xi32>
// CHECK-NEXT: func.return %5 : tensor<4x2xi32>
func.func @two_signs(%u: tensor<4x8xui8>, %s: tensor<2x8xsi8>) -> tensor<4x2xi32> {
  %0 = ptir.dot_general %u, %s contract [1] x [1] accum i32 out i32 : (tensor<4x8xui8>, tensor<2x8xsi8>) -> tensor<4x2xi32>
  func.return %0 : tensor<4x2xi32>
}

// No type holds si64 and ui64: products are those of the bits, modulo 2^64, as sums wrap.
// CHECK: func.func @signs
// CHECK: %[[V:.*]] = tiny.unary bitcast %{{.*}} : tensor<1x3x2xsi64> -> tensor<1x3x2xui64>
// CHECK-NEXT: %[[P:.*]] = tiny.binary mul %{{.*}}, %[[V]] : (tensor<2x3x1xui64>, tensor<1x3x2xui64>) -> tensor<2x3x2xui64>
// CHECK-NEXT: tiny.reduce sum %[[P]] axes [1] accum si64 : tensor<2x3x2xui64> -> tensor<2x2xsi64>
func.func @signs(%u: tensor<2x3xui64>, %v: tensor<3x2xsi64>) -> tensor<2x2xsi64> {
  %0 = ptir.dot_general %u, %v contract [1] x [0] accum si64 out si64 : (tensor<2x3xui64>, tensor<3x2xsi64>) -> tensor<2x2xsi64>
  func.return %0 : tensor<2x2xsi64>
}
