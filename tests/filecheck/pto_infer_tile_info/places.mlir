// RUN: ptir-opt %s -p 'pto-infer-tile-info' --split-input-file | filecheck %s
// RUN: ptir-opt %s -p 'pto-infer-tile-info,pto-infer-tile-info' --split-input-file | filecheck %s

// CHECK-LABEL: func.func @product(
// CHECK-NEXT: pto.tile.load %x[0, 0] : pto.memref<16x16xf16>, tile<16x16xf16, #pto.tile_info<loc=Mat, layout=Nz>>
// CHECK-NEXT: -> tile<16x16xf16, #pto.tile_info<loc=Left, layout=Zz>>
// CHECK-NEXT: -> tile<16x16xf16, #pto.tile_info<loc=Right, layout=Zn>>
// CHECK-NEXT: -> tile<16x16xf32, #pto.tile_info<loc=Acc, layout=Nz>>
// CHECK: iter_args(%a = %s) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc, layout=Nz>>)
// CHECK: pto.tile.store %o, %y[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32, #pto.tile_info<loc=Acc, layout=Nz>>
module attributes { pto.target = #pto.target<a3> } {
func.func @product(%x: !pto.memref<16x16xf16>, %y: !pto.memref<16x16xf32>, %n: index) {
  %m = pto.tile.load %x[0, 0] : pto.memref<16x16xf16>, tile<16x16xf16>
  %l = pto.tile.mov.m2l %m : tile<16x16xf16> -> tile<16x16xf16>
  %r = pto.tile.mov.m2r %m : tile<16x16xf16> -> tile<16x16xf16>
  %s = pto.tile.matmul %l, %r : tile<16x16xf16>, tile<16x16xf16> -> tile<16x16xf32>
  %c1 = pto.constant 1 : index
  %o = scf.for %i = %c1 to %n step %c1 iter_args(%a = %s) -> (!pto.tile<16x16xf32>) {
    %t = pto.tile.matmul.acc %a, %l, %r : tile<16x16xf32>, tile<16x16xf16>, tile<16x16xf16> -> tile<16x16xf32>
    scf.yield %t : !pto.tile<16x16xf32>
  }
  pto.tile.store %o, %y[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  func.return
}
}

// -----

// What is written is kept; the attributes of a load become those of its tile.
// CHECK-LABEL: func.func @written(
// CHECK-NEXT: %t = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32, #pto.tile_info<loc=Vec, layout=DN>>
// CHECK-NEXT: %u = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32, #pto.tile_info<loc=Mat, layout=ND>>
module attributes { pto.target = #pto.target<a3> } {
func.func @written(%x: !pto.memref<16x16xf32>) {
  %t = pto.tile.load %x[0, 0] {layout = #pto.layout<DN>} : pto.memref<16x16xf32>, tile<16x16xf32>
  %u = pto.tile.load %x[0, 0] {loc = #pto.loc<Mat>, layout = #pto.layout<ND>} : pto.memref<16x16xf32>, tile<16x16xf32>
  func.return
}
}

// -----

// CHECK-LABEL: func.func @argument(
// CHECK-SAME: %t: !pto.tile<16x16xf32, #pto.tile_info<loc=Vec, layout=ND>>
module attributes { pto.target = #pto.target<a3> } {
func.func @argument(%t: !pto.tile<16x16xf32>) -> !pto.tile<16x16xf32> {
  %u = pto.tile.abs %t : tile<16x16xf32>
  func.return %u : !pto.tile<16x16xf32>
}
}

// -----

// The operand of an extract is in L1 if its result is an operand of a product, and a vector tile otherwise.
// CHECK-LABEL: func.func @parts(
// CHECK-NEXT: %m = pto.tile.load %x[0, 0] : pto.memref<32x16xf16>, tile<32x16xf16, #pto.tile_info<loc=Mat, layout=Nz>>
// CHECK-NEXT: %l = pto.tile.extract %m[16, 0] : tile<32x16xf16, #pto.tile_info<loc=Mat, layout=Nz>> -> tile<16x16xf16, #pto.tile_info<loc=Left, layout=Zz>>
// CHECK: %p = pto.tile.extract %v[16, 0] : tile<32x16xf16, #pto.tile_info<loc=Vec, layout=ND>> -> tile<16x16xf16, #pto.tile_info<loc=Vec, layout=ND>>
module attributes { pto.target = #pto.target<a3> } {
func.func @parts(%x: !pto.memref<32x16xf16>) {
  %m = pto.tile.load %x[0, 0] : pto.memref<32x16xf16>, tile<32x16xf16>
  %l = pto.tile.extract %m[16, 0] : tile<32x16xf16> -> tile<16x16xf16>
  %w = pto.tile.load %x[0, 0] : pto.memref<32x16xf16>, tile<16x16xf16>
  %r = pto.tile.mov.m2r %w : tile<16x16xf16> -> tile<16x16xf16>
  %c = pto.tile.matmul %l, %r : tile<16x16xf16>, tile<16x16xf16> -> tile<16x16xf32>
  %v = pto.tile.load %x[0, 0] : pto.memref<32x16xf16>, tile<32x16xf16>
  %p = pto.tile.extract %v[16, 0] : tile<32x16xf16> -> tile<16x16xf16>
  %q, %e = pto.tile.extract %v[0, 0] : tile<32x16xf16> -> tile<16x16xf16>, !pto.event<producer = #pto.op<TEXTRACT_V2V>>
  func.return
}
}

// -----

// A row is ND and a column DN where the target has that; the row of a bias is not in blocks.
// CHECK-LABEL: func.func @lines(
// CHECK-NEXT: %t = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32, #pto.tile_info<loc=Vec, layout=ND>>
// CHECK-NEXT: -> tile<16x1xf32, #pto.tile_info<loc=Vec, layout=DN>>
// CHECK-NEXT: -> tile<1x16xf32, #pto.tile_info<loc=Vec, layout=ND>>
// CHECK-NEXT: %b = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<1x16xf32, #pto.tile_info<loc=Mat, layout=ND>>
// CHECK-NEXT: -> tile<1x16xf32, #pto.tile_info<loc=Bias, layout=ND>>
module attributes { pto.target = #pto.target<a3> } {
func.func @lines(%x: !pto.memref<16x16xf32>) {
  %t = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  %r = pto.tile.rowsum %t : tile<16x16xf32> -> tile<16x1xf32>
  %c = pto.tile.colsum %t : tile<16x16xf32> -> tile<1x16xf32>
  %b = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<1x16xf32>
  %m = pto.tile.mov.m2b %b : tile<1x16xf32> -> tile<1x16xf32>
  func.return
}
}

// -----

// A loop carries tiles in the layout that a load gives to the first one.
// CHECK-LABEL: func.func @carried(
// CHECK: iter_args(%u = %t) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Vec, layout=DN>>)
module attributes { pto.target = #pto.target<a3> } {
func.func @carried(%x: !pto.memref<16x16xf32>, %n: index) {
  %c1 = pto.constant 1 : index
  %t = pto.tile.load %x[0, 0] {layout = #pto.layout<DN>} : pto.memref<16x16xf32>, tile<16x16xf32>
  %o = scf.for %i = %c1 to %n step %c1 iter_args(%u = %t) -> (!pto.tile<16x16xf32>) {
    scf.yield %u : !pto.tile<16x16xf32>
  }
  func.return
}
}

// -----

// CHECK-LABEL: func.func @microscaling(
// CHECK-NEXT: tile<16x64xf8E4M3FN, #pto.tile_info<loc=Left, layout=Nz>>, tile<16x2xf8E8M0FNU, #pto.tile_info<loc=Scale, layout=ND>>, tile<64x32xf8E4M3FN, #pto.tile_info<loc=Right, layout=Zn>>, tile<2x32xf8E8M0FNU, #pto.tile_info<loc=Scale, layout=ND>> -> tile<16x32xf32, #pto.tile_info<loc=Acc, layout=Nz>>
module attributes { pto.target = #pto.target<a5> } {
func.func @microscaling(%l: !pto.tile<16x64xf8e4m3fn>, %ls: !pto.tile<16x2xf8E8M0FNU>, %r: !pto.tile<64x32xf8e4m3fn>, %rs: !pto.tile<2x32xf8E8M0FNU>) {
  %t = pto.tile.matmul.mx %l, %ls, %r, %rs
    : tile<16x64xf8e4m3fn>, tile<16x2xf8E8M0FNU>, tile<64x32xf8e4m3fn>, tile<2x32xf8E8M0FNU> -> tile<16x32xf32>
  func.return
}
}
