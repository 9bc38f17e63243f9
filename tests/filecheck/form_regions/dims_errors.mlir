// RUN: ptir-opt %s -p form-regions --split-input-file --verify-diagnostics

// What tiny leaves to it: `?` written by hand. A view beside it is not even looked at.

// expected-error@+1 {{the dynamic dimension 0 of tensor<?xf32> is not supported yet}}
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tiny.unary neg %x : tensor<?xf32> -> tensor<?xf32>
  func.return %0 : tensor<?xf32>
}
poly.view @f {
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads ["arg0"] by [#poly.map<"{ [i0] -> [(i0)] }">]
}

// -----

// expected-error@+1 {{tuple}}
func.func @g(%x: tuple<tensor<4xf32>>) {
  func.return
}

// -----

// expected-error@+1 {{the dynamic dimension 0 (B) of tensor<?x4xf32, #ptir.dims<B, _>> is not supported yet}}
func.func @a_name(%x: tensor<?x4xf32, #ptir.dims<B, _>>) {
  func.return
}

// -----

// expected-error@+1 {{the dynamic dimension 1 of tensor<4x?xf32> is not supported yet}}
func.func @no_name(%y: tensor<2xf32>, %x: tensor<4x?xf32>) {
  func.return
}

// -----

func.func @at_the_op(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ptir.dim_cast' has no form in tiny: it asserts sizes that are checked at run time}}
  %0 = ptir.dim_cast %x : tensor<4xf32> -> tensor<?xf32, #ptir.dims<B>>
  func.return
}
