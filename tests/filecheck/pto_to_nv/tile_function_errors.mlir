// RUN: ptir-opt %s -p pto-to-nv --split-input-file --verify-diagnostics

// expected-error@+1 {{'pto.target' is not given}}
module {
func.func @f(%x: !pto.memref<8x8xf32>) {
  %a = pto.tile.load %x[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  func.return
}
}

// -----

// expected-error@+1 {{'pto.target' is a3, which is no GPU}}
module attributes {pto.target = #pto.target<a3>} {
func.func @f(%x: !pto.memref<8x8xf32>) {
  %a = pto.tile.load %x[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  func.return
}
}

// -----

module attributes {pto.target = #pto.target<sm80>} {
// expected-error@+1 {{a function of tile ops with results is not supported yet}}
func.func @f(%x: !pto.memref<8x8xf32>) -> index {
  %a = pto.tile.load %x[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  %c = pto.constant 1 : index
  func.return %c : index
}
}

// -----

module attributes {pto.target = #pto.target<sm80>} {
// expected-error@+1 {{a function of several blocks is not supported yet}}
func.func @f(%x: !pto.memref<8x8xf32>) {
  %a = pto.tile.load %x[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  cf.br ^end
^end:
  func.return
}
}

// -----

module attributes {pto.target = #pto.target<sm80>} {
func.func private @g(!pto.memref<8x8xf32>)
func.func @f(%x: !pto.memref<8x8xf32>) {
  %a = pto.tile.load %x[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  // expected-error@+1 {{a call in a function of tile ops for a GPU is not supported yet}}
  func.call @g(%x) : (!pto.memref<8x8xf32>) -> ()
  func.return
}
}

// -----

module attributes {pto.target = #pto.target<sm80>} {
// expected-error@+1 {{an argument of type !pto.tile<8x8xf32> is not supported yet}}
func.func @f(%x: !pto.memref<8x8xf32>, %t: !pto.tile<8x8xf32>) {
  pto.tile.store %t, %x[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  func.return
}
}

// -----

module attributes {pto.target = #pto.target<sm80>} {
// expected-error@+1 {{an array of type !pto.memref<8x?xf32> is not supported yet}}
func.func @f(%x: !pto.memref<8x?xf32>) {
  %a = pto.tile.load %x[0, 0] : pto.memref<8x?xf32>, tile<8x8xf32>
  func.return
}
}

// -----

module attributes {pto.target = #pto.target<sm80>} {
// expected-error@+1 {{an array of type !pto.memref<8x8xf32, strided<[16, 1]>> is not supported yet}}
func.func @f(%x: !pto.memref<8x8xf32, strided<[16, 1]>>) {
  %a = pto.tile.load %x[0, 0] : pto.memref<8x8xf32, strided<[16, 1]>>, tile<8x8xf32>
  func.return
}
}

// -----

module attributes {pto.target = #pto.target<sm80>} {
// expected-error@+1 {{an array of type !pto.memref<65536x65536xi8> is not supported yet}}
func.func @f(%x: !pto.memref<65536x65536xi8>) {
  %a = pto.tile.load %x[0, 0] : pto.memref<65536x65536xi8>, tile<8x8xi8>
  func.return
}
}

// -----

module attributes {pto.target = #pto.target<sm80>} {
func.func @f(%x: !pto.memref<8x8xcomplex<f32>>) {
  // expected-error@+1 {{!pto.tile<8x8xcomplex<f32>> in a function of tile ops for a GPU is not supported yet}}
  %a = pto.tile.load %x[0, 0] : pto.memref<8x8xcomplex<f32>>, tile<8x8xcomplex<f32>>
  func.return
}
}

// -----

module attributes {pto.target = #pto.target<sm80>} {
func.func @f(%x: !pto.memref<8x8xf32>, %n: index) {
  // expected-error@+1 {{a place in memory for !pto.tile<?x8xf32> is not supported yet}}
  %a = pto.tile.load %x[0, 0] {valid = [%n, 8]} : pto.memref<8x8xf32>, tile<?x8xf32>
  func.return
}
}

// -----

module attributes {pto.target = #pto.target<sm80>} {
func.func @f(%x: !pto.memref<256x256xf32>, %y: !pto.memref<256x256xf32>) {
  // expected-error@+1 {{the tiles in shared memory need 262,144 bytes, but sm80 has 166,912: 95,232 too many}}
  %a = pto.tile.load %x[0, 0] : pto.memref<256x256xf32>, tile<256x256xf32>
  pto.tile.store %a, %y[0, 0] : pto.memref<256x256xf32>, tile<256x256xf32>
  func.return
}
}

// -----

module attributes {pto.target = #pto.target<sm80>} {
func.func @f(%x: !pto.memref<8x8xf32>) {
  %a = pto.tile.load %x[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  // expected-error@+1 {{'pto.tile.assign' in a function of tile ops for a GPU is not supported yet}}
  %b = pto.tile.assign %a at [0] : tile<8x8xf32>
  func.return
}
}

// -----

module attributes {pto.target = #pto.target<sm80>} {
func.func @f(%a: !pto.memref<16x64xf8E4M3FN>, %s: !pto.memref<16x2xf8E8M0FNU>) {
  %l = pto.tile.load %a[0, 0] : pto.memref<16x64xf8E4M3FN>, tile<16x64xf8E4M3FN>
  // expected-error@+1 {{!pto.tile<16x2xf8E8M0FNU> in a function of tile ops for a GPU is not supported yet}}
  %ls = pto.tile.load %s[0, 0] : pto.memref<16x2xf8E8M0FNU>, tile<16x2xf8E8M0FNU>
  func.return
}
}

// -----

module attributes {pto.target = #pto.target<sm80>} {
func.func @f(%x: !pto.memref<8x8xf32>) {
  %a = pto.tile.load %x[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  // expected-error@+1 {{'run' in a function of tile ops for a GPU is not supported yet}}
  %b = pto.tile.rowsum %a run 1 : tile<8x8xf32> -> tile<8x4xf32>
  func.return
}
}

// -----

module attributes {pto.target = #pto.target<sm80>} {
func.func @f(%x: !pto.memref<8x8xf32>) {
  %a = pto.tile.load %x[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  // expected-error@+1 {{'rmode' CAST_FLOOR to f8E4M3FN in a kernel for a GPU is not supported yet}}
  %b = pto.tile.cvt %a {rmode = #pto.round_mode<CAST_FLOOR>} : tile<8x8xf32> -> tile<8x8xf8E4M3FN>
  func.return
}
}

// -----

module attributes {pto.target = #pto.target<sm80>} {
func.func @f(%x: !pto.memref<8x8xf32>, %c: i32) {
  %a = pto.tile.load %x[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  // expected-error@+1 {{'arith.divsi' in a function of tile ops for a GPU is not supported yet}}
  %d = arith.divsi %c, %c : i32
  func.return
}
}

// -----

module attributes {pto.target = #pto.target<sm80>} {
func.func @f(%x: !pto.memref<8x8xf32>, %y: !pto.memref<8x8xf32>, %p: i1) {
  // expected-error@+1 {{'arith.select' in a function of tile ops for a GPU is not supported yet}}
  %z = arith.select %p, %x, %y : !pto.memref<8x8xf32>
  %a = pto.tile.load %z[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  func.return
}
}

// -----

module attributes {pto.target = #pto.target<sm80>} {
func.func @f(%x: !pto.memref<8x8xf32>, %c: i32) {
  // expected-error@+1 {{'scf.for' in a function of tile ops for a GPU is not supported yet}}
  scf.for %i = %c to %c step %c : i32 {
    %a = pto.tile.load %x[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  }
  func.return
}
}

// -----

module attributes {pto.target = #pto.target<sm80>} {
func.func @f(%x: !pto.memref<8x8xf32>, %y: !pto.memref<8x8xf32>, %p: i1) {
  %a = pto.tile.load %x[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  %z = scf.if %p -> (!pto.memref<8x8xf32>) {
    // expected-error@+1 {{passing on a !pto.memref<8x8xf32> is not supported yet}}
    scf.yield %x : !pto.memref<8x8xf32>
  } else {
    scf.yield %y : !pto.memref<8x8xf32>
  }
  func.return
}
}

// -----

module attributes {pto.target = #pto.target<sm80>} {
func.func @f(%x: !pto.memref<8x8xf32>, %i: index) {
  %a = pto.tile.load %x[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  // expected-error@+1 {{'pto.tile.mask' in a function of tile ops for a GPU is not supported yet}}
  %m = pto.tile.mask [%i, %i] in [8, 8] dims [0, 1] : tile<8x8xi1>
  func.return
}
}

// -----

module attributes {pto.target = #pto.target<sm80>} {
func.func @f(%x: !pto.memref<8x8xf32>) {
  %a = pto.tile.load %x[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  func.return
}
func.func @g(%x: !pto.memref<8x8xf32>) {
  // expected-error@+1 {{a call of a function of tile ops for a GPU is not supported yet}}
  func.call @f(%x) : (!pto.memref<8x8xf32>) -> ()
  func.return
}
}
