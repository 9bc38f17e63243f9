// RUN: ptir-opt %s --verify-roundtrip | filecheck %s
// RUN: ptir-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

// Eight rows of 32 columns in four warps, and the columns' sums; without scratch if a warp holds whole columns.

// CHECK: %s = nv.col_reduce %x scratch 0 : !nv.frag<8x32xf32, lane(32: j) warp(4: i) reg(2: 4i)> -> !nv.frag<1x32xf32, lane(32: j) warp(4: 0)> {
// CHECK-NEXT: ^bb0(%a: f32, %b: f32):
// CHECK: %t = nv.col_reduce %y : !nv.frag<8x64xf32, lane(8: 2j, 4: i) warp(4: 16j) reg(2: j, 2: 4i)> -> !nv.frag<1x64xf32, lane(8: 2j, 4: 0) warp(4: 16j) reg(2: j)> {
// GENERIC: %s = "nv.col_reduce"(%x) <{scratch = 0 : i64}> ({
func.func @f() {
  %x, %y = "test.op"() : () -> (!nv.frag<8x32xf32, lane(32: j) warp(4: i) reg(2: 4i)>, !nv.frag<8x64xf32, lane(8: 2j, 4: i) warp(4: 16j) reg(2: j, 2: 4i)>)
  %s = nv.col_reduce %x scratch 0 : !nv.frag<8x32xf32, lane(32: j) warp(4: i) reg(2: 4i)> -> !nv.frag<1x32xf32, lane(32: j) warp(4: 0)> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    nv.yield %0 : f32
  }
  %t = nv.col_reduce %y : !nv.frag<8x64xf32, lane(8: 2j, 4: i) warp(4: 16j) reg(2: j, 2: 4i)> -> !nv.frag<1x64xf32, lane(8: 2j, 4: 0) warp(4: 16j) reg(2: j)> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    nv.yield %0 : f32
  }
  func.return
}
