// RUN: ptir-opt %s -t cuda --split-input-file --verify-diagnostics

// No C type holds four bits.

// expected-error@+2 {{i4 in a kernel is not supported yet}}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<8x8xi4>) -> (), kernel}> ({
  ^bb0(%x: memref<8x8xi4>):
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()

// -----

// A number of a type without a C type.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<16xi8>) -> (), kernel}> ({
  ^bb0(%y: memref<16xi8>):
    %c0 = arith.constant 0 : index
    nv.epilogue[%c0, %c0] in [1, 16] dims [0, 1] guard [] tile [1, 16] outs(%y : memref<16xi8>) addresses [#poly.map<"{ [i0, i1] -> [(i1)] }">] widths [1] {
      // expected-error@+1 {{i24 in a kernel is not supported yet}}
      %0 = arith.constant 5 : i24
      %1 = arith.trunci %0 : i24 to i8
      nv.yield %1 : i8
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
}) : () -> ()

// -----

// A bool is no word: its sum would not wrap.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<16xi1>, memref<16xi1>) -> (), kernel}> ({
  ^bb0(%x: memref<16xi1>, %y: memref<16xi1>):
    %c0 = arith.constant 0 : index
    nv.epilogue[%c0, %c0] in [1, 16] dims [0, 1] guard [] tile [1, 16] ins(%x : memref<16xi1>) outs(%y : memref<16xi1>) addresses [#poly.map<"{ [i0, i1] -> [(i1)] }">, #poly.map<"{ [i0, i1] -> [(i1)] }">] widths [1, 1] {
    ^bb0(%a: i1):
      // expected-error@+1 {{printing 'arith.addi' as CUDA is not supported yet}}
      %0 = arith.addi %a, %a : i1
      nv.yield %0 : i1
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
}) : () -> ()

// -----

// A division by what may be zero.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<16xi8>, memref<16xi8>) -> (), kernel}> ({
  ^bb0(%x: memref<16xi8>, %y: memref<16xi8>):
    %c0 = arith.constant 0 : index
    nv.epilogue[%c0, %c0] in [1, 16] dims [0, 1] guard [] tile [1, 16] ins(%x : memref<16xi8>) outs(%y : memref<16xi8>) addresses [#poly.map<"{ [i0, i1] -> [(i1)] }">, #poly.map<"{ [i0, i1] -> [(i1)] }">] widths [1, 1] {
    ^bb0(%a: i8):
      // expected-error@+1 {{printing 'arith.divsi' as CUDA is not supported yet}}
      %0 = arith.divsi %a, %a : i8
      nv.yield %0 : i8
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
}) : () -> ()

// -----

// A true i1 is -1 where it is signed, and 1 in CUDA.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<16xi1>, memref<16xi8>) -> (), kernel}> ({
  ^bb0(%x: memref<16xi1>, %y: memref<16xi8>):
    %c0 = arith.constant 0 : index
    nv.epilogue[%c0, %c0] in [1, 16] dims [0, 1] guard [] tile [1, 16] ins(%x : memref<16xi1>) outs(%y : memref<16xi8>) addresses [#poly.map<"{ [i0, i1] -> [(i1)] }">, #poly.map<"{ [i0, i1] -> [(i1)] }">] widths [1, 1] {
    ^bb0(%a: i1):
      // expected-error@+1 {{i1 read as signed by 'arith.extsi' is not supported yet}}
      %0 = arith.extsi %a : i1 to i8
      nv.yield %0 : i8
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
}) : () -> ()

// -----

// The same as a float.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<16xi1>, memref<16xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<16xi1>, %y: memref<16xf32>):
    %c0 = arith.constant 0 : index
    nv.epilogue[%c0, %c0] in [1, 16] dims [0, 1] guard [] tile [1, 16] ins(%x : memref<16xi1>) outs(%y : memref<16xf32>) addresses [#poly.map<"{ [i0, i1] -> [(i1)] }">, #poly.map<"{ [i0, i1] -> [(i1)] }">] widths [1, 1] {
    ^bb0(%a: i1):
      // expected-error@+1 {{i1 read as signed by 'arith.sitofp' is not supported yet}}
      %0 = arith.sitofp %a : i1 to f32
      nv.yield %0 : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
}) : () -> ()

// -----

// And in a comparison.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<16xi1>, memref<16xi1>) -> (), kernel}> ({
  ^bb0(%x: memref<16xi1>, %y: memref<16xi1>):
    %c0 = arith.constant 0 : index
    nv.epilogue[%c0, %c0] in [1, 16] dims [0, 1] guard [] tile [1, 16] ins(%x : memref<16xi1>) outs(%y : memref<16xi1>) addresses [#poly.map<"{ [i0, i1] -> [(i1)] }">, #poly.map<"{ [i0, i1] -> [(i1)] }">] widths [1, 1] {
    ^bb0(%a: i1):
      // expected-error@+1 {{i1 read as signed by 'arith.cmpi' is not supported yet}}
      %0 = arith.cmpi slt, %a, %a : i1
      nv.yield %0 : i1
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
}) : () -> ()

// -----

// A bool is no truncated number.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<16xf32>, memref<16xi1>) -> (), kernel}> ({
  ^bb0(%x: memref<16xf32>, %y: memref<16xi1>):
    %c0 = arith.constant 0 : index
    nv.epilogue[%c0, %c0] in [1, 16] dims [0, 1] guard [] tile [1, 16] ins(%x : memref<16xf32>) outs(%y : memref<16xi1>) addresses [#poly.map<"{ [i0, i1] -> [(i1)] }">, #poly.map<"{ [i0, i1] -> [(i1)] }">] widths [1, 1] {
    ^bb0(%a: f32):
      // expected-error@+1 {{'arith.fptoui' to i1 is not supported yet}}
      %0 = arith.fptoui %a : f32 to i1
      nv.yield %0 : i1
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
}) : () -> ()
