// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s | ptir-opt | filecheck %s
// RUN: ptir-opt --print-op-generic %s | ptir-opt | filecheck %s

// A split, its scratch memory and its combine print as they are read, and their generic form reads as the same.

// CHECK: pto.kernel @serial(%x: memref<8x8xf32> align 16) -> (%y: memref<8x8xf32> align 16 gmem, %ws: memref<4x4x4xf32> align 16 workspace, %count: memref<4xi32> align 4 counters) {
pto.kernel @serial(%x: memref<8x8xf32> align 16) -> (%y: memref<8x8xf32> align 16 gmem, %ws: memref<4x4x4xf32> align 16 workspace, %count: memref<4xi32> align 4 counters) {
  // CHECK-NEXT: pto.tiles (%m, %n) in [8, 8] step [4, 4] split %s of 3 {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] split %s of 3 {
    // CHECK-NEXT: %acc = pto.tile.expands 1.000000e+00 : f32 : tile<4x4xf32, #pto.tile_info<loc=Acc>>
    %acc = pto.tile.expands 1.0 : f32 : tile<4x4xf32, #pto.tile_info<loc=Acc>>
    // CHECK-NEXT: pto.combine serial %acc across %s in %ws counters %count : tile<4x4xf32, #pto.tile_info<loc=Acc>>, memref<4x4x4xf32>, memref<4xi32> {
    pto.combine serial %acc across %s in %ws counters %count : tile<4x4xf32, #pto.tile_info<loc=Acc>>, memref<4x4x4xf32>, memref<4xi32> {
    // CHECK-NEXT: ^bb0(%sum: !pto.tile<4x4xf32, #pto.tile_info<loc=Acc>>):
    ^bb0(%sum: !pto.tile<4x4xf32, #pto.tile_info<loc=Acc>>):
      // CHECK-NEXT: %v = pto.tile.mov.a2v %sum : tile<4x4xf32, #pto.tile_info<loc=Acc>> -> tile<4x4xf32>
      %v = pto.tile.mov.a2v %sum : tile<4x4xf32, #pto.tile_info<loc=Acc>> -> tile<4x4xf32>
      // CHECK-NEXT: pto.tile.store.map %v, %y[%m, %n]
      pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : tile<4x4xf32>, memref<8x8xf32>
    // CHECK-NEXT: }
    }
  // CHECK-NEXT: }
  }
// CHECK-NEXT: }
}

// The other types that add up, attributes, and room to spare.

// CHECK: pto.kernel @parallel
pto.kernel @parallel(%x: memref<8xi32> align 16) -> (%ws: memref<100x4xi32> align 16 workspace, %count: memref<9xi32> align 4 counters) {
  // CHECK-NEXT: pto.tiles (%m) in [8] step [4] split %s of 2 attributes {kept} {
  pto.tiles (%m) in [8] step [4] split %s of 2 attributes {kept} {
    %acc = pto.tile.expands 1 : i32 : tile<4xi32, #pto.tile_info<loc=Acc>>
    // CHECK: pto.combine parallel %acc across %s in %ws counters %count attributes {kept} : tile<4xi32, #pto.tile_info<loc=Acc>>, memref<100x4xi32>, memref<9xi32> {
    pto.combine parallel %acc across %s in %ws counters %count attributes {kept} : tile<4xi32, #pto.tile_info<loc=Acc>>, memref<100x4xi32>, memref<9xi32> {
    ^bb0(%sum: !pto.tile<4xi32, #pto.tile_info<loc=Acc>>):
    }
  }
}

// CHECK: pto.kernel @double
pto.kernel @double(%x: memref<8xf64> align 16) -> (%ws: memref<2x4xf64> align 16 workspace, %count: memref<2xi32> align 4 counters) {
  pto.tiles (%m) in [8] step [4] split %s of 2 {
    %acc = pto.tile.expands 1.0 : f64 : tile<4xf64, #pto.tile_info<loc=Acc>>
    // CHECK: pto.combine serial %acc across %s in %ws counters %count : tile<4xf64, #pto.tile_info<loc=Acc>>, memref<2x4xf64>, memref<2xi32> {
    pto.combine serial %acc across %s in %ws counters %count : tile<4xf64, #pto.tile_info<loc=Acc>>, memref<2x4xf64>, memref<2xi32> {
    ^bb0(%sum: !pto.tile<4xf64, #pto.tile_info<loc=Acc>>):
    }
  }
}
