// RUN: ptir-opt %s -p pto-to-nv --split-input-file | filecheck %s

// Eight warps, two down and four across: those of a row follow each other.

// CHECK-LABEL: "gpu.func"
// CHECK: %warp = arith.divui %thread, %c32 : index
// CHECK-NEXT: %0 = arith.divui %warp, %c4 : index
// CHECK-NEXT: %1 = arith.remui %warp, %c4 : index
// CHECK-NEXT: %warp_m = arith.muli %0, %WARP_M : index
// CHECK-NEXT: %warp_n = arith.muli %1, %WARP_N : index

pto.kernel @f_0(%x: memref<32x16xbf16> align 16, %w: memref<16x64xbf16> align 16) -> (%y: memref<32x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 64, 16], stages = 2, warp_tile = "16x16", bind = {m.o = "block.y", n.o = "block.x", m.i.o = "warp.y", n.i.o = "warp.x"}, vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 64] step [32, 64] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 16 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 64, 16] dims [0, 2] : memref<32x16xbf16> -> tile<32x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 64, 16] dims [2, 1] : memref<16x64xbf16> -> tile<16x64xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>]>, tile<32x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x64xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<32x64xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<32x64xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>]> -> tile<32x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x64xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<32x16xbf16, #pto.tile_info<loc=Mat>> -> tile<32x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x64xbf16, #pto.tile_info<loc=Mat>> -> tile<16x64xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<32x64xf32, #pto.tile_info<loc=Acc>>, tile<32x16xbf16, #pto.tile_info<loc=Left>>, tile<16x64xbf16, #pto.tile_info<loc=Right>> -> tile<32x64xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<32x64xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<32x64xf32, #pto.tile_info<loc=Acc>> -> tile<32x64xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 64] dims [0, 1] : tile<32x64xf32>, memref<32x64xf32>
  }
}

// -----

// warp.x on m: those of a column follow each other.

// CHECK-LABEL: "gpu.func"
// CHECK: %warp = arith.divui %thread, %c32 : index
// CHECK-NEXT: %0 = arith.divui %warp, %c2 : index
// CHECK-NEXT: %1 = arith.remui %warp, %c2 : index
// CHECK-NEXT: %warp_m = arith.muli %1, %WARP_M : index
// CHECK-NEXT: %warp_n = arith.muli %0, %WARP_N : index
// CHECK: nv.ldmatrix %smem_a[%slot, %warp_m, %c0] ND to %frag_a
// CHECK-NEXT: nv.ldmatrix %smem_b[%slot, %c0, %warp_n] ND to %frag_b
// CHECK: nv.epilogue %acc : !nv.frag<16x16xf32, C of m16n8k16>[%warp_m, %warp_n]

pto.kernel @f_0(%x: memref<32x16xbf16> align 16, %w: memref<16x64xbf16> align 16) -> (%y: memref<32x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 64, 16], stages = 2, warp_tile = "16x16", bind = {m.o = "block.y", n.o = "block.x", m.i.o = "warp.x", n.i.o = "warp.y"}, vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 64] step [32, 64] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 16 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 64, 16] dims [0, 2] : memref<32x16xbf16> -> tile<32x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 64, 16] dims [2, 1] : memref<16x64xbf16> -> tile<16x64xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>]>, tile<32x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x64xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<32x64xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<32x64xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>]> -> tile<32x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x64xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<32x16xbf16, #pto.tile_info<loc=Mat>> -> tile<32x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x64xbf16, #pto.tile_info<loc=Mat>> -> tile<16x64xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<32x64xf32, #pto.tile_info<loc=Acc>>, tile<32x16xbf16, #pto.tile_info<loc=Left>>, tile<16x64xbf16, #pto.tile_info<loc=Right>> -> tile<32x64xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<32x64xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<32x64xf32, #pto.tile_info<loc=Acc>> -> tile<32x64xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 64] dims [0, 1] : tile<32x64xf32>, memref<32x64xf32>
  }
}

// -----

// Warps of 8 columns: one instruction across.

// CHECK-LABEL: "gpu.func"
// CHECK: %acc = nv.frag : !nv.frag<32x8xf32, C of m16n8k16>
// CHECK-NEXT: %frag_a = nv.frag : !nv.frag<32x16xbf16, A of m16n8k16>
// CHECK-NEXT: %frag_b = nv.frag : !nv.frag<16x8xbf16, B of m16n8k16>
// CHECK: nv.epilogue %acc : !nv.frag<32x8xf32, C of m16n8k16>[%warp_m, %warp_n] in [32, 16] dims [0, 1] guard [] tile [32, 8]

pto.kernel @f_0(%x: memref<32x16xbf16> align 16, %w: memref<16x16xbf16> align 16) -> (%y: memref<32x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 16, 16], stages = 2, warp_tile = "32x8", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 16] step [32, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 16 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 16, 16] dims [0, 2] : memref<32x16xbf16> -> tile<32x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 16, 16] dims [2, 1] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<32x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<32x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<32x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<32x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<32x16xbf16, #pto.tile_info<loc=Mat>> -> tile<32x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<32x16xf32, #pto.tile_info<loc=Acc>>, tile<32x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<32x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<32x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<32x16xf32, #pto.tile_info<loc=Acc>> -> tile<32x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 16] dims [0, 1] : tile<32x16xf32>, memref<32x16xf32>
  }
}

// -----

// One warp: no division, and its place is the block's.

// CHECK-LABEL: "gpu.func"
// CHECK-NOT: arith.divui %warp
// CHECK: %acc = nv.frag : !nv.frag<16x16xf32, C of m16n8k16>

pto.kernel @f_0(%x: memref<16x16xbf16> align 16, %w: memref<16x16xbf16> align 16) -> (%y: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 16 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 16] dims [2, 1] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}
