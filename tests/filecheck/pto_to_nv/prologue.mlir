// RUN: ptir-opt %s -p pto-to-nv | filecheck %s

// An operand that is computed in the prologue: bytes are loaded lane by lane, and an nv.map makes words of bf16 of them.

// CHECK: %smem_b = nv.smem at 4096 : !nv.smem<2x64x16xsi8, none>
// CHECK: %raw_b = nv.frag : !nv.frag<16x16xsi8, B of m16n8k16>
// CHECK: nv.cp_async %w[%m, %n, %k] to %smem_b{{.*}} guard [2] bytes 16
// CHECK: %[[K:k_1]] = arith.muli %step, %BK : index
// CHECK: nv.ldmatrix %smem_a[%slot, %warp_m, %c0] ND to %frag_a
// CHECK-NEXT: nv.ld_shared %smem_b[%slot, %c0, %c0] ND to %raw_b
// CHECK-NEXT: %frag_b = nv.map(%raw_b : !nv.frag<16x16xsi8, B of m16n8k16>) [%m, %n, %[[K]]] in [64, 64, 96] dims [2, 1] guard [] tile [16, 16] addresses [] widths [] -> !nv.frag<16x16xbf16, B of m16n8k16> {
// CHECK-NEXT: ^bb0(%[[Q:.*]]: i8):
// CHECK-NEXT: %at_row, %at_column = nv.point
// CHECK-NEXT: %[[F:.*]] = arith.sitofp %[[Q]] : i8 to f32
// CHECK-NEXT: %[[S:.*]] = nv.ld_global %s[%m, %at_column, %at_row] at <"{ [i0, i1, i2] -> [(i1)] }"> in [64, 64, 96] : memref<64xf32> -> f32
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[F]], %[[S]] : f32
// CHECK-NEXT: %[[B:.*]] = arith.truncf %[[P]] : f32 to bf16
// CHECK-NEXT: %mask = arith.cmpi ult, %at_row, %c96 : index
// CHECK-NEXT: %[[Z:.*]] = arith.constant 0.000000e+00 : bf16
// CHECK-NEXT: %[[G:.*]] = arith.select %mask, %[[B]], %[[Z]] : bf16
// CHECK-NEXT: nv.yield %[[G]] : bf16
// CHECK-NEXT: }
// CHECK-NEXT: nv.mma_sync %acc, %frag_a, %frag_b :

// The next step of the instruction begins 16 elements further along k.
// CHECK: %[[NEXT:.*]] = arith.addi %[[K]], %c16 : index
// CHECK-NEXT: nv.map(%raw_b : !nv.frag<16x16xsi8, B of m16n8k16>) [%m, %n, %[[NEXT]]]

pto.kernel @f_0(%x: memref<64x96xbf16> align 16, %w: memref<96x64xsi8> align 16, %s: memref<64xf32> align 16) -> (%y: memref<64x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 64], stages = 2, warp_tile = "16x16", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 4}, predicate_tail = ["k.i.i"]}> {
  pto.tiles (%m, %n) in [64, 64] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x16xsi8, #pto.tile_info<loc=Mat>>]>
    %0 = arith.constant 0 : index
    %1 = arith.constant 96 : index
    %2 = arith.constant 64 : index
    pto.process {
      scf.for %k = %0 to %1 step %2 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x16xsi8, #pto.tile_info<loc=Mat>>]>
        %3 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [64, 64, 96] dims [0, 2] : memref<64x96xbf16> -> tile<16x64xbf16, #pto.tile_info<loc=Mat>>
        %4 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [64, 64, 96] dims [2, 1] : memref<96x64xsi8> -> tile<64x16xsi8, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %3, %4 : !pto.channel<2, [!pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x16xsi8, #pto.tile_info<loc=Mat>>]>, tile<16x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x16xsi8, #pto.tile_info<loc=Mat>>
      }
    }
    %5 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %6 = scf.for %k_1 = %0 to %1 step %2 iter_args(%7 = %5) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %8, %9 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x16xsi8, #pto.tile_info<loc=Mat>>]> -> tile<16x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x16xsi8, #pto.tile_info<loc=Mat>>
      %10 = pto.tile.mov.m2l %8 : tile<16x64xbf16, #pto.tile_info<loc=Mat>> -> tile<16x64xbf16, #pto.tile_info<loc=Left>>
      %11 = pto.tile.mov.m2v %9 : tile<64x16xsi8, #pto.tile_info<loc=Mat>> -> tile<64x16xsi8>
      %12 = pto.tile.cvt %11 : tile<64x16xsi8> -> tile<64x16xf32>
      %13 = pto.tile.load.map %s[%m, %n, %k_1] by <"{ [i0, i1, i2] -> [(i1)] }"> in [64, 64, 96] dims [2, 1] : memref<64xf32> -> tile<64x16xf32>
      %14 = pto.tile.mul %12, %13 : tile<64x16xf32>
      %15 = pto.tile.cvt %14 : tile<64x16xf32> -> tile<64x16xbf16>
      %16 = pto.tile.mask[%m, %n, %k_1] in [64, 64, 96] dims [2, 1] : tile<64x16xi1>
      %17 = pto.tile.expands 0.000000e+00 : bf16 : tile<64x16xbf16>
      %18 = pto.tile.sel %16, %15, %17 : tile<64x16xi1>, tile<64x16xbf16>
      %19 = pto.tile.mov.v2r %18 : tile<64x16xbf16> -> tile<64x16xbf16, #pto.tile_info<loc=Right>>
      %20 = pto.tile.matmul.acc %7, %10, %19 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x64xbf16, #pto.tile_info<loc=Left>>, tile<64x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x16xsi8, #pto.tile_info<loc=Mat>>]>
      scf.yield %20 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %21 = pto.tile.mov.a2v %6 : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %21, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [64, 64] dims [0, 1] : tile<16x16xf32>, memref<64x64xf32>
  }
}
