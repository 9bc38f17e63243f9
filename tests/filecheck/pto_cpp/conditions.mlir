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

// Results have variables, which both ways assign: a tile that a way computes is computed there, and another one is copied.

// CHECK: AICORE void results(
// CHECK: Vec_f32_16x16 b; TASSIGN(b, 0x400);
// CHECK-NEXT: int64_t k;
// CHECK-NEXT: if (p) {
// CHECK: TEXP(b, a);
// CHECK-NEXT: k = 8;
// CHECK-NEXT: } else {
// CHECK-NEXT: TMOV(b, a);
// CHECK-NEXT: k = n;
// CHECK-NEXT: }
// CHECK: TEXTRACT(c, b, 8, 0);
func.func @results(%x: !pto.memref<16x16xf32>, %y: !pto.memref<16x16xf32>, %p: i1, %n: index) {
  %c8 = pto.constant 8 : index
  %a = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  %b, %k = scf.if %p -> (!pto.tile<16x16xf32>, index) {
    %e = pto.tile.exp %a : tile<16x16xf32>
    scf.yield %e, %c8 : !pto.tile<16x16xf32>, index
  } else {
    scf.yield %a, %n : !pto.tile<16x16xf32>, index
  }
  %c = pto.tile.extract %b[8, 0] : tile<16x16xf32> -> tile<8x16xf32>
  pto.tile.store %c, %y[%k, 0] : pto.memref<16x16xf32>, tile<8x16xf32>
  func.return
}

// An event from before the condition is waited for before it; the event that it returns is set in both ways.

// CHECK: AICORE void events(
// CHECK: wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
// CHECK: if (p) {
// CHECK: TEXP(b, a);
// CHECK-NEXT: set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
// CHECK-NEXT: } else {
// CHECK: wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
// CHECK-NEXT: TEXP(b, d);
// CHECK-NEXT: set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
// CHECK-NEXT: }
// CHECK: wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
// CHECK-NEXT: TSTORE(
func.func @events(%x: !pto.memref<16x16xf32>, %y: !pto.memref<16x16xf32>, %p: i1) {
  %a, %e = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>, !pto.event<producer = #pto.op<TLOAD>>
  %b, %f = scf.if %p -> (!pto.tile<16x16xf32>, !pto.event<producer = #pto.op<TEXP>>) {
    %c, %g = pto.tile.exp %a wait(%e) : tile<16x16xf32>, !pto.event<producer = #pto.op<TEXP>>
    scf.yield %c, %g : !pto.tile<16x16xf32>, !pto.event<producer = #pto.op<TEXP>>
  } else {
    %d, %h = pto.tile.load %y[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>, !pto.event<producer = #pto.op<TLOAD>>
    %c, %g = pto.tile.exp %d wait(%h) : tile<16x16xf32>, !pto.event<producer = #pto.op<TEXP>>
    scf.yield %c, %g : !pto.tile<16x16xf32>, !pto.event<producer = #pto.op<TEXP>>
  }
  %s = pto.tile.store %b, %y[0, 0] wait(%f) : pto.memref<16x16xf32>, tile<16x16xf32>, !pto.event<producer = #pto.op<TSTORE_VEC>>
  func.return
}

// What a way computes is not written over the tile that a loop carries, which the way reads.

// CHECK: AICORE void carried(
// CHECK: Vec_f32_16x16 b; TASSIGN(b, [[B:0x[0-9a-f]+]]);
// CHECK: TEXP(u, a);
// CHECK: TADD(b, u, a);
// CHECK: } else {
// CHECK: TMOV(b, a);
// CHECK: TMOV(a, b);
func.func @carried(%x: !pto.memref<16x16xf32>, %p: i1, %n: index) {
  %c0 = pto.constant 0 : index
  %c1 = pto.constant 1 : index
  %a = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %a) -> (!pto.tile<16x16xf32>) {
    %b = scf.if %p -> (!pto.tile<16x16xf32>) {
      %u = pto.tile.exp %t : tile<16x16xf32>
      %v = pto.tile.add %u, %t : tile<16x16xf32>
      scf.yield %v : !pto.tile<16x16xf32>
    } else {
      scf.yield %t : !pto.tile<16x16xf32>
    }
    scf.yield %b : !pto.tile<16x16xf32>
  }
  pto.tile.store %r, %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  func.return
}

// In a way that only computes, the same: the first instruction may write what the second one reads.

// CHECK: AICORE void computed(
// CHECK: TADD(b, u, a);
// CHECK: TNEG(b, a);
// CHECK: TMOV(a, b);
func.func @computed(%x: !pto.memref<16x16xf32>, %p: i1, %n: index) {
  %c0 = pto.constant 0 : index
  %c1 = pto.constant 1 : index
  %a = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %a) -> (!pto.tile<16x16xf32>) {
    %b = scf.if %p -> (!pto.tile<16x16xf32>) {
      %u = pto.tile.exp %t : tile<16x16xf32>
      %v = pto.tile.add %u, %t : tile<16x16xf32>
      scf.yield %v : !pto.tile<16x16xf32>
    } else {
      %v = pto.tile.neg %t : tile<16x16xf32>
      scf.yield %v : !pto.tile<16x16xf32>
    }
    scf.yield %b : !pto.tile<16x16xf32>
  }
  pto.tile.store %r, %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  func.return
}

// An event from before the condition that a way returns is set at the end of the way.

// CHECK: AICORE void before(
// CHECK: if (p) {
// CHECK-NEXT: set_flag(PIPE_MTE2, PIPE_V, EVENT_ID{{.}});
// CHECK-NEXT: } else {
// CHECK: TLOAD(
// CHECK-NEXT: set_flag(PIPE_MTE2, PIPE_V, EVENT_ID{{.}});
// CHECK-NEXT: }
func.func @before(%x: !pto.memref<16x16xf32>, %p: i1) {
  %a, %e = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>, !pto.event<producer = #pto.op<TLOAD>>
  %f = scf.if %p -> (!pto.event<producer = #pto.op<TLOAD>>) {
    scf.yield %e : !pto.event<producer = #pto.op<TLOAD>>
  } else {
    %b, %g = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>, !pto.event<producer = #pto.op<TLOAD>>
    scf.yield %g : !pto.event<producer = #pto.op<TLOAD>>
  }
  %c = pto.tile.exp %a wait(%f) : tile<16x16xf32>
  func.return
}

// An op without events has a barrier on both sides, of which two have one between them.

// CHECK: AICORE void some(
// CHECK: TLOAD(a, x_tile);
// CHECK: pipe_barrier(PIPE_ALL);
// CHECK-NEXT: TEXP(b, a);
// CHECK-NEXT: pipe_barrier(PIPE_ALL);
// CHECK-NOT: pipe_barrier
// CHECK: TNEG(c, b);
// CHECK-NEXT: pipe_barrier(PIPE_ALL);
// CHECK-NOT: pipe_barrier
// CHECK: TSTORE(
func.func @some(%x: !pto.memref<16x16xf32>, %y: !pto.memref<16x16xf32>) {
  %a, %e = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>, !pto.event<producer = #pto.op<TLOAD>>
  %b = pto.tile.exp %a : tile<16x16xf32>
  %c = pto.tile.neg %b : tile<16x16xf32>
  %s = pto.tile.store %c, %y[0, 0] wait(%e) : pto.memref<16x16xf32>, tile<16x16xf32>, !pto.event<producer = #pto.op<TSTORE_VEC>>
  func.return
}

// What both ways yield at one address needs no copy, which no event would order: the result is that memory.

// CHECK: AICORE void placed(
// CHECK: if (p) {
// CHECK-NOT: TMOV
// CHECK: TSTORE({{.*}}, b);
func.func @placed(%x: !pto.memref<16x16xf32>, %y: !pto.memref<16x16xf32>, %p: i1) {
  %0, %e = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>, !pto.event<producer = #pto.op<TLOAD>>
  %a = pto.tile.assign %0 at [0] : tile<16x16xf32>
  %b, %f = scf.if %p -> (!pto.tile<16x16xf32>, !pto.event<producer = #pto.op<TEXP>>) {
    %1, %g = pto.tile.exp %a wait(%e) : tile<16x16xf32>, !pto.event<producer = #pto.op<TEXP>>
    %2 = pto.tile.assign %1 at [1024] : tile<16x16xf32>
    scf.yield %2, %g : !pto.tile<16x16xf32>, !pto.event<producer = #pto.op<TEXP>>
  } else {
    %1, %g = pto.tile.exp %a wait(%e) : tile<16x16xf32>, !pto.event<producer = #pto.op<TEXP>>
    %2 = pto.tile.assign %1 at [1024] : tile<16x16xf32>
    scf.yield %2, %g : !pto.tile<16x16xf32>, !pto.event<producer = #pto.op<TEXP>>
  }
  %s = pto.tile.store %b, %y[0, 0] wait(%f) : pto.memref<16x16xf32>, tile<16x16xf32>, !pto.event<producer = #pto.op<TSTORE_VEC>>
  func.return
}
}
