// RUN: ptir-opt %s -p pto-to-nv --split-input-file --verify-diagnostics

// A kernel stores something, on a grid of two axes.

// expected-error@+1 {{a tile program that stores nothing is not supported yet}}
pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 64], warp_tile = "1x64", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [8, 64] step [4, 64] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : memref<8x64xf32> -> tile<4x64xf32>
    %1 = pto.tile.rowmax %0 : tile<4x64xf32> -> tile<4x1xf32>
    %2 = pto.tile.rowexpand %1 : tile<4x1xf32> -> tile<4x64xf32>
    %9 = pto.tile.sub %0, %2 : tile<4x64xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 64], warp_tile = "1x64", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 2}}> {
  // expected-error@+1 {{a grid along one axis is not supported yet}}
  pto.tiles (%m) in [8] step [4] {
    %0 = pto.tile.load.map %x[%m] by <"{ [i0] -> [(i0), (i0)] }"> in [8] dims [0] : memref<8x64xf32> -> tile<4xf32>
    %1 = pto.tile.rowmax %0 : tile<4xf32> -> tile<1xf32>
    pto.tile.store.map %0, %y[%m] by <"{ [i0] -> [(i0), (i0)] }"> in [8] dims [0] : tile<4xf32>, memref<8x64xf32>
  }
}

// -----

// Tiles in memory are whole rows or one element a row, and reductions take the former.

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 64], warp_tile = "1x64", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [8, 64] step [4, 64] {
    // expected-error@+1 {{'pto.tile.load.map' in a kernel of rows is not supported yet}}
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : memref<8x64xf32> -> tile<4x32xf32>
    %9 = pto.tile.neg %0 : tile<4x32xf32>
    pto.tile.store.map %9, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<4x32xf32>, memref<8x64xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 64], warp_tile = "1x64", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [8, 64] step [4, 64] {
    // expected-error@+1 {{'pto.tile.load.map' in a kernel of rows is not supported yet}}
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : memref<8x64xf32> -> tile<2x64xf32>
    %1 = pto.tile.rowmax %0 : tile<2x64xf32> -> tile<2x1xf32>
    %2 = pto.tile.rowexpand %1 : tile<2x1xf32> -> tile<2x64xf32>
    %9 = pto.tile.sub %0, %2 : tile<2x64xf32>
    pto.tile.store.map %9, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<2x64xf32>, memref<8x64xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 64], warp_tile = "1x64", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [8, 64] step [4, 64] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : memref<8x64xf32> -> tile<4x64xf32>
    // expected-error@+1 {{'test.op' in a kernel of rows is not supported yet}}
    %1 = "test.op"() : () -> !pto.tile<2x4x64xf32>
    %9 = pto.tile.neg %0 : tile<4x64xf32>
    %3 = pto.tile.neg %1 : tile<2x4x64xf32>
    pto.tile.store.map %9, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<4x64xf32>, memref<8x64xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 64], warp_tile = "1x64", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [8, 64] step [4, 64] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : memref<8x64xf32> -> tile<4x64xf32>
    %1 = pto.tile.rowmax %0 : tile<4x64xf32> -> tile<4x1xf32>
    %4 = pto.tile.neg %1 : tile<4x1xf32>
    // expected-error@+1 {{'pto.tile.rowsum' in a kernel of rows is not supported yet}}
    %3 = pto.tile.rowsum %4 : tile<4x1xf32> -> tile<4x1xf32>
    %2 = pto.tile.rowexpand %3 : tile<4x1xf32> -> tile<4x64xf32>
    %9 = pto.tile.sub %0, %2 : tile<4x64xf32>
    pto.tile.store.map %9, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<4x64xf32>, memref<8x64xf32>
  }
}

// -----

// There are vector ops only.

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 64], warp_tile = "1x64", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [8, 64] step [4, 64] {
    // expected-error@+1 {{'pto.tile.load.map' in a kernel of rows is not supported yet}}
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : memref<8x64xf32> -> tile<4x64xf32, #pto.tile_info<loc=Mat>>
    %9 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : memref<8x64xf32> -> tile<4x64xf32>
    pto.tile.store.map %9, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<4x64xf32>, memref<8x64xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 64], warp_tile = "1x64", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [8, 64] step [4, 64] {
    // expected-error@+1 {{'pto.channel' in a kernel of rows is not supported yet}}
    %c = pto.channel : !pto.channel<2, [!pto.tile<4x64xf32, #pto.tile_info<loc=Mat>>]>
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : memref<8x64xf32> -> tile<4x64xf32>
    %1 = pto.tile.rowmax %0 : tile<4x64xf32> -> tile<4x1xf32>
    %2 = pto.tile.rowexpand %1 : tile<4x1xf32> -> tile<4x64xf32>
    %9 = pto.tile.sub %0, %2 : tile<4x64xf32>
    pto.tile.store.map %9, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<4x64xf32>, memref<8x64xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 64], warp_tile = "1x64", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [8, 64] step [4, 64] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : memref<8x64xf32> -> tile<4x64xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error@+1 {{'scf.for' in a kernel of rows is not supported yet}}
    %9 = scf.for %r = %c0 to %c1 step %c1 iter_args(%s = %0) -> (!pto.tile<4x64xf32>) {
      %q = pto.tile.add %s, %0 : tile<4x64xf32>
      scf.yield %q : !pto.tile<4x64xf32>
    }
    pto.tile.store.map %9, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<4x64xf32>, memref<8x64xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 64], warp_tile = "1x64", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [8, 64] step [4, 64] {
    // expected-error@+1 {{'arith.addi' in a kernel of rows is not supported yet}}
    %c = arith.addi %m, %m : index
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : memref<8x64xf32> -> tile<4x64xf32>
    %1 = pto.tile.rowmax %0 : tile<4x64xf32> -> tile<4x1xf32>
    %2 = pto.tile.rowexpand %1 : tile<4x1xf32> -> tile<4x64xf32>
    %9 = pto.tile.sub %0, %2 : tile<4x64xf32>
    pto.tile.store.map %9, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<4x64xf32>, memref<8x64xf32>
  }
}

// -----

// Blocks do not overlap, and stores are to the same points.

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 64], warp_tile = "1x64", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [8, 64] step [2, 64] {
    // expected-error@+1 {{a tile of 4 at offsets up to 6 in steps of 2 along axis 0 of 8 is not supported yet}}
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : memref<8x64xf32> -> tile<4x64xf32>
    %1 = pto.tile.rowmax %0 : tile<4x64xf32> -> tile<4x1xf32>
    %2 = pto.tile.rowexpand %1 : tile<4x1xf32> -> tile<4x64xf32>
    %9 = pto.tile.sub %0, %2 : tile<4x64xf32>
    pto.tile.store.map %9, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<4x64xf32>, memref<8x64xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 64], warp_tile = "1x64", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [8, 64] step [4, 32] {
    // expected-error@+1 {{a tile of 64 at offsets up to 32 in steps of 32 along axis 1 of 64 is not supported yet}}
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : memref<8x64xf32> -> tile<4x64xf32>
    %1 = pto.tile.rowmax %0 : tile<4x64xf32> -> tile<4x1xf32>
    %2 = pto.tile.rowexpand %1 : tile<4x1xf32> -> tile<4x64xf32>
    %9 = pto.tile.sub %0, %2 : tile<4x64xf32>
    pto.tile.store.map %9, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<4x64xf32>, memref<8x64xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem, %z: memref<8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 64], warp_tile = "1x64", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [8, 64] step [4, 64] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : memref<8x64xf32> -> tile<4x64xf32>
    %1 = pto.tile.rowmax %0 : tile<4x64xf32> -> tile<4x1xf32>
    %2 = pto.tile.rowexpand %1 : tile<4x1xf32> -> tile<4x64xf32>
    %9 = pto.tile.sub %0, %2 : tile<4x64xf32>
    pto.tile.store.map %9, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<4x64xf32>, memref<8x64xf32>
    // expected-error@+1 {{a kernel of rows over several index spaces is not supported yet}}
    pto.tile.store.map %1, %z[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [8, 63] dims [0, 1] : tile<4x1xf32>, memref<8xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 64], warp_tile = "1x64", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [8, 64] step [4, 64] {
    // expected-error@+1 {{an epilogue over several index spaces is not supported yet}}
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 63] dims [0, 1] : memref<8x64xf32> -> tile<4x64xf32>
    %1 = pto.tile.rowmax %0 : tile<4x64xf32> -> tile<4x1xf32>
    %2 = pto.tile.rowexpand %1 : tile<4x1xf32> -> tile<4x64xf32>
    %9 = pto.tile.sub %0, %2 : tile<4x64xf32>
    pto.tile.store.map %9, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<4x64xf32>, memref<8x64xf32>
  }
}

// -----

// Types that kernels do not have.

pto.kernel @k(%x: memref<8x64xui4> align 16) -> (%y: memref<8x64xui4> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 64], warp_tile = "1x64", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [8, 64] step [4, 64] {
    // expected-error@+1 {{'pto.tile.load.map' on ui4 in a kernel is not supported yet}}
    %9 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : memref<8x64xui4> -> tile<4x64xui4>
    pto.tile.store.map %9, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<4x64xui4>, memref<8x64xui4>
  }
}

// -----

// The template's rules are those of a region's plan.

// expected-error@+1 {{warp_tile has a value that this lowering does not support}}
pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 64], warp_tile = "1x16", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [8, 64] step [4, 64] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : memref<8x64xf32> -> tile<4x64xf32>
    %1 = pto.tile.rowmax %0 : tile<4x64xf32> -> tile<4x1xf32>
    %2 = pto.tile.rowexpand %1 : tile<4x1xf32> -> tile<4x64xf32>
    %9 = pto.tile.sub %0, %2 : tile<4x64xf32>
    pto.tile.store.map %9, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<4x64xf32>, memref<8x64xf32>
  }
}

// -----

// expected-error@+1 {{bind has a value that this lowering does not support}}
pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 64], warp_tile = "1x64", bind = {m.o = "block.x", n.o = "block.x"}, vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [8, 64] step [4, 64] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : memref<8x64xf32> -> tile<4x64xf32>
    %1 = pto.tile.rowmax %0 : tile<4x64xf32> -> tile<4x1xf32>
    %2 = pto.tile.rowexpand %1 : tile<4x1xf32> -> tile<4x64xf32>
    %9 = pto.tile.sub %0, %2 : tile<4x64xf32>
    pto.tile.store.map %9, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<4x64xf32>, memref<8x64xf32>
  }
}

// -----

// Partial results are those of lanes, which hold runs of the plan's vector width.

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 64], warp_tile = "1x64", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [8, 64] step [4, 64] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : memref<8x64xf32> -> tile<4x64xf32>
    // expected-error@+1 {{'pto.tile.rowmax' in a kernel of rows is not supported yet}}
    %1 = pto.tile.rowmax %0 run 1 : tile<4x64xf32> -> tile<4x32xf32>
    %2 = pto.tile.rowmax %1 : tile<4x32xf32> -> tile<4x1xf32>
    pto.tile.store.map %2, %y[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [8, 64] dims [0, 1] : tile<4x1xf32>, memref<8xf32>
  }
}
