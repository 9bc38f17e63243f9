// RUN: ptir-opt %s -p pto-canonicalize --split-input-file | filecheck %s

// CHECK-LABEL: func.func @indices(
// CHECK-NEXT: %t = pto.tile.load %x[16, %i] {valid = [8, %i]}
// CHECK-NEXT: pto.tile.store %t, %x[%i, 0]
// CHECK-NEXT: func.return
func.func @indices(%x: !pto.memref<64x64xf32>, %i: index) {
  %c0 = pto.constant 0 : index
  %c1 = pto.constant 1 : index
  %c8 = pto.constant 8 : index
  %c2 = pto.constant 2 : index
  %r = pto.muli %c8, %c2 : index
  %s = pto.addi %c0, %i : index
  %u = pto.muli %s, %c1 : index
  %z = pto.subi %u, %u : index
  %t = pto.tile.load %x[%r, %u] {valid = [%c8, %u]} : pto.memref<64x64xf32>, tile<8x8xf32>
  pto.tile.store %t, %x[%u, %z] : pto.memref<64x64xf32>, tile<8x8xf32>
  func.return
}

// -----

// CHECK-LABEL: func.func @tiles(
// CHECK: %a = pto.tile.abs %t
// CHECK-NEXT: pto.tile.store %a
// CHECK-NEXT: pto.tile.store %a
// CHECK-NEXT: func.return
func.func @tiles(%x: !pto.memref<8x8xf32>) {
  %t = pto.tile.load %x[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  %a = pto.tile.abs %t : tile<8x8xf32>
  %b = pto.tile.abs %a : tile<8x8xf32>
  %n = pto.tile.neg %b : tile<8x8xf32>
  %m = pto.tile.neg %n : tile<8x8xf32>
  %dead = pto.tile.exp %n : tile<8x8xf32>
  %again = pto.tile.abs %t : tile<8x8xf32>
  pto.tile.store %m, %x[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  pto.tile.store %again, %x[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  func.return
}

// -----

// Sums wrap in their type. What is out of range, has events or a valid region of its own, or is a load beside a store, is not changed.
// CHECK-LABEL: func.func @kept(
// CHECK: pto.constant -128 : i8
// CHECK: %t = pto.tile.load %x[%c8, 0]
// CHECK-NEXT: pto.tile.store
// CHECK-NEXT: pto.tile.load %x[0, 0]
// CHECK-NEXT: %a = pto.tile.abs %t {valid = [4, 8]}
// CHECK-NEXT: pto.tile.abs %a
// CHECK: wait(
func.func @kept(%x: !pto.memref<8x8xf32>) -> i8 {
  %c127 = pto.constant 127 : i8
  %c1 = pto.constant 1 : i8
  %w = pto.addi %c127, %c1 : i8
  %c8 = pto.constant 8 : index
  %t = pto.tile.load %x[%c8, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  pto.tile.store %t, %x[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  %u = pto.tile.load %x[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  %a = pto.tile.abs %t {valid = [4, 8]} : tile<8x8xf32>
  %b = pto.tile.abs %a : tile<8x8xf32>
  %c, %e = pto.tile.neg %u : tile<8x8xf32>, !pto.event<producer = #pto.op<TNEG>>
  %d, %f = pto.tile.neg %c wait(%e) : tile<8x8xf32>, !pto.event<producer = #pto.op<TNEG>>
  pto.tile.store %b, %x[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  pto.tile.store %d, %x[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  func.return %w : i8
}

// -----

// Comparisons of different modes are different.
// CHECK-LABEL: func.func @modes(
// CHECK: %g = pto.tile.cmp %a, %b {cmpMode = #pto.cmp<GT>}
// CHECK-NEXT: %l = pto.tile.cmp %a, %b {cmpMode = #pto.cmp<LT>}
// CHECK-NEXT: func.return %g, %l
func.func @modes(%a: !pto.tile<8x8xf32>, %b: !pto.tile<8x8xf32>) -> (!pto.tile<8x8xi1>, !pto.tile<8x8xi1>) {
  %g = pto.tile.cmp %a, %b {cmpMode = #pto.cmp<GT>} : tile<8x8xf32> -> tile<8x8xi1>
  %l = pto.tile.cmp %a, %b {cmpMode = #pto.cmp<LT>} : tile<8x8xf32> -> tile<8x8xi1>
  func.return %g, %l : !pto.tile<8x8xi1>, !pto.tile<8x8xi1>
}
