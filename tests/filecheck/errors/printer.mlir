// RUN: not ptir-opt %s -t cuda --split-input-file 2>&1 >/dev/null | filecheck %s --match-full-lines

// The codes of programs that the CUDA printer refuses.

// CHECK: {{.*}}error[PTIR0211]: 'ptir.add' does not belong in the input of the CUDA printer
// CHECK: help: lower to nv first, for example with the pipeline ptir-to-cuda{arch=sm80}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ptir.add %x, %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

// CHECK: {{.*}}error[PTIR0210]: a kernel of 2 basic blocks is not supported yet
// CHECK: help: scf.for and scf.if
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<8x8xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<8x8xf32>):
    "cf.br"()[^bb1] : () -> ()
  ^bb1:
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()

// -----

// CHECK: {{.*}}error[PTIR0210]: printing 'arith.shli' as CUDA is not supported yet
// CHECK: help: add a method to CudaPrinter
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %t = arith.constant true
    %s = arith.shli %t, %t : i1
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
}) : () -> ()

// -----

// CHECK: {{.*}}error[PTIR0210]: the index -1 is not supported yet
// CHECK: help: indices from 0 to 2^31 - 1
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<8x16xbf16>) -> (), kernel}> ({
  ^bb0(%x: memref<8x16xbf16>):
    %i = arith.constant 0 : index
    %n = arith.constant -1 : index
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// CHECK: {{.*}}error[PTIR0210]: a second kernel @k is not supported yet
// CHECK: help: CUDA has one namespace: rename one
"gpu.module"() <{sym_name = "a"}> ({
  "gpu.func"() <{function_type = (memref<8x8xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<8x8xf32>):
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()
"gpu.module"() <{sym_name = "b"}> ({
  "gpu.func"() <{function_type = (memref<8x8xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<8x8xf32>):
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()

// -----

// CHECK: {{.*}}error[PTIR0210]: a block of [0, 1, 1] threads is not supported yet
// CHECK: help: whole warps of 32 along x alone
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<8x16xbf16>) -> (), kernel}> ({
  ^bb0(%x: memref<8x16xbf16>):
    %i = arith.constant 0 : index
    %s = nv.smem at 0 : !nv.smem<2x8x16xbf16, xor>
    nv.cp_async %x[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(16i0 + i1)] }"> in [8, 8] dims [0, 1] guard [] bytes 16 : memref<8x16xbf16>, !nv.smem<2x8x16xbf16, xor>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 0, 1, 1>} : () -> ()
}) : () -> ()

// -----

// CHECK: {{.*}}error[PTIR0210]: i4 in a kernel is not supported yet
// CHECK: help: floats, complex numbers, i1 and integers of 8 to 64 bits have a C type here
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<8x8xi4>) -> (), kernel}> ({
  ^bb0(%x: memref<8x8xi4>):
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()
