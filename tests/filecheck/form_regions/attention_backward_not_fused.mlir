// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions{arch=sm90}' --explain-plan -o /dev/null 2>&1 | filecheck %s

// dK and dV have results of different widths: each computes the products of its operand again.
// CHECK: attention_backward_not_fused.mlir:{{[0-9]+}}:9: this product and another one, which compute the same products again, are not one kernel: their results have different numbers of columns: 16 and 64
func.func @widths(%q: tensor<2x32x64xbf16>, %k: tensor<2x32x64xbf16>, %v: tensor<2x32x16xbf16>, %do: tensor<2x32x16xbf16>, %lse: tensor<2x32x1xf32>) -> (tensor<2x32x16xf32>, tensor<2x32x64xf32>, tensor<2x32x64xf32>) {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x32xf32>
  %l = ptir.broadcast_to %lse : tensor<2x32x1xf32> -> tensor<2x32x32xf32>
  %d = ptir.sub %s, %l : tensor<2x32x32xf32>
  %p = ptir.exp %d : tensor<2x32x32xf32>
  %pb = ptir.cast %p : tensor<2x32x32xf32> -> tensor<2x32x32xbf16>
  %dv = ptir.dot_general %pb, %do batch [0] x [0] contract [1] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x16xbf16>) -> tensor<2x32x16xf32>
  %dp = ptir.dot_general %do, %v batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x16xbf16>, tensor<2x32x16xbf16>) -> tensor<2x32x32xf32>
  %ds = ptir.mul %p, %dp : tensor<2x32x32xf32>
  %dsb = ptir.cast %ds : tensor<2x32x32xf32> -> tensor<2x32x32xbf16>
  %dq = ptir.dot_general %dsb, %k batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xf32>
  %dk = ptir.dot_general %dsb, %q batch [0] x [0] contract [1] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xf32>
  func.return %dv, %dq, %dk : tensor<2x32x16xf32>, tensor<2x32x64xf32>, tensor<2x32x64xf32>
}

// -----

// Accumulators of 2 x 256 columns are more than a thread has registers.
// CHECK: attention_backward_not_fused.mlir:{{[0-9]+}}:9: this product and another one, which compute the same products again, are not one kernel: the smallest tile takes more registers or shared memory than there are
func.func @wide(%q: tensor<2x32x256xbf16>, %k: tensor<2x32x256xbf16>, %v: tensor<2x32x256xbf16>, %do: tensor<2x32x256xbf16>, %lse: tensor<2x32x1xf32>) -> (tensor<2x32x256xf32>, tensor<2x32x256xf32>, tensor<2x32x256xf32>) {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x256xbf16>, tensor<2x32x256xbf16>) -> tensor<2x32x32xf32>
  %l = ptir.broadcast_to %lse : tensor<2x32x1xf32> -> tensor<2x32x32xf32>
  %d = ptir.sub %s, %l : tensor<2x32x32xf32>
  %p = ptir.exp %d : tensor<2x32x32xf32>
  %pb = ptir.cast %p : tensor<2x32x32xf32> -> tensor<2x32x32xbf16>
  %dv = ptir.dot_general %pb, %do batch [0] x [0] contract [1] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x256xbf16>) -> tensor<2x32x256xf32>
  %dp = ptir.dot_general %do, %v batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x256xbf16>, tensor<2x32x256xbf16>) -> tensor<2x32x32xf32>
  %ds = ptir.mul %p, %dp : tensor<2x32x32xf32>
  %dsb = ptir.cast %ds : tensor<2x32x32xf32> -> tensor<2x32x32xbf16>
  %dq = ptir.dot_general %dsb, %k batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x256xbf16>) -> tensor<2x32x256xf32>
  %dk = ptir.dot_general %dsb, %q batch [0] x [0] contract [1] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x256xbf16>) -> tensor<2x32x256xf32>
  func.return %dv, %dq, %dk : tensor<2x32x256xf32>, tensor<2x32x256xf32>, tensor<2x32x256xf32>
}

// -----

// A block holds heads of up to 256 elements.
// CHECK-COUNT-3: attention_backward_not_fused.mlir:{{[0-9]+}}:9: this product and those from which its operand and that of another one are computed are not one kernel: values have more than 256 elements
func.func @long(%q: tensor<2x32x320xbf16>, %k: tensor<2x32x320xbf16>, %v: tensor<2x32x320xbf16>, %do: tensor<2x32x320xbf16>, %lse: tensor<2x32x1xf32>) -> (tensor<2x32x320xf32>, tensor<2x32x320xf32>, tensor<2x32x320xf32>) {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x320xbf16>, tensor<2x32x320xbf16>) -> tensor<2x32x32xf32>
  %l = ptir.broadcast_to %lse : tensor<2x32x1xf32> -> tensor<2x32x32xf32>
  %d = ptir.sub %s, %l : tensor<2x32x32xf32>
  %p = ptir.exp %d : tensor<2x32x32xf32>
  %pb = ptir.cast %p : tensor<2x32x32xf32> -> tensor<2x32x32xbf16>
  %dv = ptir.dot_general %pb, %do batch [0] x [0] contract [1] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x320xbf16>) -> tensor<2x32x320xf32>
  %dp = ptir.dot_general %do, %v batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x320xbf16>, tensor<2x32x320xbf16>) -> tensor<2x32x32xf32>
  %ds = ptir.mul %p, %dp : tensor<2x32x32xf32>
  %dsb = ptir.cast %ds : tensor<2x32x32xf32> -> tensor<2x32x32xbf16>
  %dq = ptir.dot_general %dsb, %k batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x320xbf16>) -> tensor<2x32x320xf32>
  %dk = ptir.dot_general %dsb, %q batch [0] x [0] contract [1] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x320xbf16>) -> tensor<2x32x320xf32>
  func.return %dv, %dq, %dk : tensor<2x32x320xf32>, tensor<2x32x320xf32>, tensor<2x32x320xf32>
}

// -----

// The program returns the weights, which are stored, and nothing is computed again.
// CHECK-COUNT-3: attention_backward_not_fused.mlir:{{[0-9]+}}:9: this product and those from which its operand and that of another one are computed are not one kernel: a value between the products is also used elsewhere: it must be stored
func.func @returned(%q: tensor<2x32x64xbf16>, %k: tensor<2x32x64xbf16>, %v: tensor<2x32x64xbf16>, %do: tensor<2x32x64xbf16>, %lse: tensor<2x32x1xf32>) -> (tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<2x32x32xf32>) {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x32xf32>
  %l = ptir.broadcast_to %lse : tensor<2x32x1xf32> -> tensor<2x32x32xf32>
  %d = ptir.sub %s, %l : tensor<2x32x32xf32>
  %p = ptir.exp %d : tensor<2x32x32xf32>
  %pb = ptir.cast %p : tensor<2x32x32xf32> -> tensor<2x32x32xbf16>
  %dv = ptir.dot_general %pb, %do batch [0] x [0] contract [1] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xf32>
  %dp = ptir.dot_general %do, %v batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x32xf32>
  %ds = ptir.mul %p, %dp : tensor<2x32x32xf32>
  %dsb = ptir.cast %ds : tensor<2x32x32xf32> -> tensor<2x32x32xbf16>
  %dq = ptir.dot_general %dsb, %k batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xf32>
  %dk = ptir.dot_general %dsb, %q batch [0] x [0] contract [1] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xf32>
  func.return %dv, %dq, %dk, %p : tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<2x32x32xf32>
}

// -----

// One kernel computes dQ, and another one dK and dV.
// CHECK-NOT: not one kernel
func.func @three(%q: tensor<2x32x64xbf16>, %k: tensor<2x32x64xbf16>, %v: tensor<2x32x64xbf16>, %do: tensor<2x32x64xbf16>, %lse: tensor<2x32x1xf32>) -> (tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<2x32x64xf32>) {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x32xf32>
  %l = ptir.broadcast_to %lse : tensor<2x32x1xf32> -> tensor<2x32x32xf32>
  %d = ptir.sub %s, %l : tensor<2x32x32xf32>
  %p = ptir.exp %d : tensor<2x32x32xf32>
  %pb = ptir.cast %p : tensor<2x32x32xf32> -> tensor<2x32x32xbf16>
  %dv = ptir.dot_general %pb, %do batch [0] x [0] contract [1] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xf32>
  %dp = ptir.dot_general %do, %v batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x32xf32>
  %ds = ptir.mul %p, %dp : tensor<2x32x32xf32>
  %dsb = ptir.cast %ds : tensor<2x32x32xf32> -> tensor<2x32x32xbf16>
  %dq = ptir.dot_general %dsb, %k batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xf32>
  %dk = ptir.dot_general %dsb, %q batch [0] x [0] contract [1] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xf32>
  func.return %dv, %dq, %dk : tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<2x32x64xf32>
}
