// RUN: ptir-opt %s -p 'pto-pipeline' --split-input-file | filecheck %s

// Two stages, two buffers: the loop loads a tile while the one before is computed and stored.
// CHECK-LABEL: func.func @maps(
// CHECK: [[FIRST:%\S+]] = pto.tile.load %x[%i, 0]
// CHECK: scf.for [[I:%\S+]] = {{.*}} iter_args([[OLD:%\S+]] = [[FIRST]])
// CHECK-NEXT: [[NEW:%\S+]] = pto.tile.load %x[[[I]], 0]
// CHECK-NEXT: [[U:%\S+]] = pto.tile.exp [[OLD]]
// CHECK: pto.tile.store [[U]], %y[
// CHECK: [[NEXT:%\S+]] = pto.tile.load %x[
// CHECK: [[V:%\S+]] = pto.tile.exp [[NEW]]
// CHECK: pto.tile.store [[V]], %y[[[I]], 0]
// CHECK: scf.yield [[NEXT]]
// CHECK: }
// CHECK: pto.tile.store
// CHECK: pto.tile.store
// CHECK-NOT: pto.tile.store
func.func @maps(%x: !pto.memref<320x32xf32>, %y: !pto.memref<320x32xf32>) {
  %c0 = pto.constant 0 : index
  %c32 = pto.constant 32 : index
  %c320 = pto.constant 320 : index
  scf.for %i = %c0 to %c320 step %c32 {
    %t = pto.tile.load %x[%i, 0] : pto.memref<320x32xf32>, tile<32x32xf32>
    %u = pto.tile.exp %t : tile<32x32xf32>
    pto.tile.store %u, %y[%i, 0] : pto.memref<320x32xf32>, tile<32x32xf32>
  }
  func.return
}

// -----

// The next iteration loads what this one stores: the order stays.
// CHECK-LABEL: func.func @recurrence(
// CHECK: scf.for %i = %c8 to %c64 step %c8 {
// CHECK-NEXT: pto.subi
// CHECK-NEXT: pto.tile.load
// CHECK-NEXT: pto.tile.exp
// CHECK-NEXT: pto.tile.store
func.func @recurrence(%x: !pto.memref<64x32xf32>) {
  %c8 = pto.constant 8 : index
  %c64 = pto.constant 64 : index
  scf.for %i = %c8 to %c64 step %c8 {
    %j = pto.subi %i, %c8 : index
    %t = pto.tile.load %x[%j, 0] : pto.memref<64x32xf32>, tile<8x32xf32>
    %u = pto.tile.exp %t : tile<8x32xf32>
    pto.tile.store %u, %x[%i, 0] : pto.memref<64x32xf32>, tile<8x32xf32>
  }
  func.return
}

// -----

// The number of iterations is not known.
// CHECK-LABEL: func.func @unknown(
// CHECK: scf.for %i = %c0 to %n step %c8 {
// CHECK-NEXT: pto.tile.load
func.func @unknown(%x: !pto.memref<64x32xf32>, %y: !pto.memref<64x32xf32>, %n: index) {
  %c0 = pto.constant 0 : index
  %c8 = pto.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    %t = pto.tile.load %x[%i, 0] : pto.memref<64x32xf32>, tile<8x32xf32>
    pto.tile.store %t, %y[%i, 0] : pto.memref<64x32xf32>, tile<8x32xf32>
  }
  func.return
}

// -----

// A loop with a condition is not changed; a loop in a branch is.
// CHECK-LABEL: func.func @condition(
// CHECK: scf.for %i = %c0 to %c64 step %c8 {
// CHECK-NEXT: pto.tile.load
// CHECK-NEXT: scf.if %p {
// CHECK: scf.if %p {
// CHECK: pto.tile.load
// CHECK: scf.for {{.*}} iter_args(
func.func @condition(%x: !pto.memref<64x32xf32>, %y: !pto.memref<64x32xf32>, %p: i1) {
  %c0 = pto.constant 0 : index
  %c8 = pto.constant 8 : index
  %c64 = pto.constant 64 : index
  scf.for %i = %c0 to %c64 step %c8 {
    %t = pto.tile.load %x[%i, 0] : pto.memref<64x32xf32>, tile<8x32xf32>
    scf.if %p {
      pto.tile.store %t, %y[%i, 0] : pto.memref<64x32xf32>, tile<8x32xf32>
    }
  }
  scf.if %p {
    scf.for %i = %c0 to %c64 step %c8 {
      %t = pto.tile.load %x[%i, 0] : pto.memref<64x32xf32>, tile<8x32xf32>
      pto.tile.store %t, %y[%i, 0] : pto.memref<64x32xf32>, tile<8x32xf32>
    }
  }
  func.return
}

// -----

// The last tile has other valid rows: no iteration passes one on to the next, as what a loop carries has one valid region.
// CHECK-LABEL: func.func @ragged(
// CHECK: scf.for %i = %{{[^ ]*}} to %{{[^ ]*}} step %{{[^ ]*}} {
// CHECK: pto.tile.load
// CHECK-NEXT: pto.tile.exp
// CHECK-NEXT: pto.tile.store
// CHECK-NOT: pto.tile.store
func.func @ragged(%x: !pto.memref<40x32xf32>, %y: !pto.memref<40x32xf32>) {
  %c0 = pto.constant 0 : index
  %c16 = pto.constant 16 : index
  %c40 = pto.constant 40 : index
  scf.for %i = %c0 to %c40 step %c16 {
    %left = pto.subi %c40, %i : index
    %valid = arith.minui %c16, %left : index
    %t = pto.tile.load %x[%i, 0] {valid = [%valid, 32]} : pto.memref<40x32xf32>, tile<16x32xf32>
    %u = pto.tile.exp %t : tile<16x32xf32>
    pto.tile.store %u, %y[%i, 0] : pto.memref<40x32xf32>, tile<16x32xf32>
  }
  func.return
}
