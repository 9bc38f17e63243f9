// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// The body of an epilogue computes with signless integers, whatever the memrefs hold.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<16xui8>, memref<16xsi32>) -> (), kernel}> ({
  ^bb0(%x: memref<16xui8>, %y: memref<16xsi32>):
    %c0 = arith.constant 0 : index
    nv.epilogue[%c0, %c0] in [1, 16] dims [0, 1] guard [] tile [1, 16] ins(%x : memref<16xui8>) outs(%y : memref<16xsi32>) addresses [#poly.map<"{ [i0, i1] -> [(i1)] }">, #poly.map<"{ [i0, i1] -> [(i1)] }">] widths [1, 1] {
    ^bb0(%a: i8):
      %0 = arith.extui %a : i8 to i32
      nv.yield %0 : i32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<16xui8>, memref<16xui8>) -> (), kernel}> ({
  ^bb0(%x: memref<16xui8>, %y: memref<16xui8>):
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{'nv.epilogue' must have a body that takes (i8)}}
    nv.epilogue[%c0, %c0] in [1, 16] dims [0, 1] guard [] tile [1, 16] ins(%x : memref<16xui8>) outs(%y : memref<16xui8>) addresses [#poly.map<"{ [i0, i1] -> [(i1)] }">, #poly.map<"{ [i0, i1] -> [(i1)] }">] widths [1, 1] {
    ^bb0(%a: ui8):
      nv.yield %a : ui8
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<16xui8>, memref<16xui16>) -> (), kernel}> ({
  ^bb0(%x: memref<16xui8>, %y: memref<16xui16>):
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{'nv.epilogue' must have a body that ends with nv.yield of (i16)}}
    nv.epilogue[%c0, %c0] in [1, 16] dims [0, 1] guard [] tile [1, 16] ins(%x : memref<16xui8>) outs(%y : memref<16xui16>) addresses [#poly.map<"{ [i0, i1] -> [(i1)] }">, #poly.map<"{ [i0, i1] -> [(i1)] }">] widths [1, 1] {
    ^bb0(%a: i8):
      nv.yield %a : i8
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()
