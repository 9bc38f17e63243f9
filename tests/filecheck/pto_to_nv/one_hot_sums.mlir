// RUN: ptir-opt %s -p pto-to-nv --split-input-file | filecheck %s

// The sum of the elements whose column equals a target is the element at the target, which is loaded once a row. A target beyond the row
// stands for the last column, whose term is 0 as well. The map of the row computes nothing for it.

// CHECK-LABEL: "gpu.func"
// CHECK: nv.epilogue[%c0, %c0] in [4, 250] dims [0, 1] guard [1] tile [4, 1] ins(%t : memref<4xsi32>) outs(%y : memref<4xf32>)
// CHECK-NEXT: ^bb0(%t_1: i32):
// CHECK-NEXT: %at_row, %at_column = nv.point
// CHECK-NEXT: %0 = arith.constant 249 : i32
// CHECK-NEXT: %1 = arith.minui %t_1, %0 : i32
// CHECK-NEXT: %column = arith.index_cast %1 : i32 to index
// CHECK: nv.ld_global %x[%at_row, %column] at <"{ [i0, i1] -> [(250i0 + i1)] }"> in [4, 250]
// CHECK: %position = nv.affine[%at_row, %column] by <"{ [i0, i1] -> [(i1)] }"> in [4, 250] : i32
// CHECK: %[[hit:.*]] = arith.cmpi eq, %position, %t_1 : i32
// CHECK: %[[term:.*]] = arith.select %mask
// CHECK-NEXT: %[[zero:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[sum:.*]] = arith.addf %[[term]], %[[zero]] : f32
// CHECK-NEXT: nv.yield %[[sum]] : f32
// CHECK: nv.map[%c0, %c0] in [4, 250] dims [0, 1] guard [1] tile [4, 256] ins(%x : memref<4x250xf32>)
// CHECK-NOT: arith.cmpi eq
// CHECK: nv.row_reduce
// CHECK-NOT: arith.addf
// CHECK: "gpu.return"

pto.kernel @k(%x: memref<4x250xf32> align 16, %t: memref<4xsi32> align 16) -> (%y: memref<4xf32> align 256 gmem, %z: memref<4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 256], warp_tile = "1x256", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["n.i.i"]}> {
  pto.tiles (%m, %n) in [4, 250] step [4, 256] {
    %0 = pto.tile.load %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 250] dims [0, 1] : memref<4x250xf32> -> !pto.tile<4x256xf32>
    %i = pto.tile.iota [%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [4, 250] dims [0, 1] : !pto.tile<4x256xsi32>
    %1 = pto.tile.load %t[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [4, 250] dims [0, 1] : memref<4xsi32> -> !pto.tile<4x1xsi32>
    %2 = pto.tile.rowexpand %1 : !pto.tile<4x1xsi32> -> !pto.tile<4x256xsi32>
    %3 = pto.tile.cmp EQ %i, %2 : !pto.tile<4x256xsi32> -> !pto.tile<4x256xi1>
    %4 = pto.tile.expands 0.0 : f32 : !pto.tile<4x256xf32>
    %5 = pto.tile.sel %3, %0, %4 : !pto.tile<4x256xi1>, !pto.tile<4x256xf32>
    %6 = pto.tile.mask[%m, %n] in [4, 250] dims [0, 1] : !pto.tile<4x256xi1>
    %7 = pto.tile.sel %6, %5, %4 : !pto.tile<4x256xi1>, !pto.tile<4x256xf32>
    %8 = pto.tile.rowsum %7 : !pto.tile<4x256xf32> -> !pto.tile<4x1xf32>
    %9 = pto.tile.expands 0xFF800000 : f32 : !pto.tile<4x256xf32>
    %10 = pto.tile.sel %6, %0, %9 : !pto.tile<4x256xi1>, !pto.tile<4x256xf32>
    %11 = pto.tile.rowmax %10 : !pto.tile<4x256xf32> -> !pto.tile<4x1xf32>
    pto.tile.store %8, %y[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [4, 250] dims [0, 1] : !pto.tile<4x1xf32>, memref<4xf32>
    pto.tile.store %11, %z[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [4, 250] dims [0, 1] : !pto.tile<4x1xf32>, memref<4xf32>
  }
}

// -----

// The term may be a function of reductions of the row, and the condition one of several; the first sum of this kernel has to come before.

// CHECK-LABEL: "gpu.func"
// CHECK: %[[max:.*]] = nv.row_reduce
// CHECK: arith.maximumf
// CHECK: nv.map({{.*}}%[[max]]
// CHECK: arith.index_cast
// CHECK: arith.subf
// CHECK: math.exp
// CHECK: arith.andi
// CHECK-NOT: nv.row_reduce

pto.kernel @k(%x: memref<4x256xf32> align 16, %t: memref<4xsi64> align 16) -> (%y: memref<4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 256], warp_tile = "1x256", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%m, %n) in [4, 256] step [4, 256] {
    %0 = pto.tile.load %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 256] dims [0, 1] : memref<4x256xf32> -> !pto.tile<4x256xf32>
    %1 = pto.tile.rowmax %0 : !pto.tile<4x256xf32> -> !pto.tile<4x1xf32>
    %2 = pto.tile.rowexpand %1 : !pto.tile<4x1xf32> -> !pto.tile<4x256xf32>
    %3 = pto.tile.sub %0, %2 : !pto.tile<4x256xf32>
    %4 = pto.tile.exp %3 : !pto.tile<4x256xf32>
    %i = pto.tile.iota [%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [4, 256] dims [0, 1] : !pto.tile<4x256xsi32>
    %5 = pto.tile.cvt %i : !pto.tile<4x256xsi32> -> !pto.tile<4x256xsi64>
    %6 = pto.tile.load %t[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [4, 256] dims [0, 1] : memref<4xsi64> -> !pto.tile<4x1xsi64>
    %7 = pto.tile.rowexpand %6 : !pto.tile<4x1xsi64> -> !pto.tile<4x256xsi64>
    %8 = pto.tile.cmp EQ %7, %5 : !pto.tile<4x256xsi64> -> !pto.tile<4x256xi1>
    %9 = pto.tile.expands 0.0 : f32 : !pto.tile<4x1xf32>
    %10 = pto.tile.rowexpand %9 : !pto.tile<4x1xf32> -> !pto.tile<4x256xf32>
    %11 = pto.tile.cmp GT %0, %10 : !pto.tile<4x256xf32> -> !pto.tile<4x256xi1>
    %12 = pto.tile.and %11, %8 : !pto.tile<4x256xi1>
    %13 = pto.tile.sel %12, %4, %10 : !pto.tile<4x256xi1>, !pto.tile<4x256xf32>
    %14 = pto.tile.rowsum %13 : !pto.tile<4x256xf32> -> !pto.tile<4x1xf32>
    pto.tile.store %14, %y[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [4, 256] dims [0, 1] : !pto.tile<4x1xf32>, memref<4xf32>
  }
}

// -----

// Other sums have a term for each element: of another comparison, of another position, with another element than 0 elsewhere, and
// of -0, whose sum is -0. So has a maximum.

// CHECK-LABEL: "gpu.func"
// CHECK-NOT: arith.index_cast
// CHECK: "gpu.return"

pto.kernel @k(%x: memref<4x256xf32> align 16, %t: memref<4xsi32> align 16) -> (%y: memref<4xf32> align 256 gmem, %z: memref<4xf32> align 256 gmem, %v: memref<4xf32> align 256 gmem, %w: memref<4xf32> align 256 gmem, %u: memref<4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 256], warp_tile = "1x256", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%m, %n) in [4, 256] step [4, 256] {
    %0 = pto.tile.load %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 256] dims [0, 1] : memref<4x256xf32> -> !pto.tile<4x256xf32>
    %i = pto.tile.iota [%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [4, 256] dims [0, 1] : !pto.tile<4x256xsi32>
    %j = pto.tile.iota [%m, %n] by <"{ [i0, i1] -> [(i0 + i1)] }"> in [4, 256] dims [0, 1] : !pto.tile<4x256xsi32>
    %1 = pto.tile.load %t[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [4, 256] dims [0, 1] : memref<4xsi32> -> !pto.tile<4x1xsi32>
    %2 = pto.tile.rowexpand %1 : !pto.tile<4x1xsi32> -> !pto.tile<4x256xsi32>
    %3 = pto.tile.cmp LE %i, %2 : !pto.tile<4x256xsi32> -> !pto.tile<4x256xi1>
    %4 = pto.tile.cmp EQ %j, %2 : !pto.tile<4x256xsi32> -> !pto.tile<4x256xi1>
    %5 = pto.tile.cmp EQ %i, %2 : !pto.tile<4x256xsi32> -> !pto.tile<4x256xi1>
    %6 = pto.tile.expands 0.0 : f32 : !pto.tile<4x256xf32>
    %7 = pto.tile.expands -0.0 : f32 : !pto.tile<4x256xf32>
    %8 = pto.tile.sel %3, %0, %6 : !pto.tile<4x256xi1>, !pto.tile<4x256xf32>
    %9 = pto.tile.rowsum %8 : !pto.tile<4x256xf32> -> !pto.tile<4x1xf32>
    %10 = pto.tile.sel %4, %0, %6 : !pto.tile<4x256xi1>, !pto.tile<4x256xf32>
    %11 = pto.tile.rowsum %10 : !pto.tile<4x256xf32> -> !pto.tile<4x1xf32>
    %12 = pto.tile.sel %5, %6, %0 : !pto.tile<4x256xi1>, !pto.tile<4x256xf32>
    %13 = pto.tile.rowsum %12 : !pto.tile<4x256xf32> -> !pto.tile<4x1xf32>
    %14 = pto.tile.sel %5, %0, %7 : !pto.tile<4x256xi1>, !pto.tile<4x256xf32>
    %15 = pto.tile.rowsum %14 : !pto.tile<4x256xf32> -> !pto.tile<4x1xf32>
    %16 = pto.tile.sel %5, %0, %6 : !pto.tile<4x256xi1>, !pto.tile<4x256xf32>
    %17 = pto.tile.rowmax %16 : !pto.tile<4x256xf32> -> !pto.tile<4x1xf32>
    pto.tile.store %9, %y[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [4, 256] dims [0, 1] : !pto.tile<4x1xf32>, memref<4xf32>
    pto.tile.store %11, %z[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [4, 256] dims [0, 1] : !pto.tile<4x1xf32>, memref<4xf32>
    pto.tile.store %13, %v[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [4, 256] dims [0, 1] : !pto.tile<4x1xf32>, memref<4xf32>
    pto.tile.store %15, %w[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [4, 256] dims [0, 1] : !pto.tile<4x1xf32>, memref<4xf32>
    pto.tile.store %17, %u[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [4, 256] dims [0, 1] : !pto.tile<4x1xf32>, memref<4xf32>
  }
}
