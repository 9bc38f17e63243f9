// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of tensor maps in im2col mode, and of loads through them.

func.func @f(%x: memref<2x8x6x64xbf16>) {
  // expected-error@+1 {{takes lower, upper and steps, or none of them, got 1}}
  %t = nv.tensor_map %x offset 0 sizes [2, 8, 6, 64] strides [3072, 384, 64, 1] lower [-1, -1] : memref<2x8x6x64xbf16> -> !nv.tensor_map<64x64xbf16, b128>
  func.return
}

// -----

func.func @f(%x: memref<2x8x6x64xbf16>) {
  // expected-error@+1 {{'sizes' takes 3 to 5 axes in im2col mode, got 2}}
  %t = nv.tensor_map %x offset 0 sizes [96, 64] strides [64, 1] lower [] upper [] steps [] : memref<2x8x6x64xbf16> -> !nv.tensor_map<64x64xbf16, b128>
  func.return
}

// -----

func.func @f(%x: memref<2x8x6x64xbf16>) {
  // expected-error@+1 {{'lower' takes as many as axes between the first and the last (2)}}
  %t = nv.tensor_map %x offset 0 sizes [2, 8, 6, 64] strides [3072, 384, 64, 1] lower [-1] upper [-1, 0] steps [1, 2] : memref<2x8x6x64xbf16> -> !nv.tensor_map<64x64xbf16, b128>
  func.return
}

// -----

func.func @f(%x: memref<2x8x6x64xbf16>) {
  // expected-error@+1 {{'lower' is [-129, -2, -1, 0]}}
  %t = nv.tensor_map %x offset 0 sizes [2, 8, 6, 64] strides [3072, 384, 64, 1] lower [-129, -2] upper [-1, 0] steps [1, 2] : memref<2x8x6x64xbf16> -> !nv.tensor_map<64x64xbf16, b128>
  func.return
}

// -----

func.func @f(%x: memref<2x8x6x64xbf16>) {
  // expected-error@+1 {{'steps' is [1, 9]}}
  %t = nv.tensor_map %x offset 0 sizes [2, 8, 6, 64] strides [3072, 384, 64, 1] lower [-1, -2] upper [-1, 0] steps [1, 9] : memref<2x8x6x64xbf16> -> !nv.tensor_map<64x64xbf16, b128>
  func.return
}

// -----

func.func @f(%x: memref<2x8x6x64xbf16>) {
  // expected-error@+1 {{the box takes pixels and channels, got 3}}
  %t = nv.tensor_map %x offset 0 sizes [2, 8, 6, 64] strides [3072, 384, 64, 1] lower [-1, -2] upper [-1, 0] steps [1, 2] : memref<2x8x6x64xbf16> -> !nv.tensor_map<1x64x64xbf16, b128>
  func.return
}

// -----

func.func @g(%t: !nv.tensor_map<64x64xbf16, b128>) {
  %c0 = arith.constant 0 : index
  %s = nv.smem at 0 : !nv.smem<2x64x64xbf16, b128>
  %full = nv.mbarrier at 32768 : !nv.mbarrier<2>
  nv.single block {
  // expected-error@+1 {{the map takes one coordinate for each axis (4), got 3}}
  nv.tma_load %t[%c0, %c0, %c0] filter[%c0, %c0] to %s[%c0, %c0, %c0] signal %full[%c0] : !nv.tensor_map<64x64xbf16, b128>, !nv.smem<2x64x64xbf16, b128>, !nv.mbarrier<2>
  }
  func.return
}
