// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of the verifiers.

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'smem' has shape [16, 64]}}
  %t = "test.op"() : () -> !nv.smem<16x64xbf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'smem' has shape [0, 16, 64]}}
  %t = "test.op"() : () -> !nv.smem<0x16x64xbf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{an element of nv.smem is f32}}
  %t = "test.op"() : () -> !nv.smem<2x16x64xf32, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'swizzle' is 'diagonal'}}
  %t = "test.op"() : () -> !nv.smem<2x16x64xbf16, diagonal>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'smem' has 4 columns}}
  %t = "test.op"() : () -> !nv.smem<2x16x4xbf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'smem' has 24 columns}}
  %t = "test.op"() : () -> !nv.smem<2x16x24xbf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'role' is 'D'}}
  %t = "test.op"() : () -> !nv.frag<16x16xf32, D>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'frag' has shape [16]}}
  %t = "test.op"() : () -> !nv.frag<16xf32, C>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'frag' has shape [16, 8]}}
  %t = "test.op"() : () -> !nv.frag<16x8xf32, C>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{an element of fragment C is f16}}
  %t = "test.op"() : () -> !nv.frag<16x16xf16, C>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{an element of fragment A is f32}}
  %t = "test.op"() : () -> !nv.frag<16x16xf32, A>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'at' is 64}}
  %s = nv.smem at 64 : !nv.smem<2x16x64xbf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'at' is -128}}
  %s = nv.smem at -128 : !nv.smem<2x16x64xbf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'in' takes 2 sizes, one an offset, operands, got 3}}
  nv.cp_async %x[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8, 8] dims [0, 1] guard [0] bytes 16 : memref<8x8xbf16>, !nv.smem<2x16x64xbf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'dims' is [0]}}
  nv.cp_async %x[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] dims [0] guard [0] bytes 16 : memref<8x8xbf16>, !nv.smem<2x16x64xbf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'dims' is [0, -1]}}
  nv.cp_async %x[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] dims [0, -1] guard [0] bytes 16 : memref<8x8xbf16>, !nv.smem<2x16x64xbf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'guard' is [2]}}
  nv.cp_async %x[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] dims [0, 1] guard [2] bytes 16 : memref<8x8xbf16>, !nv.smem<2x16x64xbf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'bytes' is 12}}
  nv.cp_async %x[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] dims [0, 1] guard [0] bytes 12 : memref<8x8xbf16>, !nv.smem<2x16x64xbf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xf16, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{the memref's element type is bf16; the ring holds f16}}
  nv.cp_async %x[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] dims [0, 1] guard [0] bytes 16 : memref<8x8xbf16>, !nv.smem<2x16x64xf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'pending' is 8}}
  nv.wait_group 8
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'pending' is -1}}
  nv.wait_group -1
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  %t = "test.op"() : () -> !nv.frag<16x16xbf16, A>
  // expected-error@+1 {{'layout' is 'NN'}}
  nv.ldmatrix %s[%i, %i, %i] NN to %t : !nv.smem<2x16x64xbf16, xor>, !nv.frag<16x16xbf16, A>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C>
  // expected-error@+1 {{loads operands A and B, not an accumulator}}
  nv.ldmatrix %s[%i, %i, %i] ND to %c : !nv.smem<2x16x64xbf16, xor>, !nv.frag<16x32xf32, C>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  %t = "test.op"() : () -> !nv.frag<16x16xf16, A>
  // expected-error@+1 {{the fragment's element type is f16; the ring holds bf16}}
  nv.ldmatrix %s[%i, %i, %i] ND to %t : !nv.smem<2x16x64xbf16, xor>, !nv.frag<16x16xf16, A>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  %t = "test.op"() : () -> !nv.frag<16x32xbf16, A>
  // expected-error@+1 {{the fragment has shape [16, 32], expected 16 along k, one mma step}}
  nv.ldmatrix %s[%i, %i, %i] ND to %t : !nv.smem<2x16x64xbf16, xor>, !nv.frag<16x32xbf16, A>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  %t = "test.op"() : () -> !nv.frag<32x16xbf16, B>
  // expected-error@+1 {{the fragment has shape [32, 16], expected 16 along k, one mma step}}
  nv.ldmatrix %s[%i, %i, %i] ND to %t : !nv.smem<2x16x64xbf16, xor>, !nv.frag<32x16xbf16, B>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C>
  %a = "test.op"() : () -> !nv.frag<16x16xbf16, A>
  %b = "test.op"() : () -> !nv.frag<16x32xbf16, B>
  // expected-error@+1 {{takes fragments C, A and B, got C, B, A}}
  nv.mma_sync %c, %b, %a : !nv.frag<16x32xf32, C>, !nv.frag<16x32xbf16, B>, !nv.frag<16x16xbf16, A>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C>
  %a = "test.op"() : () -> !nv.frag<16x16xbf16, A>
  %b = "test.op"() : () -> !nv.frag<16x32xf16, B>
  // expected-error@+1 {{b's element type is f16; a holds bf16}}
  nv.mma_sync %c, %a, %b : !nv.frag<16x32xf32, C>, !nv.frag<16x16xbf16, A>, !nv.frag<16x32xf16, B>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C>
  %a = "test.op"() : () -> !nv.frag<32x16xbf16, A>
  %b = "test.op"() : () -> !nv.frag<16x32xbf16, B>
  // expected-error@+1 {{acc has shape [16, 32], expected the product of [32, 16] and [16, 32]}}
  nv.mma_sync %c, %a, %b : !nv.frag<16x32xf32, C>, !nv.frag<32x16xbf16, A>, !nv.frag<16x32xbf16, B>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C>
  %i = arith.constant 0 : index
  // expected-error@+1 {{nv.epilogue takes 1 addresses and widths, one a memref, operands, got 0}}
  nv.epilogue %c : !nv.frag<16x32xf32, C>[%i, %i] in [8, 8] dims [0, 1] guard [0] tile [16, 32] outs(%y : memref<8x8xf32>) addresses [] widths [1] {
  ^bb0(%e: f32):
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'dims' is [0, 2]}}
  nv.epilogue %c : !nv.frag<16x32xf32, C>[%i, %i] in [8, 8] dims [0, 2] guard [0] tile [16, 32] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
  ^bb0(%e: f32):
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'guard' is [3]}}
  nv.epilogue %c : !nv.frag<16x32xf32, C>[%i, %i] in [8, 8] dims [0, 1] guard [3] tile [16, 32] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
  ^bb0(%e: f32):
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'widths' is [3]}}
  nv.epilogue %c : !nv.frag<16x32xf32, C>[%i, %i] in [8, 8] dims [0, 1] guard [0] tile [16, 32] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [3] {
  ^bb0(%e: f32):
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x16xf32, C>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'widths' is [8]}}
  nv.epilogue %c : !nv.frag<16x16xf32, C>[%i, %i] in [8, 8] dims [0, 1] guard [0] tile [16, 16] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [8] {
  ^bb0(%e: f32):
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C>
  %i = arith.constant 0 : index
  // expected-error@+1 {{tile has shape [16, 16], expected the accumulator's [16, 32]}}
  nv.epilogue %c : !nv.frag<16x32xf32, C>[%i, %i] in [8, 8] dims [0, 1] guard [0] tile [16, 16] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
  ^bb0(%e: f32):
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C>
  %i = arith.constant 0 : index
  // expected-error@+1 {{the body takes (f32)}}
  nv.epilogue %c : !nv.frag<16x32xf32, C>[%i, %i] in [8, 8] dims [0, 1] guard [0] tile [16, 32] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
  ^bb0(%e: f16):
    nv.yield %e : f16
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C>
  %i = arith.constant 0 : index
  // expected-error@+1 {{the body takes (f32)}}
  nv.epilogue %c : !nv.frag<16x32xf32, C>[%i, %i] in [8, 8] dims [0, 1] guard [0] tile [16, 32] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
  
    %e = arith.constant 0.0 : f32
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C>
  %i = arith.constant 0 : index
  // expected-error@+1 {{the body ends with nv.yield of (f32)}}
  nv.epilogue %c : !nv.frag<16x32xf32, C>[%i, %i] in [8, 8] dims [0, 1] guard [0] tile [16, 32] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
  ^bb0(%e: f32):
    nv.yield %e, %e : f32, f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C>
  %i = arith.constant 0 : index
  // expected-error@+1 {{the body ends with nv.yield of (f32)}}
  nv.epilogue %c : !nv.frag<16x32xf32, C>[%i, %i] in [8, 8] dims [0, 1] guard [0] tile [16, 32] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
  ^bb0(%e: f32):
    "test.termop"() : () -> ()
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{no gpu.func}}
  nv.launch @kernels::@k grid [1, 1, 1] block [32, 1, 1] shared 0(%x : memref<8x8xbf16>)
  func.return
}

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  // expected-note@+1 {{the kernel is here}}
  "gpu.func"() <{function_type = (memref<8x8xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<8x8xf32>):
  "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()
func.func @f(%x: memref<8x8xbf16>) {
  // expected-error@+1 {{the operands do not fit @kernels::@k}}
  nv.launch @kernels::@k grid [1, 1, 1] block [32, 1, 1] shared 0(%x : memref<8x8xbf16>)
  func.return
}

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<8x8xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<8x8xf32>):
  "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()
func.func @f(%x: memref<8x8xf32>) {
  // expected-error@+1 {{'grid' is [1, 1]}}
  nv.launch @kernels::@k grid [1, 1] block [32, 1, 1] shared 0(%x : memref<8x8xf32>)
  func.return
}

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<8x8xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<8x8xf32>):
  "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()
func.func @f(%x: memref<8x8xf32>) {
  // expected-error@+1 {{'grid' is [1, 65536, 1]}}
  nv.launch @kernels::@k grid [1, 65536, 1] block [32, 1, 1] shared 0(%x : memref<8x8xf32>)
  func.return
}

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<8x8xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<8x8xf32>):
  "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()
func.func @f(%x: memref<8x8xf32>) {
  // expected-error@+1 {{'block' is [32, 1, 65]}}
  nv.launch @kernels::@k grid [1, 1, 1] block [32, 1, 65] shared 0(%x : memref<8x8xf32>)
  func.return
}

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<8x8xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<8x8xf32>):
  "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()
func.func @f(%x: memref<8x8xf32>) {
  // expected-error@+1 {{'block' has 2048 threads}}
  nv.launch @kernels::@k grid [1, 1, 1] block [1024, 2, 1] shared 0(%x : memref<8x8xf32>)
  func.return
}

// -----

// What a launch runs is one block.

// expected-note@+2 {{the kernel is here}}
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<8x8xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<8x8xf32>):
    "cf.br"()[^bb1] : () -> ()
  ^bb1:
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()
func.func @f(%x: memref<8x8xf32>) {
  // expected-error@+1 {{@kernels::@k is not one block}}
  nv.launch @kernels::@k grid [1, 1, 1] block [32, 1, 1] shared 0(%x : memref<8x8xf32>)
  func.return
}

// -----

func.func @k(%y: memref<15xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  // expected-error@+1 {{'tile' is [16, 12, 16]}}
  "nv.epilogue"(%c0, %c0, %y) <{bounds = array<i64: 1, 15>, dims = array<i64: 0, 1>, guards = array<i64>, tile = array<i64: 16, 12, 16>, addresses = [#poly.map<"{ [i0, i1] -> i1 }">], widths = array<i64: 1>, operandSegmentSizes = array<i32: 0, 2, 0, 1>}> ({
    "nv.yield"(%one) : (f32) -> ()
  }) : (index, index, memref<15xf32>) -> ()
  func.return
}
