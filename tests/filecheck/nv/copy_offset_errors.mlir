// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of the verifiers of nv.copy_offsets, nv.cp_async_at and nv.move_offsets.

func.func @f(%x: memref<64x128xbf16>) {
  %c0 = arith.constant 0 : index
  %s = nv.smem at 0 : !nv.smem<2x16x32xbf16, xor>
  // expected-error@+1 {{'bytes' is 2}}
  %o = nv.copy_offsets %x[%c0, %c0] to %s address <"{ [i0, i1] -> [(128i0 + i1)] }"> in [64, 128] dims [0, 1] guard [0] bytes 2 along 1 units [32] counts [4] where [#poly.set<"{ [i0, i1] : i0 >= 3 }">] : memref<64x128xbf16>, !nv.smem<2x16x32xbf16, xor> -> !nv.offsets
  func.return
}

// -----

func.func @f(%x: memref<64x128xf64>) {
  %c0 = arith.constant 0 : index
  %s = nv.smem at 0 : !nv.smem<2x16x32xf64, xor>
  // expected-error@+1 {{'bytes' is 4}}
  %o = nv.copy_offsets %x[%c0, %c0] to %s address <"{ [i0, i1] -> [(128i0 + i1)] }"> in [64, 128] dims [0, 1] guard [0] bytes 4 along 1 units [32] counts [4] where [#poly.set<"{ [i0, i1] : i0 >= 3 }">] : memref<64x128xf64>, !nv.smem<2x16x32xf64, xor> -> !nv.offsets
  func.return
}

// -----

func.func @f(%x: memref<64x128xbf16>) {
  %c0 = arith.constant 0 : index
  %s = nv.smem at 0 : !nv.smem<2x16x32xf16, xor>
  // expected-error@+1 {{the memref's element type}}
  %o = nv.copy_offsets %x[%c0, %c0] to %s address <"{ [i0, i1] -> [(128i0 + i1)] }"> in [64, 128] dims [0, 1] guard [0] bytes 16 along 1 units [32] counts [4] where [#poly.set<"{ [i0, i1] : i0 >= 3 }">] : memref<64x128xbf16>, !nv.smem<2x16x32xf16, xor> -> !nv.offsets
  func.return
}

// -----

func.func @f(%x: memref<64x128xbf16>) {
  %c0 = arith.constant 0 : index
  %s = nv.smem at 0 : !nv.smem<2x16x32xbf16, xor>
  // expected-error@+1 {{'along' is 2}}
  %o = nv.copy_offsets %x[%c0, %c0] to %s address <"{ [i0, i1] -> [(128i0 + i1)] }"> in [64, 128] dims [0, 1] guard [0] bytes 16 along 2 units [32] counts [4] where [#poly.set<"{ [i0, i1] : i0 >= 3 }">] : memref<64x128xbf16>, !nv.smem<2x16x32xbf16, xor> -> !nv.offsets
  func.return
}

// -----

func.func @f(%x: memref<64x128xbf16>) {
  %c0 = arith.constant 0 : index
  %s = nv.smem at 0 : !nv.smem<2x16x32xbf16, xor>
  // expected-error@+1 {{'along' is 0}}
  %o = nv.copy_offsets %x[%c0, %c0] to %s address <"{ [i0, i1] -> [(128i0 + i1)] }"> in [64, 128] dims [0, 1] guard [0] bytes 16 along 0 units [32] counts [4] where [#poly.set<"{ [i0, i1] : i0 >= 3 }">] : memref<64x128xbf16>, !nv.smem<2x16x32xbf16, xor> -> !nv.offsets
  func.return
}

// -----

func.func @f(%x: memref<64x128xbf16>) {
  %c0 = arith.constant 0 : index
  %s = nv.smem at 0 : !nv.smem<2x16x32xbf16, xor>
  // expected-error@+1 {{'units' takes one for each set (1), got 2}}
  %o = nv.copy_offsets %x[%c0, %c0] to %s address <"{ [i0, i1] -> [(128i0 + i1)] }"> in [64, 128] dims [0, 1] guard [0] bytes 16 along 1 units [32, 64] counts [4] where [#poly.set<"{ [i0, i1] : i0 >= 3 }">] : memref<64x128xbf16>, !nv.smem<2x16x32xbf16, xor> -> !nv.offsets
  func.return
}

// -----

func.func @f(%x: memref<64x128xbf16>) {
  %c0 = arith.constant 0 : index
  %s = nv.smem at 0 : !nv.smem<2x16x32xbf16, xor>
  // expected-error@+1 {{'counts' takes one for each set (1), got 0}}
  %o = nv.copy_offsets %x[%c0, %c0] to %s address <"{ [i0, i1] -> [(128i0 + i1)] }"> in [64, 128] dims [0, 1] guard [0] bytes 16 along 1 units [32] counts [] where [#poly.set<"{ [i0, i1] : i0 >= 3 }">] : memref<64x128xbf16>, !nv.smem<2x16x32xbf16, xor> -> !nv.offsets
  func.return
}

// -----

func.func @f(%x: memref<64x128xbf16>) {
  %c0 = arith.constant 0 : index
  %s = nv.smem at 0 : !nv.smem<2x16x32xbf16, xor>
  // expected-error@+1 {{'units' is [0]}}
  %o = nv.copy_offsets %x[%c0, %c0] to %s address <"{ [i0, i1] -> [(128i0 + i1)] }"> in [64, 128] dims [0, 1] guard [0] bytes 16 along 1 units [0] counts [4] where [#poly.set<"{ [i0, i1] : i0 >= 3 }">] : memref<64x128xbf16>, !nv.smem<2x16x32xbf16, xor> -> !nv.offsets
  func.return
}

// -----

func.func @f(%x: memref<64x128xbf16>) {
  %c0 = arith.constant 0 : index
  %s = nv.smem at 0 : !nv.smem<2x16x32xbf16, xor>
  // expected-error@+1 {{'counts' is [33]}}
  %o = nv.copy_offsets %x[%c0, %c0] to %s address <"{ [i0, i1] -> [(128i0 + i1)] }"> in [64, 128] dims [0, 1] guard [0] bytes 16 along 1 units [32] counts [33] where [#poly.set<"{ [i0, i1] : i0 >= 3 }">] : memref<64x128xbf16>, !nv.smem<2x16x32xbf16, xor> -> !nv.offsets
  func.return
}

// -----

func.func @f(%x: memref<64x128xbf16>) {
  %c0 = arith.constant 0 : index
  %s = nv.smem at 0 : !nv.smem<2x16x32xbf16, xor>
  // expected-error@+1 {{'dims' is [0, 0]}}
  %o = nv.copy_offsets %x[%c0, %c0] to %s address <"{ [i0, i1] -> [(128i0 + i1)] }"> in [64, 128] dims [0, 0] guard [0] bytes 16 along 1 units [32] counts [4] where [#poly.set<"{ [i0, i1] : i0 >= 3 }">] : memref<64x128xbf16>, !nv.smem<2x16x32xbf16, xor> -> !nv.offsets
  func.return
}

// -----

func.func @f(%x: memref<64x128xbf16>) {
  %c0 = arith.constant 0 : index
  %s = nv.smem at 0 : !nv.smem<2x16x32xbf16, xor>
  %o = "test.op"() : () -> !nv.offsets
  // expected-error@+1 {{the offsets}}
  nv.cp_async_at %o[%c0] bits[%c0] to %s[%c0] : !nv.smem<2x16x32xbf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<64x128xbf16>) {
  %c0 = arith.constant 0 : index
  %s = nv.smem at 0 : !nv.smem<2x16x32xbf16, xor>
  %o = nv.copy_offsets %x[%c0, %c0] to %s address <"{ [i0, i1] -> [(128i0 + i1)] }"> in [64, 128] dims [0, 1] guard [0] bytes 16 along 1 units [32] counts [4] where [#poly.set<"{ [i0, i1] : i0 >= 3 }">] : memref<64x128xbf16>, !nv.smem<2x16x32xbf16, xor> -> !nv.offsets
  %r = nv.smem at 4096 : !nv.smem<2x16x64xbf16, xor>
  // expected-error@+1 {{the ring}}
  nv.cp_async_at %o[%c0] bits[%c0] to %r[%c0] : !nv.smem<2x16x64xbf16, xor>
  func.return
}

// -----

func.func @f(%x: memref<64x128xbf16>) {
  %c0 = arith.constant 0 : index
  %s = nv.smem at 0 : !nv.smem<2x16x32xbf16, xor>
  %o = nv.copy_offsets %x[%c0, %c0] to %s address <"{ [i0, i1] -> [(128i0 + i1)] }"> in [64, 128] dims [0, 1] guard [0] bytes 16 along 1 units [32] counts [4] where [#poly.set<"{ [i0, i1] : i0 >= 3 }">] : memref<64x128xbf16>, !nv.smem<2x16x32xbf16, xor> -> !nv.offsets
  // expected-error@+1 {{'bits' takes one for each mask (1), got 0}}
  nv.cp_async_at %o[%c0] bits[] to %s[%c0] : !nv.smem<2x16x32xbf16, xor>
  func.return
}

// -----

func.func @f(%o: !nv.offsets) {
  // expected-error@+1 {{they must be the result of nv.copy_offsets}}
  nv.move_offsets %o by 128
  func.return
}
