// RUN: ptir-opt %s --split-input-file --verify-roundtrip | filecheck %s
// RUN: ptir-opt %s --split-input-file --print-op-generic | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: func.func @f
// GENERIC: "nv.point"() : () -> (index, index)
// GENERIC: "nv.inside"(%row, %column, %r) <{bounds = array<i64: 64, 70, 9>, where = #poly.set<"{ [i0, i1, i2] : i0 >= i2 }">}> : (index, index, index) -> i1
// GENERIC: "nv.ld_global"(%x, %inside, %row, %column, %r) <{at = #poly.map<"{ [i0, i1, i2] -> [(70i0 + i1 - 70i2)] }">, bounds = array<i64: 64, 70, 9>, operandSegmentSizes = array<i32: 1, 1, 3>}> : (memref<64x70xf32>, i1, index, index, index) -> f32
func.func @f(%x: memref<64x70xf32>, %y: memref<64x70xf32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  nv.epilogue[%m, %n] in [64, 70] dims [0, 1] guard [1] tile [1, 64] outs(%y : memref<64x70xf32>) addresses [#poly.map<"{ [i0, i1] -> [(70i0 + i1)] }">] widths [1] {
    // CHECK: %row, %column = nv.point
    %row, %column = nv.point
    %zero = arith.constant 0.0 : f32
    // CHECK: %sum = scf.for %r = %c0 to %c9 step %c1 iter_args(%s = %zero) -> (f32) {
    %sum = scf.for %r = %c0 to %c9 step %c1 iter_args(%s = %zero) -> (f32) {
      // CHECK-NEXT: %inside = nv.inside[%row, %column, %r] in [64, 70, 9] where <"{ [i0, i1, i2] : i0 >= i2 }">
      %inside = nv.inside [%row, %column, %r] in [64, 70, 9] where <"{ [i0, i1, i2] : i0 >= i2 }">
      // CHECK-NEXT: %e = nv.ld_global %x[%row, %column, %r] at <"{ [i0, i1, i2] -> [(70i0 + i1 - 70i2)] }"> in [64, 70, 9] if %inside : memref<64x70xf32> -> f32
      %e = nv.ld_global %x[%row, %column, %r] at <"{ [i0, i1, i2] -> [(70i0 + i1 - 70i2)] }"> in [64, 70, 9] if %inside : memref<64x70xf32> -> f32
      // CHECK-NEXT: %g = nv.ld_global %x[%row, %column] at <"{ [i0, i1] -> [(70i0 + i1)] }"> in [64, 70] : memref<64x70xf32> -> f32
      %g = nv.ld_global %x[%row, %column] at <"{ [i0, i1] -> [(70i0 + i1)] }"> in [64, 70] : memref<64x70xf32> -> f32
      // CHECK-NEXT: %i = nv.affine[%row, %r] by <"{ [i0, i1] -> [(i0 - i1)] }"> in [64, 9] : i64
      %i = nv.affine [%row, %r] by <"{ [i0, i1] -> [(i0 - i1)] }"> in [64, 9] : i64
      %t = arith.addf %s, %e : f32
      scf.yield %t : f32
    }
    nv.yield %sum : f32
  }
  func.return
}

// CHECK-LABEL: func.func @sets
// CHECK: widths [4, 4] where [#poly.set<"{ [i0, i1] : i1 > 3 }">] {
func.func @sets(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %m: index) {
  nv.epilogue[%m, %m] in [64, 64] dims [0, 1] guard [] tile [1, 64] ins(%x : memref<64x64xf32>) outs(%y : memref<64x64xf32>) addresses [#poly.map<"{ [i0, i1] -> [(64i0 + i1)] }">, #poly.map<"{ [i0, i1] -> [(64i0 + i1)] }">] widths [4, 4] where [#poly.set<"{ [i0, i1] : i1 > 3 }">] {
  ^bb0(%a: f32):
    nv.yield %a : f32
  }
  func.return
}

// CHECK-LABEL: func.func @reports
// GENERIC: "nv.report"(%zero, %p, %status) <{failure = "division", number = 2 : i64}> : (i32, i1, memref<1xi32>) -> i32
func.func @reports(%y: memref<8x8xi32>, %status: memref<1xi32>, %m: index, %p: i1) {
  nv.epilogue[%m, %m] in [8, 8] dims [0, 1] guard [] tile [8, 8] outs(%y : memref<8x8xi32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
    %zero = arith.constant 0 : i32
    // CHECK: %0 = nv.report division %zero if %p number 2 to %status : i32, memref<1xi32>
    %0 = nv.report division %zero if %p number 2 to %status : i32, memref<1xi32>
    nv.yield %0 : i32
  }
  func.return
}

// A vector is loaded, and an index out of range reported, once for all its columns.

// CHECK-LABEL: func.func @vectors
func.func @vectors(%x: memref<9x8xf32>, %y: memref<8x8xf32>, %status: memref<1xi32>, %m: index, %p: i1, %index: i32) {
  nv.epilogue[%m, %m] in [8, 8] dims [0, 1] guard [] tile [8, 8] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [4] {
    %row, %column = nv.point
    // CHECK: %i = nv.report index %index if %p number 2 to %status width 4 : i32, memref<1xi32>
    %i = nv.report index %index if %p number 2 to %status width 4 : i32, memref<1xi32>
    %at = arith.index_cast %i : i32 to index
    // CHECK: %a = nv.ld_global %x[%row, %column, %at] at <"{ [i0, i1, i2] -> [(i1 + 8i2)] }"> in [8, 8, 9] width 4 if %p : memref<9x8xf32> -> f32
    %a = nv.ld_global %x[%row, %column, %at] at <"{ [i0, i1, i2] -> [(i1 + 8i2)] }"> in [8, 8, 9] width 4 if %p : memref<9x8xf32> -> f32
    nv.yield %a : f32
  }
  func.return
}

// Lanes exchange the rows of an accumulator, and only one row of each group is stored.

// CHECK-LABEL: func.func @exchanged
// GENERIC: "nv.exchange_rows"(%a) <{by = 2 : i64}> : (f32) -> f32
// CHECK: where [#poly.set<"{ [i0, i1] : (i0) mod 4 = 0 }">] {
func.func @exchanged(%acc: !nv.frag<16x8xf32, C of m16n8k16>, %y: memref<8x8xf32>, %m: index) {
  nv.epilogue %acc : !nv.frag<16x8xf32, C of m16n8k16> [%m, %m] in [32, 8] dims [0, 1] guard [] tile [16, 8] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8*floor((i0)/4) + i1)] }">] widths [2] where [#poly.set<"{ [i0, i1] : (i0) mod 4 = 0 }">] {
  ^bb0(%a: f32):
    // CHECK: %0 = nv.exchange_rows %a by 2 : f32
    %0 = nv.exchange_rows %a by 2 : f32
    nv.yield %0 : f32
  }
  func.return
}
