// RUN: ptir-opt %s -p pto-to-nv --split-input-file --verify-diagnostics

// Instructions of PTO's own targets are refused, not ignored.

pto.kernel @k(%x: memref<8x8xf32> align 16) -> (%y: memref<8x8xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [8, 8] step [8, 8] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : memref<8x8xf32> -> tile<8x8xf32>
    %1, %e1 = pto.tile.exp %0 : tile<8x8xf32>, !pto.event<producer = #pto.op<TEXP>>
    // expected-error@-1 {{an event in a kernel for a GPU is not supported yet}}
    pto.tile.store.map %1, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : tile<8x8xf32>, memref<8x8xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf32> align 16) -> (%y: memref<8x8xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [8, 8] step [8, 8] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : memref<8x8xf32> -> tile<8x8xf32>
    // expected-error@+1 {{a valid region in a kernel for a GPU is not supported yet}}
    %1 = pto.tile.exp %0 {valid = [4, 8]} : tile<8x8xf32>
    pto.tile.store.map %1, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : tile<8x8xf32>, memref<8x8xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf32> align 16) -> (%y: memref<8x8xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [8, 8] step [8, 8] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : memref<8x8xf32> -> tile<8x8xf32>
    // expected-error@+1 {{'pto.tile.reshape' in a kernel for a GPU is not supported yet}}
    %1 = pto.tile.reshape %0 : tile<8x8xf32> -> tile<8x8xf32>
    pto.tile.store.map %1, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : tile<8x8xf32>, memref<8x8xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf32> align 16) -> (%y: memref<8x8xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [8, 8] step [8, 8] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : memref<8x8xf32> -> tile<8x8xf32>
    %c = arith.constant 1 : i32
    %s = arith.sitofp %c : i32 to f32
    // expected-error@+1 {{the scalar of 'pto.tile.muls' is not supported yet}}
    %1 = pto.tile.muls %0, %s : tile<8x8xf32>, f32
    pto.tile.store.map %1, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : tile<8x8xf32>, memref<8x8xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf32> align 16) -> (%y: memref<8x8xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [8, 8] step [8, 8] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : memref<8x8xf32> -> tile<8x8xf32>
    // expected-error@+1 {{'rmode' CAST_FLOOR in a kernel for a GPU is not supported yet}}
    %i = pto.tile.cvt %0 {rmode = #pto.round_mode<CAST_FLOOR>} : tile<8x8xf32> -> tile<8x8xi32>
    %1 = pto.tile.cvt %i : tile<8x8xi32> -> tile<8x8xf32>
    pto.tile.store.map %1, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : tile<8x8xf32>, memref<8x8xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf32> align 16) -> (%y: memref<8x8xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [8, 8] step [8, 8] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : memref<8x8xf32> -> tile<8x8xf32>
    // expected-error@+1 {{'pto.sync' in a kernel for a GPU is not supported yet}}
    pto.sync
    %1 = pto.tile.exp %0 : tile<8x8xf32>
    pto.tile.store.map %1, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : tile<8x8xf32>, memref<8x8xf32>
  }
}
