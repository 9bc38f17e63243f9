// RUN: ptir-opt %s -p ptir-to-tiny --allow-unregistered-dialect | filecheck %s
// RUN: ptir-opt %s -p ptir-to-tiny --allow-unregistered-dialect --debug -o /dev/null 2>&1 | filecheck %s --check-prefix=WHY

// What is not affine stays between tiny ops, and the ops of its regions are lowered.

builtin.module attributes {ptir.extensions} {
// CHECK: func.func @regions(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %r = ptir.cond %p (%x) : (tensor<4xf32>) -> tensor<4xf32> then (%a) {
// CHECK-NEXT: ptir.yield %a : tensor<4xf32>
// CHECK-NEXT: } else (%b) {
// CHECK-NEXT: %n = tiny.unary neg %b : tensor<4xf32> -> tensor<4xf32>
// CHECK-NEXT: ptir.yield %n : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %s = tiny.binary add %r, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %t = ptir.custom_call "acme.f.v1"(%s) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %y = func.call @other(%t) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: func.return %y : tensor<4xf32>
func.func @regions(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = ptir.cond %p (%x) : (tensor<4xf32>) -> tensor<4xf32> then (%a) {
    ptir.yield %a : tensor<4xf32>
  } else (%b) {
    %n = ptir.neg %b : tensor<4xf32>
    ptir.yield %n : tensor<4xf32>
  }
  %s = ptir.add %r, %x : tensor<4xf32>
  %t = ptir.custom_call "acme.f.v1"(%s) : (tensor<4xf32>) -> tensor<4xf32>
  %y = func.call @other(%t) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// CHECK: func.func @indices(%x: tensor<4x4xf32>, %i: tensor<2xsi32>) -> (tensor<2x4xf32>, tensor<4x4xf32>) {
// CHECK-NEXT: %0 = tiny.unary exp %x : tensor<4x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %1 = tiny.movement reshape %i : tensor<2xsi32> -> tensor<2x1xsi32>
// CHECK-NEXT: %2 = tiny.movement expand %1 : tensor<2x1xsi32> -> tensor<2x4xsi32>
// CHECK-NEXT: %3 = ptir.gather %0, %2 axis 0 : (tensor<4x4xf32>, tensor<2x4xsi32>) -> tensor<2x4xf32>
// CHECK-NEXT: %4 = tiny.unary neg %3 : tensor<2x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: func.return %4, %0 : tensor<2x4xf32>, tensor<4x4xf32>
func.func @indices(%x: tensor<4x4xf32>, %i: tensor<2xsi32>) -> (tensor<2x4xf32>, tensor<4x4xf32>) {
  %0 = ptir.exp %x : tensor<4x4xf32>
  %1 = ptir.take %0, %i : (tensor<4x4xf32>, tensor<2xsi32>) -> tensor<2x4xf32>
  %2 = ptir.neg %1 : tensor<2x4xf32>
  func.return %2, %0 : tensor<2x4xf32>, tensor<4x4xf32>
}

// CHECK: func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: func.return %x : tensor<4xf32>
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}

// WHY-DAG: 'ptir.fft' has no form in tiny
// CHECK: func.func @unknown(%x: tensor<4xf32>) {
// CHECK-NEXT: "ptir.fft"(%x) : (tensor<4xf32>) -> ()
// CHECK-NEXT: func.return
func.func @unknown(%x: tensor<4xf32>) {
  "ptir.fft"(%x) : (tensor<4xf32>) -> ()
  func.return
}
}
