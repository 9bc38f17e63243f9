// RUN: ptir-opt %s -p 'ptir-to-cuda{arch=sm80}' --split-input-file --verify-diagnostics

func.func @wide(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{a contraction of f32 and f32 into f32 is not supported yet}}
  %0 = ptir.dot_general %x, %w contract [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  func.return %0 : tensor<4x4xf32>
}

// -----

// expected-error@+1 {{elementwise i32 is not supported yet}}
func.func @integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = ptir.add %x, %x : tensor<4xi32>
  func.return %0 : tensor<4xi32>
}

// -----

// expected-error@+1 {{elementwise f64 is not supported yet}}
func.func @double(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = ptir.add %x, %x : tensor<4xf64>
  func.return %0 : tensor<4xf64>
}

// -----

// A sum that is no contraction: every term is read with the same weight.

func.func @sum(%x: tensor<4x8xbf16>) -> tensor<4xf32> {
  // expected-error@+1 {{a sum reduction outside of a contraction is not supported yet}}
  %0 = ptir.reduce sum %x axes [1] accum f32 out f32 : tensor<4x8xbf16> -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
