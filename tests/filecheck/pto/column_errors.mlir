// RUN: ptir-opt %s --split-input-file --verify-diagnostics

pto.kernel @k() -> () {
  pto.tiles (%m) in [8] step [4] {
    %t = "test.op"() : () -> !pto.tile<4x8xf32>
    // expected-error@+1 {{the result has shape !pto.tile<4x1xf32>, expected [1, 8] of f32}}
    %s = pto.tile.colsum %t : tile<4x8xf32> -> tile<4x1xf32>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m) in [8] step [4] {
    %t = "test.op"() : () -> !pto.tile<4x8xbf16>
    // expected-error@+1 {{the result has shape !pto.tile<1x8xf32>, expected [1, 8] of bf16}}
    %s = pto.tile.colmax %t : tile<4x8xbf16> -> tile<1x8xf32>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m) in [8] step [4] {
    %t = "test.op"() : () -> !pto.tile<4x8xi1>
    // expected-error@+1 {{must reduce numbers, got i1}}
    %s = pto.tile.colprod %t : tile<4x8xi1> -> tile<1x8xi1>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m) in [8] step [4] {
    %t = "test.op"() : () -> !pto.tile<2x8xf32>
    // expected-error@+1 {{the operand has shape !pto.tile<2x8xf32>, expected one element a column}}
    %s = pto.tile.colexpand %t : tile<2x8xf32> -> tile<4x8xf32>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m) in [8] step [4] {
    %t = "test.op"() : () -> !pto.tile<1x8xf32>
    // expected-error@+1 {{the result has shape !pto.tile<4x4xf32>, expected the columns and the element type}}
    %s = pto.tile.colexpand %t : tile<1x8xf32> -> tile<4x4xf32>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m) in [8] step [4] {
    %t = "test.op"() : () -> !pto.tile<1x8xf32>
    // expected-error@+1 {{the result has shape !pto.tile<4x8xf16>, expected the columns and the element type}}
    %s = pto.tile.colexpand %t : tile<1x8xf32> -> tile<4x8xf16>
  }
}
