// RUN: ptir-opt %s -p form-regions --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'ptir.exp' does not belong in the input of form-regions}}
  %0 = ptir.exp %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

// What a reduction reads is computed in its kernel.

func.func @f(%x: tensor<4x8xui4>) -> tensor<4xi32> {
  // expected-error@+1 {{'tiny.unary cast' on ui4 in a kernel is not supported yet}}
  %0 = tiny.unary cast %x : tensor<4x8xui4> -> tensor<4x8xi32>
  %1 = tiny.reduce max %0 axes [1] accum i32 : tensor<4x8xi32> -> tensor<4xi32>
  func.return %1 : tensor<4xi32>
}

// -----

// A view is compared with the function, never believed.

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.unary exp %x : tensor<4xf32> -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
poly.view @f {
  // expected-error@+1 {{the view of @f contradicts its function at "v0"}}
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads ["arg0"] by [#poly.map<"{ [i0] -> [(3 - i0)] }">]
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.unary exp %x : tensor<4xf32> -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
// expected-error@+1 {{the view of @f contradicts its function at its end: expected 1 entry, got 0 entries}}
poly.view @f {
^bb0:
}

// -----

// expected-error@+1 {{expected the name of a function in the module, got @g}}
poly.view @g {
^bb0:
}

// -----

// More elements than there are addresses.

// expected-error@+1 {{the shape of tensor<9223372036854775808xf32> is not supported yet}}
func.func @f(%x: tensor<9223372036854775808xf32>) -> tensor<9223372036854775808xf32> {
  %0 = tiny.unary exp %x : tensor<9223372036854775808xf32> -> tensor<9223372036854775808xf32>
  func.return %0 : tensor<9223372036854775808xf32>
}
