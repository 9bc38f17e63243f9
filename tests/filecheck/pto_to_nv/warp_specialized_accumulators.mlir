// RUN: ptir-opt %s -p pto-to-nv --split-input-file | filecheck %s

// fp8: the tensor cores' sums of each step are promoted.

// CHECK-LABEL: "gpu.func"
// CHECK: ^bb0(%map_a: !nv.tensor_map<64x128xf8E4M3FN, b128>, %map_b: !nv.tensor_map<64x128xf8E4M3FN, b128>, %map_out: !nv.tensor_map<16x32xf32, b128>):
// CHECK: %smem_a = nv.smem at 0 : !nv.smem<3x64x128xf8E4M3FN, b128>
// CHECK: %smem_b = nv.smem at 24576 : !nv.smem<3x64x128xf8E4M3FN, b128>
// CHECK: %smem_out = nv.smem at 49152 : !nv.smem<2x64x32xf32, b128>
// CHECK: %full = nv.mbarrier at 65536 : !nv.mbarrier<3>
// CHECK: %empty = nv.mbarrier at 65560 : !nv.mbarrier<3>
// CHECK: nv.single block {
// CHECK: nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<3>
// CHECK: nv.mbarrier.init %empty arrivals 1 : !nv.mbarrier<3>
// CHECK: nv.mbarrier.init_fence
// CHECK-NEXT: nv.prefetch_map %map_a : !nv.tensor_map<64x128xf8E4M3FN, b128>
// CHECK-NEXT: nv.prefetch_map %map_b : !nv.tensor_map<64x128xf8E4M3FN, b128>
// CHECK-NEXT: nv.prefetch_map %map_out : !nv.tensor_map<16x32xf32, b128>
// CHECK: nv.role producer threads 0 to 128 {
// CHECK: nv.single role {
// CHECK: %{{[0-9]+}}, %{{[0-9]+}} = scf.for %item = %block to %c1 step %c1 iter_args(%slot = %c0, %phase = %c0) -> (index, index) {
// CHECK: %{{[0-9]+}}, %{{[0-9]+}} = scf.for %step = %c0 to %STEPS step %c1 iter_args(%slot_1 = %slot, %phase_1 = %phase) -> (index, index) {
// CHECK: nv.mbarrier.wait %empty[%slot_1] parity %{{[0-9]+}} : !nv.mbarrier<3>
// CHECK: nv.mbarrier.expect_tx %full[%slot_1] bytes 16384 : !nv.mbarrier<3>
// CHECK: nv.tma_load %map_a[%c0, %k] to %smem_a[%slot_1, %c0, %c0] signal %full[%slot_1] : !nv.tensor_map<64x128xf8E4M3FN, b128>, !nv.smem<3x64x128xf8E4M3FN, b128>, !nv.mbarrier<3>
// CHECK: nv.tma_load %map_b[%n, %k] to %smem_b[%slot_1, %c0, %c0] signal %full[%slot_1] : !nv.tensor_map<64x128xf8E4M3FN, b128>, !nv.smem<3x64x128xf8E4M3FN, b128>, !nv.mbarrier<3>
// CHECK: nv.role consumer threads 128 to 256 {
// CHECK: %{{[0-9]+}}, %{{[0-9]+}} = scf.for %item_1 = %block to %c1 step %c1 iter_args(%slot_2 = %c0, %phase_2 = %c0) -> (index, index) {
// CHECK: %acc = nv.frag : !nv.frag<64x64xf32, C of m64k32_f8>
// CHECK: %part = nv.frag : !nv.frag<64x64xf32, C of m64k32_f8>
// CHECK: %{{[0-9]+}}, %{{[0-9]+}} = scf.for %step_1 = %c0 to %STEPS step %c1 iter_args(%slot_3 = %slot_2, %phase_3 = %phase_2) -> (index, index) {
// CHECK: nv.mbarrier.wait %full[%slot_3] parity %phase_3 : !nv.mbarrier<3>
// CHECK: nv.wgmma.fence
// CHECK: nv.wgmma.mma %part, %smem_a[%slot_3, %c0, %c0] ND, %smem_b[%slot_3, %c0, %c0] DN if %{{[0-9]+}} : !nv.frag<64x64xf32, C of m64k32_f8>, !nv.smem<3x64x128xf8E4M3FN, b128>, !nv.smem<3x64x128xf8E4M3FN, b128>
// CHECK: nv.wgmma.mma %part, %smem_a[%slot_3, %c0, %c32] ND, %smem_b[%slot_3, %c0, %c32] DN : !nv.frag<64x64xf32, C of m64k32_f8>, !nv.smem<3x64x128xf8E4M3FN, b128>, !nv.smem<3x64x128xf8E4M3FN, b128>
// CHECK: nv.wgmma.mma %part, %smem_a[%slot_3, %c0, %c64] ND, %smem_b[%slot_3, %c0, %c64] DN : !nv.frag<64x64xf32, C of m64k32_f8>, !nv.smem<3x64x128xf8E4M3FN, b128>, !nv.smem<3x64x128xf8E4M3FN, b128>
// CHECK: nv.wgmma.mma %part, %smem_a[%slot_3, %c0, %c96] ND, %smem_b[%slot_3, %c0, %c96] DN : !nv.frag<64x64xf32, C of m64k32_f8>, !nv.smem<3x64x128xf8E4M3FN, b128>, !nv.smem<3x64x128xf8E4M3FN, b128>
// CHECK: nv.wgmma.commit
// CHECK: nv.wgmma.wait 0
// CHECK: nv.single warpgroup {
// CHECK: nv.mbarrier.arrive %empty[%slot_3] : !nv.mbarrier<3>
// CHECK: nv.promote %part to %acc : !nv.frag<64x64xf32, C of m64k32_f8>, !nv.frag<64x64xf32, C of m64k32_f8>
// CHECK: %out_tile = nv.epilogue %acc : !nv.frag<64x64xf32, C of m64k32_f8> column 0[%c0, %n_1] in [64, 64] dims [0, 1] guard [] tile [64, 32] addresses [] widths [] -> !nv.frag<64x32xf32, C of m64k32_f8> {
// CHECK: nv.yield %acc_1 : f32
// CHECK: nv.single warp {
// CHECK: nv.bulk.wait_read 0
// CHECK: nv.warp_sync
// CHECK: nv.stmatrix %out_tile column 0 ND to %smem_out[%c0, %c0, %c0] : !nv.frag<64x32xf32, C of m64k32_f8>, !nv.smem<2x64x32xf32, b128>
// CHECK: %out_tile_1 = nv.epilogue %acc : !nv.frag<64x64xf32, C of m64k32_f8> column 32[%c0, %n_1] in [64, 64] dims [0, 1] guard [] tile [64, 32] addresses [] widths [] -> !nv.frag<64x32xf32, C of m64k32_f8> {
// CHECK: nv.yield %acc_2 : f32
// CHECK: nv.stmatrix %out_tile_1 column 0 ND to %smem_out[%c1, %c0, %c0] : !nv.frag<64x32xf32, C of m64k32_f8>, !nv.smem<2x64x32xf32, b128>
// CHECK-NEXT: nv.fence_async
// CHECK-NEXT: nv.warp_sync
// CHECK-NEXT: nv.single warp {
// CHECK: %warp = nv.warp
// CHECK: nv.tma_store %smem_out[%c0, %warp_row, %c0] to %map_out[%{{warp_row|box_row}}, %n_1] : !nv.smem<2x64x32xf32, b128>, !nv.tensor_map<16x32xf32, b128>
// CHECK: nv.tma_store %smem_out[%c1, %warp_row_1, %c0] to %map_out[%{{warp_row|box_row}}_1, %box_column] : !nv.smem<2x64x32xf32, b128>, !nv.tensor_map<16x32xf32, b128>
// CHECK-NEXT: nv.bulk.commit
// CHECK: nv.single warp {
// CHECK: nv.bulk.wait_read 0
// CHECK: %{{[0-9]+}} = memref.alloc() : memref<64x64xf32>
// CHECK: %map_a = nv.tensor_map %x offset 0 sizes [64, 256] strides [256, 1] : memref<64x256xf8E4M3FN> -> !nv.tensor_map<64x128xf8E4M3FN, b128>
// CHECK: %map_b = nv.tensor_map %w offset 0 sizes [64, 256] strides [256, 1] : memref<64x256xf8E4M3FN> -> !nv.tensor_map<64x128xf8E4M3FN, b128>
// CHECK: %map_out = nv.tensor_map %{{[0-9]+}} offset 0 sizes [64, 64] strides [64, 1] : memref<64x64xf32> -> !nv.tensor_map<16x32xf32, b128>
// CHECK: nv.launch @kernels::@k grid [1, 1, 1] block [256, 1, 1] shared 65584(%map_a, %map_b, %map_out : !nv.tensor_map<64x128xf8E4M3FN, b128>, !nv.tensor_map<64x128xf8E4M3FN, b128>, !nv.tensor_map<16x32xf32, b128>)

pto.kernel @k(%x: memref<64x256xf8E4M3FN> align 16, %w: memref<64x256xf8E4M3FN> align 16) -> (%0: memref<64x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 64, 128], stages = 3, warp_tile = "64x64", roles = "cooperative", cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "implicit_gemm"}}> {
  pto.tiles (%m, %n) in [64, 64] step [64, 64] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x128xf8E4M3FN, #pto.tile_info<loc=Mat>>, !pto.tile<128x64xf8E4M3FN, #pto.tile_info<loc=Mat, layout=DN>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 256 : index
    %3 = arith.constant 128 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x128xf8E4M3FN, #pto.tile_info<loc=Mat>>, !pto.tile<128x64xf8E4M3FN, #pto.tile_info<loc=Mat, layout=DN>>]>
        %4 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [64, 64, 256] dims [0, 2] : memref<64x256xf8E4M3FN> -> tile<64x128xf8E4M3FN, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [64, 64, 256] dims [2, 1] : memref<64x256xf8E4M3FN> -> tile<128x64xf8E4M3FN, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<3, [!pto.tile<64x128xf8E4M3FN, #pto.tile_info<loc=Mat>>, !pto.tile<128x64xf8E4M3FN, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<64x128xf8E4M3FN, #pto.tile_info<loc=Mat>>, tile<128x64xf8E4M3FN, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<64x64xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x128xf8E4M3FN, #pto.tile_info<loc=Mat>>, !pto.tile<128x64xf8E4M3FN, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<64x128xf8E4M3FN, #pto.tile_info<loc=Mat>>, tile<128x64xf8E4M3FN, #pto.tile_info<loc=Mat, layout=DN>>
      %11 = pto.tile.mov.m2l %9 : tile<64x128xf8E4M3FN, #pto.tile_info<loc=Mat>> -> tile<64x128xf8E4M3FN, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<128x64xf8E4M3FN, #pto.tile_info<loc=Mat, layout=DN>> -> tile<128x64xf8E4M3FN, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<64x64xf32, #pto.tile_info<loc=Acc>>, tile<64x128xf8E4M3FN, #pto.tile_info<loc=Left>>, tile<128x64xf8E4M3FN, #pto.tile_info<loc=Right>> -> tile<64x64xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x128xf8E4M3FN, #pto.tile_info<loc=Mat>>, !pto.tile<128x64xf8E4M3FN, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %13 : !pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<64x64xf32, #pto.tile_info<loc=Acc>> -> tile<64x64xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [64, 64] dims [0, 1] : tile<64x64xf32>, memref<64x64xf32>
  }
}
func.func @host(%x: memref<64x256xf8E4M3FN>, %w: memref<64x256xf8E4M3FN>) -> memref<64x64xf32> {
  %0 = memref.alloc() : memref<64x64xf32>
  region.launch @k ins(%x, %w : memref<64x256xf8E4M3FN>, memref<64x256xf8E4M3FN>) outs(%0 : memref<64x64xf32>)
  func.return %0 : memref<64x64xf32>
}

// -----

// stream-K: 3 tiles of 4 steps dealt out; sums of several blocks meet in a workspace that the host makes.

// CHECK-LABEL: "gpu.func"
// CHECK: ^bb0(%map_a: !nv.tensor_map<64x64xbf16, b128>, %map_b: !nv.tensor_map<64x64xbf16, b128>, %map_out: !nv.tensor_map<16x32xf32, b128>, %workspace: memref<3x64x64xf32>, %counters: memref<3xi32>):
// CHECK: %smem_a = nv.smem at 0 : !nv.smem<3x64x64xbf16, b128>
// CHECK: %smem_b = nv.smem at 24576 : !nv.smem<3x64x64xbf16, b128>
// CHECK: %smem_out = nv.smem at 49152 : !nv.smem<2x64x32xf32, b128>
// CHECK: %full = nv.mbarrier at 65536 : !nv.mbarrier<3>
// CHECK: %empty = nv.mbarrier at 65560 : !nv.mbarrier<3>
// CHECK: nv.single block {
// CHECK: nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<3>
// CHECK: nv.mbarrier.init %empty arrivals 1 : !nv.mbarrier<3>
// CHECK: nv.mbarrier.init_fence
// CHECK: nv.role producer threads 0 to 128 {
// CHECK: nv.single role {
// CHECK: %{{[0-9]+}}, %{{[0-9]+}} = scf.for %item = %first_item to %end_item step %c1 iter_args(%slot = %c0, %phase = %c0) -> (index, index) {
// CHECK: %{{[0-9]+}}, %{{[0-9]+}} = scf.for %step = %first_step to %end_step step %c1 iter_args(%slot_1 = %slot, %phase_1 = %phase) -> (index, index) {
// CHECK: nv.mbarrier.wait %empty[%slot_1] parity %{{[0-9]+}} : !nv.mbarrier<3>
// CHECK: nv.mbarrier.expect_tx %full[%slot_1] bytes 16384 : !nv.mbarrier<3>
// CHECK: nv.tma_load %map_a[%m, %k] to %smem_a[%slot_1, %c0, %c0] signal %full[%slot_1] : !nv.tensor_map<64x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>, !nv.mbarrier<3>
// CHECK: nv.tma_load %map_b[%c0, %k] to %smem_b[%slot_1, %c0, %c0] signal %full[%slot_1] : !nv.tensor_map<64x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>, !nv.mbarrier<3>
// CHECK: nv.role consumer threads 128 to 256 {
// CHECK: %{{[0-9]+}}, %{{[0-9]+}} = scf.for %item_1 = %first_item_1 to %end_item_1 step %c1 iter_args(%slot_2 = %c0, %phase_2 = %c0) -> (index, index) {
// CHECK: %acc = nv.frag : !nv.frag<64x64xf32, C of m64k16>
// CHECK: %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} = scf.for %step_1 = %first_step_1 to %end_step_1 step %c1 iter_args(%slot_3 = %slot_2, %phase_3 = %phase_2, %before = %c0) -> (index, index, index) {
// CHECK: nv.mbarrier.wait %full[%slot_3] parity %phase_3 : !nv.mbarrier<3>
// CHECK: nv.wgmma.fence
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_3, %c0, %c0] ND, %smem_b[%slot_3, %c0, %c0] DN if %adds : !nv.frag<64x64xf32, C of m64k16>, !nv.smem<3x64x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_3, %c0, %c16] ND, %smem_b[%slot_3, %c0, %c16] DN : !nv.frag<64x64xf32, C of m64k16>, !nv.smem<3x64x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_3, %c0, %c32] ND, %smem_b[%slot_3, %c0, %c32] DN : !nv.frag<64x64xf32, C of m64k16>, !nv.smem<3x64x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_3, %c0, %c48] ND, %smem_b[%slot_3, %c0, %c48] DN : !nv.frag<64x64xf32, C of m64k16>, !nv.smem<3x64x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>
// CHECK: nv.wgmma.commit
// CHECK: nv.wgmma.wait 1
// CHECK: nv.single warpgroup {
// CHECK: nv.mbarrier.arrive %empty[%before] : !nv.mbarrier<3>
// CHECK: nv.wgmma.wait 0
// CHECK: nv.single warpgroup {
// CHECK: nv.mbarrier.arrive %empty[%{{[0-9]+}}] : !nv.mbarrier<3>
// CHECK: nv.semaphore.acquire %counters[%item_1] for %end_step_1 : memref<3xi32>
// CHECK: nv.frag_add %workspace[%item_1] to %acc : memref<3x64x64xf32>, !nv.frag<64x64xf32, C of m64k16>
// CHECK: nv.frag_store %acc to %workspace[%item_1] : !nv.frag<64x64xf32, C of m64k16>, memref<3x64x64xf32>
// CHECK: nv.semaphore.release %counters[%item_1] to %first_step_1 : memref<3xi32>
// CHECK: nv.semaphore.release %counters[%item_1] to %c0 : memref<3xi32>
// CHECK: %out_tile = nv.epilogue %acc : !nv.frag<64x64xf32, C of m64k16> column 0[%m_1, %c0] in [192, 64] dims [0, 1] guard [] tile [64, 32] addresses [] widths [] -> !nv.frag<64x32xf32, C of m64k16> {
// CHECK: nv.yield %acc_1 : f32
// CHECK: nv.single warp {
// CHECK: nv.bulk.wait_read 0
// CHECK: nv.warp_sync
// CHECK: nv.stmatrix %out_tile column 0 ND to %smem_out[%c0, %c0, %c0] : !nv.frag<64x32xf32, C of m64k16>, !nv.smem<2x64x32xf32, b128>
// CHECK: %out_tile_1 = nv.epilogue %acc : !nv.frag<64x64xf32, C of m64k16> column 32[%m_1, %c0] in [192, 64] dims [0, 1] guard [] tile [64, 32] addresses [] widths [] -> !nv.frag<64x32xf32, C of m64k16> {
// CHECK: nv.yield %acc_2 : f32
// CHECK: nv.stmatrix %out_tile_1 column 0 ND to %smem_out[%c1, %c0, %c0] : !nv.frag<64x32xf32, C of m64k16>, !nv.smem<2x64x32xf32, b128>
// CHECK-NEXT: nv.fence_async
// CHECK-NEXT: nv.warp_sync
// CHECK-NEXT: nv.single warp {
// CHECK: %warp = nv.warp
// CHECK: nv.tma_store %smem_out[%c0, %warp_row, %c0] to %map_out[%{{warp_row|box_row}}, %c0] : !nv.smem<2x64x32xf32, b128>, !nv.tensor_map<16x32xf32, b128>
// CHECK: nv.tma_store %smem_out[%c1, %warp_row_1, %c0] to %map_out[%{{warp_row|box_row}}_1, %c32] : !nv.smem<2x64x32xf32, b128>, !nv.tensor_map<16x32xf32, b128>
// CHECK-NEXT: nv.bulk.commit
// CHECK: nv.single warp {
// CHECK: nv.bulk.wait_read 0
// CHECK: %{{[0-9]+}} = memref.alloc() : memref<192x64xf32>
// CHECK: %map_a = nv.tensor_map %x offset 0 sizes [192, 256] strides [256, 1] : memref<192x256xbf16> -> !nv.tensor_map<64x64xbf16, b128>
// CHECK: %map_b = nv.tensor_map %w offset 0 sizes [64, 256] strides [256, 1] : memref<64x256xbf16> -> !nv.tensor_map<64x64xbf16, b128>
// CHECK: %map_out = nv.tensor_map %{{[0-9]+}} offset 0 sizes [192, 64] strides [64, 1] : memref<192x64xf32> -> !nv.tensor_map<16x32xf32, b128>
// CHECK: %{{[0-9]+}} = memref.alloc() : memref<3x64x64xf32>
// CHECK: %{{[0-9]+}} = region.zeros : memref<3xi32>
// CHECK: nv.launch @kernels::@k grid [12, 1, 1] block [256, 1, 1] shared 65584(%map_a, %map_b, %map_out, %{{[0-9]+}}, %{{[0-9]+}} : !nv.tensor_map<64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>, !nv.tensor_map<16x32xf32, b128>, memref<3x64x64xf32>, memref<3xi32>)

pto.kernel @k(%x: memref<192x256xbf16> align 16, %w: memref<64x256xbf16> align 16) -> (%0: memref<192x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 64, 64], stages = 3, warp_tile = "64x64", roles = "cooperative", cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "stream_k"}}> {
  pto.tiles (%m, %n) in [192, 64] step [64, 64] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 256 : index
    %3 = arith.constant 64 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
        %4 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [192, 64, 256] dims [0, 2] : memref<192x256xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [192, 64, 256] dims [2, 1] : memref<64x256xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<64x64xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      %11 = pto.tile.mov.m2l %9 : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<64x64xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<64x64xf32, #pto.tile_info<loc=Acc>>, tile<64x64xbf16, #pto.tile_info<loc=Left>>, tile<64x64xbf16, #pto.tile_info<loc=Right>> -> tile<64x64xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %13 : !pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<64x64xf32, #pto.tile_info<loc=Acc>> -> tile<64x64xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [192, 64] dims [0, 1] : tile<64x64xf32>, memref<192x64xf32>
  }
}
func.func @host(%x: memref<192x256xbf16>, %w: memref<64x256xbf16>) -> memref<192x64xf32> {
  %0 = memref.alloc() : memref<192x64xf32>
  region.launch @k ins(%x, %w : memref<192x256xbf16>, memref<64x256xbf16>) outs(%0 : memref<192x64xf32>)
  func.return %0 : memref<192x64xf32>
}
