// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s | ptir-opt | filecheck %s
// RUN: ptir-opt --print-op-generic %s | ptir-opt | filecheck %s

// Copies whose offsets and masks are computed once a tile: with two masks, and without any; and the copy of rows whose numbers a table has.

// CHECK-LABEL: func.func @f
func.func @f(%x: memref<64x128xbf16>, %t: memref<4xsi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %true = arith.constant true
    %c32 = arith.constant 32 : index
    %s = nv.smem at 0 : !nv.smem<2x16x32xbf16, xor>
    // CHECK: %offsets = nv.copy_offsets %x[%c0, %c0] to %s address <"{ [i0, i1] -> [(32i0 + i1)] }"> in [64, 128] dims [0, 1] guard [0] bytes 16 along 1 units [32, 64] counts [4, 2] where [#poly.set<"{ [i0, i1] : i0 >= 3 }">, #poly.set<"{ [i0, i1] : i1 < 64 }">] : memref<64x128xbf16>, !nv.smem<2x16x32xbf16, xor> -> !nv.offsets
    %offsets = nv.copy_offsets %x[%c0, %c0] to %s address <"{ [i0, i1] -> [(32i0 + i1)] }"> in [64, 128] dims [0, 1] guard [0] bytes 16 along 1 units [32, 64] counts [4, 2] where [#poly.set<"{ [i0, i1] : i0 >= 3 }">, #poly.set<"{ [i0, i1] : i1 < 64 }">] : memref<64x128xbf16>, !nv.smem<2x16x32xbf16, xor> -> !nv.offsets
    // CHECK: nv.cp_async_at %offsets[%c32] bits[%c0, %c1] to %s[%c1] : !nv.smem<2x16x32xbf16, xor>
    nv.cp_async_at %offsets[%c32] bits[%c0, %c1] to %s[%c1] : !nv.smem<2x16x32xbf16, xor>
    // CHECK: %plain = nv.copy_offsets %x[%c0, %c0] to %s address <"{ [i0, i1] -> [(128i0 + i1)] }"> in [64, 128] dims [0, 1] guard [] bytes 8 along 1 units [] counts [] where [] : memref<64x128xbf16>, !nv.smem<2x16x32xbf16, xor> -> !nv.offsets
    %plain = nv.copy_offsets %x[%c0, %c0] to %s address <"{ [i0, i1] -> [(128i0 + i1)] }"> in [64, 128] dims [0, 1] guard [] bytes 8 along 1 units [] counts [] where [] : memref<64x128xbf16>, !nv.smem<2x16x32xbf16, xor> -> !nv.offsets
    // CHECK: nv.cp_async_at %plain[%c32] bits[] to %s[%c0] if %true : !nv.smem<2x16x32xbf16, xor>
    nv.cp_async_at %plain[%c32] bits[] to %s[%c0] if %true : !nv.smem<2x16x32xbf16, xor>
    // CHECK-NEXT: nv.move_offsets %plain by 128
    nv.move_offsets %plain by 128
    // CHECK: nv.cp_async %x[%c0, %c0] to %s[%c0] address <"{ [i0, i1] -> [(128i0 + i1)] }"> in [64, 128] dims [0, 1] guard [0] bytes 16 where <"{ [i0, i1] : i0 >= 3 }"> : memref<64x128xbf16>, !nv.smem<2x16x32xbf16, xor>
    nv.cp_async %x[%c0, %c0] to %s[%c0] address <"{ [i0, i1] -> [(128i0 + i1)] }"> in [64, 128] dims [0, 1] guard [0] bytes 16 where <"{ [i0, i1] : i0 >= 3 }"> : memref<64x128xbf16>, !nv.smem<2x16x32xbf16, xor>
    // CHECK: nv.cp_async %x[%c0, %c0] at(%t by <"{ [i0, i1] -> [(floor((i0)/16))] }"> : memref<4xsi32>) to %s[%c0] address <"{ [i0, i1, i2] -> [(128i2 + i1)] }"> in [64, 128, 64]
    nv.cp_async %x[%c0, %c0] at (%t by <"{ [i0, i1] -> [(floor((i0)/16))] }"> : memref<4xsi32>) to %s[%c0] address <"{ [i0, i1, i2] -> [(128i2 + i1)] }"> in [64, 128, 64] dims [0, 1] guard [0] bytes 16 : memref<64x128xbf16>, !nv.smem<2x16x32xbf16, xor>
    func.return
}
