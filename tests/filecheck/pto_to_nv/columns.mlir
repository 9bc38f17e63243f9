// RUN: ptir-opt %s -p pto-to-nv | filecheck %s

// Eight rows of a tile in two warps, whose lanes hold four columns each. The loop carries the accumulated fragment; the columns
// are reduced after it, and one lane stores each of them.

// CHECK: %zero = nv.map[%c0, %n, %c0] in [1, 64, 24] dims [2, 1] guard [] tile [8, 32] addresses [] widths [] -> !nv.frag<8x32xf32, lane(8: 4j, 4: i) warp(2: 4i) reg(4: j)> {
// CHECK: %2 = scf.for %r = %c0 to %c24 step %c8 iter_args(%t = %zero)
// CHECK-NEXT: %b = nv.map(%t : !nv.frag<8x32xf32, lane(8: 4j, 4: i) warp(2: 4i) reg(4: j)>) [%c0, %n, %r] in [1, 64, 24] dims [2, 1] guard [] tile [8, 32] ins(%x : memref<24x64xf32>) addresses [#poly.map<"{ [i0, i1, i2] -> [(i1 + 64i2)] }">] widths [4] -> !nv.frag<8x32xf32, lane(8: 4j, 4: i) warp(2: 4i) reg(4: j)> {
// CHECK-NEXT: ^bb0(%t_1: f32, %x_1: f32):
// CHECK-NEXT: %3 = arith.addf %t_1, %x_1 : f32
// CHECK-NEXT: nv.yield %3 : f32
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %b
// CHECK: %s = nv.col_reduce %2 scratch 0 : {{.*}} -> !nv.frag<1x32xf32, lane(8: 4j, 4: 0) warp(2: 0) reg(4: j)> {
// CHECK: nv.map(%s : !nv.frag<1x32xf32, lane(8: 4j, 4: 0) warp(2: 0) reg(4: j)>) [%c0, %n] in [1, 64] dims [0, 1] guard [] tile [1, 32] outs(%y : memref<64xf32>)
// CHECK: math.exp
pto.kernel @k(%x: memref<24x64xf32> align 16) -> (%y: memref<64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [8, 32], warp_tile = "4x32", vectorize = {axis = "n.i.i", width = 4}, algo_choice = {reduce = "columns"}}> {
  pto.tiles (%m, %n) in [1, 64] step [1, 32] {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<8x32xf32>
    %a = scf.for %r = %c0 to %c24 step %c8 iter_args(%t = %zero) -> (!pto.tile<8x32xf32>) {
      %e = pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [1, 64, 24] dims [2, 1] : memref<24x64xf32> -> tile<8x32xf32>
      %b = pto.tile.add %t, %e : tile<8x32xf32>
      scf.yield %b : !pto.tile<8x32xf32>
    }
    %s = pto.tile.colsum %a : tile<8x32xf32> -> tile<1x32xf32>
    %u = pto.tile.exp %s : tile<1x32xf32>
    pto.tile.store.map %u, %y[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [1, 64] dims [0, 1] : tile<1x32xf32>, memref<64xf32>
  }
}
