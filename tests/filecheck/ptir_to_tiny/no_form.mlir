// RUN: ptir-opt %s -p ptir-to-tiny --split-input-file --verify-diagnostics

// Control flow, windows, calls and random numbers are not affine: each is named, at its place.

func.func @f(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'ptir.cond' has no form in tiny}}
  %r = ptir.cond %p (%x) : (tensor<4xf32>) -> tensor<4xf32> then (%a) {
    // expected-note@+1 {{'ptir.yield' neither}}
    ptir.yield %a : tensor<4xf32>
  } else (%b) {
    %n = ptir.neg %b : tensor<4xf32>
    // expected-note@+1 {{'ptir.yield' neither}}
    ptir.yield %n : tensor<4xf32>
  }
  // expected-note@+1 {{'ptir.rng_uniform' neither}}
  %u = ptir.rng_uniform seed 1 : tensor<4xf32>
  %s = ptir.add %r, %u : tensor<4xf32>
  // expected-note@+1 {{'ptir.custom_call' neither}}
  %t = ptir.custom_call "acme.f.v1"(%s) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note@+1 {{'ptir.reduce_window' neither}}
  %w = ptir.reduce_window max %t window [3] padding [(1, 1)] : tensor<4xf32> -> tensor<4xf32>
  func.return %w : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<2x4xf32>, %g: tensor<4xf32>) -> tensor<2x4xf32> {
  // expected-error@+1 {{'ptir.layer_norm' has no form in tiny}}
  %r = ptir.layer_norm %x, %g, %g axis 1 epsilon 1.0e-05 : tensor<2x4xf32>, tensor<4xf32>
  func.return %r : tensor<2x4xf32>
}
