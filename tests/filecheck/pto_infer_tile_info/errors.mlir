// RUN: ptir-opt %s -p 'pto-infer-tile-info{target=a3}' --split-input-file --verify-diagnostics
// RUN: not ptir-opt %s -p 'pto-infer-tile-info{target=a3}' --split-input-file 2>&1 | filecheck %s

// CHECK: error[PTIR0282]: !pto.tile<16x16xf16> must be in Vec for this op

func.func @both(%x: !pto.memref<16x16xf16>) {
  %m = pto.tile.load %x[0, 0] : pto.memref<16x16xf16>, tile<16x16xf16>
  // expected-note@+1 {{it must be in Mat for this op}}
  %l = pto.tile.mov.m2l %m : tile<16x16xf16> -> tile<16x16xf16>
  // expected-error@+1 {{!pto.tile<16x16xf16> must be in Vec for this op}}
  %v = pto.tile.abs %m : tile<16x16xf16>
  func.return
}

// -----

func.func @callee(%t: !pto.tile<16x16xf32>) {
  %u = pto.tile.abs %t : tile<16x16xf32>
  func.return
}
func.func @caller(%t: !pto.tile<16x16xf32>) {
  // expected-error@+1 {{a call that passes tiles is not supported yet}}
  func.call @callee(%t) : (!pto.tile<16x16xf32>) -> ()
  func.return
}

// -----

// An extract copies L1 to an operand, or a vector tile to another.
module attributes { pto.target = #pto.target<a3> } {
func.func @part(%x: !pto.memref<32x16xf16>) {
  // expected-note@+1 {{it must be in Mat for this op}}
  %m = pto.tile.load %x[0, 0] {loc = #pto.loc<Mat>} : pto.memref<32x16xf16>, tile<32x16xf16>
  // expected-error@+1 {{must be in Vec for this op}}
  %v = pto.tile.extract %m[16, 0] : tile<32x16xf16> -> tile<16x16xf16>
  func.return
}
}
