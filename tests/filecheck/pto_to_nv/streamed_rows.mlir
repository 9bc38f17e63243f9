// RUN: ptir-opt %s -p pto-to-nv | filecheck %s

// A loop carries partial results, one for each lane, and needs no exchange; lanes and warps exchange theirs after the loop. The map
// of the second loop gives a fragment that says which lanes hold the tile, as no other does.
// CHECK-LABEL: "gpu.func"
// CHECK: %c128 = arith.constant 128 : index
// CHECK-NEXT: %c256 = arith.constant 256 : index
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %0 = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT: %1 = nv.map[%0, %c0] in [6, 256] dims [0, 1] guard [] tile [1, 1] ins(%r : memref<6xf32>) addresses [#poly.map<"{ [i0, i1] -> [(i0)] }">] widths [1] -> !nv.frag<1x1xf32, lane(32: 0) warp(2: 0)> {
// CHECK-NEXT: ^bb0(%r_1: f32):
// CHECK-NEXT: nv.yield %r_1 : f32
// CHECK-NEXT: }
// CHECK-NEXT: %2 = nv.map[%0, %c0] in [6, 256] dims [0, 1] guard [] tile [1, 64] addresses [] widths [] -> !nv.frag<1x64xf32, lane(32: j) warp(2: 32j)> {
// CHECK-NEXT: %3 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: nv.yield %3 : f32
// CHECK-NEXT: }
// CHECK-NEXT: %4 = scf.for %c = %c0 to %c256 step %c128 iter_args(%part = %2) -> (!nv.frag<1x64xf32, lane(32: j) warp(2: 32j)>) {
// CHECK-NEXT: %5 = nv.map(%1 : !nv.frag<1x1xf32, lane(32: 0) warp(2: 0)>) [%0, %c] in [6, 256] dims [0, 1] guard [] tile [1, 128] ins(%x : memref<6x256xf32>) addresses [#poly.map<"{ [i0, i1] -> [(256i0 + i1)] }">] widths [2] -> !nv.frag<1x128xf32, lane(32: 2j) warp(2: 64j) reg(2: j)> {
// CHECK-NEXT: ^bb0(%6: f32, %x_1: f32):
// CHECK-NEXT: %7 = arith.mulf %x_1, %6 : f32
// CHECK-NEXT: nv.yield %7 : f32
// CHECK-NEXT: }
// CHECK-NEXT: %8 = nv.row_reduce %5 : !nv.frag<1x128xf32, lane(32: 2j) warp(2: 64j) reg(2: j)> -> !nv.frag<1x64xf32, lane(32: j) warp(2: 32j)> {
// CHECK-NEXT: ^bb0(%9: f32, %10: f32):
// CHECK-NEXT: %11 = arith.addf %9, %10 : f32
// CHECK-NEXT: nv.yield %11 : f32
// CHECK-NEXT: }
// CHECK-NEXT: %12 = nv.map(%part, %8 : !nv.frag<1x64xf32, lane(32: j) warp(2: 32j)>, !nv.frag<1x64xf32, lane(32: j) warp(2: 32j)>) [%0, %c] in [6, 256] dims [0, 1] guard [] tile [1, 64] addresses [] widths [] -> !nv.frag<1x64xf32, lane(32: j) warp(2: 32j)> {
// CHECK-NEXT: ^bb0(%13: f32, %14: f32):
// CHECK-NEXT: %15 = arith.addf %13, %14 : f32
// CHECK-NEXT: nv.yield %15 : f32
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %12 : !nv.frag<1x64xf32, lane(32: j) warp(2: 32j)>
// CHECK-NEXT: }
// CHECK-NEXT: %16 = nv.row_reduce %4 scratch 0 : !nv.frag<1x64xf32, lane(32: j) warp(2: 32j)> -> !nv.frag<1x1xf32, lane(32: 0) warp(2: 0)> {
// CHECK-NEXT: ^bb0(%17: f32, %18: f32):
// CHECK-NEXT: %19 = arith.addf %17, %18 : f32
// CHECK-NEXT: nv.yield %19 : f32
// CHECK-NEXT: }
// CHECK-NEXT: scf.for %d = %c0 to %c256 step %c128 {
// CHECK-NEXT: %20 = nv.map(%16 : !nv.frag<1x1xf32, lane(32: 0) warp(2: 0)>) [%0, %d] in [6, 256] dims [0, 1] guard [] tile [1, 128] ins(%x : memref<6x256xf32>) outs(%y : memref<6x256xf32>) addresses [#poly.map<"{ [i0, i1] -> [(256i0 + i1)] }">, #poly.map<"{ [i0, i1] -> [(256i0 + i1)] }">] widths [2, 2] -> !nv.frag<1x128xf32, lane(32: 2j) warp(2: 64j) reg(2: j)> {
// CHECK-NEXT: ^bb0(%21: f32, %x_2: f32):
// CHECK-NEXT: %22 = arith.divf %x_2, %21 : f32
// CHECK-NEXT: nv.yield %22, %22 : f32, f32
// CHECK-NEXT: }
// CHECK-NEXT: }
pto.kernel @k(%x: memref<6x256xf32> align 16, %r: memref<6xf32> align 16) -> (%y: memref<6x256xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 128], warp_tile = "1x64", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [6, 256] step [1, 256] {
    %0 = pto.tile.expands 0.0 : f32 : tile<1x64xf32>
    %1 = pto.tile.load.map %r[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [6, 256] dims [0, 1] : memref<6xf32> -> tile<1x1xf32>
    %2 = arith.constant 0 : index
    %3 = arith.constant 256 : index
    %4 = arith.constant 128 : index
    %5 = scf.for %c = %2 to %3 step %4 iter_args(%6 = %0) -> (!pto.tile<1x64xf32>) {
      %7 = pto.tile.load.map %x[%m, %c] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [6, 256] dims [0, 1] : memref<6x256xf32> -> tile<1x128xf32>
      %8 = pto.tile.rowexpand %1 : tile<1x1xf32> -> tile<1x128xf32>
      %9 = pto.tile.mul %7, %8 : tile<1x128xf32>
      %10 = pto.tile.rowsum %9 run 2 group 64 : tile<1x128xf32> -> tile<1x64xf32>
      %11 = pto.tile.add %6, %10 : tile<1x64xf32>
      scf.yield %11 : !pto.tile<1x64xf32>
    }
    %12 = pto.tile.rowsum %5 : tile<1x64xf32> -> tile<1x1xf32>
    scf.for %d = %2 to %3 step %4 {
      %13 = pto.tile.load.map %x[%m, %d] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [6, 256] dims [0, 1] : memref<6x256xf32> -> tile<1x128xf32>
      %14 = pto.tile.rowexpand %12 : tile<1x1xf32> -> tile<1x128xf32>
      %15 = pto.tile.div %13, %14 : tile<1x128xf32>
      pto.tile.store.map %15, %y[%m, %d] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [6, 256] dims [0, 1] : tile<1x128xf32>, memref<6x256xf32>
    }
  }
}
