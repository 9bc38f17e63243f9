// RUN: ptir-opt %s -t pto-cpp | filecheck %s

// A loop copies all tiles that it carries at the same time: what is copied elsewhere is read before it is written, and a cycle through a
// tile of its own.

module attributes { pto.target = #pto.target<a3> } {

// CHECK: AICORE void chain(
// CHECK: TADD([[S:\w+]], a, x_1);
// CHECK-NOT: TMOV(a,
// CHECK: TMOV(b, a);
// CHECK-NEXT: TMOV(a, [[S]]);
func.func @chain(%x: !pto.memref<16x16xf32>, %n: index) {
  %c0 = pto.constant 0 : index
  %c1 = pto.constant 1 : index
  %0 = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  %x_1 = pto.tile.exp %0 : tile<16x16xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %0, %b = %x_1) -> (!pto.tile<16x16xf32>, !pto.tile<16x16xf32>) {
    %s = pto.tile.add %a, %x_1 : tile<16x16xf32>
    scf.yield %s, %a : !pto.tile<16x16xf32>, !pto.tile<16x16xf32>
  }
  pto.tile.store %r#1, %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  func.return
}

// CHECK: AICORE void swap(
// CHECK: TMOV([[A:\w+]]_saved, [[A]]);
// CHECK-NEXT: TMOV([[A]], [[B:\w+]]);
// CHECK-NEXT: TMOV([[B]], [[A]]_saved);
func.func @swap(%x: !pto.memref<16x16xf32>, %n: index) {
  %c0 = pto.constant 0 : index
  %c1 = pto.constant 1 : index
  %0 = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  %1 = pto.tile.exp %0 : tile<16x16xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %0, %b = %1) -> (!pto.tile<16x16xf32>, !pto.tile<16x16xf32>) {
    scf.yield %b, %a : !pto.tile<16x16xf32>, !pto.tile<16x16xf32>
  }
  pto.tile.store %r#1, %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  func.return
}

// Tiles that have one address already are not copied.

// CHECK: AICORE void placed(
// CHECK-NOT: TMOV(
func.func @placed(%x: !pto.memref<16x16xf32>, %n: index) {
  %c0 = pto.constant 0 : index
  %c1 = pto.constant 1 : index
  %0 = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  %1 = pto.tile.assign %0 at [1024] : tile<16x16xf32>
  %2 = pto.tile.exp %1 : tile<16x16xf32>
  %3 = pto.tile.assign %2 at [4096] : tile<16x16xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %1) -> (!pto.tile<16x16xf32>) {
    %s = pto.tile.add %a, %3 : tile<16x16xf32>
    %t = pto.tile.assign %s at [1024] : tile<16x16xf32>
    scf.yield %t : !pto.tile<16x16xf32>
  }
  pto.tile.store %r, %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  func.return
}

// A tile into which another one is inserted is copied if it is used again, or has another address than the result.

// CHECK: AICORE void inserted(
// CHECK: TMOV([[C:c]], b);
// CHECK-NEXT: TINSERT([[C]], a, 0, 8);
// CHECK: TADD(d, b, b);
// CHECK-NOT: TMOV(
// CHECK: TINSERT(d, a, 8, 0);
func.func @inserted(%x: !pto.memref<16x16xf32>) {
  %a = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<8x8xf32>
  %b = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  %c = pto.tile.insert %a, %b[0, 8] : tile<8x8xf32>, tile<16x16xf32>
  pto.tile.store %c, %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  %d = pto.tile.add %b, %b : tile<16x16xf32>
  %e = pto.tile.insert %a, %d[8, 0] : tile<8x8xf32>, tile<16x16xf32>
  pto.tile.store %e, %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  func.return
}

// CHECK: AICORE void moved(
// CHECK: TMOV(c, b0);
// CHECK-NEXT: TINSERT(c, a0, 0, 8);
func.func @moved(%x: !pto.memref<16x16xf32>) {
  %a0 = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<8x8xf32>
  %a = pto.tile.assign %a0 at [0] : tile<8x8xf32>
  %b0 = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  %b = pto.tile.assign %b0 at [1024] : tile<16x16xf32>
  %c = pto.tile.insert %a, %b[0, 8] : tile<8x8xf32>, tile<16x16xf32>
  %c1 = pto.tile.assign %c at [2048] : tile<16x16xf32>
  pto.tile.store %c1, %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  func.return
}
}
