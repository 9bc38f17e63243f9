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

// expected-error@+2 {{a kernel of 2 blocks is not supported yet}}
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
