// RUN: ptir-opt %s -t cuda --split-input-file --verify-diagnostics

// Only nv is printed: what is not lowered yet is named, with the way down.

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{PTIR0211}}
  %0 = ptir.add %x, %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'tiny.unary' does not belong in the input of the CUDA printer}}
  %0 = tiny.unary neg %x : tensor<4xf32> -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

// expected-error@+2 {{a kernel of 2 basic blocks is not supported yet}}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<8x8xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<8x8xf32>):
    "cf.br"()[^bb1] : () -> ()
  ^bb1:
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()

// -----

// CUDA has one namespace.

"gpu.module"() <{sym_name = "a"}> ({
  "gpu.func"() <{function_type = (memref<8x8xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<8x8xf32>):
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()
// expected-error@+2 {{a second kernel @k is not supported yet}}
"gpu.module"() <{sym_name = "b"}> ({
  "gpu.func"() <{function_type = (memref<8x8xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<8x8xf32>):
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<15xf32>) -> (), kernel}> ({
  ^bb0(%y: memref<15xf32>):
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    // expected-error@+1 {{the address { [i0, i1] -> i1 } is not supported yet}}
    nv.epilogue[%c0, %c0] in [1, 15] dims [0, 1] guard [1] tile [1, 16] outs(%y : memref<15xf32>) addresses [#poly.map<"{ [i0, i1] -> i1 }">] widths [1] {
      nv.yield %one : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
}) : () -> ()

// Neighbours that one copy moves must be neighbours in memory, in aligned rows.

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<8x16xbf16>) -> (), kernel}> ({
  ^bb0(%x: memref<8x16xbf16>):
    %i = arith.constant 0 : index
    %s = nv.smem at 0 : !nv.smem<2x8x16xbf16, xor>
    // expected-error@+1 {{accessing 8 elements at a time at}}
    nv.cp_async %x[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(16i0 + 2i1)] }"> in [8, 8] dims [0, 1] guard [] bytes 16 : memref<8x16xbf16>, !nv.smem<2x8x16xbf16, xor>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<8x16xbf16>) -> (), kernel}> ({
  ^bb0(%x: memref<8x16xbf16>):
    %i = arith.constant 0 : index
    %s = nv.smem at 0 : !nv.smem<2x8x16xbf16, xor>
    // expected-error@+1 {{accessing 8 elements at a time at}}
    nv.cp_async %x[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(12i0 + i1)] }"> in [8, 8] dims [0, 1] guard [] bytes 16 : memref<8x16xbf16>, !nv.smem<2x8x16xbf16, xor>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<8x16xbf16>) -> (), kernel}> ({
  ^bb0(%x: memref<8x16xbf16>):
    %i = arith.constant 0 : index
    %s = nv.smem at 0 : !nv.smem<2x8x16xbf16, xor>
    // expected-error@+1 {{the address}}
    nv.cp_async %x[%i, %i] to %s[%i] address <"{ [i0] -> [(16i0)] }"> in [8, 8] dims [0, 1] guard [] bytes 16 : memref<8x16xbf16>, !nv.smem<2x8x16xbf16, xor>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<8x16xbf16>) -> (), kernel}> ({
  ^bb0(%x: memref<8x16xbf16>):
    %i = arith.constant 0 : index
    %s = nv.smem at 0 : !nv.smem<2x8x16xbf16, xor>
    // expected-error@+1 {{threads is not supported yet}}
    nv.cp_async %x[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(16i0 + i1)] }"> in [8, 8] dims [0, 1] guard [] bytes 16 : memref<8x16xbf16>, !nv.smem<2x8x16xbf16, xor>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 16, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<8x16xbf16>) -> (), kernel}> ({
  ^bb0(%x: memref<8x16xbf16>):
    %i = arith.constant 0 : index
    %s = nv.smem at 0 : !nv.smem<2x8x16xbf16, xor>
    // expected-error@+1 {{threads is not supported yet}}
    nv.cp_async %x[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(16i0 + i1)] }"> in [8, 8] dims [0, 1] guard [] bytes 16 : memref<8x16xbf16>, !nv.smem<2x8x16xbf16, xor>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 0, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<8x16xbf16>) -> (), kernel}> ({
  ^bb0(%x: memref<8x16xbf16>):
    %i = arith.constant 0 : index
    %s = nv.smem at 0 : !nv.smem<2x8x16xbf16, xor>
    // expected-error@+1 {{threads is not supported yet}}
    nv.cp_async %x[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(16i0 + i1)] }"> in [8, 8] dims [0, 1] guard [] bytes 16 : memref<8x16xbf16>, !nv.smem<2x8x16xbf16, xor>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 2, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<8x16xbf16>) -> (), kernel}> ({
  ^bb0(%x: memref<8x16xbf16>):
    %f = nv.frag : !nv.frag<8x1xf32, lane(4: 0, 8: i)>
    %c = arith.constant true
    // expected-error@+1 {{an scf.if with fragments as results is not supported yet}}
    %r = scf.if %c -> (!nv.frag<8x1xf32, lane(4: 0, 8: i)>) {
      scf.yield %f : !nv.frag<8x1xf32, lane(4: 0, 8: i)>
    } else {
      scf.yield %f : !nv.frag<8x1xf32, lane(4: 0, 8: i)>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    // expected-error@+1 {{a loop over signed i32 is not supported yet}}
    scf.for %i = %c0 to %c8 step %c8 : i32 {
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<8x16xbf16>) -> (), kernel}> ({
  ^bb0(%x: memref<8x16xbf16>):
    %i = arith.constant 0 : index
    // expected-error@+1 {{the index -1 is not supported yet}}
    %n = arith.constant -1 : index
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    // expected-error@+1 {{a loop whose step is 0 is not supported yet}}
    scf.for %i = %c0 to %c8 step %c0 {
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()
