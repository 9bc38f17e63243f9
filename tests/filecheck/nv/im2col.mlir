// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s | ptir-opt | filecheck %s
// RUN: ptir-opt --print-op-generic %s | ptir-opt | filecheck %s

// A tensor map in im2col mode, and a load with filter offsets.

// CHECK-LABEL: func.func @f
func.func @f(%x: memref<2x8x6x64xbf16>) {
    // CHECK: %t = nv.tensor_map %x offset 0 sizes [2, 8, 6, 64] strides [3072, 384, 64, 1] lower [-1, -2] upper [-1, 0] steps [1, 2] : memref<2x8x6x64xbf16> -> !nv.tensor_map<64x64xbf16, b128>
    %t = nv.tensor_map %x offset 0 sizes [2, 8, 6, 64] strides [3072, 384, 64, 1] lower [-1, -2] upper [-1, 0] steps [1, 2] : memref<2x8x6x64xbf16> -> !nv.tensor_map<64x64xbf16, b128>
    func.return
}

// CHECK-LABEL: func.func @g
func.func @g(%t: !nv.tensor_map<64x64xbf16, b128>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %s = nv.smem at 0 : !nv.smem<2x64x64xbf16, b128>
    %full = nv.mbarrier at 32768 : !nv.mbarrier<2>
    // CHECK: nv.tma_load %t[%c0, %c1, %c1, %c0] filter[%c1, %c0] to %s[%c1, %c0, %c0] signal %full[%c1] : !nv.tensor_map<64x64xbf16, b128>, !nv.smem<2x64x64xbf16, b128>, !nv.mbarrier<2>
    nv.single block {
      nv.tma_load %t[%c0, %c1, %c1, %c0] filter[%c1, %c0] to %s[%c1, %c0, %c0] signal %full[%c1] : !nv.tensor_map<64x64xbf16, b128>, !nv.smem<2x64x64xbf16, b128>, !nv.mbarrier<2>
    }
    func.return
}
