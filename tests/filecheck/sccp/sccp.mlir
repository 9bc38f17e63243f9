// RUN: ptir-opt %s --sccp --split-input-file | filecheck %s
// RUN: ptir-opt %s --sccp --split-input-file --validate-passes -o /dev/null 2>&1

// A branch whose condition is known: the other one does not count.
// CHECK-LABEL: func.func @known_branch(
// CHECK:         cf.cond_br
// CHECK:         ^end(%z: i32):
// CHECK-NEXT:      [[Z:%.*]] = arith.constant 1 : i32
// CHECK-NEXT:      func.return [[Z]]
func.func @known_branch() -> i32 {
  %t = arith.constant true
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  cf.cond_br %t, ^yes, ^no
^yes:
  cf.br ^end(%one : i32)
^no:
  cf.br ^end(%two : i32)
^end(%z: i32):
  func.return %z : i32
}

// -----

// One constant from both sides is one; two are not.
// CHECK-LABEL: func.func @join(
// CHECK:         ^end(%y: i32, %z: i32):
// CHECK-NEXT:      [[Y:%.*]] = arith.constant 1 : i32
// CHECK-NEXT:      func.return [[Y]], %z
func.func @join(%p: i1) -> (i32, i32) {
  %one = arith.constant 1 : i32
  %again = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  cf.cond_br %p, ^end(%one, %one : i32, i32), ^end(%again, %two : i32, i32)
^end(%y: i32, %z: i32):
  func.return %y, %z : i32, i32
}

// -----

// A loop that carries the constant it began with, which only an optimistic analysis sees.
// CHECK-LABEL: func.func @cycle(
// CHECK:         ^head(%i: i32, %n: i32):
// CHECK-NEXT:      [[I:%.*]] = arith.constant 0 : i32
// CHECK:           arith.addi %n,
// CHECK:         ^end:
// CHECK-NEXT:      func.return [[I]], %n
func.func @cycle(%p: i1) -> (i32, i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^head(%zero, %zero : i32, i32)
^head(%i: i32, %n: i32):
  %next = arith.addi %i, %zero : i32
  %more = arith.addi %n, %one : i32
  cf.cond_br %p, ^head(%next, %more : i32, i32), ^end
^end:
  func.return %i, %n : i32, i32
}

// -----

// Constants go into private functions and come out of any.
// CHECK-LABEL: func.func private @private(
// CHECK:         func.return [[R:%.*]] : i32
// CHECK-LABEL: func.func @public(
// CHECK-NEXT:    func.return %a
// CHECK-LABEL: func.func @caller(
// CHECK:         [[A:%.*]] = arith.constant 42 : i32
// CHECK-NEXT:    func.call @private
// CHECK:         [[B:%.*]] = func.call @public
// CHECK-NEXT:    func.return [[A]], [[B]]
func.func private @private(%a: i32) -> i32 {
  %one = arith.constant 1 : i32
  %r = arith.addi %a, %one : i32
  func.return %r : i32
}
func.func @public(%a: i32) -> i32 {
  func.return %a : i32
}
func.func @caller() -> (i32, i32) {
  %c = arith.constant 41 : i32
  %0 = func.call @private(%c) : (i32) -> i32
  %1 = func.call @public(%c) : (i32) -> i32
  func.return %0, %1 : i32, i32
}

// -----

// Called with two constants, or referred to by what is no call: nothing is known.
// CHECK-LABEL: func.func private @twice(
// CHECK-NEXT:    func.return %a
// CHECK-LABEL: func.func private @stored(
// CHECK-NEXT:    func.return %a
func.func private @twice(%a: i32) -> i32 {
  func.return %a : i32
}
func.func private @stored(%a: i32) -> i32 {
  func.return %a : i32
}
func.func @two_calls() -> (i32, i32, i32) attributes {also = @stored} {
  %c = arith.constant 1 : i32
  %d = arith.constant 2 : i32
  %0 = func.call @twice(%c) : (i32) -> i32
  %1 = func.call @twice(%d) : (i32) -> i32
  %2 = func.call @stored(%c) : (i32) -> i32
  func.return %0, %1, %2 : i32, i32, i32
}

// -----

// CHECK-LABEL: func.func @cond(
// CHECK-NEXT:    %p = ptir.constant dense<true>
// CHECK-NEXT:    [[C:%.*]] = ptir.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK-NEXT:    func.return [[C]]
func.func @cond(%x: tensor<4xf32>) -> tensor<4xf32> {
  %p = ptir.constant dense<true> : tensor<i1>
  %r = ptir.cond %p (%x) : (tensor<4xf32>) -> tensor<4xf32> then (%a) {
    %c = ptir.constant dense<1.0> : tensor<4xf32>
    %d = ptir.add %c, %c : tensor<4xf32>
    ptir.yield %d : tensor<4xf32>
  } else (%b) {
    ptir.yield %b : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// -----

// What a loop hands through unchanged is known in it and behind it; its counter is not.
// CHECK-LABEL: func.func @while(
// CHECK:         %y = ptir.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK:         ptir.while
// CHECK:           ptir.compare gt %j,
// CHECK:         func.return %n, %y :
func.func @while(%i: tensor<i32>) -> (tensor<i32>, tensor<4xf32>) {
  %c = ptir.constant dense<1.0> : tensor<4xf32>
  %n, %y = ptir.while (%i, %c) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) cond (%j, %a) {
    %zero = ptir.constant dense<0> : tensor<i32>
    %more = ptir.compare gt %j, %zero : tensor<i32> -> tensor<i1>
    ptir.yield %more, %j, %a : tensor<i1>, tensor<i32>, tensor<4xf32>
  } do (%k, %b) {
    %one = ptir.constant dense<1> : tensor<i32>
    %next = ptir.sub %k, %one : tensor<i32>
    ptir.yield %next, %b : tensor<i32>, tensor<4xf32>
  }
  func.return %n, %y : tensor<i32>, tensor<4xf32>
}

// -----

// Zeros of two signs are two constants, of floats and in tensors; so is what a loop may not run at all.
// CHECK-LABEL: func.func @zeros(
// CHECK:         ^end(%y: f32, %z: tensor<f32>):
// CHECK-NEXT:      func.return %y, %z
func.func @zeros(%p: i1) -> (f32, tensor<f32>) {
  %a = arith.constant 0.0 : f32
  %b = arith.constant -0.0 : f32
  %c = ptir.constant dense<0.0> : tensor<f32>
  %d = ptir.constant dense<-0.0> : tensor<f32>
  cf.cond_br %p, ^end(%a, %c : f32, tensor<f32>), ^end(%b, %d : f32, tensor<f32>)
^end(%y: f32, %z: tensor<f32>):
  func.return %y, %z : f32, tensor<f32>
}

// -----

// CHECK-LABEL: func.func @for(
// CHECK:         %a = arith.constant 5 : i32
// CHECK:         scf.for
// CHECK:         func.return %a, %b : i32, i32
func.func @for(%n: index) -> (i32, i32) {
  %lb = arith.constant 0 : index
  %step = arith.constant 1 : index
  %five = arith.constant 5 : i32
  %one = arith.constant 1 : i32
  %a, %b = scf.for %i = %lb to %n step %step iter_args(%u = %five, %v = %one) -> (i32, i32) {
    %w = arith.addi %v, %one : i32
    scf.yield %u, %w : i32, i32
  }
  func.return %a, %b : i32, i32
}

// -----

// What has no value stays: a division by zero, a random number.
// CHECK-LABEL: func.func @no_value(
// CHECK:         arith.divsi
func.func @no_value() -> i32 {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %r = arith.divsi %one, %zero : i32
  func.return %r : i32
}
