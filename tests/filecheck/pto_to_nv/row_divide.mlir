// RUN: ptir-opt %s -p pto-to-nv --split-input-file | filecheck %s

// Rows divided by their sums, and then by a divisor in memory: each division is an op on fragments between two maps.

// CHECK-LABEL: "gpu.func"
// CHECK: %0 = nv.map[%c0, %c0] in [8, 256] dims [0, 1] guard [] tile [8, 256] ins(%x : memref<8x256xf32>)
// CHECK: %1 = nv.row_reduce %0
// CHECK: %5 = nv.row_divide %0 by %1 : !nv.frag<8x256xf32, lane(32: 4j) warp(8: i) reg(4: j, 2: 128j)>, !nv.frag<8x1xf32, lane(32: 0) warp(8: i)>
// CHECK-NEXT: %6 = nv.map[%c0, %c0] in [8, 256] dims [0, 1] guard [] tile [8, 1] ins(%d : memref<8xf32>)
// CHECK: %7 = nv.row_divide %5 by %6 : !nv.frag<8x256xf32, lane(32: 4j) warp(8: i) reg(4: j, 2: 128j)>, !nv.frag<8x1xf32, lane(32: 0) warp(8: i)>
// CHECK-NEXT: nv.map(%7 : !nv.frag<8x256xf32, lane(32: 4j) warp(8: i) reg(4: j, 2: 128j)>) [%c0, %c0] in [8, 256] dims [0, 1] guard [] tile [8, 256] outs(%y : memref<8x256xf32>)
// CHECK-NOT: arith.divf

pto.kernel @k(%x: memref<8x256xf32> align 16, %d: memref<8xf32> align 16) -> (%y: memref<8x256xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [8, 256], warp_tile = "1x256", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%m, %n) in [8, 256] step [8, 256] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 256] dims [0, 1] : memref<8x256xf32> -> tile<8x256xf32>
    %1 = pto.tile.rowsum %0 : tile<8x256xf32> -> tile<8x1xf32>
    %2 = pto.tile.rowexpand %1 : tile<8x1xf32> -> tile<8x256xf32>
    %3 = pto.tile.div %0, %2 : tile<8x256xf32>
    %4 = pto.tile.load.map %d[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [8, 256] dims [0, 1] : memref<8xf32> -> tile<8x1xf32>
    %5 = pto.tile.rowexpand %4 : tile<8x1xf32> -> tile<8x256xf32>
    %6 = pto.tile.div %3, %5 : tile<8x256xf32>
    pto.tile.store.map %6, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 256] dims [0, 1] : tile<8x256xf32>, memref<8x256xf32>
  }
}

// -----

// Other divisions stay in maps: by elements of a row, of a constant, of one element a row, and of f64.

// CHECK-LABEL: "gpu.func"
// CHECK-NOT: nv.row_divide

pto.kernel @k(%x: memref<8x256xf32> align 16) -> (%y: memref<8x256xf32> align 256 gmem, %z: memref<8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [8, 256], warp_tile = "1x256", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%m, %n) in [8, 256] step [8, 256] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 256] dims [0, 1] : memref<8x256xf32> -> tile<8x256xf32>
    %1 = pto.tile.rowsum %0 : tile<8x256xf32> -> tile<8x1xf32>
    %2 = pto.tile.rowexpand %1 : tile<8x1xf32> -> tile<8x256xf32>
    %3 = pto.tile.div %2, %0 : tile<8x256xf32>
    %4 = pto.tile.expands 3.0 : f32 : tile<8x1xf32>
    %5 = pto.tile.rowexpand %4 : tile<8x1xf32> -> tile<8x256xf32>
    %6 = pto.tile.div %3, %5 : tile<8x256xf32>
    %7 = pto.tile.div %4, %1 : tile<8x1xf32>
    %8 = pto.tile.cvt %0 : tile<8x256xf32> -> tile<8x256xf64>
    %9 = pto.tile.cvt %2 : tile<8x256xf32> -> tile<8x256xf64>
    %10 = pto.tile.div %8, %9 : tile<8x256xf64>
    %11 = pto.tile.cvt %10 : tile<8x256xf64> -> tile<8x256xf32>
    %12 = pto.tile.add %6, %11 : tile<8x256xf32>
    pto.tile.store.map %12, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 256] dims [0, 1] : tile<8x256xf32>, memref<8x256xf32>
    pto.tile.store.map %7, %z[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [8, 256] dims [0, 1] : tile<8x1xf32>, memref<8xf32>
  }
}
