// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// What no layout is, where it is written.

func.func @f() {
  // expected-error@+1 {{'(' expected}}
  %a = nv.frag : !nv.frag<4x32xf32, lane>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{expected integer literal}}
  %a = nv.frag : !nv.frag<4x32xf32, lane(>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'layout' is 'lane()'}}
  %a = nv.frag : !nv.frag<4x32xf32, lane()>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{')' expected}}
  %a = nv.frag : !nv.frag<4x32xf32, lane(32: j>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{expected integer literal}}
  %a = nv.frag : !nv.frag<4x32xf32, lane(32: j,)>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{expected integer literal}}
  %a = nv.frag : !nv.frag<4x32xf32, lane(-32: j)>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{expected ':'}}
  %a = nv.frag : !nv.frag<4x32xf32, lane(32)>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{identifier expected}}
  %a = nv.frag : !nv.frag<4x32xf32, lane(32: )>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{identifier expected}}
  %a = nv.frag : !nv.frag<4x32xf32, lane(32: 8)>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{')' expected}}
  %a = nv.frag : !nv.frag<4x32xf32, lane(32: 0j)>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'(' expected}}
  %a = nv.frag : !nv.frag<4x32xf32, lane(32: j) of m16n8k16>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'>' expected}}
  %a = nv.frag : !nv.frag<4x32xf32, lane(32: j), warp(4: i)>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'(' expected}}
  %a = nv.frag : !nv.frag<4x32xf32, lane of m16n8k16>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'layout' is 'lane(32: 8k)'}}
  %a = nv.frag : !nv.frag<4x32xf32, lane(32: 8k)>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'layout' is 'lane(32: 8i8j)'}}
  %a = nv.frag : !nv.frag<4x32xf32, lane(32: 8i8j)>
  func.return
}

// -----

// One text for each layout: a step of 1 is not written, nor a digit of radix 1, and parts have one order.

func.func @f() {
  // expected-error@+1 {{'layout' is 'lane(32: 1j)'}}
  %a = nv.frag : !nv.frag<4x32xf32, lane(32: 1j)>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'layout' is 'lane(1: i, 32: j)'}}
  %a = nv.frag : !nv.frag<4x32xf32, lane(1: i, 32: j)>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'layout' is 'warp(4: i) lane(32: j)'}}
  %a = nv.frag : !nv.frag<4x32xf32, warp(4: i) lane(32: j)>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'layout' is 'lane(32: j) lane(4: i)'}}
  %a = nv.frag : !nv.frag<4x32xf32, lane(32: j) lane(4: i)>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'layout' is 'lane(32: j) cta(4: i)'}}
  %a = nv.frag : !nv.frag<4x32xf32, lane(32: j) cta(4: i)>
  func.return
}

// -----

// Numbers that none has.

func.func @f() {
  // expected-error@+1 {{'layout' is 'lane(0: j)'}}
  %a = nv.frag : !nv.frag<4x32xf32, lane(0: j)>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'layout' is 'lane(1000000: j)'}}
  %a = nv.frag : !nv.frag<4x32xf32, lane(1000000: j)>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'layout' is 'lane(32: 99999999999999999999j)'}}
  %a = nv.frag : !nv.frag<4x32xf32, lane(32: 99999999999999999999j)>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'layout' is 'spelled of three'}}
  %a = nv.frag : !nv.frag<4x32xf32, spelled of three>
  func.return
}

// -----

// A layout that is one, but not of a warp's lanes, or not of this shape, or with more elements than a thread has registers.

func.func @f() {
  // expected-error@+1 {{'frag' has 128 elements of f64 per lane}}
  %a = nv.frag : !nv.frag<4x1024xf64, lane(32: j) reg(32: 32j, 4: i)>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'layout' is 'lane(16: j, 4: i)'}}
  %a = nv.frag : !nv.frag<4x32xf32, lane(16: j, 4: i)>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'layout' is 'warp(4: i)'}}
  %a = nv.frag : !nv.frag<4x32xf32, warp(4: i)>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'frag' has shape [4, 32]}}
  %a = nv.frag : !nv.frag<4x32xf32, lane(32: j)>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'frag' has shape [32]}}
  %a = nv.frag : !nv.frag<32xf32, lane(32: j) warp(4: i)>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'frag' has shape [8, 64]}}
  %a = nv.frag : !nv.frag<8x64xf32, lane(32: j) warp(4: i)>
  func.return
}

// -----

// As many places as elements, but some elements have two.

func.func @f() {
  // expected-error@+1 {{'frag' has shape [1, 8]}}
  %a = nv.frag : !nv.frag<1x8xf32, lane(32: 0) reg(2: j, 2: j, 2: 5j)>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'frag' has shape [1, 63]}}
  %a = nv.frag : !nv.frag<1x63xf32, lane(32: j) reg(2: 31j)>
  func.return
}

// -----

// Lanes and warps may hold copies; two registers of a lane may not.

func.func @f() {
  // expected-error@+1 {{'frag' has shape [1, 32]}}
  %a = nv.frag : !nv.frag<1x32xf32, lane(32: j) reg(2: 0)>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'frag' has shape [1, 125]}}
  %a = nv.frag : !nv.frag<1x125xf32, lane(32: 4j)>
  func.return
}

// -----

// nv.row_reduce.

func.func @f() {
  %x = nv.frag : !nv.frag<16x16xbf16, A of m16n8k16>
  // expected-error@+1 {{the fragment is !nv.frag<16x16xbf16, A of m16n8k16>; the layout must be spelled, or that of operand C}}
  %s = nv.row_reduce %x : !nv.frag<16x16xbf16, A of m16n8k16> -> !nv.frag<16x16xbf16, A of m16n8k16> {
  ^bb0(%a: bf16, %b: bf16):
    nv.yield %a : bf16
  }
  func.return
}

// -----

func.func @f() {
  %x = nv.frag : !nv.frag<2x64xf32, lane(32: j) reg(2: i, 2: 32j)>
  // expected-error@+1 {{the elements that a lane holds of a row must be consecutive}}
  %s = nv.row_reduce %x : !nv.frag<2x64xf32, lane(32: j) reg(2: i, 2: 32j)> -> !nv.frag<2x1xf32, lane(32: 0) reg(2: i)> {
  ^bb0(%a: f32, %b: f32):
    nv.yield %a : f32
  }
  func.return
}

// -----

func.func @f() {
  %x = nv.frag : !nv.frag<4x8xf32, lane(4: i, 8: j)>
  // expected-error@+1 {{the lanes of a row must be consecutive, and so must its warps}}
  %s = nv.row_reduce %x : !nv.frag<4x8xf32, lane(4: i, 8: j)> -> !nv.frag<4x1xf32, lane(4: i, 8: 0)> {
  ^bb0(%a: f32, %b: f32):
    nv.yield %a : f32
  }
  func.return
}

// -----

func.func @f() {
  %x = nv.frag : !nv.frag<1x8xf32, lane(4: 0, 8: j)>
  // expected-error@+1 {{the lanes of a row must be consecutive, and so must its warps}}
  %s = nv.row_reduce %x : !nv.frag<1x8xf32, lane(4: 0, 8: j)> -> !nv.frag<1x1xf32, lane(4: 0, 8: 0)> {
  ^bb0(%a: f32, %b: f32):
    nv.yield %a : f32
  }
  func.return
}

// -----

func.func @f() {
  %x = nv.frag : !nv.frag<2x64xf32, lane(32: j) warp(2: i, 2: 32j)>
  // expected-error@+1 {{the lanes of a row must be consecutive, and so must its warps}}
  %s = nv.row_reduce %x scratch 0 : !nv.frag<2x64xf32, lane(32: j) warp(2: i, 2: 32j)> -> !nv.frag<2x1xf32, lane(32: 0) warp(2: i, 2: 0)> {
  ^bb0(%a: f32, %b: f32):
    nv.yield %a : f32
  }
  func.return
}

// -----

func.func @f() {
  %x = nv.frag : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>
  // expected-error@+1 {{the result is !nv.frag<4x64xf32, lane(32: j) warp(4: i) reg(2: 32j)>; expected !nv.frag<4x1xf32, lane(32: 0) warp(4: i)>, or one element a lane}}
  %s = nv.row_reduce %x : !nv.frag<4x32xf32, lane(32: j) warp(4: i)> -> !nv.frag<4x64xf32, lane(32: j) warp(4: i) reg(2: 32j)> {
  ^bb0(%a: f32, %b: f32):
    nv.yield %a : f32
  }
  func.return
}

// -----

func.func @f() {
  %x = nv.frag : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>
  // expected-error@+1 {{the result is !nv.frag<4x1xf64, lane(32: 0) warp(4: i)>; expected !nv.frag<4x1xf32, lane(32: 0) warp(4: i)>, or one element a lane}}
  %s = nv.row_reduce %x : !nv.frag<4x32xf32, lane(32: j) warp(4: i)> -> !nv.frag<4x1xf64, lane(32: 0) warp(4: i)> {
  ^bb0(%a: f32, %b: f32):
    nv.yield %a : f32
  }
  func.return
}

// -----

func.func @f() {
  %x = nv.frag : !nv.frag<4x8xf32, lane(8: j, 4: i)>
  // expected-error@+1 {{the result is !nv.frag<4x1xf32, lane(32: 0) warp(4: i)>; expected !nv.frag<4x1xf32, lane(8: 0, 4: i)>}}
  %s = nv.row_reduce %x : !nv.frag<4x8xf32, lane(8: j, 4: i)> -> !nv.frag<4x1xf32, lane(32: 0) warp(4: i)> {
  ^bb0(%a: f32, %b: f32):
    nv.yield %a : f32
  }
  func.return
}

// -----

func.func @f() {
  %x = nv.frag : !nv.frag<1x128xf32, lane(32: j) warp(4: 32j)>
  // expected-error@+1 {{'scratch' is missing}}
  %s = nv.row_reduce %x : !nv.frag<1x128xf32, lane(32: j) warp(4: 32j)> -> !nv.frag<1x1xf32, lane(32: 0) warp(4: 0)> {
  ^bb0(%a: f32, %b: f32):
    nv.yield %a : f32
  }
  func.return
}

// -----

func.func @f() {
  %x = nv.frag : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>
  // expected-error@+1 {{'scratch' is 0}}
  %s = nv.row_reduce %x scratch 0 : !nv.frag<4x32xf32, lane(32: j) warp(4: i)> -> !nv.frag<4x1xf32, lane(32: 0) warp(4: i)> {
  ^bb0(%a: f32, %b: f32):
    nv.yield %a : f32
  }
  func.return
}

// -----

func.func @f() {
  %x = nv.frag : !nv.frag<1x128xf32, lane(32: j) warp(4: 32j)>
  // expected-error@+1 {{'scratch' is 8}}
  %s = nv.row_reduce %x scratch 8 : !nv.frag<1x128xf32, lane(32: j) warp(4: 32j)> -> !nv.frag<1x1xf32, lane(32: 0) warp(4: 0)> {
  ^bb0(%a: f32, %b: f32):
    nv.yield %a : f32
  }
  func.return
}

// -----

func.func @f() {
  %x = nv.frag : !nv.frag<1x128xf32, lane(32: j) warp(4: 32j)>
  // expected-error@+1 {{'scratch' is -16}}
  %s = nv.row_reduce %x scratch -16 : !nv.frag<1x128xf32, lane(32: j) warp(4: 32j)> -> !nv.frag<1x1xf32, lane(32: 0) warp(4: 0)> {
  ^bb0(%a: f32, %b: f32):
    nv.yield %a : f32
  }
  func.return
}

// -----

func.func @f() {
  %x = nv.frag : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>
  // expected-error@+1 {{must have a body that takes (f32, f32)}}
  %s = nv.row_reduce %x : !nv.frag<4x32xf32, lane(32: j) warp(4: i)> -> !nv.frag<4x1xf32, lane(32: 0) warp(4: i)> {
  ^bb0(%a: f32):
    nv.yield %a : f32
  }
  func.return
}

// -----

func.func @f() {
  %x = nv.frag : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>
  // expected-error@+1 {{must have a body that takes (f32, f32)}}
  %s = nv.row_reduce %x : !nv.frag<4x32xf32, lane(32: j) warp(4: i)> -> !nv.frag<4x1xf32, lane(32: 0) warp(4: i)> {
  ^bb0(%a: f32, %b: f64):
    nv.yield %a : f32
  }
  func.return
}

// -----

func.func @f() {
  %x = nv.frag : !nv.frag<4x32xsi8, lane(32: j) warp(4: i)>
  // expected-error@+1 {{must have a body that takes (i8, i8)}}
  %s = nv.row_reduce %x : !nv.frag<4x32xsi8, lane(32: j) warp(4: i)> -> !nv.frag<4x1xsi8, lane(32: 0) warp(4: i)> {
  ^bb0(%a: si8, %b: si8):
    nv.yield %a : si8
  }
  func.return
}

// -----

func.func @f() {
  %x = nv.frag : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>
  // expected-error@+1 {{must have a body that ends with nv.yield of f32}}
  %s = nv.row_reduce %x : !nv.frag<4x32xf32, lane(32: j) warp(4: i)> -> !nv.frag<4x1xf32, lane(32: 0) warp(4: i)> {
  ^bb0(%a: f32, %b: f32):
    nv.yield %a, %b : f32, f32
  }
  func.return
}

// -----

// A fragment with warps is the whole block's.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %x = nv.frag : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>
    // expected-error@+1 {{a fragment is !nv.frag<4x32xf32, lane(32: j) warp(4: i)>; the block has 256 threads, not 128}}
    %s = nv.row_reduce %x : !nv.frag<4x32xf32, lane(32: j) warp(4: i)> -> !nv.frag<4x1xf32, lane(32: 0) warp(4: i)> {
    ^bb0(%a: f32, %b: f32):
      nv.yield %a : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 256, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 0 to 128 {
    %x = nv.frag : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>
    // expected-error@+1 {{is executed by all warps of a block: it belongs outside nv.role}}
    %s = nv.row_reduce %x : !nv.frag<4x32xf32, lane(32: j) warp(4: i)> -> !nv.frag<4x1xf32, lane(32: 0) warp(4: i)> {
    ^bb0(%a: f32, %b: f32):
      nv.yield %a : f32
    }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
}) : () -> ()

// -----

func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = nv.frag : !nv.frag<1x128xf32, lane(32: j) warp(4: 32j)>
  scf.for %i = %c0 to %n step %c1 {
    // expected-error@+1 {{is in a loop: its next iteration would overwrite scratch that other warps still read}}
    %s = nv.row_reduce %x scratch 0 : !nv.frag<1x128xf32, lane(32: j) warp(4: 32j)> -> !nv.frag<1x1xf32, lane(32: 0) warp(4: 0)> {
    ^bb0(%a: f32, %b: f32):
      nv.yield %a : f32
    }
  }
  func.return
}

// -----

// nv.map.

func.func @f(%y: memref<64x32xf32>, %m: index, %n: index) {
  // expected-error@+1 {{needs an operand or a result that is a fragment of the tile's shape}}
  nv.map [%m, %n] in [64, 32] dims [0, 1] guard [] tile [4, 32] outs(%y : memref<64x32xf32>) addresses [#poly.map<"{ [i0, i1] -> [(32i0 + i1)] }">] widths [1] {
    %a = arith.constant 1.0 : f32
    nv.yield %a : f32
  }
  func.return
}

// -----

func.func @f(%y: memref<64x32xf32>, %m: index, %n: index) {
  %s = nv.frag : !nv.frag<4x1xf32, lane(32: 0) warp(4: i)>
  // expected-error@+1 {{needs an operand or a result that is a fragment of the tile's shape}}
  nv.map (%s : !nv.frag<4x1xf32, lane(32: 0) warp(4: i)>) [%m, %n] in [64, 32] dims [0, 1] guard [] tile [4, 32] outs(%y : memref<64x32xf32>) addresses [#poly.map<"{ [i0, i1] -> [(32i0 + i1)] }">] widths [1] {
  ^bb0(%t: f32):
    nv.yield %t : f32
  }
  func.return
}

// -----

func.func @f(%y: memref<64x32xf32>, %m: index, %n: index) {
  %x = nv.frag : !nv.frag<16x8xf32, C of m16n8k16>
  %z = nv.frag : !nv.frag<16x8xf32, lane(4: 2j, 8: 2i) reg(2: j, 2: i)>
  // expected-error@+1 {{a fragment is !nv.frag<16x8xf32, lane(4: 2j, 8: 2i) reg(2: j, 2: i)>; expected the layout of !nv.frag<16x8xf32, C of m16n8k16>, or one element a row or a lane}}
  nv.map (%x, %z : !nv.frag<16x8xf32, C of m16n8k16>, !nv.frag<16x8xf32, lane(4: 2j, 8: 2i) reg(2: j, 2: i)>) [%m, %n] in [64, 32] dims [0, 1] guard [] tile [16, 8] outs(%y : memref<64x32xf32>) addresses [#poly.map<"{ [i0, i1] -> [(32i0 + i1)] }">] widths [1] {
  ^bb0(%t: f32, %u: f32):
    nv.yield %t : f32
  }
  func.return
}

// -----

func.func @f(%y: memref<64x32xf32>, %m: index, %n: index) {
  %x = nv.frag : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>
  %z = nv.frag : !nv.frag<4x32xf32, lane(4: i, 8: j) warp(4: 8j)>
  // expected-error@+1 {{a fragment is !nv.frag<4x32xf32, lane(4: i, 8: j) warp(4: 8j)>; expected the layout of !nv.frag<4x32xf32, lane(32: j) warp(4: i)>, or one element a row}}
  nv.map (%x, %z : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>, !nv.frag<4x32xf32, lane(4: i, 8: j) warp(4: 8j)>) [%m, %n] in [64, 32] dims [0, 1] guard [] tile [4, 32] outs(%y : memref<64x32xf32>) addresses [#poly.map<"{ [i0, i1] -> [(32i0 + i1)] }">] widths [1] {
  ^bb0(%t: f32, %u: f32):
    nv.yield %t : f32
  }
  func.return
}

// -----

func.func @f(%y: memref<64x32xf32>, %m: index, %n: index) {
  %x = nv.frag : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>
  %z = nv.frag : !nv.frag<4x1xf32, lane(8: 0, 4: i) warp(4: 0)>
  // expected-error@+1 {{a fragment is !nv.frag<4x1xf32, lane(8: 0, 4: i) warp(4: 0)>; expected the layout of !nv.frag<4x32xf32, lane(32: j) warp(4: i)>, or one element a row}}
  nv.map (%x, %z : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>, !nv.frag<4x1xf32, lane(8: 0, 4: i) warp(4: 0)>) [%m, %n] in [64, 32] dims [0, 1] guard [] tile [4, 32] outs(%y : memref<64x32xf32>) addresses [#poly.map<"{ [i0, i1] -> [(32i0 + i1)] }">] widths [1] {
  ^bb0(%t: f32, %u: f32):
    nv.yield %t : f32
  }
  func.return
}

// -----

func.func @f(%y: memref<64x32xf32>, %m: index, %n: index) {
  %x = nv.frag : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>
  %z = nv.frag : !nv.frag<16x8xf32, C of m16n8k16>
  // expected-error@+1 {{a fragment is !nv.frag<16x8xf32, C of m16n8k16>; expected the layout of !nv.frag<4x32xf32, lane(32: j) warp(4: i)>, or one element a row}}
  nv.map (%x, %z : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>, !nv.frag<16x8xf32, C of m16n8k16>) [%m, %n] in [64, 32] dims [0, 1] guard [] tile [4, 32] outs(%y : memref<64x32xf32>) addresses [#poly.map<"{ [i0, i1] -> [(32i0 + i1)] }">] widths [1] {
  ^bb0(%t: f32, %u: f32):
    nv.yield %t : f32
  }
  func.return
}

// -----

func.func @f(%y: memref<64x32xf32>, %m: index, %n: index) {
  %x = nv.frag : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>
  // expected-error@+1 {{a result has shape !nv.frag<4x1xf32, lane(32: 0) warp(4: i)>, expected the tile's shape}}
  %r0 = nv.map (%x : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>) [%m, %n] in [64, 32] dims [0, 1] guard [] tile [4, 32] addresses [] widths [] -> !nv.frag<4x1xf32, lane(32: 0) warp(4: i)> {
  ^bb0(%t: f32):
    nv.yield %t : f32
  }
  func.return
}

// -----

func.func @f(%y: memref<64x32xf32>, %m: index, %n: index) {
  %x = nv.frag : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>
  // expected-error@+1 {{'widths' is [4]}}
  nv.map (%x : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>) [%m, %n] in [64, 32] dims [0, 1] guard [] tile [4, 32] outs(%y : memref<64x32xf32>) addresses [#poly.map<"{ [i0, i1] -> [(32i0 + i1)] }">] widths [4] {
  ^bb0(%t: f32):
    nv.yield %t : f32
  }
  func.return
}

// -----

func.func @f(%y: memref<64x32xf32>, %m: index, %n: index) {
  %x = nv.frag : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>
  // expected-error@+1 {{must have a body that takes (f32)}}
  nv.map (%x : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>) [%m, %n] in [64, 32] dims [0, 1] guard [] tile [4, 32] outs(%y : memref<64x32xf32>) addresses [#poly.map<"{ [i0, i1] -> [(32i0 + i1)] }">] widths [1] {
    %a = arith.constant 1.0 : f32
    nv.yield %a : f32
  }
  func.return
}

// -----

func.func @f(%y: memref<64x32xf32>, %m: index, %n: index) {
  %x = nv.frag : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>
  %s = nv.frag : !nv.frag<4x1xf32, lane(32: 0) warp(4: i)>
  // expected-error@+1 {{must have a body that takes (f32, f32)}}
  nv.map (%x, %s : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>, !nv.frag<4x1xf32, lane(32: 0) warp(4: i)>) [%m, %n] in [64, 32] dims [0, 1] guard [] tile [4, 32] outs(%y : memref<64x32xf32>) addresses [#poly.map<"{ [i0, i1] -> [(32i0 + i1)] }">] widths [1] {
  ^bb0(%t: f32, %u: i32):
    nv.yield %t : f32
  }
  func.return
}

// -----

func.func @f(%y: memref<64x32xf32>, %m: index, %n: index) {
  %x = nv.frag : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>
  // expected-error@+1 {{must have a body that ends with nv.yield of (f32)}}
  nv.map (%x : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>) [%m, %n] in [64, 32] dims [0, 1] guard [] tile [4, 32] outs(%y : memref<64x32xf32>) addresses [#poly.map<"{ [i0, i1] -> [(32i0 + i1)] }">] widths [1] {
  ^bb0(%t: f32):
    nv.yield %t, %t : f32, f32
  }
  func.return
}

// -----

func.func @f(%y: memref<64x32xf32>, %m: index, %n: index) {
  %x = nv.frag : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>
  // expected-error@+1 {{must have a body that ends with nv.yield of (f32, f16)}}
  %r0 = nv.map (%x : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>) [%m, %n] in [64, 32] dims [0, 1] guard [] tile [4, 32] outs(%y : memref<64x32xf32>) addresses [#poly.map<"{ [i0, i1] -> [(32i0 + i1)] }">] widths [1] -> !nv.frag<4x32xf16, lane(32: j) warp(4: i)> {
  ^bb0(%t: f32):
    nv.yield %t, %t : f32, f32
  }
  func.return
}

// -----

func.func @f(%y: memref<64x32xf32>, %m: index, %n: index) {
  %x = nv.frag : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>
  // expected-error@+1 {{nv.map takes an output, a result, or an update, got none}}
  nv.map (%x : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>) [%m, %n] in [64, 32] dims [0, 1] guard [] tile [4, 32] addresses [] widths [] {
  ^bb0(%t: f32):
    "nv.yield"() : () -> ()
  }
  func.return
}

// -----

// A launch gives room for scratch, and each reduction has its own.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %x = nv.frag : !nv.frag<1x128xf32, lane(32: j) warp(4: 32j)>
    %s = nv.row_reduce %x scratch 0 : !nv.frag<1x128xf32, lane(32: j) warp(4: 32j)> -> !nv.frag<1x1xf32, lane(32: 0) warp(4: 0)> {
    ^bb0(%a: f32, %b: f32):
      nv.yield %a : f32
    }
    // expected-error@+1 {{'nv.row_reduce' overlaps another ring or scratch in shared memory}}
    %t = nv.row_reduce %x scratch 16 : !nv.frag<1x128xf32, lane(32: j) warp(4: 32j)> -> !nv.frag<1x1xf32, lane(32: 0) warp(4: 0)> {
    ^bb0(%a: f32, %b: f32):
      nv.yield %a : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
}) : () -> ()
func.func @f() {
  nv.launch @kernels::@k grid [1, 1, 1] block [128, 1, 1] shared 64( : )
  func.return
}

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %x = nv.frag : !nv.frag<1x128xf32, lane(32: j) warp(4: 32j)>
    %s = nv.row_reduce %x scratch 16 : !nv.frag<1x128xf32, lane(32: j) warp(4: 32j)> -> !nv.frag<1x1xf32, lane(32: 0) warp(4: 0)> {
    ^bb0(%a: f32, %b: f32):
      nv.yield %a : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
}) : () -> ()
func.func @f() {
  // expected-error@+1 {{'shared' is 47}}
  nv.launch @kernels::@k grid [1, 1, 1] block [128, 1, 1] shared 47( : )
  func.return
}

// -----

// nv.map of operands.

func.func @f(%y: memref<64x32xf32>, %m: index, %n: index) {
  %x = nv.frag : !nv.frag<16x16xsi8, A of m16n8k16>
  // expected-error@+1 {{a map of an operand takes no memref outside of its body, got 1}}
  nv.map (%x : !nv.frag<16x16xsi8, A of m16n8k16>) [%m, %n] in [64, 32] dims [0, 1] guard [] tile [16, 16] outs(%y : memref<64x32xf32>) addresses [#poly.map<"{ [i0, i1] -> [(32i0 + i1)] }">] widths [1] {
  ^bb0(%t: i8):
    %a = arith.constant 1.0 : f32
    nv.yield %a : f32
  }
  func.return
}

// -----

func.func @f(%y: memref<64x32xf32>, %m: index, %n: index) {
  %x = nv.frag : !nv.frag<16x16xsi8, A of m16n8k16>
  // expected-error@+1 {{a fragment is !nv.frag<16x16xbf16, B of m16n8k16>; expected the lanes and the shape of !nv.frag<16x16xsi8, A of m16n8k16>}}
  %r = nv.map (%x : !nv.frag<16x16xsi8, A of m16n8k16>) [%m, %n] in [64, 32] dims [0, 1] guard [] tile [16, 16] addresses [] widths [] -> !nv.frag<16x16xbf16, B of m16n8k16> {
  ^bb0(%t: i8):
    %a = arith.constant 1.0 : bf16
    nv.yield %a : bf16
  }
  func.return
}

// -----

// Lanes that reduce their own elements exchange nothing.

func.func @f() {
  %x = nv.frag : !nv.frag<1x128xf32, lane(32: 2j) warp(2: 64j) reg(2: j)>
  // expected-error@+1 {{'scratch' is 0}}
  %s = nv.row_reduce %x scratch 0 : !nv.frag<1x128xf32, lane(32: 2j) warp(2: 64j) reg(2: j)> -> !nv.frag<1x64xf32, lane(32: j) warp(2: 32j)> {
  ^bb0(%a: f32, %b: f32):
    nv.yield %a : f32
  }
  func.return
}

// -----

// Realigned vectors.

func.func @f(%x: memref<64x1001xbf16>, %m: index, %n: index) {
  // expected-error@+1 {{'realigned' is [0, 1]}}
  %e = nv.map [%m, %n] in [64, 1001] dims [0, 1] guard [1] tile [4, 1024] ins(%x : memref<64x1001xbf16>) addresses [#poly.map<"{ [i0, i1] -> [(1001i0 + i1)] }">] widths [8] realigned [0, 1] -> !nv.frag<4x1024xbf16, lane(32: 8j) warp(4: i) reg(8: j, 4: 256j)> {
  ^bb0(%a: bf16):
    nv.yield %a : bf16
  }
  func.return
}

// -----

func.func @f(%x: memref<64x1001xbf16>, %m: index, %n: index) {
  // expected-error@+1 {{'realigned' is [0, 0]}}
  %e = nv.map [%m, %n] in [64, 1001] dims [0, 1] guard [1] tile [4, 1024] ins(%x : memref<64x1001xbf16>) addresses [#poly.map<"{ [i0, i1] -> [(1001i0 + i1)] }">] widths [8] realigned [0, 0] -> !nv.frag<4x1024xbf16, lane(32: 8j) warp(4: i) reg(8: j, 4: 256j)> {
  ^bb0(%a: bf16):
    nv.yield %a : bf16
  }
  func.return
}

// -----

func.func @f(%x: memref<64x1001xbf16>, %m: index, %n: index) {
  // expected-error@+1 {{'widths' is [1]}}
  %e = nv.map [%m, %n] in [64, 1001] dims [0, 1] guard [1] tile [4, 1024] ins(%x : memref<64x1001xbf16>) addresses [#poly.map<"{ [i0, i1] -> [(1001i0 + i1)] }">] widths [1] realigned [0] -> !nv.frag<4x1024xbf16, lane(32: 8j) warp(4: i) reg(8: j, 4: 256j)> {
  ^bb0(%a: bf16):
    nv.yield %a : bf16
  }
  func.return
}

// -----

func.func @f(%x: memref<64x1001xsi8>, %m: index, %n: index) {
  // expected-error@+1 {{'widths' is [2]}}
  %e = nv.map [%m, %n] in [64, 1001] dims [0, 1] guard [1] tile [4, 1024] ins(%x : memref<64x1001xsi8>) addresses [#poly.map<"{ [i0, i1] -> [(1001i0 + i1)] }">] widths [2] realigned [0] -> !nv.frag<4x1024xsi8, lane(32: 8j) warp(4: i) reg(8: j, 4: 256j)> {
  ^bb0(%a: si8):
    nv.yield %a : si8
  }
  func.return
}

// -----

func.func @f(%x: memref<64x1001xf32>, %m: index, %n: index) {
  // expected-error@+1 {{'widths' is [8]}}
  %e = nv.map [%m, %n] in [64, 1001] dims [0, 1] guard [1] tile [4, 1024] ins(%x : memref<64x1001xf32>) addresses [#poly.map<"{ [i0, i1] -> [(1001i0 + i1)] }">] widths [8] realigned [0] -> !nv.frag<4x1024xf32, lane(32: 8j) warp(4: i) reg(8: j, 4: 256j)> {
  ^bb0(%a: f32):
    nv.yield %a : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<64x1001xbf16>, %m: index, %n: index) {
  // expected-error@+1 {{a fragment is !nv.frag<1x4096xbf16, lane(32: 8j) warp(4: 256j) reg(8: j, 4: 1024j)>; to realign vectors, the vectors of a row follow each other lane by lane, and in each lane}}
  %e = nv.map [%m, %n] in [64, 1001] dims [0, 1] guard [1] tile [1, 4096] ins(%x : memref<64x1001xbf16>) addresses [#poly.map<"{ [i0, i1] -> [(1001i0 + i1)] }">] widths [8] realigned [0] -> !nv.frag<1x4096xbf16, lane(32: 8j) warp(4: 256j) reg(8: j, 4: 1024j)> {
  ^bb0(%a: bf16):
    nv.yield %a : bf16
  }
  func.return
}

// -----

func.func @f(%x: memref<64x1001xbf16>, %m: index, %n: index) {
  // expected-error@+1 {{a fragment is !nv.frag<8x256xbf16, lane(32: 8j) warp(4: i) reg(8: j, 2: 4i)>; to realign}}
  %e = nv.map [%m, %n] in [64, 1001] dims [0, 1] guard [1] tile [8, 256] ins(%x : memref<64x1001xbf16>) addresses [#poly.map<"{ [i0, i1] -> [(1001i0 + i1)] }">] widths [8] realigned [0] -> !nv.frag<8x256xbf16, lane(32: 8j) warp(4: i) reg(8: j, 2: 4i)> {
  ^bb0(%a: bf16):
    nv.yield %a : bf16
  }
  func.return
}

// -----

func.func @f(%x: memref<64x1001xbf16>, %m: index, %n: index) {
  // expected-error@+1 {{a fragment is !nv.frag<4x256xbf16, lane(4: i, 8: 8j) warp(4: 64j) reg(8: j)>; to realign}}
  %e = nv.map [%m, %n] in [64, 1001] dims [0, 1] guard [1] tile [4, 256] ins(%x : memref<64x1001xbf16>) addresses [#poly.map<"{ [i0, i1] -> [(1001i0 + i1)] }">] widths [8] realigned [0] -> !nv.frag<4x256xbf16, lane(4: i, 8: 8j) warp(4: 64j) reg(8: j)> {
  ^bb0(%a: bf16):
    nv.yield %a : bf16
  }
  func.return
}

// -----

func.func @f(%x: memref<64x1001xbf16>, %m: index, %n: index) {
  // expected-error@+1 {{a fragment is !nv.frag<4x256xbf16, lane(32: 8j) warp(2: 0, 4: i) reg(8: j)>; to realign}}
  %e = nv.map [%m, %n] in [64, 1001] dims [0, 1] guard [1] tile [4, 256] ins(%x : memref<64x1001xbf16>) addresses [#poly.map<"{ [i0, i1] -> [(1001i0 + i1)] }">] widths [8] realigned [0] -> !nv.frag<4x256xbf16, lane(32: 8j) warp(2: 0, 4: i) reg(8: j)> {
  ^bb0(%a: bf16):
    nv.yield %a : bf16
  }
  func.return
}

// -----

// The row of a register is its number divided by the elements of a row.

func.func @f(%a: !nv.frag<8x16xf32, lane(8: j, 4: i) reg(2: 4i, 2: 8j)>, %b: !nv.frag<8x1xf32, lane(8: 0, 4: i) reg(2: 4i)>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{beside a fragment of one column, the elements that a lane holds of a row must be consecutive}}
  %c = nv.map(%a, %b : !nv.frag<8x16xf32, lane(8: j, 4: i) reg(2: 4i, 2: 8j)>, !nv.frag<8x1xf32, lane(8: 0, 4: i) reg(2: 4i)>) [%c0, %c0] in [8, 16] dims [0, 1] guard [] tile [8, 16] addresses [] widths [] -> !nv.frag<8x16xf32, lane(8: j, 4: i) reg(2: 4i, 2: 8j)> {
  ^bb0(%e: f32, %f: f32):
    %s = arith.addf %e, %f : f32
    nv.yield %s : f32
  }
  func.return
}

// -----

// A body is run by the lanes that have the element, at different times.

func.func @f(%a: !nv.frag<4x8xf32, lane(8: j, 4: i)>) {
  %c0 = arith.constant 0 : index
  %c = nv.map(%a : !nv.frag<4x8xf32, lane(8: j, 4: i)>) [%c0, %c0] in [4, 8] dims [0, 1] guard [] tile [4, 8] addresses [] widths [] -> !nv.frag<4x8xf32, lane(8: j, 4: i)> {
  ^bb0(%e: f32):
    // expected-error@+1 {{is collective: it does not belong in a body that is run for each element}}
    %r = nv.row_reduce %a : !nv.frag<4x8xf32, lane(8: j, 4: i)> -> !nv.frag<4x1xf32, lane(8: 0, 4: i)> {
    ^bb1(%p: f32, %q: f32):
      %s = arith.addf %p, %q : f32
      nv.yield %s : f32
    }
    nv.yield %e : f32
  }
  func.return
}
