// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// Elements that no tensor of the dialect has.

func.func @unknown_0(%x: tensor<4xi7>) {
  // expected-error@+1 {{the element type is i7; elements are i1, integers of 4, 8, 16, 32 or 64 bits, floats from f8 to f64, and complex numbers of f32 or f64}}
  %0 = ptir.neg %x : tensor<4xi7>
  func.return
}

// -----

func.func @unknown_1(%x: tensor<4xsi2>) {
  // expected-error@+1 {{the element type is si2; elements are i1, integers of 4, 8, 16, 32 or 64 bits, floats from f8 to f64, and complex numbers of f32 or f64}}
  %0 = ptir.neg %x : tensor<4xsi2>
  func.return
}

// -----

func.func @unknown_2(%x: tensor<4xi128>) {
  // expected-error@+1 {{the element type is i128; elements are i1, integers of 4, 8, 16, 32 or 64 bits, floats from f8 to f64, and complex numbers of f32 or f64}}
  %0 = ptir.neg %x : tensor<4xi128>
  func.return
}

// -----

func.func @unknown_3(%x: tensor<4xindex>) {
  // expected-error@+1 {{the element type is index; elements are i1, integers of 4, 8, 16, 32 or 64 bits, floats from f8 to f64, and complex numbers of f32 or f64}}
  %0 = ptir.stop_gradient %x : tensor<4xindex>
  func.return
}

// -----

func.func @unknown_4(%x: tensor<4xf80>) {
  // expected-error@+1 {{the element type is f80; elements are i1, integers of 4, 8, 16, 32 or 64 bits, floats from f8 to f64, and complex numbers of f32 or f64}}
  %0 = ptir.neg %x : tensor<4xf80>
  func.return
}

// -----

func.func @unknown_5(%x: tensor<4xtf32>) {
  // expected-error@+1 {{the element type is tf32; elements are i1, integers of 4, 8, 16, 32 or 64 bits, floats from f8 to f64, and complex numbers of f32 or f64}}
  %0 = ptir.neg %x : tensor<4xtf32>
  func.return
}

// -----

func.func @unknown_6(%x: tensor<4xf8E4M3>) {
  // expected-error@+1 {{the element type is f8E4M3; elements are i1, integers of 4, 8, 16, 32 or 64 bits, floats from f8 to f64, and complex numbers of f32 or f64}}
  %0 = ptir.neg %x : tensor<4xf8E4M3>
  func.return
}

// -----

func.func @unknown_7(%x: tensor<4xcomplex<f16>>) {
  // expected-error@+1 {{the element type is complex<f16>; elements are i1, integers of 4, 8, 16, 32 or 64 bits, floats from f8 to f64, and complex numbers of f32 or f64}}
  %0 = ptir.neg %x : tensor<4xcomplex<f16>>
  func.return
}

// -----

func.func @unknown_8(%x: tensor<4xcomplex<si32>>) {
  // expected-error@+1 {{the element type is complex<si32>; elements are i1, integers of 4, 8, 16, 32 or 64 bits, floats from f8 to f64, and complex numbers of f32 or f64}}
  %0 = ptir.neg %x : tensor<4xcomplex<si32>>
  func.return
}

// -----

func.func @unknown_9(%x: tensor<4xui1>) {
  // expected-error@+1 {{the element type is ui1; elements are i1, integers of 4, 8, 16, 32 or 64 bits, floats from f8 to f64, and complex numbers of f32 or f64}}
  %0 = ptir.stop_gradient %x : tensor<4xui1>
  func.return
}

// -----

func.func @unknown_10(%x: tensor<4xtensor<3xf32>>) {
  // expected-error@+1 {{the element type is tensor<3xf32>; elements are i1, integers of 4, 8, 16, 32 or 64 bits, floats from f8 to f64, and complex numbers of f32 or f64}}
  %0 = ptir.stop_gradient %x : tensor<4xtensor<3xf32>>
  func.return
}

// -----

func.func @result(%x: tensor<4xf32>) {
  // expected-error@+1 {{the element type is i13; elements are}}
  %0 = ptir.cast %x : tensor<4xf32> -> tensor<4xi13>
  func.return
}

// -----

func.func @operand(%x: tensor<4xindex>) {
  // expected-error@+1 {{the element type is index; elements are}}
  %0 = ptir.cast %x : tensor<4xindex> -> tensor<4xf32>
  func.return
}

// -----

func.func @in_a_tuple(%x: tensor<4xf32>) {
  // expected-error@+1 {{the element type is f80; elements are}}
  %0 = ptir.custom_call "a.b.v1"(%x) : (tensor<4xf32>) -> tuple<tensor<4xf80>>
  func.return
}

// -----

func.func @accumulator(%x: tensor<4xf32>) {
  // expected-error@+1 {{f80; it must be of the same kind as f32}}
  %0 = ptir.reduce sum %x axes [0] accum f80 : tensor<4xf32> -> tensor<f32>
  func.return
}

// -----

func.func @encoding(%x: tensor<4xf32, 3 : i32>) {
  // expected-error@+1 {{tensor<4xf32, 3 : i32>: its encoding is 3 : i32}}
  %0 = ptir.neg %x : tensor<4xf32, 3 : i32>
  func.return
}
