// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions{arch=sm90 strategy=maximal}' | filecheck %s
// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions{arch=sm80 strategy=maximal}' | filecheck %s
// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions' | filecheck %s --check-prefix=APART

// Two products and the softmax between them are one kernel where a template computes it.
// CHECK-COUNT-1: region.kernel @attention
// CHECK-NOT: region.kernel
// CHECK: func.func @attention
// APART: region.kernel @attention_0
// APART: region.kernel @attention_1
func.func @attention(%q: tensor<2x32x64xbf16>, %k: tensor<2x48x64xbf16>, %v: tensor<2x48x64xbf16>) -> tensor<2x32x64xf32> {
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

// -----

// A quotient of the result becomes one of the weights, whose sum may come after the product.
// CHECK: region.kernel @after_0
// CHECK: %[[E:.*]] = tiny.unary exp
// CHECK: tiny.binary div %[[E]]
// CHECK: tiny.reduce sum
// CHECK-NOT: tiny.binary div
// CHECK-NOT: region.kernel
// CHECK: func.func @after
func.func @after(%q: tensor<2x32x64xbf16>, %k: tensor<2x48x64xbf16>, %v: tensor<2x48x64xbf16>) -> tensor<2x32x64xf32> {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x48x64xbf16>) -> tensor<2x32x48xf32>
  %max = ptir.reduce max %s axes [2] keepdims : tensor<2x32x48xf32> -> tensor<2x32x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<2x32x1xf32> -> tensor<2x32x48xf32>
  %d = ptir.sub %s, %maxes : tensor<2x32x48xf32>
  %e = ptir.exp %d : tensor<2x32x48xf32>
  %eb = ptir.cast %e : tensor<2x32x48xf32> -> tensor<2x32x48xbf16>
  %o = ptir.dot_general %eb, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x32x48xbf16>, tensor<2x48x64xbf16>) -> tensor<2x32x64xf32>
  %sum = ptir.reduce sum %e axes [2] keepdims : tensor<2x32x48xf32> -> tensor<2x32x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<2x32x1xf32> -> tensor<2x32x64xf32>
  %y = ptir.div %o, %sums : tensor<2x32x64xf32>
  func.return %y : tensor<2x32x64xf32>
}

// -----

// The sum of other values stays where it is.
// CHECK: region.kernel @other_0
// CHECK: region.kernel @other_1
func.func @other(%q: tensor<2x32x64xbf16>, %k: tensor<2x48x64xbf16>, %v: tensor<2x48x64xbf16>) -> tensor<2x32x64xf32> {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x48x64xbf16>) -> tensor<2x32x48xf32>
  %max = ptir.reduce max %s axes [2] keepdims : tensor<2x32x48xf32> -> tensor<2x32x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<2x32x1xf32> -> tensor<2x32x48xf32>
  %d = ptir.sub %s, %maxes : tensor<2x32x48xf32>
  %e = ptir.exp %d : tensor<2x32x48xf32>
  %eb = ptir.cast %e : tensor<2x32x48xf32> -> tensor<2x32x48xbf16>
  %o = ptir.dot_general %eb, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x32x48xbf16>, tensor<2x48x64xbf16>) -> tensor<2x32x64xf32>
  %sum = ptir.reduce sum %d axes [2] keepdims : tensor<2x32x48xf32> -> tensor<2x32x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<2x32x1xf32> -> tensor<2x32x64xf32>
  %y = ptir.div %o, %sums : tensor<2x32x64xf32>
  func.return %y : tensor<2x32x64xf32>
}

// -----

// Rows of 56 bytes, which TMA cannot copy, are copied by threads.
// CHECK-COUNT-1: region.kernel @narrow
// CHECK-NOT: region.kernel
// CHECK: func.func @narrow
func.func @narrow(%q: tensor<32x28xbf16>, %k: tensor<48x28xbf16>, %v: tensor<48x64xbf16>) -> tensor<32x64xf32> {
  %s = ptir.dot_general %q, %k contract [1] x [1] accum f32 out f32 : (tensor<32x28xbf16>, tensor<48x28xbf16>) -> tensor<32x48xf32>
  %max = ptir.reduce max %s axes [1] keepdims : tensor<32x48xf32> -> tensor<32x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<32x1xf32> -> tensor<32x48xf32>
  %d = ptir.sub %s, %maxes : tensor<32x48xf32>
  %e = ptir.exp %d : tensor<32x48xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims : tensor<32x48xf32> -> tensor<32x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<32x1xf32> -> tensor<32x48xf32>
  %w = ptir.div %e, %sums : tensor<32x48xf32>
  %wb = ptir.cast %w : tensor<32x48xf32> -> tensor<32x48xbf16>
  %y = ptir.dot_general %wb, %v contract [1] x [0] accum f32 out f32 : (tensor<32x48xbf16>, tensor<48x64xbf16>) -> tensor<32x64xf32>
  func.return %y : tensor<32x64xf32>
}

// -----

// The numerators are not relative to a maximum: their quotient stays behind the product.
// CHECK: region.kernel @no_maximum_2(%eb: memref<2x32x48xbf16> align 256, %v:
// CHECK: %o_5 = tiny.reduce sum
// CHECK: tiny.binary div %o_5,
func.func @no_maximum(%q: tensor<2x32x64xbf16>, %k: tensor<2x48x64xbf16>, %v: tensor<2x48x64xbf16>) -> tensor<2x32x64xf32> {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x48x64xbf16>) -> tensor<2x32x48xf32>
  %e = ptir.exp %s : tensor<2x32x48xf32>
  %eb = ptir.cast %e : tensor<2x32x48xf32> -> tensor<2x32x48xbf16>
  %o = ptir.dot_general %eb, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x32x48xbf16>, tensor<2x48x64xbf16>) -> tensor<2x32x64xf32>
  %sum = ptir.reduce sum %e axes [2] keepdims : tensor<2x32x48xf32> -> tensor<2x32x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<2x32x1xf32> -> tensor<2x32x64xf32>
  %y = ptir.div %o, %sums : tensor<2x32x64xf32>
  func.return %y : tensor<2x32x64xf32>
}

// -----

// Rows are divided by the sums of other rows.
// CHECK: region.kernel @other_rows_{{[0-9]}}(%eb: memref<2x32x48xbf16> align 256, %v:
// CHECK: %o_5 = tiny.reduce sum
// CHECK: tiny.binary div %o_5,
func.func @other_rows(%q: tensor<2x32x64xbf16>, %k: tensor<2x48x64xbf16>, %v: tensor<2x48x64xbf16>) -> tensor<2x32x64xf32> {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x48x64xbf16>) -> tensor<2x32x48xf32>
  %max = ptir.reduce max %s axes [2] keepdims : tensor<2x32x48xf32> -> tensor<2x32x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<2x32x1xf32> -> tensor<2x32x48xf32>
  %d = ptir.sub %s, %maxes : tensor<2x32x48xf32>
  %e = ptir.exp %d : tensor<2x32x48xf32>
  %eb = ptir.cast %e : tensor<2x32x48xf32> -> tensor<2x32x48xbf16>
  %o = ptir.dot_general %eb, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x32x48xbf16>, tensor<2x48x64xbf16>) -> tensor<2x32x64xf32>
  %sum = ptir.reduce sum %e axes [2] keepdims : tensor<2x32x48xf32> -> tensor<2x32x1xf32>
  %pairs = ptir.reshape %sum : tensor<2x32x1xf32> -> tensor<32x2xf32>
  %mixed = ptir.transpose %pairs [1, 0] : tensor<32x2xf32> -> tensor<2x32xf32>
  %other = ptir.reshape %mixed : tensor<2x32xf32> -> tensor<2x32x1xf32>
  %sums = ptir.broadcast_to %other : tensor<2x32x1xf32> -> tensor<2x32x64xf32>
  %y = ptir.div %o, %sums : tensor<2x32x64xf32>
  func.return %y : tensor<2x32x64xf32>
}

// -----

// A number that is broadcast has fewer axes than the quotient.
// CHECK: tiny.binary div {{.*}} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
func.func @number(%x: tensor<4x8xf32>, %s: tensor<f32>) -> tensor<4x8xf32> {
  %y = tiny.binary div %x, %s : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  func.return %y : tensor<4x8xf32>
}

// -----

// The log-sum-exp of the scores is another result of the kernel, which has its own shape and order of axes.
// CHECK: region.kernel @log_sums_0({{.*}}) -> (%y: memref<2x32x64xf32> align 256 gmem, %t: memref<32x2xbf16> align 256 gmem)
// CHECK: tiny.unary log
// CHECK-NOT: region.kernel
// CHECK: func.func @log_sums
func.func @log_sums(%q: tensor<2x32x64xbf16>, %k: tensor<2x48x64xbf16>, %v: tensor<2x48x64xbf16>) -> (tensor<2x32x64xf32>, tensor<32x2xbf16>) {
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
  %log = ptir.log %sum : tensor<2x32x1xf32>
  %ml = ptir.add %max, %log : tensor<2x32x1xf32>
  %lse = ptir.reshape %ml : tensor<2x32x1xf32> -> tensor<2x32xf32>
  %rows = ptir.transpose %lse [1, 0] : tensor<2x32xf32> -> tensor<32x2xf32>
  %t = ptir.cast %rows : tensor<32x2xf32> -> tensor<32x2xbf16>
  func.return %y, %t : tensor<2x32x64xf32>, tensor<32x2xbf16>
}

// -----

// A value that needs both the result and the sums of rows is computed from stored ones, and so is one that needs the sums and what other
// kernels compute from the result.
// CHECK: region.kernel @further_0({{.*}}) -> (%max: memref<2x32xf32> align 256 deferred, %sum: memref<2x32xf32> align 256 deferred, %y: memref<2x32x64xf32> align 256 deferred)
// CHECK: region.kernel @further_1
// CHECK: region.kernel @further_2
// CHECK: region.kernel @further_3(%sum: memref<2x32xf32> align 256, %total: memref<2x32xf32> align 256)
// CHECK-NOT: region.kernel
// CHECK: func.func @further
func.func @further(%q: tensor<2x32x64xbf16>, %k: tensor<2x48x64xbf16>, %v: tensor<2x48x64xbf16>) -> (tensor<2x32x64xf32>, tensor<2x32xf32>) {
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
  %wide = ptir.broadcast_to %max : tensor<2x32x1xf32> -> tensor<2x32x64xf32>
  %r = ptir.mul %y, %wide : tensor<2x32x64xf32>
  %total = ptir.reduce sum %y axes [2] : tensor<2x32x64xf32> -> tensor<2x32xf32>
  %row = ptir.reshape %sum : tensor<2x32x1xf32> -> tensor<2x32xf32>
  %less = ptir.sub %row, %total : tensor<2x32xf32>
  func.return %r, %less : tensor<2x32x64xf32>, tensor<2x32xf32>
}

// -----

// The rows of the softmax are shared by the batches of the values: each would store them.
// CHECK: region.kernel @shared_rows_0
// CHECK: region.kernel @shared_rows_1
func.func @shared_rows(%q: tensor<32x64xbf16>, %k: tensor<48x64xbf16>, %v: tensor<2x48x64xbf16>) -> (tensor<2x32x64xf32>, tensor<32x1xf32>) {
  %s = ptir.dot_general %q, %k contract [1] x [1] accum f32 out f32 : (tensor<32x64xbf16>, tensor<48x64xbf16>) -> tensor<32x48xf32>
  %max = ptir.reduce max %s axes [1] keepdims : tensor<32x48xf32> -> tensor<32x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<32x1xf32> -> tensor<32x48xf32>
  %d = ptir.sub %s, %maxes : tensor<32x48xf32>
  %e = ptir.exp %d : tensor<32x48xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims : tensor<32x48xf32> -> tensor<32x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<32x1xf32> -> tensor<32x48xf32>
  %w = ptir.div %e, %sums : tensor<32x48xf32>
  %wb = ptir.cast %w : tensor<32x48xf32> -> tensor<32x48xbf16>
  %w1 = ptir.reshape %wb : tensor<32x48xbf16> -> tensor<1x32x48xbf16>
  %w2 = ptir.broadcast_to %w1 : tensor<1x32x48xbf16> -> tensor<2x32x48xbf16>
  %y = ptir.dot_general %w2, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x32x48xbf16>, tensor<2x48x64xbf16>) -> tensor<2x32x64xf32>
  func.return %y, %max : tensor<2x32x64xf32>, tensor<32x1xf32>
}
