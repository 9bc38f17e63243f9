// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// Only f32 is rounded to tf32 on its way, by TMA or element by element.

func.func @f(%x: memref<64x64xbf16>) {
  // expected-error@+1 {{the element type of a box rounded to tf32 is bf16; it must be f32}}
  %t = nv.tensor_map %x offset 0 sizes [64, 64] strides [64, 1] tf32 : memref<64x64xbf16> -> !nv.tensor_map<64x64xbf16, b128>
  func.return
}

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<64x64xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<64x64xf32>):
    %c0 = arith.constant 0 : index
    %s = nv.smem at 0 : !nv.smem<2x64x32xf32, b128>
    // expected-error@+1 {{a copy rounded to tf32 is of 16 bytes of f32; it must be of 4 bytes of f32}}
    nv.cp_async %x[%c0, %c0] to %s[%c0] address <"{ [i0, i1] -> [(64i0 + i1)] }"> in [64, 64] dims [0, 1] guard [] bytes 16 tf32 : memref<64x64xf32>, !nv.smem<2x64x32xf32, b128>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
}) : () -> ()
