// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of the verifiers.

// The types.

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
  // expected-error@+1 {{an element of nv.smem is i16; fp8, bf16, f16, f32, f64, 8-bit integers and i32 are staged in shared memory}}
  %t = "test.op"() : () -> !nv.smem<2x16x64xi16, xor>
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
  // expected-error@+1 {{'smem' has rows of 8 bytes}}
  %t = "test.op"() : () -> !nv.smem<2x16x4xbf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'smem' has rows of 48 bytes}}
  %t = "test.op"() : () -> !nv.smem<2x16x24xbf16, none>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'smem' has rows of 40 bytes}}
  %t = "test.op"() : () -> !nv.smem<2x16x20xbf16, xor>
  func.return
}

// -----

// Rows are counted in bytes.

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'smem' has rows of 8 bytes}}
  %t = "test.op"() : () -> !nv.smem<2x16x8xi8, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'layout' is 'at(64: j, 8: 2j)'}}
  %t = "test.op"() : () -> !nv.smem<2x16x64xbf16, at(64: j, 8: 2j)>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'layout' is 'at(64: j, 8: 0)'}}
  %t = "test.op"() : () -> !nv.smem<2x16x64xbf16, at(64: j, 8: 0)>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'smem' has tiles of [16, 64]}}
  %t = "test.op"() : () -> !nv.smem<2x16x64xbf16, at(64: j, 8: i)>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'layout' is 'at(64: j, 2: i^4j, 8: 2i)'}}
  %t = "test.op"() : () -> !nv.smem<2x16x64xbf16, at(64: j, 2: i^4j, 8: 2i)>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'layout' is 'at(12: j, 16: i)'}}
  %t = "test.op"() : () -> !nv.smem<2x16x12xbf16, at(12: j, 16: i)>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'layout' is 'at(16: i, 64: j)'}}
  %t = "test.op"() : () -> !nv.smem<2x16x64xbf16, at(16: i, 64: j)>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'layout' is 'D of m16n8k16'}}
  %t = "test.op"() : () -> !nv.frag<16x16xf32, D of m16n8k16>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'layout' is 'C of m16n8k4'}}
  %t = "test.op"() : () -> !nv.frag<16x16xf32, C of m16n8k4>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{identifier expected}}
  %t = "test.op"() : () -> !nv.frag<16x16xf32, C of 8>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'layout' is 'rows of m16n8k16'}}
  %t = "test.op"() : () -> !nv.frag<16x16xf32, rows of m16n8k16>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'frag' has shape [16]}}
  %t = "test.op"() : () -> !nv.frag<16xf32, C of m16n8k16>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'frag' has shape [16, 12]}}
  %t = "test.op"() : () -> !nv.frag<16x12xf32, C of m16n8k16>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'frag' has shape [24, 8]}}
  %t = "test.op"() : () -> !nv.frag<24x8xf32, C of m16n8k16>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'frag' has shape [0, 8]}}
  %t = "test.op"() : () -> !nv.frag<0x8xf32, C of m16n8k16>
  func.return
}

// -----

// An operand has the k of one instruction.

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'frag' has shape [16, 32]}}
  %t = "test.op"() : () -> !nv.frag<16x32xbf16, A of m16n8k16>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{'frag' has shape [32, 16]}}
  %t = "test.op"() : () -> !nv.frag<32x16xbf16, B of m16n8k16>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{an element of 'C of m16n8k8' is f16; m16n8k8 accumulates in f32}}
  %t = "test.op"() : () -> !nv.frag<16x16xf16, C of m16n8k8>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{an element of 'C of m16n8k32' is f32; m16n8k32 accumulates in i32}}
  %t = "test.op"() : () -> !nv.frag<16x8xf32, C of m16n8k32>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{an element of 'A of m16n8k16' is i16; shared memory does not hold this type}}
  %t = "test.op"() : () -> !nv.frag<16x16xi16, A of m16n8k16>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{an element of 'A of m64k16' is i16; shared memory does not hold this type}}
  %t = "test.op"() : () -> !nv.frag<64x16xi16, A of m64k16>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{an element of 'A of m16n8k32' is i16; shared memory does not hold this type}}
  %t = "test.op"() : () -> !nv.frag<16x32xi16, A of m16n8k32>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  // expected-error@+1 {{expected 'of'}}
  %t = "test.op"() : () -> !nv.frag<16x16xf32, C>
  func.return
}

// -----

// Rings.

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

// Copies.

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %m = "test.op"() : () -> memref<8x8xbf16>
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'in' takes one size for each offset (2), got 3}}
  nv.cp_async %m[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8, 8] dims [0, 1] guard [0] bytes 16 : memref<8x8xbf16>, !nv.smem<2x16x64xbf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %m = "test.op"() : () -> memref<8x8xbf16>
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'dims' is [0]}}
  nv.cp_async %m[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] dims [0] guard [0] bytes 16 : memref<8x8xbf16>, !nv.smem<2x16x64xbf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %m = "test.op"() : () -> memref<8x8xbf16>
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'dims' is [0, -1]}}
  nv.cp_async %m[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] dims [0, -1] guard [0] bytes 16 : memref<8x8xbf16>, !nv.smem<2x16x64xbf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %m = "test.op"() : () -> memref<8x8xbf16>
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'dims' is [0, 2]}}
  nv.cp_async %m[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] dims [0, 2] guard [0] bytes 16 : memref<8x8xbf16>, !nv.smem<2x16x64xbf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %m = "test.op"() : () -> memref<8x8xbf16>
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'dims' is [1, 1]}}
  nv.cp_async %m[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] dims [1, 1] guard [1] bytes 16 : memref<8x8xbf16>, !nv.smem<2x16x64xbf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %m = "test.op"() : () -> memref<8x8xbf16>
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'guard' is [2]}}
  nv.cp_async %m[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] dims [0, 1] guard [2] bytes 16 : memref<8x8xbf16>, !nv.smem<2x16x64xbf16, xor>
  func.return
}

// -----

func.func @f(%m: memref<8x8xbf16>, %t: memref<2xsi32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'in' takes one size for each offset (3), got 2}}
  nv.cp_async %m[%i, %i] at (%t by <"{ [i0, i1] -> [(floor((i0)/4))] }"> : memref<2xsi32>) to %s[%i] address <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] dims [0, 1] guard [0] bytes 16 : memref<8x8xbf16>, !nv.smem<2x16x64xbf16, xor>
  func.return
}

// -----

func.func @f(%m: memref<8x8xbf16>, %t: memref<2xsi16>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{the table's element type is si16}}
  nv.cp_async %m[%i, %i] at (%t by <"{ [i0, i1] -> [(floor((i0)/4))] }"> : memref<2xsi16>) to %s[%i] address <"{ [i0, i1, i2] -> [(8i2 + i1)] }"> in [8, 8, 8] dims [0, 1] guard [0] bytes 16 : memref<8x8xbf16>, !nv.smem<2x16x64xbf16, xor>
  func.return
}

// -----

func.func @f(%m: memref<8x8xbf16>, %t: memref<2xsi32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'dims' is [2, 1]}}
  nv.cp_async %m[%i, %i] at (%t by <"{ [i0, i1] -> [(floor((i0)/4))] }"> : memref<2xsi32>) to %s[%i] address <"{ [i0, i1, i2] -> [(8i2 + i1)] }"> in [8, 8, 8] dims [2, 1] guard [] bytes 16 : memref<8x8xbf16>, !nv.smem<2x16x64xbf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %m = "test.op"() : () -> memref<8x8xbf16, 3 : index>
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{a memref is memref<8x8xbf16, 3 : index>; kernels take memrefs in global memory: no memory space}}
  nv.cp_async %m[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] dims [0, 1] guard [0] bytes 16 : memref<8x8xbf16, 3 : index>, !nv.smem<2x16x64xbf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %m = "test.op"() : () -> memref<8x8xbf16>
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'bytes' is 12}}
  nv.cp_async %m[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] dims [0, 1] guard [0] bytes 12 : memref<8x8xbf16>, !nv.smem<2x16x64xbf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %m = "test.op"() : () -> memref<8x8xbf16>
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'bytes' is 32}}
  nv.cp_async %m[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] dims [0, 1] guard [0] bytes 32 : memref<8x8xbf16>, !nv.smem<2x16x64xbf16, xor>
  func.return
}

// -----

// Below 4 bytes it is one element.

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %m = "test.op"() : () -> memref<8x8xbf16>
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'bytes' is 1}}
  nv.cp_async %m[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] dims [0, 1] guard [0] bytes 1 : memref<8x8xbf16>, !nv.smem<2x16x64xbf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %m = "test.op"() : () -> memref<8x8xi8>
  %s = "test.op"() : () -> !nv.smem<2x16x64xi8, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'bytes' is 2}}
  nv.cp_async %m[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] dims [0, 1] guard [0] bytes 2 : memref<8x8xi8>, !nv.smem<2x16x64xi8, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %m = "test.op"() : () -> memref<8x8xf32>
  %s = "test.op"() : () -> !nv.smem<2x16x64xf32, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'bytes' is 2}}
  nv.cp_async %m[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] dims [0, 1] guard [0] bytes 2 : memref<8x8xf32>, !nv.smem<2x16x64xf32, xor>
  func.return
}

// -----

// Half an element is none.

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %m = "test.op"() : () -> memref<8x8xf64>
  %s = "test.op"() : () -> !nv.smem<2x16x64xf64, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'bytes' is 4}}
  nv.cp_async %m[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] dims [0, 1] guard [0] bytes 4 : memref<8x8xf64>, !nv.smem<2x16x64xf64, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %m = "test.op"() : () -> memref<8x8xbf16>
  %s = "test.op"() : () -> !nv.smem<2x16x64xf16, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{the memref's element type is bf16; the ring holds f16}}
  nv.cp_async %m[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] dims [0, 1] guard [0] bytes 16 : memref<8x8xbf16>, !nv.smem<2x16x64xf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %m = "test.op"() : () -> memref<8x8xi8>
  %s = "test.op"() : () -> !nv.smem<2x16x64xui8, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{the memref's element type is i8; the ring holds ui8}}
  nv.cp_async %m[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] dims [0, 1] guard [0] bytes 16 : memref<8x8xi8>, !nv.smem<2x16x64xui8, xor>
  func.return
}

// -----

// Waits: for 0 to 7 groups, and for fewer than have been committed.

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
  // expected-error@+1 {{'pending' is 0, with only 0 committed groups when this wait is first reached}}
  nv.wait_group 0
  func.return
}

// -----

// What comes later does not count.

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  nv.commit_group
  nv.commit_group
  // expected-error@+1 {{'pending' is 2, with only 2 committed groups}}
  nv.wait_group 2
  nv.commit_group
  func.return
}

// -----

// A loop commits as often as it runs, rounded up; the first round sees none of its own.

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  scf.for %s = %c0 to %c5 step %c2 {
    nv.commit_group
  }
  scf.for %s = %c0 to %c5 step %c1 {
    // expected-error@+1 {{'pending' is 3, with only 3 committed groups when this wait is first reached}}
    nv.wait_group 3
    nv.commit_group
  }
  func.return
}

// -----

// A loop that does not run.

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %s = %c1 to %c0 step %c1 {
    nv.commit_group
  }
  // expected-error@+1 {{'pending' is 0, with only 0 committed groups when this wait is first reached}}
  nv.wait_group 0
  func.return
}

// -----

// A branch that may not be taken commits nothing for sure.

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %p = "test.op"() : () -> i1
  nv.commit_group
  scf.if %p {
    nv.commit_group
  }
  // expected-error@+1 {{'pending' is 1, with only 1 committed group when this wait is first reached}}
  nv.wait_group 1
  func.return
}

// -----

// Of two branches, the one that commits less.

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %p = "test.op"() : () -> i1
  scf.if %p {
    nv.commit_group
    nv.commit_group
  } else {
    nv.commit_group
  }
  // expected-error@+1 {{'pending' is 1, with only 1 committed group when this wait is first reached}}
  nv.wait_group 1
  func.return
}

// -----

// Loads of fragments.

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  %t = "test.op"() : () -> !nv.frag<16x16xbf16, A of m16n8k16>
  // expected-error@+1 {{'layout' is 'NN'}}
  nv.ldmatrix %s[%i, %i, %i] NN to %t : !nv.smem<2x16x64xbf16, xor>, !nv.frag<16x16xbf16, A of m16n8k16>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xf32, xor>
  %i = arith.constant 0 : index
  %t = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  // expected-error@+1 {{'nv.ldmatrix' loads operands A and B, not 'C of m16n8k16'}}
  nv.ldmatrix %s[%i, %i, %i] ND to %t : !nv.smem<2x16x64xf32, xor>, !nv.frag<16x32xf32, C of m16n8k16>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xf32, xor>
  %i = arith.constant 0 : index
  %t = "test.op"() : () -> !nv.frag<16x32xf32, lane(4: 8j, 8: i) reg(8: j, 2: 8i)>
  // expected-error@+1 {{'nv.ldmatrix' loads operands A and B, not 'lane(4: 8j, 8: i) reg(8: j, 2: 8i)'}}
  nv.ldmatrix %s[%i, %i, %i] ND to %t : !nv.smem<2x16x64xf32, xor>, !nv.frag<16x32xf32, lane(4: 8j, 8: i) reg(8: j, 2: 8i)>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  %t = "test.op"() : () -> !nv.frag<16x16xf16, A of m16n8k16>
  // expected-error@+1 {{the fragment's element type is f16; the ring holds bf16}}
  nv.ldmatrix %s[%i, %i, %i] ND to %t : !nv.smem<2x16x64xbf16, xor>, !nv.frag<16x16xf16, A of m16n8k16>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  %t = "test.op"() : () -> !nv.frag<32x16xbf16, A of m16n8k16>
  // expected-error@+1 {{the fragment has shape [32, 16], expected within a slot of [16, 64]}}
  nv.ldmatrix %s[%i, %i, %i] ND to %t : !nv.smem<2x16x64xbf16, xor>, !nv.frag<32x16xbf16, A of m16n8k16>
  func.return
}

// -----

// Turned, it lies the other way in the slot.

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x64x16xbf16, xor>
  %i = arith.constant 0 : index
  %t = "test.op"() : () -> !nv.frag<16x72xbf16, B of m16n8k16>
  // expected-error@+1 {{the fragment has shape [72, 16], expected within a slot of [64, 16]}}
  nv.ldmatrix %s[%i, %i, %i] DN to %t : !nv.smem<2x64x16xbf16, xor>, !nv.frag<16x72xbf16, B of m16n8k16>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  %t = "test.op"() : () -> !nv.frag<16x16xbf16, A of m16n8k16>
  // expected-error@+1 {{'layout' is 'NN'}}
  nv.ld_shared %s[%i, %i, %i] NN to %t : !nv.smem<2x16x64xbf16, xor>, !nv.frag<16x16xbf16, A of m16n8k16>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xf32, xor>
  %i = arith.constant 0 : index
  %t = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  // expected-error@+1 {{'nv.ld_shared' loads operands A and B, not 'C of m16n8k16'}}
  nv.ld_shared %s[%i, %i, %i] ND to %t : !nv.smem<2x16x64xf32, xor>, !nv.frag<16x32xf32, C of m16n8k16>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xf32, xor>
  %i = arith.constant 0 : index
  %t = "test.op"() : () -> !nv.frag<16x32xf32, lane(4: 8j, 8: i) reg(8: j, 2: 8i)>
  // expected-error@+1 {{'nv.ld_shared' loads operands A and B, not 'lane(4: 8j, 8: i) reg(8: j, 2: 8i)'}}
  nv.ld_shared %s[%i, %i, %i] ND to %t : !nv.smem<2x16x64xf32, xor>, !nv.frag<16x32xf32, lane(4: 8j, 8: i) reg(8: j, 2: 8i)>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  %t = "test.op"() : () -> !nv.frag<16x16xf16, A of m16n8k16>
  // expected-error@+1 {{the fragment's element type is f16; the ring holds bf16}}
  nv.ld_shared %s[%i, %i, %i] ND to %t : !nv.smem<2x16x64xbf16, xor>, !nv.frag<16x16xf16, A of m16n8k16>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  %t = "test.op"() : () -> !nv.frag<32x16xbf16, A of m16n8k16>
  // expected-error@+1 {{the fragment has shape [32, 16], expected within a slot of [16, 64]}}
  nv.ld_shared %s[%i, %i, %i] ND to %t : !nv.smem<2x16x64xbf16, xor>, !nv.frag<32x16xbf16, A of m16n8k16>
  func.return
}

// -----

// Turned, it lies the other way in the slot.

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x64x16xbf16, xor>
  %i = arith.constant 0 : index
  %t = "test.op"() : () -> !nv.frag<16x72xbf16, B of m16n8k16>
  // expected-error@+1 {{the fragment has shape [72, 16], expected within a slot of [64, 16]}}
  nv.ld_shared %s[%i, %i, %i] DN to %t : !nv.smem<2x64x16xbf16, xor>, !nv.frag<16x72xbf16, B of m16n8k16>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xf32, xor>
  %i = arith.constant 0 : index
  %t = "test.op"() : () -> !nv.frag<16x4xf32, A of fma>
  // expected-error@+1 {{'nv.ldmatrix' cannot load f32 as 'A of fma' from ND}}
  nv.ldmatrix %s[%i, %i, %i] ND to %t : !nv.smem<2x16x64xf32, xor>, !nv.frag<16x4xf32, A of fma>
  func.return
}

// -----

// Bytes in the lanes of 16-bit elements: a lane has two of them, not a word.
func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xsi8, xor>
  %i = arith.constant 0 : index
  %t = "test.op"() : () -> !nv.frag<16x16xsi8, A of m16n8k16>
  // expected-error@+1 {{'nv.ldmatrix' cannot load si8 as 'A of m16n8k16' from ND}}
  nv.ldmatrix %s[%i, %i, %i] ND to %t : !nv.smem<2x16x64xsi8, xor>, !nv.frag<16x16xsi8, A of m16n8k16>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xf64, xor>
  %i = arith.constant 0 : index
  %t = "test.op"() : () -> !nv.frag<4x8xf64, B of m8n8k4>
  // expected-error@+1 {{'nv.ldmatrix' cannot load f64 as 'B of m8n8k4' from DN}}
  nv.ldmatrix %s[%i, %i, %i] DN to %t : !nv.smem<2x16x64xf64, xor>, !nv.frag<4x8xf64, B of m8n8k4>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xf32, xor>
  %i = arith.constant 0 : index
  %t = "test.op"() : () -> !nv.frag<8x8xf32, B of m16n8k8>
  // expected-error@+1 {{'nv.ldmatrix' cannot load f32 as 'B of m16n8k8' from ND}}
  nv.ldmatrix %s[%i, %i, %i] ND to %t : !nv.smem<2x16x64xf32, xor>, !nv.frag<8x8xf32, B of m16n8k8>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %s = "test.op"() : () -> !nv.smem<2x32x16xi8, xor>
  %i = arith.constant 0 : index
  %t = "test.op"() : () -> !nv.frag<16x32xi8, A of m16n8k32>
  // expected-error@+1 {{'nv.ldmatrix' cannot load i8 as 'A of m16n8k32' from DN}}
  nv.ldmatrix %s[%i, %i, %i] DN to %t : !nv.smem<2x32x16xi8, xor>, !nv.frag<16x32xi8, A of m16n8k32>
  func.return
}

// -----

// Rounding to tf32.

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %t = "test.op"() : () -> !nv.frag<16x16xbf16, A of m16n8k16>
  // expected-error@+1 {{the fragment is A of m16n8k16; expected A or B of m16n8k8 or A of m64k8, which hold tf32}}
  nv.to_tf32 %t : !nv.frag<16x16xbf16, A of m16n8k16>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %t = "test.op"() : () -> !nv.frag<16x8xf32, C of m16n8k8>
  // expected-error@+1 {{the fragment is C of m16n8k8; expected A or B of m16n8k8 or A of m64k8, which hold tf32}}
  nv.to_tf32 %t : !nv.frag<16x8xf32, C of m16n8k8>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %t = "test.op"() : () -> !nv.frag<16x4xf32, A of fma>
  // expected-error@+1 {{the fragment is A of fma; expected A or B of m16n8k8 or A of m64k8, which hold tf32}}
  nv.to_tf32 %t : !nv.frag<16x4xf32, A of fma>
  func.return
}

// -----

// Multiplication.

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c, %a, %b = "test.op"() : () -> (!nv.frag<16x32xf32, C of m16n8k16>, !nv.frag<16x32xbf16, B of m16n8k16>, !nv.frag<16x16xbf16, A of m16n8k16>)
  // expected-error@+1 {{'nv.mma_sync' takes fragments C, A and B, got C, B, A}}
  nv.mma_sync %c, %a, %b : !nv.frag<16x32xf32, C of m16n8k16>, !nv.frag<16x32xbf16, B of m16n8k16>, !nv.frag<16x16xbf16, A of m16n8k16>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c, %a, %b = "test.op"() : () -> (!nv.frag<16x32xf32, lane(4: 8j, 8: i) reg(8: j, 2: 8i)>, !nv.frag<16x16xbf16, A of m16n8k16>, !nv.frag<16x32xbf16, B of m16n8k16>)
  // expected-error@+1 {{'nv.mma_sync' takes fragments C, A and B, got a spelled layout, A, B}}
  nv.mma_sync %c, %a, %b : !nv.frag<16x32xf32, lane(4: 8j, 8: i) reg(8: j, 2: 8i)>, !nv.frag<16x16xbf16, A of m16n8k16>, !nv.frag<16x32xbf16, B of m16n8k16>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c, %a, %b = "test.op"() : () -> (!nv.frag<16x32xf32, C of m16n8k8>, !nv.frag<16x16xbf16, A of m16n8k16>, !nv.frag<16x32xbf16, B of m16n8k16>)
  // expected-error@+1 {{'nv.mma_sync' takes operands of one instruction, got m16n8k8, m16n8k16, m16n8k16}}
  nv.mma_sync %c, %a, %b : !nv.frag<16x32xf32, C of m16n8k8>, !nv.frag<16x16xbf16, A of m16n8k16>, !nv.frag<16x32xbf16, B of m16n8k16>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c, %a, %b = "test.op"() : () -> (!nv.frag<16x8xf32, C of fma>, !nv.frag<16x8xf32, A of m16n8k8>, !nv.frag<8x8xf32, B of m16n8k8>)
  // expected-error@+1 {{'nv.fma' takes operands of one instruction, got fma, m16n8k8, m16n8k8}}
  nv.fma %c, %a, %b : !nv.frag<16x8xf32, C of fma>, !nv.frag<16x8xf32, A of m16n8k8>, !nv.frag<8x8xf32, B of m16n8k8>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  %a = "test.op"() : () -> !nv.frag<16x16xbf16, A of m16n8k16>
  %b = "test.op"() : () -> !nv.frag<16x32xsi8, B of m16n8k16>
  // expected-error@+1 {{b's element type is si8; m16n8k16 does not multiply it}}
  nv.mma_sync %c, %a, %b : !nv.frag<16x32xf32, C of m16n8k16>, !nv.frag<16x16xbf16, A of m16n8k16>, !nv.frag<16x32xsi8, B of m16n8k16>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c, %a, %b = "test.op"() : () -> (!nv.frag<16x8xf32, C of fma>, !nv.frag<16x4xf32, A of fma>, !nv.frag<4x8xf32, B of fma>)
  // expected-error@+1 {{'nv.mma_sync' does not multiply fragments of fma: use nv.fma}}
  nv.mma_sync %c, %a, %b : !nv.frag<16x8xf32, C of fma>, !nv.frag<16x4xf32, A of fma>, !nv.frag<4x8xf32, B of fma>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c, %a, %b = "test.op"() : () -> (!nv.frag<16x32xf32, C of m16n8k16>, !nv.frag<16x16xbf16, A of m16n8k16>, !nv.frag<16x32xbf16, B of m16n8k16>)
  // expected-error@+1 {{'nv.fma' does not multiply fragments of m16n8k16: use nv.mma_sync}}
  nv.fma %c, %a, %b : !nv.frag<16x32xf32, C of m16n8k16>, !nv.frag<16x16xbf16, A of m16n8k16>, !nv.frag<16x32xbf16, B of m16n8k16>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c, %a, %b = "test.op"() : () -> (!nv.frag<16x32xf32, C of m16n8k16>, !nv.frag<16x16xbf16, A of m16n8k16>, !nv.frag<16x32xf16, B of m16n8k16>)
  // expected-error@+1 {{b's element type is f16; a holds bf16}}
  nv.mma_sync %c, %a, %b : !nv.frag<16x32xf32, C of m16n8k16>, !nv.frag<16x16xbf16, A of m16n8k16>, !nv.frag<16x32xf16, B of m16n8k16>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c, %a, %b = "test.op"() : () -> (!nv.frag<16x32xf32, C of m16n8k16>, !nv.frag<32x16xbf16, A of m16n8k16>, !nv.frag<16x32xbf16, B of m16n8k16>)
  // expected-error@+1 {{acc has shape [16, 32], expected the product of [32, 16] and [16, 32]}}
  nv.mma_sync %c, %a, %b : !nv.frag<16x32xf32, C of m16n8k16>, !nv.frag<32x16xbf16, A of m16n8k16>, !nv.frag<16x32xbf16, B of m16n8k16>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c, %a, %b = "test.op"() : () -> (!nv.frag<16x32xf32, C of m16n8k16>, !nv.frag<16x16xbf16, A of m16n8k16>, !nv.frag<16x24xbf16, B of m16n8k16>)
  // expected-error@+1 {{acc has shape [16, 32], expected the product of [16, 16] and [16, 24]}}
  nv.mma_sync %c, %a, %b : !nv.frag<16x32xf32, C of m16n8k16>, !nv.frag<16x16xbf16, A of m16n8k16>, !nv.frag<16x24xbf16, B of m16n8k16>
  func.return
}

// -----

func.func @f(%c: !nv.frag<16x32xf32, C of m16n8k16>, %a: !nv.frag<16x16xbf16, A of m16n8k16>, %b: !nv.frag<16x32xbf16, B of m16n8k16>) {
  // expected-error@+1 {{takes fragments C, C and B, got C, A, B}}
  nv.mma_sync %c, %a column 0, %b : !nv.frag<16x32xf32, C of m16n8k16>, !nv.frag<16x16xbf16, A of m16n8k16>, !nv.frag<16x32xbf16, B of m16n8k16>
  func.return
}

// -----

func.func @f(%c: !nv.frag<16x32xf32, C of m16n8k16>, %p: !nv.frag<16x64xbf16, C of m16n8k16>, %b: !nv.frag<16x32xbf16, B of m16n8k16>) {
  // expected-error@+1 {{'column' is 56}}
  nv.mma_sync %c, %p column 56, %b : !nv.frag<16x32xf32, C of m16n8k16>, !nv.frag<16x64xbf16, C of m16n8k16>, !nv.frag<16x32xbf16, B of m16n8k16>
  func.return
}

// -----

func.func @f(%c: !nv.frag<16x32xf32, C of m16n8k16>, %p: !nv.frag<32x64xbf16, C of m16n8k16>, %b: !nv.frag<16x32xbf16, B of m16n8k16>) {
  // expected-error@+1 {{a is !nv.frag<32x64xbf16, C of m16n8k16>; it must have 16 rows of 16-bit elements and be C of m16n8k16}}
  nv.mma_sync %c, %p column 0, %b : !nv.frag<16x32xf32, C of m16n8k16>, !nv.frag<32x64xbf16, C of m16n8k16>, !nv.frag<16x32xbf16, B of m16n8k16>
  func.return
}

// -----

// Changes of layout: the result is spelled, a warp holds the same elements in both layouts, and each of them once.

func.func @f() {
  %t = "test.op"() : () -> !nv.frag<16x32xf32, lane(4: 8j, 8: i) reg(8: j, 2: 8i)>
  // expected-error@+1 {{the result is !nv.frag<16x32xf32, C of m16n8k16>; its layout must be spelled}}
  %r = nv.convert_layout %t : !nv.frag<16x32xf32, lane(4: 8j, 8: i) reg(8: j, 2: 8i)> -> !nv.frag<16x32xf32, C of m16n8k16>
  func.return
}

// -----

func.func @f() {
  %t = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  // expected-error@+1 {{'nv.convert_layout' cannot turn 'C of m16n8k16' into 'lane(32: j) reg(8: i)': both must hold the same elements}}
  %r = nv.convert_layout %t : !nv.frag<16x32xf32, C of m16n8k16> -> !nv.frag<8x32xf32, lane(32: j) reg(8: i)>
  func.return
}

// -----

// Elements of another warp pass through shared memory.

func.func @f() {
  %t = "test.op"() : () -> !nv.frag<2x32xf32, lane(32: j) warp(2: i)>
  // expected-error@+1 {{'scratch' is missing}}
  %r = nv.convert_layout %t : !nv.frag<2x32xf32, lane(32: j) warp(2: i)> -> !nv.frag<2x32xf32, lane(2: i, 16: j) warp(2: 16j)>
  func.return
}

// -----

// So do elements of which the result has more copies, or fewer.

func.func @f() {
  %t = "test.op"() : () -> !nv.frag<2x16xf32, lane(16: j, 2: 0) reg(2: i)>
  // expected-error@+1 {{'scratch' is missing}}
  %r = nv.convert_layout %t : !nv.frag<2x16xf32, lane(16: j, 2: 0) reg(2: i)> -> !nv.frag<2x16xf32, lane(16: j, 2: i)>
  func.return
}

// -----

func.func @f() {
  %t = "test.op"() : () -> !nv.frag<1x64xf32, lane(32: j) reg(2: 32j)>
  // expected-error@+1 {{'scratch' is 0}}
  %r = nv.convert_layout %t scratch 0 : !nv.frag<1x64xf32, lane(32: j) reg(2: 32j)> -> !nv.frag<1x64xf32, lane(32: 2j) reg(2: j)>
  func.return
}

// -----

func.func @f() {
  %t = "test.op"() : () -> !nv.frag<2x32xf32, lane(32: j) warp(2: i)>
  // expected-error@+1 {{'nv.convert_layout' cannot turn 'lane(32: j) warp(2: i)' into 'lane(32: j) reg(2: i)': 2 and 1 warps hold them}}
  %r = nv.convert_layout %t scratch 0 : !nv.frag<2x32xf32, lane(32: j) warp(2: i)> -> !nv.frag<2x32xf32, lane(32: j) reg(2: i)>
  func.return
}

// -----

func.func @f() {
  %t = "test.op"() : () -> !nv.frag<2x32xf32, lane(32: j) block(2: i)>
  // expected-error@+1 {{'nv.convert_layout' cannot turn 'lane(32: j) block(2: i)' into 'lane(2: i, 16: j) block(2: 16j)': only the warps of a block exchange elements}}
  %r = nv.convert_layout %t scratch 0 : !nv.frag<2x32xf32, lane(32: j) block(2: i)> -> !nv.frag<2x32xf32, lane(2: i, 16: j) block(2: 16j)>
  func.return
}

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %t = "test.op"() : () -> !nv.frag<2x32xf32, lane(32: j) warp(2: i)>
    // expected-error@+1 {{a fragment is !nv.frag<2x32xf32, lane(32: j) warp(2: i)>; the block has 128 threads, not 64}}
    %r = nv.convert_layout %t scratch 0 : !nv.frag<2x32xf32, lane(32: j) warp(2: i)> -> !nv.frag<2x32xf32, lane(2: i, 16: j) warp(2: 16j)>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
}) : () -> ()

// -----

func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = "test.op"() : () -> !nv.frag<2x32xf32, lane(32: j) warp(2: i)>
  scf.for %k = %c0 to %n step %c1 {
    // expected-error@+1 {{'nv.convert_layout' is in a loop: its next iteration would overwrite scratch that other warps still read}}
    %r = nv.convert_layout %t scratch 0 : !nv.frag<2x32xf32, lane(32: j) warp(2: i)> -> !nv.frag<2x32xf32, lane(2: i, 16: j) warp(2: 16j)>
  }
  func.return
}

// -----

// Digits of another radix than 2 stay where they are.

func.func @f() {
  %t = "test.op"() : () -> !nv.frag<3x64xf32, lane(32: j) reg(2: 32j, 3: i)>
  // expected-error@+1 {{'nv.convert_layout' cannot turn}}
  %r = nv.convert_layout %t : !nv.frag<3x64xf32, lane(32: j) reg(2: 32j, 3: i)> -> !nv.frag<1x192xf32, lane(32: j) reg(6: 32j)>
  func.return
}

// -----

func.func @f() {
  %t = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  // expected-error@+1 {{the result's element type is i32; expected f32}}
  %r = nv.convert_layout %t : !nv.frag<16x32xf32, C of m16n8k16> -> !nv.frag<16x32xi32, lane(4: 8j, 8: i) reg(8: j, 2: 8i)>
  func.return
}

// -----

func.func @f() {
  %t = "test.op"() : () -> !nv.frag<1x64xcomplex<f64>, lane(32: j) reg(2: 32j)>
  // expected-error@+1 {{an element is complex<f64>; elements of up to 8 bytes are moved}}
  %r = nv.convert_layout %t : !nv.frag<1x64xcomplex<f64>, lane(32: j) reg(2: 32j)> -> !nv.frag<1x64xcomplex<f64>, lane(32: 2j) reg(2: j)>
  func.return
}

// -----

func.func @f() {
  %t = "test.op"() : () -> !nv.frag<16x16xbf16, A of m16n8k16>
  // expected-error@+1 {{the input is A of m16n8k16; expected operand C or a spelled layout}}
  %r = nv.convert_layout %t : !nv.frag<16x16xbf16, A of m16n8k16> -> !nv.frag<16x16xbf16, lane(4: 4j, 8: i) reg(4: j, 2: 8i)>
  func.return
}

// -----

// The epilogue.

func.func @f(%y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  %d = "test.op"() : () -> !nv.frag<16x16xf32, C of m16n8k16>
  %i = arith.constant 0 : index
  // expected-error@+1 {{a further accumulator is !nv.frag<16x16xf32, C of m16n8k16>; expected the type of the first one}}
  nv.epilogue %c : !nv.frag<16x32xf32, C of m16n8k16> with %d : !nv.frag<16x16xf32, C of m16n8k16>[%i, %i] in [8, 8] dims [0, 1] guard [0] tile [16, 32] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
  ^bb0(%e: f32, %g: f32):
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  %i = arith.constant 0 : index
  // expected-error@+1 {{nv.epilogue takes an address and a width for each memref (1), got 0}}
  nv.epilogue %c : !nv.frag<16x32xf32, C of m16n8k16>[%i, %i] in [8, 8] dims [0, 1] guard [0] tile [16, 32] outs(%y : memref<8x8xf32>) addresses [] widths [1] {
  ^bb0(%e: f32):
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  %i = arith.constant 0 : index
  // expected-error@+1 {{nv.epilogue takes an address and a width for each memref (1), got 1 and 2}}
  nv.epilogue %c : !nv.frag<16x32xf32, C of m16n8k16>[%i, %i] in [8, 8] dims [0, 1] guard [0] tile [16, 32] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1, 1] {
  ^bb0(%e: f32):
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %m = "test.op"() : () -> memref<8x8xf32, 3 : index>
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  %i = arith.constant 0 : index
  // expected-error@+1 {{a memref is memref<8x8xf32, 3 : index>; kernels take memrefs in global memory}}
  nv.epilogue %c : !nv.frag<16x32xf32, C of m16n8k16>[%i, %i] in [8, 8] dims [0, 1] guard [0] tile [16, 32] outs(%m : memref<8x8xf32, 3 : index>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
  ^bb0(%e: f32):
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %m = "test.op"() : () -> memref<8x8xf32, 3 : index>
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  %i = arith.constant 0 : index
  // expected-error@+1 {{a memref is memref<8x8xf32, 3 : index>; kernels take memrefs in global memory}}
  nv.epilogue %c : !nv.frag<16x32xf32, C of m16n8k16>[%i, %i] in [8, 8] dims [0, 1] guard [0] tile [16, 32] ins(%m : memref<8x8xf32, 3 : index>) outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">, #poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1, 1] {
  ^bb0(%e: f32, %o: f32):
    nv.yield %e : f32
  }
  func.return
}

// -----

// The bounds are those of the offsets.

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'in' takes one size for each offset (2), got 3}}
  nv.epilogue %c : !nv.frag<16x32xf32, C of m16n8k16>[%i, %i] in [8, 8, 8] dims [0, 1] guard [0] tile [16, 32] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
  ^bb0(%e: f32):
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'dims' is [0]}}
  nv.epilogue %c : !nv.frag<16x32xf32, C of m16n8k16>[%i, %i] in [8, 8] dims [0] guard [0] tile [16, 32] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
  ^bb0(%e: f32):
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'dims' is [0, 2]}}
  nv.epilogue %c : !nv.frag<16x32xf32, C of m16n8k16>[%i, %i] in [8, 8] dims [0, 2] guard [0] tile [16, 32] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
  ^bb0(%e: f32):
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'dims' is [1, 1]}}
  nv.epilogue %c : !nv.frag<16x32xf32, C of m16n8k16>[%i, %i] in [8, 8] dims [1, 1] guard [1] tile [16, 32] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
  ^bb0(%e: f32):
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'guard' is [3]}}
  nv.epilogue %c : !nv.frag<16x32xf32, C of m16n8k16>[%i, %i] in [8, 8] dims [0, 1] guard [3] tile [16, 32] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
  ^bb0(%e: f32):
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %i = arith.constant 0 : index
  // expected-error@+1 {{'tile' is [16, 12, 16]}}
  nv.epilogue[%i, %i] in [8, 8] dims [0, 1] guard [0] tile [16, 12, 16] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
    %e = arith.constant 1.0 : f32
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'widths' is [3]}}
  nv.epilogue %c : !nv.frag<16x32xf32, C of m16n8k16>[%i, %i] in [8, 8] dims [0, 1] guard [0] tile [16, 32] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [3] {
  ^bb0(%e: f32):
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x16xbf16, A of m16n8k16>
  %i = arith.constant 0 : index
  // expected-error@+1 {{the accumulator is A of m16n8k16; it must be C, or a spelled layout}}
  nv.epilogue %c : !nv.frag<16x16xbf16, A of m16n8k16>[%i, %i] in [8, 8] dims [0, 1] guard [0] tile [16, 16] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
  ^bb0(%e: bf16):
    %o = arith.extf %e : bf16 to f32
    nv.yield %o : f32
  }
  func.return
}

// -----

// A lane holds two neighbours of C, four or eight of rows.

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'widths' is [4]}}
  nv.epilogue %c : !nv.frag<16x32xf32, C of m16n8k16>[%i, %i] in [8, 8] dims [0, 1] guard [0] tile [16, 32] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [4] {
  ^bb0(%e: f32):
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x16xf32, lane(2: 8j, 2: 4j, 8: i) reg(4: j, 2: 8i)>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'widths' is [8]}}
  nv.epilogue %c : !nv.frag<16x16xf32, lane(2: 8j, 2: 4j, 8: i) reg(4: j, 2: 8i)>[%i, %i] in [8, 8] dims [0, 1] guard [0] tile [16, 16] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [8] {
  ^bb0(%e: f32):
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  %i = arith.constant 0 : index
  // expected-error@+1 {{tile has shape [16, 64] from column 0 on, expected the accumulator's [16, 32], or a range of its columns that starts and ends at multiples of 8}}
  nv.epilogue %c : !nv.frag<16x32xf32, C of m16n8k16>[%i, %i] in [8, 8] dims [0, 1] guard [0] tile [16, 64] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
  ^bb0(%e: f32):
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  %i = arith.constant 0 : index
  // expected-error@+1 {{tile has shape [16, 16] from column 24 on, expected the accumulator's [16, 32], or a range of its columns that starts and ends at multiples of 8}}
  nv.epilogue %c : !nv.frag<16x32xf32, C of m16n8k16> column 24 [%i, %i] in [8, 8] dims [0, 1] guard [0] tile [16, 16] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
  ^bb0(%e: f32):
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  %i = arith.constant 0 : index
  // expected-error@+1 {{tile has shape [16, 16] from column 4 on, expected the accumulator's [16, 32], or a range of its columns that starts and ends at multiples of 8}}
  nv.epilogue %c : !nv.frag<16x32xf32, C of m16n8k16> column 4 [%i, %i] in [8, 8] dims [0, 1] guard [0] tile [16, 16] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
  ^bb0(%e: f32):
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'nv.epilogue' must have a body that takes (f32)}}
  nv.epilogue %c : !nv.frag<16x32xf32, C of m16n8k16>[%i, %i] in [8, 8] dims [0, 1] guard [0] tile [16, 32] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
  ^bb0(%e: f16):
    nv.yield %e : f16
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'nv.epilogue' must have a body that takes (f32)}}
  nv.epilogue %c : !nv.frag<16x32xf32, C of m16n8k16>[%i, %i] in [8, 8] dims [0, 1] guard [0] tile [16, 32] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
    %e = arith.constant 0.0 : f32
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'nv.epilogue' must have a body that takes (f32, bf16)}}
  nv.epilogue %c : !nv.frag<16x32xf32, C of m16n8k16>[%i, %i] in [8, 8] dims [0, 1] guard [0] tile [16, 32] ins(%x : memref<8x8xbf16>) outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">, #poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1, 1] {
  ^bb0(%e: f32):
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'nv.epilogue' must have a body that ends with nv.yield of (f32)}}
  nv.epilogue %c : !nv.frag<16x32xf32, C of m16n8k16>[%i, %i] in [8, 8] dims [0, 1] guard [0] tile [16, 32] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
  ^bb0(%e: f32):
    nv.yield %e, %e : f32, f32
  }
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>, %y: memref<8x8xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'nv.epilogue' must have a body that ends with nv.yield of (f32)}}
  nv.epilogue %c : !nv.frag<16x32xf32, C of m16n8k16>[%i, %i] in [8, 8] dims [0, 1] guard [0] tile [16, 32] outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1] {
  ^bb0(%e: f32):
    "test.termop"() : () -> ()
  }
  func.return
}

// -----

// Launches.

func.func @f(%x: memref<8x8xf32>) {
  // expected-error@+1 {{not a gpu.func}}
  nv.launch @kernels::@k grid [1, 1, 1] block [32, 1, 1] shared 0(%x : memref<8x8xf32>)
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
  // expected-error@+1 {{'nv.launch' has operand types that do not match @kernels::@k}}
  nv.launch @kernels::@k grid [1, 1, 1] block [32, 1, 1] shared 0(%x : memref<8x8xbf16>)
  func.return
}

// -----

// What a launch runs is one block.

"gpu.module"() <{sym_name = "kernels"}> ({
  // expected-note@+1 {{the kernel is here}}
  "gpu.func"() <{function_type = (memref<8x8xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<8x8xf32>):
    "cf.br"()[^bb1] : () -> ()
  ^bb1:
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()
func.func @f(%x: memref<8x8xf32>) {
  // expected-error@+1 {{'nv.launch' launches @kernels::@k, which has several blocks}}
  nv.launch @kernels::@k grid [1, 1, 1] block [32, 1, 1] shared 0(%x : memref<8x8xf32>)
  func.return
}

// -----

// A kernel may not read what it writes.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<8x8xf32>, memref<8x8xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<8x8xf32>, %y: memref<8x8xf32>):
    %c0 = arith.constant 0 : index
    nv.epilogue[%c0, %c0] in [8, 8] dims [0, 1] guard [] tile [8, 8] ins(%x : memref<8x8xf32>) outs(%y : memref<8x8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">, #poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">] widths [1, 1] {
    ^bb0(%e: f32):
      nv.yield %e : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()
func.func @f(%x: memref<8x8xf32>) {
  // expected-error@+1 {{'nv.launch' writes a buffer that is also another of its operands}}
  nv.launch @kernels::@k grid [1, 1, 1] block [32, 1, 1] shared 0(%x, %x : memref<8x8xf32>, memref<8x8xf32>)
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
  // expected-error@+1 {{'grid' is [0, 1, 1]}}
  nv.launch @kernels::@k grid [0, 1, 1] block [32, 1, 1] shared 0(%x : memref<8x8xf32>)
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

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<8x8xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<8x8xf32>):
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()
func.func @f(%x: memref<8x8xf32>) {
  // expected-error@+1 {{'block' is [32, 1, 1]}}
  nv.launch @kernels::@k grid [1, 1, 1] block [32, 1, 1] shared 0(%x : memref<8x8xf32>)
  func.return
}

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<8x8xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<8x8xf32>):
    %s = nv.smem at 0 : !nv.smem<2x16x64xbf16, xor>
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()
func.func @f(%x: memref<8x8xf32>) {
  // expected-error@+1 {{'shared' is 4095}}
  nv.launch @kernels::@k grid [1, 1, 1] block [32, 1, 1] shared 4095(%x : memref<8x8xf32>)
  func.return
}

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<8x8xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<8x8xf32>):
    %s = nv.smem at 0 : !nv.smem<2x16x64xbf16, xor>
    // expected-error@+1 {{'nv.smem' overlaps another ring or scratch in shared memory}}
    %t = nv.smem at 2048 : !nv.smem<2x16x64xbf16, xor>
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()
func.func @f(%x: memref<8x8xf32>) {
  nv.launch @kernels::@k grid [1, 1, 1] block [32, 1, 1] shared 8192(%x : memref<8x8xf32>)
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'in' is [0, 8]}}
  nv.cp_async %x[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(8i0 + i1)] }"> in [0, 8] dims [0, 1] guard [0] bytes 16 : memref<8x8xbf16>, !nv.smem<2x16x64xbf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<8x8xbf16, strided<[1, 8]>>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{kernels take row-major memrefs of static shape}}
  nv.cp_async %x[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] dims [0, 1] guard [0] bytes 16 : memref<8x8xbf16, strided<[1, 8]>>, !nv.smem<2x16x64xbf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<?x8xbf16>) {
  %s = "test.op"() : () -> !nv.smem<2x16x64xbf16, xor>
  %i = arith.constant 0 : index
  // expected-error@+1 {{kernels take row-major memrefs of static shape}}
  nv.cp_async %x[%i, %i] to %s[%i] address <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] dims [0, 1] guard [0] bytes 16 : memref<?x8xbf16>, !nv.smem<2x16x64xbf16, xor>
  func.return
}

// -----

func.func @f(%y: memref<8x7xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'widths' is [2]}}
  nv.epilogue %c : !nv.frag<16x32xf32, C of m16n8k16>[%i, %i] in [8, 7] dims [0, 1] guard [0, 1] tile [16, 32] outs(%y : memref<8x7xf32>) addresses [#poly.map<"{ [i0, i1] -> [(7i0 + i1)] }">] widths [2] {
  ^bb0(%e: f32):
    nv.yield %e : f32
  }
  func.return
}

// -----

func.func @f(%y: memref<8x7xf32>) {
  %c = "test.op"() : () -> !nv.frag<16x32xf32, C of m16n8k16>
  %i = arith.constant 0 : index
  // expected-error@+1 {{'in' is [8, -7]}}
  nv.epilogue %c : !nv.frag<16x32xf32, C of m16n8k16>[%i, %i] in [8, -7] dims [0, 1] guard [0, 1] tile [16, 32] outs(%y : memref<8x7xf32>) addresses [#poly.map<"{ [i0, i1] -> [(7i0 + i1)] }">] widths [1] {
  ^bb0(%e: f32):
    nv.yield %e : f32
  }
  func.return
}
