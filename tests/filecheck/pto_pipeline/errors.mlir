// RUN: ptir-opt %s -p pto-pipeline --split-input-file --verify-diagnostics
// RUN: not ptir-opt %s -p 'pto-pipeline{stages=9}' --split-input-file 2>&1 | filecheck %s --check-prefix STAGES
// STAGES: error[PTIR{{[0-9]+}}]: 'stages' is 9
// STAGES: help: a number from 1 to 8

func.func @placed(%x: !pto.memref<8x8xf32>) {
  %t = pto.tile.load %x[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  // expected-error@+1 {{pipelining tiles that have addresses is not supported yet}}
  %u = pto.tile.assign %t at [0] : tile<8x8xf32>
  func.return
}
