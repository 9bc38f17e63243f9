// RUN: ptir-opt %s -p ptir-to-tiny --split-input-file --verify-diagnostics

// Most extensions, orders and quantization have no form in tiny; of a reduction the kind says so.

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<4x4xf32>, %s: tensor<f32>, %z: tensor<si8>) -> tensor<4x4xf32> {
  // expected-error@+1 {{'ptir.sin' has no form in tiny}}
  %0 = ptir.sin %x : tensor<4x4xf32>
  // expected-note@+1 {{'ptir.argmax' neither}}
  %1 = ptir.argmax %x axis 0 : tensor<4x4xf32> -> tensor<4xsi64>
  // expected-note@+1 {{'ptir.top_k' neither}}
  %2, %3 = ptir.top_k largest %x k 2 axis 0 : tensor<4x4xf32> -> tensor<2x4xf32>, tensor<2x4xsi64>
  // expected-note@+1 {{'ptir.quantize' neither}}
  %4 = ptir.quantize %x, %s, %z : (tensor<4x4xf32>, tensor<f32>, tensor<si8>) -> tensor<4x4xsi8>
  func.return %0 : tensor<4x4xf32>
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<4x4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'ptir.reduce mul' has no form in tiny}}
  %0 = ptir.reduce mul %x axes [0] : tensor<4x4xf32> -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
}
