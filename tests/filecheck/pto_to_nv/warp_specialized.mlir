// RUN: ptir-opt %s -p pto-to-nv --split-input-file | filecheck %s

// A cluster of two blocks along m: each loads its own rows of A and sends half of B to both. Consumers release a slot in both
// blocks, one step late; the first wgmma of a tile does not add. The result leaves panel by panel.

// CHECK-LABEL: "gpu.func"
// CHECK: ^bb0(%map_a: !nv.tensor_map<128x64xbf16, b128>, %map_b: !nv.tensor_map<32x64xbf16, b128>, %map_c: !nv.tensor_map<16x64xbf16, b128>):
// CHECK: %smem_a = nv.smem at 0 : !nv.smem<3x128x64xbf16, b128>
// CHECK: %smem_b = nv.smem at 49152 : !nv.smem<3x64x64xbf16, b128>
// CHECK: %smem_c = nv.smem at 73728 : !nv.smem<2x64x64xbf16, b128>
// CHECK: %full = nv.mbarrier at 90112 : !nv.mbarrier<3>
// CHECK: %empty = nv.mbarrier at 90136 : !nv.mbarrier<3>
// CHECK: nv.single block {
// CHECK: nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<3>
// CHECK: nv.mbarrier.init %empty arrivals 4 : !nv.mbarrier<3>
// CHECK: nv.mbarrier.init_fence
// CHECK: nv.cluster.sync
// CHECK: %rank = nv.cluster.rank
// CHECK: nv.role producer threads 0 to 128 {
// CHECK: nv.setmaxnreg 24
// CHECK: nv.single role {
// CHECK: %{{[0-9]+}}, %{{[0-9]+}} = scf.for %item = %cluster to %c2 step %c2 iter_args(%slot = %c0, %phase = %c0) -> (index, index) {
// CHECK: %{{[0-9]+}}, %{{[0-9]+}} = scf.for %step = %c0 to %STEPS step %c1 iter_args(%slot_1 = %slot, %phase_1 = %phase) -> (index, index) {
// CHECK: nv.mbarrier.wait %empty[%slot_1] parity %{{[0-9]+}} : !nv.mbarrier<3>
// CHECK: nv.mbarrier.expect_tx %full[%slot_1] bytes 24576 : !nv.mbarrier<3>
// CHECK: nv.tma_load %map_a[%m, %k] to %smem_a[%slot_1, %c0, %c0] signal %full[%slot_1] : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<3x128x64xbf16, b128>, !nv.mbarrier<3>
// CHECK: nv.tma_load %map_b[%box_row, %n] to %smem_b[%slot_1, %part, %c0] signal %full[%slot_1] multicast %c3 : !nv.tensor_map<32x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>, !nv.mbarrier<3>
// CHECK: nv.role consumer threads 128 to 384 {
// CHECK: nv.setmaxnreg 240
// CHECK: %group = nv.warpgroup
// CHECK: %{{[0-9]+}}, %{{[0-9]+}} = scf.for %item_1 = %cluster to %c2 step %c2 iter_args(%slot_2 = %c0, %phase_2 = %c0) -> (index, index) {
// CHECK: %acc = nv.frag : !nv.frag<64x64xf32, C of m64k16>
// CHECK: %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} = scf.for %step_1 = %c0 to %STEPS step %c1 iter_args(%slot_3 = %slot_2, %phase_3 = %phase_2, %before = %c0) -> (index, index, index) {
// CHECK: nv.mbarrier.wait %full[%slot_3] parity %phase_3 : !nv.mbarrier<3>
// CHECK: nv.wgmma.fence
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_3, %warp_m, %c0] ND, %smem_b[%slot_3, %c0, %c0] ND if %adds : !nv.frag<64x64xf32, C of m64k16>, !nv.smem<3x128x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_3, %warp_m, %c16] ND, %smem_b[%slot_3, %c16, %c0] ND : !nv.frag<64x64xf32, C of m64k16>, !nv.smem<3x128x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_3, %warp_m, %c32] ND, %smem_b[%slot_3, %c32, %c0] ND : !nv.frag<64x64xf32, C of m64k16>, !nv.smem<3x128x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_3, %warp_m, %c48] ND, %smem_b[%slot_3, %c48, %c0] ND : !nv.frag<64x64xf32, C of m64k16>, !nv.smem<3x128x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>
// CHECK: nv.wgmma.commit
// CHECK: nv.wgmma.wait 1
// CHECK: nv.single warpgroup {
// CHECK: nv.mbarrier.arrive %empty[%before] at %rank : !nv.mbarrier<3>
// CHECK: nv.mbarrier.arrive %empty[%before] at %{{[0-9]+}} : !nv.mbarrier<3>
// CHECK: nv.wgmma.wait 0
// CHECK: nv.single warpgroup {
// CHECK: nv.mbarrier.arrive %empty[%{{[0-9]+}}] at %rank : !nv.mbarrier<3>
// CHECK: nv.mbarrier.arrive %empty[%{{[0-9]+}}] at %{{[0-9]+}} : !nv.mbarrier<3>
// CHECK: %c_tile = nv.epilogue %acc : !nv.frag<64x64xf32, C of m64k16>[%row, %n_1] in [256, 128] dims [0, 1] guard [] tile [64, 64] addresses [] widths [] -> !nv.frag<64x64xbf16, C of m64k16> {
// CHECK: nv.yield %{{[0-9]+}} : bf16
// CHECK: nv.single warp {
// CHECK: nv.bulk.wait_read 0
// CHECK: nv.warp_sync
// CHECK: nv.stmatrix %c_tile column 0 ND to %smem_c[%group, %c0, %c0] : !nv.frag<64x64xbf16, C of m64k16>, !nv.smem<2x64x64xbf16, b128>
// CHECK: nv.fence_async
// CHECK: nv.warp_sync
// CHECK: nv.single warp {
// CHECK: %warp = nv.warp
// CHECK: nv.tma_store %smem_c[%group, %warp_row, %c0] to %map_c[%{{box_row(_1)?}}, %n_1] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<16x64xbf16, b128>
// CHECK: nv.bulk.commit
// CHECK: nv.single warp {
// CHECK: nv.bulk.wait_read 0
// CHECK: nv.cluster.sync
// CHECK: %{{[0-9]+}} = memref.alloc() : memref<256x128xbf16>
// CHECK: %map_a = nv.tensor_map %x offset 0 sizes [256, 160] strides [160, 1] : memref<256x160xbf16> -> !nv.tensor_map<128x64xbf16, b128>
// CHECK: %map_b = nv.tensor_map %w offset 0 sizes [160, 128] strides [128, 1] : memref<160x128xbf16> -> !nv.tensor_map<32x64xbf16, b128>
// CHECK: %map_c = nv.tensor_map %{{[0-9]+}} offset 0 sizes [256, 128] strides [128, 1] : memref<256x128xbf16> -> !nv.tensor_map<16x64xbf16, b128>
// CHECK: nv.launch @kernels::@k grid [4, 1, 1] block [384, 1, 1] cluster [2, 1, 1] shared 90160(%map_a, %map_b, %map_c : !nv.tensor_map<128x64xbf16, b128>, !nv.tensor_map<32x64xbf16, b128>, !nv.tensor_map<16x64xbf16, b128>)

pto.kernel @k(%x: memref<256x160xbf16> align 16, %w: memref<160x128xbf16> align 16) -> (%c: memref<256x128xbf16> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [128, 64, 64], stages = 3, warp_tile = "64x64", roles = "cooperative", cluster = [2, 1], cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["k.i.i"], epilogue = ["cast"], layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "implicit_gemm"}}> {
  pto.tiles (%m, %n) in [256, 128] step [128, 64] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<128x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]>
    %0 = arith.constant 0 : index
    %1 = arith.constant 160 : index
    %2 = arith.constant 64 : index
    pto.process {
      scf.for %k = %0 to %1 step %2 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<128x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]>
        %3 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [256, 128, 160] dims [0, 2] : memref<256x160xbf16> -> tile<128x64xbf16, #pto.tile_info<loc=Mat>>
        %4 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [256, 128, 160] dims [2, 1] : memref<160x128xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %3, %4 : !pto.channel<3, [!pto.tile<128x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]>, tile<128x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %5 = pto.tile.expands 0.000000e+00 : f32 : tile<128x64xf32, #pto.tile_info<loc=Acc>>
    %6 = scf.for %k_1 = %0 to %1 step %2 iter_args(%7 = %5) -> (!pto.tile<128x64xf32, #pto.tile_info<loc=Acc>>) {
      %8, %9 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<128x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]> -> tile<128x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>
      %10 = pto.tile.mov.m2l %8 : tile<128x64xbf16, #pto.tile_info<loc=Mat>> -> tile<128x64xbf16, #pto.tile_info<loc=Left>>
      %11 = pto.tile.mov.m2r %9 : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Right>>
      %12 = pto.tile.matmul.acc %7, %10, %11 : tile<128x64xf32, #pto.tile_info<loc=Acc>>, tile<128x64xbf16, #pto.tile_info<loc=Left>>, tile<64x64xbf16, #pto.tile_info<loc=Right>> -> tile<128x64xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<128x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %12 : !pto.tile<128x64xf32, #pto.tile_info<loc=Acc>>
    }
    %13 = pto.tile.mov.a2v %6 : tile<128x64xf32, #pto.tile_info<loc=Acc>> -> tile<128x64xf32>
    %14 = pto.tile.cvt %13 : tile<128x64xf32> -> tile<128x64xbf16>
    pto.tile.store.map %14, %c[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [256, 128] dims [0, 1] : tile<128x64xbf16>, memref<256x128xbf16>
  }
}
func.func @host(%x: memref<256x160xbf16>, %w: memref<160x128xbf16>) -> memref<256x128xbf16> {
  %0 = memref.alloc() : memref<256x128xbf16>
  region.launch @k ins(%x, %w : memref<256x160xbf16>, memref<160x128xbf16>) outs(%0 : memref<256x128xbf16>)
  func.return %0 : memref<256x128xbf16>
}

// -----

// Ping-pong: each warpgroup waits for its turn, multiplies a whole tile, and passes the turn on before its epilogue.

// CHECK-LABEL: "gpu.func"
// CHECK: ^bb0(%map_a: !nv.tensor_map<64x64xbf16, b128>, %map_b: !nv.tensor_map<64x64xbf16, b128>, %map_c: !nv.tensor_map<16x64xf16, b128>):
// CHECK: %smem_a = nv.smem at 0 : !nv.smem<3x64x64xbf16, b128>
// CHECK: %smem_b = nv.smem at 24576 : !nv.smem<3x64x64xbf16, b128>
// CHECK: %smem_c = nv.smem at 49152 : !nv.smem<2x64x64xf16, b128>
// CHECK: %full = nv.mbarrier at 65536 : !nv.mbarrier<3>
// CHECK: %empty = nv.mbarrier at 65560 : !nv.mbarrier<3>
// CHECK: %order = nv.mbarrier at 65584 : !nv.mbarrier<2>
// CHECK: nv.single block {
// CHECK: nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<3>
// CHECK: nv.mbarrier.init %empty arrivals 1 : !nv.mbarrier<3>
// CHECK: nv.mbarrier.init %order arrivals 1 : !nv.mbarrier<2>
// CHECK: nv.mbarrier.init_fence
// CHECK: nv.role producer threads 0 to 128 {
// CHECK: nv.setmaxnreg 24
// CHECK: nv.single role {
// CHECK: %{{[0-9]+}}, %{{[0-9]+}} = scf.for %item = %block to %c4 step %c4 iter_args(%slot = %c0, %phase = %c0) -> (index, index) {
// CHECK: %{{[0-9]+}}, %{{[0-9]+}} = scf.for %step = %c0 to %STEPS step %c1 iter_args(%slot_1 = %slot, %phase_1 = %phase) -> (index, index) {
// CHECK: nv.mbarrier.wait %empty[%slot_1] parity %{{[0-9]+}} : !nv.mbarrier<3>
// CHECK: nv.mbarrier.expect_tx %full[%slot_1] bytes 16384 : !nv.mbarrier<3>
// CHECK: nv.tma_load %map_a[%m, %k] to %smem_a[%slot_1, %c0, %c0] signal %full[%slot_1] : !nv.tensor_map<64x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>, !nv.mbarrier<3>
// CHECK: nv.tma_load %map_b[%c0, %k] to %smem_b[%slot_1, %c0, %c0] signal %full[%slot_1] : !nv.tensor_map<64x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>, !nv.mbarrier<3>
// CHECK: nv.role consumer threads 128 to 384 {
// CHECK: nv.setmaxnreg 240
// CHECK: %group = nv.warpgroup
// CHECK: %{{[0-9]+}} = scf.for %item_1 = %first to %c4 step %c8 iter_args(%round = %c0) -> (index) {
// CHECK: nv.mbarrier.wait %order[%group] parity %parity : !nv.mbarrier<2>
// CHECK: %acc = nv.frag : !nv.frag<64x64xf32, C of m64k16>
// CHECK: %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} = scf.for %step_1 = %c0 to %STEPS step %c1 iter_args(%slot_2 = %first_slot, %phase_2 = %first_phase, %before = %c0) -> (index, index, index) {
// CHECK: nv.mbarrier.wait %full[%slot_2] parity %phase_2 : !nv.mbarrier<3>
// CHECK: nv.wgmma.fence
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_2, %c0, %c0] ND, %smem_b[%slot_2, %c0, %c0] DN if %adds : !nv.frag<64x64xf32, C of m64k16>, !nv.smem<3x64x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_2, %c0, %c16] ND, %smem_b[%slot_2, %c0, %c16] DN : !nv.frag<64x64xf32, C of m64k16>, !nv.smem<3x64x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_2, %c0, %c32] ND, %smem_b[%slot_2, %c0, %c32] DN : !nv.frag<64x64xf32, C of m64k16>, !nv.smem<3x64x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_2, %c0, %c48] ND, %smem_b[%slot_2, %c0, %c48] DN : !nv.frag<64x64xf32, C of m64k16>, !nv.smem<3x64x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>
// CHECK: nv.wgmma.commit
// CHECK: nv.wgmma.wait 1
// CHECK: nv.single warpgroup {
// CHECK: nv.mbarrier.arrive %empty[%before] : !nv.mbarrier<3>
// CHECK: nv.wgmma.wait 0
// CHECK: nv.single warpgroup {
// CHECK: nv.mbarrier.arrive %empty[%{{[0-9]+}}] : !nv.mbarrier<3>
// CHECK: nv.single warpgroup {
// CHECK: nv.mbarrier.arrive %order[%other] : !nv.mbarrier<2>
// CHECK: %c_tile = nv.epilogue %acc : !nv.frag<64x64xf32, C of m64k16>[%m_1, %c0] in [200, 64] dims [0, 1] guard [0] tile [64, 64] addresses [] widths [] -> !nv.frag<64x64xf16, C of m64k16> {
// CHECK: nv.yield %{{[0-9]+}} : f16
// CHECK: nv.single warp {
// CHECK: nv.bulk.wait_read 0
// CHECK: nv.warp_sync
// CHECK: nv.stmatrix %c_tile column 0 ND to %smem_c[%group, %c0, %c0] : !nv.frag<64x64xf16, C of m64k16>, !nv.smem<2x64x64xf16, b128>
// CHECK: nv.fence_async
// CHECK: nv.warp_sync
// CHECK: nv.single warp {
// CHECK: %warp = nv.warp
// CHECK: nv.tma_store %smem_c[%group, %warp_row, %c0] to %map_c[%{{box_row(_1)?}}, %c0] : !nv.smem<2x64x64xf16, b128>, !nv.tensor_map<16x64xf16, b128>
// CHECK: nv.bulk.commit
// CHECK: nv.single warp {
// CHECK: nv.bulk.wait_read 0
// CHECK: %{{[0-9]+}} = memref.alloc() : memref<200x64xf16>
// CHECK: %map_a = nv.tensor_map %x offset 0 sizes [200, 128] strides [128, 1] : memref<200x128xbf16> -> !nv.tensor_map<64x64xbf16, b128>
// CHECK: %map_b = nv.tensor_map %w offset 0 sizes [64, 128] strides [128, 1] : memref<64x128xbf16> -> !nv.tensor_map<64x64xbf16, b128>
// CHECK: %map_c = nv.tensor_map %{{[0-9]+}} offset 0 sizes [200, 64] strides [64, 1] : memref<200x64xf16> -> !nv.tensor_map<16x64xf16, b128>
// CHECK: nv.launch @kernels::@k grid [4, 1, 1] block [384, 1, 1] shared 65600(%map_a, %map_b, %map_c : !nv.tensor_map<64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>, !nv.tensor_map<16x64xf16, b128>)

pto.kernel @k(%x: memref<200x128xbf16> align 16, %w: memref<64x128xbf16> align 16) -> (%c: memref<200x64xf16> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 64, 64], stages = 3, warp_tile = "64x64", roles = "pingpong", cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["m.i.i"], epilogue = ["cast"], layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "implicit_gemm"}}> {
  pto.tiles (%m, %n) in [200, 64] step [64, 64] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
    %0 = arith.constant 0 : index
    %1 = arith.constant 128 : index
    %2 = arith.constant 64 : index
    pto.process {
      scf.for %k = %0 to %1 step %2 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
        %3 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [200, 64, 128] dims [0, 2] : memref<200x128xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        %4 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [200, 64, 128] dims [2, 1] : memref<64x128xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %3, %4 : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %5 = pto.tile.expands 0.000000e+00 : f32 : tile<64x64xf32, #pto.tile_info<loc=Acc>>
    %6 = scf.for %k_1 = %0 to %1 step %2 iter_args(%7 = %5) -> (!pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>) {
      %8, %9 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      %10 = pto.tile.mov.m2l %8 : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Left>>
      %11 = pto.tile.mov.m2r %9 : tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<64x64xbf16, #pto.tile_info<loc=Right>>
      %12 = pto.tile.matmul.acc %7, %10, %11 : tile<64x64xf32, #pto.tile_info<loc=Acc>>, tile<64x64xbf16, #pto.tile_info<loc=Left>>, tile<64x64xbf16, #pto.tile_info<loc=Right>> -> tile<64x64xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %12 : !pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>
    }
    %13 = pto.tile.mov.a2v %6 : tile<64x64xf32, #pto.tile_info<loc=Acc>> -> tile<64x64xf32>
    %14 = pto.tile.cvt %13 : tile<64x64xf32> -> tile<64x64xf16>
    pto.tile.store.map %14, %c[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [200, 64] dims [0, 1] : tile<64x64xf16>, memref<200x64xf16>
  }
}
func.func @host(%x: memref<200x128xbf16>, %w: memref<64x128xbf16>) -> memref<200x64xf16> {
  %0 = memref.alloc() : memref<200x64xf16>
  region.launch @k ins(%x, %w : memref<200x128xbf16>, memref<64x128xbf16>) outs(%0 : memref<200x64xf16>)
  func.return %0 : memref<200x64xf16>
}
