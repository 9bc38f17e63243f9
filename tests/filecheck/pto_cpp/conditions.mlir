// RUN: ptir-opt %s -t pto-cpp | filecheck %s

module attributes { pto.target = #pto.target<a3> } {
// Both ways of a condition begin and end in the same order of pipes.

// CHECK: AICORE void condition(__gm__ float *x, int64_t n) {
// CHECK: TLOAD(a, x_tile);
// CHECK-NEXT: const bool p = (uint64_t)n < (uint64_t)1;
// CHECK-NEXT: set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
// CHECK-NEXT: wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
// CHECK-NEXT: if (p) {
// CHECK: TEXP(b, a);
// CHECK: TSTORE(
// CHECK-NEXT: set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
// CHECK-NEXT: wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
// CHECK-NEXT: } else {
// CHECK-NEXT: }
// CHECK-NEXT: // V: vectors
// CHECK: TNEG(
func.func @condition(%x: !pto.memref<32x32xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  %a = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  %p = arith.cmpi ult, %n, %c1 : index
  scf.if %p {
    %b = pto.tile.exp %a : tile<32x32xf32>
    pto.tile.store %b, %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  } else {
  }
  %c = pto.tile.neg %a : tile<32x32xf32>
  func.return
}
}
