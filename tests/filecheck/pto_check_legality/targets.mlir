// RUN: ptir-opt %s --split-input-file --verify-diagnostics -p pto-check-legality
// RUN: not ptir-opt %s --split-input-file -p 'pto-check-legality{target=a2}' 2>&1 | filecheck %s

// CHECK: error[PTIR0101]: 'target' is 'a2', but the module is for a5
// CHECK: help: leave one of the two out

// What differs between targets: a5 has the left operand in column-major blocks, products of fp8, and more memory.

module attributes { pto.target = #pto.target<a5> } {
func.func @f(%a: !pto.tile<16x32xf8e5m2, #pto.tile_info<loc=Left, layout=Nz>>, %b: !pto.tile<32x16xf8e5m2, #pto.tile_info<loc=Right>>, %m: !pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>, %x: !pto.memref<512x128xf32>) {
  %0 = pto.tile.matmul %a, %b : tile<16x32xf8e5m2, #pto.tile_info<loc=Left, layout=Nz>>, tile<32x16xf8e5m2, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
  // expected-error@+1 {{has layout Zz, but a5 has only Nz in Left}}
  %1 = pto.tile.mov.m2l %m : tile<16x16xf16, #pto.tile_info<loc=Mat>> -> tile<16x16xf16, #pto.tile_info<loc=Left, layout=Zz>>
  %2 = pto.tile.load %x[0, 0] : pto.memref<512x128xf32>, tile<512x128xf32>
  func.return
}
}

// -----

// On a GPU, tiles have neither addresses nor pipes, but the ring must fit in shared memory.

module attributes { pto.target = #pto.target<sm80> } {
func.func @f(%x: !pto.memref<70x40xbf16>, %m: !pto.tile<5x7xf32>) {
  %0 = pto.tile.load %x[0, 0] : pto.memref<70x40xbf16>, tile<64x32xbf16>
  // expected-error@+1 {{sm80 has no 'pto.tile.assign'}}
  %2 = pto.tile.assign %0 at [0] : tile<64x32xbf16>
  %1 = pto.tile.erf %m : tile<5x7xf32>
  func.return
}
pto.kernel @k(%x: memref<1024x40xf32> align 16) -> (%y: memref<1024x40xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [1024, 40] step [1024, 64] {
    // expected-error@+1 {{takes 262,144 bytes, but Mat of sm80 has 166,912}}
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i, j] -> [i, j] }"> in [1024, 40] dims [0, 1] : memref<1024x40xf32> -> tile<1024x64xf32, #pto.tile_info<loc=Mat>>
    %1 = pto.tile.mov.m2v %0 : tile<1024x64xf32, #pto.tile_info<loc=Mat>> -> tile<1024x64xf32>
    pto.tile.store.map %1, %y[%m, %n] by <"{ [i, j] -> [i, j] }"> in [1024, 40] dims [0, 1] : tile<1024x64xf32>, memref<1024x40xf32>
  }
}
}

// -----

module attributes { pto.target = #pto.target<a5> } {
func.func @microscaling(%l: !pto.tile<16x4096xf8e4m3fn, #pto.tile_info<loc=Left>>, %ls: !pto.tile<16x128xf8E8M0FNU, #pto.tile_info<loc=Scale>>, %r: !pto.tile<4096x16xf8e4m3fn, #pto.tile_info<loc=Right>>, %rs: !pto.tile<128x16xf8E8M0FNU, #pto.tile_info<loc=Scale, layout=Nn>>) {
  // expected-error@+1 {{k is 4096, but a matmul of a5 takes 1 to 4095}}
  %t = pto.tile.matmul.mx %l, %ls, %r, %rs
    : tile<16x4096xf8e4m3fn, #pto.tile_info<loc=Left>>, tile<16x128xf8E8M0FNU, #pto.tile_info<loc=Scale>>,
      tile<4096x16xf8e4m3fn, #pto.tile_info<loc=Right>>, tile<128x16xf8E8M0FNU, #pto.tile_info<loc=Scale, layout=Nn>>
   -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
  func.return
}
}

// -----

// expected-error@+1 {{'target' is not given}}
module {}

// -----

// expected-error@+1 {{'pto.target' is 3 : i32}}
module attributes { pto.target = 3 : i32 } {}
