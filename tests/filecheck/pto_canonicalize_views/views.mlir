// RUN: ptir-opt %s -p pto-canonicalize-views --split-input-file | filecheck %s

// CHECK-LABEL: func.func @nested(
// CHECK: [[J2:%\S+]] = pto.muli %j, {{%\S+}} : index
// CHECK-NEXT: [[AT:%\S+]] = pto.addi %i, [[J2]] : index
// CHECK-NEXT: %w = pto.memref.subview %x[[[AT]], 40] [16, 16] [2, 1] : pto.memref<256x64xf32> to
func.func @nested(%x: !pto.memref<256x64xf32>, %i: index, %j: index) {
  %v = pto.memref.subview %x[%i, 32] [64, 32] [2, 1] : pto.memref<256x64xf32> to pto.memref<64x32xf32, strided<[128, 1], offset: ?>>
  %w = pto.memref.subview %v[%j, 8] [16, 16] [1, 1] : pto.memref<64x32xf32, strided<[128, 1], offset: ?>> to pto.memref<16x16xf32, strided<[128, 1], offset: ?>>
  %t = pto.tile.load %w[0, 0] : pto.memref<16x16xf32, strided<[128, 1], offset: ?>>, tile<16x16xf32>
  func.return
}

// -----

// A view of everything is the array; constants become numbers.
// CHECK-LABEL: func.func @whole(
// CHECK: %w = pto.memref.subview %x[12, 0] [8, 8] [1, 1]
// CHECK: pto.tile.load %x[0, 0] : pto.memref<64x8xf32>, tile<8x8xf32>
func.func @whole(%x: !pto.memref<64x8xf32>) {
  %c0 = pto.constant 0 : index
  %c4 = pto.constant 4 : index
  %u = pto.memref.subview %x[%c0, 0] [64, 8] [1, 1] : pto.memref<64x8xf32> to pto.memref<64x8xf32, strided<[8, 1], offset: ?>>
  %v = pto.memref.subview %x[8, 0] [16, 8] [1, 1] : pto.memref<64x8xf32> to pto.memref<16x8xf32, strided<[8, 1], offset: ?>>
  %w = pto.memref.subview %v[%c4, 0] [8, 8] [1, 1] : pto.memref<16x8xf32, strided<[8, 1], offset: ?>> to pto.memref<8x8xf32, strided<[8, 1], offset: ?>>
  %s = pto.tile.load %w[0, 0] : pto.memref<8x8xf32, strided<[8, 1], offset: ?>>, tile<8x8xf32>
  %t = pto.tile.load %u[0, 0] : pto.memref<64x8xf32, strided<[8, 1], offset: ?>>, tile<8x8xf32>
  func.return
}

// -----

// A view of an array is not changed.
// CHECK-LABEL: func.func @simple(
// CHECK-NEXT: %v = pto.memref.subview %x[%i, 0] [16, 8] [1, 1]
// CHECK-NEXT: func.return
func.func @simple(%x: !pto.memref<64x8xf32>, %i: index) {
  %v = pto.memref.subview %x[%i, 0] [16, 8] [1, 1] : pto.memref<64x8xf32> to pto.memref<16x8xf32, strided<[8, 1], offset: ?>>
  func.return
}
