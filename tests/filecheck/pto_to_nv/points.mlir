// RUN: ptir-opt %s -p pto-to-nv --split-input-file | filecheck %s

// A padded load is a vector load by a set, as wide as the moved address allows; the tile overhangs the box along its columns.

// CHECK-LABEL: "gpu.func"
// CHECK: nv.epilogue[%m, %c0] in [8, 12] dims [0, 1] guard [1] tile [2, 64] ins(%x, %p : memref<8x12xf32>, memref<8x8xf32>)
// CHECK-SAME: widths [4, 2, 4] where [#poly.set<"{ [i0, i1] }">, #poly.set<"{ [i0, i1] : 2 <= i1 < 10 }">] {
// CHECK-NEXT: ^bb0(%x_1: f32, %p_1: f32):
// CHECK-NEXT: %1 = arith.addf %x_1, %p_1 : f32
// CHECK-NEXT: nv.yield %1 : f32

pto.kernel @k(%x: memref<8x12xf32> align 16, %p: memref<8x8xf32> align 16) -> (%y: memref<8x12xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [2, 64], vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%m, %n) in [8, 12] step [2, 64] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 12] dims [0, 1] : memref<8x12xf32> -> tile<2x64xf32>
    %1 = pto.tile.load.map %p[%m, %n] by <"{ [i0, i1] -> [(i0), (-2 + i1)] }"> in [8, 12] dims [0, 1] where <"{ [i0, i1] : 2 <= i1 < 10 }"> : memref<8x8xf32> -> tile<2x64xf32>
    %2 = pto.tile.add %0, %1 : tile<2x64xf32>
    pto.tile.store.map %2, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 12] dims [0, 1] : tile<2x64xf32>, memref<8x12xf32>
  }
}

// -----

// A mask and a position, with an axis before those of the tile.

// CHECK-LABEL: "gpu.func"
// CHECK: nv.epilogue[%1, %m, %c0] in [3, 8, 64] dims [1, 2] guard [] tile [2, 64] ins(%x : memref<3x8x64xi32>)
// CHECK-NEXT: ^bb0(%x_1: i32):
// CHECK-NEXT: %at_row, %at_column = nv.point
// CHECK-NEXT: %mask = nv.inside[%1, %at_row, %at_column] in [3, 8, 64] where <"{ [i0, i1, i2] : i0 <= i1 }">
// CHECK-NEXT: %position = nv.affine[%1, %at_row, %at_column] by <"{ [i0, i1, i2] -> [(i0)] }"> in [3, 8, 64] : i32
// CHECK-NEXT: %2 = arith.select %mask, %position, %x_1 : i32
// CHECK-NEXT: nv.yield %2 : i32

pto.kernel @k(%x: memref<3x8x64xi32> align 16) -> (%y: memref<3x8x64xi32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [2, 64], vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%b, %m, %n) in [3, 8, 64] step [1, 2, 64] {
    %0 = pto.tile.mask [%b, %m, %n] in [3, 8, 64] dims [1, 2] where <"{ [i0, i1, i2] : i0 <= i1 }"> : tile<2x64xi1>
    %1 = pto.tile.iota [%b, %m, %n] by <"{ [a, b, c] -> [(a + floor((c)/128))] }"> in [3, 8, 64] dims [1, 2] : tile<2x64xi32>
    %2 = pto.tile.load.map %x[%b, %m, %n] by <"{ [i0, i1, i2] -> [(i0), (i1), (i2)] }"> in [3, 8, 64] dims [1, 2] : memref<3x8x64xi32> -> tile<2x64xi32>
    %3 = pto.tile.sel %0, %1, %2 : tile<2x64xi1>, tile<2x64xi32>
    pto.tile.store.map %3, %y[%b, %m, %n] by <"{ [i0, i1, i2] -> [(i0), (i1), (i2)] }"> in [3, 8, 64] dims [1, 2] : tile<2x64xi32>, memref<3x8x64xi32>
  }
}

// -----

// Loops over tiles become loops over scalars; one without iterations gives what it starts from.

// CHECK-LABEL: "gpu.func"
// CHECK: nv.epilogue[%m, %c0]
// CHECK-NEXT: %at_row, %at_column = nv.point
// CHECK: %3, %4 = scf.for %r = %c2 to %c10 step %c4 iter_args(%s = %1, %any = %2) -> (bf16, i1) {
// CHECK-NEXT: %5 = scf.for %q = %c0 to %c2 step %c1 iter_args(%t = %s) -> (bf16) {
// CHECK-NEXT: %x_1 = nv.ld_global %x[%at_row, %at_column, %r, %q] at <"{ [i0, i1, i2, i3] -> [(640i0 + 10i1 + i2 + i3)] }"> in [8, 64, 9, 2] : memref<8x64x10xbf16> -> bf16
// CHECK-NEXT: %6 = arith.addf %t, %x_1 : bf16
// CHECK-NEXT: scf.yield %6 : bf16
// CHECK-NEXT: }
// CHECK-NEXT: %mask = nv.inside[%at_row, %at_column, %r] in [8, 64, 10] where <"{ [i0, i1, i2] : i1 = i2 }">
// CHECK-NEXT: %7 = arith.ori %any, %mask : i1
// CHECK-NEXT: scf.yield %5, %7 : bf16, i1
// CHECK-NEXT: }
// CHECK-NEXT: %8 = arith.select %4, %3, %1 : bf16
// CHECK-NEXT: nv.yield %8 : bf16

pto.kernel @k(%x: memref<8x64x10xbf16> align 16) -> (%y: memref<8x64xbf16> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [2, 64], vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%m, %n) in [8, 64] step [2, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c10 = arith.constant 10 : index
    %zero = pto.tile.expands 0.0 : bf16 : tile<2x64xbf16>
    %f = pto.tile.expands 0 : i1 : tile<2x64xi1>
    %0, %1 = scf.for %r = %c2 to %c10 step %c4 iter_args(%s = %zero, %any = %f) -> (!pto.tile<2x64xbf16>, !pto.tile<2x64xi1>) {
      %2 = scf.for %q = %c0 to %c2 step %c1 iter_args(%t = %s) -> (!pto.tile<2x64xbf16>) {
        %3 = pto.tile.load.map %x[%m, %n, %r, %q] by <"{ [i0, i1, i2, i3] -> [(i0), (i1), (i2 + i3)] }"> in [8, 64, 9, 2] dims [0, 1] : memref<8x64x10xbf16> -> tile<2x64xbf16>
        %4 = pto.tile.add %t, %3 : tile<2x64xbf16>
        scf.yield %4 : !pto.tile<2x64xbf16>
      }
      %5 = pto.tile.mask [%m, %n, %r] in [8, 64, 10] dims [0, 1] where <"{ [i0, i1, i2] : i1 = i2 }"> : tile<2x64xi1>
      %6 = pto.tile.or %any, %5 : tile<2x64xi1>
      scf.yield %2, %6 : !pto.tile<2x64xbf16>, !pto.tile<2x64xi1>
    }
    %7 = scf.for %r = %c2 to %c2 step %c1 iter_args(%s = %zero) -> (!pto.tile<2x64xbf16>) {
      %8 = pto.tile.add %s, %0 : tile<2x64xbf16>
      scf.yield %8 : !pto.tile<2x64xbf16>
    }
    %9 = pto.tile.sel %1, %0, %7 : tile<2x64xi1>, tile<2x64xbf16>
    pto.tile.store.map %9, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<2x64xbf16>, memref<8x64xbf16>
  }
}
