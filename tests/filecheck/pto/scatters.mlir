// RUN: ptir-opt %s --verify-roundtrip | filecheck %s
// RUN: ptir-opt --print-op-generic %s | ptir-opt | filecheck %s

// CHECK: pto.kernel @rows(%i: memref<4xsi32> align 16, %u: memref<4x8xsi32> align 16) -> (%y: memref<9x8xsi32> align 16 updated) {
pto.kernel @rows(%i: memref<4xsi32> align 16, %u: memref<4x8xsi32> align 16) -> (%y: memref<9x8xsi32> align 16 updated) {
  pto.tiles (%m, %n) in [4, 8] step [4, 8] {
    %p = pto.tile.load.map %i[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [4, 8] dims [0, 1] : memref<4xsi32> -> tile<4x1xsi32>
    %v = pto.tile.load.map %u[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 8] dims [0, 1] : memref<4x8xsi32> -> tile<4x8xsi32>
    // CHECK: pto.tile.scatter.map add %v, %y[%m, %n] at(%p : tile<4x1xsi32>) by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [4, 8, 9] dims [0, 1] : tile<4x8xsi32>, memref<9x8xsi32>
    pto.tile.scatter.map add %v, %y[%m, %n] at (%p : tile<4x1xsi32>) by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [4, 8, 9] dims [0, 1] : tile<4x8xsi32>, memref<9x8xsi32>
  }
}
