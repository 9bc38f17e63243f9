// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions{arch=sm90}' | filecheck %s
// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions{arch=sm80}' --explain-plan 2>&1 | filecheck %s --check-prefix=WHY

// A kernel widens queries, keys and values of fp8 to f16, before they are repeated for the heads of a group.
// CHECK: region.kernel @attention_0
// CHECK: tiny.unary cast %{{.*}} : tensor<1x48x16xf8E4M3FN> -> tensor<1x48x16xf16>
// CHECK: region.kernel @attention_1
// CHECK: region.kernel @attention_2(%0: memref<4x48x16xf16> align 256, %1: memref<1x48x16xf16> align 256, %2: memref<1x48x16xf16> align 256)
// CHECK-NOT: region.kernel
// CHECK: func.func @attention
func.func @attention(%q: tensor<4x48x16xf8E4M3FN>, %k: tensor<1x48x16xf8E4M3FN>, %v: tensor<1x48x16xf8E4M3FN>) -> tensor<4x48x16xf32> {
  %kx = ptir.broadcast_to %k : tensor<1x48x16xf8E4M3FN> -> tensor<4x48x16xf8E4M3FN>
  %vx = ptir.broadcast_to %v : tensor<1x48x16xf8E4M3FN> -> tensor<4x48x16xf8E4M3FN>
  %s = ptir.dot_general %q, %kx batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<4x48x16xf8E4M3FN>, tensor<4x48x16xf8E4M3FN>) -> tensor<4x48x48xf32>
  %max = ptir.reduce max %s axes [2] keepdims : tensor<4x48x48xf32> -> tensor<4x48x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<4x48x1xf32> -> tensor<4x48x48xf32>
  %d = ptir.sub %s, %maxes : tensor<4x48x48xf32>
  %e = ptir.exp %d : tensor<4x48x48xf32>
  %sum = ptir.reduce sum %e axes [2] keepdims : tensor<4x48x48xf32> -> tensor<4x48x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<4x48x1xf32> -> tensor<4x48x48xf32>
  %w = ptir.div %e, %sums : tensor<4x48x48xf32>
  %wb = ptir.cast %w : tensor<4x48x48xf32> -> tensor<4x48x48xf8E4M3FN>
  %y = ptir.dot_general %wb, %vx batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<4x48x48xf8E4M3FN>, tensor<4x48x16xf8E4M3FN>) -> tensor<4x48x16xf32>
  func.return %y : tensor<4x48x16xf32>
}

// -----

// The scores of few queries take less memory than widened keys: the products read fp8, and the scores are stored.
// CHECK: region.kernel @few_0(%q: memref<2x64xf8E5M2> align 16, %k: memref<48x64xf8E5M2> align 16)
// CHECK-NOT: f16
// WHY: operands are fp8, which only attention with more scores than elements of operands widens to 16 bits
func.func @few(%q: tensor<2x64xf8E5M2>, %k: tensor<48x64xf8E5M2>, %v: tensor<48x64xf8E5M2>) -> tensor<2x64xf32> {
  %s = ptir.dot_general %q, %k contract [1] x [1] accum f32 out f32 : (tensor<2x64xf8E5M2>, tensor<48x64xf8E5M2>) -> tensor<2x48xf32>
  %max = ptir.reduce max %s axes [1] keepdims : tensor<2x48xf32> -> tensor<2x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<2x1xf32> -> tensor<2x48xf32>
  %d = ptir.sub %s, %maxes : tensor<2x48xf32>
  %e = ptir.exp %d : tensor<2x48xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims : tensor<2x48xf32> -> tensor<2x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<2x1xf32> -> tensor<2x48xf32>
  %w = ptir.div %e, %sums : tensor<2x48xf32>
  %wb = ptir.cast %w : tensor<2x48xf32> -> tensor<2x48xf8E5M2>
  %y = ptir.dot_general %wb, %v contract [1] x [0] accum f32 out f32 : (tensor<2x48xf8E5M2>, tensor<48x64xf8E5M2>) -> tensor<2x64xf32>
  func.return %y : tensor<2x64xf32>
}
