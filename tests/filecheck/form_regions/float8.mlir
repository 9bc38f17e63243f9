// RUN: ptir-opt %s -p ptir-to-tiny,form-regions | filecheck %s

// The detector sees through casts of both kinds to f32: one kernel, which reads fp8.

// CHECK: region.kernel @mixed_0(%x: memref<4x8xf8E4M3FN> align 16, %w: memref<8x2xf8E5M2> align 16) -> (%{{.*}}: memref<4x2xf8E4M3FN> align 256 gmem) {
// CHECK: tiny.reduce sum
// CHECK-NEXT: tiny.unary cast %{{.*}} : tensor<4x2xf32> -> tensor<4x2xf8E4M3FN>
// CHECK-NOT: region.kernel @mixed_1
func.func @mixed(%x: tensor<4x8xf8E4M3FN>, %w: tensor<8x2xf8E5M2>) -> tensor<4x2xf8E4M3FN> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f8E4M3FN : (tensor<4x8xf8E4M3FN>, tensor<8x2xf8E5M2>) -> tensor<4x2xf8E4M3FN>
  func.return %0 : tensor<4x2xf8E4M3FN>
}

// Operands that are cast to bf16 are multiplied as bf16: the kernel casts them in the prologue.

// CHECK: region.kernel @wide_0(%x: memref<4x8xf8E4M3FN> align 16, %w: memref<8x2xf8E5M2> align 16) -> (%{{.*}}: memref<4x2xf32> align 256 gmem) {
// CHECK-COUNT-2: tiny.unary cast %{{.*}}xf8{{.*}}xbf16>
// CHECK: tiny.reduce sum
// CHECK-NOT: region.kernel
func.func @wide(%x: tensor<4x8xf8E4M3FN>, %w: tensor<8x2xf8E5M2>) -> tensor<4x2xf32> {
  %0 = ptir.cast %x : tensor<4x8xf8E4M3FN> -> tensor<4x8xbf16>
  %1 = ptir.cast %w : tensor<8x2xf8E5M2> -> tensor<8x2xbf16>
  %2 = ptir.dot_general %0, %1 contract [1] x [0] accum f32 out f32 : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xf32>
  func.return %2 : tensor<4x2xf32>
}
