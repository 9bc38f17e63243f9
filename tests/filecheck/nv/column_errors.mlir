// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// Fragments of a block, whose lanes hold vectors of whole rows.

func.func @f() {
  %x = "test.op"() : () -> !nv.frag<16x16xf32, C of m16n8k16>
  // expected-error@+1 {{the layout must be spelled}}
  %s = nv.col_reduce %x : !nv.frag<16x16xf32, C of m16n8k16> -> !nv.frag<16x16xf32, C of m16n8k16> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    nv.yield %0 : f32
  }
  func.return
}

// -----

func.func @f() {
  %x = "test.op"() : () -> !nv.frag<1x64xf32, lane(32: j) reg(2: 32j)>
  // expected-error@+1 {{a lane must hold one vector of each of its rows}}
  %s = nv.col_reduce %x : !nv.frag<1x64xf32, lane(32: j) reg(2: 32j)> -> !nv.frag<1x64xf32, lane(32: j) reg(2: 32j)> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    nv.yield %0 : f32
  }
  func.return
}

// -----

func.func @f() {
  %x = "test.op"() : () -> !nv.frag<4x8xf32, lane(4: i, 8: j)>
  // expected-error@+1 {{lanes, and warps, must count columns before rows}}
  %s = nv.col_reduce %x : !nv.frag<4x8xf32, lane(4: i, 8: j)> -> !nv.frag<1x8xf32, lane(4: 0, 8: j)> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    nv.yield %0 : f32
  }
  func.return
}

// -----

func.func @f() {
  %x = "test.op"() : () -> !nv.frag<2x64xf32, lane(32: j) warp(2: i, 2: 32j)>
  // expected-error@+1 {{lanes, and warps, must count columns before rows}}
  %s = nv.col_reduce %x scratch 0 : !nv.frag<2x64xf32, lane(32: j) warp(2: i, 2: 32j)> -> !nv.frag<1x64xf32, lane(32: j) warp(2: 0, 2: 32j)> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    nv.yield %0 : f32
  }
  func.return
}

// -----

func.func @f() {
  %x = "test.op"() : () -> !nv.frag<8x32xf32, lane(32: j) warp(4: i) reg(2: 4i)>
  // expected-error@+1 {{expected !nv.frag<1x32xf32, lane(32: j) warp(4: 0)>}}
  %s = nv.col_reduce %x scratch 0 : !nv.frag<8x32xf32, lane(32: j) warp(4: i) reg(2: 4i)> -> !nv.frag<4x32xf32, lane(32: j) warp(4: i)> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    nv.yield %0 : f32
  }
  func.return
}

// -----

// Warps that share columns need scratch, aligned and outside of loops.

func.func @f() {
  %x = "test.op"() : () -> !nv.frag<8x32xf32, lane(32: j) warp(4: i) reg(2: 4i)>
  // expected-error@+1 {{'scratch' is missing}}
  %s = nv.col_reduce %x : !nv.frag<8x32xf32, lane(32: j) warp(4: i) reg(2: 4i)> -> !nv.frag<1x32xf32, lane(32: j) warp(4: 0)> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    nv.yield %0 : f32
  }
  func.return
}

// -----

func.func @f() {
  %x = "test.op"() : () -> !nv.frag<2x32xf32, lane(32: j) reg(2: i)>
  // expected-error@+1 {{'scratch' is 0}}
  %s = nv.col_reduce %x scratch 0 : !nv.frag<2x32xf32, lane(32: j) reg(2: i)> -> !nv.frag<1x32xf32, lane(32: j)> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    nv.yield %0 : f32
  }
  func.return
}

// -----

func.func @f() {
  %x = "test.op"() : () -> !nv.frag<8x32xf32, lane(32: j) warp(4: i) reg(2: 4i)>
  // expected-error@+1 {{'scratch' is 8}}
  %s = nv.col_reduce %x scratch 8 : !nv.frag<8x32xf32, lane(32: j) warp(4: i) reg(2: 4i)> -> !nv.frag<1x32xf32, lane(32: j) warp(4: 0)> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    nv.yield %0 : f32
  }
  func.return
}

// -----

func.func @f() {
  %x = "test.op"() : () -> !nv.frag<8x32xf32, lane(32: j) warp(4: i) reg(2: 4i)>
  // expected-error@+1 {{must have a body that takes (f32, f32)}}
  %s = nv.col_reduce %x scratch 0 : !nv.frag<8x32xf32, lane(32: j) warp(4: i) reg(2: 4i)> -> !nv.frag<1x32xf32, lane(32: j) warp(4: 0)> {
  ^bb0(%a: f32):
    nv.yield %a : f32
  }
  func.return
}

// -----

func.func @f() {
  %x = "test.op"() : () -> !nv.frag<8x32xf32, lane(32: j) warp(4: i) reg(2: 4i)>
  // expected-error@+1 {{must have a body that ends with nv.yield of f32}}
  %s = nv.col_reduce %x scratch 0 : !nv.frag<8x32xf32, lane(32: j) warp(4: i) reg(2: 4i)> -> !nv.frag<1x32xf32, lane(32: j) warp(4: 0)> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.cmpf oeq, %a, %b : f32
    nv.yield %0 : i1
  }
  func.return
}

// -----

func.func @f(%n: index) {
  %x = "test.op"() : () -> !nv.frag<8x32xf32, lane(32: j) warp(4: i) reg(2: 4i)>
  scf.for %i = %n to %n step %n {
    // expected-error@+1 {{is in a loop}}
    %s = nv.col_reduce %x scratch 0 : !nv.frag<8x32xf32, lane(32: j) warp(4: i) reg(2: 4i)> -> !nv.frag<1x32xf32, lane(32: j) warp(4: 0)> {
    ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    nv.yield %0 : f32
    }
  }
  func.return
}

// -----

// Copies would be combined with the element that they copy.

func.func @f(%a: !nv.frag<4x8xf32, lane(8: j, 4: 0) reg(4: i)>) {
  // expected-error@+1 {{each element must be held once: copies would be combined with it}}
  %b = nv.col_reduce %a : !nv.frag<4x8xf32, lane(8: j, 4: 0) reg(4: i)> -> !nv.frag<1x8xf32, lane(8: j, 4: 0)> {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    nv.yield %s : f32
  }
  func.return
}

// -----

// nv.map beside a fragment of one row: a lane must hold one vector of each of its rows.
func.func @f(%i: index, %y: memref<2x64xf32>) {
  %x, %s = "test.op"() : () -> (!nv.frag<2x64xf32, lane(32: j) reg(2: 32j, 2: i)>, !nv.frag<1x64xf32, lane(32: j) reg(2: 32j)>)
  // expected-error@+1 {{beside a fragment of one row, a lane must hold one vector of each of its rows}}
  nv.map(%x, %s : !nv.frag<2x64xf32, lane(32: j) reg(2: 32j, 2: i)>, !nv.frag<1x64xf32, lane(32: j) reg(2: 32j)>) [%i, %i] in [2, 64] dims [0, 1] guard [] tile [2, 64] outs(%y : memref<2x64xf32>) addresses [#poly.map<"{ [i0, i1] -> [(64i0 + i1)] }">] widths [1] {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    nv.yield %0 : f32
  }
  func.return
}
