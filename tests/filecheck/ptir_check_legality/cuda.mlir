// RUN: ptir-opt %s --split-input-file --verify-diagnostics -p 'ptir-check-legality{target=cuda}'

// Every op that the way to CUDA does not take, not the first.

// expected-error@+1 {{the dynamic dimension 0 (B) of tensor<?x4xf32, #ptir.dims<B, _>> is not supported yet}}
func.func @f(%x: tensor<?x4xf32, #ptir.dims<B, _>>, %y: tensor<4x4xf32>, %i: tensor<4xi32>) -> (tensor<4x1xf32>, tensor<4xi32>) {
  // expected-error@+1 {{'ptir.reduce max' outside of a contraction}}
  %0 = ptir.reduce max %y axes [1] keepdims : tensor<4x4xf32> -> tensor<4x1xf32>
  // expected-error@+1 {{'ptir.argmax' has no form in tiny}}
  %1 = ptir.argmax %0 axis 0 : tensor<4x1xf32> -> tensor<1xsi64>
  // expected-error@+1 {{'ptir.div' on i32 in a kernel}}
  %2 = ptir.div %i, %i : tensor<4xi32>
  func.return %0, %2 : tensor<4x1xf32>, tensor<4xi32>
}

// -----

func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = ptir.dot_general %x, %x contract [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return %0 : tensor<4x4xf32>
}

// -----

// Pads, counts and the bits of floats have no kernel yet.

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<4xf32>) -> (tensor<6xf32>, tensor<4xsi32>, tensor<4xi32>) {
  // expected-error@+1 {{'ptir.pad' in a kernel is not supported yet}}
  %0 = ptir.pad %x with 0.0 : f32 low [1] high [1] interior [0] : tensor<4xf32> -> tensor<6xf32>
  // expected-error@+1 {{'ptir.iota' in a kernel is not supported yet}}
  %1 = ptir.iota axis 0 : tensor<4xsi32>
  // expected-error@+1 {{'ptir.bitcast' in a kernel is not supported yet}}
  %2 = ptir.bitcast %x : tensor<4xf32> -> tensor<4xi32>
  func.return %0, %1, %2 : tensor<6xf32>, tensor<4xsi32>, tensor<4xi32>
}
}
