// RUN: ptir-opt %s -p pto-to-nv --split-input-file --verify-diagnostics

// A kernel of columns is one loop that accumulates rows, reductions of the result, and what is stored.

// expected-error@+1 {{a tile program that stores nothing is not supported yet}}
pto.kernel @k(%x: memref<24x64xf32> align 16) -> (%y: memref<64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [8, 32], warp_tile = "4x32", vectorize = {axis = "n.i.i", width = 4}, algo_choice = {reduce = "columns"}}> {
  pto.tiles (%m, %n) in [1, 64] step [1, 32] {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<8x32xf32>
    %a = scf.for %r = %c0 to %c24 step %c8 iter_args(%t = %zero) -> (!pto.tile<8x32xf32>) {
      %e = pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [1, 64, 24] dims [2, 1] : memref<24x64xf32> -> tile<8x32xf32>
      %b = pto.tile.add %t, %e : tile<8x32xf32>
      scf.yield %b : !pto.tile<8x32xf32>
    }
    %s = pto.tile.colsum %a : tile<8x32xf32> -> tile<1x32xf32>
    %u = pto.tile.exp %s : tile<1x32xf32>
  }
}

// -----

pto.kernel @k(%x: memref<24x64xf32> align 16) -> (%y: memref<64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [8, 32], warp_tile = "4x32", vectorize = {axis = "n.i.i", width = 4}, algo_choice = {reduce = "columns"}}> {
  pto.tiles (%m, %n) in [1, 64] step [1, 32] {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<8x32xf32>
    %a = scf.for %r = %c0 to %c24 step %c8 iter_args(%t = %zero) -> (!pto.tile<8x32xf32>) {
      %e = pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [1, 64, 24] dims [2, 1] : memref<24x64xf32> -> tile<8x32xf32>
      %b = pto.tile.add %t, %e : tile<8x32xf32>
      scf.yield %b : !pto.tile<8x32xf32>
    }
    // expected-error@+1 {{'pto.tile.colsum' of a tile that no loop accumulates is not supported yet}}
    %s = pto.tile.colsum %zero : tile<8x32xf32> -> tile<1x32xf32>
    %u = pto.tile.exp %s : tile<1x32xf32>
    pto.tile.store.map %u, %y[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [1, 64] dims [0, 1] : tile<1x32xf32>, memref<64xf32>
  }
}

// -----

pto.kernel @k(%x: memref<24x64xf32> align 16) -> (%y: memref<64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [8, 32], warp_tile = "4x32", vectorize = {axis = "n.i.i", width = 4}, algo_choice = {reduce = "columns"}}> {
  pto.tiles (%m, %n) in [1, 64] step [1, 32] {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<8x32xf32>
    %a = scf.for %r = %c0 to %c24 step %c8 iter_args(%t = %zero) -> (!pto.tile<8x32xf32>) {
      %e = pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [1, 64, 24] dims [2, 1] : memref<24x64xf32> -> tile<8x32xf32>
      %b = pto.tile.add %t, %e : tile<8x32xf32>
      scf.yield %b : !pto.tile<8x32xf32>
    }
    %s = pto.tile.colsum %a : tile<8x32xf32> -> tile<1x32xf32>
    // expected-error@+1 {{'pto.tile.exp' in a kernel of columns is not supported yet}}
    %w = pto.tile.exp %a : tile<8x32xf32>
    %u = pto.tile.exp %s : tile<1x32xf32>
    pto.tile.store.map %u, %y[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [1, 64] dims [0, 1] : tile<1x32xf32>, memref<64xf32>
  }
}

// -----

pto.kernel @k(%x: memref<24x64xf32> align 16) -> (%y: memref<64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [8, 32], warp_tile = "4x32", vectorize = {axis = "n.i.i", width = 4}, algo_choice = {reduce = "columns"}}> {
  pto.tiles (%m, %n) in [1, 64] step [1, 32] {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<8x32xf32>
    // expected-error@+1 {{a loop that loads no rows is not supported yet}}
    %a = scf.for %r = %c0 to %c24 step %c8 iter_args(%t = %zero) -> (!pto.tile<8x32xf32>) {
      %b = pto.tile.add %t, %t : tile<8x32xf32>
      scf.yield %b : !pto.tile<8x32xf32>
    }
    %s = pto.tile.colsum %a : tile<8x32xf32> -> tile<1x32xf32>
    %u = pto.tile.exp %s : tile<1x32xf32>
    pto.tile.store.map %u, %y[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [1, 64] dims [0, 1] : tile<1x32xf32>, memref<64xf32>
  }
}

// -----

pto.kernel @k(%x: memref<24x64xf32> align 16) -> (%y: memref<64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [8, 32], warp_tile = "4x32", vectorize = {axis = "n.i.i", width = 4}, algo_choice = {reduce = "columns"}}> {
  pto.tiles (%m, %n) in [1, 64] step [1, 32] {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<8x32xf32>
    // expected-error@+1 {{a loop that loads no rows is not supported yet}}
    %a = scf.for %r = %c24 to %c24 step %c8 iter_args(%t = %zero) -> (!pto.tile<8x32xf32>) {
      %e = pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [1, 64, 24] dims [2, 1] : memref<24x64xf32> -> tile<8x32xf32>
      %b = pto.tile.add %t, %e : tile<8x32xf32>
      scf.yield %b : !pto.tile<8x32xf32>
    }
    %s = pto.tile.colsum %a : tile<8x32xf32> -> tile<1x32xf32>
    %u = pto.tile.exp %s : tile<1x32xf32>
    pto.tile.store.map %u, %y[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [1, 64] dims [0, 1] : tile<1x32xf32>, memref<64xf32>
  }
}

// -----

pto.kernel @k(%x: memref<24x64xf32> align 16) -> (%y: memref<64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [8, 32], warp_tile = "4x32", vectorize = {axis = "n.i.i", width = 4}, algo_choice = {reduce = "columns"}}> {
  // expected-error@+1 {{2 of scf.for here is not supported yet}}
  pto.tiles (%m, %n) in [1, 64] step [1, 32] {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<8x32xf32>
    %a = scf.for %r = %c0 to %c24 step %c8 iter_args(%t = %zero) -> (!pto.tile<8x32xf32>) {
      %e = pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [1, 64, 24] dims [2, 1] : memref<24x64xf32> -> tile<8x32xf32>
      %b = pto.tile.add %t, %e : tile<8x32xf32>
      scf.yield %b : !pto.tile<8x32xf32>
    }
    %a2 = scf.for %r = %c0 to %c24 step %c8 iter_args(%t = %zero) -> (!pto.tile<8x32xf32>) {
      %e = pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [1, 64, 24] dims [2, 1] : memref<24x64xf32> -> tile<8x32xf32>
      %b = pto.tile.add %t, %e : tile<8x32xf32>
      scf.yield %b : !pto.tile<8x32xf32>
    }
    %s = pto.tile.colsum %a : tile<8x32xf32> -> tile<1x32xf32>
    %u = pto.tile.exp %s : tile<1x32xf32>
    pto.tile.store.map %u, %y[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [1, 64] dims [0, 1] : tile<1x32xf32>, memref<64xf32>
  }
}

// -----

pto.kernel @k(%x: memref<24x64xf32> align 16) -> (%y: memref<64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [8, 32], warp_tile = "4x32", vectorize = {axis = "n.i.i", width = 4}, algo_choice = {reduce = "columns"}}> {
  pto.tiles (%m, %n) in [1, 64] step [1, 32] {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<8x32xf32>
    %a = scf.for %r = %c0 to %c24 step %c8 iter_args(%t = %zero) -> (!pto.tile<8x32xf32>) {
      %e = pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [1, 64, 24] dims [2, 1] : memref<24x64xf32> -> tile<8x32xf32>
      %b = pto.tile.add %t, %e : tile<8x32xf32>
      scf.yield %b : !pto.tile<8x32xf32>
    }
    %s = pto.tile.colsum %a : tile<8x32xf32> -> tile<1x32xf32>
    %u = pto.tile.exp %s : tile<1x32xf32>
    pto.tile.store.map %u, %y[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [1, 64] dims [0, 1] : tile<1x32xf32>, memref<64xf32>
    // expected-error@+1 {{a kernel of columns over several index spaces is not supported yet}}
    pto.tile.store.map %s, %y[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [1, 63] dims [0, 1] : tile<1x32xf32>, memref<64xf32>
  }
}

// -----

pto.kernel @k(%x: memref<24x64xf32> align 16) -> (%y: memref<64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [8, 32], warp_tile = "4x32", vectorize = {axis = "n.i.i", width = 4}, algo_choice = {reduce = "columns"}}> {
  pto.tiles (%m, %n) in [1, 64] step [1, 32] {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<8x32xf32>
    %unused = pto.tile.exp %zero : tile<8x32xf32>
    // expected-error@+1 {{a loop that begins with a tile that is used elsewhere is not supported yet}}
    %a = scf.for %r = %c0 to %c24 step %c8 iter_args(%t = %zero) -> (!pto.tile<8x32xf32>) {
      %e = pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [1, 64, 24] dims [2, 1] : memref<24x64xf32> -> tile<8x32xf32>
      %b = pto.tile.add %t, %e : tile<8x32xf32>
      scf.yield %b : !pto.tile<8x32xf32>
    }
    %s = pto.tile.colsum %a : tile<8x32xf32> -> tile<1x32xf32>
    pto.tile.store.map %s, %y[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [1, 64] dims [0, 1] : tile<1x32xf32>, memref<64xf32>
  }
}
