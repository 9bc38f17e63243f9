// RUN: ptir-opt %s -p pto-to-nv | filecheck %s

// Operand A of wgmma, computed in registers: TMA brings bytes, in rows of 64 that are swizzled as such; each wgmma is a group of its
// own, and while it multiplies, lanes load and compute the fragment of the next one.

// CHECK: %smem_a = nv.smem at 0 : !nv.smem<3x16x64xbf16, b128>
// CHECK: %smem_b = nv.smem at 6144 : !nv.smem<3x64x64xi8, b64>
// CHECK: nv.mbarrier.expect_tx %full[%slot_1] bytes 6144
// CHECK: nv.tma_load %map_b[%k, %n] to %smem_b[%slot_1, %c0, %c0]
// CHECK: %acc = nv.frag : !nv.frag<64x16xf32, C of m64k16>
// CHECK-NEXT: %raw_b0 = nv.frag : !nv.frag<64x16xi8, A of m64k16>
// CHECK-NEXT: %raw_b1 = nv.frag : !nv.frag<64x16xi8, A of m64k16>
// CHECK: nv.mbarrier.wait %full[%slot_3]
// CHECK-NEXT: %[[K:.*]] = arith.muli %step_1, %BK : index
// CHECK-NEXT: %adds = arith.cmpi ne, %step_1, %c0 : index
// CHECK-NEXT: nv.ld_shared %smem_b[%slot_3, %c0, %c0] DN to %raw_b0
// CHECK-NEXT: nv.ld_shared %smem_b[%slot_3, %c16, %c0] DN to %raw_b1
// CHECK-NEXT: %frag_a = nv.map(%raw_b0 : !nv.frag<64x16xi8, A of m64k16>) [%c0, %n_1, %[[K]]] in [16, 64, 96] dims [1, 2] guard [] tile [64, 16] addresses [] widths [] -> !nv.frag<64x16xbf16, A of m64k16> {
// CHECK-NEXT: ^bb0(%[[Q:.*]]: i8):
// CHECK-NEXT: %at_row, %at_column = nv.point
// CHECK-NEXT: %[[F:.*]] = arith.sitofp %[[Q]] : i8 to f32
// CHECK-NEXT: %[[S:.*]] = nv.ld_global %s[%c0, %at_row, %at_column]
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[F]], %[[S]] : f32
// CHECK-NEXT: %[[B:.*]] = arith.truncf %[[P]] : f32 to bf16
// CHECK-NEXT: %mask = arith.cmpi ult, %at_column, %c96 : index
// CHECK: nv.wgmma.fence
// CHECK-NEXT: nv.wgmma.mma_frag %acc, %frag_a, %smem_a[%slot_3, %c0, %c0] DN if %adds :
// CHECK-NEXT: nv.wgmma.commit
// CHECK-NEXT: nv.wgmma.wait 1
// CHECK-NEXT: scf.if %adds {
// CHECK-NEXT: nv.single warpgroup {
// CHECK-NEXT: nv.mbarrier.arrive %empty[%before]
// CHECK: nv.ld_shared %smem_b[%slot_3, %c32, %c0] DN to %raw_b0
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[K]], %c16 : index
// CHECK-NEXT: nv.map(%raw_b1 : !nv.frag<64x16xi8, A of m64k16>) [%c0, %n_1, %[[NEXT]]]
// CHECK: nv.wgmma.mma_frag
// CHECK-NEXT: nv.wgmma.commit
// CHECK-NEXT: nv.wgmma.wait 1

// After the last loads from a slot, and before it is released, the threads of the warpgroup wait for each other.
// CHECK-NEXT: nv.ld_shared %smem_b[%slot_3, %c48, %c0] DN to %raw_b1
// CHECK-NEXT: nv.barrier 1 threads 128
// CHECK: nv.wgmma.mma_frag
// CHECK: nv.wgmma.mma_frag
// CHECK-NOT: nv.wgmma.mma_frag
// CHECK: nv.wgmma.wait 0
// CHECK-NEXT: nv.single warpgroup {
// CHECK-NEXT: nv.mbarrier.arrive %empty

pto.kernel @f_0(%x: memref<16x96xbf16> align 16, %w: memref<96x64xi8> align 16, %s: memref<64xf32> align 16) -> (%y: memref<16x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [16, 64, 64], stages = 3, warp_tile = "16x64", roles = "cooperative", multiprocessors = 132, cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "m.i.i", width = 8}, predicate_tail = ["k.i.i"], layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "col"}}> {
  pto.tiles (%m, %n) in [16, 64] step [16, 64] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<64x64xi8, #pto.tile_info<loc=Mat, layout=DN>>]>
    %0 = arith.constant 0 : index
    %1 = arith.constant 96 : index
    %2 = arith.constant 64 : index
    pto.process {
      scf.for %k = %0 to %1 step %2 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<64x64xi8, #pto.tile_info<loc=Mat, layout=DN>>]>
        %3 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 64, 96] dims [2, 0] : memref<16x96xbf16> -> tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        %4 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 64, 96] dims [1, 2] : memref<96x64xi8> -> tile<64x64xi8, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %3, %4 : !pto.channel<3, [!pto.tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<64x64xi8, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, tile<64x64xi8, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %5 = pto.tile.expands 0.000000e+00 : f32 : tile<64x16xf32, #pto.tile_info<loc=Acc>>
    %6 = scf.for %k_1 = %0 to %1 step %2 iter_args(%7 = %5) -> (!pto.tile<64x16xf32, #pto.tile_info<loc=Acc>>) {
      %8, %9 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<64x64xi8, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, tile<64x64xi8, #pto.tile_info<loc=Mat, layout=DN>>
      %10 = pto.tile.mov.m2v %9 : tile<64x64xi8, #pto.tile_info<loc=Mat, layout=DN>> -> tile<64x64xi8>
      %11 = pto.tile.cvt %10 : tile<64x64xi8> -> tile<64x64xf32>
      %12 = pto.tile.load.map %s[%m, %n, %k_1] by <"{ [i0, i1, i2] -> [(i1)] }"> in [16, 64, 96] dims [1, 2] : memref<64xf32> -> tile<64x64xf32>
      %13 = pto.tile.mul %11, %12 : tile<64x64xf32>
      %14 = pto.tile.cvt %13 : tile<64x64xf32> -> tile<64x64xbf16>
      %15 = pto.tile.mask[%m, %n, %k_1] in [16, 64, 96] dims [1, 2] : tile<64x64xi1>
      %16 = pto.tile.expands 0.000000e+00 : bf16 : tile<64x64xbf16>
      %17 = pto.tile.sel %15, %14, %16 : tile<64x64xi1>, tile<64x64xbf16>
      %18 = pto.tile.mov.v2l %17 : tile<64x64xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Left>>
      %19 = pto.tile.mov.m2r %8 : tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<64x16xbf16, #pto.tile_info<loc=Right>>
      %20 = pto.tile.matmul.acc %7, %18, %19 : tile<64x16xf32, #pto.tile_info<loc=Acc>>, tile<64x64xbf16, #pto.tile_info<loc=Left>>, tile<64x16xbf16, #pto.tile_info<loc=Right>> -> tile<64x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<64x64xi8, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %20 : !pto.tile<64x16xf32, #pto.tile_info<loc=Acc>>
    }
    %21 = pto.tile.mov.a2v %6 : tile<64x16xf32, #pto.tile_info<loc=Acc>> -> tile<64x16xf32>
    pto.tile.store.map %21, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 64] dims [1, 0] : tile<64x16xf32>, memref<16x64xf32>
  }
}
