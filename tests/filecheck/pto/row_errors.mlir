// RUN: ptir-opt %s --split-input-file --verify-diagnostics

pto.kernel @k() -> () {
  pto.tiles (%m) in [8] step [4] {
    %t = "test.op"() : () -> !pto.tile<4x8xf32>
    // expected-error@+1 {{the result has shape !pto.tile<4x8xf32>, expected [4, 1] of f32}}
    %s = pto.tile.rowsum %t : tile<4x8xf32> -> tile<4x8xf32>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m) in [8] step [4] {
    %t = "test.op"() : () -> !pto.tile<4x8xf32>
    // expected-error@+1 {{the result has shape !pto.tile<4xf32>, expected [4, 1] of f32}}
    %s = pto.tile.rowmax %t : tile<4x8xf32> -> tile<4xf32>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m) in [8] step [4] {
    %t = "test.op"() : () -> !pto.tile<4x8xbf16>
    // expected-error@+1 {{the result has shape !pto.tile<4x1xf32>, expected [4, 1] of bf16}}
    %s = pto.tile.rowprod %t : tile<4x8xbf16> -> tile<4x1xf32>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m) in [8] step [4] {
    %t = "test.op"() : () -> !pto.tile<4x8xi1>
    // expected-error@+1 {{must reduce numbers, got i1}}
    %s = pto.tile.rowsum %t : tile<4x8xi1> -> tile<4x1xi1>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m) in [8] step [4] {
    %t = "test.op"() : () -> !pto.tile<4x8xi1>
    // expected-error@+1 {{must reduce numbers, got i1}}
    %s = pto.tile.rowprod %t : tile<4x8xi1> -> tile<4x1xi1>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m) in [8] step [4] {
    // expected-error@+1 {{tile}}
    %s = pto.tile.rowmin %m : index -> index
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m) in [8] step [4] {
    %t = "test.op"() : () -> !pto.tile<4x2xf32>
    // expected-error@+1 {{the operand has shape !pto.tile<4x2xf32>, expected one element a row}}
    %s = pto.tile.rowexpand %t : tile<4x2xf32> -> tile<4x8xf32>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m) in [8] step [4] {
    %t = "test.op"() : () -> !pto.tile<4x1xf32>
    // expected-error@+1 {{the result has shape !pto.tile<8x8xf32>, expected the rows and the element type of !pto.tile<4x1xf32>}}
    %s = pto.tile.rowexpand %t : tile<4x1xf32> -> tile<8x8xf32>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m) in [8] step [4] {
    %t = "test.op"() : () -> !pto.tile<4x1xf32>
    // expected-error@+1 {{the result has shape !pto.tile<4x8xf16>, expected the rows and the element type of !pto.tile<4x1xf32>}}
    %s = pto.tile.rowexpand %t : tile<4x1xf32> -> tile<4x8xf16>
  }
}

// -----

// Partial results are of equally many runs, and one result a row has none.

pto.kernel @k() -> () {
  pto.tiles (%m) in [8] step [4] {
    %t = "test.op"() : () -> !pto.tile<4x64xf32>
    // expected-error@+1 {{'run' is 3}}
    %s = pto.tile.rowsum %t run 3 : tile<4x64xf32> -> tile<4x4xf32>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m) in [8] step [4] {
    %t = "test.op"() : () -> !pto.tile<4x64xf32>
    // expected-error@+1 {{'run' is 0}}
    %s = pto.tile.rowsum %t run 0 : tile<4x64xf32> -> tile<4x4xf32>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m) in [8] step [4] {
    %t = "test.op"() : () -> !pto.tile<4x64xf32>
    // expected-error@+1 {{'run' is 4}}
    %s = pto.tile.rowmax %t run 4 : tile<4x64xf32> -> tile<4x1xf32>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m) in [8] step [4] {
    %t = "test.op"() : () -> !pto.tile<4x4xf32>
    // expected-error@+1 {{'run' is 8}}
    %s = pto.tile.rowexpand %t run 8 : tile<4x4xf32> -> tile<4x48xf32>
  }
}

// -----

// Groups divide the row and its partial results, and groups without partial results are none.

pto.kernel @k() -> () {
  pto.tiles (%m) in [8] step [4] {
    %t = "test.op"() : () -> !pto.tile<4x64xf32>
    // expected-error@+1 {{'group' is 24}}
    %s = pto.tile.rowsum %t run 2 group 24 : tile<4x64xf32> -> tile<4x8xf32>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m) in [8] step [4] {
    %t = "test.op"() : () -> !pto.tile<4x64xf32>
    // expected-error@+1 {{'group' is 0}}
    %s = pto.tile.rowsum %t run 2 group 0 : tile<4x64xf32> -> tile<4x8xf32>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m) in [8] step [4] {
    %t = "test.op"() : () -> !pto.tile<4x64xf32>
    // expected-error@+1 {{'group' is 4}}
    %s = pto.tile.rowsum %t run 2 group 4 : tile<4x64xf32> -> tile<4x8xf32>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m) in [8] step [4] {
    %t = "test.op"() : () -> !pto.tile<4x64xf32>
    // expected-error@+1 {{'group' is 32}}
    %s = pto.tile.rowsum %t group 32 : tile<4x64xf32> -> tile<4x1xf32>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    // expected-error@+1 {{'in' takes one size for each offset (2), got 1}}
    %p = pto.tile.mask [%m, %n] in [8] dims [0, 1] : tile<4x4xi1>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    // expected-error@+1 {{the element type is f32; a mask is of i1}}
    %p = pto.tile.mask [%m, %n] in [8, 8] dims [0, 1] : tile<4x4xf32>
  }
}
