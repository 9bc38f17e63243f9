// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of the verifiers.

poly.view @f {
  // expected-error@+1 {{'kind' is 'loop'}}
  poly.block @v0 loop <"{ [i0] : 0 <= i0 <= 3 }"> reads [] by []
}

// -----

poly.view @f {
  // expected-error@+1 {{'by' takes 2 maps, one a tensor, operands, got 1}}
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads ["arg0", "arg1"] by [#poly.map<"{ [i0] -> [(i0)] }">]
}

// -----

poly.view @f {
  // expected-error@+1 {{a pattern belongs to a contraction_pattern block, and only there}}
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads [] by [] pattern {pattern = "matmul"}
}

// -----

poly.view @f {
  // expected-error@+1 {{a pattern belongs to a contraction_pattern block, and only there}}
  poly.block @v0 contraction_pattern <"{ [i0] : 0 <= i0 <= 3 }"> reads [] by []
}

// -----

poly.view @f {
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads [] by []
  // expected-error@+1 {{no block 'v1' stands before this edge}}
  poly.edge "v0" to "v1" by <"{ [i0] -> [(i0)] }">
}

// -----

poly.view @f {
  // expected-error@+1 {{'arith.constant' does not belong in a poly.view}}
  %0 = arith.constant 0 : index
}

// -----

// expected-error@+1 {{string literal expected}}
"test.op"() {map = #poly.map<1>} : () -> ()

// -----

// expected-error@+1 {{expected a single block}}
poly.view @f {
}
