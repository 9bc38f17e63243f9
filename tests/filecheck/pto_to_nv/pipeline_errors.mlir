// RUN: ptir-opt %s -p 'ptir-to-cuda{arch=sm80}' --split-input-file --verify-diagnostics

// A zero divisor is an error, which a kernel cannot report.

func.func @integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error@+1 {{'ptir.div' on i32 in a kernel is not supported yet}}
  %0 = ptir.div %x, %x : tensor<4xi32>
  func.return %0 : tensor<4xi32>
}

// -----

func.func @ieee(%x: tensor<4xf8E4M3>) -> tensor<4xf8E4M3> {
  // expected-error@+1 {{the element type is f8E4M3}}
  %0 = ptir.add %x, %x : tensor<4xf8E4M3>
  func.return %0 : tensor<4xf8E4M3>
}

// -----

// A sum of terms that no kernel computes.

func.func @sum(%x: tensor<4x8xi32>) -> tensor<4xi32> {
  // expected-error@+1 {{'ptir.div' on i32 in a kernel is not supported yet}}
  %y = ptir.div %x, %x : tensor<4x8xi32>
  %0 = ptir.reduce sum %y axes [1] : tensor<4x8xi32> -> tensor<4xi32>
  func.return %0 : tensor<4xi32>
}
