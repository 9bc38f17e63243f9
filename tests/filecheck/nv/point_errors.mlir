// RUN: ptir-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: memref<8x64xf32>, %m: index) {
  // expected-error@+1 {{belongs in the body of an nv.epilogue}}
  %r, %c = nv.point
  func.return
}

// -----

func.func @f(%x: memref<8x64xf32>, %m: index) {
  // expected-error@+1 {{belongs in the body of an nv.epilogue}}
  %0 = nv.inside [%m] in [8] where <"{ [i0] : i0 > 2 }">
  func.return
}

// -----

func.func @f(%x: memref<8x64xf32>, %m: index) {
  // expected-error@+1 {{belongs in the body of an nv.epilogue}}
  %0 = nv.affine [%m] by <"{ [i0] -> [(i0)] }"> in [8] : i32
  func.return
}

// -----

func.func @f(%x: memref<8x64xf32>, %m: index) {
  // expected-error@+1 {{belongs in the body of an nv.epilogue or nv.map, or in an nv.single}}
  %0 = nv.ld_global %x[%m] at <"{ [i0] -> [(i0)] }"> in [8] : memref<8x64xf32> -> f32
  func.return
}

// -----

func.func @f(%x: memref<8x64xf32>, %s: memref<8x64xf32, 3>, %y: memref<8x64xf32>, %m: index, %p: i1) {
  nv.epilogue[%m, %m] in [8, 64] dims [0, 1] guard [] tile [1, 64] outs(%y : memref<8x64xf32>) addresses [#poly.map<"{ [i0, i1] -> [(64i0 + i1)] }">] widths [1] {
    // expected-error@+1 {{'in' takes one size for each index (2), got 1}}
    %0 = nv.inside [%m, %m] in [8] where <"{ [i0] : i0 > 2 }">
    %e = arith.constant 0.0 : f32
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x64xf32>, %s: memref<8x64xf32, 3>, %y: memref<8x64xf32>, %m: index, %p: i1) {
  nv.epilogue[%m, %m] in [8, 64] dims [0, 1] guard [] tile [1, 64] outs(%y : memref<8x64xf32>) addresses [#poly.map<"{ [i0, i1] -> [(64i0 + i1)] }">] widths [1] {
    // expected-error@+1 {{'in' is [8, 0]}}
    %0 = nv.affine [%m, %m] by <"{ [i0, i1] -> [(i0)] }"> in [8, 0] : i32
    %e = arith.constant 0.0 : f32
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x64xf32>, %s: memref<8x64xf32, 3>, %y: memref<8x64xf32>, %m: index, %p: i1) {
  nv.epilogue[%m, %m] in [8, 64] dims [0, 1] guard [] tile [1, 64] outs(%y : memref<8x64xf32>) addresses [#poly.map<"{ [i0, i1] -> [(64i0 + i1)] }">] widths [1] {
    // expected-error@+1 {{'in' takes one size for each index (1), got 2}}
    %0 = nv.ld_global %x[%m] at <"{ [i0] -> [(i0)] }"> in [8, 64] : memref<8x64xf32> -> f32
    %e = arith.constant 0.0 : f32
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x64xf32>, %s: memref<8x64xf32, 3>, %y: memref<8x64xf32>, %m: index, %p: i1) {
  nv.epilogue[%m, %m] in [8, 64] dims [0, 1] guard [] tile [1, 64] outs(%y : memref<8x64xf32>) addresses [#poly.map<"{ [i0, i1] -> [(64i0 + i1)] }">] widths [1] {
    // expected-error@+1 {{i16}}
    %0 = nv.affine [%m] by <"{ [i0] -> [(i0)] }"> in [8] : i16
    %e = arith.constant 0.0 : f32
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x64xf32>, %s: memref<8x64xf32, 3>, %y: memref<8x64xf32>, %m: index, %p: i1) {
  nv.epilogue[%m, %m] in [8, 64] dims [0, 1] guard [] tile [1, 64] outs(%y : memref<8x64xf32>) addresses [#poly.map<"{ [i0, i1] -> [(64i0 + i1)] }">] widths [1] {
    // expected-error@+1 {{the element is i32; the memref's is f32}}
    %0 = nv.ld_global %x[%m] at <"{ [i0] -> [(i0)] }"> in [8] : memref<8x64xf32> -> i32
    %e = arith.constant 0.0 : f32
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x64xf32>, %s: memref<8x64xf32, 3>, %y: memref<8x64xf32>, %m: index, %p: i1) {
  nv.epilogue[%m, %m] in [8, 64] dims [0, 1] guard [] tile [1, 64] outs(%y : memref<8x64xf32>) addresses [#poly.map<"{ [i0, i1] -> [(64i0 + i1)] }">] widths [1] {
    // expected-error@+1 {{kernels take memrefs in global memory}}
    %0 = nv.ld_global %s[%m] at <"{ [i0] -> [(i0)] }"> in [8] : memref<8x64xf32, 3> -> f32
    %e = arith.constant 0.0 : f32
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @sets(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %m: index) {
  // expected-error@+1 {{'where' }}
  nv.epilogue[%m, %m] in [64, 64] dims [0, 1] guard [] tile [1, 64] ins(%x : memref<64x64xf32>) outs(%y : memref<64x64xf32>) addresses [#poly.map<"{ [i0, i1] -> [(64i0 + i1)] }">, #poly.map<"{ [i0, i1] -> [(64i0 + i1)] }">] widths [4, 4] where [#poly.set<"{ [i0, i1] : i1 > 3 }">, #poly.set<"{ [i0, i1] }">, #poly.set<"{ [i0, i1] }">] {
  ^bb0(%a: f32):
    nv.yield %a : f32
  }
  func.return
}

// -----

func.func @f(%status: memref<1xi32>, %x: i32, %p: i1) {
  // expected-error@+1 {{belongs in the body of an nv.epilogue}}
  %0 = nv.report division %x if %p number 1 to %status : i32, memref<1xi32>
  func.return
}

// -----

func.func @f(%y: memref<8x8xi32>, %status: memref<1xi32>, %m: index, %p: i1) {
  nv.epilogue[%m, %m] in [8, 8] dims [0, 1] guard [] tile [8, 8] outs(%y : memref<8x8xi32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
    %zero = arith.constant 0 : i32
    // expected-error@+1 {{'number' is -1}}
    %0 = nv.report division %zero if %p number -1 to %status : i32, memref<1xi32>
    nv.yield %0 : i32
  }
  func.return
}

// -----

func.func @f(%y: memref<8x8xi32>, %status: memref<i32>, %m: index, %p: i1) {
  nv.epilogue[%m, %m] in [8, 8] dims [0, 1] guard [] tile [8, 8] outs(%y : memref<8x8xi32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
    %zero = arith.constant 0 : i32
    // expected-error@+1 {{the status word is memref<i32>; it must be memref<1xi32>}}
    %0 = nv.report division %zero if %p number 1 to %status : i32, memref<i32>
    nv.yield %0 : i32
  }
  func.return
}

// -----

func.func @f(%y: memref<8x8xi32>, %status: memref<1xi32>, %m: index, %p: i1) {
  nv.epilogue[%m, %m] in [8, 8] dims [0, 1] guard [] tile [8, 8] outs(%y : memref<8x8xi32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
    %zero = arith.constant 0 : i32
    // expected-error@+1 {{'failure' is 'never'}}
    %0 = nv.report never %zero if %p number 1 to %status : i32, memref<1xi32>
    nv.yield %0 : i32
  }
  func.return
}

// -----

func.func @f(%x: memref<9x8xf32>, %y: memref<8x8xf32>, %m: index, %at: index) {
  nv.epilogue[%m, %m] in [8, 8] dims [0, 1] guard [] tile [8, 8] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [4] {
    %row, %column = nv.point
    // expected-error@+1 {{'width' is 3}}
    %a = nv.ld_global %x[%row, %column, %at] at <"{ [i0, i1, i2] -> [(i1 + 8i2)] }"> in [8, 8, 9] width 3 : memref<9x8xf32> -> f32
    nv.yield %a : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<9x8xf32>, %y: memref<8x8xf32>, %m: index, %at: index) {
  nv.epilogue[%m, %m] in [8, 8] dims [0, 1] guard [] tile [8, 8] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [2] {
    %row, %column = nv.point
    // expected-error@+1 {{'width' is 4}}
    %a = nv.ld_global %x[%row, %column, %at] at <"{ [i0, i1, i2] -> [(i1 + 8i2)] }"> in [8, 8, 9] width 4 : memref<9x8xf32> -> f32
    nv.yield %a : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<9x8xf32>, %y: memref<8x8xf32>, %m: index, %at: index) {
  nv.epilogue[%m, %m] in [8, 8] dims [0, 1] guard [] tile [8, 8] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [8] {
    %row, %column = nv.point
    // expected-error@+1 {{'width' is 32 bytes}}
    %a = nv.ld_global %x[%row, %column, %at] at <"{ [i0, i1, i2] -> [(i1 + 8i2)] }"> in [8, 8, 9] width 8 : memref<9x8xf32> -> f32
    nv.yield %a : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<9x8xf32>, %y: memref<8x8xf32>, %m: index, %at: index) {
  nv.epilogue[%m, %m] in [8, 8] dims [0, 1] guard [] tile [8, 8] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [4] {
    %row, %column = nv.point
    // expected-error@+1 {{with 'width' takes the column of nv.point as an index}}
    %a = nv.ld_global %x[%row, %m, %at] at <"{ [i0, i1, i2] -> [(i1 + 8i2)] }"> in [8, 8, 9] width 4 : memref<9x8xf32> -> f32
    nv.yield %a : f32
  }
  func.return
}

// -----

func.func @f(%y: memref<8x8xi32>, %status: memref<1xi32>, %m: index, %p: i1, %c: index) {
  nv.epilogue[%m, %m] in [8, 8] dims [0, 1] guard [] tile [8, 8] outs(%y : memref<8x8xi32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [4] {
    %zero = arith.constant 0 : i32
    %sum = scf.for %r = %c to %c step %c iter_args(%s = %zero) -> (i32) {
      // expected-error@+1 {{with 'width' belongs directly in the body of an nv.epilogue or nv.map}}
      %0 = nv.report index %s if %p number 1 to %status width 4 : i32, memref<1xi32>
      scf.yield %0 : i32
    }
    nv.yield %sum : i32
  }
  func.return
}

// -----

func.func @f(%acc: !nv.frag<16x8xf32, C of m16n8k16>, %y: memref<16x8xf32>, %m: index) {
  nv.epilogue %acc : !nv.frag<16x8xf32, C of m16n8k16> [%m, %m] in [16, 8] dims [0, 1] guard [] tile [16, 8] outs(%y : memref<16x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [2] {
  ^bb0(%a: f32):
    // expected-error@+1 {{'by' is 8}}
    %0 = nv.exchange_rows %a by 8 : f32
    nv.yield %0 : f32
  }
  func.return
}

// -----

func.func @f(%acc: !nv.frag<16x8xf32, C of m16n8k16>, %y: memref<16x8xbf16>, %m: index) {
  nv.epilogue %acc : !nv.frag<16x8xf32, C of m16n8k16> [%m, %m] in [16, 8] dims [0, 1] guard [] tile [16, 8] outs(%y : memref<16x8xbf16>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [2] {
  ^bb0(%a: f32):
    %h = arith.truncf %a : f32 to bf16
    // expected-error@+1 {{the value is bf16; lanes exchange 4 bytes}}
    %0 = nv.exchange_rows %h by 1 : bf16
    nv.yield %0 : bf16
  }
  func.return
}
