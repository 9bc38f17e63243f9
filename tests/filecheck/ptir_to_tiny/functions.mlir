// RUN: ptir-opt %s -p ptir-to-tiny | filecheck %s

// What stops a gradient is nothing here, an inline literal is a literal, and of the extensions tiny has the square root.

// CHECK: func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %s = ptir.stop_gradient %x : tensor<4xf32>
  // CHECK-NEXT: %c = tiny.const dense<1.000000e+00> : tensor<4xf32>
  %c = ptir.constant inline dense<1.0> : tensor<4xf32>
  // CHECK-NEXT: %r = tiny.unary sqrt %x : tensor<4xf32> -> tensor<4xf32>
  %r = ptir.sqrt %s : tensor<4xf32>
  // CHECK-NEXT: func.return %r, %c
  func.return %r, %c : tensor<4xf32>, tensor<4xf32>
}
}
