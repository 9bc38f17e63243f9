// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of the dialect's verifiers.

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'kind' is 'slide'}}
  %0 = tiny.movement slide %x : tensor<2x3xf32> -> tensor<6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has element type bf16, expected f32}}
  %0 = tiny.movement reshape %x : tensor<2x3xf32> -> tensor<6xbf16>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'perm' does not fit reshape}}
  %0 = tiny.movement reshape %x by [0, 1] : tensor<2x3xf32> -> tensor<6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'perm' does not fit permute}}
  %0 = tiny.movement permute %x : tensor<2x3xf32> -> tensor<3x2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result holds 5 elements, expected 6}}
  %0 = tiny.movement reshape %x : tensor<2x3xf32> -> tensor<5xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{perm has rank 1, expected 2}}
  %0 = tiny.movement permute %x by [1] : tensor<2x3xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axis 1 is given twice in perm}}
  %0 = tiny.movement permute %x by [1, 1] : tensor<2x3xf32> -> tensor<3x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axis 2 is out of range for rank 2}}
  %0 = tiny.movement permute %x by [1, 2] : tensor<2x3xf32> -> tensor<3x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has shape [2, 3], expected [3, 2]}}
  %0 = tiny.movement permute %x by [1, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{shape [2, 3] does not broadcast to [4, 3]}}
  %0 = tiny.movement expand %x : tensor<2x3xf32> -> tensor<4x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has shape [1, 3], expected [2, 3]}}
  %0 = tiny.movement expand %x : tensor<2x3xf32> -> tensor<1x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'fn' is 'gelu'}}
  %0 = tiny.unary gelu %x : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has shape [6], expected [2, 3]}}
  %0 = tiny.unary exp %x : tensor<2x3xf32> -> tensor<6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has element type f64, expected f32}}
  %0 = tiny.unary exp %x : tensor<2x3xf32> -> tensor<2x3xf64>
  func.return
}

// -----

func.func @f(%x: tensor<2xi32>) {
  // expected-error@+1 {{the element type is i32; exp is not defined on it}}
  %0 = tiny.unary exp %x : tensor<2xi32> -> tensor<2xi32>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; neg is not defined on it}}
  %0 = tiny.unary neg %x : tensor<2xi1> -> tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error@+1 {{the element type is f64; tf32 is not defined on it}}
  %0 = tiny.unary tf32 %x : tensor<2xf64> -> tensor<2xf64>
  func.return
}

// -----

func.func @f(%x: tensor<2xbf16>) {
  // expected-error@+1 {{the element type is bf16; tf32 is not defined on it}}
  %0 = tiny.unary tf32 %x : tensor<2xbf16> -> tensor<2xbf16>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'fn' is 'pow'}}
  %0 = tiny.binary pow %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{add takes 2 operands, got 1}}
  %0 = tiny.binary add %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{where takes 3 operands, got 2}}
  %0 = tiny.binary where %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error@+1 {{sizes 3 and 2 differ and neither is 1}}
  %0 = tiny.binary add %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{the result has shape [3], expected [2, 3]}}
  %0 = tiny.binary add %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<3xf64>) {
  // expected-error@+1 {{an operand of add has element type f32, expected f64}}
  %0 = tiny.binary add %x, %y : (tensor<2x3xf32>, tensor<3xf64>) -> tensor<2x3xf64>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the predicate has element type f32, expected i1}}
  %0 = tiny.binary where %x, %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; mul is defined on numbers}}
  %0 = tiny.binary mul %x, %x : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has element type f32, expected i1}}
  %0 = tiny.binary lt %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'fn' is 'mean'}}
  %0 = tiny.reduce mean %x axes [0] accum f32 : tensor<2x3xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axis 2 is out of range for rank 2}}
  %0 = tiny.reduce sum %x axes [2] accum f32 : tensor<2x3xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axis 0 is given twice in axes}}
  %0 = tiny.reduce sum %x axes [0, 0] accum f32 : tensor<2x3xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has shape [2], expected [3]}}
  %0 = tiny.reduce sum %x axes [0] accum f32 : tensor<2x3xf32> -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has element type f32, expected f64}}
  %0 = tiny.reduce sum %x axes [0] accum f64 : tensor<2x3xf32> -> tensor<3xf32>
  func.return
}
