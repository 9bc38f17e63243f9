// RUN: ptir-opt %s --inline --split-input-file | filecheck %s
// RUN: ptir-opt %s --inline --symbol-dce --split-input-file | filecheck %s --check-prefix=DCE
// RUN: ptir-opt %s --inline --split-input-file --print-debuginfo | filecheck %s --check-prefix=LOC
// RUN: ptir-opt %s --inline --split-input-file --validate-passes --verify-roundtrip -o /dev/null

// Callees are inlined into before their callers; results may be arguments, or come in another order.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    %e = ptir.exp %x
// CHECK-NEXT:    %n = tiny.unary neg %e
// CHECK-NEXT:    func.return %n, %x
// CHECK:       func.func private @outer(
// CHECK-NOT:     func.call
// CHECK:       func.func private @inner(
// DCE-LABEL:   func.func @main(
// DCE-NOT:     func.func
// DCE:         // -----
// LOC:         tiny.unary neg {{.*}} loc(callsite(callsite("{{.*}}inline.mlir":{{[0-9]+}}:8 at "{{.*}}inline.mlir":{{[0-9]+}}:8) at "{{.*}}inline.mlir":{{[0-9]+}}:12))
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0, %1 = func.call @outer(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  func.return %1, %0 : tensor<4xf32>, tensor<4xf32>
}
func.func private @outer(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = ptir.exp %a : tensor<4xf32>
  %c = func.call @inner(%e) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %a, %c : tensor<4xf32>, tensor<4xf32>
}
func.func private @inner(%a: tensor<4xf32>) -> tensor<4xf32> {
  %n = tiny.unary neg %a : tensor<4xf32> -> tensor<4xf32>
  func.return %n : tensor<4xf32>
}

// -----

// Twice in one function, and regions come along.
// CHECK-LABEL: func.func @twice(
// CHECK:         ptir.cond
// CHECK:         ptir.yield
// CHECK:         ptir.cond
// CHECK-NOT:     func.call
// CHECK:         func.return
// LOC:         ptir.cond
// LOC:           ptir.yield {{.*}} loc(callsite(
func.func @twice(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @choose(%p, %x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  %1 = func.call @choose(%p, %0) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  func.return %1 : tensor<4xf32>
}
func.func private @choose(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = ptir.cond %p (%x) : (tensor<4xf32>) -> tensor<4xf32> then (%a) {
    %s = ptir.neg %a : tensor<4xf32>
    ptir.yield %s : tensor<4xf32>
  } else (%b) {
    ptir.yield %b : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// -----

// A call inside of a region that sees what is around it.
// CHECK-LABEL: func.func @in_a_region(
// CHECK:         scf.if
// CHECK-NEXT:      %r = arith.addi %a, %a
// CHECK-NEXT:      scf.yield %r
func.func @in_a_region(%p: i1, %a: i32) -> i32 {
  %0 = "scf.if"(%p) ({
    %1 = func.call @double(%a) : (i32) -> i32
    scf.yield %1 : i32
  }, {
    scf.yield %a : i32
  }) : (i1) -> i32
  func.return %0 : i32
}
func.func private @double(%a: i32) -> i32 {
  %r = arith.addi %a, %a : i32
  func.return %r : i32
}

// -----

// Recursion, of one function or of several, is left alone, wherever it is called from.
// CHECK-LABEL: func.func @calls_recursion(
// CHECK:         func.call @even
// CHECK:         func.call @self
// CHECK-LABEL: func.func private @even(
// CHECK:         func.call @odd
// CHECK-LABEL: func.func private @odd(
// CHECK:         func.call @even
// DCE-LABEL:   func.func @calls_recursion(
// DCE:         func.func private @even(
// DCE:         func.func private @odd(
// DCE:         func.func private @self(
func.func @calls_recursion() {
  func.call @even() : () -> ()
  func.call @self() : () -> ()
  func.return
}
func.func private @even() {
  func.call @odd() : () -> ()
  func.return
}
func.func private @odd() {
  func.call @even() : () -> ()
  func.return
}
func.func private @self() {
  func.call @self() : () -> ()
  func.return
}

// -----

// Declarations, and what says no_inline.
// CHECK-LABEL: func.func @kept(
// CHECK:         func.call @declared
// CHECK:         func.call @marked
// CHECK:         func.call @plain(%0) {no_inline}
func.func @kept(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @declared(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = func.call @marked(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = func.call @plain(%0) {no_inline} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %2 : tensor<4xf32>
}
func.func private @declared(tensor<4xf32>) -> tensor<4xf32>
func.func private @marked(%x: tensor<4xf32>) -> tensor<4xf32> attributes {no_inline} {
  func.return %x : tensor<4xf32>
}
func.func private @plain(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
