// RUN: ptir-opt %s --split-input-file --verify-diagnostics

pto.kernel @k(%u: memref<8x8xsi32> align 16) -> (%y: memref<8x8xsi32> align 16 updated) {
  pto.tiles (%m, %n) in [8, 8] step [8, 8] {
    %v = pto.tile.load.map %u[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : memref<8x8xsi32> -> tile<8x8xsi32>
    // expected-error@+1 {{'kind' is 'mul'}}
    pto.tile.scatter.map mul %v, %y[%m, %n] by <"{ [i0, i1] -> [(i1), (i0)] }"> in [8, 8] dims [0, 1] : tile<8x8xsi32>, memref<8x8xsi32>
  }
}

// -----

pto.kernel @k(%u: memref<8x8xf32> align 16) -> (%y: memref<8x8xf32> align 16 updated) {
  pto.tiles (%m, %n) in [8, 8] step [8, 8] {
    %v = pto.tile.load.map %u[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : memref<8x8xf32> -> tile<8x8xf32>
    // expected-error@+1 {{an element is f32; integers of 32 and 64 bits are updated atomically}}
    pto.tile.scatter.map add %v, %y[%m, %n] by <"{ [i0, i1] -> [(i1), (i0)] }"> in [8, 8] dims [0, 1] : tile<8x8xf32>, memref<8x8xf32>
  }
}

// -----

pto.kernel @k(%u: memref<8x8xsi8> align 16) -> (%y: memref<8x8xsi8> align 16 updated) {
  pto.tiles (%m, %n) in [8, 8] step [8, 8] {
    %v = pto.tile.load.map %u[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : memref<8x8xsi8> -> tile<8x8xsi8>
    // expected-error@+1 {{an element is si8; integers of 32 and 64 bits are updated atomically}}
    pto.tile.scatter.map add %v, %y[%m, %n] by <"{ [i0, i1] -> [(i1), (i0)] }"> in [8, 8] dims [0, 1] : tile<8x8xsi8>, memref<8x8xsi8>
  }
}

// -----

pto.kernel @k(%u: memref<8x8xsi32> align 16) -> (%y: memref<8x8xsi32> align 16 gmem) {
  pto.tiles (%m, %n) in [8, 8] step [8, 8] {
    %v = pto.tile.load.map %u[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : memref<8x8xsi32> -> tile<8x8xsi32>
    // expected-error@+1 {{uses a memref marked 'gmem', which pto.tile.scatter.map may not update}}
    pto.tile.scatter.map max %v, %y[%m, %n] by <"{ [i0, i1] -> [(i1), (i0)] }"> in [8, 8] dims [0, 1] : tile<8x8xsi32>, memref<8x8xsi32>
  }
}

// -----

pto.kernel @k(%u: memref<8x8xsi32> align 16) -> (%y: memref<8x8xsi32> align 16 updated) {
  pto.tiles (%m, %n) in [8, 8] step [8, 8] {
    %v = pto.tile.load.map %u[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : memref<8x8xsi32> -> tile<8x8xsi32>
    // expected-error@+1 {{uses a memref marked 'updated', which only pto.tile.scatter.map may use}}
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : tile<8x8xsi32>, memref<8x8xsi32>
  }
}

// -----

pto.kernel @k(%u: memref<8x8xsi32> align 16) -> (%y: memref<8x8xsi64> align 16 updated) {
  pto.tiles (%m, %n) in [8, 8] step [8, 8] {
    %v = pto.tile.load.map %u[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : memref<8x8xsi32> -> tile<8x8xsi32>
    // expected-error@+1 {{the tile has element type si32, expected si64}}
    pto.tile.scatter.map min %v, %y[%m, %n] by <"{ [i0, i1] -> [(i1), (i0)] }"> in [8, 8] dims [0, 1] : tile<8x8xsi32>, memref<8x8xsi64>
  }
}
