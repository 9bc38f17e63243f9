// RUN: ptir-opt %s -p pto-to-nv --split-input-file | filecheck %s

// With local_edges, two fragments of each operand take turns: one is loaded while the other is multiplied. The last
// k-step of a tile waits for the next slot and loads its first fragments.

// CHECK-LABEL: "gpu.func"
// CHECK: %frag_a0 = nv.frag : !nv.frag<16x16xbf16, A of m16n8k16>
// CHECK-NEXT: %frag_a1 = nv.frag : !nv.frag<16x16xbf16, A of m16n8k16>
// CHECK-NEXT: %frag_b0 = nv.frag : !nv.frag<16x16xbf16, B of m16n8k16>
// CHECK-NEXT: %frag_b1 = nv.frag : !nv.frag<16x16xbf16, B of m16n8k16>
// CHECK: scf.for %s = %c0 to %c2 step %c1 {
// CHECK: nv.commit_group
// CHECK-NEXT: } {nv.comment = "prologue: fill 2 of 3 slots"}
// CHECK-NEXT: nv.wait_group 1
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: nv.ldmatrix %smem_a[%c0, %warp_m, %c0] ND to %frag_a0 : !nv.smem<3x16x32xbf16, xor>, !nv.frag<16x16xbf16, A of m16n8k16>
// CHECK-NEXT: nv.ldmatrix %smem_b[%c0, %c0, %c0] ND to %frag_b0 : !nv.smem<3x32x16xbf16, xor>, !nv.frag<16x16xbf16, B of m16n8k16>
// CHECK-NEXT: %0, %1 = scf.for %step = %c0 to %STEPS step %c1 iter_args(%slot = %c0, %free = %c2) -> (index, index) {
// CHECK: %next_slot = arith.select %3, %c0, %2 : index
// CHECK-NEXT: nv.ldmatrix %smem_a[%slot, %warp_m, %c16] ND to %frag_a1 : !nv.smem<3x16x32xbf16, xor>, !nv.frag<16x16xbf16, A of m16n8k16>
// CHECK-NEXT: nv.ldmatrix %smem_b[%slot, %c16, %c0] ND to %frag_b1 : !nv.smem<3x32x16xbf16, xor>, !nv.frag<16x16xbf16, B of m16n8k16>
// CHECK-NEXT: %more = arith.cmpi ult, %step, %c3 : index
// CHECK-NEXT: scf.if %more {
// CHECK-NEXT: %later = arith.addi %step, %c2 : index
// CHECK: to %smem_a[%free]
// CHECK: to %smem_b[%free]
// CHECK-NEXT: }
// CHECK-NEXT: nv.commit_group
// CHECK-NEXT: nv.mma_sync %acc, %frag_a0, %frag_b0 : !nv.frag<16x16xf32, C of m16n8k16>, !nv.frag<16x16xbf16, A of m16n8k16>, !nv.frag<16x16xbf16, B of m16n8k16>
// CHECK-NEXT: nv.wait_group 1
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: nv.ldmatrix %smem_a[%next_slot, %warp_m, %c0] ND to %frag_a0 : !nv.smem<3x16x32xbf16, xor>, !nv.frag<16x16xbf16, A of m16n8k16>
// CHECK-NEXT: nv.ldmatrix %smem_b[%next_slot, %c0, %c0] ND to %frag_b0 : !nv.smem<3x32x16xbf16, xor>, !nv.frag<16x16xbf16, B of m16n8k16>
// CHECK-NEXT: nv.mma_sync %acc, %frag_a1, %frag_b1 : !nv.frag<16x16xf32, C of m16n8k16>, !nv.frag<16x16xbf16, A of m16n8k16>, !nv.frag<16x16xbf16, B of m16n8k16>
// CHECK: scf.yield %next_slot, %slot : index, index

pto.kernel @f_0(%x: memref<16x160xbf16> align 16, %w: memref<160x16xbf16> align 16) -> (%y: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 32], stages = 3, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}, local_edges = [{from = "A", to = "sum", buffer = "reg", depth = 2}, {from = "B", to = "sum", buffer = "reg", depth = 2}]}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 160 : index
    %step = arith.constant 32 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 160] dims [0, 2] : memref<16x160xbf16> -> tile<16x32xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 160] dims [2, 1] : memref<160x16xbf16> -> tile<32x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<3, [!pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x32xbf16, #pto.tile_info<loc=Mat>>, tile<32x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x32xbf16, #pto.tile_info<loc=Mat>>, tile<32x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x32xbf16, #pto.tile_info<loc=Mat>> -> tile<16x32xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<32x16xbf16, #pto.tile_info<loc=Mat>> -> tile<32x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x32xbf16, #pto.tile_info<loc=Left>>, tile<32x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}

// -----

// Four steps a tile.

// CHECK-LABEL: "gpu.func"
// CHECK: nv.ldmatrix %smem_a[%c0, %warp_m, %c0] ND to %frag_a0
// CHECK: scf.for %step
// CHECK: nv.ldmatrix %smem_a[%slot, %warp_m, %c16] ND to %frag_a1
// CHECK-NEXT: nv.ldmatrix %smem_b[%slot, %c16, %c0] ND to %frag_b1
// CHECK: nv.mma_sync %acc, %frag_a0, %frag_b0
// CHECK-NEXT: nv.ldmatrix %smem_a[%slot, %warp_m, %c32] ND to %frag_a0
// CHECK-NEXT: nv.ldmatrix %smem_b[%slot, %c32, %c0] ND to %frag_b0
// CHECK-NEXT: nv.mma_sync %acc, %frag_a1, %frag_b1
// CHECK-NEXT: nv.ldmatrix %smem_a[%slot, %warp_m, %c48] ND to %frag_a1
// CHECK-NEXT: nv.ldmatrix %smem_b[%slot, %c48, %c0] ND to %frag_b1
// CHECK-NEXT: nv.mma_sync %acc, %frag_a0, %frag_b0
// CHECK-NEXT: nv.wait_group 0
// CHECK-NOT: goes_on
// CHECK: nv.mma_sync %acc, %frag_a1, %frag_b1

pto.kernel @f_0(%x: memref<16x128xbf16> align 16, %w: memref<128x16xbf16> align 16) -> (%y: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 64], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}, local_edges = [{from = "A", to = "sum", buffer = "reg", depth = 2}, {from = "B", to = "sum", buffer = "reg", depth = 2}]}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 128 : index
    %step = arith.constant 64 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x16xbf16, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 128] dims [0, 2] : memref<16x128xbf16> -> tile<16x64xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 128] dims [2, 1] : memref<128x16xbf16> -> tile<64x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x64xbf16, #pto.tile_info<loc=Mat>> -> tile<16x64xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<64x16xbf16, #pto.tile_info<loc=Mat>> -> tile<64x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x64xbf16, #pto.tile_info<loc=Left>>, tile<64x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}

// -----

// One tile along k: nothing to wait for in the loop.

// CHECK-LABEL: "gpu.func"
// CHECK: %frag_a1 = nv.frag
// CHECK-NEXT: %frag_b0 = nv.frag
// CHECK-NEXT: %frag_b1 = nv.frag
// CHECK: nv.wait_group 0
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: nv.ldmatrix %smem_a[%c0, %warp_m, %c0] ND to %frag_a0
// CHECK-NEXT: nv.ldmatrix %smem_b[%c0, %c0, %c0] ND to %frag_b0
// CHECK: scf.for %step
// CHECK: nv.ldmatrix %smem_a[%slot, %warp_m, %c16] ND to %frag_a1
// CHECK-NEXT: nv.ldmatrix %smem_b[%slot, %c16, %c0] ND to %frag_b1
// CHECK-NEXT: nv.commit_group
// CHECK-NEXT: nv.mma_sync %acc, %frag_a0, %frag_b0
// CHECK-NEXT: nv.mma_sync %acc, %frag_a1, %frag_b1

pto.kernel @f_0(%x: memref<16x32xbf16> align 16, %w: memref<32x16xbf16> align 16) -> (%y: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 32], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}, local_edges = [{from = "A", to = "sum", buffer = "reg", depth = 2}, {from = "B", to = "sum", buffer = "reg", depth = 2}]}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 32 : index
    %step = arith.constant 32 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 32] dims [0, 2] : memref<16x32xbf16> -> tile<16x32xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 32] dims [2, 1] : memref<32x16xbf16> -> tile<32x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x32xbf16, #pto.tile_info<loc=Mat>>, tile<32x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x32xbf16, #pto.tile_info<loc=Mat>>, tile<32x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x32xbf16, #pto.tile_info<loc=Mat>> -> tile<16x32xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<32x16xbf16, #pto.tile_info<loc=Mat>> -> tile<32x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x32xbf16, #pto.tile_info<loc=Left>>, tile<32x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}

// -----

// Steps longer than a tile: what lies between is not multiplied.

// CHECK-LABEL: "gpu.func"
// CHECK: scf.for %s = %c0 to %c1 step %c1 {
// CHECK-NEXT: %k = arith.muli %s, %BK : index
// CHECK: %frag_b1 :
// CHECK: nv.mma_sync %acc, %frag_a0, %frag_b0
// CHECK: nv.mma_sync %acc, %frag_a1, %frag_b1
// CHECK-NOT: nv.mma_sync
// CHECK: scf.yield %next_slot

pto.kernel @f_0(%x: memref<16x128xbf16> align 16, %w: memref<128x16xbf16> align 16) -> (%y: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 32], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}, local_edges = [{from = "A", to = "sum", buffer = "reg", depth = 2}, {from = "B", to = "sum", buffer = "reg", depth = 2}]}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 128 : index
    %step = arith.constant 64 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 128] dims [0, 2] : memref<16x128xbf16> -> tile<16x32xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 128] dims [2, 1] : memref<128x16xbf16> -> tile<32x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x32xbf16, #pto.tile_info<loc=Mat>>, tile<32x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x32xbf16, #pto.tile_info<loc=Mat>>, tile<32x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x32xbf16, #pto.tile_info<loc=Mat>> -> tile<16x32xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<32x16xbf16, #pto.tile_info<loc=Mat>> -> tile<32x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x32xbf16, #pto.tile_info<loc=Left>>, tile<32x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}

// -----

// Without local_edges, one fragment: load, multiply, load.

// CHECK-LABEL: "gpu.func"
// CHECK: %frag_a = nv.frag : !nv.frag<16x16xbf16, A of m16n8k16>
// CHECK-NEXT: %frag_b = nv.frag : !nv.frag<16x16xbf16, B of m16n8k16>
// CHECK: scf.for %s = %c0 to %c2 step %c1 {
// CHECK: nv.commit_group
// CHECK-NEXT: } {nv.comment = "prologue: fill 2 of 3 slots"}
// CHECK-NEXT: %0, %1 = scf.for %step = %c0 to %STEPS step %c1 iter_args(%slot = %c0, %free = %c2) -> (index, index) {
// CHECK-NEXT: nv.wait_group 1
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK: nv.commit_group
// CHECK-NEXT: nv.ldmatrix %smem_a[%slot, %warp_m, %c0] ND to %frag_a
// CHECK-NEXT: nv.ldmatrix %smem_b[%slot, %c0, %c0] ND to %frag_b
// CHECK-NEXT: nv.mma_sync %acc, %frag_a, %frag_b
// CHECK-NEXT: nv.ldmatrix %smem_a[%slot, %warp_m, %c16] ND to %frag_a
// CHECK-NEXT: nv.ldmatrix %smem_b[%slot, %c16, %c0] ND to %frag_b
// CHECK-NEXT: nv.mma_sync %acc, %frag_a, %frag_b

pto.kernel @f_0(%x: memref<16x160xbf16> align 16, %w: memref<160x16xbf16> align 16) -> (%y: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 32], stages = 3, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 160 : index
    %step = arith.constant 32 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 160] dims [0, 2] : memref<16x160xbf16> -> tile<16x32xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 160] dims [2, 1] : memref<160x16xbf16> -> tile<32x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<3, [!pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x32xbf16, #pto.tile_info<loc=Mat>>, tile<32x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x32xbf16, #pto.tile_info<loc=Mat>>, tile<32x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x32xbf16, #pto.tile_info<loc=Mat>> -> tile<16x32xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<32x16xbf16, #pto.tile_info<loc=Mat>> -> tile<32x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x32xbf16, #pto.tile_info<loc=Left>>, tile<32x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}
// -----

// Two steps do not fill a ring of three slots: after the last step, the next slot has never been written.

// CHECK-LABEL: "gpu.func"
// CHECK: %following = arith.addi %step, %c1 : index
// CHECK-NEXT: %goes_on = arith.cmpi ult, %following, %STEPS : index
// CHECK-NEXT: scf.if %goes_on {
// CHECK-NEXT: nv.ldmatrix %smem_a[%next_slot

pto.kernel @f_0(%x: memref<16x128xbf16> align 16, %w: memref<128x16xbf16> align 16) -> (%y: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 64], stages = 3, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}, local_edges = [{from = "A", to = "sum", buffer = "reg", depth = 2}, {from = "B", to = "sum", buffer = "reg", depth = 2}]}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 128 : index
    %step = arith.constant 64 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x16xbf16, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 128] dims [0, 2] : memref<16x128xbf16> -> tile<16x64xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 128] dims [2, 1] : memref<128x16xbf16> -> tile<64x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<3, [!pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x64xbf16, #pto.tile_info<loc=Mat>> -> tile<16x64xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<64x16xbf16, #pto.tile_info<loc=Mat>> -> tile<64x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x64xbf16, #pto.tile_info<loc=Left>>, tile<64x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}

// -----

// With unroll, an iteration has a step for each of 3 slots. The last one has 2 of the 5 steps.

// CHECK-LABEL: "gpu.func"
// CHECK: nv.comment = "prologue: fill 2 of 3 slots"
// CHECK: nv.move_offsets %offsets_a by 128
// CHECK-NEXT: nv.move_offsets %offsets_b by 2048
// CHECK-NEXT: scf.for %step = %c0 to %STEPS step %STAGES {
// CHECK-NEXT: nv.ldmatrix %smem_a[%c0, %warp_m, %c16]
// CHECK: %more = arith.cmpi ult, %step, %c3 : index
// CHECK: nv.cp_async_at %offsets_a[%c0] bits[] to %smem_a[%c2]
// CHECK-NEXT: nv.cp_async_at %offsets_b[%c0] bits[] to %smem_b[%c2]
// CHECK: nv.wait_group 1
// CHECK: nv.ldmatrix %smem_a[%c1, %warp_m, %c0]
// CHECK: nv.ldmatrix %smem_a[%c1, %warp_m, %c16]
// CHECK: %more_1 = arith.cmpi ult, %step, %c2 : index
// CHECK: nv.cp_async_at %offsets_a[%c64] bits[] to %smem_a[%c0]
// CHECK-NEXT: nv.cp_async_at %offsets_b[%c1024] bits[] to %smem_b[%c0]
// CHECK: nv.ldmatrix %smem_a[%c2, %warp_m, %c0]
// CHECK: %goes_on = arith.cmpi ult, %step, %c3 : index
// CHECK-NEXT: scf.if %goes_on {
// CHECK: nv.ldmatrix %smem_a[%c2, %warp_m, %c16]
// CHECK: %more_2 = arith.cmpi ult, %step, %c1 : index
// CHECK: nv.cp_async_at %offsets_a[%c128] bits[] to %smem_a[%c1]
// CHECK: nv.ldmatrix %smem_a[%c0, %warp_m, %c0]
// CHECK: nv.move_offsets %offsets_a by 192
// CHECK-NEXT: nv.move_offsets %offsets_b by 3072
// CHECK-NEXT: }
// CHECK-NEXT: } {nv.comment = "main loop

pto.kernel @f_0(%x: memref<16x160xbf16> align 16, %w: memref<160x16xbf16> align 16) -> (%y: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 32], stages = 3, warp_tile = "16x16", unroll = {k.o = 3}, vectorize = {axis = "n.i.i", width = 2}, local_edges = [{from = "A", to = "sum", buffer = "reg", depth = 2}, {from = "B", to = "sum", buffer = "reg", depth = 2}]}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 160 : index
    %step = arith.constant 32 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 160] dims [0, 2] : memref<16x160xbf16> -> tile<16x32xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 160] dims [2, 1] : memref<160x16xbf16> -> tile<32x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<3, [!pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x32xbf16, #pto.tile_info<loc=Mat>>, tile<32x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x32xbf16, #pto.tile_info<loc=Mat>>, tile<32x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x32xbf16, #pto.tile_info<loc=Mat>> -> tile<16x32xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<32x16xbf16, #pto.tile_info<loc=Mat>> -> tile<32x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x32xbf16, #pto.tile_info<loc=Left>>, tile<32x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}
