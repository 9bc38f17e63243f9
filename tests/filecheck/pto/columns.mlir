// RUN: ptir-opt %s --verify-roundtrip | filecheck %s
// RUN: ptir-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

// Reductions of the columns of a tile, one element each, and the broadcast along columns.

// CHECK: pto.tile.colsum %t : tile<4x8xf32> -> tile<1x8xf32>
// CHECK-NEXT: pto.tile.colprod %t : tile<4x8xf32> -> tile<1x8xf32>
// CHECK-NEXT: pto.tile.colmax %p : tile<4x8xi1> -> tile<1x8xi1>
// CHECK-NEXT: pto.tile.colmin %p : tile<4x8xi1> -> tile<1x8xi1>
// CHECK-NEXT: pto.tile.colexpand %{{.*}} : tile<1x8xf32> -> tile<4x8xf32>
// GENERIC: "pto.tile.colsum"(%t) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!pto.tile<4x8xf32>) -> !pto.tile<1x8xf32>
pto.kernel @k() -> () {
  pto.tiles (%m) in [8] step [4] {
    %t, %p = "test.op"() : () -> (!pto.tile<4x8xf32>, !pto.tile<4x8xi1>)
    %0 = pto.tile.colsum %t : tile<4x8xf32> -> tile<1x8xf32>
    %1 = pto.tile.colprod %t : tile<4x8xf32> -> tile<1x8xf32>
    %2 = pto.tile.colmax %p : tile<4x8xi1> -> tile<1x8xi1>
    %3 = pto.tile.colmin %p : tile<4x8xi1> -> tile<1x8xi1>
    %4 = pto.tile.colexpand %0 : tile<1x8xf32> -> tile<4x8xf32>
  }
}
