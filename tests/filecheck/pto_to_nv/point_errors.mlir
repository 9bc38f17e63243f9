// RUN: ptir-opt %s -p pto-to-nv --split-input-file --verify-diagnostics

// The axes after the stores' are counted by loops, and those before are the stores'.

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [2, 64], vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%m, %n) in [8, 64] step [2, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<2x64xf32>
    %0 = scf.for %r = %c0 to %c9 step %c1 iter_args(%s = %zero) -> (!pto.tile<2x64xf32>) {
      // expected-error@+1 {{an epilogue over several index spaces is not supported yet}}
      %e = pto.tile.load.map %x[%m, %n, %c0] by <"{ [i0, i1, i2] -> [(i0), (i1)] }"> in [8, 64, 9] dims [0, 1] : memref<8x64xf32> -> tile<2x64xf32>
      %t = pto.tile.add %s, %e : tile<2x64xf32>
      scf.yield %t : !pto.tile<2x64xf32>
    }
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<2x64xf32>, memref<8x64xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [2, 64], vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%m, %n) in [8, 64] step [2, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<2x64xf32>
    %0 = scf.for %r = %c0 to %c9 step %c1 iter_args(%s = %zero) -> (!pto.tile<2x64xf32>) {
      // expected-error@+1 {{an epilogue over several index spaces is not supported yet}}
      %e = pto.tile.load.map %x[%n, %m, %r] by <"{ [i0, i1, i2] -> [(i0), (i1)] }"> in [8, 64, 9] dims [0, 1] : memref<8x64xf32> -> tile<2x64xf32>
      %t = pto.tile.add %s, %e : tile<2x64xf32>
      scf.yield %t : !pto.tile<2x64xf32>
    }
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<2x64xf32>, memref<8x64xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [2, 64], vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%m, %n) in [8, 64] step [2, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<2x64xf32>
    // expected-error@+1 {{an epilogue over several index spaces is not supported yet}}
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 32] dims [0, 1] : memref<8x64xf32> -> tile<2x64xf32>
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<2x64xf32>, memref<8x64xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [2, 64], vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%m, %n) in [8, 64] step [2, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<2x64xf32>
    // expected-error@+1 {{an epilogue over several index spaces is not supported yet}}
    %p = pto.tile.mask [%m, %n] in [8, 64] dims [1, 0] where <"{ [i0, i1] : i0 = i1 }"> : tile<2x64xi1>
    %0 = pto.tile.sel %p, %zero, %zero : tile<2x64xi1>, tile<2x64xf32>
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<2x64xf32>, memref<8x64xf32>
  }
}

// -----

// The counter stays in the box.

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [2, 64], vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%m, %n) in [8, 64] step [2, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<2x64xf32>
    %0 = scf.for %r = %c0 to %c9 step %c1 iter_args(%s = %zero) -> (!pto.tile<2x64xf32>) {
      // expected-error@+1 {{a tile of 1 at offsets up to 8 in steps of 1 along axis 2 of 8 is not supported yet}}
      %e = pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(i0), (i1)] }"> in [8, 64, 8] dims [0, 1] : memref<8x64xf32> -> tile<2x64xf32>
      %t = pto.tile.add %s, %e : tile<2x64xf32>
      scf.yield %t : !pto.tile<2x64xf32>
    }
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<2x64xf32>, memref<8x64xf32>
  }
}

// -----

// Points of the set are in the memref.

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [2, 64], vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%m, %n) in [8, 64] step [2, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<2x64xf32>
    %0 = scf.for %r = %c0 to %c9 step %c1 iter_args(%s = %zero) -> (!pto.tile<2x64xf32>) {
      // expected-error-re@+1 {{the map {{.*}} on [8, 64, 9] is not supported yet}}
      %e = pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(i0), (i1 + i2)] }"> in [8, 64, 9] dims [0, 1] where <"{ [i0, i1, i2] : i1 < 60 }"> : memref<8x64xf32> -> tile<2x64xf32>
      %t = pto.tile.add %s, %e : tile<2x64xf32>
      scf.yield %t : !pto.tile<2x64xf32>
    }
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<2x64xf32>, memref<8x64xf32>
  }
}

// -----

// The set has the axes of the space, and is a set.

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [2, 64], vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%m, %n) in [8, 64] step [2, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<2x64xf32>
    %0 = scf.for %r = %c0 to %c9 step %c1 iter_args(%s = %zero) -> (!pto.tile<2x64xf32>) {
      // expected-error@+1 {{the set { [i0, i1] : i1 < 60 } is not supported yet}}
      %e = pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(i0), (i1)] }"> in [8, 64, 9] dims [0, 1] where <"{ [i0, i1] : i1 < 60 }"> : memref<8x64xf32> -> tile<2x64xf32>
      %t = pto.tile.add %s, %e : tile<2x64xf32>
      scf.yield %t : !pto.tile<2x64xf32>
    }
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<2x64xf32>, memref<8x64xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [2, 64], vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%m, %n) in [8, 64] step [2, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<2x64xf32>
    %0 = scf.for %r = %c0 to %c9 step %c1 iter_args(%s = %zero) -> (!pto.tile<2x64xf32>) {
      // expected-error@+1 {{the set { [i0, is not supported yet}}
      %e = pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(i0), (i1)] }"> in [8, 64, 9] dims [0, 1] where <"{ [i0,"> : memref<8x64xf32> -> tile<2x64xf32>
      %t = pto.tile.add %s, %e : tile<2x64xf32>
      scf.yield %t : !pto.tile<2x64xf32>
    }
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<2x64xf32>, memref<8x64xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [2, 64], vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%m, %n) in [8, 64] step [2, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<2x64xf32>
    %0 = scf.for %r = %c0 to %c9 step %c1 iter_args(%s = %zero) -> (!pto.tile<2x64xf32>) {
      // expected-error@+1 {{the set [n] -> { [i0, i1, i2] : i0 < n } is not supported yet}}
      %e = pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(i0), (i1)] }"> in [8, 64, 9] dims [0, 1] where <"[n] -> { [i0, i1, i2] : i0 < n }"> : memref<8x64xf32> -> tile<2x64xf32>
      %t = pto.tile.add %s, %e : tile<2x64xf32>
      scf.yield %t : !pto.tile<2x64xf32>
    }
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<2x64xf32>, memref<8x64xf32>
  }
}

// -----

// A position is one expression of the axes.

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [2, 64], vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%m, %n) in [8, 64] step [2, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<2x64xf32>
    // expected-error@+1 {{the map { [i0, i1] -> [(i0), (i1)] } is not supported yet}}
    %i = pto.tile.iota [%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<2x64xi32>
    %0 = pto.tile.cvt %i : tile<2x64xi32> -> tile<2x64xf32>
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<2x64xf32>, memref<8x64xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [2, 64], vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%m, %n) in [8, 64] step [2, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<2x64xf32>
    // expected-error@+1 {{the map { [i0, i1] -> [(i0 i1)] } is not supported yet}}
    %i = pto.tile.iota [%m, %n] by <"{ [i0, i1] -> [(i0 i1)] }"> in [8, 64] dims [0, 1] : tile<2x64xi32>
    %0 = pto.tile.cvt %i : tile<2x64xi32> -> tile<2x64xf32>
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<2x64xf32>, memref<8x64xf32>
  }
}

// -----

// Loops have constant bounds and count upwards from 0.

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [2, 64], vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%m, %n) in [8, 64] step [2, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<2x64xf32>
    // expected-error@+1 {{a loop from 0 in steps of 0 is not supported yet}}
    %0 = scf.for %r = %c0 to %c9 step %c0 iter_args(%s = %zero) -> (!pto.tile<2x64xf32>) {
      %e = pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(i0), (i1)] }"> in [8, 64, 9] dims [0, 1] : memref<8x64xf32> -> tile<2x64xf32>
      %t = pto.tile.add %s, %e : tile<2x64xf32>
      scf.yield %t : !pto.tile<2x64xf32>
    }
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<2x64xf32>, memref<8x64xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [2, 64], vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%m, %n) in [8, 64] step [2, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<2x64xf32>
    // expected-error@+1 {{a loop with a computed bound is not supported yet}}
    %0 = scf.for %r = %c0 to %m step %c1 iter_args(%s = %zero) -> (!pto.tile<2x64xf32>) {
      %e = pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(i0), (i1)] }"> in [8, 64, 9] dims [0, 1] : memref<8x64xf32> -> tile<2x64xf32>
      %t = pto.tile.add %s, %e : tile<2x64xf32>
      scf.yield %t : !pto.tile<2x64xf32>
    }
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<2x64xf32>, memref<8x64xf32>
  }
}

// -----

// They carry tiles that ops here compute, and do not store.

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [2, 64], vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%m, %n) in [8, 64] step [2, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<2x64xf32>
    // expected-error@+1 {{'scf.for' on an operand of type index that no op here computes is not supported yet}}
    %i, %0 = scf.for %r = %c0 to %c9 step %c1 iter_args(%j = %c0, %s = %zero) -> (index, !pto.tile<2x64xf32>) {
      scf.yield %r, %s : index, !pto.tile<2x64xf32>
    }
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<2x64xf32>, memref<8x64xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [2, 64], vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%m, %n) in [8, 64] step [2, 64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<2x64xf32>
    %0 = scf.for %r = %c0 to %c9 step %c1 iter_args(%s = %zero) -> (!pto.tile<2x64xf32>) {
      %e = pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(i0), (i1)] }"> in [8, 64, 9] dims [0, 1] : memref<8x64xf32> -> tile<2x64xf32>
      %t = pto.tile.add %s, %e : tile<2x64xf32>
      // expected-error@+1 {{'pto.tile.store.map' in a tile program is not supported yet}}
      pto.tile.store.map %t, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<2x64xf32>, memref<8x64xf32>
      scf.yield %t : !pto.tile<2x64xf32>
    }
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<2x64xf32>, memref<8x64xf32>
  }
}

// -----

// A load at positions, on its way to a slot.

pto.kernel @f_0(%a0: memref<32x32xbf16> align 16, %a1: memref<32x32xbf16> align 16) -> (%0: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %p = pto.tile.iota [%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [32, 32] dims [0, 1] : tile<16x1xi32>
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        // expected-error@+1 {{a load at positions into a channel is not supported yet}}
        %4 = pto.tile.load.map %a0[%m, %n, %k] at (%p : tile<16x1xi32>) by <"{ [i0, i1, i2, i3] -> [(i3), (i2)] }"> in [32, 32, 32, 32] dims [0, 2] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %11 = pto.tile.mov.m2l %9 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %13 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xf32>, memref<32x32xf32>
  }
}
func.func @f(%a0: memref<32x32xbf16>, %a1: memref<32x32xbf16>) -> memref<32x32xf32> {
  %0 = memref.alloc() : memref<32x32xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<32x32xbf16>, memref<32x32xbf16>) outs(%0 : memref<32x32xf32>)
  func.return %0 : memref<32x32xf32>
}

// -----

// Only lanes that hold an accumulator exchange rows.

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [8, 64], vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%m, %n) in [8, 64] step [8, 64] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : memref<8x64xf32> -> tile<8x64xf32>
    // expected-error@+1 {{an exchange of these rows in a kernel is not supported yet}}
    %1 = pto.tile.rowxor %0 by 1 : tile<8x64xf32>
    pto.tile.store.map %1, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<8x64xf32>, memref<8x64xf32>
  }
}
