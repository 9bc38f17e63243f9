// RUN: not ptir-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --match-full-lines

// The codes of regions, of symbols, and of values that an operation does not see.

// CHECK: {{.*}}error[PTIR0121]: the end of 'then': got test.termop, expected ptir.yield
func.func @f(%p: tensor<i1>) {
  ptir.cond %p : () -> () then {
    "test.termop"() : () -> ()
  } else {
    ptir.yield
  }
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0121]: the parameters of 'do': got (tensor<3xf32>), expected (tensor<2xf32>)
func.func @f(%a: tensor<3x2xf32>) {
  %r = ptir.scan over (%a) : (tensor<3x2xf32>) -> tensor<3x3xf32> do (%x: tensor<3xf32>) {
    ptir.yield %x : tensor<3xf32>
  }
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0121]: the carried results: got (tensor<f64>), expected (tensor<f32>)
func.func @f(%c: tensor<f32>, %a: tensor<3xf32>) {
  %r = ptir.scan (%c) over (%a) : (tensor<f32>, tensor<3xf32>) -> tensor<f64> do (%s, %x) {
    ptir.yield %s : tensor<f32>
  }
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0121]: the results of 'do': got (), expected (tensor<f32>)
func.func @f(%c: tensor<f32>, %a: tensor<3xf32>) {
  %r = ptir.scan (%c) over (%a) : (tensor<f32>, tensor<3xf32>) -> tensor<f32> do (%s, %x) {
    ptir.yield
  }
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0122]: 'func.call' is not allowed in a region of 'ptir.cond': it is not known to be pure
// CHECK: help: move it out of the region, and pass its results in as operands
func.func private @g(tensor<f32>) -> tensor<f32>
func.func @f(%p: tensor<i1>, %a: tensor<f32>) {
  %r = ptir.cond %p (%a) : (tensor<f32>) -> tensor<f32> then (%x) {
    %y = func.call @g(%x) : (tensor<f32>) -> tensor<f32>
    ptir.yield %y : tensor<f32>
  } else (%x2) {
    ptir.yield %x2 : tensor<f32>
  }
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0195]: operand #0 is defined outside of 'ptir.cond', which is isolated from above
// CHECK: help: define it inside, or pass it in as an argument
// CHECK: {{.*}}error[PTIR0195]: operand #0 is defined outside of 'ptir.cond', which is isolated from above
// CHECK: help: define it inside, or pass it in as an argument
func.func @f(%p: tensor<i1>, %a: tensor<f32>) {
  %r = ptir.cond %p : () -> tensor<f32> then {
    ptir.yield %a : tensor<f32>
  } else {
    ptir.yield %a : tensor<f32>
  }
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0195]: operand #0 is defined outside of 'ptir.composite', which is isolated from above
// CHECK: help: define it inside, or pass it in as an argument
builtin.module attributes {ptir.extensions} {
  func.func @f(%x: tensor<4xf32>) {
    %0 = ptir.composite "some.v1" (%x) : (tensor<4xf32>) -> tensor<4xf32> do (%y) {
      %1 = ptir.neg %x : tensor<4xf32>
      ptir.yield %1 : tensor<4xf32>
    }
    func.return
  }
}

// -----

// CHECK: {{.*}}error[PTIR0196]: redefinition of symbol @twice
func.func @twice() {
  func.return
}
func.func @once() {
  func.return
}
func.func @twice() {
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0198]: operand #0 does not dominate this use
// CHECK: {{.*}}error[PTIR0198]: operand #1 does not dominate this use
// CHECK: {{.*}}error[PTIR0100]: 'func.return' Expected arguments to have the same types as the function output types: expected [i32], got []
func.func @two_failures() -> i32 {
  %0 = arith.addi %1, %1 : i32
  %1 = arith.constant 1 : i32
  func.return
}
