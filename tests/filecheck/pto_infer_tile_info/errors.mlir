// RUN: ptir-opt %s -p 'pto-infer-tile-info{target=a3}' --verify-diagnostics

func.func @both(%x: !pto.memref<16x16xf16>) {
  %m = pto.tile.load %x[0, 0] : pto.memref<16x16xf16>, tile<16x16xf16>
  // expected-note@+1 {{it must be in Mat for this op}}
  %l = pto.tile.mov.m2l %m : tile<16x16xf16> -> tile<16x16xf16>
  // expected-error@+1 {{!pto.tile<16x16xf16> must be in Vec for this op}}
  %v = pto.tile.abs %m : tile<16x16xf16>
  func.return
}
