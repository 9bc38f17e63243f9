// RUN: ptir-opt %s --split-input-file --verify-roundtrip | filecheck %s
// RUN: ptir-opt %s --split-input-file --print-op-generic | filecheck %s --check-prefix=GENERIC

// Rows of 1024 elements, one a warp: a map that loads them, their sums, a map that stores quotients, and one that stores the
// sums. A map holds fragments of whole rows, and of one element a row.

// CHECK-LABEL: func.func @a_row_a_warp
// GENERIC: %e = "nv.map"(%m, %n, %x) <{addresses = [#poly.map<"{ [i0, i1] -> [(1024i0 + i1)] }">], bounds = array<i64: 64, 1024>, dims = array<i64: 0, 1>, guards = array<i64>, operandSegmentSizes = array<i32: 0, 0, 2, 1, 0>, tile = array<i64: 4, 1024>, widths = array<i64: 4>}> ({
// GENERIC: }) : (index, index, memref<64x1024xf32>) -> !nv.frag<4x1024xf32, lane(32: 4j) warp(4: i) reg(4: j, 8: 128j)>
// GENERIC: %s = "nv.row_reduce"(%e) ({
func.func @a_row_a_warp(%x: memref<64x1024xf32>, %y: memref<64x1024xf32>, %z: memref<64xf32>, %m: index, %n: index) {
  // CHECK: %e = nv.map[%m, %n] in [64, 1024] dims [0, 1] guard [] tile [4, 1024] ins(%x : memref<64x1024xf32>) addresses [#poly.map<"{ [i0, i1] -> [(1024i0 + i1)] }">] widths [4] -> !nv.frag<4x1024xf32, lane(32: 4j) warp(4: i) reg(4: j, 8: 128j)> {
  // CHECK-NEXT: ^bb0(%a: f32):
  // CHECK-NEXT: nv.yield %a : f32
  // CHECK-NEXT: }
  %e = nv.map [%m, %n] in [64, 1024] dims [0, 1] guard [] tile [4, 1024] ins(%x : memref<64x1024xf32>) addresses [#poly.map<"{ [i0, i1] -> [(1024i0 + i1)] }">] widths [4] -> !nv.frag<4x1024xf32, lane(32: 4j) warp(4: i) reg(4: j, 8: 128j)> {
  ^bb0(%a: f32):
    nv.yield %a : f32
  }
  // CHECK-NEXT: %s = nv.row_reduce %e : !nv.frag<4x1024xf32, lane(32: 4j) warp(4: i) reg(4: j, 8: 128j)> -> !nv.frag<4x1xf32, lane(32: 0) warp(4: i)> {
  // CHECK-NEXT: ^bb0(%a_1: f32, %b: f32):
  // CHECK-NEXT: %c = arith.addf %a_1, %b : f32
  // CHECK-NEXT: nv.yield %c : f32
  // CHECK-NEXT: }
  %s = nv.row_reduce %e : !nv.frag<4x1024xf32, lane(32: 4j) warp(4: i) reg(4: j, 8: 128j)> -> !nv.frag<4x1xf32, lane(32: 0) warp(4: i)> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    nv.yield %c : f32
  }
  // CHECK-NEXT: nv.map(%e, %s : !nv.frag<4x1024xf32, lane(32: 4j) warp(4: i) reg(4: j, 8: 128j)>, !nv.frag<4x1xf32, lane(32: 0) warp(4: i)>) [%m, %n] in [64, 1024] dims [0, 1] guard [0, 1] tile [4, 1024] outs(%y : memref<64x1024xf32>) addresses [#poly.map<"{ [i0, i1] -> [(1024i0 + i1)] }">] widths [2] attributes {note = "quotients"} {
  // CHECK-NEXT: ^bb0(%a_2: f32, %t: f32):
  nv.map (%e, %s : !nv.frag<4x1024xf32, lane(32: 4j) warp(4: i) reg(4: j, 8: 128j)>, !nv.frag<4x1xf32, lane(32: 0) warp(4: i)>) [%m, %n] in [64, 1024] dims [0, 1] guard [0, 1] tile [4, 1024] outs(%y : memref<64x1024xf32>) addresses [#poly.map<"{ [i0, i1] -> [(1024i0 + i1)] }">] widths [2] attributes {note = "quotients"} {
  ^bb0(%a: f32, %t: f32):
    %d = arith.divf %a, %t : f32
    nv.yield %d : f32
  }
  // CHECK: nv.map(%s : !nv.frag<4x1xf32, lane(32: 0) warp(4: i)>) [%m, %n] in [64, 1024] dims [0, 1] guard [0] tile [4, 1] outs(%z : memref<64xf32>) addresses [#poly.map<"{ [i0, i1] -> [(i0)] }">] widths [1] {
  nv.map (%s : !nv.frag<4x1xf32, lane(32: 0) warp(4: i)>) [%m, %n] in [64, 1024] dims [0, 1] guard [0] tile [4, 1] outs(%z : memref<64xf32>) addresses [#poly.map<"{ [i0, i1] -> [(i0)] }">] widths [1] {
  ^bb0(%t: f32):
    nv.yield %t : f32
  }
  func.return
}

// -----

// Warps that share a row exchange partial results in scratch. The body may be any associative function, here on signless
// integers, and a map may have results of several element types.

// CHECK-LABEL: func.func @a_row_four_warps
func.func @a_row_four_warps(%x: memref<64x512xui8>, %m: index, %n: index) {
  // CHECK: %e, %p = nv.map[%m, %n]
  // CHECK-SAME: -> !nv.frag<1x512xi8, lane(32: 4j) warp(4: 128j) reg(4: j)>, !nv.frag<1x512xi1, lane(32: 4j) warp(4: 128j) reg(4: j)> {
  %e, %p = nv.map [%m, %n] in [64, 512] dims [0, 1] guard [] tile [1, 512] ins(%x : memref<64x512xui8>) addresses [#poly.map<"{ [i0, i1] -> [(512i0 + i1)] }">] widths [4] -> !nv.frag<1x512xi8, lane(32: 4j) warp(4: 128j) reg(4: j)>, !nv.frag<1x512xi1, lane(32: 4j) warp(4: 128j) reg(4: j)> {
  ^bb0(%a: i8):
    %zero = arith.constant 0 : i8
    %q = arith.cmpi eq, %a, %zero : i8
    nv.yield %a, %q : i8, i1
  }
  // CHECK: %s = nv.row_reduce %e scratch 16 attributes {note = "largest"} : !nv.frag<1x512xi8, lane(32: 4j) warp(4: 128j) reg(4: j)> -> !nv.frag<1x1xi8, lane(32: 0) warp(4: 0)> {
  %s = nv.row_reduce %e scratch 16 attributes {note = "largest"} : !nv.frag<1x512xi8, lane(32: 4j) warp(4: 128j) reg(4: j)> -> !nv.frag<1x1xi8, lane(32: 0) warp(4: 0)> {
  ^bb0(%a: i8, %b: i8):
    %c = arith.maxui %a, %b : i8
    nv.yield %c : i8
  }
  // CHECK: %any = nv.row_reduce %p scratch 48 : !nv.frag<1x512xi1, lane(32: 4j) warp(4: 128j) reg(4: j)> -> !nv.frag<1x1xi1, lane(32: 0) warp(4: 0)> {
  %any = nv.row_reduce %p scratch 48 : !nv.frag<1x512xi1, lane(32: 4j) warp(4: 128j) reg(4: j)> -> !nv.frag<1x1xi1, lane(32: 0) warp(4: 0)> {
  ^bb0(%a: i1, %b: i1):
    %c = arith.ori %a, %b : i1
    nv.yield %c : i1
  }
  func.return
}

// -----

// Layouts that a type spells: rows by lanes, by warps and by both, copies, digits that leave room for others, of any element type.

// CHECK-LABEL: func.func @layouts
func.func @layouts() {
  // CHECK-NEXT: %a = nv.frag : !nv.frag<16x128xbf16, lane(8: 4j, 4: i) warp(4: 4i) reg(4: j, 4: 32j)>
  %a = nv.frag : !nv.frag<16x128xbf16, lane(8: 4j, 4: i) warp(4: 4i) reg(4: j, 4: 32j)>
  // CHECK-NEXT: %b = nv.frag : !nv.frag<32x1xf64, lane(32: i)>
  %b = nv.frag : !nv.frag<32x1xf64, lane(32: i)>
  // CHECK-NEXT: %c = nv.frag : !nv.frag<1x1xi1, lane(32: 0)>
  %c = nv.frag : !nv.frag<1x1xi1, lane(32: 0)>
  // CHECK-NEXT: %d = nv.frag : !nv.frag<8x96xi64, lane(2: 0, 16: 6j) warp(2: 0, 4: i) reg(3: j, 2: 3j, 2: 4i)>
  %d = nv.frag : !nv.frag<8x96xi64, lane(2: 0, 16: 6j) warp(2: 0, 4: i) reg(3: j, 2: 3j, 2: 4i)>
  // CHECK-NEXT: %e = nv.frag : !nv.frag<1x64xf8E4M3FN, lane(2: 32j, 16: j) reg(2: 16j)>
  %e = nv.frag : !nv.frag<1x64xf8E4M3FN,lane( 2:32 j,16 : j )reg(2: 16j)>
  // CHECK-NEXT: %f = nv.frag : !nv.frag<64x32xf32, lane(4: 8j, 8: i) reg(8: j, 8: 8i)>
  %f = nv.frag : !nv.frag<64x32xf32, lane(4: 8j, 8: i) reg(8: j, 8: 8i)>
  func.return
}

// -----

// Partial results, one for each lane: a loop carries them, as nothing is exchanged.

// CHECK-LABEL: func.func @partial
func.func @partial(%x: !nv.frag<1x512xf32, lane(32: 4j) warp(2: 128j) reg(4: j, 2: 256j)>, %p: !nv.frag<1x64xf32, lane(32: j) warp(2: 32j)>, %from: index, %to: index) {
  // CHECK: %q = scf.for %c = %from to %to step %to iter_args(%a = %p) -> (!nv.frag<1x64xf32, lane(32: j) warp(2: 32j)>) {
  %q = scf.for %c = %from to %to step %to iter_args(%a = %p) -> (!nv.frag<1x64xf32, lane(32: j) warp(2: 32j)>) {
    // CHECK-NEXT: %s = nv.row_reduce %x : !nv.frag<1x512xf32, lane(32: 4j) warp(2: 128j) reg(4: j, 2: 256j)> -> !nv.frag<1x64xf32, lane(32: j) warp(2: 32j)> {
    %s = nv.row_reduce %x : !nv.frag<1x512xf32, lane(32: 4j) warp(2: 128j) reg(4: j, 2: 256j)> -> !nv.frag<1x64xf32, lane(32: j) warp(2: 32j)> {
    ^bb0(%b: f32, %c1: f32):
      %d = arith.maximumf %b, %c1 : f32
      nv.yield %d : f32
    }
    // CHECK: %{{.*}} = nv.map(%x, %s : !nv.frag<1x512xf32, lane(32: 4j) warp(2: 128j) reg(4: j, 2: 256j)>, !nv.frag<1x64xf32, lane(32: j) warp(2: 32j)>)
    %t = nv.map (%x, %s : !nv.frag<1x512xf32, lane(32: 4j) warp(2: 128j) reg(4: j, 2: 256j)>, !nv.frag<1x64xf32, lane(32: j) warp(2: 32j)>) [%from, %c] in [8, 512] dims [0, 1] guard [] tile [1, 512] addresses [] widths [] -> !nv.frag<1x512xf32, lane(32: 4j) warp(2: 128j) reg(4: j, 2: 256j)> {
    ^bb0(%e: f32, %f: f32):
      %g = arith.subf %e, %f : f32
      nv.yield %g : f32
    }
    scf.yield %s : !nv.frag<1x64xf32, lane(32: j) warp(2: 32j)>
  }
  func.return
}

// -----

// Rows of 1001 elements begin at any element: vectors are realigned. Those of the weights are aligned, but the last one is not whole.

// CHECK-LABEL: func.func @realigned
// GENERIC: realigned = array<i64: 0, 1, 2>
func.func @realigned(%x: memref<64x1001xbf16>, %g: memref<1001xf32>, %y: memref<64x1001xbf16>, %m: index, %n: index) {
  // CHECK: %e = nv.map[%m, %n] in [64, 1001] dims [0, 1] guard [1] tile [4, 1024] ins(%x, %g : memref<64x1001xbf16>, memref<1001xf32>) outs(%y : memref<64x1001xbf16>) addresses [#poly.map<"{ [i0, i1] -> [(1001i0 + i1)] }">, #poly.map<"{ [i0, i1] -> [(i1)] }">, #poly.map<"{ [i0, i1] -> [(1001i0 + i1)] }">] widths [8, 4, 8] realigned [0, 1, 2] -> !nv.frag<4x1024xf32, lane(32: 8j) warp(4: i) reg(8: j, 4: 256j)> {
  %e = nv.map [%m, %n] in [64, 1001] dims [0, 1] guard [1] tile [4, 1024] ins(%x, %g : memref<64x1001xbf16>, memref<1001xf32>) outs(%y : memref<64x1001xbf16>) addresses [#poly.map<"{ [i0, i1] -> [(1001i0 + i1)] }">, #poly.map<"{ [i0, i1] -> [(i1)] }">, #poly.map<"{ [i0, i1] -> [(1001i0 + i1)] }">] widths [8, 4, 8] realigned [0, 1, 2] -> !nv.frag<4x1024xf32, lane(32: 8j) warp(4: i) reg(8: j, 4: 256j)> {
  ^bb0(%a: bf16, %b: f32):
    nv.yield %a, %b : bf16, f32
  }
  func.return
}
