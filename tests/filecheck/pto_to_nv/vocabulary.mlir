// RUN: ptir-opt %s -p pto-to-nv | filecheck %s

// Ops with constants, and with rows and columns that are broadcast, are lowered to the scalar ops of an epilogue.

// CHECK: nv.epilogue
// CHECK-NEXT: ^bb0(%x_1: f32):
// CHECK-NEXT: %0 = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: %1 = arith.addf %x_1, %0 : f32
// CHECK-NEXT: %2 = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: %3 = arith.subf %2, %1 : f32
// CHECK-NEXT: %4 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %5 = arith.maximumf %3, %4 : f32
// CHECK-NEXT: %6 = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: %7 = arith.cmpf ogt, %5, %6 : f32
// CHECK-NEXT: %8 = arith.constant true
// CHECK-NEXT: %9 = arith.xori %7, %8 : i1
// CHECK-NEXT: %10 = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: %11 = arith.select %9, %5, %10 : f32
// CHECK-NEXT: %12 = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: %13 = arith.mulf %11, %12 : f32
// CHECK-NEXT: nv.yield %13 : f32
pto.kernel @k(%x: memref<8x8xf32> align 16) -> (%y: memref<8x8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [8, 8], vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%m, %n) in [8, 8] step [8, 8] {
    %two = pto.constant 2.0 : f32
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : memref<8x8xf32> -> tile<8x8xf32>
    %a = pto.tile.adds %0, %two : tile<8x8xf32>, f32
    %b = pto.tile.subs %two, %a : f32, tile<8x8xf32>
    %c = pto.tile.mov.v2v %b : tile<8x8xf32> -> tile<8x8xf32>
    %r = pto.tile.relu %c : tile<8x8xf32>
    %g = pto.tile.cmps %r, %two {cmpMode = #pto.cmp<GT>} : tile<8x8xf32>, f32 -> tile<8x8xi1>
    %not = pto.tile.not %g : tile<8x8xi1>
    %s = pto.tile.sels %not, %r, %two : tile<8x8xi1>, tile<8x8xf32>, f32
    %row = pto.tile.expands %two : f32 : tile<1x8xf32>
    %z = pto.tile.colexpandmul %s, %row : tile<8x8xf32>, tile<1x8xf32>
    pto.tile.store.map %z, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : tile<8x8xf32>, memref<8x8xf32>
  }
}
