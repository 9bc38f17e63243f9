// RUN: ptir-opt %s -p pto-insert-events --split-input-file --verify-diagnostics
// RUN: not ptir-opt %s -p pto-insert-events --split-input-file 2>&1 | filecheck %s

// CHECK: error[PTIR0240]: the order of pipes is not known here: the condition returns an array, which may be any array
// CHECK: error[PTIR0242]: the address of this tile is no number below 2^24

func.func @branch(%x: !pto.memref<8x8xf32>, %y: !pto.memref<8x8xf32>, %p: i1) {
  // expected-error@+1 {{the order of pipes is not known here: the condition returns an array, which may be any array}}
  %r = scf.if %p -> (!pto.memref<8x8xf32>) {
    scf.yield %x : !pto.memref<8x8xf32>
  } else {
    scf.yield %y : !pto.memref<8x8xf32>
  }
  %t = pto.tile.load %r[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  func.return
}

// -----

func.func @while(%x: !pto.memref<8x8xf32>, %p: i1) {
  // expected-error@+1 {{the order of pipes is not known here: scf.while contains instructions}}
  "scf.while"() ({
    "scf.condition"(%p) : (i1) -> ()
  }, {
    %t = pto.tile.load %x[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
    scf.yield
  }) : () -> ()
  func.return
}

// -----

func.func @extension(%x: !pto.tile<8x8xf32>) {
  // expected-error@+1 {{the order of pipes is not known here: TTF32 is no instruction of PTO}}
  %t = pto.tile.tf32 %x : tile<8x8xf32>
  func.return
}

// -----

func.func @carried(%x: !pto.memref<8x8xf32>, %y: !pto.memref<8x8xf32>, %n: index) {
  %c0 = pto.constant 0 : index
  %c1 = pto.constant 1 : index
  // expected-error@+1 {{the order of pipes is not known here: the loop carries an array}}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (!pto.memref<8x8xf32>, !pto.memref<8x8xf32>) {
    %t = pto.tile.load %a[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
    scf.yield %b, %a : !pto.memref<8x8xf32>, !pto.memref<8x8xf32>
  }
  func.return
}

// -----

func.func @address(%x: !pto.memref<8x8xf32>, %a: index) {
  %t = pto.tile.load %x[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  // expected-error@+1 {{the address of this tile is no number below 2^24}}
  %u = pto.tile.assign %t at [%a] : tile<8x8xf32>
  func.return
}
