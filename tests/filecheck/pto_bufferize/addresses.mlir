// RUN: ptir-opt %s -p 'pto-bufferize{target=a3}' --split-input-file | filecheck %s

// CHECK: builtin.module attributes {pto.target = #pto.target<a3>}
// CHECK-LABEL: func.func @straight(
// CHECK: %t = pto.tile.load
// CHECK-NEXT: [[T:%\S+]] = pto.tile.assign %t at [0] : tile<32x32xf32>
// CHECK-NEXT: %u = pto.tile.exp [[T]] : tile<32x32xf32>
// CHECK-NEXT: [[U:%\S+]] = pto.tile.assign %u at [4096] : tile<32x32xf32>
// CHECK-NEXT: pto.tile.store [[U]], %y[0, 0]
func.func @straight(%x: !pto.memref<32x32xf32>, %y: !pto.memref<32x32xf32>) {
  %t = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  %u = pto.tile.exp %t : tile<32x32xf32>
  pto.tile.store %u, %y[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  func.return
}

// -----

// 96 KB each: a third tile does not fit, unless it is computed in place.
// CHECK-LABEL: func.func @in_place(
// CHECK: pto.tile.assign %t at [0]
// CHECK: pto.tile.assign %u at [0]
// CHECK: pto.tile.assign %v at [98304]
// CHECK: pto.tile.assign %w at [0]
func.func @in_place(%x: !pto.memref<384x64xf32>) {
  %t = pto.tile.load %x[0, 0] : pto.memref<384x64xf32>, tile<384x64xf32>
  %u = pto.tile.exp %t : tile<384x64xf32>
  %v = pto.tile.load %x[0, 0] : pto.memref<384x64xf32>, tile<384x64xf32>
  %w = pto.tile.add %u, %v : tile<384x64xf32>
  pto.tile.store %w, %x[0, 0] : pto.memref<384x64xf32>, tile<384x64xf32>
  func.return
}

// -----

// Accumulators are in one place; the tiles of a fractal memory are aligned at its blocks.
// CHECK-LABEL: func.func @accumulate(
// CHECK: pto.tile.assign %w at [512] : tile<8x16xf16, #pto.tile_info<loc=Left>>
// CHECK: pto.tile.assign %s at [0] : tile<16x16xf32, #pto.tile_info<loc=Acc
// CHECK: pto.tile.assign %t at [0] : tile<16x16xf32, #pto.tile_info<loc=Acc
func.func @accumulate(%a: !pto.memref<16x16xf16>, %l0: index) {
  %m = pto.tile.load %a[0, 0] : pto.memref<16x16xf16>, tile<16x16xf16, #pto.tile_info<loc=Mat>>
  %l = pto.tile.mov.m2l %m : tile<16x16xf16, #pto.tile_info<loc=Mat>> -> tile<16x16xf16, #pto.tile_info<loc=Left>>
  %w = pto.tile.extract %m[0, 0] : tile<16x16xf16, #pto.tile_info<loc=Mat>> -> tile<8x16xf16, #pto.tile_info<loc=Left>>
  %r = pto.tile.mov.m2r %m : tile<16x16xf16, #pto.tile_info<loc=Mat>> -> tile<16x16xf16, #pto.tile_info<loc=Right>>
  %s = pto.tile.matmul %l, %r : tile<16x16xf16, #pto.tile_info<loc=Left>>, tile<16x16xf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
  %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xf16, #pto.tile_info<loc=Left>>, tile<16x16xf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
  func.return
}

// -----

// The tile before the loop is used after it, and the loop exchanges two tiles: both are copied.
// CHECK-LABEL: func.func @copies(
// CHECK: %p = pto.tile.load
// CHECK-NEXT: [[P:%\S+]] = pto.tile.assign %p at [[[AT:[0-9]+]]]
// CHECK: pto.tile.mov.v2v [[P]]
// CHECK: scf.for
// CHECK: pto.tile.mov.v2v
// CHECK: pto.tile.mov.v2v
// CHECK: scf.yield
// CHECK: pto.tile.store [[P]], %x[0, 0]
func.func @copies(%x: !pto.memref<32x32xf32>, %n: index) {
  %c0 = pto.constant 0 : index
  %c1 = pto.constant 1 : index
  %p = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  %q = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p, %b = %q) -> (!pto.tile<32x32xf32>, !pto.tile<32x32xf32>) {
    scf.yield %b, %a : !pto.tile<32x32xf32>, !pto.tile<32x32xf32>
  }
  pto.tile.store %p, %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  func.return
}

// -----

// An address that is written stays, and nothing else is there. Events are those of the addresses.
// CHECK-LABEL: func.func @given(
// CHECK: %t1 = pto.tile.assign %t at [0]
// CHECK-NOT: pto.tile.assign %t1
// CHECK: pto.tile.abs %t1 wait(
// CHECK: pto.tile.assign %u at [4096]
func.func @given(%x: !pto.memref<32x32xf32>) {
  %t, %e = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>, !pto.event<producer = #pto.op<TLOAD>>
  %t1 = pto.tile.assign %t at [0] : tile<32x32xf32>
  %u, %f = pto.tile.abs %t1 wait(%e) : tile<32x32xf32>, !pto.event<producer = #pto.op<TABS>>
  func.return
}

// -----

// 64 KB each. The tiles of both branches share storage with the result. Other tiles of the branches may share it with each other; the tile from before the
// condition is copied.
// CHECK-LABEL: func.func @condition(
// CHECK: [[T:%\S+]] = pto.tile.assign %t at [0] : tile<256x64xf32>
// CHECK: scf.if
// CHECK: pto.tile.assign %u at [[[OTHER:[0-9]+]]]
// CHECK: pto.tile.assign %v at [[[RESULT:[0-9]+]]]
// CHECK: } else {
// CHECK: pto.tile.assign %w at [[[OTHER]]]
// CHECK: [[COPY:%\S+]] = pto.tile.mov.v2v [[T]]
// CHECK-NEXT: pto.tile.assign [[COPY]] at [[[RESULT]]]
func.func @condition(%x: !pto.memref<256x64xf32>, %p: i1) {
  %t = pto.tile.load %x[0, 0] : pto.memref<256x64xf32>, tile<256x64xf32>
  %r = scf.if %p -> (!pto.tile<256x64xf32>) {
    %u = pto.tile.exp %t : tile<256x64xf32>
    %v = pto.tile.add %u, %t : tile<256x64xf32>
    scf.yield %v : !pto.tile<256x64xf32>
  } else {
    %w = pto.tile.load %x[0, 0] : pto.memref<256x64xf32>, tile<256x64xf32>
    pto.tile.store %w, %x[0, 0] : pto.memref<256x64xf32>, tile<256x64xf32>
    scf.yield %t : !pto.tile<256x64xf32>
  }
  pto.tile.store %r, %x[0, 0] : pto.memref<256x64xf32>, tile<256x64xf32>
  func.return
}

// -----

// Vector tiles follow the table of biases, which the simulator of the library keeps at the beginning of the vector memory.
// CHECK-LABEL: func.func @tables(
// CHECK: pto.tile.assign %b at [0] : tile<1x16xf32, #pto.tile_info<loc=Bias>>
// CHECK: pto.tile.assign %v at [64] : tile<16x16xf32>
func.func @tables(%x: !pto.memref<16x16xf32>) {
  %r = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<1x16xf32, #pto.tile_info<loc=Mat, layout=ND>>
  %b = pto.tile.mov.m2b %r : tile<1x16xf32, #pto.tile_info<loc=Mat, layout=ND>> -> tile<1x16xf32, #pto.tile_info<loc=Bias>>
  %v = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  pto.tile.store %v, %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  func.return
}
