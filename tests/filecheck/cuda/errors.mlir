// RUN: ptir-opt %s -t cuda --split-input-file --verify-diagnostics

// Only nv is printed: what is not lowered yet is named, with the way down.

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{PTIR0211}}
  %0 = ptir.add %x, %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'tiny.unary' does not belong in the input of the CUDA printer}}
  %0 = tiny.unary neg %x : tensor<4xf32> -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
