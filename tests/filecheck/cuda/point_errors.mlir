// RUN: ptir-opt %s -t cuda --split-input-file --verify-diagnostics

// Sets and maps that isl cannot read, or of other axes.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<64x70xf32>) -> (), kernel}> ({
  ^bb0(%y: memref<64x70xf32>):
    %c0 = arith.constant 0 : index
    nv.epilogue[%c0, %c0] in [64, 70] dims [0, 1] guard [] tile [1, 64] outs(%y : memref<64x70xf32>) addresses [#poly.map<"{ [i0, i1] -> [(70i0 + i1)] }">] widths [1] {
      %row, %column = nv.point
      %e = arith.constant 0.0 : f32
      // expected-error@+1 {{the set { [i0] : i0 > 2 } is not supported yet}}
      %0 = nv.inside [%row, %column] in [64, 70] where <"{ [i0] : i0 > 2 }">
      nv.yield %e : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<64x70xf32>) -> (), kernel}> ({
  ^bb0(%y: memref<64x70xf32>):
    %c0 = arith.constant 0 : index
    nv.epilogue[%c0, %c0] in [64, 70] dims [0, 1] guard [] tile [1, 64] outs(%y : memref<64x70xf32>) addresses [#poly.map<"{ [i0, i1] -> [(70i0 + i1)] }">] widths [1] {
      %row, %column = nv.point
      %e = arith.constant 0.0 : f32
      // expected-error@+1 {{the set { [i0, i1] : i0 > i1 * i1 } is not supported yet}}
      %0 = nv.inside [%row, %column] in [64, 70] where <"{ [i0, i1] : i0 > i1 * i1 }">
      nv.yield %e : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<64x70xf32>) -> (), kernel}> ({
  ^bb0(%y: memref<64x70xf32>):
    %c0 = arith.constant 0 : index
    nv.epilogue[%c0, %c0] in [64, 70] dims [0, 1] guard [] tile [1, 64] outs(%y : memref<64x70xf32>) addresses [#poly.map<"{ [i0, i1] -> [(70i0 + i1)] }">] widths [1] {
      %row, %column = nv.point
      %e = arith.constant 0.0 : f32
      // expected-error@+1 {{the address { [i0, i1] -> [(i0), (i1)] } is not supported yet}}
      %0 = nv.affine [%row, %column] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [64, 70] : i32
      nv.yield %e : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<64x70xf32>) -> (), kernel}> ({
  ^bb0(%y: memref<64x70xf32>):
    %c0 = arith.constant 0 : index
    nv.epilogue[%c0, %c0] in [64, 70] dims [0, 1] guard [] tile [1, 64] outs(%y : memref<64x70xf32>) addresses [#poly.map<"{ [i0, i1] -> [(70i0 + i1)] }">] widths [1] {
      %row, %column = nv.point
      %e = arith.constant 0.0 : f32
      // expected-error@+1 {{the address { [i0] -> [(i0)] } is not supported yet}}
      %0 = nv.ld_global %y[%row, %column] at <"{ [i0] -> [(i0)] }"> in [64, 70] : memref<64x70xf32> -> f32
      nv.yield %e : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Vectors are realigned along contiguous elements, of which all are read.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<32x70xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<32x70xf32>):
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{realigning vectors at { [i0, i1] -> [(70i0 + 2i1)] } is not supported yet}}
    %e = nv.map [%c0, %c0] in [32, 35] dims [0, 1] guard [1] tile [32, 36] ins(%x : memref<32x70xf32>) addresses [#poly.map<"{ [i0, i1] -> [(70i0 + 2i1)] }">] widths [4] realigned [0] -> !nv.frag<32x36xf32, lane(32: i) reg(4: j, 9: 4j)> {
    ^bb0(%a: f32):
      nv.yield %a : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<32x35xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<32x35xf32>):
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{realigning vectors at { [i0, i1] -> [(35i0 + i1)] } is not supported yet}}
    %e = nv.map [%c0, %c0] in [32, 35] dims [0, 1] guard [1] tile [32, 36] ins(%x : memref<32x35xf32>) addresses [#poly.map<"{ [i0, i1] -> [(35i0 + i1)] }">] widths [4] realigned [0] where [#poly.set<"{ [i0, i1] : i1 >= 2 }">] -> !nv.frag<32x36xf32, lane(32: i) reg(4: j, 9: 4j)> {
    ^bb0(%a: f32):
      nv.yield %a : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<32x32xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<32x32xf32>):
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{an index expression that reaches}}
    %e = nv.map [%c0, %c0] in [32, 32] dims [0, 1] guard [] tile [32, 32] ins(%x : memref<32x32xf32>) addresses [#poly.map<"{ [i0, i1] -> [(1000000000000000000000i0 + i1)] }">] widths [1] -> !nv.frag<32x32xf32, lane(32: i) reg(32: j)> {
    ^bb0(%a: f32):
      nv.yield %a : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()
