// RUN: ptir-opt %s -p ptir-canonicalize | filecheck %s --check-prefix=EXACT
// RUN: ptir-opt %s -p 'ptir-canonicalize{fast=true}' | filecheck %s --check-prefix=FAST
// RUN: ptir-opt %s -p 'ptir-canonicalize{rules=fast-div-constant}' | filecheck %s --check-prefix=NAMED
// RUN: ptir-opt %s -p 'ptir-canonicalize{fold-limit=0}' | filecheck %s --check-prefix=UNFOLDED
// RUN: ptir-opt %s -p canonicalize | filecheck %s --check-prefix=EXACT
// RUN: not ptir-opt %s -p 'ptir-canonicalize{rules=fast-div-constants}' 2>&1 | filecheck %s --check-prefix=ERROR
// RUN: ptir-opt %s -p ptir-canonicalize --debug 2>&1 | filecheck %s --check-prefix=DEBUG

// Rules that round otherwise are off unless asked for.
// EXACT:      func.func @f
// EXACT-NEXT: %three = ptir.constant dense<3.000000e+00>
// EXACT-NEXT: %0 = ptir.div %x, %three
// EXACT-NEXT: %1 = ptir.sub %x, %x
// EXACT-NEXT: func.return %0, %1
// FAST:      func.func @f
// FAST-NEXT: %0 = ptir.constant dense<{{0\.333333.*}}> : tensor<2xf32>
// FAST-NEXT: %1 = ptir.mul %x, %0
// FAST-NEXT: %2 = ptir.constant dense<0.000000e+00>
// FAST-NEXT: func.return %1, %2
// NAMED:      func.func @f
// NAMED-NEXT: %0 = ptir.constant dense<{{0\.333333.*}}> : tensor<2xf32>
// NAMED-NEXT: %1 = ptir.mul %x, %0
// NAMED-NEXT: %2 = ptir.sub %x, %x
// NAMED-NEXT: func.return %1, %2
// ERROR: error[PTIR0213]: no rule is called 'fast-div-constants'
// ERROR: help: did you mean fast-div-constant
// DEBUG: ptir.div: div-exact-constant does not fire: exact_reciprocal(c) does not hold
func.func @f(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %three = ptir.constant dense<3.0> : tensor<2xf32>
  %0 = ptir.div %x, %three : tensor<2xf32>
  %1 = ptir.sub %x, %x : tensor<2xf32>
  func.return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// EXACT:         func.func @constants
// EXACT-NEXT:    ptir.constant dense<6.000000e+00>
// EXACT-NEXT:    func.return
// UNFOLDED:      func.func @constants
// UNFOLDED-NEXT: ptir.constant dense<2.000000e+00>
// UNFOLDED-NEXT: ptir.constant dense<3.000000e+00>
// UNFOLDED-NEXT: ptir.mul
func.func @constants() -> tensor<f32> {
  %0 = ptir.constant dense<2.0> : tensor<f32>
  %1 = ptir.constant dense<3.0> : tensor<f32>
  %2 = ptir.mul %0, %1 : tensor<f32>
  func.return %2 : tensor<f32>
}

// A square is a product in f32, bit for bit; a power of f64 is not computed wider, and stays.
// EXACT:      func.func @powers
// EXACT-NEXT: %two = ptir.constant dense<2.000000e+00> : tensor<2xf64>
// EXACT-NEXT: %inverse = ptir.constant dense<-1.000000e+00> : tensor<2xf64>
// EXACT-NEXT: %0 = ptir.pow %x, %two
// EXACT-NEXT: %1 = ptir.pow %x, %inverse
// EXACT-NEXT: %2 = ptir.mul %y, %y
// EXACT-NEXT: %3 = ptir.reciprocal %y
// EXACT-NEXT: func.return %0, %1, %2, %3
// FAST:       func.func @powers
// FAST-NEXT:  %0 = ptir.mul %x, %x
// FAST-NEXT:  %1 = ptir.reciprocal %x
// FAST-NEXT:  %2 = ptir.mul %y, %y
// FAST-NEXT:  %3 = ptir.reciprocal %y
// FAST-NEXT:  func.return %0, %1, %2, %3
builtin.module attributes {ptir.extensions} {
  func.func @powers(%x: tensor<2xf64>, %y: tensor<2xf32>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf32>, tensor<2xf32>) {
    %two = ptir.constant dense<2.0> : tensor<2xf64>
    %inverse = ptir.constant dense<-1.0> : tensor<2xf64>
    %two_1 = ptir.constant dense<2.0> : tensor<2xf32>
    %inverse_1 = ptir.constant dense<-1.0> : tensor<2xf32>
    %0 = ptir.pow %x, %two : tensor<2xf64>
    %1 = ptir.pow %x, %inverse : tensor<2xf64>
    %2 = ptir.pow %y, %two_1 : tensor<2xf32>
    %3 = ptir.pow %y, %inverse_1 : tensor<2xf32>
    func.return %0, %1, %2, %3 : tensor<2xf64>, tensor<2xf64>, tensor<2xf32>, tensor<2xf32>
  }
}
