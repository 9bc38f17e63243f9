// RUN: ptir-opt %s -p ptir-to-tiny --split-input-file --verify-diagnostics
// RUN: ptir-opt %s -p build-poly-view --split-input-file --verify-diagnostics
// RUN: ptir-opt %s -p form-regions --split-input-file --verify-diagnostics

// expected-error@+1 {{the dynamic dimension 0 (B) of tensor<?x4xf32, #ptir.dims<B, _>> is not supported yet}}
func.func @a_name(%x: tensor<?x4xf32, #ptir.dims<B, _>>) {
  func.return
}

// -----

// expected-error@+1 {{the dynamic dimension 1 of tensor<4x?xf32> is not supported yet}}
func.func @no_name(%y: tensor<2xf32>, %x: tensor<4x?xf32>) {
  func.return
}

// -----

func.func @at_the_op(%x: tensor<4xf32>) {
  // expected-error@+1 {{the dynamic dimension 0 (B) of tensor<?xf32, #ptir.dims<B>> is not supported yet}}
  %0 = ptir.dim_cast %x : tensor<4xf32> -> tensor<?xf32, #ptir.dims<B>>
  func.return
}
