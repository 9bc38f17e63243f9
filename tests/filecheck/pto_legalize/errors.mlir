// RUN: ptir-opt %s --split-input-file --verify-diagnostics -p 'pto-legalize{target=a3}'
// RUN: not ptir-opt %s --split-input-file -p 'pto-legalize{target=sm80}' 2>&1 | filecheck %s

// CHECK: error[PTIR0604]: option 'target' of 'pto-legalize' is 'sm80', a GPU

pto.kernel @rounded(%x: memref<8x32xf32> align 16) -> (%y: memref<8x32xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [8, 32] step [8, 32] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 32] dims [0, 1] : memref<8x32xf32> -> tile<8x32xf32>
    // expected-error@+1 {{'pto.tile.tf32' on a3 is not supported yet}}
    %1 = pto.tile.tf32 %0 : tile<8x32xf32>
    pto.tile.store.map %1, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 32] dims [0, 1] : tile<8x32xf32>, memref<8x32xf32>
  }
}

// -----

pto.kernel @padded(%x: memref<8x31xf32> align 16) -> (%y: memref<8x32xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [8, 32] step [8, 32] {
    // expected-error@+1 {{padding at the quotient of an index that may be negative is not supported yet}}
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1 - 1)] }"> in [8, 32] dims [0, 1] where <"{ [i0, i1] : i1 > 0 and floor((i0 - i1)/2) mod 2 = 0 }"> : memref<8x31xf32> -> tile<8x32xf32>
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 32] dims [0, 1] : tile<8x32xf32>, memref<8x32xf32>
  }
}

// -----

pto.kernel @products(%x: memref<8x32xsi64> align 16) -> (%y: memref<8xsi64> align 16 gmem) {
  pto.tiles (%m, %n) in [8, 1] step [8, 1] {
    %c0 = arith.constant 0 : index
    %0 = pto.tile.load.map %x[%m, %n, %c0] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [8, 1, 32] dims [0, 2] : memref<8x32xsi64> -> tile<8x32xsi64>
    // expected-error@+1 {{'pto.tile.rowprod' of integers of 64 bits on PTO is not supported yet}}
    %1 = pto.tile.rowprod %0 : tile<8x32xsi64> -> tile<8x1xsi64>
    pto.tile.store.map %1, %y[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [8, 1] dims [0, 1] : tile<8x1xsi64>, memref<8xsi64>
  }
}

// -----

pto.kernel @doubles(%x: memref<8x32xsi64> align 16) -> (%y: memref<8x32xf64> align 16 gmem) {
  pto.tiles (%m, %n) in [8, 32] step [8, 32] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 32] dims [0, 1] : memref<8x32xsi64> -> tile<8x32xsi64>
    // expected-error@+1 {{'pto.tile.cvt' of integers of 64 bits on PTO is not supported yet}}
    %1 = pto.tile.cvt %0 : tile<8x32xsi64> -> tile<8x32xf64>
    pto.tile.store.map %1, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 32] dims [0, 1] : tile<8x32xf64>, memref<8x32xf64>
  }
}

// -----

pto.kernel @both(%x: memref<32x32xf32> align 16) -> (%y: memref<32x32xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [32, 32] step [8, 32] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : memref<32x32xf32> -> tile<8x32xf32>
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<8x32xf32>, memref<32x32xf32>
    // expected-error@+1 {{an array that is written and is accessed as !pto.memref<32x32xf32> and as !pto.memref<1024x1xf32> is not supported yet}}
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [0, (i0)] }"> in [32, 32] dims [0, 1] : tile<8x32xf32>, memref<32x32xf32>
  }
}

// -----

pto.kernel @remainder(%x: memref<8x32xf32> align 16) -> (%y: memref<8x32xsi32> align 16 gmem) {
  pto.tiles (%m, %n) in [8, 32] step [8, 32] {
    // expected-error@+1 {{a quotient of positions that f32 does not have on PTO is not supported yet}}
    %0 = pto.tile.iota[%m, %n] by <"{ [i0, i1] -> [((524287 i0 + i1) mod 1048576)] }"> in [8, 32] dims [0, 1] : tile<8x32xsi32>
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 32] dims [0, 1] : tile<8x32xsi32>, memref<8x32xsi32>
  }
}

// -----

pto.kernel @far(%x: memref<32x32xf32> align 16) -> (%y: memref<32x32xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [32, 32] step [8, 32] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : memref<32x32xf32> -> tile<8x32xf32>
    // expected-error@+1 {{a mask of positions that f32 does not have on PTO is not supported yet}}
    %mask = pto.tile.mask [%m, %n] in [32, 32] dims [0, 1] where <"{ [i0, i1] : i1 <= 1000000 i0 }"> : tile<8x32xi1>
    %zero = pto.tile.expands 0.0 : f32 : tile<8x32xf32>
    %1 = pto.tile.sel %mask, %0, %zero : tile<8x32xi1>, tile<8x32xf32>
    pto.tile.store.map %1, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<8x32xf32>, memref<32x32xf32>
  }
}

// -----

pto.kernel @repeated(%x: memref<1x32xf32> align 16) -> (%y: memref<32xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [1, 32] step [1, 32] {
    %zero = pto.tile.expands 0.0 : f32 : tile<32x32xf32>
    %c0 = arith.constant 0 : index
    %c70 = arith.constant 70 : index
    %c32 = arith.constant 32 : index
    %sums = scf.for %r = %c0 to %c70 step %c32 iter_args(%t = %zero) -> (!pto.tile<32x32xf32>) {
      %0 = pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [0, (i1)] }"> in [1, 32, 70] dims [2, 1] : memref<1x32xf32> -> tile<32x32xf32>
      // expected-error@+1 {{'pto.tile.colsum' of a row or a number that is repeated is not supported yet}}
      %2 = pto.tile.add %t, %0 : tile<32x32xf32>
      scf.yield %2 : !pto.tile<32x32xf32>
    }
    %sum = pto.tile.colsum %sums : tile<32x32xf32> -> tile<1x32xf32>
    pto.tile.store.map %sum, %y[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [1, 32] dims [0, 1] : tile<1x32xf32>, memref<32xf32>
  }
}

// -----

pto.kernel @parts(%x: memref<16x40xf16> align 16, %w: memref<40x16xf16> align 16) -> (%y: memref<16x16xf32> align 16 gmem, %workspace: memref<65x16x16xf32> align 16 workspace, %counters: memref<1xi32> align 16 counters) {
  // expected-error@+1 {{a split into 65 parts on PTO is not supported yet}}
  pto.tiles (%m, %n) in [16, 16] step [16, 16] split %s of 65 {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %first = arith.muli %s, %c32 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %acc = scf.for %k = %c0 to %c32 step %c16 iter_args(%t = %zero) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %at = arith.addi %first, %k : index
      %0 = pto.tile.load.map %x[%m, %n, %at] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 40] dims [0, 2] : memref<16x40xf16> -> tile<16x16xf16, #pto.tile_info<loc=Mat>>
      %1 = pto.tile.load.map %w[%m, %n, %at] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 40] dims [2, 1] : memref<40x16xf16> -> tile<16x16xf16, #pto.tile_info<loc=Mat>>
      %2 = pto.tile.mov.m2l %0 : tile<16x16xf16, #pto.tile_info<loc=Mat>> -> tile<16x16xf16, #pto.tile_info<loc=Left>>
      %3 = pto.tile.mov.m2r %1 : tile<16x16xf16, #pto.tile_info<loc=Mat>> -> tile<16x16xf16, #pto.tile_info<loc=Right>>
      %4 = pto.tile.matmul.acc %t, %2, %3 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xf16, #pto.tile_info<loc=Left>>, tile<16x16xf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      scf.yield %4 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    pto.combine serial %acc across %s in %workspace counters %counters : tile<16x16xf32, #pto.tile_info<loc=Acc>>, memref<65x16x16xf32>, memref<1xi32> {
    ^bb0(%sum: !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>):
      %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
      pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
    }
  }
}

// -----

pto.kernel @some_points(%x: memref<8x32xf32> align 16) -> (%y: memref<8x32xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [8, 32] step [8, 32] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 32] dims [0, 1] : memref<8x32xf32> -> tile<8x32xf32>
    // expected-error@+1 {{a store of some elements of rows on PTO is not supported yet}}
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 32] dims [0, 1] where <"{ [i0, i1] : (i1) mod 2 = 0 }"> : tile<8x32xf32>, memref<8x32xf32>
  }
}

// -----

pto.kernel @vector(%x: memref<32xf32> align 16) -> (%y: memref<32xf32> align 16 gmem) {
  pto.tiles (%m) in [32] step [8] {
    // expected-error@+1 {{a tile of rank 1 on PTO is not supported yet}}
    %0 = pto.tile.load.map %x[%m] by <"{ [i0] -> [(i0)] }"> in [32] dims [0] : memref<32xf32> -> tile<8xf32>
    pto.tile.store.map %0, %y[%m] by <"{ [i0] -> [(i0)] }"> in [32] dims [0] : tile<8xf32>, memref<32xf32>
  }
}

// -----

pto.kernel @shorter_map(%x: memref<8x32xf32> align 16) -> (%y: memref<8x32xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [8, 32] step [8, 32] {
    // expected-error@+1 {{the map { [i0, i1] -> [(i0)] } is not supported yet}}
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [8, 32] dims [0, 1] : memref<8x32xf32> -> tile<8x32xf32>
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 32] dims [0, 1] : tile<8x32xf32>, memref<8x32xf32>
  }
}

// -----

pto.kernel @no_map(%x: memref<8x32xf32> align 16) -> (%y: memref<8x32xi32> align 16 gmem) {
  pto.tiles (%m, %n) in [8, 32] step [8, 32] {
    // expected-error@+1 {{the map { [i0, i1]% -> [(i0)] } is not supported yet}}
    %0 = pto.tile.iota [%m, %n] by <"{ [i0, i1]% -> [(i0)] }"> in [8, 32] dims [0, 1] : tile<8x32xi32>
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 32] dims [0, 1] : tile<8x32xi32>, memref<8x32xi32>
  }
}

// -----

pto.kernel @outside(%x: memref<8x32xf32> align 16) -> (%y: memref<8x32xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [8, 32] step [8, 32] {
    %c8 = arith.constant 8 : index
    // expected-error@+1 {{a tile at 8 of an axis of 8 elements on PTO is not supported yet}}
    %0 = pto.tile.load.map %x[%c8, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 32] dims [0, 1] : memref<8x32xf32> -> tile<8x32xf32>
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 32] dims [0, 1] : tile<8x32xf32>, memref<8x32xf32>
  }
}

// -----

pto.kernel @unsigned(%x: memref<8x32xui32> align 16) -> (%y: memref<8x32xui32> align 16 gmem) {
  pto.tiles (%m, %n) in [8, 32] step [8, 32] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 32] dims [0, 1] : memref<8x32xui32> -> tile<8x32xui32>
    // expected-error@+1 {{'pto.tile.sign' of an unsigned integer on a3 is not supported yet}}
    %1 = pto.tile.sign %0 : tile<8x32xui32>
    pto.tile.store.map %1, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 32] dims [0, 1] : tile<8x32xui32>, memref<8x32xui32>
  }
}

// -----

pto.kernel @positions(%x: memref<8xi32> align 16, %status: memref<1xi32> align 16) -> (%y: memref<8x32xi32> align 16 gmem) {
  pto.tiles (%m, %n) in [8, 32] step [8, 32] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [8, 32] dims [0, 1] : memref<8xi32> -> tile<8x32xi32>
    %1 = pto.tile.expands 7 : i32 : tile<8x32xi32>
    %2 = pto.tile.cmp %0, %1 {cmpMode = #pto.cmp<GT>} : tile<8x32xi32> -> tile<8x32xi1>
    // expected-error@+1 {{a report at some points with positions is not supported yet}}
    %3 = pto.tile.report index %0 if %2 number 1 to %status[%m, %n] at(%0 : tile<8x32xi32>) in [8, 32, 8] dims [0, 1] where <"{ [i0, i1, i2] : i2 > i0 }">
      : tile<8x32xi32>, tile<8x32xi1>, memref<1xi32>
    pto.tile.store.map %3, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 32] dims [0, 1] : tile<8x32xi32>, memref<8x32xi32>
  }
}

// -----

// expected-error@+1 {{a module with strict floats on a3 is not supported yet}}
builtin.module attributes {ptir.strict_floats} {
  pto.kernel @doubled(%x: memref<8x32xf32> align 16) -> (%y: memref<8x32xf32> align 16 gmem) {
    pto.tiles (%m, %n) in [8, 32] step [8, 32] {
      %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 32] dims [0, 1] : memref<8x32xf32> -> tile<8x32xf32>
      %1 = pto.tile.add %0, %0 : tile<8x32xf32>
      pto.tile.store.map %1, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 32] dims [0, 1] : tile<8x32xf32>, memref<8x32xf32>
    }
  }
}

// -----

pto.kernel @without_axes() -> (%y: memref<4xf32> align 16 gmem) {
  // expected-error@+1 {{'pto.tiles' without an axis is not supported}}
  pto.tiles () in [] step [] {
  }
}
