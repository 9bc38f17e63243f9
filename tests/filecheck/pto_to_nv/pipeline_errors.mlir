// RUN: ptir-opt %s -p 'ptir-to-cuda{arch=sm80}' --split-input-file --verify-diagnostics

// A zero divisor is an error, which a kernel cannot report.

func.func @integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error@+1 {{an integer division of i32 in a kernel is not supported yet}}
  %0 = ptir.div %x, %x : tensor<4xi32>
  func.return %0 : tensor<4xi32>
}

// -----

// expected-error@+1 {{elementwise ui4 is not supported yet}}
func.func @narrow(%x: tensor<4xui4>) -> tensor<4xui4> {
  %0 = ptir.add %x, %x : tensor<4xui4>
  func.return %0 : tensor<4xui4>
}

// -----

func.func @to_narrow(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error@+1 {{elementwise si4 is not supported yet}}
  %0 = ptir.cast %x : tensor<4xi32> -> tensor<4xsi4>
  %1 = ptir.cast %0 : tensor<4xsi4> -> tensor<4xi32>
  func.return %1 : tensor<4xi32>
}

// -----

// expected-error@+1 {{elementwise f8E4M3FN is not supported yet}}
func.func @eight(%x: tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN> {
  %0 = ptir.add %x, %x : tensor<4xf8E4M3FN>
  func.return %0 : tensor<4xf8E4M3FN>
}

// -----

// A sum that is no contraction: every term is read with the same weight.

func.func @sum(%x: tensor<4x8xbf16>) -> tensor<4xf32> {
  // expected-error@+1 {{a sum reduction outside of a contraction is not supported yet}}
  %0 = ptir.reduce sum %x axes [1] accum f32 out f32 : tensor<4x8xbf16> -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
