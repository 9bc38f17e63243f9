// RUN: ptir-opt %s --ptir-recognize | filecheck %s
// RUN: ptir-opt %s --ptir-recognize --ptir-recognize | filecheck %s
// RUN: ptir-opt %s --ptir-recognize --ptir-inline-composites | filecheck %s --check-prefix=BACK
// RUN: ptir-opt %s -p ptir-recognize,ptir-inline-composites --validate-passes 2>&1 | filecheck %s --check-prefix=BACK

// BACK-NOT: warning
// CHECK: builtin.module attributes {ptir.extensions} {
// CHECK: func.func @causal
// CHECK-NEXT: %o = ptir.composite "attention.v1" (%q, %k, %v) {causal, heads = 3 : i64, scale = 1.250000e-01 : f64} : (tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>) -> tensor<2x3x4x8xf32> do (%q_1, %k_1, %v_1) {
// CHECK-NEXT:   %kt = ptir.transpose %k_1 [0, 1, 3, 2]
// CHECK:        ptir.yield
// CHECK-NEXT: }
// CHECK-NEXT: func.return %o
// BACK: func.func @causal
// BACK-NEXT: %kt = ptir.transpose %k [0, 1, 3, 2]
// BACK-NEXT: ptir.dot_general
// BACK-NOT: ptir.composite
// BACK: func.return
func.func @causal(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x4x8xf32>, %v: tensor<2x3x4x8xf32>) -> tensor<2x3x4x8xf32> {
  %kt = ptir.transpose %k [0, 1, 3, 2] : tensor<2x3x4x8xf32> -> tensor<2x3x8x4xf32>
  %s = ptir.dot_general %q, %kt batch [0, 1] x [0, 1] contract [3] x [2] accum f32 out f32 : (tensor<2x3x4x8xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x4x4xf32>
  %c = ptir.constant dense<0.125> : tensor<f32>
  %cb = ptir.broadcast_to %c : tensor<f32> -> tensor<2x3x4x4xf32>
  %t = ptir.mul %s, %cb : tensor<2x3x4x4xf32>
  %i = ptir.iota axis 0 : tensor<4x4xsi32>
  %j = ptir.iota axis 1 : tensor<4x4xsi32>
  %b = ptir.compare ge %i, %j : tensor<4x4xsi32> -> tensor<4x4xi1>
  %zero = ptir.constant dense<0.0> : tensor<4x4xf32>
  %away = ptir.constant dense<-1.0e9> : tensor<4x4xf32>
  %w = ptir.select %b, %zero, %away : tensor<4x4xi1>, tensor<4x4xf32>
  %wb = ptir.broadcast_to %w : tensor<4x4xf32> -> tensor<2x3x4x4xf32>
  %z = ptir.add %t, %wb : tensor<2x3x4x4xf32>
  %m = ptir.reduce max %z axes [3] keepdims accum f32 out f32 : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %mb = ptir.broadcast_to %m : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %d = ptir.sub %z, %mb : tensor<2x3x4x4xf32>
  %e = ptir.exp %d : tensor<2x3x4x4xf32>
  %l = ptir.reduce sum %e axes [3] keepdims accum f32 out f32 : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %lb = ptir.broadcast_to %l : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %p = ptir.div %e, %lb : tensor<2x3x4x4xf32>
  %o = ptir.dot_general %p, %v batch [0, 1] x [0, 1] contract [3] x [2] accum f32 out f32 : (tensor<2x3x4x4xf32>, tensor<2x3x4x8xf32>) -> tensor<2x3x4x8xf32>
  func.return %o : tensor<2x3x4x8xf32>
}

// The maximum is of other scores: neither.

// CHECK: func.func @nearly
// CHECK-NOT: ptir.composite
// CHECK: func.return
func.func @nearly(%q: tensor<4x8xf32>, %k: tensor<4x8xf32>, %n: tensor<4x8xf32>, %v: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %s = ptir.dot_general %q, %k contract [1] x [1] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
  %t = ptir.dot_general %q, %n contract [1] x [1] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
  %m = ptir.reduce max %t axes [1] keepdims : tensor<4x4xf32> -> tensor<4x1xf32>
  %mb = ptir.broadcast_to %m : tensor<4x1xf32> -> tensor<4x4xf32>
  %d = ptir.sub %s, %mb : tensor<4x4xf32>
  %e = ptir.exp %d : tensor<4x4xf32>
  %l = ptir.reduce sum %e axes [1] keepdims : tensor<4x4xf32> -> tensor<4x1xf32>
  %lb = ptir.broadcast_to %l : tensor<4x1xf32> -> tensor<4x4xf32>
  %p = ptir.div %e, %lb : tensor<4x4xf32>
  %o = ptir.dot_general %p, %v contract [1] x [0] : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %o : tensor<4x8xf32>
}
