// RUN: ptir-opt %s -p pto-to-nv --split-input-file | filecheck %s

// Three slots, five steps: two groups ahead, one under way while a step computes.

// CHECK-LABEL: "gpu.func"
// CHECK: nv.copy_offsets %a0[{{.*}}] to %smem_a address <"{ [i0, i1, i2] -> [(80i0 + i2)] }"> in [16, 16, 80] dims [0, 2] guard [] bytes 16
// CHECK: scf.for %s = %c0 to %c2 step %c1 {
// CHECK: nv.cp_async_at %offsets_a[{{.*}}] bits[{{.*}}] to %smem_a[%s]
// CHECK: nv.commit_group
// CHECK: scf.for %step = %c0 to %STEPS step %c1 iter_args(%slot = %c0, %free = %c2) -> (index, index) {
// CHECK: nv.wait_group 1
// CHECK: "gpu.barrier"() : () -> ()
// CHECK: %more = arith.cmpi ult, %step, %c3 : index
// CHECK: scf.if %more {
// CHECK: %later = arith.addi %step, %c2 : index
// CHECK: %k_1 = arith.muli %later, %BK : index
// CHECK: nv.cp_async_at %offsets_a[{{.*}}] bits[{{.*}}] to %smem_a[%free]
// CHECK: nv.commit_group
// CHECK: nv.ldmatrix %smem_a[%slot, %warp_m, %c0] ND to %frag_a : !nv.smem<3x16x16xbf16, xor>, !nv.frag<16x16xbf16, A of m16n8k16>
// CHECK: nv.ldmatrix %smem_b[%slot, %c0, %c0] ND to %frag_b : !nv.smem<3x16x16xbf16, xor>, !nv.frag<16x16xbf16, B of m16n8k16>
// CHECK: nv.mma_sync %acc, %frag_a, %frag_b : !nv.frag<16x16xf32, C of m16n8k16>, !nv.frag<16x16xbf16, A of m16n8k16>, !nv.frag<16x16xbf16, B of m16n8k16>
// CHECK-NEXT: %2 = arith.addi %slot, %c1 : index
// CHECK-NEXT: %3 = arith.cmpi eq, %2, %STAGES : index
// CHECK-NEXT: %next_slot = arith.select %3, %c0, %2 : index
// CHECK-NEXT: scf.yield %next_slot, %slot : index, index

pto.kernel @f_0(%a0: memref<16x80xbf16> align 16, %a1: memref<80x16xbf16> align 16) -> (%0: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 3, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 80 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 80] dims [0, 2] : memref<16x80xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 80] dims [2, 1] : memref<80x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<3, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %11 = pto.tile.mov.m2l %9 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %13 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}
func.func @f(%a0: memref<16x80xbf16>, %a1: memref<80x16xbf16>) -> memref<16x16xf32> {
  %0 = memref.alloc() : memref<16x16xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<16x80xbf16>, memref<80x16xbf16>) outs(%0 : memref<16x16xf32>)
  func.return %0 : memref<16x16xf32>
}

// -----

// One step: nothing to prefetch in the loop, and empty groups keep the count.

// CHECK-LABEL: "gpu.func"
// CHECK: scf.for %s = %c0 to %c1 step %c1 {
// CHECK: nv.commit_group
// CHECK: nv.commit_group
// CHECK: nv.commit_group
// CHECK: scf.for %step = %c0 to %STEPS step %c1 iter_args(%slot = %c0, %free = %c3) -> (index, index) {
// CHECK: nv.wait_group 2
// CHECK: "gpu.barrier"() : () -> ()
// CHECK: nv.commit_group
// CHECK: nv.mma_sync %acc, %frag_a, %frag_b : !nv.frag<16x16xf32, C of m16n8k16>, !nv.frag<16x16xbf16, A of m16n8k16>, !nv.frag<16x16xbf16, B of m16n8k16>

pto.kernel @f_0(%a0: memref<16x16xbf16> align 16, %a1: memref<16x16xbf16> align 16) -> (%0: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 4, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<4, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<4, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 16] dims [2, 1] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<4, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<4, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %11 = pto.tile.mov.m2l %9 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<4, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %13 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}
func.func @f(%a0: memref<16x16xbf16>, %a1: memref<16x16xbf16>) -> memref<16x16xf32> {
  %0 = memref.alloc() : memref<16x16xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<16x16xbf16>, memref<16x16xbf16>) outs(%0 : memref<16x16xf32>)
  func.return %0 : memref<16x16xf32>
}
