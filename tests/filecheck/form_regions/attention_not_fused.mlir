// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions{arch=sm90}' --explain-plan -o /dev/null 2>&1 | filecheck %s

// The weights of rows whose exponents are not relative to a maximum may overflow.
// CHECK: attention_not_fused.mlir:10:8: this softmax, its scores and its product with values are not one kernel: the exponents are not relative to the maximum of their row
func.func @no_maximum(%q: tensor<2x32x64xbf16>, %k: tensor<2x48x64xbf16>, %v: tensor<2x48x64xbf16>) -> tensor<2x32x64xf32> {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x48x64xbf16>) -> tensor<2x32x48xf32>
  %max = ptir.reduce max %s axes [2] keepdims : tensor<2x32x48xf32> -> tensor<2x32x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<2x32x1xf32> -> tensor<2x32x48xf32>
  %d = ptir.sub %s, %maxes : tensor<2x32x48xf32>
  %e = ptir.exp %s : tensor<2x32x48xf32>
  %sum = ptir.reduce sum %e axes [2] keepdims : tensor<2x32x48xf32> -> tensor<2x32x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<2x32x1xf32> -> tensor<2x32x48xf32>
  %w = ptir.div %e, %sums : tensor<2x32x48xf32>
  %wb = ptir.cast %w : tensor<2x32x48xf32> -> tensor<2x32x48xbf16>
  %y = ptir.dot_general %wb, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x32x48xbf16>, tensor<2x48x64xbf16>) -> tensor<2x32x64xf32>
  func.return %y : tensor<2x32x64xf32>
}

// -----

// CHECK: attention_not_fused.mlir:30:8: this softmax, its scores and its product with values are not one kernel: the divisor of the weights is not the sum of their numerators in f32
func.func @another_sum(%q: tensor<2x32x64xbf16>, %k: tensor<2x48x64xbf16>, %v: tensor<2x48x64xbf16>) -> tensor<2x32x64xf32> {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x48x64xbf16>) -> tensor<2x32x48xf32>
  %max = ptir.reduce max %s axes [2] keepdims : tensor<2x32x48xf32> -> tensor<2x32x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<2x32x1xf32> -> tensor<2x32x48xf32>
  %d = ptir.sub %s, %maxes : tensor<2x32x48xf32>
  %e = ptir.exp %d : tensor<2x32x48xf32>
  %sum = ptir.reduce sum %d axes [2] keepdims : tensor<2x32x48xf32> -> tensor<2x32x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<2x32x1xf32> -> tensor<2x32x48xf32>
  %w = ptir.div %e, %sums : tensor<2x32x48xf32>
  %wb = ptir.cast %w : tensor<2x32x48xf32> -> tensor<2x32x48xbf16>
  %y = ptir.dot_general %wb, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x32x48xbf16>, tensor<2x48x64xbf16>) -> tensor<2x32x64xf32>
  func.return %y : tensor<2x32x64xf32>
}

// -----

// CHECK: attention_not_fused.mlir:41:8: this softmax, its scores and its product with values are not one kernel: another reduction is between the products
func.func @two_reductions(%q: tensor<2x32x64xbf16>, %k: tensor<2x48x64xbf16>, %v: tensor<2x48x64xbf16>) -> tensor<2x32x64xf32> {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x48x64xbf16>) -> tensor<2x32x48xf32>
  %t = ptir.reduce sum %s axes [1] keepdims : tensor<2x32x48xf32> -> tensor<2x1x48xf32>
  %ts = ptir.broadcast_to %t : tensor<2x1x48xf32> -> tensor<2x32x48xf32>
  %x = ptir.sub %s, %ts : tensor<2x32x48xf32>
  %max = ptir.reduce max %x axes [2] keepdims : tensor<2x32x48xf32> -> tensor<2x32x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<2x32x1xf32> -> tensor<2x32x48xf32>
  %d = ptir.sub %x, %maxes : tensor<2x32x48xf32>
  %e = ptir.exp %d : tensor<2x32x48xf32>
  %sum = ptir.reduce sum %e axes [2] keepdims : tensor<2x32x48xf32> -> tensor<2x32x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<2x32x1xf32> -> tensor<2x32x48xf32>
  %w = ptir.div %e, %sums : tensor<2x32x48xf32>
  %wb = ptir.cast %w : tensor<2x32x48xf32> -> tensor<2x32x48xbf16>
  %y = ptir.dot_general %wb, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x32x48xbf16>, tensor<2x48x64xbf16>) -> tensor<2x32x64xf32>
  func.return %y : tensor<2x32x64xf32>
}

// -----

// A product that is no softmax of another one is not mentioned, nor is one that is fused.
// CHECK-NOT: :
func.func @fused(%q: tensor<2x32x64xbf16>, %k: tensor<2x48x64xbf16>, %v: tensor<2x48x64xbf16>) -> tensor<2x32x64xf32> {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x48x64xbf16>) -> tensor<2x32x48xf32>
  %max = ptir.reduce max %s axes [2] keepdims : tensor<2x32x48xf32> -> tensor<2x32x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<2x32x1xf32> -> tensor<2x32x48xf32>
  %d = ptir.sub %s, %maxes : tensor<2x32x48xf32>
  %e = ptir.exp %d : tensor<2x32x48xf32>
  %sum = ptir.reduce sum %e axes [2] keepdims : tensor<2x32x48xf32> -> tensor<2x32x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<2x32x1xf32> -> tensor<2x32x48xf32>
  %w = ptir.div %e, %sums : tensor<2x32x48xf32>
  %wb = ptir.cast %w : tensor<2x32x48xf32> -> tensor<2x32x48xbf16>
  %y = ptir.dot_general %wb, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x32x48xbf16>, tensor<2x48x64xbf16>) -> tensor<2x32x64xf32>
  func.return %y : tensor<2x32x64xf32>
}
