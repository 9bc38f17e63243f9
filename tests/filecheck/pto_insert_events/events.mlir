// RUN: ptir-opt %s -p pto-insert-events --split-input-file | filecheck %s
// RUN: ptir-opt %s -p pto-insert-events,pto-insert-events --split-input-file | filecheck %s

// A chain over three pipes, and a read after a write of global memory.
// CHECK-LABEL: func.func @chain(
// CHECK: %t, [[LOAD:%\S+]] = pto.tile.load %x[0, 0] : {{.*}}producer = #pto.op<TLOAD>, eid = 0>
// CHECK-NEXT: %u, {{.*}} = pto.tile.exp %t wait([[LOAD]]) : {{.*}}producer = #pto.op<TEXP>>
// CHECK-NEXT: %v, [[ADD:%\S+]] = pto.tile.add %u, %t : {{.*}}producer = #pto.op<TADD>, eid = 0>
// CHECK-NEXT: [[STORE:%\S+]] = pto.tile.store %v, %y[0, 0] wait([[ADD]])
// CHECK-NEXT: %w, [[LOAD2:%\S+]] = pto.tile.load %y[0, 0] wait([[STORE]])
// CHECK-NEXT: pto.tile.store %w, %x[0, 0] wait([[LOAD2]])
func.func @chain(%x: !pto.memref<32x32xf32>, %y: !pto.memref<32x32xf32>) {
  %t = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  %u = pto.tile.exp %t : tile<32x32xf32>
  %v = pto.tile.add %u, %t : tile<32x32xf32>
  pto.tile.store %v, %y[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  %w = pto.tile.load %y[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  pto.tile.store %w, %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  func.return
}

// -----

// A loop carries the events of the ops that must have read a tile before it is overwritten.
// CHECK-LABEL: func.func @loop(
// CHECK: [[EXP0:%\S+]] = pto.event.record : !pto.event<producer = #pto.op<TEXP>, eid = 0>
// CHECK: [[STORE0:%\S+]] = pto.event.record : !pto.event<producer = #pto.op<TSTORE_VEC>, eid = 0>
// CHECK: scf.for {{.*}} iter_args([[STORE:%\S+]] = [[STORE0]], [[EXP:%\S+]] = [[EXP0]])
// CHECK: pto.tile.load %x[%i, 0] wait([[EXP]])
// CHECK: %u0, [[EXP1:%\S+]] = pto.tile.exp %t wait({{%\S+}}, [[STORE]])
// CHECK: [[STORE1:%\S+]] = pto.tile.store %u, %y[%i, 0] wait([[EXP1]])
// CHECK: scf.yield [[STORE1]], [[EXP1]]
func.func @loop(%x: !pto.memref<1024x32xf32>, %y: !pto.memref<1024x32xf32>) {
  %c0 = pto.constant 0 : index
  %c32 = pto.constant 32 : index
  %c1024 = pto.constant 1024 : index
  scf.for %i = %c0 to %c1024 step %c32 {
    %t0 = pto.tile.load %x[%i, 0] : pto.memref<1024x32xf32>, tile<32x32xf32>
    %t = pto.tile.assign %t0 at [0] : tile<32x32xf32>
    %u0 = pto.tile.exp %t : tile<32x32xf32>
    %u = pto.tile.assign %u0 at [4096] : tile<32x32xf32>
    pto.tile.store %u, %y[%i, 0] : pto.memref<1024x32xf32>, tile<32x32xf32>
  }
  func.return
}

// -----

// Views of different rows, and tiles at different addresses, do not wait for each other.
// CHECK-LABEL: func.func @apart(
// CHECK: pto.tile.store %t{{[_0-9]*}}, %lower[0, 0] wait(
// CHECK: pto.tile.load %upper[8, 0] : 
func.func @apart(%x: !pto.memref<64x32xf32>, %i: index) {
  %lower = pto.memref.subview %x[0, 0] [32, 32] [1, 1] : pto.memref<64x32xf32> to pto.memref<32x32xf32, strided<[32, 1], offset: 0>>
  %upper = pto.memref.subview %x[32, 0] [32, 32] [1, 1] : pto.memref<64x32xf32> to pto.memref<32x32xf32, strided<[32, 1], offset: 1024>>
  %t = pto.tile.load %lower[0, 0] : pto.memref<32x32xf32, strided<[32, 1], offset: 0>>, tile<8x32xf32>
  pto.tile.store %t, %lower[0, 0] : pto.memref<32x32xf32, strided<[32, 1], offset: 0>>, tile<8x32xf32>
  %u = pto.tile.load %upper[8, 0] : pto.memref<32x32xf32, strided<[32, 1], offset: 1024>>, tile<8x32xf32>
  func.return
}

// -----

// After eight loads, no id is left: the ninth sum waits for all pipes.
// CHECK-LABEL: func.func @exhausted(
// CHECK: pto.tile.exp %t7 wait(
// CHECK-NEXT: pto.sync
// CHECK-NEXT: pto.tile.exp %t8 :
func.func @exhausted(%x: !pto.memref<32x32xf32>) {
  %t0 = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  %t1 = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  %t2 = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  %t3 = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  %t4 = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  %t5 = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  %t6 = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  %t7 = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  %t8 = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  %u0 = pto.tile.exp %t0 : tile<32x32xf32>
  %u1 = pto.tile.exp %t1 : tile<32x32xf32>
  %u2 = pto.tile.exp %t2 : tile<32x32xf32>
  %u3 = pto.tile.exp %t3 : tile<32x32xf32>
  %u4 = pto.tile.exp %t4 : tile<32x32xf32>
  %u5 = pto.tile.exp %t5 : tile<32x32xf32>
  %u6 = pto.tile.exp %t6 : tile<32x32xf32>
  %u7 = pto.tile.exp %t7 : tile<32x32xf32>
  %u8 = pto.tile.exp %t8 : tile<32x32xf32>
  func.return
}

// -----

// The events of an earlier run are replaced; an event that is an argument is kept.
// CHECK-LABEL: func.func @again(
// CHECK: %t, [[LOAD:%\S+]] = pto.tile.load %x[0, 0] wait(%e)
// CHECK-NEXT: pto.tile.abs %t wait([[LOAD]])
// CHECK-NOT: pto.sync
func.func @again(%x: !pto.memref<32x32xf32>, %e: !pto.event<producer = #pto.op<TADD>>) {
  %t, %e0 = pto.tile.load %x[0, 0] wait(%e) : pto.memref<32x32xf32>, tile<32x32xf32>, !pto.event<producer = #pto.op<TLOAD>>
  pto.sync wait(%e0)
  %u, %e1 = pto.tile.abs %t wait(%e0) : tile<32x32xf32>, !pto.event<producer = #pto.op<TABS>>
  pto.sync
  func.return
}

// -----

// A function without instructions is not changed.
// CHECK-LABEL: func.func @scalars(
// CHECK-NEXT: func.return
func.func @scalars(%i: index) {
  func.return
}

// -----

// A branch waits for the load before it. The store after the condition waits for a record, whichever branch was taken; the branches do not wait
// for each other.
// CHECK-LABEL: func.func @condition(
// CHECK: %t, [[LOAD:%\S+]] = pto.tile.load %x[0, 0]
// CHECK: %u = scf.if %p
// CHECK-NEXT: pto.tile.exp %t wait([[LOAD]])
// CHECK: } else {
// CHECK-NEXT: pto.tile.neg %t wait([[LOAD]])
// CHECK: }
// CHECK-NEXT: [[RECORD:%\S+]] = pto.event.record : !pto.event<producer = #pto.op<TNEG>, eid = 0>
// CHECK-NEXT: pto.tile.store %u, %y[0, 0] wait([[RECORD]])
func.func @condition(%x: !pto.memref<32x32xf32>, %y: !pto.memref<32x32xf32>, %p: i1) {
  %t = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  %u = scf.if %p -> (!pto.tile<32x32xf32>) {
    %a = pto.tile.exp %t : tile<32x32xf32>
    scf.yield %a : !pto.tile<32x32xf32>
  } else {
    %b = pto.tile.neg %t : tile<32x32xf32>
    scf.yield %b : !pto.tile<32x32xf32>
  }
  pto.tile.store %u, %y[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  func.return
}

// -----

// The load of the next iteration overwrites the tile that this one stores, if it does: the loop carries a record.
// CHECK-LABEL: func.func @condition_in_a_loop(
// CHECK: [[FIRST:%\S+]] = pto.event.record : !pto.event<producer = #pto.op<TSTORE_VEC>, eid = 0>
// CHECK: scf.for {{.*}} iter_args([[OLD:%\S+]] = [[FIRST]])
// CHECK: [[LOAD:%\S+]] = pto.tile.load %x[%i, 0] wait([[OLD]])
// CHECK: scf.if %p {
// CHECK: pto.tile.store {{.*}} wait(
// CHECK: }
// CHECK-NEXT: [[NEW:%\S+]] = pto.event.record : !pto.event<producer = #pto.op<TSTORE_VEC>, eid = 0>
// CHECK-NEXT: scf.yield [[NEW]]
func.func @condition_in_a_loop(%x: !pto.memref<1024x32xf32>, %y: !pto.memref<1024x32xf32>, %p: i1) {
  %c0 = pto.constant 0 : index
  %c32 = pto.constant 32 : index
  %c1024 = pto.constant 1024 : index
  scf.for %i = %c0 to %c1024 step %c32 {
    %t0 = pto.tile.load %x[%i, 0] : pto.memref<1024x32xf32>, tile<32x32xf32>
    %t = pto.tile.assign %t0 at [0] : tile<32x32xf32>
    scf.if %p {
      pto.tile.store %t, %y[%i, 0] : pto.memref<1024x32xf32>, tile<32x32xf32>
    }
  }
  func.return
}

// -----

// The event with which a loop starts that may have no iteration is recorded after the first exp, for which the first store needs no other event.
// CHECK-LABEL: func.func @first_iteration(
// CHECK: %u, {{.*}} = pto.tile.exp %t wait(
// CHECK: [[FIRST:%\S+]] = pto.event.record : !pto.event<producer = #pto.op<TEXP>
// CHECK-NEXT: scf.for {{.*}} iter_args(%v = %u, [[EXP:%\S+]] = [[FIRST]])
// CHECK-NEXT: pto.tile.store %v, %y[0, 0] wait([[EXP]]) :
func.func @first_iteration(%x: !pto.memref<32x32xf32>, %y: !pto.memref<32x32xf32>, %n: index) {
  %c0 = pto.constant 0 : index
  %c1 = pto.constant 1 : index
  %t = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  %u = pto.tile.exp %t : tile<32x32xf32>
  %w = scf.for %i = %c0 to %n step %c1 iter_args(%v = %u) -> (!pto.tile<32x32xf32>) {
    pto.tile.store %v, %y[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
    %next = pto.tile.exp %v : tile<32x32xf32>
    scf.yield %next : !pto.tile<32x32xf32>
  }
  func.return
}

// -----

// A loop that certainly has iterations starts with an event at the start of the function, which says nothing: its first store waits for both.
// CHECK-LABEL: func.func @certain_iterations(
// CHECK-NEXT: [[FIRST:%\S+]] = pto.event.record : !pto.event<producer = #pto.op<TEXP>
// CHECK: %u, [[BEFORE:%\S+]] = pto.tile.exp %t wait(
// CHECK: scf.for {{.*}} iter_args(%v = %u, [[EXP:%\S+]] = [[FIRST]])
// CHECK-NEXT: pto.tile.store %v, %y[0, 0] wait([[BEFORE]], [[EXP]]) :
func.func @certain_iterations(%x: !pto.memref<32x32xf32>, %y: !pto.memref<32x32xf32>) {
  %c0 = pto.constant 0 : index
  %c1 = pto.constant 1 : index
  %c4 = pto.constant 4 : index
  %t = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  %u = pto.tile.exp %t : tile<32x32xf32>
  %w = scf.for %i = %c0 to %c4 step %c1 iter_args(%v = %u) -> (!pto.tile<32x32xf32>) {
    pto.tile.store %v, %y[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
    %next = pto.tile.exp %v : tile<32x32xf32>
    scf.yield %next : !pto.tile<32x32xf32>
  }
  func.return
}
