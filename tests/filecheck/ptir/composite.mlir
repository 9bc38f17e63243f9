// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s | ptir-opt | filecheck %s
// RUN: ptir-opt --print-op-generic %s | ptir-opt | filecheck %s

// Names, facts of every kind, several operands and results, none, and attributes that are no part of the op.

// CHECK: builtin.module attributes {ptir.extensions} {
builtin.module attributes {ptir.extensions} {
  // CHECK-NEXT: func.func @f(%x: tensor<4xf32>, %y: tensor<?xf32, #ptir.dims<N>>) {
  func.func @f(%x: tensor<4xf32>, %y: tensor<?xf32, #ptir.dims<N>>) {
    // CHECK-NEXT: %a, %b = ptir.composite "mine.swap_2.v12" (%x, %y) {unit, whole = 1 : i64, real = 1.250000e-01 : f64, word = "w", list = [1 : i64, 2 : i64], none = []} : (tensor<4xf32>, tensor<?xf32, #ptir.dims<N>>) -> (tensor<?xf32, #ptir.dims<N>>, tensor<4xf32>) attributes {note = "kept"} do (%u, %v) {
    // CHECK-NEXT:   ptir.yield %v, %u : tensor<?xf32, #ptir.dims<N>>, tensor<4xf32>
    // CHECK-NEXT: }
    %a, %b = ptir.composite "mine.swap_2.v12" (%x, %y) {unit, whole = 1 : i64, real = 0.125 : f64, word = "w", list = [1, 2], none = []} : (tensor<4xf32>, tensor<?xf32, #ptir.dims<N>>) -> (tensor<?xf32, #ptir.dims<N>>, tensor<4xf32>) attributes {note = "kept"} do (%u, %v) {
      ptir.yield %v, %u : tensor<?xf32, #ptir.dims<N>>, tensor<4xf32>
    }
    // CHECK-NEXT: %c = ptir.composite "one.v1" : () -> tensor<f32> do {
    // CHECK-NEXT:   %o = ptir.constant dense<1.000000e+00> : tensor<f32>
    // CHECK-NEXT:   ptir.yield %o : tensor<f32>
    // CHECK-NEXT: }
    %c = ptir.composite "one.v1" : () -> tensor<f32> do {
      %o = ptir.constant dense<1.0> : tensor<f32>
      ptir.yield %o : tensor<f32>
    }
    // CHECK-NEXT: func.return
    func.return
  }
}
