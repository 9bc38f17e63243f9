// RUN: ptir-opt %s -p ptir-to-tiny --split-input-file --verify-diagnostics --allow-unregistered-dialect

// An accumulator must hold every operand: rounding before the product is not what dot_general means.

func.func @f(%x: tensor<2x3xf32>, %w: tensor<3x2xf32>) -> tensor<2x2xf32> {
  // expected-error@+1 {{ptir.dot_general accumulates f32 in bf16, which does not hold every f32}}
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum bf16 : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  func.return %0 : tensor<2x2xf32>
}

// -----

func.func @f(%x: tensor<2x3xi32>) -> tensor<3xi32> {
  // expected-error@+1 {{ptir.reduce accumulates i32 in i8, which does not hold every i32}}
  %0 = ptir.reduce sum %x axes [0] accum i8 : tensor<2x3xi32> -> tensor<3xi32>
  func.return %0 : tensor<3xi32>
}

// -----

func.func @f(%x: tensor<2x3xui8>, %w: tensor<3x2xsi8>) -> tensor<2x2xui8> {
  // expected-error@+1 {{ptir.dot_general accumulates si8 in ui8, which does not hold every si8}}
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum ui8 out ui8 : (tensor<2x3xui8>, tensor<3x2xsi8>) -> tensor<2x2xui8>
  func.return %0 : tensor<2x2xui8>
}

// -----

// An op that this compiler does not know is named, not dropped.

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ptir.fft' has no form in tiny}}
  "ptir.fft"(%x) : (tensor<4xf32>) -> ()
  func.return
}

// -----

// expected-error@+1 {{the module is written in ptir.v0.3, this compiler reads ptir.v0.4}}
builtin.module attributes {ptir.spec_version = "ptir.v0.3"} {
}
