// RUN: ptir-opt %s -p 'pto-bufferize{target=a3}' --split-input-file --verify-diagnostics
// RUN: not ptir-opt %s -p 'pto-bufferize{target=a3}' --split-input-file 2>&1 | filecheck %s

// CHECK: error[PTIR0280]: the tiles in Vec need 262,144 bytes, but a3 has 196,608: 65,536 too many (262,144 are live at one time)
// CHECK: error[PTIR0280]: the tiles in Vec need 294,912 bytes
// CHECK: error[PTIR0280]: the tiles in Vec need 196,672 bytes
// CHECK: error[PTIR0281]: argument 0 is a tile, whose place its caller decides
// CHECK: error[PTIR0281]: !pto.tile<16x16xf16, #pto.tile_info<loc=Mat>> must be copied, because it is used after the loop overwrites it

func.func @large(%x: !pto.memref<256x128xf32>) {
  // expected-error@+1 {{the tiles in Vec need 262,144 bytes, but a3 has 196,608: 65,536 too many (262,144 are live at one time)}}
  %t = pto.tile.load %x[0, 0] : pto.memref<256x128xf32>, tile<256x128xf32>
  // expected-note@+1 {{131,072 bytes are live here}}
  %u = pto.tile.load %x[0, 0] : pto.memref<256x128xf32>, tile<256x128xf32>
  %v = pto.tile.add %t, %u : tile<256x128xf32>
  func.return
}

// -----

// A reciprocal is not computed in place: its instruction writes the numerator to the result first.
func.func @quotient(%x: !pto.memref<384x64xf32>) {
  // expected-error@+1 {{the tiles in Vec need 294,912 bytes, but a3 has 196,608: 98,304 too many (294,912 are live at one time)}}
  %t = pto.tile.load %x[0, 0] : pto.memref<384x64xf32>, tile<384x64xf32>
  // expected-note@+1 {{98,304 bytes are live here}}
  %v = pto.tile.load %x[0, 0] : pto.memref<384x64xf32>, tile<384x64xf32>
  // expected-note@+1 {{98,304 bytes are live here}}
  %u = pto.tile.recip %t : tile<384x64xf32>
  %w = pto.tile.add %u, %v : tile<384x64xf32>
  pto.tile.store %w, %x[0, 0] : pto.memref<384x64xf32>, tile<384x64xf32>
  func.return
}

// -----

// Vector tiles that would fill their memory have none left after the table of biases.
func.func @after_tables(%x: !pto.memref<384x64xf32>) {
  %r = pto.tile.load %x[0, 0] : pto.memref<384x64xf32>, tile<1x16xf32, #pto.tile_info<loc=Mat, layout=ND>>
  %b = pto.tile.mov.m2b %r : tile<1x16xf32, #pto.tile_info<loc=Mat, layout=ND>> -> tile<1x16xf32, #pto.tile_info<loc=Bias>>
  // expected-error@+1 {{the tiles in Vec need 196,672 bytes, but a3 has 196,608: 64 too many (196,672 are live at one time)}}
  %t = pto.tile.load %x[0, 0] : pto.memref<384x64xf32>, tile<384x64xf32>
  // expected-note@+1 {{98,304 bytes are live here}}
  %u = pto.tile.load %x[0, 0] : pto.memref<384x64xf32>, tile<384x64xf32>
  %v = pto.tile.add %t, %u : tile<384x64xf32>
  func.return
}

// -----

// expected-error@+1 {{argument 0 is a tile, whose place its caller decides}}
func.func @argument(%x: !pto.tile<8x8xf32>) {
  %t = pto.tile.abs %x : tile<8x8xf32>
  func.return
}

// -----

func.func @no_copy(%x: !pto.memref<16x16xf16>, %n: index) {
  %c0 = pto.constant 0 : index
  %c1 = pto.constant 1 : index
  %p = pto.tile.load %x[0, 0] : pto.memref<16x16xf16>, tile<16x16xf16, #pto.tile_info<loc=Mat>>
  %q = pto.tile.load %x[0, 0] : pto.memref<16x16xf16>, tile<16x16xf16, #pto.tile_info<loc=Mat>>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p, %b = %q) -> (!pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>) {
    // expected-error@+1 {{must be copied, because it is used after the loop overwrites it}}
    scf.yield %b, %a : !pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>
  }
  func.return
}

// -----

func.func @dynamic(%x: !pto.memref<?x16xf32>) {
  // expected-error@+1 {{a place in memory for !pto.tile<?x16xf32> is not supported yet}}
  %t = pto.tile.load %x[0, 0] : pto.memref<?x16xf32>, tile<?x16xf32>
  func.return
}

// -----

func.func @no_copy_in_a_branch(%x: !pto.memref<16x16xf16>, %p: i1) {
  %t = pto.tile.load %x[0, 0] : pto.memref<16x16xf16>, tile<16x16xf16, #pto.tile_info<loc=Mat>>
  %r = scf.if %p -> (!pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>) {
    // expected-error@+1 {{must be copied, because the branch does not compute it, or yields it twice}}
    scf.yield %t : !pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>
  } else {
    scf.yield %t : !pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>
  }
  func.return
}
