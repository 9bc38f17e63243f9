// RUN: ptir-opt %s -p ptir-canonicalize --validate-passes | filecheck %s

// Control flow whose course is known, common subexpressions, and what nobody uses.

// CHECK: func.func @conds(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: %s = ptir.sub %x, %y : tensor<4xf32>
// CHECK-NEXT: %0 = ptir.cond %p (%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> then (%a, %b) {
// CHECK-NEXT: ptir.yield %a : tensor<4xf32>
// CHECK-NEXT: } else (%a_1, %b_1) {
// CHECK-NEXT: ptir.yield %b_1 : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %s, %y, %0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
func.func @conds(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %true = ptir.constant dense<true> : tensor<i1>
  %0 = ptir.cond %true (%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> then (%a, %b) {
    %s = ptir.sub %a, %b : tensor<4xf32>
    ptir.yield %s : tensor<4xf32>
  } else (%a, %b) {
    ptir.yield %b : tensor<4xf32>
  }
  %1 = ptir.cond %p (%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> then (%a, %b) {
    ptir.yield %b : tensor<4xf32>
  } else (%a, %b) {
    ptir.yield %b : tensor<4xf32>
  }
  %2 = ptir.cond %p (%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> then (%a, %b) {
    %c = ptir.neg %a : tensor<4xf32>
    %d = ptir.neg %c : tensor<4xf32>
    %dead = ptir.exp %d : tensor<4xf32>
    ptir.yield %d : tensor<4xf32>
  } else (%a, %b) {
    ptir.yield %b : tensor<4xf32>
  }
  func.return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK: func.func @loops(%x: tensor<4xf32>, %rows: tensor<0x4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<0x4xf32>) {
// CHECK-NEXT: %n = ptir.neg %x : tensor<4xf32>
// CHECK-NEXT: %0 = ptir.constant dense<> : tensor<0x4xf32>
// CHECK-NEXT: func.return %n, %x, %0 : tensor<4xf32>, tensor<4xf32>, tensor<0x4xf32>
func.func @loops(%x: tensor<4xf32>, %rows: tensor<0x4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<0x4xf32>) {
  %0 = ptir.while (%x) : (tensor<4xf32>) -> tensor<4xf32> cond (%a) {
    %n = ptir.neg %a : tensor<4xf32>
    %false = ptir.constant dense<false> : tensor<i1>
    ptir.yield %false, %n : tensor<i1>, tensor<4xf32>
  } do (%a) {
    ptir.yield %a : tensor<4xf32>
  }
  %1, %2 = ptir.scan (%x) over (%rows) : (tensor<4xf32>, tensor<0x4xf32>) -> (tensor<4xf32>, tensor<0x4xf32>) do (%c, %r) {
    %s = ptir.add %c, %r : tensor<4xf32>
    ptir.yield %s, %s : tensor<4xf32>, tensor<4xf32>
  }
  func.return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<0x4xf32>
}

// A barrier for gradients stays, whatever it stands on; tuples are taken apart; what is computed twice is computed once.
// CHECK: func.func @rest(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: %c = ptir.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %0 = ptir.stop_gradient %c : tensor<4xf32>
// CHECK-NEXT: %1 = ptir.exp %x : tensor<4xf32>
// CHECK-NEXT: %2 = ptir.sub %1, %1 : tensor<4xf32>
// CHECK-NEXT: func.return %0, %x, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
func.func @rest(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c = ptir.constant dense<1.0> : tensor<4xf32>
  %0 = ptir.stop_gradient %c : tensor<4xf32>
  %t = ptir.tuple %x, %0 : tuple<tensor<4xf32>, tensor<4xf32>>
  %1 = ptir.tuple_element %t[0] : tuple<tensor<4xf32>, tensor<4xf32>> -> tensor<4xf32>
  %2 = ptir.exp %x : tensor<4xf32>
  %3 = ptir.exp %1 : tensor<4xf32>
  %4 = ptir.sub %2, %3 : tensor<4xf32>
  func.return %0, %1, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
