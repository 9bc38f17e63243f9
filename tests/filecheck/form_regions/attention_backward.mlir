// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions{arch=sm90 strategy=maximal}' | filecheck %s
// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions{arch=sm80 strategy=maximal}' | filecheck %s

// The gradients of attention, given the sums of rows, are two kernels: that of dQ, and that of dK and dV. Both compute the scores again.
// CHECK: region.kernel @backward_0({{.*}}) -> (%dq: memref<2x32x64xf32>
// CHECK: tiny.unary exp
// CHECK: region.kernel @backward_1({{.*}}) -> (%dv: memref<2x32x64xf32> align 256 gmem, %dk:
// CHECK: tiny.unary exp
// CHECK-NOT: region.kernel
// CHECK: func.func @backward
func.func @backward(%q: tensor<2x32x64xbf16>, %k: tensor<2x32x64xbf16>, %v: tensor<2x32x64xbf16>, %do: tensor<2x32x64xbf16>, %lse: tensor<2x32x1xf32>, %rows: tensor<2x32x1xf32>) -> (tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<2x32x64xf32>) {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x32xf32>
  %l = ptir.broadcast_to %lse : tensor<2x32x1xf32> -> tensor<2x32x32xf32>
  %d = ptir.sub %s, %l : tensor<2x32x32xf32>
  %p = ptir.exp %d : tensor<2x32x32xf32>
  %pb = ptir.cast %p : tensor<2x32x32xf32> -> tensor<2x32x32xbf16>
  %dv = ptir.dot_general %pb, %do batch [0] x [0] contract [1] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xf32>
  %dp = ptir.dot_general %do, %v batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x32xf32>
  %r = ptir.broadcast_to %rows : tensor<2x32x1xf32> -> tensor<2x32x32xf32>
  %c = ptir.sub %dp, %r : tensor<2x32x32xf32>
  %ds = ptir.mul %p, %c : tensor<2x32x32xf32>
  %dsb = ptir.cast %ds : tensor<2x32x32xf32> -> tensor<2x32x32xbf16>
  %dq = ptir.dot_general %dsb, %k batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xf32>
  %dk = ptir.dot_general %dsb, %q batch [0] x [0] contract [1] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xf32>
  func.return %dq, %dk, %dv : tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<2x32x64xf32>
}

// -----

// Weights that the program also returns are stored, and nothing is computed again: each product has a kernel of its own.
// CHECK: region.kernel @stored_0({{.*}}) -> (%p: memref<2x32x32xf32>
// CHECK: region.kernel @stored_3
// CHECK: func.func @stored
func.func @stored(%q: tensor<2x32x64xbf16>, %k: tensor<2x32x64xbf16>, %v: tensor<2x32x64xbf16>, %do: tensor<2x32x64xbf16>, %lse: tensor<2x32x1xf32>, %rows: tensor<2x32x1xf32>) -> (tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<2x32x32xf32>) {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x32xf32>
  %l = ptir.broadcast_to %lse : tensor<2x32x1xf32> -> tensor<2x32x32xf32>
  %d = ptir.sub %s, %l : tensor<2x32x32xf32>
  %p = ptir.exp %d : tensor<2x32x32xf32>
  %pb = ptir.cast %p : tensor<2x32x32xf32> -> tensor<2x32x32xbf16>
  %dv = ptir.dot_general %pb, %do batch [0] x [0] contract [1] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xf32>
  %dp = ptir.dot_general %do, %v batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x32xf32>
  %r = ptir.broadcast_to %rows : tensor<2x32x1xf32> -> tensor<2x32x32xf32>
  %c = ptir.sub %dp, %r : tensor<2x32x32xf32>
  %ds = ptir.mul %p, %c : tensor<2x32x32xf32>
  %dsb = ptir.cast %ds : tensor<2x32x32xf32> -> tensor<2x32x32xbf16>
  %dq = ptir.dot_general %dsb, %k batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xf32>
  %dk = ptir.dot_general %dsb, %q batch [0] x [0] contract [1] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xf32>
  func.return %dq, %dk, %dv, %p : tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<2x32x32xf32>
}

// -----

// One product alone reads its operand from memory.
// CHECK: region.kernel @alone_0
// CHECK: region.kernel @alone_1
// CHECK: func.func @alone
func.func @alone(%q: tensor<2x32x64xbf16>, %k: tensor<2x32x64xbf16>, %v: tensor<2x32x64xbf16>, %do: tensor<2x32x64xbf16>, %lse: tensor<2x32x1xf32>, %rows: tensor<2x32x1xf32>) -> (tensor<2x32x64xf32>) {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x32xf32>
  %l = ptir.broadcast_to %lse : tensor<2x32x1xf32> -> tensor<2x32x32xf32>
  %d = ptir.sub %s, %l : tensor<2x32x32xf32>
  %p = ptir.exp %d : tensor<2x32x32xf32>
  %pb = ptir.cast %p : tensor<2x32x32xf32> -> tensor<2x32x32xbf16>
  %dv = ptir.dot_general %pb, %do batch [0] x [0] contract [1] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xf32>
  func.return %dv : tensor<2x32x64xf32>
}

// -----

// Weights that are read at two indices, the second one transposed, are stored.
// CHECK: region.kernel @symmetric_0
// CHECK: region.kernel @symmetric_1
// CHECK: region.kernel @symmetric_2
// CHECK: func.func @symmetric
func.func @symmetric(%q: tensor<2x32x64xbf16>, %k: tensor<2x32x64xbf16>, %v: tensor<2x32x64xbf16>, %do: tensor<2x32x64xbf16>, %lse: tensor<2x32x1xf32>, %rows: tensor<2x32x1xf32>) -> (tensor<2x32x64xf32>, tensor<2x32x64xf32>) {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x32xf32>
  %t = ptir.tanh %s : tensor<2x32x32xf32>
  %u = ptir.transpose %t [0, 2, 1] : tensor<2x32x32xf32> -> tensor<2x32x32xf32>
  %w = ptir.add %t, %u : tensor<2x32x32xf32>
  %wb = ptir.cast %w : tensor<2x32x32xf32> -> tensor<2x32x32xbf16>
  %dv = ptir.dot_general %wb, %do batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xf32>
  %dq = ptir.dot_general %wb, %k batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xf32>
  func.return %dv, %dq : tensor<2x32x64xf32>, tensor<2x32x64xf32>
}
